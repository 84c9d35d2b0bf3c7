#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the cost of 'vcpc why' with off-CPU tools of libbpf-tools and bpftrace; run as root, with
# tracing off.
#
# In a VM that counts instructions (selftests/vm/run --icount), one nanosecond is one instruction.
# WHY_COST and CALLS in the environment are the paths of the compiled bench/why_cost.c and
# bench/bpftrace/calls.c.
set -eu
: "${WHY_COST:?}" "${CALLS:?}"
tool=
stop() {
	[ -z "$tool" ] || kill -INT "$tool" 2>/dev/null || :
	[ -z "$tool" ] || wait "$tool" 2>/dev/null || :
	tool=
}
trap stop EXIT

loaded() { bpftool prog list | grep -c '^[0-9]' || :; }

# beside NAME FUNCTION COMMAND...: start the command, and run the function once the command's
# programs are loaded
beside() {
	name=$1 measure=$2
	shift 2
	command -v "$1" >/dev/null || { echo "bench: $1 is not installed"; return 0; }
	before=$(loaded)
	"$@" >/dev/null 2>&1 &
	tool=$!
	tries=0
	until [ "$(loaded)" -gt "$before" ] || [ $tries -ge 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	[ $tries -lt 300 ] || { echo "bench: $1 does not load any programs"; stop; return 0; }
	sleep 2
	if [ "$measure" = calls ]; then
		printf '%-32s call %7.0f\n' "$name" "$("$CALLS")"
	else
		"$WHY_COST" "$name"
	fi
	stop
	sleep 1
}

"$WHY_COST"
beside "offcputime" row offcputime 100
beside "runqlat" row runqlat 100 1
beside "bpftrace, off-CPU sums" row bpftrace -e 'tracepoint:sched:sched_switch { @out[args->prev_pid] = nsecs;
	if (@out[args->next_pid]) { @sum[args->next_pid] = sum(nsecs - @out[args->next_pid]); delete(@out[args->next_pid]); } }'
beside "bpftrace, off-CPU stacks" row bpftrace -e 'tracepoint:sched:sched_switch { @out[args->prev_pid] = nsecs;
	@at[args->prev_pid] = kstack; if (@out[args->next_pid]) { @sum[@at[args->next_pid]] = sum(nsecs - @out[args->next_pid]);
	delete(@out[args->next_pid]); } }'
printf '%-32s call %7.0f\n' "nothing" "$("$CALLS")"
beside "funclatency" calls funclatency "$CALLS:bench_call"
