#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# "make test": build for both architectures, run the tests natively, with ASan and UBSan, in both
# VMs, on a newer and on a debug kernel, and add up the results.
#
# The last lines are always the time of each stage, the results of each place and directory, and the
# sum, "N passed, N failed, N skipped".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$here/..
host=$(uname -m | sed 's/aarch64/arm64/')
jobs=$(nproc)
logs=$top/build/logs
mkdir -p "$logs"
export RECORDED="$top/build/recorded"
# A test that takes longer is considered to hang.  Tests on busy machines do not take that long.
export TEST_TIMEOUT=1800
# VMs that hang or are too slow are stopped at this time and reported as failed.
VM_DEADLINE=$(($(date +%s) + ${TEST_MINUTES:-80} * 60))
export VM_DEADLINE

# Directories whose programs load BPF programs (bpf, tools, agent) are tested in a VM.
native_folders='unit pcp fail misuse aix/header cpc/pctx trace/agent trace/agent_callers trace/arguments trace/cancelled trace/errstr trace/no_module trace/silent trace/threads'

# These tests load BPF programs, and run with the sanitizers and without the module.  They execute
# all code of the library that reads maps; make test-memory runs the others with the sanitizers.
asan_folders='bpf/direct tools/trace_json unit/core_bpf_reader unit/core_bpf_names'
# These tests count on CPUs and other processes, for which root needs a capability.
counting='fail/contexts fail/counters'
# These tests run natively only with the sanitizers, and make the same checks there.  make test-rest runs
# them without.
only_asan='unit/archive_crash unit/archive_cursor unit/archive_damage'
# This test sends a signal at each instruction of the library.  Many instructions would be those of the
# sanitizers, so it runs only without them.
not_asan=unit/core_traced
# The arm64 VM omits these tests, because they depend neither on the PMU nor on the architecture, or
# because they also run on arm64 with Linux 6.12 or the debug kernel.  make test-rest runs them.
not_on_arm64='vcpc/exit_races vcpc/hammer vcpc/races vcpc/churn vcpc/closing vcpc/reload.sh vcpc/storm bpf/closed bpf/counted bpf/direct
	bpf/direct_counts bpf/evicted bpf/functions bpf/host_list.sh bpf/local bpf/local_busy bpf/moved bpf/onoff bpf/percentiles bpf/processes bpf/released bpf/session.sh bpf/shares
	bpf/time_ns bpf/wanted bpf/ways bpf/ways_events unit/core_bpf_reader unit/core_bpf_names why/planted'
# The x86-64 VM omits these tests, because they take longer there than in the arm64 VM, which has the
# same kernel, or because they also run with the newest kernel on x86-64 and, with few exceptions, in
# the arm64 VM, with AddressSanitizer (asan_folders) or in a VM with a PMU (tools/documented.sh).
# make test-rest runs them.
not_on_x86='bpf/counts bpf/direct bpf/released bpf/scope bpf/users cpc/version_1 cpc/cpustat.sh cpc/cputrack.sh tools/compare.sh
	tools/documented.sh tools/trace_json trace/agent trace/agent_callers unit/core_bpf_reader unit/core_bpf_names vcpc/attack_table vcpc/closing
	vcpc/exit_races vcpc/unbind why/functions why/parts why/stacks'
# Only the debug kernel can make allocations fail.
only_debug='vcpc/failslab vcpc/failslab_large'

# These tests count through perf without the module, with a PMU, on two CPUs, or both.
perf_both='unit/core_perf unit/core_perf_overflow pcp/local cpc/errors cpc/overflow aix/threads'
perf_pmu='unit/core_perf_hw unit/core_perf_multiplex unit/core_perf_multiplex_program unit/core_perf_page shim/record shim/set shim/walk
	pcp/local_processes cpc/closed cpc/counts cpc/ends cpc/life cpc/lists cpc/pages cpc/profile.sh cpc/pctx_counts cpc/version_1
	aix/states aix/stolen aix/tables bpf/direct_counts'
