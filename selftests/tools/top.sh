#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc top shows the current activity of programs, or a message if there is none.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out"

top() {
	vcpc top --once "$@" >"$dir/out" 2>"$dir/err"
}

vcpc trace on
top -I 100ms
[ $? = 0 ] && grep -q '0 of 0 tags' "$dir/out"
result "no transactions yet"
vcpc stat -e page-faults sh -c 'while [ ! -e /tmp/top.end ]; do orders; sleep 0.05; done' >/dev/null 2>&1 &
sleep 1
COLUMNS=120 top -I 1s
[ $? = 0 ] && awk '$1 == "batch" && $2 > 1 && / [0-9.]+ [mun]?s +[0-9.]+ [mun]?s / { found = 1 } END { exit !found }' "$dir/out"
result "rates and times of running programs"
top -I 200ms -f 'BAT' && [ "$(tail -n +3 "$dir/out" | cut -d ' ' -f 1)" = batch ]
result "a filter"
top -I 500ms -s name --reverse && [ "$(tail -n +3 "$dir/out" | cut -c 1-4 | tr '\n' ' ')" = "take sort bill batc " ]
result "sorted"
touch /tmp/top.end
wait
rm -f /tmp/top.end
top -I 100ms && awk '$1 == "batch" && $2 == 0 && $3 == "-" { found = 1 } END { exit !found }' "$dir/out"
result "exited programs are idle"
top -b process
[ $? = 1 ] && grep -q 'vcpc trace on --processes' "$dir/err"
result "processes, if tracing does not distinguish them"
vcpc trace off
top
[ $? = 1 ] && grep -q 'tracing is off' "$dir/err"
result "tracing is off"

vcpc trace on --processes
for _ in 1 2 3; do
	(while [ ! -e /tmp/top.end ]; do orders; sleep 0.05; done) >/dev/null 2>&1 &
done
sleep 1
COLUMNS=120 top -I 1s --by process
[ $? = 0 ] && [ "$(grep -c '^orders\[[0-9]*\] ' "$dir/out")" -ge 3 ] && grep -q ' processes, by rate' "$dir/out" &&
	grep -q '^PROCESS ' "$dir/out"
result "a row for each process"
COLUMNS=120 top -I 1s --by both -f batch
[ $? = 0 ] && [ "$(grep -c '^orders\[[0-9]*\] batch ' "$dir/out")" -ge 3 ] && ! grep -q 'orders.*bill' "$dir/out"
result "and for each of its tags"
touch /tmp/top.end
wait
rm -f /tmp/top.end
vcpc trace off
done_testing
