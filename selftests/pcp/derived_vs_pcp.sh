#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program prints the same descriptors, values and errors of derived metrics with libshim and with
# PCP's own library.
#
# Each play runs in a separate process, because PCP's library keeps state after an invalid
# expression.
# shellcheck disable=SC2154
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/peer/suite.sh"
# shellcheck disable=SC2034
evidence=$dir/diff
export TZ=UTC PCP_DERIVED_CONFIG=

needs_pcp
cc_shim -w -o "$dir/derived_shim" "$here/peer/derived.c" &&
	cc_pcp -w -o "$dir/derived_pcp" "$here/peer/derived.c" &&
	cc_shim -o "$dir/make_values" "$here/peer/derived_values.c" && "$dir/make_values" "$dir/values"
result "the programs are built, and an archive is written"
[ "$tap_failed" = 0 ] || done_testing

# A regular expression of lines that are not compared
ignore=

# play: check that both libraries print the same, non-empty output for the script on standard input
play() {
	cat >"$dir/script"
	for side in pcp shim; do
		timeout 60 "$dir/derived_$side" <"$dir/script" >"$dir/$side" 2>&1
		echo "exit $?" >>"$dir/$side"
		[ -z "$ignore" ] || sed -i "/$ignore/d" "$dir/$side"
	done
	diff -a "$dir/pcp" "$dir/shim" >"$dir/diff" 2>&1 && [ "$(wc -l <"$dir/shim")" -gt "${1:-3}" ] &&
		grep -q '^exit 0$' "$dir/shim"
}

# each ARCHIVE: define a metric (x1, x2, ...) for each expression on standard input, print its
# descriptor, then fetch all metrics in each mode of replay.  The first expression has values and is
# always included, because PCP's library crashes in some fetches of only invalid metrics.
each() {
	awk -v archive="$1" '
		BEGIN { print "archive " archive }
		/^#/ || !NF { next }
		{ n++; print "R x" n " " $0; names = names " x" n; ask = ask "desc x" n "\n" }
		n % 40 == 0 { all[++groups] = names; names = "" }
		END {
			if (names)
				all[++groups] = names
			printf "%s", ask
			for (i = 1; i <= groups; i++) {
				all[i] = " x1" all[i]
				print "interp 1\nfetch 6" all[i]
				print "backward 2\nfetch 4" all[i]
				print "forward\nfetch 6" all[i]
				print "backward\nfetch 4" all[i]
			}
		}' >"$dir/each"
	play 100 <"$dir/each"
}

# wrong: compare the position and reason of syntax errors
wrong() {
	grep -v '^#' "$here/peer/derived_wrong.txt" | awk -v values="$dir/values" '
		BEGIN { print "archive " values }
		{ print "r w" NR " " $0; print "R w" NR " " $0; print "A w" NR " " $0; print "a v" NR " " $0 }' |
		play 100
}

wrong
result "$(grep -vc '^#' "$here/peer/derived_wrong.txt") expressions that are wrong: where, and why"
each "$dir/values" <"$here/peer/derived_values.txt"
result "$(grep -vc '^#' "$here/peer/derived_values.txt") expressions over values of all types, in all modes"
play 20 <<-END
	archive $dir/values
	R sum.two v.i32 + v.u32
	R sum.bad v.nosuch
	R sum.wrong v.string + 1
	R many.here v.many * 2
	walk sum
	A own.one v.i32
	A own.bad v.nosuch
	A own.wrong v.string + 1
	A own.wrong 1
	A own.one 2
	desc sum.two
	desc sum.bad
	desc sum.wrong
	desc own.one
	desc own.bad
	desc own.wrong
	names sum.two
	names own.one
	names sum.nosuch
	walk sum
	walk own
	children sum
	children sum.two
	children nosuch
	labels sum.two
	text sum.two 1
	text own.one 1
	interp 1
	fetch 2 sum.two sum.bad sum.wrong own.one own.bad own.wrong v.i32
	only v.many 1 3
	fetch 2 many.here v.many
	dup
	desc own.one
	desc sum.two
	use 0
	desc own.one
	reconnect
	desc own.one
	desc sum.two
	A own.one 7
	fetch 2 own.one sum.two