perf_cpus='unit/core_perf_processes shim/archive_check shim/control_group shim/cpu_offline shim/record_several shim/target
	cpc/cpu cpc/hundred_threads cpc/inherit cpc/pctx cpc/pctx_capture cpc/refused aix/header aix/others'
# The results of these tests depend on whether perf's pages can be read.
read_folders='unit/core_perf_hw unit/core_perf_page shim/set cpc/counts cpc/life aix/stolen'

# The results of these tests depend on whether the module or perf's pages count a set.
both_folders='shim/best shim/record shim/set shim/target shim/walk cpc/closed cpc/counts cpc/ends cpc/errors cpc/inherit cpc/life cpc/lists
	cpc/overflow cpc/overflow_inherit cpc/pctx_counts aix/others aix/states aix/stolen aix/tables aix/threads'

# stage LANE TEXT COMMAND...: print a heading, and record the time for the summary
stage() {
	lane=$1 text=$2
	[ "$lane" = main ] || text="parallel: $text"
	shift 2
	echo "$text" >"$work.stage.$lane"
	before=$(date +%s)
	printf '\n== %s (%ss)\n' "$text" "$((before - started))"
	# Use a subshell, so that "times" excludes other lanes.  Its second line is the time of
	# ended children.
	("$@"; times >"$work.cpu.$lane")
	awk -v text="$text" -v took="$(($(date +%s) - before))" '
		{ gsub(/[ms]/, " "); cpu = $1 * 60 + $2 + $3 * 60 + $4 }
		END { printf "%6d s, %5d s of CPU  %s\n", took, cpu, text }' "$work.cpu.$lane" >>"$work.times.$lane"
	rm "$work.stage.$lane"
}

# build LOG MAKE-ARGUMENTS...: build, and print output only if it fails
build() {
	log=$logs/$1.log
	shift
	if ! make -C "$top" -j"$jobs" --no-print-directory "$@" >"$log" 2>&1; then
		tail -n 40 "$log"
		echo "test: 'make $*' failed; the complete output is in $log"
		exit 1
	fi
	grep -E 'warning:' "$log" || :
}

# For the other architecture, build only programs that its VMs run; with sanitizers, only programs
# that run with them.
build_all() {
	for arch in x86_64 arm64; do
		if [ "$arch" = "$host" ]; then build "$arch" ARCH="$arch" all tests
		else build "$arch" ARCH="$arch" all tests TESTS="vcpc bpf cpc aix trace shim tools why unit/core_bpf_reader unit/core_bpf_names $perf_both $perf_pmu $perf_cpus"; fi
	done
	build x86_64-pmu ARCH=x86_64 vm-pmu
	build "$host-asan" SAN=1 lib tools tests TESTS="$native_folders $asan_folders"
}

# native WHERE BUILD DIR...: run the programs and shell tests of these directories, except those in
# $without, isolated from the tracing of this machine's kernel; those in $counting may count on CPUs
native() {
	where=$1 out=$2 left_out=$(echo "$without $counting" | sed 's/ /\\|/g')
	shift 2
	case " $* " in
	*" fail "*)
		# shellcheck disable=SC2046,SC2086
		MAY_COUNT=1 VCPC_BUILD=$out "$here/apart.sh" "$here/run-tests.sh" "$work/$where" "$where" \
			$(printf "$out/tests/%s\n" $counting) ;;
	esac
	# shellcheck disable=SC2046
	set -- $(for folder; do
		find "$out/tests/$folder" -type f -perm -100 ! -name '*.d' 2>/dev/null | grep -v "/tests/\($left_out\)\$" | sort
		[ "$where" = "$host-asan" ] || find "$here/$folder" -name '*.sh' -perm -100 ! -name recorded.sh 2>/dev/null | sort
	done)
	VCPC_BUILD=$out "$here/apart.sh" "$here/run-tests.sh" "$work/$where" "$where" "$@"
}

