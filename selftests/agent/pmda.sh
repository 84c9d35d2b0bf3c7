#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Test pmdavcpc under PCP's collector in a separate VM, with the module and, after unloading it, without:
# traced metrics, counts and usage per user, turning tracing on with pmStore, loading the module while
# the agent runs, an agent that dies, and an agent that runs as an ordinary user with two capabilities.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/agent/machine.sh
. "$here/machine.sh"
build=/tests
# shellcheck source=selftests/pcp/with_agent.sh
. "$here/../pcp/with_agent.sh"
trap 'vcpc trace off >/dev/null 2>&1; stop; rm -rf "$dir"' EXIT
evidence="$dir/errors $dir/log/pmcd/pmcd.log $dir/log/pmcd/vcpc.log"
export VCPC_CONFIG="$dir/vcpc.conf"
user=4711

says() {
	pminfo -h 127.0.0.1 -f "$1" >"$dir/asked" 2>&1
	cat "$dir/asked" >&2
	grep -qF "$2" "$dir/asked"
}

count() {
	pminfo -h 127.0.0.1 -f vcpc.count.cpu_clock 2>&1 | tee -a "$dir/errors" | sed -n 's/.*or "cpu0"\] value //p'
}

store() {
	pmstore -h 127.0.0.1 vcpc.control.tracing "$1" >"$dir/out" 2>&1
	status=$?
	cat "$dir/out" >&2
	return $status
}

counts() {
	first=$(count)
	sleep 0.1
	second=$(count)
	[ -n "$first" ] && [ -n "$second" ] && [ "$second" -gt "$first" ]
}

# Perform two transactions with the tag "plain" per call.
transact() {
	SHIM_TRACE=$way "$here/odd_tags" && sleep 0.05
}

# pmStore turns tracing on only if the module is loaded; without it, "vcpc trace on" sets probes on
# the library.
on() {
	says vcpc.transact.count 'Try again' || return 1
	if [ "$way" = kernel ]; then
		store 1 && says vcpc.control.tracing 'value 1'
	else
		! store 1 && grep -q 'Try again' "$dir/out" && vcpc trace on >&2 && says vcpc.control.tracing 'value 2'
	fi
}

traced() {
	transact && says vcpc.transact.count '"plain"] value 2' && says trace.transact.count '"plain"] value 2' &&
		transact && says vcpc.transact.p99_time '"plain"] value ' && says vcpc.transact.count '"plain"] value 4' &&
		says vcpc.transact.hist '"plain/'
}

goes_on() {
	transact && store 0 && says vcpc.transact.count '"plain"] value 6' || return 1
	if [ "$way" = kernel ]; then store 1; else vcpc trace on >&2; fi
	transact && says vcpc.transact.count '"plain"] value 8'
}

# While 'vcpc why' runs, the agent exports how long transactions ran, waited and were blocked.
explained() {
	vcpc why --no-stacks --for 100s >"$dir/why" 2>&1 &
	why=$!
	tries=0
	until bpftool prog list | grep -q 'raw_tracepoint.*vw_on_begin\|kprobe.*vw_probe_begin' || [ $tries = 300 ]; do
		tries=$((tries + 1))
		sleep 0.2
	done
	sleep 2
	transact && says vcpc.transact.time.count '"plain"] value 2' && says vcpc.transact.time.oncpu '"plain"] value '
	status=$?
	kill -INT $why
	wait $why
	cat "$dir/why" >&2
	return $status
}

# The agent's own sets and the tags above are charged to root.
users() {
	says vcpc.user.sets '[0 or "0"] value 1' && says vcpc.user.tags '[0 or "0"] value ' &&
		says vcpc.limit.user_tags "value $(cat /sys/module/vcpc/parameters/max_user_tags)" &&
		says vcpc.module.refused_by_limit 'value 0'
}

without_module() {
	says vcpc.control.module 'value 0' && says vcpc.module.refused_by_limit 'Try again' &&
		says vcpc.user.sets 'Try again' && says vcpc.limit.user_sets 'Try again'
}

