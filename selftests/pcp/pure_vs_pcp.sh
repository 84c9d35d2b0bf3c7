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

# compile SOURCE...: each as NAME_shim and NAME_pcp
compile() {
	for name; do
		cc -O1 -I"$here/../../user/include" -o "$work/${name}_shim" "$here/peer/$name.c" \
			-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lm &&
		cc -O1 -o "$work/${name}_pcp" "$here/peer/$name.c" -lpcp -lm || return 1
	done
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

cc -O1 -shared -fPIC -o "$work/still_time.so" "$here/peer/still_time.c" && compile pure window options
result $? "the programs are built"
for what in convscale number eventflags units unitsagain interval strings words debug names metricspec extract; do
	compare pure "$what"
done
for what in window live fixeddate freedate zone; do
	compare window "$what"
done
compare options getopt
compare options options
echo "1..$count"
exit $failed
