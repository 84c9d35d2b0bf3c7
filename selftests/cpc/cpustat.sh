#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Test cpustat: its exact output, options, and exit statuses.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
out=$dir/out err=$dir/err
evidence="$out $err"
two=sw::page-faults,sw::context-switches,sys
value=' *[0-9]+ '
cpus=$(grep -c ^processor /proc/cpuinfo)

# refuses STATUS ARGUMENT...: check that it rejects the arguments, or fails, with this status
refuses() {
	status=$1
	shift
	run "$@"
	[ $? = "$status" ]
}
run() { cpustat "$@" >"$out" 2>"$err"; }

# If a slow machine misses an interval, fewer lines are printed, but always the last two.
run -c $two 0.5 2
result "exit status 0"
[ "$(head -n 1 "$out")" = '   time cpu event      pic0      pic1 ' ]
result "the header"
[ "$(grep -Ecx " +[0-9]\.[0-9]{3}   [0-9]  tick $value$value" "$out")" = $((2 * cpus)) ]
result "one line per CPU and interval"
[ "$(tail -n 1 "$out" | cut -c 1-18)" != '' ] && tail -n 1 "$out" | grep -Eqx " +[0-9]\.[0-9]{3}   $cpus total $value$value"
result "the total line has the number of threads, and the sums"
awk '$3 == "tick" { a += $4; b += $5 } $3 == "total" { exit !($4 == a && $5 == b && b > 0) }' "$out"
result "the sums are those of the ticks"

run -n -t -c $two 0.2 1
[ "$(grep -c time "$out")" = 0 ] && [ "$(grep -Ecx " +[0-9.]+ +[0-9] +(tick|total) $value$value$value" "$out")" = $((cpus + 1)) ]
result "-n and -t"

run -T u -c $two 0.2 1
[ "$(grep -Ecx '[0-9]{10}' "$out")" = $((cpus + 1)) ]
result "-T u prints seconds before each line"
run -T d -c $two 0.2 1
[ "$(grep -Ec '^[A-Z][a-z]{2} [A-Z][a-z]{2} ' "$out")" = $((cpus + 1)) ]
result "-T d prints a date before each line"

run -c sw::page-faults -c sw::context-switches 1 4
[ "$(grep -c 'tick.*# sw::page-faults$' "$out")" = $((2 * cpus)) ] &&
	[ "$(grep -c 'tick.*# sw::context-switches$' "$out")" = $((2 * cpus)) ] && [ "$(grep -c "total .* # " "$out")" = 2 ]
result "two sets are multiplexed"
run -p 3 -c sw::page-faults -c sw::context-switches 1 2
awk '$3 == "tick" && $2 == 0 { n++; if (n == 3) exit !($1 >= 4) } END { if (n < 3) exit 1 }' "$out"
result "-p pauses between cycles"

run -p 0.1 -c sw::page-faults -c sw::context-switches 1 2 && [ "$(grep -c tick "$out")" = $((4 * cpus)) ] &&
	tail -n 1 "$out" | awk '{ exit !($1 >= 4) }'
result "-p without a pause, because the period is too short"

# idle_threads WANTED OPTION...: check that cpustat soon has WANTED threads with the lowest priority
idle_threads() {
	wanted=$1 idle=-1 tries=0
	shift
	: >"$out"
	cpustat "$@" 60 1 >"$out" 2>"$err" &
	running=$!
	# Wait for the header, because all threads exist when it is printed.
	until [ -s "$out" ] || ! kill -0 $running; do
		sleep 0.1
	done
	# Wait for the threads.  In a VM with -icount, time passes only while threads run.
	until [ "$idle" = "$wanted" ] || [ "$tries" = 500 ]; do
		tries=$((tries + 1))
		sleep 0.1
		idle=$(cat /proc/$running/task/*/stat | awk '$41 == 5 { n++ } END { print n + 0 }')
	done
	kill $running
	wait $running
	[ "$idle" = "$wanted" ]
}
idle_threads "$cpus" -s -c sw::page-faults,nouser,sys && idle_threads 0 -s -c sw::page-faults &&
	idle_threads 0 -c sw::page-faults,nouser,sys
result "-s: each CPU is kept busy while only system mode is counted"

run -D -c no-such-event 1 1
grep -Eq '^cpustat: [a-z_]+: ' "$err"
result "-D prints the name of the function"
refuses 2 -c $two 0 && refuses 2 -c $two 1 0 && refuses 2 1 1 && refuses 2 -c no-such-event 1 1 &&
	refuses 2 -c $two -T x 1 1
result "invalid usage exits with status 2"
run -h && grep -Eq '^	event\[0-[0-9]+\]: ' "$out" && grep -q 'sw::page-faults' "$out"
result "-h lists the events that can be counted"

if cpustat -c cycles 0.1 1 >/dev/null 2>&1; then
	cpustat -c cycles 1 1 >"$out" 2>"$err" &
	measuring=$!
	sleep 0.5
	cputrack -c cycles -T 0 "$(dirname "$0")/pctx" exit 0 >"$dir/second" 2>&1
	result "threads can be tracked at the same time"
	cpustat -c cycles 0.1 1 >"$dir/second" 2>&1
	result "another process can count the same CPUs"
	wait $measuring
	result "this does not affect the first process"
else
	skip "threads can be tracked at the same time" "no PMU counts cycles"
	skip "another process can count the same CPUs" "no PMU counts cycles"
fi
done_testing