# With sanitizers, a leak is also a failure.  Each process that fails takes ten times as long as
# without them, so only a few of the calls that can fail do.  make test-rest includes the others.
asan() {
	VCPC_LEAKS=1 FAIL_POINTS=${FAIL_POINTS:-8} without=$not_asan
	export VCPC_LEAKS FAIL_POINTS
	# shellcheck disable=SC2086
	native "$host-asan" "$top/build/$host-san" $native_folders
	unset VCPC_LEAKS FAIL_POINTS
	VCPC_BUILD=$top/build/$host VCPC_AGENT=$top/build/$host-san/bin/pmdavcpc "$here/apart.sh" "$here/run-tests.sh" \
		"$work/$host-agent-asan" "$host-agent-asan" "$here/pcp/pmda.sh"
}

fuzz() {
	FUZZ_SECONDS=${FUZZ_SECONDS:-5}
	export FUZZ_SECONDS
	native "$host" "$top/build/$host" fuzz
}

bpf_asan() {
	# shellcheck disable=SC2086
	RECORDED='' VM_NAME=$host-vm-asan VM_MODULE=none VM_OPTIONS='--memory 2048' "$here/vm/test.sh" "$host" \
		"$top/build/$host-san" "$work/$host-vm-asan" $asan_folders
}

# without_module ARCH NAME APPEND FOLDERS: run tests that count through perf
without_module() {
	# shellcheck disable=SC2086
	RECORDED='' VM_NAME=$1-perf$2 VM_MODULE=none VM_APPEND="sysctl.kernel.perf_event_paranoid=2 $3" \
		"$here/vm/test.sh" "$1" "$top/build/$1" "$work/$1-perf$2" $4
}

# If the module and perf's pages are available, the cheaper one counts each set.
with_both() {
	# shellcheck disable=SC2086
	RECORDED='' VM_NAME=arm64-both VM_APPEND='sysctl.kernel.perf_user_access=1 sysctl.kernel.perf_event_paranoid=2' \
		"$here/vm/test.sh" arm64 "$top/build/arm64" "$work/arm64-both" $both_folders
}

# Run tests with two kinds of core, whose simulated PMUs are a module, with the vcpc module and
# without it.  Events of another process, such as those of hybrid/estimate, are counted through perf
# in both cases.
kinds_of_core() {
	for module in none "$top/build/x86_64/vcpc.ko"; do
		name=x86_64-hybrid without=
		[ $module = none ] || name=x86_64-hybrid-module without=hybrid/estimate
		RECORDED='' VM_NAME=$name VM_PMU=hybrid VM_MODULE=$module VM_WITHOUT=$without \
			"$here/vm/test.sh" x86_64 "$top/build/x86_64" "$work/$name" hybrid
	done
	# The documented commands need a PMU with one kind of core, which the other x86-64 VM lacks.
	RECORDED='' VM_NAME=x86_64-pmu VM_PMU=one \
		"$here/vm/test.sh" x86_64 "$top/build/x86_64" "$work/x86_64-pmu" tools/documented.sh
}

# lane NAME: start lane_NAME in parallel
lane() {
	setsid "$0" --lane "$1" "$work" "$started" >"$logs/$1.log" 2>&1 &
	lanes="$lanes $!"
	printf '\n== in parallel: %s; the log is %s\n' "$1" "$logs/$1.log"
}

# lane_ends PID NAME: wait for a lane, and print its log
lane_ends() {
	printf '\n== waiting for %s, which was started above (%ss)\n' "$2" "$(($(date +%s) - started))"
	wait "$1" || :
	lanes=$(echo "$lanes " | sed "s/ $1 / /")
	cat "$logs/$2.log"
}

# The runs in VMs, those that take longest first.  A VM keeps one CPU busy, so the lane of VMs takes
# the first of them and then the next, in parallel with the native tests.  After the programs with
# sanitizers, their lane does the same, so that no CPU is idle while native programs wait.
vm_runs='x86_64 arm64 newest debug pages hybrid older vm_asan agent perf_cpus both read'

