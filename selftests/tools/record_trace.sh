#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If tracing is on, vcpc record writes counts and transactions to one archive.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/values"

# last METRIC[INSTANCE]: print the last value in the archive
last() {
	vcpc replay "$dir/a" -m back -r "$1" 2>>"$dir/err" >"$dir/values"
	awk '$1 ~ /^[0-9][0-9]:/ && $2 != "-" { print $2; exit }' "$dir/values"
}

vcpc trace on 2>"$dir/err"
result "tracing is on"
vcpc record -o "$dir/a" -I 50ms -e page-faults,task-clock orders 150 >"$dir/out" 2>"$dir/err"
result "orders is recorded"
! grep -q missing "$dir/err"
result "nothing is missing"
[ "$(last 'trace.transact.count[batch]')" = 150 ]
result "all 150 batches are in the last record"
[ "$(last 'trace.transact.count[sort]')" = 150 ]
result "all 150 steps are in the last record"
[ "$(last vcpc.count.page_faults)" -gt 20 ]
result "counts are in the same archive"
last trace.point.count >/dev/null
grep -q 'opened' "$dir/values"
result "so are points"
sum=$(vcpc replay "$dir/a" -m back -r 'vcpc.transact.hist' 2>>"$dir/err" | awk '
	$1 ~ /^[0-9][0-9]:/ && !last { last = $1 }
	$1 == last { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) sum += $i }
	END { print sum + 0 }')
[ "$sum" = 600 ]
result "the histograms include all transactions"

# If tracing is turned off and on three times during a recording, no value decreases or is lost.
cat >"$dir/job" <<-JOB
	orders 150 >/dev/null; sleep 0.3
	vcpc trace off; sleep 0.3; vcpc trace on; orders 150 >/dev/null; sleep 0.3
	vcpc trace off; vcpc trace on; orders 150 >/dev/null; sleep 0.3
JOB
vcpc record -o "$dir/c" -I 50ms -e page-faults sh "$dir/job" >"$dir/out" 2>"$dir/err"
result "recording while tracing is turned off and on"
mv "$dir/c.meta" "$dir/a.meta"; mv "$dir/c.index" "$dir/a.index"; mv "$dir/c.0" "$dir/a.0"
[ "$(last 'trace.transact.count[batch]')" = 600 ]
result "the last record includes everything, also earlier events"
vcpc replay "$dir/a" -r 'trace.transact.count[batch]' 2>>"$dir/err" | awk '
	$1 ~ /^[0-9][0-9]:/ && $2 ~ /^[0-9]/ { if ($2 < before) exit 1; before = $2 }'
result "no value ever decreases"
last 'trace.point.count[opened]' >"$dir/out"
[ "$(cat "$dir/out")" = 4 ]
result "points, too"
for metric in 'trace.observe.value[mean bill]' 'trace.counter.value[orders done]' \
	'trace.transact.total_time[sort]' 'vcpc.transact.last_time[sort]' 'vcpc.transact.sum[batch/page-faults]'; do
	last "$metric" | grep -q '^[0-9]' || break
	metric=all
done
[ "$metric" = all ]
result "no metric is missing afterwards"

# The kernel, and a program itself with the direct transport, can count transactions of the same
# tag.
vcpc trace off; vcpc trace on --direct 2>"$dir/err"
cat >"$dir/job" <<-JOB
	SHIM_TRACE=direct orders 150 >/dev/null; sleep 0.2
	orders 150 >/dev/null; sleep 0.2
	SHIM_TRACE=direct orders 150 >/dev/null
JOB
vcpc record -o "$dir/e" -I 50ms -e page-faults sh "$dir/job" >"$dir/out" 2>"$dir/err"
for file in meta index 0; do mv "$dir/e.$file" "$dir/a.$file"; done
[ "$(last 'trace.transact.count[batch]')" = 450 ]
result "programs that write statistics themselves are added to others"

# With only the values that have changed, all values can be interpolated, except between archives.
vcpc record --changes --rotate 64K -o "$dir/f" -I 20ms -e page-faults sh -c 'orders 150; sleep 1; orders 150; sleep 0.2' >"$dir/out" 2>"$dir/err"
archives=$(find "$dir/f" -name '*.0' | wc -l)
[ "$archives" -ge 2 ] && vcpc check "$dir/f" >"$dir/values" 2>&1
result "recording only changes, into several archives"
vcpc replay "$dir/f" -r -t 20ms 'trace.transact.count[batch]' 2>>"$dir/err" >"$dir/values"
awk -v archives="$archives" '
	$1 !~ /^[0-9][0-9]:/ { next }
	{ gaps += $2 == "-" && last ~ /^[0-9]/; last = $2 }
	$2 == "-" { next }
	{ bad += $2 < before; before = $2; flat += $2 == 600 }
	END { exit !(!bad && flat >= 40 && gaps < archives && last == 750) }' "$dir/values"
