#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record with tracing on: counts and transactions are in one archive.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/values"

# last METRIC[INSTANCE]: the value in the archive's last record
last() {
	vcpc replay "$dir/a" -m back -r "$1" 2>>"$dir/err" >"$dir/values"
	awk '$1 ~ /^[0-9][0-9]:/ && $2 != "-" { print $2; exit }' "$dir/values"
}

vcpc trace on 2>"$dir/err"
result "tracing is on"
vcpc record -o "$dir/a" -i 50ms -e page-faults,task-clock orders >"$dir/out" 2>"$dir/err"
result "orders is recorded"
! grep -q missing "$dir/err"
result "nothing is missing"
[ "$(last 'trace.transact.count[batch]')" = 1500 ]
result "all 1500 batches are in the last record"
[ "$(last 'trace.transact.count[sort]')" = 1500 ]
result "all 1500 steps are in the last record"
[ "$(last vcpc.count.page_faults)" -gt 20 ]
result "counts are in the same archive"
last trace.point.count >/dev/null
grep -q 'opened' "$dir/values"
result "so are points"
vcpc trace off 2>"$dir/err" && vcpc record -o "$dir/b" -i 50ms -e page-faults true 2>>"$dir/err" &&
	! vcpc replay "$dir/b" trace >"$dir/values" 2>&1
result "no transactions with tracing off"
done_testing