vm_run() {
	case $1 in
	# Fixed addresses save a tenth of the time, because QEMU translates a program's code once for all
	# of its processes.  The other VMs choose addresses at random.
	x86_64) stage "$2" "x86_64 VM" env VM_APPEND='norandmaps nokaslr' VM_WITHOUT="$not_on_x86 $only_debug" VM_ENVIRONMENT="FUZZ_CALLS=60000 MANY=100000" \
		"$here/vm/test.sh" x86_64 "$top/build/x86_64" "$work/x86_64-vm" vcpc bpf cpc aix trace shim tools why pcp/local pcp/local_processes ;;
	arm64) stage "$2" "arm64 VM" env VM_WITHOUT="$not_on_arm64 $only_debug" VM_ENVIRONMENT="FUZZ_CALLS=60000 MANY=200000 RACES_SECONDS=2 RELOADS=3 BRIEF=1" \
		"$here/vm/test.sh" arm64 "$top/build/arm64" "$work/arm64-vm" \
		vcpc bpf cpc aix trace shim why/parts why/stacks pcp/local pcp/local_processes tools/stat.sh tools/record.sh tools/compare.sh ;;
	newest) stage "$2" "x86_64 VM with Linux $newest: tests that depend on the kernel" kernel x86_64-newer newer-some "$RECORDED" "$newest" ;;
	debug) stage "$2" "arm64 VM with a debug kernel" kernel arm64-debug shaken ;;
	pages) stage "$2" "arm64 VM, perf's pages without the module" without_module arm64 -pages sysctl.kernel.perf_user_access=1 "$perf_both $perf_pmu" ;;
	hybrid) stage "$2" "x86_64 VM, two kinds of core" kinds_of_core ;;
	older) stage "$2" "arm64 VM with Linux $older: tests of its PMU" kernel arm64-newer newer-pmu '' "$older" ;;
	vm_asan) stage "$2" "$host VM, BPF with AddressSanitizer and UBSan" bpf_asan ;;
	agent) stage "$2" "PCP's agent and tracing in one VM" "$here/vm/agent.sh" "$top/build/$host" "$work/agent" ;;
	perf_cpus) stage "$2" "x86_64 VM, perf without the module" without_module x86_64 '' '' "$perf_both $perf_cpus" ;;
	both) stage "$2" "arm64 VM, the module and perf's pages" with_both ;;
	read) stage "$2" "arm64 VM, perf without the module" without_module arm64 '' '' "$read_folders" ;;
	esac
}

# next_run: print the first of the remaining runs, and remove it
next_run() {
	(
		flock 9
		head -n 1 "$work.runs"
		sed -i 1d "$work.runs"
	) 9>"$work.runs.lock"
}

take_runs() {
	while run=$(next_run) && [ -n "$run" ]; do
		vm_run "$run" "$1"
	done
}

lane_vms() {
	take_runs vms
}

# Run programs with sanitizers, which use the CPU most of the time, in parallel with programs that
# mostly wait.
lane_asan() {
	stage asan "native, with AddressSanitizer and UBSan" asan
	take_runs asan
}

# kernel NAME KIND [RECORDED] [SERIES]: run vm/kernel.sh with this kind; failures are written to the
# results
kernel() {
	RESULTS=$work/$1 RECORDED=${3:-} NEWER=${4:-} "$here/vm/kernel.sh" "$2" || [ -s "$work/$1" ] ||
		echo "fail $1 kernel/$2 did not start" >>"$work/$1"
}

source_checks() {
	RESULTS=$work/source "$top/scripts/check.sh" "$top/build/$host" || :
}

# List the tracing objects in this machine's kernel before the tests, and compare afterwards.
host_before() {
	if [ "$(id -u)" = 0 ]; then "$here/host.sh" >"$work.host.before"; fi
}

