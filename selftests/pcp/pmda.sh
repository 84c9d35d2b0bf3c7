#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Under a private pmcd, pmdavcpc's metrics match those of a local context and have values.  The
# agent restarts after a crash, and reports missing features.
#
# The module need not be loaded, because only software events are counted.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
# shellcheck source=selftests/pcp/with_agent.sh
. "$here/with_agent.sh"
begin_agent "$@"

# Check that PCP's library reads the same through pmcd as ours in a local context.
same_as_local() {
	"$dir/about_pcp" 127.0.0.1 >"$dir/by_agent" && "$dir/about_shim" local >"$dir/by_local" || return 1
	diff "$dir/by_agent" "$dir/by_local" >&2 && [ "$(wc -l <"$dir/by_local")" -gt 100 ]
}

count() {
	pminfo -h 127.0.0.1 -f vcpc.count.cpu_clock | sed -n 's/.*or "cpu0"\] value //p'
}

counts() {
	first=$(count)
	sleep 0.1
	second=$(count)
	echo "# $first $second" >&2
	[ -n "$first" ] && [ "$second" -gt "$first" ]
}

# watched: start a process that has the command name vcpc-watched
watched() {
	[ -e "$dir/vcpc-watched" ] || cp /bin/sleep "$dir/vcpc-watched"
	"$dir/vcpc-watched" 100 &
	watched=$!
}

# seen PID: check that the agent exports an instance for the process PID
seen() {
	pminfo -h 127.0.0.1 -f vcpc.process.count.page_faults 2>&1 | tee -a "$dir/seen" |
		grep -q "inst \[$1 or \"$(printf %06d "$1") vcpc-watched\"\] value "
}

