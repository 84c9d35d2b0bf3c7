#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the kernel's selftests on another kernel than Debian 12's own; called by make test, make
# test-attack, make test-clang, make test-debug, make test-nmi, make test-kcsan, make test-newer, make
# fuzz-kernel and make soak.
#
# usage: kernel.sh attack|clang|debug|shaken|nmi|kcsan|fuzz|soak|newer|newer-some|newer-arm64|newer-pmu
#                  [DIR|DIR/PROGRAM...]
#
# "debug" is the arm64 kernel that scripts/build-debug-kernel.sh builds, with two CPUs and without
# counting instructions, to provoke races.  "shaken" is a selection of its tests that finds most
# errors in a few minutes.  "nmi" runs the tests that depend on unmaskable interrupts of the PMU, on
# a kernel that has them.  "soak" runs the races for SOAK_MINUTES (10), the random fuzzer with
# 20,000 calls per minute, 1000 reloads of the module, and the coverage-guided fuzzer for
# SOAK_MINUTES; "fuzz" runs only the latter, for FUZZ_SECONDS (300).  "attack" runs the tests that
# attack the module, on four CPUs, with ATTACK_TRIES (10000) of each overflow.  "kcsan" is a kernel
# that reports data races, with the tests that race.  "clang" is the debug kernel, compiled by clang
# like the module.  "newer" and "newer-arm64" are kernels of Debian's backports, of the series NEWER
# (scripts/fetch-newer.sh); "newer-some" is a two-minute selection of the former's tests.
# "newer-pmu" runs the tests of the latter that depend on the PMU, and one that loads the BPF
# programs of "vcpc why", which each kernel series verifies differently.  With RESULTS in the
# environment, results are appended there; otherwise their sum is printed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kind=$1 name=''
shift
results=${RESULTS:-$(mktemp)}
[ -n "${RESULTS:-}" ] || trap 'rm -f "$results"' EXIT

[ -n "${RESULTS:-}" ] || "$top/scripts/setup.sh" build module tests lab newer

# say_how_far: report progress every minute while a kernel is built for the first time
say_how_far() {
	minutes=0
	while sleep 60 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		minutes=$((minutes + 1))
		for build in "${XDG_CACHE_HOME:-$HOME/.cache}"/vcpc/kernels/*/*/build; do
			[ -d "$build" ] && [ ! -h "$build" ] && [ ! -e "$build/../.done" ] || continue
			echo "kernel: $minutes minutes, $(find "$build" -name '*.o' | wc -l) of some 1200 files compiled" >&2
		done
	done
}
say_how_far &
watcher=$!
case $kind in
debug)
	arch=arm64 folders='vcpc bpf trace cpc shim aix'
	kernel=$("$top/scripts/build-debug-kernel.sh")
	export TEST_TIMEOUT=1800 VM_OPTIONS='--no-icount --cpus 2 --timeout 7200'
	;;
shaken)
	arch=arm64 kind=debug
	folders='vcpc/kunit.sh vcpc/failslab vcpc/failslab_large vcpc/races vcpc/fuzz vcpc/attack_exit vcpc/ended_alive vcpc/inherit vcpc/leader vcpc/unload'
	kernel=$("$top/scripts/build-debug-kernel.sh")
	export TEST_TIMEOUT=1800 VM_OPTIONS='--no-icount --cpus 2 --timeout 7200' VM_ENVIRONMENT='FUZZ_CALLS=7000 ATTACK_TRIES=50'
	;;
clang)
	arch=arm64
	folders='vcpc/kunit.sh vcpc/failslab vcpc/races vcpc/fuzz vcpc/attack_table vcpc/ended_alive vcpc/inherit vcpc/overflow vcpc/sample vcpc/trace vcpc/trace_tag vcpc/unload vcpc/reload.sh'
	"$top/scripts/setup.sh" clang
	kernel=$("$top/scripts/build-debug-kernel.sh" clang)
	export LLVM=1 TEST_TIMEOUT=1800 VM_OPTIONS='--no-icount --cpus 2 --timeout 7200' VM_ENVIRONMENT='FUZZ_CALLS=7000 RELOADS=3'
	;;
