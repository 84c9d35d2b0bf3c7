#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc displays progress of long work on a terminal.  The display appears after half a second,
# increases, is erased at the end, and is not mixed with the output.  The test controls the time.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/log $dir/seen"
a=$dir/a
b=$dir/b	# the check reports progress several times, after each megabyte

cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c" >"$dir/log" 2>&1 &&
	cc -O1 -shared -fPIC -o "$dir/fast_time.so" "$here/peer/fast_time.c" >>"$dir/log" 2>&1 &&
	"$dir/make_archive" "$a" 3 random 5 && "$dir/make_archive" "$b" 3 steady 10000
result "the required programs exist"
[ $tap_failed = 0 ] || done_testing

# on_terminal STEP COMMAND: run COMMAND with a terminal as standard output and error.  Its output is
# written to "tty", and to "seen" with carriage returns replaced by newlines.
on_terminal() {
	STEP_MS=$1 ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
		script -qec "LD_PRELOAD=$dir/fast_time.so $2" /dev/null </dev/null >"$dir/tty" 2>"$dir/log"
	ended=$?
	{ tr '\r' '\n' <"$dir/tty"; echo; } >"$dir/seen"
	return $ended
}

# Print the percentages that were shown, one per line.
percents() {
	sed -n 's/^ *\([0-9][0-9]*\)%.*$/\1/p' "$dir/seen"
}

# Check that at least five percentages are displayed, that they increase, that none is above 100,
# and that spaces erase the last one.
shown() {
	percents | awk '$1 <= last || $1 > 100 { bad = 1 } { last = $1; n++ } BEGIN { last = -1 } END { exit bad || n < 5 }' &&
		awk '/%/ { at = NR } /^    $/ { wiped = NR } END { exit !(wiped > at) }' "$dir/seen"
}

on_terminal 200 "$vcpc dump $a >$dir/out" && shown
result "dump to a file: progress on the terminal"
"$vcpc" dump "$a" | cmp -s - "$dir/out"
result "dump: the file is the same as without a terminal"

on_terminal 200 "$vcpc dump $a" && [ -z "$(percents)" ] && grep -q random "$dir/tty"
result "dump to the terminal: no progress among the values"

on_terminal 200 "$vcpc dump $a >$dir/out 2>$dir/err" && [ ! -s "$dir/err" ] && [ -z "$(percents)" ]
result "dump with errors to a file: no progress"

on_terminal 0 "$vcpc dump $a >$dir/out" && [ -z "$(percents)" ]
result "dump in less than half a second: no progress"

on_terminal 200 "$vcpc replay $a >$dir/out" && shown
result "replay to a file"

on_terminal 200 "$vcpc summary $a >$dir/out" && shown
result "summary to a file"

on_terminal 200 "$vcpc check $b" && shown
result "check: progress, although its output is the terminal"

# A message starts on a new line, not after a percentage.
truncate -s -10 "$b.0"
on_terminal 200 "$vcpc check $b"
[ $? = 1 ] && percents | grep -q . &&
	tr -d '\r' <"$dir/tty" | grep -q '^\( *[0-9]*%\)* *b\.0: [0-9]*: .*ends within a record' &&
	! grep -q '%.*b\.0' "$dir/seen"
result "check: a problem starts on a new line"

mkdir "$dir/many"
for i in 1 2 3; do
	"$dir/make_archive" "$dir/many/m$i" 2 steady 4000
done
on_terminal 200 "$vcpc check $dir/many"
percents | awk '$1 < last { bad = 1 } $1 > 40 && $1 < 60 { middle = 1 } { last = $1 } END { exit bad || !middle }'
result "check of a directory: progress over all archives"
done_testing
