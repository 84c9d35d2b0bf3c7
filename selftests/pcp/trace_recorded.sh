#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is recorded of trace calls is what PCP's agent exports of the same calls: names,
# types, tags and values, as PCP's own tool shows both.
#
# pmcd and pmdatrace run in a network name space of this test's own; tracing is turned
# on, by probes where there is no module, in a BPF file system of its own.
set -u

if [ "${1:-}" != inside ]; then
	if [ "$(id -u)" != 0 ] || ! unshare -nm true 2>/dev/null; then
		echo "1..0 # SKIP needs root"
		exit 4
	fi
	exec unshare -nm "$0" inside
fi

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}

if [ ! -e /usr/include/pcp/trace.h ] || [ ! -e /etc/pcp.env ]; then
	echo "1..0 # SKIP no PCP to compare with: pcp and libpcp-trace2-dev are not installed"
	exit 4
fi
if [ ! -e /sys/kernel/btf/vmlinux ] && [ ! -e /dev/vcpc ]; then
	echo "1..0 # SKIP this kernel has no BTF"
	exit 4
fi
set +u
# shellcheck source=/dev/null
. /etc/pcp.env
set -u
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/agent.sh
. "$here/agent.sh"
trap 'stop; rm -rf "$dir"' EXIT
evidence="$dir/errors $dir/live $dir/recorded"
exec 2>"$dir/errors"
ip link set lo up
mount --make-rprivate / && mount -t bpf bpf /sys/fs/bpf

metrics=$(sed -n 's/^	{ "\(trace\.[a-z_.]*\)".*/\1/p' "$here/../../user/shim/record_trace.c")
way=probe
[ ! -e /dev/vcpc ] || way=kernel

build_all() {
	for program in trace_calls trace_record; do
		cc -O1 -I"$here/../../user/include" -o "$dir/$program" "$here/peer/$program.c" \
			-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lpthread || return 1
	done
	cc -O1 -o "$dir/calls_pcp" "$here/peer/trace_calls.c" -lpcp_trace -lpcp -lpthread
}

# The same calls, to PCP's agent by PCP's library, and into an archive by ours
make_calls() {
	start && "$dir/calls_pcp" sync simple >/dev/null &&
		SHIM_TRACE=$way "$dir/trace_record" "$dir/a" "$dir/trace_calls" sync simple >/dev/null
}

# shown FILE METRIC...: instances and values as pminfo shows them, instances sorted by name
shown() {
	file=$1
	shift
	pminfo -f "$@" | sed 's/inst \[[0-9]* or/inst [or/' | sort >"$file"
	[ -s "$file" ]
}

# same METRIC...: live and recorded
same() {
	shown "$dir/live" -h 127.0.0.1 "$@" && shown "$dir/recorded" -a "$dir/a" -O -0 "$@" &&
		diff "$dir/live" "$dir/recorded" >&2
}

described() {
	for metric in $metrics; do
		pminfo -h 127.0.0.1 -md "$metric" | sed 's, *InDom:.*,,' >"$dir/live"
		pminfo -a "$dir/a" -md "$metric" | sed 's, *InDom:.*,,' >"$dir/recorded"
		grep -q 'Data Type' "$dir/live" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}

# Two runs do not take the same time; both are within a second. PCP counts microseconds.
times_agree() {
	shown "$dir/live" -h 127.0.0.1 trace.transact.total_time &&
		shown "$dir/recorded" -a "$dir/a" -O -0 trace.transact.total_time &&
		awk '/value/ { n++; key[$0 ~ /simple/]++; if ($NF < 0 || $NF > 1) bad = 1 }
			END { exit bad || n != 4 || key[1] != 2 }' "$dir/live" "$dir/recorded"
}

# What pmval shows of one tag, live and recorded; the last line is the value
values() {
	for metric in trace.transact.count trace.point.count trace.observe.value trace.counter.value; do
		pmval -h 127.0.0.1 -r -s 1 -t 0.1 -i simple "$metric" | awk 'END { print $NF }' >"$dir/live"
		pmval -U "$dir/a" -r -i simple "$metric" | awk 'END { print $NF }' >"$dir/recorded"
		grep -q '^[0-9.E+-]*$' "$dir/live" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}

build_all
result "programs are built for both libraries"
[ "$(echo "$metrics" | wc -w)" -ge 14 ]
result "there are metrics to compare"
make_calls
result "the same calls go to PCP's agent and into an archive"
described
result "PCP's metrics are described as PCP's agent does: number, type, semantics, units"
same trace.transact.count
result "transactions: the same tags and counts"
same trace.point.count
result "points"
same trace.observe.count trace.observe.value
result "observations: counts and values"
same trace.counter.count trace.counter.value
result "counters: counts and values"
times_agree
result "times are times"
[ "$(pminfo -a "$dir/a" -O -0 -f vcpc.transact.aborted | sed -n 's/.*simple"\] value //p')" = 1 ]
result "what was aborted, which PCP's agent does not tell"
values
result "pmval shows the same of both"
pmlogcheck "$dir/a" >&2
result "PCP finds no fault with the archive"
done_testing
