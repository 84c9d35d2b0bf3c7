#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands read only the part of a long archive that they print: they use little memory, and do not
# find damage elsewhere, which only 'vcpc check' reports.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/err"

cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c" >"$dir/err" 2>&1 &&
	"$dir/make_archive" "$dir/a" 3 steady 60000 && "$dir/make_archive" "$dir/c" 3 steady 100
result "archives to print"
[ $tap_failed = 0 ] || done_testing

# memory LIMIT COMMAND...: run COMMAND, and check that it uses at most LIMIT kB of memory
memory() {
	python3 - "$@" >"$dir/out" 2>"$dir/err" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=True)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(sys.argv[2:], "was", most, "kB in memory")
sys.exit(most > int(sys.argv[1]))
PY
}

if grep -q __asan_init "$vcpc"; then
	skip "memory" "the sanitizer's own is counted, too"
else
	for command in 'replay -S -20s' replay 'replay -c -m forw' 'replay -j -r -m forw' 'dump -d' 'dump -S -20s' summary 'report -o /dev/null' 'compare %'; do
		# The command starts as a fork of python, which uses 10 MB or more.
		# shellcheck disable=SC2046,SC2086
		memory 40000 "$vcpc" $(echo $command | sed "s|%|$dir/a|") "$dir/a"
		result "$command: memory usage is limited for an archive of 76 MB"
	done
	"$dir/make_archive" "$dir/names" 3 names 1 && memory 18500 "$vcpc" dump -d "$dir/names"
	result "dump -d: the metadata of 20,000 metrics is in memory once"
	mkdir "$dir/parts"
	i=0
	while [ $i -lt 200 ] && "$dir/make_archive" "$dir/parts/p$i" 3 part $i; do
		i=$((i + 1))
	done
	for command in summary 'replay -c -m forw' 'replay -t 10s' 'replay --mode back'; do
		# shellcheck disable=SC2086
		memory 30000 "$vcpc" $command "$dir/parts"
		result "$command: memory usage is limited for 200 volumes of 240 kB"
	done
	rm -r "$dir/parts"
fi

# says STATUS WHAT: check that the last command exited with STATUS, and that it reported damage if
# and only if it failed
says() {
	[ "$status" = "$1" ] && [ "$(grep -c 'c is damaged' "$dir/err")" = "$1" ]
	result "$2"
}

# run COMMAND...: run COMMAND, with % replaced by the archive
run() {
	# shellcheck disable=SC2046,SC2048,SC2086
	"$vcpc" $(echo $* | sed "s|%|$dir/c|g") >"$dir/out" 2>"$dir/err"
	status=$?
}

# Change the first metric of the first record, after the label, the frame, the time stamp and the
# number of metrics, to one without a descriptor.
printf '\377' | dd of="$dir/c.0" bs=1 seek=$((808 + 4 + 12 + 4 + 3)) conv=notrunc 2>/dev/null
run check %
[ $status = 1 ] && grep -q 'is not described' "$dir/out"
result "a record is damaged"
run dump %
says 1 "dump: a damaged record within the window"
run dump -S -5s %
says 0 "dump: another part"
run dump -d %
says 0 "dump: only metadata"
run summary %
says 1 "summary: all"
run summary -S 2s %
says 0 "summary: another part"
run report -o /dev/null %
says 1 "report: all"
run report -S 2s -o /dev/null %
says 0 "report: another part"
run compare % %
says 1 "compare: all"
run compare -S 2s % %
says 0 "compare: another part"
run replay -m forw % big.m1
says 1 "replay: records"
run replay -S -5s -t 1s % big.m1
says 0 "replay: points of another part"

# Overwrite the frame of a record in the middle.  A command that reads this record reports damage.
at=$((808 + ($(stat -c %s "$dir/c.0") - 808) / 2 - 200))
head -c 400 /dev/zero | tr '\0' '\377' | dd of="$dir/c.0" bs=1 seek=$at conv=notrunc 2>/dev/null
run replay -t 10s % big.m1
says 1 "replay: points on both sides of a damaged record"
run replay -S -5s -t 1s % big.m1
says 0 "replay: points after it"
truncate -s -3 "$dir/c.0"
for command in 'replay -S 2s -T 9s -t 1s' 'replay -m forw -S 2s -T 9s' 'dump -d' 'summary -S 2s -T 9s'; do
	run "$command" %
	says 1 "$command: the archive's end is cut"
done
done_testing
