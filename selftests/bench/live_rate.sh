#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare fetching from a pmcd through the loopback and its UNIX socket with PCP's own library,
# alternately; called by make bench-live.
#
# usage: live_rate.sh [METRIC...]	(default: five of PCP's sample agent)
#
# Prints the minimum CPU time of ROUNDS (8) runs with 1,500 fetches each, because other work on the
# machine can only increase the time. All run on one CPU: a fetch costs a third more if the
# scheduler puts pmcd on another one.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
if [ "${1:-}" != inside ]; then
	exec taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" unshare -rn "$0" inside "$@"
fi
shift
[ -e /etc/pcp.env ] && [ -e /usr/include/pcp/pmapi.h ] || { echo "bench: pcp and libpcp3-dev are not installed"; exit 0; }
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/../pcp/peer/both.sh"
set +u
# shellcheck source=/dev/null
. /etc/pcp.env
set -u
dir=$(mktemp -d)
# shellcheck source=selftests/pcp/collector.sh
. "$here/../pcp/collector.sh"
trap 'stop_collector; rm -rf "$dir"' EXIT
ip link set lo up
unset PMCD_PORT PMCD_SOCKET
[ $# -gt 0 ] || set -- sample.bin sample.colour sample.string.hullo sample.double.bin sample.longlong.million

fail() {
	echo "bench: $1" >&2
	exit 1
}

peer=$here/../pcp/peer/live_rate.c
cc_shim -O2 -o "$dir/live_shim" "$peer" && cc -O2 -o "$dir/live_pcp" "$peer" -lpcp || fail "it does not compile"
make_collector && start_collector || fail "no pmcd"
# compare HOW SPEC METRIC...: measure both libraries alternately and print a row
compare() {
	how=$1 spec=$2
	shift 2
	rm -f "$dir"/rate.*
	for _ in $(seq "${ROUNDS:-8}"); do
		for side in pcp shim; do
			"$dir/live_$side" "$spec" 1500 "$@" >>"$dir/rate.$side" || fail "no fetch"
		done
	done
	sort -n "$dir/rate.shim" | head -n 1 >"$dir/least"
	sort -n "$dir/rate.pcp" | head -n 1 >>"$dir/least"
	awk '{ ns[NR] = $1 } END { printf "a fetch of %d metrics, %s: %d ns of CPU time, %d with PCP'"'"'s library: %.2f\n", n, how, ns[1], ns[2], ns[1] / ns[2] }' \
		n=$# how="$how" "$dir/least"
}

compare "by TCP" 127.0.0.1 "$@"
compare "through the UNIX socket" "unix:$dir/run/pmcd.socket" "$@"
