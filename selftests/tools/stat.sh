#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc stat prints correct counts, returns the right exit status, and rejects nonexistent events.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/err

# count EVENT: print the value of EVENT, in ms if it is a clock
count() {
	awk -v event="$1" '($2 == "msec" ? $3 : $2) == event && $1 != "thread" { gsub(",", "", $1); print $1 }' "$dir/err"
}

run() {
	vcpc stat "$@" >"$dir/out" 2>"$dir/err"
}

run -- sh -c 'exit 7'
[ $? = 7 ]
result "the exit status is the command's"
# shellcheck disable=SC2016
run -- sh -c 'kill -9 $$'
[ $? = 137 ]
result "for a signal, the exit status is 128 plus its number"
run -e page-faults sh -c 'echo said'
[ $? = 0 ] && [ "$(cat "$dir/out")" = said ]
result "the command's output is not changed"
[ "$(count page-faults)" -gt 20 ] && [ "$(grep -c ' page-faults' "$dir/err")" = 1 ]
result "page faults are counted, on one line"
one=$(count page-faults)
run -e page-faults sh -c 'sh -c : ; sh -c : ; sh -c : ; sh -c :'
[ "$(count page-faults)" -gt $((2 * one)) ]
result "everything that the command starts is also counted"
run true
[ $? = 0 ] && [ -n "$(count task-clock)" ] && [ -n "$(count page-faults)" ]
result "the default events"
run -e page-faults -e minor-faults,context-switches true
[ -n "$(count page-faults)" ] && [ -n "$(count minor-faults)" ] && [ -n "$(count context-switches)" ]
result "-e several times, and lists"
run -e page-faults:u,page-faults:k true
[ "$(count page-faults:u)" -gt 0 ]
result "modes"
run -e pagefalts true
[ $? = 1 ] && grep -q "did you mean 'page-faults'" "$dir/err"
result "a mistyped event"
run -e LLC-no-such-thing-at-all true
[ $? = 1 ]
result "an unknown event"
run -e page-faults,branch-misses true
[ $? = 0 ] && [ -n "$(count page-faults)" ] && grep -q '^ *<not supported>  *branch-misses$' "$dir/err"
result "an event that these VMs lack has a line that reports it"
run -e branch-misses true
[ $? = 0 ] && grep -q '^ *<not supported>  *branch-misses$' "$dir/err" && ! grep -q dummy "$dir/err"
result "... even if it is the only event"
run -e branch-misses --rates -I 100 true
[ $? = 1 ] && grep -q "none of these events can be counted here" "$dir/err"
result "... but a table of rates would be empty"
run -e page-faults:x true
[ $? = 1 ] && grep -q "bad mode" "$dir/err"
result "a bad mode"
run no-such-command-anywhere
[ $? = 127 ] && grep -q "cannot run 'no-such-command-anywhere'" "$dir/err"
result "an unknown command"
run
[ $? = 2 ]
result "no command"
run --no-such-option true
[ $? = 2 ]
result "an unknown option"
vcpc stat -e page-faults sh -c ": >$dir/runs; exec sleep 30" 2>"$dir/err" &
tries=0
until [ $((tries += 1)) -gt 60 ] || [ -e "$dir/runs" ]; do
	sleep 1
done
kill -TERM $!
wait $!
[ $? = 143 ] && [ -n "$(count page-faults)" ]
result "SIGTERM ends the command, and the counts are printed"
# threads: print the rows of the last table of threads, as "TID COUNT..."
threads() {
	awk '$1 == "thread" { table = ""; inside = 1; next } !NF { inside = 0 } inside { table = table $0 "\n" } END { printf "%s", table }' "$dir/err"
}

run --per-thread -e page-faults,task-clock sh -c 'sh -c : & sh -c : & wait'
[ $? = 0 ] && [ "$(threads | wc -l)" = 3 ] && ! threads | grep -q others &&
	[ "$(threads | awk '{ n += $2 } END { print n }')" = "$(count page-faults)" ] &&
	[ "$(threads | awk '{ n += $3 } END { printf "%.2f", n / 1e6 }')" = "$(count task-clock)" ]
