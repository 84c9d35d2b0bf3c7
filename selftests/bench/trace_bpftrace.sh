#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare transactions traced by probes on libshim with bpftrace probes on two functions, in one
# run, natively, as root; called by make bench.
#
# bpftrace keeps the usual data: the number of transactions of each tag, and a histogram of their
# durations.
set -eu

if [ "$(id -u)" != 0 ] || ! command -v bpftrace >/dev/null; then
	echo "bench: setting probes requires root and bpftrace: no comparison with bpftrace"
	exit 0
fi
[ "${1:-}" = inside ] || exec unshare -m "$0" inside
here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
mount --make-rprivate /
mount -t bpf bpf /sys/fs/bpf
dir=$(mktemp -d)
tracer=
stop() {
	[ -z "$tracer" ] || kill -INT "$tracer" 2>/dev/null || :
	[ -z "$tracer" ] || wait "$tracer" 2>/dev/null || :
	tracer=
}
trap 'stop; rm -rf "$dir"' EXIT

cc -O2 -o "$dir/tags" "$here/bpftrace/tags.c" -lpthread
bpftrace -e "
	BEGIN { printf(\"ready\\n\"); }
	uprobe:$dir/tags:bench_begin { @start[tid] = nsecs; }
	uprobe:$dir/tags:bench_end /@start[tid]/ {
		@count[str(arg0)] = count();
		@took[str(arg0)] = hist(nsecs - @start[tid]);
		delete(@start[tid]);
	}" >"$dir/seen" 2>"$dir/errors" &
tracer=$!
tries=0
until grep -q ready "$dir/seen" || [ $tries -ge 300 ]; do
	kill -0 $tracer 2>/dev/null || break
	tries=$((tries + 1))
	sleep 0.1
done
grep -q ready "$dir/seen" || { echo "bench: bpftrace does not run here:"; head -n 3 "$dir/errors"; exit 0; }

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-38s %8s %8s %6s\n' "CPU ns of a begin and an end" probe bpftrace ratio
for threads in 1 4; do
	for tags in 1 100 1000; do
		[ $tags -ge $threads ] || continue
		: >"$dir/theirs"
		: >"$dir/ours"
		for _ in 1 2 3; do
			"$dir/tags" $tags $threads >>"$dir/theirs"
			"$build/tests/bench/trace_tags" probe $tags $threads >>"$dir/ours"
		done
		echo "$(median <"$dir/ours") $(median <"$dir/theirs")" |
			awk -v what="$threads thread(s), $tags tag(s)" '{ printf "  %-36s %8.1f %8.1f %6.3f\n", what, $1, $2, $1 / $2 }'
	done
done
stop
grep -q '@count\[tag-0000\]: [1-9]' "$dir/seen" || echo "bench: bpftrace counted nothing"
