#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc top: what programs do now, and what it says where there is nothing to see.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out"

top() {
	vcpc top --once "$@" >"$dir/out" 2>"$dir/err"
}

vcpc trace on
top -i 100ms
[ $? = 0 ] && grep -q '0 of 0 tags' "$dir/out"
result "no transactions yet"
vcpc stat -e page-faults sh -c 'while [ ! -e /tmp/top.end ]; do orders; done' >/dev/null 2>&1 &
sleep 1
COLUMNS=120 top -i 1s
[ $? = 0 ] && awk '$1 == "batch" && $2 > 1 && $3 ~ /[mun]?s$/ && $4 ~ /s$/ { found = 1 } END { exit !found }' "$dir/out"
result "rates and times of what runs"
top -i 200ms -f 'BAT' && [ "$(tail -n +3 "$dir/out" | cut -d ' ' -f 1)" = batch ]
result "a filter"
top -i 500ms -s name -r && [ "$(tail -n +3 "$dir/out" | cut -c 1-4 | tr '\n' ' ')" = "take sort bill batc " ]
result "sorted"
touch /tmp/top.end
wait
rm -f /tmp/top.end
top -i 100ms && awk '$1 == "batch" && $2 == 0 && $3 == "-" { found = 1 } END { exit !found }' "$dir/out"
result "what has ended is at rest"
vcpc trace off
top
[ $? = 1 ] && grep -q 'tracing is off' "$dir/err"
result "tracing is off"
done_testing
