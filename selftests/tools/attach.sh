#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc stat and record can count running targets: processes with their threads and children,
# threads, and CPUs.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
busy='' idle=''
# shellcheck disable=SC2086
trap 'kill $busy $idle 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out"

run() {
	vcpc "$@" >"$dir/out" 2>"$dir/err"
}

count() {
	awk -v event="$1" '$2 == event { gsub(",", "", $1); print $1 }
		$2 == "msec" && $3 == event { gsub(",", "", $1); printf "%.0f\n", $1 * 1e6 }' "$dir/err"
}

# One target is always busy, and sometimes starts a child; the other target is idle.
sh -c 'while :; do i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done; sh -c :; done' &
busy=$!
sleep 1000 &
idle=$!

run stat -p $busy --for 1s -e task-clock,page-faults
[ $? = 0 ] && grep -q "^Counts of process $busy (sh)" "$dir/err" && [ "$(count task-clock)" -gt 100000000 ] &&
	awk -v counted="$(count task-clock)" '/seconds elapsed/ { exit !($1 >= 1 && counted < $1 * 1.1e9) }' "$dir/err"
result "a process, for one second"
[ "$(count page-faults)" -gt 100 ]
result "... with the processes that it starts"
run stat -p $idle --for 300ms -e task-clock
[ $? = 0 ] && [ "$(count task-clock)" -lt 10000000 ]
result "an idle process"
run stat -p $busy,$idle --for 300ms -e task-clock
[ $? = 0 ] && grep -q "^Counts of processes $busy (sh), $idle (sleep)" "$dir/err"
result "two processes"
run stat -t $busy --for 500ms -e task-clock,page-faults
[ $? = 0 ] && grep -q "^Counts of thread $busy" "$dir/err" && [ "$(count page-faults)" -lt 1000 ]
result "a thread alone"
run stat -p $busy -e task-clock sh -c 'sleep 0.3; exit 6'
[ $? = 6 ] && [ "$(count task-clock)" -gt 10000000 ]
result "while a command runs, with its exit status"
vcpc stat -p $busy -e task-clock 2>"$dir/err" >"$dir/out" &
stat=$!
tries=0
until [ $((tries += 1)) -gt 60 ] || grep -q 'stop with Ctrl-C' "$dir/err"; do
	sleep 0.2
done
sleep 0.3
kill -TERM $stat
wait $stat
[ $? = 0 ] && [ -n "$(count task-clock)" ]
result "until it is interrupted"
sh -c 'sleep 0.7' &
short=$!
run stat -p $short -e task-clock
[ $? = 0 ] && grep -q "process $short has ended" "$dir/err" && [ -n "$(count task-clock)" ]
result "until the process exits, which is reported"
cpus=$(grep -c '^processor' /proc/cpuinfo)
run stat -A -a -x, --for 500ms -e context-switches,task-clock
[ $? = 0 ] && [ "$(wc -l <"$dir/err")" = $((2 * cpus)) ] && [ "$(cut -d, -f1 "$dir/err" | sort -u | grep -c '^CPU[0-9]*$')" = "$cpus" ] &&
	awk -F, '$3 == "msec" && ($2 < 450 || $7 < 0.8 || $7 > 1.1) { exit 1 }' "$dir/err"
result "-A: each CPU has its own lines, and was counted the whole time"
run stat -a --per-core -I 200 --for 500ms -e context-switches,task-clock
[ $? = 0 ] && grep -Eq '^ *[0-9.]+ S[0-9]+-D[0-9]+-C[0-9]+ +[0-9]+ +[0-9.,]+ msec task-clock' "$dir/err" &&
	[ "$(awk '/^S.*context-switches/ { n += $2 } END { print n }' "$dir/err")" = "$cpus" ]
result "--per-core: each CPU belongs to a core"
run stat -C 0 --per-core -x, --for 300ms -e task-clock
[ $? = 0 ] && grep -Eq '^S[0-9]+-D[0-9]+-C[0-9]+,1,[0-9.]+,msec,task-clock,[0-9]+,100.00,' "$dir/err"
result "... of which one CPU is counted"
run stat -a --for 500ms -e context-switches,task-clock
[ $? = 0 ] && grep -q '^Counts of CPU' "$dir/err" && [ "$(count context-switches)" -gt 0 ]
result "all CPUs"
run stat -C 0 --for 300ms -e context-switches
[ $? = 0 ] && grep -q '^Counts of CPU 0' "$dir/err"
result "one CPU"
run stat -C 4095 --for 300ms -e context-switches
[ $? = 1 ] && grep -q 'CPU 4095 does not exist' "$dir/err"
result "a nonexistent CPU"
if echo 0 >/sys/devices/system/cpu/cpu1/online; then
	run stat -C 1 --for 300ms -e context-switches
	[ $? = 1 ] && grep -q 'CPU 1 is offline; as root: echo 1 >/sys/devices/system/cpu/cpu1/online' "$dir/err"
	result "an offline CPU"
	vcpc doctor | grep -q '^CPUs .*offline: 1'
	result "... and vcpc doctor reports it"
	echo 1 >/sys/devices/system/cpu/cpu1/online
else
	skip "an offline CPU" "there is only one CPU"
fi
run stat -p 4194303 --for 300ms
[ $? = 1 ] && grep -q 'process 4194303 does not exist' "$dir/err"
result "a nonexistent process"
su nobody -s /bin/sh -c "vcpc stat -p $busy --for 1s -e task-clock:u" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -Eq "cannot count process $busy, which may belong to another user" "$dir/err"
result "another user's process"
su nobody -s /bin/sh -c "vcpc stat -a --for 1s -e task-clock:u" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -Eq "may count on whole CPUs|requires root or CAP_PERFMON" "$dir/err"
result "counting CPUs requires permission"
for wrong in '-p x' '-p 0' '-C 3-1' '-a -p 1' '-p 1 --for 0' '--for 1s true' '-p 1 -r 2' '-a --per-thread' '-A true' '-A -a --per-core' '--per-core -a -j'; do
	# shellcheck disable=SC2086
	run stat $wrong
	[ $? = 2 ]
	result "invalid usage: $wrong"
done

run record -p $busy,$idle -o "$dir/a" -I 50ms --for 1s -e task-clock,page-faults
[ $? = 0 ] && vcpc replay "$dir/a" -c -m forw vcpc.count.task_clock >"$dir/out" &&
	head -n 1 "$dir/out" | grep -q "\[0*$busy sh\].*\[0*$idle sleep\]"
result "record: two processes, each with its own counts"
vcpc summary "$dir/a" vcpc.count.task_clock >"$dir/out"
[ "$(awk -v pid="0*$busy sh" '$0 ~ pid { print ($(NF - 3) > 1e7) }' "$dir/out")" = 1 ]
result "... with values"
run record -a -o "$dir/c" -I 50ms --for 500ms -e context-switches
[ $? = 0 ] && vcpc dump --instances "$dir/c" >"$dir/out" && grep -q ': 0 is cpu0$' "$dir/out"
result "record: all CPUs, by name"
run record -t $busy -o "$dir/t" -I 50ms -e task-clock sleep 0.3
[ $? = 0 ] && vcpc replay "$dir/t" -c vcpc.count.task_clock | grep -q "$busy"
result "record: a thread, while a command runs"
done_testing