attack)
	arch=arm64 kind=debug name=arm64-attack
	folders='vcpc/attack_exit vcpc/attack_exec vcpc/attack_table vcpc/ended_alive vcpc/stall vcpc/storm vcpc/bounded vcpc/closing vcpc/closing_later vcpc/limits vcpc/mayhem vcpc/policy'
	kernel=$("$top/scripts/build-debug-kernel.sh")
	export TEST_TIMEOUT=100000 VM_OPTIONS='--no-icount --cpus 4 --timeout 100000'
	export VM_ENVIRONMENT="ATTACK_TRIES=${ATTACK_TRIES:-10000} ATTACK_ROUNDS=${ATTACK_ROUNDS:-10} MAYHEM_ROUNDS=${ATTACK_ROUNDS:-10}"
	;;
nmi)
	arch=arm64 kind=debug name=arm64-nmi
	folders='vcpc/kunit.sh vcpc/overflow vcpc/overflow_signaled vcpc/overflow_late vcpc/overflow_inherited vcpc/stolen vcpc/known_answer vcpc/races vcpc/fuzz'
	kernel=$("$top/scripts/build-debug-kernel.sh")
	export TEST_TIMEOUT=1800 VM_OPTIONS='--nmi --no-icount --cpus 2 --timeout 7200' VM_ENVIRONMENT=FUZZ_CALLS=20000
	;;
kcsan)
	arch=arm64
	folders="vcpc/races $(cd "$here/.." && echo vcpc/overflow*.c | sed 's/\.c//g') vcpc/exit_races vcpc/attack_exit vcpc/attack_exec
		vcpc/ended_alive vcpc/inherit vcpc/sample"
	kernel=$("$top/scripts/build-debug-kernel.sh" kcsan)
	# Do not panic on KCSAN's reports, which are warnings; splats.deny matches reports about the
	# module.  KCSAN samples ten times as often as by default, and waits longer, because
	# emulated CPUs do not run at the same speed.
	export TEST_TIMEOUT=1800 VM_OPTIONS="--no-icount --cpus 3 --timeout 10000" VM_APPEND='panic_on_warn=0 log_buf_len=16M kcsan.skip_watch=400 kcsan.udelay_task=300 kcsan.udelay_interrupt=80'
	export VM_ENVIRONMENT="RACES_SECONDS=${RACES_SECONDS:-60} ATTACK_TRIES=${ATTACK_TRIES:-300}" VM_DMESG="$top/build/logs/kcsan-dmesg.log"
	export KCFLAGS=-g
	;;
fuzz)
	kill $watcher
	exec "$here/fuzz.sh" run
	;;
soak)
	arch=arm64 folders='vcpc/races vcpc/fuzz vcpc/reload.sh vcpc/churn vcpc/hammer vcpc/kunit.sh'
	kernel=$("$top/scripts/build-debug-kernel.sh")
	minutes=${SOAK_MINUTES:-10} seed=${SOAK_SEED:-$(date +%s)}
	echo "soak: seed $seed"
	export TEST_TIMEOUT=100000 VM_OPTIONS='--no-icount --cpus 2 --timeout 100000'
	export VM_ENVIRONMENT="RACES_SECONDS=$((minutes * 60)) RACES_SEED=$seed FUZZ_SEED=$seed FUZZ_CALLS=$((minutes * 20000)) RELOADS=1000"
	;;
newer)
	arch=x86_64 folders='vcpc bpf why agent'
	kernel=$("$top/scripts/fetch-newer.sh" $arch)
	export TEST_TIMEOUT="${TEST_TIMEOUT:-1800}" VM_ENVIRONMENT="FUZZ_CALLS=200000 ${VM_ENVIRONMENT:-}"
	;;
newer-some)
	arch=x86_64 kind=newer
	folders='vcpc/bind_self vcpc/bounded vcpc/closing vcpc/closing_later vcpc/debugfs vcpc/ended_alive vcpc/exec vcpc/exec_threads
		vcpc/exit_races vcpc/fuzz vcpc/inherit vcpc/large vcpc/limits vcpc/namespaces vcpc/overflow vcpc/overflow_inherited
		vcpc/policy vcpc/races vcpc/restart vcpc/sample vcpc/set_create vcpc/stall vcpc/time_namespace vcpc/trace
		vcpc/trace_counts vcpc/trace_limits vcpc/trace_tag vcpc/tree vcpc/unload vcpc/reload.sh bpf/bounds bpf/counted bpf/counts
		bpf/open_list bpf/released bpf/pinned.sh why/functions why/made_up_stack why/parts why/stacks'
	kernel=$("$top/scripts/fetch-newer.sh" $arch)
	export TEST_TIMEOUT=1800 VM_ENVIRONMENT='FUZZ_CALLS=60000 MANY=100000 BRIEF=1'
	;;
