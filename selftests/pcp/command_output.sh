#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The vcpc command reports write errors and damaged archives, escapes control characters, and prints
# dates where times of day are ambiguous.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
export TZ=UTC COLUMNS=200 LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/err"

cat >"$dir/many.c" <<'END'
#include <pcp/pmapi.h>
#include <pcp/import.h>

/* Write an archive of a metric with two instances. */
int main(int argc, char **argv)
{
	const pmInDom indom = pmInDom_build(245, 1);
	char text[2] = "0";

	if (argc != 2 || pmiStart(argv[1], 0) < 0 || pmiAddMetric("many", PM_ID_NULL, PM_TYPE_U64, indom,
								  PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)) ||
	    pmiAddInstance(indom, "a", 1) || pmiAddInstance(indom, "b", 2))
		return 1;
	for (; *text < '5'; ++*text)
		if (pmiPutValue("many", "a", text) || pmiPutValue("many", "b", text) || pmiWrite(1000000000 + 10 * (*text - '0'), 0))
			return 1;
	return pmiEnd();
}
END
made=true
cc_shim -w -o "$dir/many.made" "$dir/many.c" && "$dir/many.made" "$dir/many" || made=false
cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c" && "$dir/make_archive" "$dir/v" 3 vectors || made=false
cc_shim -o "$dir/hostile" "$here/peer/hostile_names.c" && "$dir/hostile" "$dir/h" || made=false
cc_shim -o "$dir/days" "$here/peer/days.c" && "$dir/days" "$dir/long" 7 && "$dir/days" "$dir/short" 1 || made=false
$made
result "archives to print"
$made || done_testing

run() {
	"$vcpc" "$@" >"$dir/out" 2>"$dir/err"
}

# If the disk is full, the command fails and reports the reason.
for command in replay summary label dump 'replay -c' 'replay -j' 'replay -p' help 'help stat' --version; do
	archive=$dir/v
	case $command in help* | --*) archive= ;; esac
	# shellcheck disable=SC2086
	"$vcpc" $command $archive >/dev/full 2>"$dir/err"
	[ $? = 1 ] && grep -q 'cannot write: No space left on device' "$dir/err"
	result "$command: a full disk"
done
echo 1 >"$dir/v.not" && "$vcpc" check "$dir/v.not" >/dev/full 2>"$dir/err"
[ $? = 1 ]
result "check: a full disk"
"$vcpc" label "$dir/v" >&- 2>"$dir/err"
[ $? = 1 ] && grep -q 'cannot write' "$dir/err"
result "standard output is closed"

# tame: check that control characters, which a terminal would obey, are escaped
tame() {
	[ -s "$dir/out" ] && ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$dir/out" "$dir/err" &&
		! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$dir/out" "$dir/err"
}
for command in 'replay -t 10s' 'replay -m forw' 'replay -p' dump 'dump --all' summary label; do
	# shellcheck disable=SC2086
	case $command in replay*) run $command "$dir/h" any.bytes ;; *) run $command "$dir/h" ;; esac
	tame
	result "$command: no control characters"
done
# File names can also contain control characters.
bytes=$dir/$(printf 'n\033[31m\377')
for file in meta index 0; do cp "$dir/v.$file" "$bytes.$file"; done
for command in replay dump summary label; do
	run $command "$bytes"
	tame
	result "$command: no control characters of the archive's name"
done
head -c 50 "$dir/v.index" >"$bytes.index"
run check "$bytes"
[ $? = 1 ] && tame
result "check: no control characters of the archive's name"
run replay -m forw "$dir/h" 'any.bytes[ümlaut]' || "$vcpc" replay -m forw "$dir/h" any.bytes >"$dir/out"
grep -q 'üml' "$dir/out"
result "letters of other languages are unchanged"
run replay "$dir/v" "$(printf 'v.\033[31m')"
! LC_ALL=C grep -q "$(printf '\033')" "$dir/err" && [ -s "$dir/err" ]
result "messages have no control characters"
run replay -c -m forw "$dir/h" any.bytes && LC_ALL=C grep -q '?control' "$dir/out"
tame
result "CSV has no control characters"

# Rows have dates if times of day would be ambiguous.
run replay "$dir/long" -t 12h && [ "$(grep -c '^2001-09-[01][0-9] [0-9][0-9]:46:40 ' "$dir/out")" = 7 ] &&
	grep -q '2001-09-09 01:46:40 to 2001-09-12 01:46:40' "$dir/out"
result "replay: dates over several days"
run replay "$dir/long" -t 12h -p && grep -q '2001-09-09.*2001-09-12' "$dir/out"
result "replay -p: dates over several days"
run dump "$dir/long" && [ "$(grep -c '^2001-09-[01][0-9] ' "$dir/out")" = 7 ]
result "dump: dates over several days"
run replay "$dir/v" -t 10s v.inst && ! grep -q '^2001-' "$dir/out"
result "replay: no dates within a day"
TZ=XXX-22:13 run replay "$dir/v" -t 10s v.inst && grep -q '^2001-' "$dir/out"
result "replay: a midnight in the selected zone causes dates"

# The readable data of a damaged archive are printed, and a message reports the damage.
cut() {
	for suffix in 0 meta index; do
		cp "$dir/v.$suffix" "$dir/cut.$suffix"
	done
}
cut
truncate -s -10 "$dir/cut.0"
for command in 'replay -t 5s' 'replay -m forw' dump summary; do
	# shellcheck disable=SC2086
	"$vcpc" $command "$dir/cut" >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && [ -s "$dir/out" ] && grep -q "cut is damaged (1 problem).*vcpc check $dir/cut" "$dir/err"
	result "$command: a truncated volume"
done
cut
# Calculate the length of the second record.
at=$((808 + $(od -An -tu1 -j811 -N1 "$dir/cut.0") + 256 * $(od -An -tu1 -j810 -N1 "$dir/cut.0")))
printf '\001' | dd of="$dir/cut.0" bs=1 seek=$((at + 1)) conv=notrunc 2>"$dir/dd"
run replay -t 10s "$dir/cut" v.inst
[ $? = 1 ] && [ -s "$dir/out" ] && grep -q 'cut is damaged' "$dir/err"
result "replay: a damaged record"
# Replace the number of the first instance in the third record, and the address of its value.
printf '\177\177\177\177\177\177\177\177' | dd of="$dir/many.0" bs=1 seek=$((132 + 2 * 72 + 28)) conv=notrunc 2>"$dir/dd"
run replay -t 10s "$dir/many"
[ $? = 1 ] && grep -q ' 2$' "$dir/out" && grep -q 'many is damaged' "$dir/err"
result "replay: a damaged instance"
run replay "$dir/long,$dir/cut"
[ $? = 1 ] && grep -q 'cut' "$dir/err"
result "replay: a damaged archive among others"
run replay "$dir/v" && [ ! -s "$dir/err" ]
result "an intact archive: no message"
done_testing
