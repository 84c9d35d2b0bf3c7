#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc replay prints the same values as pmval and pmdumplog for the same archive.  Modes, charts,
# and missing metrics and instances are tested separately.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
vcpc=$build/bin/vcpc
evidence="$dir/out $dir/err"
export TZ=UTC COLUMNS=200 LC_ALL=C PCP_DERIVED_CONFIG=''

run() {
	"$vcpc" replay "$@" >"$dir/out" 2>"$dir/err"
}

# column N: print column N of the rows, as numbers
column() {
	awk -v n="$1" '$1 ~ /^[0-9][0-9]:/ { print $n }' "$dir/out"
}

same() {
	printf '%s\n' "$@" >"$dir/want"
	column 2 | cmp -s - "$dir/want"
}

cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c"
result "make_archive compiles"
a=$dir/v
"$dir/make_archive" "$a" 3 vectors

run -t 4s -r "$a" v.cu32 && same 0 5 10 16 21 26 - - 37 46 55 49 44
result "interpolated, in raw form"
run -t 10s "$a" v.cu32 && same - 1.300 1.300 - - -1.400
result "rates per second, but none across a mark"
run -m forw -r "$a" v.cu32 && same 0 13 26 32 55 41
result "record by record"
run -m back -r "$a" v.cu32 && same 41 55 32 26 13 0
result "record by record, backwards"
run -m back -r "$a" v.disc && same two one
result "texts"
run -t 1min "$a" && grep -q 'host testhost' "$dir/out" && ! grep -q never "$dir/out"
result "all metrics that have values"
run -t 5sec "$a" 'v.set[i1]' && [ "$(column 3)" = "" ] && grep -q i1 "$dir/out"
result "one instance"
run -t 5sec "$a" v && grep -q cflt "$dir/out" && ! grep -q late "$dir/out"
result "a group of metrics"
run -t '1500 ms' -r "$a" v.inst && [ "$(column 1 | sed -n 2p)" = 01:46:41.5 ]
result "an interval of two words"

run -p -t 1s "$a" v.cdbl && grep -q '+----' "$dir/out" && grep -q 'max 0.02' "$dir/out" &&
	! LC_ALL=C grep -q '[^ -~]' "$dir/out"
result "a chart in ASCII"
LC_ALL=C.UTF-8 run -p -t 1s "$a" v.cdbl && grep -q '└──' "$dir/out"
result "a chart in UTF-8"
LC_ALL=C.UTF-8 run -p --ascii -t 1s "$a" v.cdbl && ! LC_ALL=C grep -q '[^ -~]' "$dir/out"
result "ASCII on request"
[ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' "$dir/out")" -le 110 ]
result "no line is longer than the terminal"

refuses() {
	want=$1 text=$2
	shift 2
	run "$@"
	[ $? = "$want" ] && [ ! -s "$dir/out" ] && grep -q -- "$text" "$dir/err"
	result "refuses: $*"
}
refuses 1 "not found" "$dir/nothing"
refuses 1 "did you mean 'v.cu32'" "$a" v.cu23
refuses 1 "did you mean 'v.cu32'" "$a" cu32
refuses 1 "no metric 'xyzzyxyzzy'" "$a" xyzzyxyzzy
refuses 1 "has no instance" "$a" 'v.set[i7]'
refuses 1 "has no instance" "$a" 'v.cu32[x]'
refuses 2 "invalid interval" -t 5parsecs "$a"
refuses 2 "invalid interval" -t -1s "$a"
refuses 2 "invalid interval" -t 0 "$a"
refuses 2 "invalid interval" -t '' "$a"
refuses 1 "too many" -t 1ns "$a"
refuses 2 "unknown mode" -m sideways "$a"
refuses 2 "an archive is required"
refuses 2 "unknown or ambiguous option" --nonsense "$a"
: >"$dir/empty.0" && : >"$dir/empty.meta"
refuses 1 "empty" "$dir/empty"

# pmval prints one value per line: time, then the value.
if command -v pmval >/dev/null; then
	bad=0
	for metric in v.cu32 v.c64 v.cu64 v.cdbl; do
		pmval -a "$a" -r -t 4sec -f 6 -w 30 $metric 2>/dev/null |
			awk '/^[0-9][0-9]:/ { print $2 == "No" ? "-" : $2 + 0 }' >"$dir/pmval"
		run -t 4s -r "$a" $metric
		column 2 | awk '{ print $1 == "-" ? "-" : $1 + 0 }' | cmp -s - "$dir/pmval" || bad=1
		[ -s "$dir/pmval" ] || bad=1
	done
	[ $bad = 0 ]
	result "pmval -r prints the same values"
	pmval -a "$a" -t 4sec -f 3 -w 30 v.cu32 2>/dev/null |
		awk '/^[0-9][0-9]:/ && $2 != "No" { print $2 == "!" ? $2 : $2 + 0 }' >"$dir/pmval"
	run -t 4s "$a" v.cu32
	# For a counter that decreases, pmval prints "!" instead of a number.
	column 2 | awk '$1 != "-" { print $1 < 0 ? "!" : $1 + 0 }' | cmp -s - "$dir/pmval" && [ -s "$dir/pmval" ]
	result "pmval prints the same rates"
else
	skip "pmval prints the same values" "pcp is not installed"
	skip "pmval prints the same rates" "pcp is not installed"
fi
if command -v pmdumplog >/dev/null; then
	pmdumplog "$a" v.cu32 2>/dev/null | awk '/v.cu32/ { print $NF }' >"$dir/dump"
	run -m forw -r "$a" v.cu32
	column 2 | cmp -s - "$dir/dump" && [ -s "$dir/dump" ]
	result "pmdumplog prints the same records"
else
	skip "pmdumplog prints the same records" "pcp is not installed"
fi
done_testing
