#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A begin and an end sent to PCP's agent: libshim beside PCP's own library, here,
# in turn, in one run; called by make bench.
set -eu

if [ "${1:-}" != inside ]; then
	exec unshare -rn "$0" inside
fi
ip link set lo up

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
if [ ! -e /usr/include/pcp/trace.h ] || [ ! -e /etc/pcp.env ]; then
	echo "bench: pcp and libpcp-trace2-dev are not installed: no comparison with PCP's trace library"
	exit 0
fi
set +eu
# shellcheck source=/dev/null
. /etc/pcp.env
set -eu
dir=$(mktemp -d)
# shellcheck source=selftests/pcp/agent.sh
. "$here/../pcp/agent.sh"
trap 'stop; rm -rf "$dir"' EXIT

peer=$here/../pcp/peer/trace_calls.c
cc -O2 -I"$here/../../user/include" -o "$dir/shim" "$peer" -L"$build/lib" \
	-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim
cc -O2 -o "$dir/pcp" "$peer" -lpcp_trace -lpcp
start

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

echo "ns of a begin and an end, PCP's agent, median of 15 in turn (machine: $(nproc) CPUs)"
printf '%-22s %10s %10s %8s\n' '' libshim PCP ratio
for mode in sync async; do
	: >"$dir/shim.ns"
	: >"$dir/pcp.ns"
	for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		for library in shim pcp; do
			"$dir/$library" rate-$mode "t$run" 3000 2>/dev/null >>"$dir/$library.ns"
		done
	done
	ours=$(median <"$dir/shim.ns") theirs=$(median <"$dir/pcp.ns")
	printf '%-22s %10s %10s %8.2f\n' "$mode" "$ours" "$theirs" \
		"$(echo "$ours $theirs" | awk '{ print $1 / $2 }')"
	refused=$(awk '{ n += $2 } END { print n + 0 }' "$dir/shim.ns")
	[ "$refused" = 0 ] || echo "  (libshim was refused $refused events, PCP" \
		"$(awk '{ n += $2 } END { print n + 0 }' "$dir/pcp.ns"))"
done
printf '%-22s %10s %10s\n' 'NOAGENT' \
	"$(PCP_TRACE_NOAGENT=1 "$dir/shim" rate-sync t 100000 2>/dev/null | cut -d' ' -f1)" \
	"$(PCP_TRACE_NOAGENT=1 "$dir/pcp" rate-sync t 100000 2>/dev/null | cut -d' ' -f1)"
