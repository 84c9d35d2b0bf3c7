#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PCP's own trace agent gets of libshim what it gets of PCP's library, call for
# call; and a burst of events gets there whole.
#
# pmcd and pmdatrace run in a network name space of this test's own.
set -u

if [ "${1:-}" != inside ]; then
	if ! command -v unshare >/dev/null || ! unshare -rn true 2>/dev/null; then
		echo "1..0 # SKIP no network name space to be had"
		exit 4
	fi
	exec unshare -rn "$0" inside
fi

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}

if [ ! -e /usr/include/pcp/trace.h ] || [ ! -e /etc/pcp.env ]; then
	echo "1..0 # SKIP no PCP to compare with: pcp and libpcp-trace2-dev are not installed"
	exit 4
fi
# It sets names of its own, "dir" among them.
set +u
# shellcheck source=/dev/null
. /etc/pcp.env
set -u
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
agent=$PCP_PMDAS_DIR/trace/pmdatrace
export PCP_RUN_DIR="$dir/run" PCP_LOG_DIR="$dir/log"
export PCP_TRACE_HOST=127.0.0.1 PCP_TRACE_PORT=14323 SHIM_TRACE=agent
daemon=

stop() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null
		wait "$daemon" 2>/dev/null
		daemon=
	fi
}

# The agent's count of what it got stands for its being there.
answers() {
	tries=0
	until pminfo -h 127.0.0.1 -f trace.control.port 2>/dev/null | grep -q 14323; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || return 1
		sleep 0.1
	done
}

start() {
	stop
	rm -rf "$dir/run" "$dir/log"
	mkdir -p "$dir/run" "$dir/log/pmcd" "$dir/pmns"
	(
		cd "$dir/pmns" || exit 1
		printf '#define TRACE 10\n' >stdpmid
		cp "$PCP_PMDAS_DIR/trace/pmns" trace.pmns
		printf '#include "stdpmid"\nroot { trace }\n#include "trace.pmns"\n' >root_trace
		"$PCP_BINADM_DIR/pmnsmerge" -f "$PCP_VAR_DIR/pmns/root_pmcd" root_trace root
	) || return 1
	{
		printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\n' "$PCP_PMDAS_DIR"
		printf 'trace\t10\tpipe\tbinary\t%s -d 10 -I 14323 -M root -T 10 -N 5\n' "$agent"
		printf '[access]\nallow "*" : all;\n'
	} >"$dir/pmcd.conf"
	"$PCP_BINADM_DIR/pmcd" -f -A -i 127.0.0.1 -p 44321 -s "$dir/run/pmcd.socket" \
		-c "$dir/pmcd.conf" -l "$dir/log/pmcd/pmcd.log" -n "$dir/pmns/root" \
		-U root -x "$dir/log/pmcd/fatal" >/dev/null 2>&1 &
	daemon=$!
	answers
}

# Times differ from run to run, and rates come later.
seen() {
	pminfo -h 127.0.0.1 -f trace.transact.count trace.point.count trace.observe.count \
		trace.observe.value trace.counter.count trace.counter.value
}

compile() {
	cc -O1 -I"$here/../../user/include" -o "$dir/calls_shim" "$here/peer/trace_calls.c" \
		-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim &&
	cc -O1 -o "$dir/calls_pcp" "$here/peer/trace_calls.c" -lpcp_trace -lpcp
}

# same MODE: results and the agent's statistics are those of PCP's library
same() {
	for library in pcp shim; do
		start || return 1
		"$dir/calls_$library" "$1" simple >"$dir/results.$library" || return 1
		seen >"$dir/seen.$library" || return 1
	done
	diff "$dir/results.pcp" "$dir/results.shim" >&2 &&
		diff "$dir/seen.pcp" "$dir/seen.shim" >&2 &&
		grep -q 'value 12345678.5' "$dir/seen.shim"
}

count_of() {
	pminfo -h 127.0.0.1 -f trace.point.count | sed -n "s/.*or \"$1\"\] value //p"
}

# arrives TAG N: what was accepted of a burst is counted
arrives() {
	accepted=$("$dir/calls_shim" burst "$1" "$2")
	tries=0
	until [ "$(count_of "$1")" = "$accepted" ] || [ "$tries" = 50 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	echo "# of $2, $accepted were accepted and $(count_of "$1") counted" >&2
	[ "$accepted" -gt 0 ] && [ "$(count_of "$1")" = "$accepted" ]
}

times_agree() {
	pminfo -h 127.0.0.1 -f trace.transact.total_time |
		awk '/value/ && $NF >= 0 && $NF < 5 { n++ } END { exit n != 2 }'
}

goes_away() {
	stop
	"$dir/calls_shim" sync t >"$dir/away"
	grep -q 'begin t -111' "$dir/away"
}

ip link set lo up
trap 'stop; rm -rf "$dir"' EXIT
evidence="$dir/errors"
exec 2>"$dir/errors"

compile
result "the same program is built for both libraries"
same sync
result "synchronous calls: PCP's agent sees what PCP's library sends"
times_agree
result "their times are times"
same async
result "asynchronous calls: the same"
arrives short 100000
result "100000 events of a short tag arrive"
arrives 123456789012345678901234567890123 100000
result "and of one whose events would leave headers on the agent's read boundary"
arrives 12345678901234567890123456789012345678901 100000
result "and of another"
arrives "$(printf '%0124d' 1)" 20000
result "and of the longest that the agent takes"
goes_away
result "without an agent the first call says so"
done_testing
