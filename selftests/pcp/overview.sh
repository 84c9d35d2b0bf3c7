#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The output of vcpc replay and report for an archive of system metrics begins with load, CPU,
# memory, disks and network.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/err"

cc_shim -o "$dir/make" "$here/peer/system_archive.c" >"$dir/err" 2>&1 && "$dir/make" "$dir/a" 61 2>>"$dir/err"
result "an archive of a system"
[ $tap_failed = 0 ] || done_testing

# replay COLUMNS OPTION...: check that the table has the column names COLUMNS
replay() {
	COLUMNS=$1
	export COLUMNS
	shift
	"$vcpc" replay "$dir/a" "$@" >"$dir/out" 2>"$dir/err"
	awk '/^time/ { getline i; $1 = ""; print $0; gsub(/  +/, ",", i); print i }' "$dir/out"
}

replay 100 >"$dir/names"
[ "$(head -n 1 "$dir/names")" = " load user sys available read_bytes bytes" ] &&
	grep -q '1 minute,eth0' "$dir/names" && grep -q 'kernel.all  *kernel.all.cpu  *mem.util  *disk.all  *network.interface.in' "$dir/out"
result "replay: load, CPU, memory, disks, network without the loopback interface"
grep -q '^[0-9]* more columns: name metrics, or :all;' "$dir/out"
result "... and a message about the others, except groups that the archive lacks"
replay 999 | head -n 1 >"$dir/names"
cat "$dir/names" >>"$dir/err"
[ "$(wc -w <"$dir/names")" = 21 ] && grep -q 'swings .*steady .*physmem .*alloc pid seqnum$' "$dir/names"
result "... then metrics that vary, and PCP's own state last"
replay 999 -p >/dev/null
[ "$(grep -o '^ *kernel.all.load' "$dir/out" | wc -l)" = 1 ]
result "... and a chart has all instances of its metric"
"$vcpc" replay "$dir/a" app.below -t 1s >"$dir/out" 2>"$dir/err" && grep -q ' 0\.000$' "$dir/out" && ! grep -q -- '-0\.0' "$dir/out"
result "replay: a negative value that is rounded to zero has no sign"
"$vcpc" replay "$dir/a" app.took -t 1s >"$dir/out" 2>"$dir/err" && grep -q ' 20\.5 us$' "$dir/out" && grep -q ' 1\.2 s$' "$dir/out" &&
	! grep -q 'sec$' "$dir/out"
result "... each duration has a suitable unit"
"$vcpc" replay "$dir/a" app.took -t 1s -p >"$dir/out" 2>"$dir/err" && grep -q 'min 20\.5 us, mean .* ms, max 1\.2 s' "$dir/out"
result "... also in charts"
"$vcpc" replay "$dir/a" app.took -t 1s -c >"$dir/out" 2>"$dir/err" && grep -q 'app.took (sec)' "$dir/out" && grep -q ',2.05e-05$' "$dir/out" &&
	"$vcpc" replay "$dir/a" app.took -t 1s -r | grep -q ' sec$'
result "... but not in CSV or with --raw"
"$vcpc" replay -c "$dir/a" 2>"$dir/err" | head -n 1 >"$dir/out"
grep -q '^[^,]*,.*pmcd.pid.*kernel.all.load' "$dir/out"
result "... but CSV keeps the order of the archive"

"$vcpc" report "$dir/a" -o "$dir/a.html" 2>"$dir/err"
grep -o '"metric":"[^"]*"' "$dir/a.html" | head -n 7 | cut -d '"' -f 4 | tr '\n' ' ' >"$dir/out"
grep -q '^kernel.all.load kernel.all.cpu.user kernel.all.cpu.sys mem.util.available disk.all.read_bytes network.interface.in.bytes network.interface.out.bytes $' "$dir/out"
result "report: the charts are in the same order"
grep -o '<h3>[^<]*' "$dir/a.html" | sed 's/<h3>//' >"$dir/out"
[ "$(head -n 1 "$dir/out")" = kernel.all.load ] && [ "$(tail -n 1 "$dir/out")" = pmcd.seqnum ]
result "... and the metrics of its table"
done_testing
