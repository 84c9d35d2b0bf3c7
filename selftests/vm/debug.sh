#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the kernel's selftests under the debug kernel; called by make test-debug.
#
# Not counted in instructions, on two CPUs, so that races have a chance.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
results=$(mktemp)
trap 'rm -f "$results"' EXIT

"$top/scripts/setup.sh" build lab
kernel=$("$top/scripts/build-debug-kernel.sh")
echo "debug: building for $kernel"
mkdir -p "$top/build/logs"
{
	make -C "$top" --no-print-directory ARCH=arm64 OUT="$top/build/arm64-debug" KDIR="$kernel/build" module &&
		make -C "$top" -j"$(nproc)" --no-print-directory ARCH=arm64 lib tools tests
} >"$top/build/logs/debug.log" 2>&1 || { tail -n 30 "$top/build/logs/debug.log"; exit 1; }

export TEST_TIMEOUT=900 VM_NAME=arm64-debug VM_KERNEL="$kernel" VM_OPTIONS='--no-icount --cpus 2 --timeout 3000' \
	VM_MODULE="$top/build/arm64-debug/vcpc.ko"
[ $# -gt 0 ] || set -- vcpc bpf trace cpc shim
"$here/test.sh" arm64 "$top/build/arm64" "$results" "$@"
"$top/selftests/summary.sh" "$top/selftests/may-skip" "$results"
