#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare a traced function (vcpc trace on --function) with bpftrace doing the same, in one run, as
# root; called by make bench.
#
# bpftrace keeps a histogram of the durations, as in its own documentation.  The row without an
# action shows the cost of the kernel's two probes alone.  In a VM with -icount, one nanosecond is
# one instruction, and CALLS in the environment is the path of the compiled bench/bpftrace/calls.c.
set -eu

if [ "$(id -u)" != 0 ] || ! command -v bpftrace >/dev/null; then
	echo "bench: setting probes requires root and bpftrace: no comparison with bpftrace"
	exit 0
fi
if [ -z "${CALLS:-}" ] && [ "${1:-}" != inside ]; then
	exec unshare -m "$0" inside
fi
dir=$(mktemp -d)
tracer=
stop() {
	[ -z "$tracer" ] || kill -INT "$tracer" 2>/dev/null || :
	[ -z "$tracer" ] || wait "$tracer" 2>/dev/null || :
	tracer=
}
trap 'stop; vcpc trace off >/dev/null 2>&1 || :; rm -rf "$dir"' EXIT
if [ -z "${CALLS:-}" ]; then
	here=$(cd "$(dirname "$0")" && pwd)
	PATH=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}/bin:$PATH
	mount --make-rprivate /
	mount -t bpf bpf /sys/fs/bpf
	CALLS=$dir/calls
	cc -O2 -o "$CALLS" "$here/bpftrace/calls.c"
fi

# bpftrace_runs PROGRAM: start bpftrace with PROGRAM, and wait until its probes are set
bpftrace_runs() {
	: >"$dir/seen"
	: >"$dir/errors"
	bpftrace -e "BEGIN { printf(\"ready\\n\"); } $1" >"$dir/seen" 2>"$dir/errors" &
	tracer=$!
	tries=0
	until grep -q ready "$dir/seen" || [ -s "$dir/errors" ] || [ $tries -ge 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	grep -q ready "$dir/seen" && return
	echo "bench: bpftrace does not run here:"
	head -n 3 "$dir/errors"
	exit 0
}

off=$("$CALLS")
vcpc trace on --function "$CALLS:bench_call"
ours=$("$CALLS")
vcpc trace show | grep -q '^bench_call  *10000 ' || { echo "bench: calls are missing"; vcpc trace show; exit 1; }
vcpc trace off
bpftrace_runs "uprobe:$CALLS:bench_call { @start[tid] = nsecs; }
	uretprobe:$CALLS:bench_call /@start[tid]/ { @took = hist(nsecs - @start[tid]); delete(@start[tid]); }"
theirs=$("$CALLS")
stop
bpftrace_runs "uprobe:$CALLS:bench_call { } uretprobe:$CALLS:bench_call { }"
least=$("$CALLS")
stop
echo "$off $ours $theirs $least" | awk '{
	print "CPU ns per call of a traced function"
	printf "  %-44s %8.1f\n", "not traced", $1
	printf "  %-44s %8.1f\n", "vcpc trace on --function", $2
	printf "  %-44s %8.1f %6.3f\n", "bpftrace, histogram (ratio of ours)", $3, $2 / $3
	printf "  %-44s %8.1f\n", "the two probes alone (bpftrace, no action)", $4 }'
