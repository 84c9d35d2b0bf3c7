#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc compare finds the planted differences, judges them, and returns the result of conditions in
# its exit status.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/err"

# Record two sides of three runs each.  The second side has 5 % more instructions, without
# variation, and takes 10 % more time, with some variation.
cc_shim -o "$dir/run" "$here/peer/recorded_run.c"
result "the program that writes archives compiles"
mkdir "$dir/base" "$dir/new"
i=0
for ns in 5000 5100 5050; do
	i=$((i + 1))
	"$dir/run" "$dir/base/r$i" 10$i checkout 1000 $ns 2000 &&
		"$dir/run" "$dir/new/r$i" 20$i checkout 1000 $((ns * 11 / 10)) 2100
done
"$dir/run" "$dir/other" 7 'pay: in/out' 1000 5000 2000
result "seven runs"

compare() {
	"$vcpc" compare "$@" >"$dir/out" 2>"$dir/err"
}

# row SCOPE WHAT: print the rest of the row of WHAT below SCOPE, with single blanks
row() {
	awk -v scope="$1" -v what="$2" '
		/^[^ ]/ { inside = index($0, scope " ") == 1 }
		inside && $1 == what { $1 = ""; sub(/^ /, ""); print; exit }' "$dir/out"
}

says() {
	[ "$(row "$1" "$2")" = "$3" ]
	result "$1 $2: $3"
}

compare "$dir/base" "$dir/new"
result "two directories of runs"
says checkout instructions '2000 2100 +5.00 % exact higher'
says checkout count '1000 1000 0 % exact same'
says checkout time '5.05 us 5.555 us +10.00 % +7.63 to +12.37 % higher'
says 'the run' instructions '2.001 M 2.101 M +5.00 % exact higher'
says 'the run' page_faults '77 77 0 % exact same'
says 'the run' elapsed '2 s 2 s 0 % 0 % same'
says checkout p99 '4.351 us 4.351 us 0 % -11.74 to +11.74 % unclear'
grep -q "A: 3 runs, B: 3 runs.*95 % confidence intervals.*Welch's t" "$dir/out"
result "the kind of intervals is printed"
compare "$dir/base/r1,$dir/base/r2,$dir/base/r3" "$dir/base/r2,$dir/base/r3"
says checkout time '5.05 us 5.075 us +0.50 % -1.97 to +2.96 % unclear'
compare "$dir/base/r1" "$dir/new/r1"
says checkout instructions '2000 2100 +5.00 % - one run'
says checkout count '1000 1000 0 % - same'
compare "$dir/base/r1" "$dir/other"
says checkout time '5 us - - - only in A'
says 'pay: in/out' instructions '- 2000 - - only in B'

# With -S, the increase of a counter is computed from its value in the first record after the start
# time.
compare -S 1s "$dir/base/r1" "$dir/new/r1" && says checkout count '500 500 0 % - same'

# A tag that was removed and added again has several instances, whose values are added.
if command -v pmlogextract >/dev/null; then
	"$dir/run" "$dir/l1" 7 checkout 1000 5000 2000 && "$dir/run" "$dir/l2" 7 checkout 3000 9000 4000 2 &&
		pmlogextract "$dir/l1" "$dir/l2" "$dir/lives" && compare "$dir/lives" "$dir/l2"
	result "a tag that was removed and added again"
	says checkout count '4000 3000 -25.00 % - one run'
	says checkout time '8 us 9 us +12.50 % - one run'
	says checkout instructions '3500 4000 +14.29 % - one run'
else
	skip "a tag that was removed and added again" "pmlogextract is not installed"
fi

# A duration from a single run is judged only if the condition permits it.
"$dir/run" "$dir/slow" 9 checkout 1000 9000 2000
compare "$dir/base/r1" "$dir/slow" -f 'checkout:time > +20%'
[ $? = 1 ] && grep -q "'checkout:time' is a duration, and durations differ from run to run" "$dir/err"
result "a time is not judged if a side has only one run"
compare "$dir/base/r1" "$dir/slow" -f 'checkout:time > +20% from one run'
[ $? = 3 ] && grep -q '^FAIL  checkout:time > +20% from one run$' "$dir/out"
result "... unless the condition permits it"
compare "$dir/base/r1" "$dir/slow" -f 'checkout:instructions > +1%'
result "... but counts are judged"
compare "$dir/base/r1" "$dir/slow" -f 'checkout:p99 > +5% from one run'
[ $? = 0 ] && grep -q 'pass  checkout:p99 > +5% from one run (uncertain: it holds for only part of the interval' "$dir/out"
result "... and the uncertainty of a percentile is its bucket's width"

