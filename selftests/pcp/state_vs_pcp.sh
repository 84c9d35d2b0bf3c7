#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls about the state of contexts and of the process, files of name spaces, and unpacked event
# records have the same results as in PCP's own library.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
# shellcheck source=peer/suite.sh disable=SC2154
. "$here/peer/suite.sh"
evidence="$dir/log"
export PCP_DERIVED_CONFIG='' TZ=UTC PCP_CONF="$dir/conf" PCP_TEST_FROM_ENV=env PCP_TEST_BOTH=env
unset PCP_STDERR PCP_USER

needs_pcp

compile() {
	for program in events names state; do
		cc_shim -o "$dir/${program}_shim" "$here/peer/$program.c" &&
		cc_pcp -w -o "$dir/${program}_pcp" "$here/peer/$program.c" || return 1
	done
	cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c"
}

# same PROGRAM ARGUMENTS...: check that both builds print the same except for times and process IDs
same() {
	program=$1
	shift
	for side in pcp shim; do
		rm -rf "$dir/made"
		mkdir "$dir/made"
		timeout 900 "$dir/${program}_$side" "$@" 2>/dev/null >"$dir/$side"
		cat "$dir"/made/* >>"$dir/$side" 2>/dev/null
		sed -i 's/\(Sun\|Mon\|Tue\|Wed\|Thu\|Fri\|Sat\) [A-Z][a-z][a-z] [ 0-9:]*/DATE/; s/talker([0-9]*)/talker(PID)/' "$dir/$side"
	done
	own_version "$dir/pcp"
	diff "$dir/pcp" "$dir/shim" >"$dir/log" && [ "$(wc -l <"$dir/shim")" -gt 40 ]
}

compile >"$dir/log" 2>&1
result "the programs compile"
[ $tap_failed = 0 ] || done_testing

# Add variables to a copy of PCP's settings.  The copy is needed because these settings also contain
# the path of the preprocessor that PCP's library runs.
cp /etc/pcp.conf "$dir/conf" 2>/dev/null
cat >>"$dir/conf" <<'EOF'
# a comment
PCP_TEST_FROM_FILE=some/path
PCP_TEST_QUOTED="with quotes"
PCP_TEST_EMPTY=
PCP_TEST_BOTH=of file
  PCP_TEST_SPACES=x
PCP_TEST_VALUE_WITH_EQUALS=a=b=c
PCP_TEST_COMMENT=x # y
XYZ_TEST=q
lower_case=r
EOF
printf 'PCP_TEST_LAST=no newline' >>"$dir/conf"

for seed in 1 2 3; do
	same events $seed
	result "event records, valid and invalid, seed $seed"
done
for kind in vectors notes lines; do
	"$dir/make_archive" "$dir/$kind" 3 $kind
	same state "$dir/$kind" "$dir/made"
	result "contexts, descriptors, labels, configuration, messages: $kind"
done
# file NAME TEXT: create a namespace file
file() {
	printf '%b' "$2" >"$dir/$1"
}

file good 'root {\nv\nalpha 1:2:3\nw\nbeta 1:2:4\n}\nv {\ncu32 60:0:0\nset 60:0:9\nnope 60:99:99\n}\n'
cat >>"$dir/good" <<'EOF'
w { late 60:0:14
  deep }
w.deep { x 7:7:7 y 8:8:8
}
EOF
file open 'root {\n a 1:2:3\n'
file none 'root {\n}\n'
file twice 'root {\n a 1:2:3\n a 1:2:4\n}\n'
file groups 'root {\n a\n}\na {b 1:2:3\n}\na {c 1:2:4}\n'
file short 'root {\n a 1:2\n}\n'
file domain 'root {\n a 600:2:3\n}\n'
file dynamic 'root {\n e 511:61:0\n}\n'
file cluster 'root {\n a 1:5000:3\n}\n'
file item 'root {\n a 1:2:5000\n}\n'
file letters 'root {\n a-b 1:2:3\n}\n'
for name in good open none twice groups short domain dynamic cluster item letters missing; do
	same names "$dir/vectors" plain "$dir/$name"
	result "a name space: $name"
done
export PCP_TEST_DERIVED=1
for name in good twice; do
	same names "$dir/vectors" plain "$dir/$name"
	result "a name space together with derived metrics: $name"
done
unset PCP_TEST_DERIVED
file define '/* of a\n program */\n#define DOM 60\nroot { /* v */ v\nw 1:2:3 }\nv {\ncu32 DOM:0:0\n}\n'
file include '#include "good"\n'
file ifdef '#ifdef X\nroot { a 1:2:3 }\n#else\nroot { b 1:2:4 }\n#endif\n'
for name in define include ifdef; do
	same names "$dir/vectors" text "$dir/$name"
	result "a name space with directives: $name"
done
if [ -d "$suite" ]; then
	bad=0
	for archive in $(suite_archives); do
		in_list "${archive##*/}" "$damaged" && continue
		same state "$archive" "$dir/made" || {
			bad=1
			echo "# $archive"
			sed 's/^/#   /' "$dir/log" | head -n 5
		}
	done
	[ $bad = 0 ]
	result "the same for PCP's test suite"
else
	skip "PCP's test suite" "pcp-testsuite is not installed"
fi
done_testing
