#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz the module in the arm64 debug kernel, with libFuzzer and KCOV; called by kernel.sh.
#
# usage: fuzz.sh run [SECONDS]     fuzz (default: FUZZ_SECONDS, or 300), in VMs of SLICE (900) seconds
#        fuzz.sh again FILE [RUNS] run one input RUNS (100) times
#        fuzz.sh print FILE...     print an input as text
#        fuzz.sh coverage          print the functions of kmod/ that all runs together have reached
#
# The corpus is kept in build/fuzz/kernel/corpus between runs.  The program stores an input that it
# reports in build/fuzz/kernel/crash-*.  The last inputs before a kernel crashed or hung are
# build/fuzz/kernel/stopped-*/last-00 and so on; last-00 is the latest.  FUZZ_SEED=0 (the default)
# selects a random seed.  FUZZ_VM sets VM options: on a busy host, "--cpus 2" (CPUs run alternately,
# and instructions count as time) is faster than the default with three concurrent CPUs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
source=$top/selftests/fuzz/kernel
out=$top/build/fuzz/kernel
results=${RESULTS:-/dev/null}
what=${1:-run}
[ $# = 0 ] || shift
mkdir -p "$out/corpus" "$top/build/logs"

# Functions check each command's failure explicitly, because "set -e" has no effect where a caller
# uses their status.
build_tool() {
	gcc -std=gnu11 -O1 -Wall -Wextra -o "$out/tool" "$source/tool.c" "$source/program.c"
}

build() {
	kernel=$("$top/scripts/build-debug-kernel.sh" debug) || return
	# Omit the module's KUnit suites, which would count as not covered.
	make -C "$top" --no-print-directory ARCH=arm64 OUT="$top/build/arm64-fuzz" KDIR="$kernel/build" WERROR=1 module || return
	libs=$("$top/scripts/fetch-fuzzer.sh") || return
	if [ "$(uname -m)" = aarch64 ]; then cc=gcc; else cc=aarch64-linux-gnu-gcc; fi
	# shellcheck disable=SC2086
	$cc -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -static -I"$top/include/uapi" -I"$top/selftests/harness" \
		-o "$out/fuzz-kernel" "$source"/kernel.c "$source"/world.c "$source"/acts.c "$source"/others.c "$source"/kcov.c \
		"$source"/program.c "$top/selftests/vcpc/fuzz/contract.c" $libs -lm -lpthread &&
		$cc -O1 -static -o "$out/helper" "$source/helper.c" && build_tool
}

# in_vm SECONDS OPTION...: run the fuzzer in a VM, with the corpus in $out/corpus
in_vm() {
	seconds=$1
	shift
	rm -rf "$out/vm"
	# shellcheck disable=SC2086
	"$here/run" --arch arm64 --kernel "$kernel" ${FUZZ_VM:---no-icount --cpus 3} --append slub_debug=- --module "$top/build/arm64-fuzz/vcpc.ko" \
		--with "$out/fuzz-kernel" --with "$out/helper" --with "$out/helper:/root/helper-root" \
		--with "$out/corpus:/corpus" --with "$source/guest.sh:/root/guest.sh" --out "$out/vm" --trail "$out/vm/trail" \
		--timeout $((seconds * 3 + 1200)) -- sh ./guest.sh "$@" >"$out/console.log" 2>&1
}

# Save the VM's results, and report findings.
keep() {
	for file in "$out"/vm/crash-* "$out"/vm/timeout-* "$out"/vm/oom-*; do
		[ ! -e "$file" ] || { cp "$file" "$out/"; echo "fuzz: found $out/${file##*/}"; "$out/tool" print "$file"; }
	done
	if [ -d "$out/vm/corpus" ]; then
		rm -rf "$out/corpus"
		cp -r "$out/vm/corpus" "$out/corpus"
	fi
	if [ -e "$out/vm/coverage" ]; then
		sort -nu -o "$out/covered" "$out/covered" "$out/vm/coverage"
	fi
}

stopped() {
	place=$out/stopped-$(date +%m%d-%H%M%S)
	mkdir -p "$place"
	cp "$out/console.log" "$place/"
	[ ! -e "$out/vm/trail" ] || "$out/tool" trail "$out/vm/trail" "$place"
	echo "fuzz: the kernel stopped or logged an error: $place"
	tail -n 60 "$out/console.log"
	if [ -e "$place/last-00" ]; then "$out/tool" print "$place/last-00"; fi
}

run() {
	rest=$1 slice=${SLICE:-900} inputs=0
	"$out/tool" seeds "$out/corpus"
	# Discard the offsets of another build, because offsets are valid only for one build of the
	# module.
	key=$(sha256sum <"$top/build/arm64-fuzz/vcpc.ko")
	[ "$(cat "$out/.key" 2>/dev/null)" = "$key" ] || : >"$out/covered"
	echo "$key" >"$out/.key"
	while [ "$rest" -gt 0 ]; do
		[ "$rest" -gt "$slice" ] || slice=$rest
		rest=$((rest - slice))
		status=0
		in_vm "$slice" -max_total_time="$slice" -seed="${FUZZ_SEED:-0}" /out/corpus || status=$?
		keep
		n=$(sed -n 's/.*stat::number_of_executed_units: *//p' "$out/console.log" | tail -n 1 | tr -d '\r')
		inputs=$((inputs + ${n:-0}))
		echo "fuzz: $inputs inputs so far, $(find "$out/corpus" -type f | wc -l) in the corpus"
		# Report calls that never succeed as an error of the fuzzer, because they cover
		# nothing.
		if [ $status = 0 ] && grep -av 'an unknown ioctl' "$out/console.log" | grep 'calls, *0 worked'; then
			echo "fuzz: some calls never worked"
			status=1
		fi
		if [ $status != 0 ]; then
			if [ -n "$n" ]; then tail -n 40 "$out/console.log"; else stopped; fi
			echo "fail arm64-debug fuzz/kernel status $status after $inputs inputs" >>"$results"
			exit 1
		fi
	done
	echo "pass arm64-debug fuzz/kernel $inputs inputs in $1 s" >>"$results"
	coverage | tail -n 1
}

coverage() {
	"$here/fuzz-coverage.sh" "$top/build/arm64-fuzz/module/kmod" "$top/build/arm64-fuzz/vcpc.ko" "$out/covered"
}

case $what in
run)
	build >"$top/build/logs/fuzz.log" 2>&1 || { tail -n 30 "$top/build/logs/fuzz.log"; exit 1; }
	run "${1:-${FUZZ_SECONDS:-300}}"
	;;
again)
	build >"$top/build/logs/fuzz.log" 2>&1 || { tail -n 30 "$top/build/logs/fuzz.log"; exit 1; }
	"$out/tool" print "$1"
	cp "$1" "$out/corpus/again"
	status=0
	in_vm 300 -runs="${2:-100}" /corpus/again || status=$?
	rm -f "$out/corpus/again"
	tail -n 40 "$out/console.log"
	exit $status
	;;
print)
	build_tool
	"$out/tool" print "$@"
	;;
coverage)
	coverage
	;;
*)
	echo "usage: fuzz.sh run [SECONDS] | again FILE [RUNS] | print FILE... | coverage" >&2
	exit 2
	;;
esac