# Tags that neither side used are ignored.
"$dir/run" "$dir/idle" 9 idle 0 0 0
compare "$dir/idle" "$dir/idle"
[ $? = 0 ] && ! grep -q '^idle' "$dir/out" && grep -q '^the run' "$dir/out"
result "no table of zeros"

exits() {
	want=$1
	shift
	compare "$dir/base" "$dir/new" "$@"
	[ $? = "$want" ]
	result "exit status $want: $*"
}
exits 3 --fail-if 'checkout:instructions > +2%'
exits 0 --fail-if 'checkout:instructions > +5%'
exits 3 --fail-if 'checkout:instructions >= 5%'
exits 3 -f 'checkout:instructions > +2 %'
exits 3 -f 'checkout:instructions > +99'
exits 0 -f 'checkout:instructions > +101'
exits 3 -f 'checkout:time > +7%'
exits 0 -f 'checkout:time > +9%'
grep -q 'pass  checkout:time > +9% (uncertain: it holds for only part of the interval' "$dir/out"
result "a part of an interval is not certain"
exits 0 -f 'checkout:time>+13%'
exits 3 -f 'checkout:time > 100ns'
exits 0 -f 'checkout:time < -1%'
exits 3 -f 'page-faults >= 0' -f 'elapsed > 0'
exits 0 -f 'page-faults < 0' -f ':elapsed > 1ms'
exits 3 -f 'elapsed > 0' -f 'checkout:instructions > 1%' -f 'elapsed > 0'
exits 1 -f 'checkin:instructions > 1%' -f 'checkout:instructions > 1%'
grep -q "neither side has 'checkin:instructions'" "$dir/err"
result "an unknown name"
for condition in checkout 'checkout:time >' 'checkout:time > 2 % 3' '> 3%' 'elapsed > fast' ''; do
	exits 2 -f "$condition"
done
compare "$dir/base/r1" "$dir/other" -f 'checkout:time > 1%'
[ $? = 1 ] && grep -q "only in A" "$dir/err"
result "a condition on something that one side lacks"
compare "$dir/base"
[ $? = 2 ]
result "one side"
compare "$dir/base" "$dir/nothing"
[ $? = 1 ] && grep -q "archive '.*' not found" "$dir/err"
result "a nonexistent archive"
truncate -s -3 "$dir/other.0"
compare "$dir/base/r1" "$dir/other"
[ $? = 1 ]
result "a damaged archive"
compare -j "$dir/base" "$dir/new" -f 'checkout:instructions > 2%'
[ $? = 3 ] && python3 -c '
import json, sys
d = json.load(sys.stdin)
q = {(x["scope"], x["what"]): x for x in d["quantities"]}
t = q["checkout", "instructions"]
assert t["a"] == [2000] * 3 and t["b"] == [2100] * 3 and t["change"] == t["least"] == t["most"] == 100
assert t["verdict"] == "higher" and d["runs"] == {"a": 3, "b": 3}
assert q["checkout", "time"]["unit"] == "s" and len(q["checkout", "p99"]["a"]) == 3
' <"$dir/out"
result "JSON"
compare "$dir/base" "$dir/new" >/dev/full
"$vcpc" compare "$dir/base" "$dir/new" >/dev/full 2>"$dir/err"
[ $? = 1 ]
result "a full disk is not a pass"

# A summary omits the buckets of histograms unless they are requested.
"$vcpc" summary "$dir/base/r1" >"$dir/out" 2>"$dir/err" && grep -q '^(.* histogram buckets are omitted' "$dir/out" &&
	! grep -q '^vcpc.transact.hist' "$dir/out" && grep -q '^trace.transact.count' "$dir/out"
result "summary: no histograms"
"$vcpc" summary "$dir/base/r1" vcpc.transact.hist >"$dir/out" 2>"$dir/err" && grep -q '^vcpc.transact.hist' "$dir/out" &&
	! grep -q 'omitted' "$dir/out"
result "... unless requested by name"

# Archives of other programs can be compared: by rates of counters, and by averages of other
# metrics.
cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c" && "$dir/make_archive" "$dir/v" 3 vectors &&
	compare "$dir/v" "$dir/v" v && [ -n "$(row 'the run' v.inst)" ] && [ -n "$(row 'the run' 'v.set[i0]')" ]
result "metrics of other programs"
done_testing
