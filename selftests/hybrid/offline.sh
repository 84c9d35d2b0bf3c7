#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If a CPU goes offline and comes back online while vcpc stat -a counts, the CPU's counts are kept.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence="$dir/err"

module=/sys/module/synthetic_pmu/parameters
online=/sys/devices/system/cpu/cpu1/online
if [ ! -e /sys/bus/event_source/devices/cpu_atom/cpus ] || [ ! -w $module/work ]; then
	skip "a CPU goes offline" "needs VM_PMU=hybrid"
	done_testing
fi
echo 1 >$module/manual
trap 'echo 0 >$module/manual; echo 1 >$online; rm -rf "$dir"' EXIT

cat >"$dir/job" <<-JOB
	taskset 1 sh -c 'echo 1000 >$module/work'
	taskset 2 sh -c 'echo 600 >$module/work'
JOB
cat >"$dir/leaves" <<-JOB
	sh $dir/job
	echo 0 >$online
	taskset 1 sh -c 'echo 1000 >$module/work'
JOB
cat >"$dir/returns" <<-JOB
	sh $dir/leaves
	sleep 0.5
	echo 1 >$online
	sleep 0.5
	sh $dir/job
JOB

# count EVENT: print its last value
count() {
	awk -v event="$1" '$2 == event { gsub(",", "", $1); value = $1 } END { print value }' "$dir/err"
}

vcpc stat -a -e instructions,cycles sh "$dir/leaves" >"$dir/out" 2>"$dir/err"
[ $? = 0 ] && [ "$(count instructions)" = 12600 ] && [ "$(count cpu_atom/instructions/)" = 600 ] &&
	[ "$(count cycles)" = 9200 ]
result "a CPU goes offline"
vcpc stat -C 0 -e instructions sh "$dir/job" >"$dir/out" 2>"$dir/err"
[ "$(count instructions)" = 6000 ]
result "while it is offline"
echo 1 >$online
vcpc stat -a -I 100ms -e instructions sh "$dir/returns" >"$dir/out" 2>"$dir/err"
[ $? = 0 ] && [ "$(count instructions)" = 19200 ] && [ "$(count cpu_atom/instructions/)" = 1200 ]
result "the CPU comes back online"
echo 1 >$online
vcpc stat -a --multiplex -e cache-misses,r412e sh "$dir/leaves" >"$dir/out" 2>"$dir/err"
[ $? = 0 ] && grep -q 'cpu_atom/cache-misses/  *estimated' "$dir/err"
result "events are multiplexed"
done_testing