until_seen() {
	tries=0
	until seen "$1" || [ $tries = 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	[ $tries -lt 100 ]
}

processes() {
	watched
	first=$watched
	until_seen "$first" || return 1
	watched
	until_seen "$watched" && seen "$first" || return 1
	kill "$first"
	wait "$first" 2>/dev/null
	tries=0
	while seen "$first" && [ $tries -lt 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	seen "$watched" || return 1
	kill "$watched"
	[ $tries -lt 100 ]
}

off() {
	pminfo -h 127.0.0.1 -f vcpc.transact.count trace.point.rate vcpc.control.tracing >"$dir/off" 2>&1
	cat "$dir/off" >&2
	[ "$(grep -c 'Try again. Information not currently available\|No permission' "$dir/off")" -ge 2 ]
}

comes_back() {
	before=$(agent_pid)
	# shellcheck disable=SC2086
	kill -KILL $before || return 1
	tries=0
	while pminfo -h 127.0.0.1 -f vcpc.control.module 2>&1 | grep -q 'value [01]$'; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || return 1
		sleep 0.05
	done
	kill -HUP "$collector"
	answers && [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$before" ]
}

until_another() {
	tries=0
	until now=$(agent_pid) && [ -n "$now" ] && [ "$now" != "$1" ] || [ $tries = 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	[ $tries -lt 100 ]
}

# If counting restarts while an archive is written, the archive has a mark between the values, and
# the counter does not jump.  pmcd notices that the agent has died when the logger fetches again.
comes_back_logged() {
	printf 'log mandatory on 100 msec { vcpc.control.module }\n' >"$dir/logger.conf"
	before=$(agent_pid)
	"$PCP_BINADM_DIR/pmlogger" -h 127.0.0.1 -c "$dir/logger.conf" -l "$dir/log/over.log" "$dir/over" &
	logger=$!
	sleep 1
	# shellcheck disable=SC2086
	kill -KILL $before
	sleep 0.5
	kill -HUP "$collector"
	until_another "$before"
	came=$?
	sleep 1
	kill $logger
	wait $logger
	pmdumplog "$dir/over" >"$dir/dumped" 2>&1
	cat "$dir/dumped" >&2
	[ $came = 0 ] && awk '/<mark>/ { marks++ } /value [01]$/ { seen[marks > 0]++ }
		END { exit !marks || !seen[0] || !seen[1] }' "$dir/dumped"
}

refuses() {
	! pmstore -h 127.0.0.1 vcpc.control.module 1 >"$dir/out" 2>&1 && cat "$dir/out" >&2 &&
		grep -q 'No permission' "$dir/out"
}

labels() {
	pminfo -h 127.0.0.1 -l vcpc.count.cpu_clock >"$dir/labels"
	cat "$dir/labels" >&2
	grep -q '"agent":"vcpc"' "$dir/labels" && grep -q '"cpu":0' "$dir/labels"
}

# pmlogger records the agent's metrics, and our library replays the archive.
logged() {
	printf 'log mandatory on 100 msec { vcpc.count vcpc.control.module }\n' >"$dir/logger.conf"
	"$PCP_BINADM_DIR/pmlogger" -h 127.0.0.1 -c "$dir/logger.conf" -s 5 -l "$dir/log/logger.log" "$dir/logged" ||
		return 1
	"$build/bin/vcpc" replay "$dir/logged" vcpc.count.cpu_clock >"$dir/replayed" || return 1
	cat "$dir/replayed" >&2
	[ "$(grep -c cpu0 "$dir/replayed")" -ge 1 ]
}

# The configuration that pmlogconf creates from our group contains the agent's metrics.
by_group() {
	mkdir -p "$dir/groups/vcpc" && cp "$here/../../tools/pmda/files/pmlogconf" "$dir/groups/vcpc/vcpc"
	pmlogconf -c -q -h 127.0.0.1 -d "$dir/groups" "$dir/auto.conf" >&2 || return 1
	cat "$dir/auto.conf" >&2
	grep -q '^log advisory on default {' "$dir/auto.conf" && grep -q '^	vcpc.transact$' "$dir/auto.conf" || return 1
	"$PCP_BINADM_DIR/pmlogger" -h 127.0.0.1 -c "$dir/auto.conf" -t 100msec -s 3 -l "$dir/log/auto.log" "$dir/auto" &&
		"$build/bin/vcpc" dump -d "$dir/auto" | grep -q vcpc.control.module
}

# As in fleet.rst, get a value through pmproxy's REST API, and in the format for scrapers.
by_proxy() {
	mkdir -p "$dir/log/pmproxy"
	"$PCP_BINADM_DIR/pmproxy" -f -A -i 127.0.0.1 -p 44322 -s "$dir/run/pmproxy.socket" -U root \
		-l "$dir/log/pmproxy/log" -x "$dir/log/pmproxy/fatal" >/dev/null 2>&1 &
	proxy=$!
	tries=0
	until curl -s "http://127.0.0.1:44322/pmapi/fetch?hostspec=127.0.0.1&names=vcpc.control.module" \
		>"$dir/rest" && [ -s "$dir/rest" ] || [ $tries = 100 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	curl -s "http://127.0.0.1:44322/metrics?hostspec=127.0.0.1&names=vcpc.control.module" >"$dir/scraped"
	kill $proxy
	wait $proxy 2>/dev/null
	cat "$dir/rest" "$dir/scraped" >&2
	grep -q '"name":"vcpc.control.module"' "$dir/rest" && grep -q '^vcpc_control_module.* [01]' "$dir/scraped"
}

wrong_config() {
	printf 'cpus cs\nnothing\n' >"$dir/wrong"
	! "$pmdavcpc" -c "$dir/wrong" -N >/dev/null 2>"$dir/out" &&
		grep -q 'wrong: line 2: ' "$dir/out"
}

printf 'cpus cpu-clock context-switches\ncpus page-faults\nprocesses vcpc-watched page-faults\n' >"$VCPC_CONFIG"
cc -O1 -D_GNU_SOURCE -I"$here/../../user/include" -o "$dir/about_shim" "$here/peer/about.c" -L"$build/lib" \
	-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim && cc -O1 -D_GNU_SOURCE -o "$dir/about_pcp" "$here/peer/about.c" -lpcp
result "the program compiles with both libraries"
wrong_config
result "an invalid configuration is reported with its line"
make_names && start
result "PCP's collector runs with the agent, for vcpc.* and for trace.*"
[ $tap_failed = 0 ] || done_testing
same_as_local
result "names, numbers, types, units, domains and texts are those of a local context"
if count | grep -q .; then
	counts
	result "CPUs count"
	processes
	result "processes of a command start and exit"
	labels
	result "labels"
	logged
	result "PCP's logger records the metrics, and our library replays them"
else
	skip "CPUs count" "they may not be counted here"
fi
if [ -e /sys/fs/bpf/vcpc ]; then
	skip "tracing is off" "this machine is tracing"
else
	off
	result "while tracing is off, metrics return 'try again'"
fi
if [ -x "$PCP_BINADM_DIR/pmproxy" ] && command -v curl >/dev/null; then
	by_proxy
	result "PCP's proxy serves the metrics"
else
	skip "PCP's proxy serves the metrics" "pmproxy or curl is not installed"
fi
by_group
result "pmlogconf configures PCP's logger for the agent"
refuses
result "read-only metrics cannot be stored"
comes_back
result "a killed agent is restarted"
comes_back_logged
result "a logger writes a mark when the agent was restarted"
agent_done
