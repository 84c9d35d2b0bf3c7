#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of PCP's test suite that use only public calls: unchanged, they compile
# against our headers, and print the same with libshim as with PCP's own library.
#
# usage: suite_programs.sh [PROGRAM...]
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
# shellcheck source=peer/suite.sh disable=SC2154
. "$here/peer/suite.sh"
src=${suite%/archives}/src
evidence="$dir/log"
export PCP_DERIVED_CONFIG='' TZ=UTC

# program and arguments, in a copy of the archives' folder
runs='
archfetch -z -a gap2 sample.bin pmcd.pdu_in.total
archfetch -z -a omnibus_v3 sample.bin sample.long.one
archinst -a bozo.client_v2 pmcd.pdu_in.total
archinst -a ok-foo sample.bin sample.colour
mark-bug -z -a mark-bug -s 60 -t 2
exertz
exertz -Z ZST-4
exertz -a babylon.percpu_v2
exertz -a babylon.percpu_v2 -z
getcontexthost babylon.percpu_v2
getcontexthost ok-foo ok-bar
badloglabel ok-foo ok-foo
badloglabel ok-foo ok-bar
lookupnametest -a ok-foo sample.bin
storepast -a ok-foo
archctl_segfault ok-foo
context_fd_leak ok-foo 10
multithread11 ok-foo
getversion
progname
traverse_return_codes
numberstr 1
numberstr 123456
numberstr 1e30
numberstr -99.995
parseinterval 5min
parseinterval 1hour30sec
parseinterval nonsense
parsehighresinterval 1.5sec 2.000000001
units-parse parse 2Mbyte/sec^2
units-parse parse 2e5
units-parse parse -/2
lookupnametest -a ok-foo sample.colour sample.no.such
archinst -a ok-mv-bigbin sample.bin
archfetch -z -a ok-mv-bigbin sample.bin
getconfig NO_SUCH_VAR
getconfig PCP_BIN_DIR
compare 1.5 1.6
chk_metric_types sample.long.one
whichtimezone UTC EST5 CET-1
wrap_int
time_stamp
getoptions -a ok-foo -t 5sec -S 10:00 -z
getoptions -h host -s 3 -V
getoptions -a a,b --align 1min -x
indom -a ok-foo 29.1
indom -a ok-foo sample.bin
labels -a sample-labels sample.bin
labels -a sample-labels
parsemetricspec -a foo/metric.name[one,two]
parsemetricspec host:metric.name
parsemetricspec host:metric[
pmconvscale 100 byte Kbyte
pmconvscale 3.5 hour sec
profilecrash -a pcp-pidstat-process-args
wait_for_values -a ok-foo sample.bin
pmfstring
pmsprintf
pmstrn 4 foobar
pmstrn 80 a b c
pmid2int 60.0.1
int2pmid 251658241
int2indom 251658241
indom2int 60.1
mergelabels {"a":1} {"b":{"c":2}}
mergelabels {"x":"y"}
mergelabelsets
pmprintf foo bar
xval 7b
xval -v 12
pv
sortinst
err 0
badUnitsStr_r
'

if [ ! -e /usr/include/pcp/pmapi.h ] || ! command -v cc >/dev/null; then
	echo "1..0 # SKIP no PCP to compare with: libpcp3-dev and a compiler are not installed"
	exit 4
fi
if [ ! -d "$src" ]; then
	skip "programs of PCP's test suite" "pcp-testsuite is not installed"
	done_testing
fi

# Both forms of a program, once
compile() {
	[ -x "$dir/$1.shim" ] && return
	cc -w -I"$src" -I"$here/../../user/include" -o "$dir/$1.shim" "$src/$1.c" -L"$build/lib" \
		-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lm -lpthread >"$dir/log" 2>&1 &&
		cc -w -I"$src" -o "$dir/$1.pcp" "$src/$1.c" -lpcp -lm -lpthread >"$dir/log" 2>&1
}

# Texts of errors are our own: a rule for each, to put its number in its place
texts() {
	cat >"$dir/texts.c" <<'END'
#include <pcp/pmapi.h>
int main(void)
{
	for (int code = -12345; code > -12460; code--)
		printf("s/%s/ERROR %d/g\n", pmErrStr(code), code);
}
END
	cc -w -I"$here/../../user/include" -o "$dir/texts.shim" "$dir/texts.c" -L"$build/lib" \
		-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim && "$dir/texts.shim" >"$dir/texts-shim" &&
	cc -w -o "$dir/texts.pcp" "$dir/texts.c" -lpcp && "$dir/texts.pcp" >"$dir/texts-pcp"
}

# What is on standard output, and how it ends
same() {
	program=$1
	shift
	compile "$program" || return 1
	for side in pcp shim; do
		cp "$dir/$program.$side" "$dir/$program"
		(
			cd "$dir/archives" || exit
			timeout 60 "$dir/$program" "$@" 2>/dev/null </dev/null >"$dir/$side"
			echo "status $?" >>"$dir/$side"
		)
		sed -i -f "$dir/texts-$side" "$dir/$side"
	done
	diff "$dir/pcp" "$dir/shim" >"$dir/log"
}

# some of the suite's programs write to what they are given
cp -r "$suite" "$dir/archives"
texts >"$dir/log" 2>&1
result "the texts of errors"
while read -r program arguments; do
	[ -n "$program" ] || continue
	[ $# -eq 0 ] || in_list "$program" "$*" || continue
	set -f
	# shellcheck disable=SC2086
	same "$program" $arguments
	result "$program $arguments"
	set +f
done <<EOF
$runs
EOF
done_testing