host_after() {
	name='host/kernel BPF programs, maps, links, probes and pins are unchanged'
	if [ "$(id -u)" != 0 ]; then
		echo "skip $host $name: only root may list them" >>"$work/host"
	elif "$here/host.sh" >"$work.host.after" && diff "$work.host.before" "$work.host.after"; then
		echo "pass $host $name" >>"$work/host"
	else
		echo "test: this machine's kernel has changed (<: removed, >: added)"
		echo "fail $host $name" >>"$work/host"
	fi
}

recorded() {
	"$here/apart.sh" "$here/run-tests.sh" "$work/recorded" "$host" "$here/pcp/recorded.sh"
}

# At the end, and after an interrupt, stop the VMs.
finish() {
	trap - EXIT INT TERM
	for pid in $lanes; do
		kill -TERM -"$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	for lane in main asan vms; do
		[ ! -e "$work.stage.$lane" ] || echo "fail $host make/test ended in stage '$(cat "$work.stage.$lane")'" >>"$work/ended"
	done
	printf '\n== all (%ss)\n' "$(($(date +%s) - started))"
	cat "$work.times.main" "$work.times.asan" "$work.times.vms" 2>/dev/null || :
	status=0
	"$here/summary.sh" "$here/may-skip" "$work"/* || status=1
	rm -rf "$work" "$work".*
	exit $status
}

if [ "${1:-}" = --rest ]; then
	work=$(mktemp -d) without=none
	results=$work/results
	trap 'rm -rf "$work"' EXIT
	for arch in arm64 x86_64; do build $arch ARCH=$arch all tests TESTS="vcpc bpf cpc trace tools why aix/multiplex unit/core_bpf_reader unit/core_bpf_names $only_asan"; done
	build "$host-asan" SAN=1 lib tools tests TESTS=fail
	# shellcheck disable=SC2086
	{
		native "$host" "$top/build/$host" $only_asan
		VCPC_LEAKS=1 native "$host-asan" "$top/build/$host-san" fail
		cat "$work/$host" "$work/$host-asan" >>"$results"
		VM_ENVIRONMENT="MANY=200000 ALL_SETS=1" "$here/vm/test.sh" arm64 "$top/build/arm64" "$results" $not_on_arm64 aix/multiplex
		"$here/vm/test.sh" x86_64 "$top/build/x86_64" "$results" $not_on_x86
	}
	"$here/summary.sh" "$here/may-skip" "$results"
	exit
fi
# The newest kernel on which the module was tested, and the previous one
newest=$(awk '{ print $NF }' "$top/kmod/compat/tested") older=$(awk '{ print $(NF - 1) }' "$top/kmod/compat/tested")
if [ "${1:-}" = --lane ]; then
	work=$3 started=$4
	"lane_$2"
	exit
fi

started=$(date +%s)
work=$(mktemp -d) lanes='' without=$only_asan
trap finish EXIT
trap 'exit 130' INT TERM
rm -rf "$RECORDED" "$top/build/matrix"

echo "test: takes less than half an hour on two otherwise idle processors"
if [ ! -e "${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/kernels/debug/current" ]; then
	echo "test: the first run takes up to an hour: packages and kernels are downloaded (each prints its"
	echo "test: size), and a debug kernel is built, which takes ten minutes and 1.6 GB in ~/.cache/vcpc"
fi
stage main "setup" "$top/scripts/setup.sh"
host_before
stage main "build for x86_64 and arm64, and with AddressSanitizer and UBSan" build_all
echo "$vm_runs" | tr ' ' '\n' >"$work.runs"
lane vms
vms=$!
stage main "source: style, structure, documentation" source_checks
# shellcheck disable=SC2086
lane asan
asan=$!
stage main "native" native "$host" "$top/build/$host" $native_folders archive headers lab python scripts
stage main "native: fuzzing of archives, and of replies of a pmcd and of an agent" fuzz
lane_ends $asan asan
lane_ends $vms vms
stage main "archives recorded in the VMs, compared with PCP" recorded
host_after