newer-arm64)
	arch=arm64 kind=newer folders='vcpc bpf cpc aix trace shim'
	kernel=$("$top/scripts/fetch-newer.sh" $arch)
	export TEST_TIMEOUT=1800 VM_ENVIRONMENT=FUZZ_CALLS=200000
	;;
newer-pmu)
	arch=arm64 kind=newer folders='vcpc/known_answer vcpc/sample vcpc/inherit vcpc/tree vcpc/stolen vcpc/storm vcpc/limits
		vcpc/overflow vcpc/overflow_inherited vcpc/overflow_late vcpc/overflow_signaled vcpc/unload vcpc/fuzz bpf/local'
	kernel=$("$top/scripts/fetch-newer.sh" $arch)
	export TEST_TIMEOUT=1800 VM_PAUTH=1 VM_ENVIRONMENT=FUZZ_CALLS=50000
	;;
*)
	kill $watcher
	echo "usage: kernel.sh attack|clang|debug|shaken|nmi|kcsan|fuzz|soak|newer|newer-some|newer-arm64|newer-pmu [DIR...]" >&2
	exit 2
	;;
esac
kill $watcher
build=$top/build/$arch-$kind
[ "$kind" != newer ] || build=$build-$("$top/scripts/fetch-newer.sh" series)
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $folders

log=$top/build/logs/$arch-$kind.log
mkdir -p "$top/build/logs"
make_for() { make -C "$top" --no-print-directory ARCH=$arch "$@"; }
{
	make_for OUT="$build" KDIR="$kernel/build" WERROR=1 KUNIT="$([ "$kind" = newer ] || echo 1)" module &&
		{ [ -n "${RESULTS:-}" ] || make_for -j"$(nproc)" lib tools tests; }
} >"$log" 2>&1 || { tail -n 30 "$log"; "$top/selftests/matrix.sh" --add "$top/build/matrix" $arch "$(basename "$(cd "$kernel" && pwd -P)")" no no; echo "fail $arch-$kind kmod/build does not build for $kernel" >>"$results"; exit 1; }
# Ignore one warning: the kernel's own makefile reports if the compiler or pahole differ from those
# that built the kernel.
if grep 'warning:' "$log" | grep -v 'differs from the one used'; then
	echo "fail $arch-$kind kmod/build warns for $kernel" >>"$results"
fi

export VM_NAME="${name:-$arch-$kind}" VM_KERNEL="$kernel" VM_MODULE="$build/vcpc.ko"
folders=
for folder; do
	# PCP's agents need this machine's programs, so they run only in VMs of the same
	# architecture.
	case ${name:-$kind}/$folder in
	*/agent)
		[ "$(uname -m)" != "$arch" ] || "$here/agent.sh" "$top/build/$arch" "$results"
		;;
	arm64-nmi/vcpc/overflow_late)
		# Use a VM with -icount, because only there can the delay of an overflow's detection
		# be measured.
		VM_OPTIONS='--nmi --cpus 1 --timeout 7200' "$here/test.sh" $arch "$top/build/$arch" "$results" "$folder"
		;;
	soak/vcpc/reload.sh)
		# Disable KUnit, which would run the module's suites at each load and take ten times
		# as long as everything else.
		VM_APPEND=kunit.enable=0 "$here/test.sh" $arch "$top/build/$arch" "$results" "$folder"
		;;
	*)
		folders="$folders $folder"
		;;
	esac
done
# shellcheck disable=SC2086
[ -z "$folders" ] || "$here/test.sh" $arch "$top/build/$arch" "$results" $folders
case $kind in
kcsan)
	[ ! -e "$VM_DMESG" ] || "$here/kcsan-reports.sh" "$VM_DMESG" "$VM_MODULE"
	;;
soak)
	RESULTS=$results "$here/fuzz.sh" run $((minutes * 60)) || :
	;;
esac
[ -n "${RESULTS:-}" ] || "$top/selftests/summary.sh" "$top/selftests/may-skip" "$results"
