#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that need no archive answer what PCP's own library answers, to the last
# bit, whatever the arguments: one source, built against both, with random ones.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
seed=${PURE_SEED:-1}
times=${PURE_TIMES:-5000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TZ=UTC
count=0 failed=0

if [ ! -e /usr/include/pcp/pmapi.h ] || ! command -v cc >/dev/null; then
	echo "1..0 # SKIP no PCP to compare with: libpcp3-dev and a compiler are not installed"
	exit 4
fi

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=1
		echo "not ok $count - $2"
	fi
}

# compile SOURCE NAME FLAG...: as NAME_shim and NAME_pcp
compile() {
	source=$here/peer/$1.c name=$2
	shift 2
	cc -O1 "$@" -I"$here/../../user/include" -o "$work/${name}_shim" "$source" \
		-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lm &&
		cc -O1 "$@" -o "$work/${name}_pcp" "$source" -lpcp -lm
}

# compare PROGRAM WHAT: the same lines from both
compare() {
	timeout 100 env LD_PRELOAD="$work/still_time.so" "$work/$1_pcp" "$2" "$seed" "$times" >"$work/pcp" 2>"$work/pcp-errors"
	timeout 100 env LD_PRELOAD="$work/still_time.so" "$work/$1_shim" "$2" "$seed" "$times" >"$work/shim" 2>"$work/shim-errors"
	if [ "$(wc -l <"$work/shim")" -ge "$times" ] && cmp -s "$work/pcp" "$work/shim"; then
		result 0 "$2: $times random calls, seed $seed"
		return
	fi
	diff -a "$work/pcp" "$work/shim" | head -n "${PURE_SHOW:-10}" | sed 's/^/# /'
	result 1 "$2: $times random calls, seed $seed"
}

cc -O1 -shared -fPIC -o "$work/still_time.so" "$here/peer/still_time.c" && compile pure pure &&
	compile window window && compile options options && compile options options3 -DPMAPI_VERSION=3
result $? "the programs are built"
for what in convscale number eventflags units unitsagain interval strings words debug names metricspec extract; do
	compare pure "$what"
done
for what in window live fixeddate freedate zone; do
	compare window "$what"
done
compare options getopt
compare options options
compare options3 options
# Programs of PCP's test suite, as they are, if it is installed or unpacked at PCP_TESTSUITE
suite=${PCP_TESTSUITE:-/var/lib/pcp/testsuite}

# program NAME ARGUMENT...: prints the same with both libraries
program() {
	name=$1
	shift
	cc -w -I"$here/../../user/include" -o "$work/shim-dir/$name" "$suite/src/$name.c" \
		-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lm &&
	cc -w -o "$work/pcp-dir/$name" "$suite/src/$name.c" -lpcp -lm &&
	timeout 60 "$work/pcp-dir/$name" "$@" >"$work/pcp" 2>&1
	timeout 60 "$work/shim-dir/$name" "$@" >"$work/shim" 2>&1
	code=$?
	sed -i "s|$work/[a-z]*-dir/||g" "$work/pcp" "$work/shim"
	[ $code -lt 124 ] && cmp -s "$work/pcp" "$work/shim" && result 0 "the suite's $name $*" && return
	diff -a "$work/pcp" "$work/shim" | head -n "${PURE_SHOW:-10}" | sed 's/^/# /'
	result 1 "the suite's $name $*"
}

if [ -d "$suite/src" ]; then
	mkdir "$work/shim-dir" "$work/pcp-dir"
	archive=$suite/archives/ace_v2
	program badUnitsStr_r
	program numberstr 99999.5
	program parseinterval 5min 1x "1 hour 3"
	program parsehighresinterval 5min 1foo
	program parsemetricspec 'h:m[i,"j k"]' 0 s
	program pmconvscale
	program pmfstring "$suite/src/pmfstring.c"
	program pmsprintf
	program pmstrn 10 abc def
	program units-parse parse '2 mbytes / sec'
	program units-parse tuple 1 -1 0 2 3 0
	program getoptions -a "$archive" -S 5 -t 2min
	program getoptions -s x -k
	program whichtimezone "$archive"
	# no errors: their texts are our own
	program xval 7 1000
	program wrap_int
	program labels -a "$archive"
	program mergelabelsets
	program indom2int 1.2
	program pmid2int 1.2.3
fi
echo "1..$count"
exit $failed
