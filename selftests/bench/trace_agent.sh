#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare begins and ends that libshim sends to PCP's agent with those of PCP's own library,
# alternately in one run; called by make bench, on the host and, with the argument "guest", in a VM
# with the module.
set -eu

# Only root can turn tracing on, for the transports that do not use the agent.
where=${1:-outside}
if [ "$where" = outside ] && [ "$(id -u)" = 0 ]; then
	exec unshare -nm "$0" inside
elif [ "$where" = outside ]; then
	exec unshare -rn "$0" inside
fi
ip link set lo up

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
if [ ! -e /etc/pcp.env ] || { [ "$where" != guest ] && [ ! -e /usr/include/pcp/trace.h ]; }; then
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

programs=$here
if [ "$where" != guest ]; then
	# shellcheck source=selftests/pcp/peer/both.sh
	. "$here/../pcp/peer/both.sh"
	programs=$dir
	trace_pair "$dir"
fi
start

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# time_of LIBRARY MODE THREADS PAIRS: append the time and the number of rejected calls to LIBRARY.ns
time_of() {
	SHIM_TRACE=$way "$programs/$1" "rate-$2" "$1" "$4" "$3" 2>/dev/null >>"$dir/$1.ns"
}

# compare TRANSPORT MODE WHAT: print each library's time and the ratio for each number of threads;
# TRANSPORT applies to libshim, and MODE is the protocol to the agent
compare() {
	way=$1 mode=$2 pairs=2000
	[ "$way" = agent ] || pairs=50000
	printf '%-22s' "$3"
	for threads in $steps; do
		: >"$dir/shim.ns"
		: >"$dir/pcp.ns"
		for _ in $turns; do
			time_of shim "$mode" "$threads" $pairs
			time_of pcp "$mode" "$threads" $theirs
		done
		echo "$(median <"$dir/shim.ns") $(median <"$dir/pcp.ns")" |
			awk '{ printf " %6s %6s %6.4f", $1, $2, $1 / $2 }'
		awk '{ n += $2 } END { exit n != 0 }' "$dir/shim.ns" ||
			refused="$refused $mode/$threads"
	done
	echo
}

refused=
steps='1 2 4 8' turns='1 2 3 4 5 6 7 8 9' theirs=2000
# Reduce the number of runs, because an emulated machine is slow.
[ "$where" != guest ] || turns='1 2 3 4 5' theirs=500
echo "ns per begin and end: libshim, PCP's library, ratio; median of ${turns##* } runs ($(nproc) CPUs)"
printf '%-22s' ''
for threads in $steps; do printf ' %20s' "$threads thread(s)"; done
echo
if [ "$where" = guest ]; then
	vcpc trace on
	compare kernel sync 'module / synchronous'
	compare kernel async 'module / ASYNC'
	vcpc trace off
	exit 0
fi
compare agent sync 'both synchronous'
compare agent async 'both ASYNC'
PCP_TRACE_NOAGENT=1 compare none sync 'both NOAGENT'
if [ "$(id -u)" = 0 ] && mount --make-rprivate / && mount -t bpf bpf /sys/fs/bpf; then
	compare probe async 'probe, off / ASYNC'
	SHIM_TRACE=probe "$build/bin/vcpc" trace on --probes --direct=64
	compare probe sync 'probe, BPF / sync'
	compare probe async 'probe, BPF / ASYNC'
	compare direct async 'direct / ASYNC'
	"$build/bin/vcpc" trace off
fi
[ -z "$refused" ] || echo "  (the agent did not keep up; libshim's events refused:$refused)"