result "threads' counts add up to the sums"
run --per-thread -e page-faults true
[ "$(threads | wc -l)" = 1 ] && [ "$(threads | awk '{ print $2 }')" = "$(count page-faults)" ]
result "a single thread's counts are the sums"
# shellcheck disable=SC2016
run --per-thread -e page-faults sh -c 'i=0; while [ $i -lt 320 ]; do (:); i=$((i + 1)); done'
[ $? = 0 ] && threads | tail -n 1 | grep -q '^ *others ' &&
	[ "$(threads | awk '{ n += $2 } END { print n }')" = "$(count page-faults)" ]
result "threads that exited earlier are summarized as others"
SHIM_BACKEND=perf run --per-thread -e page-faults touch "$dir/touched"
[ $? = 1 ] && grep -q "the vcpc module reports each" "$dir/err" && [ ! -e "$dir/touched" ]
result "if perf has only the threads' total, the command is not started"
run -I 50 -e page-faults sleep 1
[ $? = 0 ] && [ "$(grep -c '^ *[0-9]*\.[0-9]\{9\} .* page-faults' "$dir/err")" -ge 2 ] &&
	[ "$(awk '/^ *[0-9]+\.[0-9]+ / && $3 == "page-faults" { n += $2 } END { print n }' "$dir/err")" = "$(count page-faults)" ]
result "-I: counts of intervals of 50 ms add up to those of the run"
run -I 50 -x';' -e page-faults sleep 0.3
[ $? = 0 ] && grep -q '^ *[0-9.]*;[0-9]*;;page-faults;[0-9]*;100.00;' "$dir/err" && ! grep -vq ';' "$dir/err"
result "-I and -x"
run -e task-clock,page-faults sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
grep -q '^ *[0-9,]*\.[0-9][0-9] msec task-clock  *# [0-9]*\.[0-9]\{3\} CPUs utilized$' "$dir/err" &&
	grep -q '^ *[0-9,]*  *page-faults  *# [0-9.,]* per second of CPU time$' "$dir/err"
result "digits are grouped, and ratios are printed next to them"
if run -e cycles,instructions,task-clock true && ! grep -q 'not supported' "$dir/err"; then
	grep -q '^ *[0-9,]*  *instructions  *# [0-9]*\.[0-9][0-9] insn per cycle$' "$dir/err" &&
		grep -q '^ *[0-9,]*  *cycles  *# [0-9]*\.[0-9]\{3\} GHz$' "$dir/err"
	result "ratios of hardware events"
else
	skip "ratios of hardware events" "no PMU counts"
fi
run -r 5 -e page-faults,task-clock sh -c ': ; exit 4'
[ $? = 4 ] && grep -q "^Counts of 'sh', means of 5 runs, +- half the 95 % interval" "$dir/err" &&
	grep -q '^ *[0-9,.]*  *+- [0-9.e-]* % *page-faults' "$dir/err"
result "-r: means and their intervals"
run -r 3 -j -e page-faults,task-clock -o "$dir/json" sh -c 'echo out'
[ $? = 0 ] && [ ! -s "$dir/err" ] && [ "$(grep -c out "$dir/out")" = 3 ] &&
	grep -q '"event":"page-faults","unit":"","quality":"exact","values":\[[0-9]*,[0-9]*,[0-9]*\],"mean":[0-9.]*,"half_width":[0-9.]*}' "$dir/json"
result "-j and -o: JSON in a file, the command's output is not changed"
run -x, -e page-faults,task-clock -o "$dir/csv" true
[ $? = 0 ] && [ "$(wc -l <"$dir/csv")" = 2 ] && grep -q '^[0-9.]*,msec,task-clock,[0-9]*,100.00,[0-9.]*,CPUs utilized$' "$dir/csv" &&
	grep -q '^[0-9]*,,page-faults,[0-9]*,100.00,[0-9.]*,per second of CPU time$' "$dir/csv"
