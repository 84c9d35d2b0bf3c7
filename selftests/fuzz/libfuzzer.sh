# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the fuzzers' scripts: check for libFuzzer, build a program with it, and run the
# program.  The script must set "here" to its directory.  FUZZ_SEED=0 selects a random seed.
top=$(cd "$here/../.." && pwd)
out=$top/build/fuzz
flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -DPM_NO_TIME_CHECKS -w -I$top -I$top/user -I$top/user/include -I$top/include/uapi"
sanitize='-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined'
mkdir -p "$out"

# Compile relative to the checkout, to find objects that another checkout has cached.
export CCACHE_DIR="${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ccache}" CCACHE_NOHASHDIR=1
export CCACHE_BASEDIR="$top"
compiler=$(command -v ccache || :)

if ! echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p && n; }' |
	clang -x c -fsanitize=fuzzer -o /dev/null - 2>/dev/null; then
	echo "1..0 # SKIP no libFuzzer: clang and its libclang-rt-*-dev are not installed"
	exit 4
fi

# tail_of LOG [LINES]: print the last lines of LOG as comments
tail_of() {
	tail -n "${2:-20}" "$1" | sed 's/^/# /'
}

# it_does_not_build LOG: report a build failure and exit
it_does_not_build() {
	tail_of "$1"
	printf '1..1\nnot ok 1 - it builds\n'
	exit 1
}

# compile DIR OPTIONS FILE...: compile the files with the sanitizers to build/fuzz/DIR/*.o.  Empty
# DIR before, and exit on failure.
compile() {
	objects=$out/$1 options=$2
	shift 2
	rm -rf "$objects"
	mkdir -p "$objects"
	for file; do
		# Compile in the same directory of each checkout, because relative paths must match
		# in the cache.
		# shellcheck disable=SC2086
		(cd "$top" && $compiler clang $flags $options $sanitize -c -o "$objects/$(basename "$file" .c).o" "$file") \
			>"$objects.log" 2>&1 || it_does_not_build "$objects.log"
	done
}

# run_fuzzer OPTION...: run the fuzzer, set "runs" to the number of inputs, and return its status
run_fuzzer() {
	nice "$out/fuzz-$name" -seed="${FUZZ_SEED:-1}" -print_final_stats=1 -artifact_prefix="$out/$name/" "$@" "$out/$name" \
		>"$out/$name.log" 2>&1
	fuzzed=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name.log")
	return $fuzzed
}

# fuzz NAME SECONDS MINIMUM WHAT OPTION...: run build/fuzz/fuzz-NAME for SECONDS.  It must try at
# least MINIMUM inputs, for which it may take up to forty times as long on a busy machine.
fuzz() {
	name=$1 seconds=$2 least=$3 what=$4 begun=$(date +%s)
	shift 4
	run_fuzzer -max_total_time="$seconds" "$@"
	status=$?
	if [ $status = 0 ] && [ "${runs:-0}" -le "$least" ]; then
		run_fuzzer -runs=$((least + 1)) -max_total_time=$((40 * seconds)) "$@"
		status=$?
	fi
	seconds=$(($(date +%s) - begun))
	if [ $status = 0 ] && [ "${runs:-0}" -gt "$least" ]; then
		echo "ok 1 - $runs $what in $seconds s"
	else
		tail_of "$out/$name.log" 40
		echo "not ok 1 - ${runs:-no} $what in $seconds s"
		[ $status != 0 ] || status=1
	fi
	echo "1..1"
	exit $status
}
