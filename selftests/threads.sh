#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run programs that start threads under ThreadSanitizer, natively; called by make test-threads.
#
# Omit programs that need the module, and programs for which ThreadSanitizer reports false errors:
# programs that read perf's pages between fences, and whose signal handlers write data that others
# read (unit/core_perf_*), children that exit while threads run (unit/pcp_config), and a fake agent
# whose descriptors another thread closes (trace/agent_callers).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/.." && pwd)
host=$(uname -m | sed s/aarch64/arm64/)
out=$top/build/$host-tsan
results=$(mktemp)
trap 'rm -f "$results"' EXIT
mkdir -p "$top/build/logs"

"$top/scripts/setup.sh" build tests
make -C "$top" --no-print-directory -j"$(nproc)" SAN=thread lib tests TESTS="unit pcp trace misuse" >"$top/build/logs/threads.log" 2>&1 || {
	tail -n 20 "$top/build/logs/threads.log"
	exit 1
}
cd "$here"
: "${TSAN_OPTIONS:=}"
programs=
for source in $(grep -l pthread_create unit/*.c pcp/*.c trace/*.c misuse/*.c); do
	case $source in unit/core_perf_*|unit/pcp_config.c|trace/agent_callers.c|trace/progress.c|misuse/limits.c) continue ;; esac
	programs="$programs $out/tests/${source%.c}"
done
# shellcheck disable=SC2086
TSAN_OPTIONS="report_thread_leaks=0 $TSAN_OPTIONS" VCPC_BUILD=$out ./apart.sh ./run-tests.sh "$results" "$host" $programs
./summary.sh may-skip "$results"