result "-x: the fields of perf stat"
run -o /dev/full -e page-faults true
[ $? = 1 ] && grep -q 'cannot write' "$dir/err"
result "-o: a full disk"
run -r 0 true
[ $? = 2 ]
result "-r 0"
run -r 2 --per-thread true
[ $? = 2 ] && grep -q 'cannot be combined with --per-thread' "$dir/err"
result "options that cannot be combined"
run --rates -I 100ms -e task-clock,page-faults sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done'
[ $? = 0 ] && grep -q '^ *seconds  *task-clock  *page-faults$' "$dir/err" && grep -q '^  *CPUs  */s$' "$dir/err" &&
	[ "$(awk 'NF == 3 && $1 ~ /^[0-9.]+$/ && $2 > 0.2 && $2 < 1.2 { n++ } END { print n + 0 }' "$dir/err")" -ge 1 ] && [ -n "$(count task-clock)" ]
result "--rates: one line per interval"
run --multiplex -e page-faults,task-clock true
[ $? = 0 ] && grep -q '^All events were counted at the same time' "$dir/err" && [ "$(count page-faults)" -gt 20 ]
result "--multiplex: events that always fit are exact"
# Request more events than any PMU can count at the same time.  The estimated number of instructions
# is compared with an exact count of the same loop.
hardware=instructions:u,instructions:k,cycles:u,cycles:k,r8:u,r8:k,r11:u,r11:k,instructions,r8,cycles,r11,r0:u,r0:k
if vcpc stat -e instructions:u,r8:u,r11:u,r0:u true 2>/dev/null; then
	loop='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
	run -e instructions:u sh -c "$loop"
	truth=$(count instructions:u)
	run -e "page-faults,$hardware" true
	[ $? = 1 ] && grep -q 'vcpc stat --multiplex' "$dir/err"
	result "too many events: a command is suggested"
	run --multiplex -e "page-faults,$hardware" sh -c "$loop"
	[ $? = 0 ] && grep -q '^Estimated events were multiplexed in [2-9] groups' "$dir/err" &&
		grep -q '^ *[0-9,]*  *+- [0-9.e+-]* % *instructions:u *estimated, counted [0-9.]* % of the time$' "$dir/err" &&
		grep -q '^ *[0-9,]*  *page-faults *exact$' "$dir/err"
	result "--multiplex: estimates are marked, with error and share"
	sed 's/^/# /' "$dir/err"
	awk -v truth="$truth" '/instructions:u/ { gsub(",", "", $1); off = $1 / truth - 1; if (off < 0) off = -off; exit !(off < 0.05 + $3 / 100) }' "$dir/err"
	result "the estimate is close to an exact count of the same work"
	run --multiplex -j -o "$dir/json" -e "page-faults,$hardware" sh -c "$loop"
	[ $? = 0 ] && grep -q '"groups":[2-9]' "$dir/json" &&
		grep -q '"event":"instructions:u","unit":"","quality":"estimated","counted_share":0\.[0-9]*,"values":\[[0-9.e+]*\],"mean":[0-9.e+]*,"half_width":[0-9.e+]*}' "$dir/json" &&
		grep -q '"event":"page-faults","unit":"","quality":"exact","counted_share":1,' "$dir/json"
	result "--multiplex: JSON"
	run --multiplex -x, -o "$dir/csv" -r 2 -e "page-faults,$hardware" sh -c "$loop"
	[ $? = 0 ] && grep -q '^[0-9]*,,instructions:u,[0-9.]*%,[0-9]*,[0-9.]*,' "$dir/csv" && grep -q '^[0-9]*,,page-faults,[0-9.]*%,[0-9]*,100.00,' "$dir/csv"
	result "--multiplex: -x, and two runs"
	# perf rotates its events at a timer tick, which can happen even during a short command, so
	# try several times.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		run --multiplex -e "$hardware" true
		status=$?
		! grep -q '^ *? .*not counted$' "$dir/err" || break
	done
	[ $status = 0 ] && grep -q '^ *? .*not counted$' "$dir/err" && ! grep -q ':[uk] *exact$' "$dir/err" &&
		! grep -qiw nan "$dir/err"
	result "too short: some events were never counted, and have no number"
	sed 's/^/# /' "$dir/err"
	vcpc stat --multiplex -a --for 500ms -e "page-faults,$hardware" 2>"$dir/err"
	[ $? = 0 ] && grep -q 'instructions:u *estimated' "$dir/err"
	result "--multiplex: CPUs"
