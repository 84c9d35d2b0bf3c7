#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of PCP's test suite that use only public calls compile unmodified with our headers, and
# print the same with libshim as with PCP's own library.  If a program also prints with internal
# functions of PCP, peer/inner/ replaces these functions.
#
# usage: suite_programs.sh [PROGRAM...]
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
# shellcheck source=peer/suite.sh disable=SC2154
. "$here/peer/suite.sh"
src=$testsuite/src
evidence="$dir/log"
export PCP_DERIVED_CONFIG='' TZ=UTC

# The programs with their arguments; each runs in a copy of the archives' directory
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
wrap_int -u
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
interp0 -a ok-foo -t 0.5 -s 100 sample.bin
interp0 -a ok-interp -s 50 -t 0.008
interp0 -a ok-mv-bigbin -s 100 -t 0.08 sampledso.milliseconds
interp1 -s 6 -a ok-foo sample.bin
interp1 -s 6 -a ok-foo sample.drift
interp2 -a ok-bigbin
interp2 -a ok-mv-bigbin
interp2 -a ok-noti-bigbin
interp3 -a ok-foo -t 0.5
interp3 -a ok-bigbin -t 0.012
interp3 -a ok-mv-bigbin -t 0.012
interp4 -a ok-foo
interp4 -a ok-bigbin
interp4 -a ok-mv-bigbin
interp_bug -n root_irix -t 2.0 -a bug_v2
interp_bug2 -n root_irix -t 0.5 -a bug_v2
eol -a ok-foo
eol -a ok-mv-foo
eol -a ok-bigbin
eofarch -a ok-foo
eofarch -a ok-mv-bigbin
xarch -v -a ok-foo
xarch -a ok-mv-bigbin
archend ok-foo
archend omnibus_v3
torture_indom -a ace_v2 disk.dev.total
torture-eol -q -a naslog -t 840001
torture-eol -a bigace_v2 -t 1190003
multithread12 -a 5 -b 5 -c 5 -d 5 ok-foo
multifetch -a ok-foo -s 5 sample.bin sample.long.one
permfetch -a ok-foo sample.bin sample.colour sample.long.one
chkctx2 -a ok-foo
chkctx2 -a ok-mv-bar
pcp_lite_crash -a ok-foo
multictx -s 3 -a ok-foo -a ok-bar sample.bin
multithread13 bigbin
defctx -a ok-foo
xlog -a ok-foo
xlog -v -a omnibus_v3
torture_api -a ok-foo
torture_api -v -b -a ok-foo
torture_api -c -a babylon.percpu_v2
chk_memleak -a ok-foo -i 3 sample.bin
chkopenlog
matchInstanceName
check_import
check_import_name new.a
check_pmi_errconv new.b
check_pmiend_fdleak new.c
'

needs_pcp
if [ ! -d "$src" ]; then
	skip "programs of PCP's test suite" "pcp-testsuite is not installed"
	done_testing
fi

# Build both versions of a program, once.
compile() {
	[ -x "$dir/$1.shim" ] && return
	# Copy the source to another directory, because a header in the source's directory would be
	# included first.
	cp "$src/$1.c" "$src/pthread_barrier.h" "$dir"
	inner=
	grep -q '"libpcp.h"' "$dir/$1.c" && inner=$here/peer/inner/libpcp.c
	# shellcheck disable=SC2086
	cc_shim -w -I"$here/peer/inner" -o "$dir/$1.shim" "$dir/$1.c" $inner \
		>"$dir/log" 2>&1 &&
		cc_pcp -w -I"$here/peer/inner" -o "$dir/$1.pcp" "$dir/$1.c" $inner -lpcp_import -lpcp \
			-lm -lpthread >"$dir/log" 2>&1
}

# Write sed scripts that replace each error text with its number, because the libraries' texts
# differ.
texts() {
	cat >"$dir/texts.c" <<'END'
#include <pcp/pmapi.h>
int main(void)
{
	for (int code = -12345; code > -12460; code--)
		printf("s/%s/ERROR %d/g\n", pmErrStr(code), code);
}
END
	cc_shim -w -o "$dir/texts.shim" "$dir/texts.c" && "$dir/texts.shim" >"$dir/texts-shim" &&
	cc_pcp -w -o "$dir/texts.pcp" "$dir/texts.c" && "$dir/texts.pcp" >"$dir/texts-pcp"
}

# Compare standard output and exit status.
same() {
	program=$1
	shift
	compile "$program" || return 1
	for side in pcp shim; do
		cp "$dir/$program.$side" "$dir/$program"
		(
			cd "$dir/archives" || exit
			rm -f new.* myarchive.*
			timeout 900 "$dir/$program" "$@" 2>/dev/null </dev/null >"$dir/$side"
			echo "status $?" >>"$dir/$side"
		)
		# The numbers of records read and the durations can differ.
		sed -i -E -e 's/[0-9]+ log[_ ]reads/N log reads/g' \
			-e 's/[0-9.]+ msec/N msec/g' "$dir/$side"
		sed -i -f "$dir/texts-$side" "$dir/$side"
	done
	diff "$dir/pcp" "$dir/shim" >"$dir/log"
}

# Some of the suite's programs write to the archives, so use a copy.
cp -r "$suite" "$dir/archives"
cp "$src/root_irix" "$dir/archives"
export PMNS_DEFAULT="$src/root_pmns"
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
