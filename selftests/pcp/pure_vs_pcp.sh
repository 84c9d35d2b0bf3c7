#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that need no archive return the same as in PCP's own library, to the last bit, for random
# arguments.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
evidence=$dir/diff
seed=${PURE_SEED:-1}
times=${PURE_TIMES:-5000}
export TZ=UTC

needs_pcp

# compile SOURCE NAME FLAG...: build NAME_shim and NAME_pcp
compile() {
	source=$here/peer/$1.c name=$2
	shift 2
	cc_shim "$@" -o "$dir/${name}_shim" "$source" &&
		cc_pcp "$@" -o "$dir/${name}_pcp" "$source" -lm
}

# today FILE: replace a phrase in the text of an option, which differs in an older PCP header
today() {
	sed -i 's/metrics source is a PCP log archive/metrics source is a PCP archive/' "$1"
	own_version "$1"
}

# compare PROGRAM WHAT: check that both builds print the same lines.  They may write files in their
# directory.
compare() {
	cd "$dir" || exit
	timeout 900 env LD_PRELOAD="$dir/still_time.so" "$dir/$1_pcp" "$2" "$seed" "$times" >"$dir/pcp" 2>"$dir/pcp-errors"
	timeout 900 env LD_PRELOAD="$dir/still_time.so" "$dir/$1_shim" "$2" "$seed" "$times" >"$dir/shim" 2>"$dir/shim-errors"
	cd "$OLDPWD" || exit
	today "$dir/pcp"
	diff -a "$dir/pcp" "$dir/shim" >"$dir/diff" && [ "$(wc -l <"$dir/shim")" -ge "$times" ]
	result "$2: $times random calls, seed $seed"
}

cc -O1 -shared -fPIC -o "$dir/still_time.so" "$here/peer/still_time.c" && compile pure pure &&
	compile window window && compile options options && compile options options3 -DPMAPI_VERSION=3
result "the programs are built"
for what in convscale convpairs number numbers texts eventflags units unitsagain interval identifiers times strings words debug names metricspec extract printed signs; do
	compare pure "$what"
done
for what in window live fixeddate freedate zone; do
	compare window "$what"
done
compare options getopt
compare options options
compare options3 options
compare options parts
# Run unmodified programs of PCP's test suite.
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/peer/suite.sh"

# program NAME ARGUMENT...: check that it prints the same with both libraries
program() {
	name=$1
	shift
	cc_shim -w -o "$dir/shim-dir/$name" "$testsuite/src/$name.c" &&
	cc_pcp -w -o "$dir/pcp-dir/$name" "$testsuite/src/$name.c" -lm &&
	timeout 900 "$dir/pcp-dir/$name" "$@" >"$dir/pcp" 2>&1
	timeout 900 "$dir/shim-dir/$name" "$@" >"$dir/shim" 2>&1
	code=$?
	# A newer libpcp has larger variables, about which the loader prints warnings.
	today "$dir/pcp"
	sed -i "s|$dir/[a-z]*-dir/||g; /Symbol .* has different size in shared object/d" "$dir/pcp" "$dir/shim"
	diff -a "$dir/pcp" "$dir/shim" >"$dir/diff" && [ $code -lt 124 ]
	result "the suite's $name $*"
}

if [ -d "$testsuite/src" ]; then
	mkdir "$dir/shim-dir" "$dir/pcp-dir"
	archive=$suite/ace_v2
	program badUnitsStr_r
	program numberstr 99999.5
	program parseinterval 5min 1x "1 hour 3"
	program parsehighresinterval 5min 1foo
	program parsemetricspec 'h:m[i,"j k"]' 0 s
	program pmconvscale
	program pmfstring "$testsuite/src/pmfstring.c"
	program pmsprintf
	program pmstrn 10 abc def
	program units-parse parse '2 mbytes / sec'
	program units-parse tuple 1 -1 0 2 3 0
	program getoptions -a "$archive" -S 5 -t 2min
	program getoptions -s x -k
	program whichtimezone "$archive"
	# Do not compare error codes, whose texts differ.
	program xval 7 1000
	program wrap_int -u
	program labels -a "$archive"
	program mergelabelsets
	program indom2int 1.2
	program pmid2int 1.2.3
fi
done_testing