else
	for what in "what to type" estimates near JSON CSV short CPUs; do skip "--multiplex: $what" "no PMU counts"; done
fi
# Tracepoints are found at both mount points of tracefs.
mkdir -p /sys/kernel/tracing
[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
if [ -e /sys/kernel/tracing/events/sched/sched_switch ]; then
	run -e sched:sched_switch,context-switches,page-faults sh -c 'sleep 0.05; sleep 0.05'
	[ $? = 0 ] && [ "$(count sched:sched_switch)" -ge 2 ] && [ "$(count sched:sched_switch)" = "$(count context-switches)" ]
	result "a tracepoint has the same count as the software event"
	run -e sched:no_such_switch true
	[ $? = 1 ] && grep -q "unknown tracepoint 'sched:no_such_switch'; the available ones are in /sys/kernel/tracing/events" "$dir/err"
	result "an unknown tracepoint"
	umount /sys/kernel/tracing
	run -e sched:sched_switch true
	[ $? = 1 ] && grep -q "tracefs is not mounted; as root: mount -t tracefs" "$dir/err" ||
		[ -e /sys/kernel/debug/tracing/events ]
	result "tracefs that is not mounted"
	if mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null || [ -e /sys/kernel/debug/tracing ]; then
		run -e sched:sched_switch sleep 0.05
		[ $? = 0 ] && [ "$(count sched:sched_switch)" -ge 1 ]
		result "tracefs in debugfs"
	else
		skip "tracepoints: in debugfs" "no debugfs"
	fi
	mount -t tracefs tracefs /sys/kernel/tracing
else
	for what in count unknown unmounted debugfs; do skip "tracepoints: $what" "this kernel has no sched:sched_switch"; done
fi
run -I often -e page-faults true
[ $? = 2 ]
result "an invalid interval"
vcpc events >"$dir/err" 2>&1 && grep -q '^page-faults ' "$dir/err" && ! grep -q 'modprobe' "$dir/err"
result "vcpc events"
# Count while a busy process is first outside the control group, and then inside it.
mkdir "$dir/groups"
# The kernel can count new groups only after a parent's controllers have been changed once.
if mount -t cgroup2 none "$dir/groups" 2>"$dir/err" && echo +pids >"$dir/groups/cgroup.subtree_control" && mkdir "$dir/groups/inside"; then
	(while :; do :; done) &
	busy=$!
	in_group() {
		vcpc stat -a -G inside -x, -e task-clock --for 300ms 2>"$dir/err"
	}
	in_group && awk -F, '$3 == "task-clock" { exit !($1 == 0) }' "$dir/err"
	result "-G: an empty control group"
	echo $busy >"$dir/groups/inside/cgroup.procs" && in_group && awk -F, '$3 == "task-clock" { exit !($1 > 20) }' "$dir/err"
	result "-G: a control group with a process"
	kill $busy
	wait
	! vcpc stat -a -G outside -e task-clock --for 100ms 2>"$dir/err" && grep -q "control group 'outside' does not exist" "$dir/err" &&
		! vcpc stat -a -G / -e task-clock -p $$ 2>"$dir/err" && ! vcpc stat -G inside true 2>"$dir/err" && grep -q 'requires -a or -C' "$dir/err"
	result "-G: other targets"
	rmdir "$dir/groups/inside"
	echo -pids >"$dir/groups/cgroup.subtree_control"
	umount "$dir/groups"
fi
done_testing
