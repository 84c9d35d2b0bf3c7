#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that "make test" does: build for both machines, run the tests
# natively, under ASan+UBSan, in both VMs, on a newer and on a debug kernel, and add up.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$here/..
host=$(uname -m | sed 's/aarch64/arm64/')
jobs=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$top/build/logs"
export RECORDED="$top/build/recorded"
rm -rf "$RECORDED"

say() { printf '\n== %s (%ss)\n' "$*" "$(($(date +%s) - started))"; }
started=$(date +%s)

# build LOG MAKE-ARGUMENTS...: quiet unless it fails
build() {
	log=$top/build/logs/$1.log
	shift
	if ! make -C "$top" -j"$jobs" --no-print-directory "$@" >"$log" 2>&1; then
		tail -n 40 "$log"
		echo "test: 'make $*' failed; all of it is in $log"
		echo "0 passed, 1 failed, 0 skipped"
		exit 1
	fi
	grep -E 'warning:' "$log" || :
}

# native WHERE BUILD FOLDER...: programs of these folders, and their shell tests
native() {
	where=$1 out=$2
	shift 2
	# shellcheck disable=SC2046
	set -- $(for folder; do
		find "$out/tests/$folder" -type f -perm -100 ! -name '*.d' 2>/dev/null | sort
		[ "$where" = "$host-asan" ] || find "$here/$folder" -name '*.sh' -perm -100 ! -name recorded.sh 2>/dev/null | sort
	done)
	VCPC_BUILD=$out "$here/run-tests.sh" "$work/$where" "$where" "$@"
}

say "setup"
"$top/scripts/setup.sh"
say "build for x86_64 and arm64"
build x86_64 ARCH=x86_64 all tests
build arm64 ARCH=arm64 all tests

# A VM has one busy CPU: these two run in turn, beside the native tests.  The fuzzer makes its
# million of calls in one of them.
vms() {
	VM_ENVIRONMENT=FUZZ_CALLS=200000 "$here/vm/test.sh" arm64 "$top/build/arm64" "$work/arm64-vm"
	"$here/vm/test.sh" x86_64 "$top/build/x86_64" "$work/x86_64-vm"
}
say "the VMs begin, beside what follows"
TEST_TIMEOUT=900 vms >"$top/build/logs/vms.log" 2>&1 &
vms=$!
say "source: style, structure, documentation"
RESULTS=$work/source "$top/scripts/check.sh" "$top/build/$host" || :
say "native"
native "$host" "$top/build/$host" unit pcp bpf/ways bpf/direct bpf/percentiles tools/trace_json \
	aix/header cpc/pctx trace/agent trace/arguments trace/errstr trace/no_module trace/silent trace/threads archive headers lab
say "native: an archive of any bytes, for a minute"
(TEST_TIMEOUT=600; export TEST_TIMEOUT; native "$host" "$top/build/$host" fuzz)
say "native, with AddressSanitizer and UBSan"
build "$host-asan" SAN=1 lib tests
native "$host-asan" "$top/build/$host-san" unit pcp bpf/ways bpf/direct bpf/percentiles tools/trace_json \
	aix/header cpc/pctx trace/agent trace/arguments trace/errstr trace/no_module trace/silent trace/threads
say "x86_64 VM with a newer kernel"
RESULTS=$work/x86_64-newer "$here/vm/kernel.sh" newer || :
say "arm64 VM with a newer kernel: what depends on its PMU"
RECORDED='' RESULTS=$work/arm64-newer "$here/vm/kernel.sh" newer-pmu || :
say "arm64 VM with a debug kernel"
RECORDED='' RESULTS=$work/arm64-debug "$here/vm/kernel.sh" shaken || :
say "the VMs that began above: arm64, x86_64"
wait $vms || :
cat "$top/build/logs/vms.log"
say "what was recorded in the VMs, beside PCP"
"$here/run-tests.sh" "$work/recorded" "$host" "$here/pcp/recorded.sh"

say "all"
"$here/summary.sh" "$here/may-skip" "$work"/*