result "their values can be interpolated, also while they do not change"
vcpc trace off 2>"$dir/err" && vcpc record -o "$dir/b" -I 50ms -e page-faults true 2>>"$dir/err" &&
	! vcpc replay "$dir/b" trace >"$dir/values" 2>&1
result "no transactions while tracing is off"
vcpc record --trace -o "$dir/d" -I 50ms -e task-clock,page-faults orders 150 >/dev/null 2>"$dir/err"
result "vcpc record --trace"
[ "$(vcpc trace status)" = off ]
result "... turns tracing off afterwards"
for file in meta index 0; do mv "$dir/d.$file" "$dir/a.$file"; done
[ "$(last 'vcpc.transact.counted[batch/page-faults]')" = 150 ]
result "... and includes counts in each transaction"
vcpc trace on && vcpc record -o "$dir/f" -I 50ms -e task-clock,page-faults orders 150 >/dev/null 2>"$dir/err" &&
	vcpc trace show | sed -n '/^COUNTED IN/,$p' | awk 'NR > 1 { print $1, $2 }' >"$dir/values"
vcpc trace off
[ "$(wc -l <"$dir/values")" -ge 8 ] && LC_ALL=C sort -c "$dir/values"
result "trace show: counts are sorted"
[ "$(last 'vcpc.transact.sum[batch/task-clock]')" -gt 1000000 ]
result "... also CPU time"
# Transactions of a program that is already running are counted from the start of the recording on.
sh -c 'while :; do orders 150 >/dev/null; done' &
running=$!
vcpc record --trace -o "$dir/g" -I 50ms -e page-faults --for 3s -p $running >"$dir/out" 2>"$dir/err"
result "vcpc record --trace -p"
kill $running
while pidof orders >/dev/null; do sleep 0.1; done
for file in meta index 0; do mv "$dir/g.$file" "$dir/a.$file"; done
[ "$(last 'vcpc.transact.counted[batch/page-faults]')" -gt 100 ]
result "... has counts in transactions"
[ ! -e /run/vcpc/trace-counts ]
result "... and afterwards no event is requested"
# In consecutive archives instances keep their numbers, and counts continue, even if tracing is
# turned off and on while a new archive starts.
vcpc trace off
vcpc trace on
cat >"$dir/job" <<-JOB
	orders 150 >/dev/null; sleep 1
	vcpc trace off; sleep 1.2; vcpc trace on; orders 150 >/dev/null; sleep 1
	orders 150 >/dev/null; sleep 0.3
JOB
vcpc record -o "$dir/rotated" -I 50ms --rotate 1s -e page-faults sh "$dir/job" >"$dir/out" 2>"$dir/err"
for meta in "$dir/rotated"/*.meta; do
	vcpc dump --instances "${meta%.meta}"
done >"$dir/values" 2>>"$dir/err"
[ "$(ls "$dir/rotated"/*.meta | wc -l)" -ge 3 ] && awk '
	$3 == "is" { number = $1 " " $2; $1 = $2 = ""; n++; if (number in name && name[number] != $0) exit 1; name[number] = $0 }
	END { exit n < 100 }' "$dir/values"
result "in consecutive archives, the same instances have the same numbers"
vcpc replay "$dir/rotated" -m back -r 'trace.transact.count[batch]' 2>>"$dir/err" >"$dir/values"
awk '$1 ~ /^[0-9][0-9]:/ && $2 ~ /^[0-9]/ { if (last && $2 > after) exit 1; after = $2; last = last ? last : $2 }
	END { exit last != 450 }' "$dir/values"
result "and counts continue"

# The recorder reports events that are missing from the archive.
! grep -q 'are missing\|were removed' "$dir/err"
result "nothing is reported if nothing is missing"
vcpc trace off
vcpc trace on --max-tags 4
vcpc record -o "$dir/full" -e page-faults sh -c 'for tag in 1 2 3 4 5 6; do pmtrace -q -e true "full $tag"; done' >"$dir/out" 2>"$dir/err"
grep -q ': [1-9][0-9]* trace events are missing from the archive' "$dir/err"
result "events of tags that do not fit"
vcpc trace off
limit=$(cat /sys/module/vcpc/parameters/max_user_tags)
echo 2 >/sys/module/vcpc/parameters/max_user_tags
vcpc trace on
vcpc record -o "$dir/removed" -e page-faults sh -c 'for tag in 1 2 3 4 5 6; do pmtrace -q -e true "removed $tag"; done' >"$dir/out" 2>"$dir/err"
echo "$limit" >/sys/module/vcpc/parameters/max_user_tags
grep -q ': 4 unused tags were removed' "$dir/err"
result "tags that the module removed"
vcpc trace off
done_testing