END
result "names, derived metrics of a context, instance profiles, duplicates, reconnection"
play 10 <<-END
	get 1
	archive $dir/values
	get 1
	get 2
	get 3
	get 4
	get 5
	get 0
	get 7
	set 2 1
	A a 1
	A b 1
	set 2 -1
	A b 1
	set 1 2
	R one 1
	R two 1
	R three 1
	get 1
	set 1 -1
	R three 1
	set 7 1
END
result "limits"
mkdir -p "$dir/conf/sub"
cat >"$dir/conf/a.conf" <<-'END'
	# a comment
	cf.one = 1 + 2
	cf.two = v.i32 +
	  
	cf.three 17
	= 5
	 cf.four   =   7   
	cf.four(oneline) = four in one line
	cf.nosuch(oneline) = x
	cf.four(foo) = y
	cf.four(oneline) = again
	cf.five =
	cf.six(oneline = x
	cf.six)oneline( = x
	cf-7 = 7
	cf.four( ) = x
	cf.eight = 8
	cf.eight(helptext) =
	cf.nine = v.i32 + \
	  1
	cf.ten = 1 + \
	  + 2
	cf.nine(oneline) = one line \
	of two
	cf.eight ( helptext )  = "it's \"one\" line\\"
	cf.one(helptext) = 'over \
	two lines
	and a third'
END
echo 'cf.sub = v.i32 / 2' >"$dir/conf/sub/b.conf"
play 10 <<-END
	load $dir/nosuch
	load $dir/conf/a.conf
	load $dir/conf/sub:$dir/nosuch
	load $dir/conf/sub
	load /dev/null
	archive $dir/values
	desc cf.one
	desc cf.four
	desc cf.sub
	desc cf.nine
	text cf.nine 1
	text cf.four 1
	text cf.four 2
	text cf.eight 1
	text cf.eight 2
	text cf.one 1
	text cf.one 2
	text cf.sub 2
END
result "files of definitions"
if [ -d "$suite" ]; then
	each "$suite/sample_expr" <"$here/peer/derived_sample.txt"
	result "expressions with an archive of PCP's suite"
	each "$suite/log-derived" <<-'END'
		sample.bin
		rate(sample.dynamic.counter)
		delta(sample.dynamic.counter)
		instant(sample.dynamic.counter)
		matchinst(/^bin-[1-4]/, sample.bin)
		matchinst(!/^bin-[1-4]/, sample.bin)
		sample.bin[bin-300] + sample.bin
		sum(sample.bin)
		avg(sample.bin)
		sample.bin > 400 ? sample.bin : mkconst(0, type=32, semantics=instant)
	END
	result "... and with one whose instances come and go"
	PCP_DERIVED_CONFIG=$(sed -n 's/^PCP_VAR_DIR=//p' /etc/pcp.conf)/config/derived
	if [ -d "$PCP_DERIVED_CONFIG" ]; then
		# If an expression is wrong for several reasons, the same reason is reported.
		ignore='^Semantic error'
		{
			echo "archive $suite/pcp-zeroconf"
			echo "interp 60"
			cat "$PCP_DERIVED_CONFIG"/*.conf | sed -n 's/^\([a-z_.]*\) *=.*/desc \1\nfetch 5 \1/p'
		} | play
		result "the system's own definitions with a large archive"
	else
		skip "the system's own definitions with a large archive" "there are none"
	fi
else
	skip "archives of PCP's suite" "the test suite is not installed"
fi
# The libraries of PMAPI versions 2 and 4 have different parsers.  Only that of version 4 also prints
# which operands are unknown.
PCP_DERIVED_CONFIG='' ignore='^Semantic error: .*: Unknown operand metric$'
peer_version=7.2.2 peer=$("$here/../../scripts/fetch-pcp.sh" 7.2.2 path)
if has_peer; then
	cc_shim -w -DPMAPI_VERSION=4 -o "$dir/derived_shim" "$here/peer/derived.c" &&
		cc_pcp_4 -w -o "$dir/derived_pcp" "$here/peer/derived.c" &&
		wrong && each "$dir/values" <"$here/peer/derived_values.txt"
	result "wrong expressions and values with PMAPI version 4 of PCP 7.2.2"
else
	skip "PMAPI version 4" "PCP 7.2.2 is not installed: run scripts/fetch-pcp.sh 7.2.2"
fi
done_testing
