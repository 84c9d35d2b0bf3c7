#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare hot paths with similar tools, in guest instructions; called by make bench.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$top/build/arm64

"$top/scripts/setup.sh" build module tests lab
mkdir -p "$top/build/logs"
echo "bench: building for arm64"
make -C "$top" -j"$(nproc)" --no-print-directory ARCH=arm64 module tests >"$top/build/logs/bench.log" 2>&1 ||
	{ tail -n 20 "$top/build/logs/bench.log"; exit 1; }
set -- --arch arm64 --module "$build/vcpc.ko" --libs "$build/lib" --with "$build/bin/vcpc:/usr/bin/vcpc" --program bpftool \
	--with /lib/terminfo/l/linux:/lib/terminfo/l/linux

# seconds SOURCE: print the time limit that a comment in the program gives for a busy machine
seconds() {
	tr -d '\n*' <"$1" | sed -n 's/.*ay *take *\([0-9]*\) *s *on *a *busy *machine.*/\1/p' | grep . || echo 120
}

programs='' timeout=300
for file in "$build"/tests/bench/*; do
	case $file in *.d) continue ;; esac
	set -- "$@" --with "$file:/bench/${file##*/}"
	programs="$programs /bench/${file##*/}"
	timeout=$((timeout + $(seconds "$here/${file##*/}.c")))
done
echo "bench: arm64 VM, -icount shift=0: one nanosecond is one guest instruction"
# PAPI does not start, even as root, if perf_event_paranoid prevents other users from counting.
"$top/selftests/vm/run" --timeout "$timeout" "$@" -- "echo 1 >/proc/sys/kernel/perf_event_paranoid; for p in $programs; do echo; \$p || exit; done"
echo
echo "bench: here"
"$top/scripts/setup.sh" peers bench
make -C "$top" -j"$(nproc)" --no-print-directory module lib tools tests >"$top/build/logs/bench-here.log" 2>&1
# Measure this without the module and in CPU time, because an instruction count does not include the
# cost of a trap.
if [ "$(id -u)" = 0 ]; then
	"$top/build/$(uname -m | sed s/aarch64/arm64/)/tests/bench/trace_vs_uprobe"
fi
if [ "$(id -u)" = 0 ]; then
	for program in trace_tags fetch_cost; do
		# shellcheck disable=SC2016  # the inner shell's
		unshare -m sh -c 'mount --make-rprivate / && mount -t bpf bpf /sys/fs/bpf && exec "$0"' \
			"$top/build/$(uname -m | sed s/aarch64/arm64/)/tests/bench/$program"
	done
fi
"$here/trace_lttng.sh"
"$here/trace_bpftrace.sh"
"$here/function_bpftrace.sh"
"$here/trace_agent.sh"
"$here/trace_module.sh"
"$here/import_rate.sh"
