#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# pmdavcpc under a private pmcd of PCP's own: what its metrics are is what a local context says,
# values come, it dies and comes back, and what is not there is said to be so.
#
# The module may be loaded or not; counts are of software events.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
# Root stays root, as in a user name space CPUs may not be counted.
if [ "${1:-}" != inside ] && unshare -n true 2>/dev/null; then
	exec unshare -n "$0" inside
fi
place "$@"
set +u
# shellcheck source=/dev/null
[ ! -e /etc/pcp.env ] || . /etc/pcp.env
set -u
needs "${PCP_BINADM_DIR:-}/pmcd" pcp
[ -x "$build/bin/pmdavcpc" ] || skip_all "no agent: libpcp-pmda3-dev was not installed"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
trap 'stop; rm -rf "$dir"' EXIT
exec 2>"$dir/errors"
evidence="$dir/errors $dir/log/pmcd/pmcd.log $dir/log/pmcd/vcpc.log"
ip link set lo up
export PCP_RUN_DIR="$dir/run" PCP_LOG_DIR="$dir/log" PCP_DERIVED_CONFIG='' VCPC_CONFIG="$dir/vcpc.conf"
collector=

stop() {
	[ -n "$collector" ] || return 0
	kill "$collector" 2>/dev/null
	wait "$collector" 2>/dev/null
	collector=
}

agent_pid() {
	for stat in /proc/[0-9]*/stat; do
		awk -v parent="$collector" '$2 == "(pmdavcpc)" && $4 == parent { print $1 }' "$stat" 2>/dev/null
	done
}

# The name space is the agent's own account of what it has.
make_names() {
	mkdir -p "$dir/pmns" "$dir/run" "$dir/log/pmcd" && cd "$dir/pmns" || return 1
	"$build/bin/pmdavcpc" -c "$VCPC_CONFIG" -N >vcpc.pmns || return 1
	"$build/bin/pmdavcpc" -t -N >trace.pmns || return 1
	printf 'root { vcpc }\n#include "vcpc.pmns"\n' >root_vcpc
	printf 'root { trace }\n#include "trace.pmns"\n' >root_trace
	"$PCP_BINADM_DIR/pmnsmerge" -f "$PCP_VAR_DIR/pmns/root_pmcd" root_vcpc root_trace root
}

answers() {
	tries=0
	until pminfo -h 127.0.0.1 -f vcpc.control.module 2>/dev/null | grep -q 'value [01]$'; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] && kill -0 "$collector" || return 1
		sleep 0.05
	done
}

start() {
	{
		printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\n' "$PCP_PMDAS_DIR"
		printf 'vcpc\t450\tpipe\tbinary\t%s -d 450 -T 0.01 -c %s -l %s/log/pmcd/vcpc.log\n' \
			"$build/bin/pmdavcpc" "$VCPC_CONFIG" "$dir"
		printf 'trace\t10\tpipe\tbinary\t%s -t -l %s/log/pmcd/trace.log\n' \
			"$build/bin/pmdavcpc" "$dir"
		printf '[access]\nallow "*" : all;\n'
	} >"$dir/pmcd.conf"
	env -u TZ "$PCP_BINADM_DIR/pmcd" -f -A -i 127.0.0.1 -p 44321 -s "$dir/run/pmcd.socket" \
		-c "$dir/pmcd.conf" -l "$dir/log/pmcd/pmcd.log" -n "$dir/pmns/root" \
		-U root -x "$dir/log/pmcd/fatal" >/dev/null 2>&1 &
	collector=$!
	answers
}

# By its own library, over pmcd; and by ours, of this machine
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

refuses() {
	! pmstore -h 127.0.0.1 vcpc.control.module 1 >"$dir/out" 2>&1 && cat "$dir/out" >&2 &&
		grep -q 'No permission' "$dir/out"
}

labels() {
	pminfo -h 127.0.0.1 -l vcpc.count.cpu_clock >"$dir/labels"
	cat "$dir/labels" >&2
	grep -q '"agent":"vcpc"' "$dir/labels" && grep -q '"cpu":0' "$dir/labels"
}

# pmlogger records us, and our library replays it
logged() {
	printf 'log mandatory on 100 msec { vcpc.count vcpc.control.module }\n' >"$dir/logger.conf"
	"$PCP_BINADM_DIR/pmlogger" -h 127.0.0.1 -c "$dir/logger.conf" -s 5 -l "$dir/log/logger.log" "$dir/logged" ||
		return 1
	"$build/bin/vcpc" replay "$dir/logged" vcpc.count.cpu_clock >"$dir/replayed" || return 1
	cat "$dir/replayed" >&2
	[ "$(grep -c cpu0 "$dir/replayed")" -ge 1 ]
}

# As fleet.rst has it: one value by the proxy's REST, and the same for a scraper
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
	! "$build/bin/pmdavcpc" -c "$dir/wrong" -N >/dev/null 2>"$dir/out" &&
		grep -q 'wrong: line 2: ' "$dir/out"
}

printf 'cpus cpu-clock context-switches\ncpus page-faults\n' >"$VCPC_CONFIG"
cc -O1 -D_GNU_SOURCE -I"$here/../../user/include" -o "$dir/about_shim" "$here/peer/about.c" -L"$build/lib" \
	-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim && cc -O1 -D_GNU_SOURCE -o "$dir/about_pcp" "$here/peer/about.c" -lpcp
result "the program compiles with both libraries"
wrong_config
result "a configuration that is wrong is said to be, with its line"
make_names && start
result "PCP's collector runs with the agent, for vcpc.* and for trace.*"
[ $tap_failed = 0 ] || done_testing
same_as_local
result "names, numbers, types, units, domains and texts are those of a local context"
if count | grep -q .; then
	counts
	result "CPUs count"
	labels
	result "labels"
	logged
	result "PCP's logger records it, and we replay that"
else
	skip "CPUs count" "they may not be counted here"
fi
if [ -e /sys/fs/bpf/vcpc ]; then
	skip "tracing is off" "this machine is tracing"
else
	off
	result "where tracing is off, metrics say to try again"
fi
if [ -x "$PCP_BINADM_DIR/pmproxy" ] && command -v curl >/dev/null; then
	by_proxy
	result "PCP's proxy serves it"
else
	skip "PCP's proxy serves it" "pmproxy or curl is not installed"
fi
refuses
result "what is a fact cannot be stored"
comes_back
result "the agent is killed and comes back"
done_testing
