#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare transactions of many tags and threads with LTTng-UST's tracepoints, in one run, natively;
# called by make bench.
#
# LTTng writes into its ring buffers, which nothing reads during the test (a snapshot session).
# Needs root on a machine that allows BPF; tracing runs in a separate mount namespace.
set -eu

where=${1:-outside}
if [ "$where" = outside ] && [ "$(id -u)" = 0 ]; then
	exec unshare -m "$0" inside
fi
here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
if ! command -v lttng >/dev/null || ! echo "#include <lttng/tracepoint.h>" | cc -E - >/dev/null 2>&1; then
	echo "bench: lttng-tools and liblttng-ust-dev are not installed: no comparison with LTTng"
	exit 0
fi
dir=$(mktemp -d)
LTTNG_HOME=$dir LTTNG_UST_REGISTER_TIMEOUT=5000
export LTTNG_HOME LTTNG_UST_REGISTER_TIMEOUT
daemon=
stop() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
	[ -z "$daemon" ] || wait "$daemon" 2>/dev/null || :
	rm -rf "$dir"
}
trap stop EXIT

cc -O2 -I"$here/lttng" -o "$dir/lttng-tags" "$here/lttng/tags.c" -llttng-ust -ldl -lpthread
# Start a separate session daemon.  Hide /run, because root's sockets are there even if LTTNG_HOME
# is set.
[ "$where" = outside ] || mount -t tmpfs none /run
lttng-sessiond --no-kernel >"$dir/sessiond.log" 2>&1 &
daemon=$!
tries=0
until lttng --no-sessiond list >/dev/null 2>&1 || [ $tries -ge 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
{
	lttng --no-sessiond create bench --snapshot --output="$dir/traces"
	lttng --no-sessiond enable-channel --userspace --overwrite --subbuf-size=1M --num-subbuf=4 all
	lttng --no-sessiond enable-event --userspace --channel=all 'vcpc_bench:*'
	lttng --no-sessiond start
} >"$dir/lttng.log" 2>&1 || { cat "$dir/lttng.log" "$dir/sessiond.log"; exit 1; }

direct=''
if [ "$where" != outside ] && mount -t bpf bpf /sys/fs/bpf 2>/dev/null; then
	direct=1
else
	echo "bench: turning tracing on requires root: LTTng alone"
fi

median() {
	sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : -1 }'
}

# compare WHAT TAGS THREADS [points]: measure both tracers alternately and print a row
compare() {
	what=$1
	shift
	: >"$dir/lttng.ns"
	: >"$dir/ours.ns"
	for _ in 1 2 3 4 5; do
		"$dir/lttng-tags" "$@" >>"$dir/lttng.ns" || echo "bench: LTTng did not record the events" >&2
		[ -z "$direct" ] || "$build/tests/bench/trace_tags" direct "$@" >>"$dir/ours.ns"
	done
	echo "$(median <"$dir/ours.ns") $(median <"$dir/lttng.ns")" |
		awk -v what="$what" '{ printf "  %-36s %8.1f %8.1f %6.3f\n", what, $1, $2, $1 / $2 }'
}

printf '%-38s %8s %8s %6s\n' "CPU ns of a begin and an end" direct LTTng ratio
for threads in 1 4 16; do
	for tags in 1 100 1000; do
		[ $tags -ge $threads ] || continue
		compare "$threads thread(s), $tags tag(s)" $tags $threads
	done
done
compare "points, 16 threads, the same 50 tags" 50 16 points
lttng --no-sessiond destroy --all >/dev/null 2>&1 || :
