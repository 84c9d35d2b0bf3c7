#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module's build prints messages about kernels, and detects differences between them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/said
tested=$(cat "$top/kmod/compat/tested")

# kbuild VERSION PATCHLEVEL [NAME=VALUE...]: read kmod/Kbuild as the build of that kernel does
kbuild() {
	version=$1 patchlevel=$2
	shift 2
	make --no-print-directory -f "$top/kmod/Kbuild" src="$top/kmod" obj="$dir" VERSION="$version" PATCHLEVEL="$patchlevel" CONFIG_MODULES=y CONFIG_PERF_EVENTS=y \
		CONFIG_TRACEPOINTS=y CONFIG_IRQ_WORK=y "$@" -n nothing-to-make >"$evidence" 2>&1
}
# says TEXT: check that the first line of the output contains TEXT
says() { head -n 1 "$evidence" | grep -q "$1"; }

for series in $tested; do
	kbuild "${series%.*}" "${series#*.}"
	! grep -q 'tested on\|needs\|does not work' "$evidence"
	result "Linux $series: no message"
done
kbuild 6 11
says "tested on Linux $tested, and not on 6.11" && ! grep -q 'Stop.*needs' "$evidence"
result "Linux 6.11: a warning that it was not tested, but no error"
for series in 5.15 6.0; do
	kbuild "${series%.*}" "${series#*.}"
	says "tested on Linux $tested, and not on $series" && grep -q 'Stop' "$evidence" && grep -q 'needs Linux 6.1 or newer' "$evidence"
	result "Linux $series: too old"
done
kbuild 6 1 CONFIG_PREEMPT_RT=y
says 'does not work with PREEMPT_RT.*Stop'
result "not with PREEMPT_RT"
kbuild 6 1 CONFIG_IRQ_WORK=
says 'needs CONFIG_PERF_EVENTS, CONFIG_TRACEPOINTS and CONFIG_IRQ_WORK.*Stop'
result "not without required options"

# have INCLUDE: print the features that have.sh detects in headers
have() { "$top/kmod/compat/have.sh" 9.9 cc -nostdinc -I"$1" >"$evidence" 2>&1; }
mkdir -p "$dir/with/linux" "$dir/without/linux" "$dir/none"
for kernel in with without; do
	for header in module perf_event tracepoint mm; do
		: >"$dir/$kernel/linux/$header.h"
	done
done
cat >"$dir/with/linux/mm.h" <<-TEXT
#define VM_MAYWRITE 1
struct vm_area_struct { unsigned long flags; };
static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags) { vma->flags &= ~flags; }
TEXT
have "$dir/with" && grep -qx '#define HAVE_VM_FLAGS_CLEAR 1' "$evidence" && [ "$(grep -c define "$evidence")" = 1 ]
result "features that compile are defined, and no others"
have "$dir/without" && ! grep -q define "$evidence"
result "features that do not compile are not defined"
! have "$dir/none" && grep -q 'cannot use the headers of Linux 9.9' "$evidence"
result "headers that cannot be used at all cause an error"
done_testing