# When the module is loaded while the agent runs, its metrics appear.
loaded_later() {
	insmod /vcpc.ko && says vcpc.control.module 'value 1' && says vcpc.module.refused_by_limit 'value 0' &&
		says vcpc.limit.user_sets 'value ' && says vcpc.transact.count '"plain"] value 8'
	status=$?
	stop
	rmmod vcpc && return $status
}

# An agent that has been killed is restarted and counts again from 0, but traced values are still in
# the maps.
comes_back() {
	before=$(agent_pid)
	for pid in $before; do
		kill -KILL "$pid"
	done
	tries=0
	until kill -HUP "$collector" && sleep 0.1 && says vcpc.control.module 'value ' || [ $tries = 50 ]; do
		tries=$((tries + 1))
	done
	[ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$before" ] && counts &&
		says vcpc.transact.count '"plain"] value 2'
}

# as_user: run the agent of domain 450 as a user with only CAP_PERFMON and CAP_BPF (38 and 39)
as_user() {
	stop
	# At level 3 Debian's kernel permits counting only with CAP_SYS_ADMIN.
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	agent_by="/usr/bin/setpriv --reuid $user --regid $user --clear-groups --bounding-set -all,+cap_38,+cap_39"
	agent_by="$agent_by --inh-caps -all,+cap_38,+cap_39 --ambient-caps -all,+cap_38,+cap_39 "
	chmod 711 "$dir" && chmod 777 "$dir/log" "$dir/log/pmcd" "$dir/run" && rm -f "$dir/log/pmcd/vcpc.log"
	start || return 1
	for pid in $(agent_pid); do
		grep -E '^(Uid|CapEff)' "/proc/$pid/status" >&2
	done
	counts && says vcpc.control.module 'value '
}

# The agent's user may read the maps only after the setup described in bpf.rst.
reads() {
	says vcpc.transact.count 'No permission' && says vcpc.transact.time.count 'No permission' || return 1
	chmod 711 /sys/fs/bpf /sys/fs/bpf/vcpc && chgrp $user /sys/fs/bpf/vcpc/vc_* &&
		chmod g+r /sys/fs/bpf/vcpc/vc_* || return 1
	transact && says vcpc.transact.count '"plain"] value 4' && transact &&
		says vcpc.transact.count '"plain"] value 6' && transact &&
		says vcpc.transact.count '"plain"] value 8' && says vcpc.control.dropped '"not_open"] value 0' || return 1
	says vcpc.transact.time.count 'No permission' || return 1
	! store 0 && grep -q 'No permission' "$dir/out"
}

# A client may request any instances, including unknown ones, and more instances than exist.
any_request() {
	stop
	agent_by=
	start && vcpc trace off >&2 && vcpc trace on >&2 && SHIM_TRACE=$way "$here/many_tags" any 400 &&
		"$here/profiles" vcpc.transact.count vcpc.control.tracing >&2
}

printf 'cpus cpu-clock\n' >"$VCPC_CONFIG"
vcpc trace off >/dev/null 2>&1
mkdir -p "$dir/run" "$dir/log"
make_names && start
result "PCP's collector runs with the agent ($way)"
[ $tap_failed = 0 ] || done_testing
counts
result "CPUs count"
on
result "tracing is turned on"
traced
result "new traced data appear with each fetch"
goes_on
result "after turning tracing off and on, counters include everything, also the latest events"
if [ "$way" = kernel ]; then
	users
	result "usage and limits per user"
else
	without_module
	result "errors of metrics that need the module ask to try again"
	loaded_later
	result "a module that is loaded later is used"
	start || done_testing
fi
if [ -e /sys/kernel/btf/vmlinux ]; then
	explained
	result "while 'vcpc why' runs, the agent exports where the time was spent"
else
	skip "while 'vcpc why' runs, the agent exports where the time was spent" "this kernel has no BTF"
fi
vcpc trace off >/dev/null 2>&1
vcpc trace on >&2
transact
comes_back
result "a killed agent is restarted"
as_user
result "the agent runs as an ordinary user with only CAP_PERFMON and CAP_BPF"
reads
result "... and reads traced data if permitted"
any_request
result "profiles of any kind, unusual lists of metrics, and too many instances"
done_testing
