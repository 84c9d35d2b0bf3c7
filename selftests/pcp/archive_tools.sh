#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc dump, label, summary and replay print the same output as PCP's own tools, including for time
# windows.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
export TZ=UTC COLUMNS=200 LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/want $dir/err"

if ! cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c"; then
	echo "1..1"
	echo "not ok 1 - make_archive compiles"
	exit 1
fi
a=$dir/v
"$dir/make_archive" "$a" 3 vectors
"$dir/make_archive" "$dir/n" 2 notes

run() {
	"$vcpc" "$@" >"$dir/out" 2>"$dir/err"
}

# rows: print the time and the second column of a raw replay
rows() {
	run replay -r "$@" && awk '$1 ~ /^[0-9][0-9]:/ { print $1, $2 }' "$dir/out" >"$dir/rows"
}

same_rows() {
	printf '%s\n' "$@" >"$dir/want"
	cmp -s "$dir/rows" "$dir/want"
}

rows -S 10s -T 20s -t 10s "$a" v.inst && same_rows '01:46:50 101' '01:47:00 102' '01:47:10 103'
result "replay: -S after the start, -T after -S"
rows -S -20s -t 10s "$a" v.inst && same_rows '01:47:10 103' '01:47:20 105' '01:47:30 104'
result "replay: -S before the end"
rows -S @01:47:10 -T @01:47:20 -t 10s "$a" v.inst && same_rows '01:47:10 103' '01:47:20 105'
result "replay: times of day"
rows -S '@2001-09-09 01:47:20' -t 10s "$a" v.inst && same_rows '01:47:20 105' '01:47:30 104'
result "replay: a date"
rows -A 30s -t 30s "$a" v.inst && same_rows '01:47:00 102' '01:47:30 104'
result "replay: -A rounds the start up"
rows -S 10000ms -T '+5s 5000000us' -t 10s "$a" v.inst && same_rows '01:46:50 101' '01:47:00 102' &&
	rows -S -20000ms -t 10s "$a" v.inst && same_rows '01:47:10 103' '01:47:20 105' '01:47:30 104' &&
	rows -A 30000ms -t 30s "$a" v.inst && same_rows '01:47:00 102' '01:47:30 104'
result "replay: the units of -t in -S, -T and -A"
rows -S 10s -O 10s -t 10s -T -20s "$a" v.inst && same_rows '01:47:00 102' '01:47:10 103'
result "replay: -O starts later"
rows -R -S 10s -t 10s "$a" v.inst &&
	same_rows '01:47:30 104' '01:47:20 105' '01:47:10 103' '01:47:00 102' '01:46:50 101'
result "replay: in reverse"
rows -m forw -R -T 10s "$a" v.inst && same_rows '01:46:50.000000 101' '01:46:40.000000 100'
result "replay: records in reverse, within a window"
rows -Z EST5 -S 40s -t 10s "$a" v.inst && same_rows '20:47:20 105' '20:47:30 104'
result "replay: in another zone"
rows -z -S 50s -t 10s "$a" v.inst && same_rows '01:47:30 104'
result "replay: in the host's zone"
run replay -t 10s -i i1 "$a" v.set && grep -q i1 "$dir/out" && ! grep -q i0 "$dir/out"
result "replay: one instance of all metrics"

run replay -c -r -S 40s -t 10s "$a" v.cu64 v.disc v.set && cat >"$dir/want" <<'CSV'
time,"v.cu64 (Kbyte)","v.disc","v.set[i0]","v.set[i1]"
2001-09-09T01:47:20.000000000+00:00,42949672965,"two",50,51
2001-09-09T01:47:30.000000000+00:00,34359738373,"two",40,41
CSV
cmp -s "$dir/out" "$dir/want"
result "replay: CSV"

# Check the default view without options, and presets.
cc_shim -o "$dir/run" "$here/peer/recorded_run.c" && "$dir/run" "$dir/r" 7 checkout 1000 5000 2000
result "write an archive like vcpc record"
bad=0
for width in 40 60 80 200; do
	COLUMNS=$width run replay "$dir/r"
	[ "$(wc -l <"$dir/out")" -le 32 ] && grep -q 'instructions' "$dir/out" && ! grep -q '4096ns' "$dir/out" || bad=1
	awk -v width=$width '/^time/ { inside = 1 } inside && NF && length($0) > width && !/more|lists/ { exit 1 }' "$dir/out" || bad=1
done
[ $bad = 0 ]
result "replay: one screen, as wide as the terminal"
run replay -p "$dir/r" && [ "$(wc -l <"$dir/out")" -le 40 ] && grep -q '^[0-9]* more columns' "$dir/out"
result "replay -p: charts also fit"
COLUMNS=40 run replay "$dir/r" && grep -q '^[0-9]* more columns: .*:transactions' "$dir/out"
result "replay: reports that there are more metrics"
run replay "$dir/r" :counts && grep -q instructions "$dir/out" && grep -q tick "$dir/out" && ! grep -q checkout "$dir/out"
result "replay: :counts"
run replay "$dir/r" :transactions && grep -q checkout "$dir/out" && ! grep -q instructions "$dir/out"
result "replay: :transactions"
run replay -c "$dir/r" && ! grep -q 4096ns "$dir/out" && run replay -c "$dir/r" :all && grep -q 4096ns "$dir/out"
result "replay: prints histograms only on request"
run replay "$dir/r" :points
[ $? = 1 ] && grep -q "no metrics for ':points'" "$dir/err"
result "replay: a preset without data"
run replay "$dir/r" :nonsense
[ $? = 2 ] && grep -q ':counts' "$dir/err"
result "replay: an unknown preset"
run replay -t 2s "$dir/r" trace.transact.count && grep -q 'no values at this interval' "$dir/out"
result "replay: an interval as long as the archive"
run replay -s 1 "$dir/r" trace.transact.count && grep -q 'no values: .*; use -s 2, or -r ' "$dir/out"
result "replay: one row, which has no rates"
run replay -t 10s "$a" w.never && grep -q 'no values can be interpolated.*--mode forw --raw' "$dir/out"
result "replay: a metric without values"
run replay -j -r -S 40s -t 10s "$a" v.cu64 v.cdbl w.never v.disc &&
	python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["host"] == "testhost" and [c["metric"] for c in d["columns"]] == ["v.cu64", "v.cdbl", "w.never", "v.disc"]
assert d["columns"][0]["unit"] == "Kbyte"
assert [r["values"] for r in d["rows"]] == [[42949672965, 0.5, None, "two"], [34359738373, 0.4, None, "two"]]
' <"$dir/out"
result "replay: JSON"

# Names and values can contain any bytes; in JSON, invalid UTF-8 is converted from Latin-1.
cc_shim -o "$dir/hostile" "$here/peer/hostile_names.c" && "$dir/hostile" "$dir/h"
result "an archive with hostile names"
run replay -j -m forw "$dir/h" any.bytes && python3 -c '
import json, sys
d = json.loads(sys.stdin.buffer.read().decode("utf-8"))
names = [c["instance"] for c in d["columns"]]
assert d["host"] == "ho\"s\\t\xff", d["host"]
assert names[:8] == ["com,ma", "quo\"te", "new\nline", "tab\there", "back\\slash", "=1+1", "\1control", "\x7f"]
assert names[8:13] == ["\xfcml", "\xff\xfenone", "cut\xc3", "\xed\xa0\x80half", "\xc0\x80long"]
assert names[13:] == ["]br[ack", "%s%n", "x" * 2999]
assert [r["values"] for r in d["rows"]] == [names, names[1:] + names[:1], names[2:] + names[:2]]
' <"$dir/out"
result "replay: hostile names in JSON"
run replay -c -m forw "$dir/h" any.bytes && python3 -c '
import csv, io, sys
rows = list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode("utf-8"), newline="")))
names = rows[1][1:]
assert names[:9] == ["com,ma", "quo\"te", "new?line", "tab?here", "back\\slash", "\x27=1+1", "?control", "?", "\xfcml"]
assert names[9:] == ["??none", "cut?", "???half", "??long", "]br[ack", "%s%n", "x" * 2999]
assert rows[0] == ["time"] + ["any.bytes[%s]" % n.lstrip("\x27") for n in names]
assert [r[1:] for r in rows[2:]] == [names[1:] + names[:1], names[2:] + names[:2]]
' <"$dir/out"
result "replay: hostile names in CSV"

# Select instances by name, with lists as in PCP's tools, and with names that look like lists.
cc_shim -o "$dir/named" "$here/peer/named_instances.c" && "$dir/named" "$dir/i"
result "an archive of instances with long names"
header() {
	run replay -c -r -t 10s "$@" && head -n 1 "$dir/out"
}
picks() {
	want=$1
	shift
	[ "$(header "$@" "$dir/i")" = "time$want" ]
	result "instances: $*"
}
one=',"load.of[1 minute]"' five=',"load.of[5 minute]"' comma=',"load.of[a,b]"'
picks "$one$five$comma"
picks "$one" -i '1 minute'
picks "$one$five" -i '1 minute,5 minute'
picks "$one$five" -i '5 minute, 1 minute'
picks "$one$five" -i "'1 minute' '5 minute'"
picks "$one$five" -i 1,5
picks "$one$five" -i '1 5'
picks "$one$five" -i 1 -i 5
picks "$one$comma" -i '1,"a,b"'
picks "$comma" -i a,b
run replay -g -t 1s "$a" v.set v.inst && [ "$(grep -c '+---' "$dir/out")" = 2 ] &&
	grep -q '^ *a i0: min .*mean .*max' "$dir/out" && grep -q '^ *b i1: min' "$dir/out" &&
	grep -q '^ *[-+0-9.k]* *[|+] *[ab*][ab*]' "$dir/out" && ! LC_ALL=C grep -q '[^ -~]' "$dir/out"
result "replay -g: several instances in one chart"
run replay -g -c "$a"
[ $? = 2 ]
result "replay -g: refuses CSV"
[ "$(header -i i1 "$a" v.set v.inst)" = 'time,"v.set[i1]","v.inst (count)"' ]
result "instances: metrics without instances are listed"
# Read several archives as one, given as a directory and as a list.
mkdir "$dir/two"
"$dir/named" "$dir/two/a" && "$dir/named" "$dir/two/b" 1000
for two in "$dir/two" "$dir/two/b,$dir/two/a"; do
	run label "$two" && grep -q '^  length     1020 s$' "$dir/out" &&
		run dump "$two" && [ "$(grep -c mark "$dir/out")" = 1 ] && [ "$(grep -c ': 7$' "$dir/out")" = 18 ] &&
		run summary "$two" && [ "$(awk '$1 == "load.of[a,b]" { print $2 }' "$dir/out")" = 6 ] &&
		rows -t 510s -i 'a,b' "$two" && same_rows '01:46:40 7' '01:55:10 -' '02:03:40 7'
	result "several archives: ${two##*/two}"
done
run label -Z '<+03>-3' "$a" && grep -q '^  start .*T04:46:40.000000000+03:00$' "$dir/out"
result "label: in a zone"

refuses() {
	want=$1 text=$2
	shift 2
	run "$@"
	[ $? = "$want" ] && [ ! -s "$dir/out" ] && grep -q -- "$text" "$dir/err"
	result "refuses: $*"
}
refuses 2 'invalid time' replay -S 5lustra "$a"
refuses 2 'invalid time' replay -T @noon "$a"
refuses 2 'invalid time' replay -A soon "$a"
refuses 2 '-Z and -z are mutually exclusive' replay -z -Z UTC "$a"
for command in replay dump label summary; do
	refuses 2 "unknown time zone 'nowhere'" $command -Z nowhere "$a"
done
refuses 2 'unknown time zone' replay -Z /etc/passwd "$a"
refuses 2 '-p, -c and -j are mutually exclusive' replay -c -j "$a"
refuses 2 '-p, -c and -j are mutually exclusive' replay --json --csv "$a"
refuses 2 '-p, -c and -j are mutually exclusive' replay -p -c "$a"
refuses 1 "an instance 'i7'" replay -i i7 "$a"
refuses 1 "an instance 'i7'" replay -i i0,i7 "$a"
refuses 1 "an instance 'i7'" replay -i 'i0 i7' -c "$a" v.set
refuses 1 "an instance 'i0'" replay -i i0 "$a" v.inst
refuses 1 "an instance ''" replay -i '' "$a"
refuses 1 "an instance '3'" replay -i 1,3 "$dir/i"
refuses 1 'no records in this window' replay -S 1hour "$a"
refuses 1 'no records in this window' replay -S 30s -T -40s "$a"
refuses 1 'not found' dump "$dir/nothing"
refuses 1 "did you mean 'v.cu32'" dump "$a" v.cu23
refuses 1 'not found' summary "$dir/nothing"
refuses 1 'not found' label "$dir/nothing"
refuses 2 'an archive is required' label
refuses 2 'an archive is required' dump
refuses 2 'an archive is required' summary
for command in dump label summary; do
	run $command --help && grep -q "^Usage: vcpc $command" "$dir/out"
	result "$command --help"
done

if ! command -v pmdumplog >/dev/null || ! has_peer; then
	skip "PCP's tools print the same" "pcp is not installed, or PCP $peer_version was not fetched"
	done_testing
fi

bad=0
for arguments in '-S10s -T30s' '-S-25s' '-A7s' '-S@01:47' '-S12s -O3s' '-A10s -S1s -O4s'; do
	# shellcheck disable=SC2086
	run_pcp pmval -Z UTC -a "$a" -r -t 4sec -f 0 $arguments v.inst 2>/dev/null |
		awk '/^[0-9][0-9]:/ { sub(/[.]000$/, "", $1); print $1, $2 == "No" ? "-" : $2 }' >"$dir/want"
	# shellcheck disable=SC2086
	rows -t 4s $arguments "$a" v.inst
	[ -s "$dir/want" ] && diff "$dir/want" "$dir/rows" >"$dir/err" || { echo "# $arguments"; bad=1; }
done
[ $bad = 0 ]
result "replay has the same windows as pmval"

# Print the values of one metric in sequence, with the time of each record.
pmdumplog -Z UTC "$a" | awk '
	/^[0-9:]+[.][0-9]+ / { time = substr($1, 1, 8); if ($2 == "<mark>") print time, "mark"; next }
	/[(].*[)]:/ { metric = $2; gsub(/[():]/, "", metric) }
	/value [^"]*$/ { print time, metric, $NF }' | sort >"$dir/want"
run dump "$a" && awk '
	/^[0-9]/ { time = substr($1, 1, 8); if ($2 == "mark") print time, "mark"; next }
	!/"|version/ { sub(/:$/, "", $1); sub(/\[.*/, "", $1); print time, $1, $2 }' "$dir/out" | sort >"$dir/got"
[ "$(wc -l <"$dir/want")" -gt 40 ] && diff "$dir/want" "$dir/got" >"$dir/err"
result "dump: every number and mark of pmdumplog"

run dump -d "$a" && [ "$(wc -l <"$dir/out")" = 14 ] &&
	grep -q '^v.cu64: 60.0.3, U64, counter, Kbyte$' "$dir/out" &&
	grep -q '^v.set: 60.0.9, U32, counter, instances of 60.1$' "$dir/out"
result "dump: metrics"
run dump --instances "$a" v && printf '60.1: 0 is i0\n60.1: 1 is i1\n' | cmp -s - "$dir/out"
result "dump: instances"
pminfo -t -a "$dir/n" | awk '/\[/ && !/event records/ { sub(/^[^ ]* \[/, ""); sub(/\]$/, ""); print }' | sort >"$dir/want"
run dump --texts "$dir/n" && [ -s "$dir/want" ] && while read -r line; do
	grep -qF -- "$line" "$dir/out" || echo "missing: $line"
done <"$dir/want" >"$dir/err" && [ ! -s "$dir/err" ]
result "dump: texts"
run dump -l "$dir/n" && grep -q '^archive: {' "$dir/out"
result "dump: labels"
run dump --all -S 5s -T 20s "$a" && [ "$(grep -c '^[0-9][0-9]:' "$dir/out")" = 3 ]
result "dump: everything, within a window"

run label "$a" && grep -q '^  host       testhost$' "$dir/out" && grep -q '^  version    3$' "$dir/out" &&
	grep -q '^  start      2001-09-09T01:46:40.000000000+00:00$' "$dir/out" &&
	grep -q '^  end        2001-09-09T01:47:30.000000000+00:00$' "$dir/out" &&
	grep -q '^  metrics    14$' "$dir/out"
result "label"
run label "$a" "$dir/nothing" "$dir/n"
[ $? = 1 ] && [ "$(grep -c '^  host' "$dir/out")" = 2 ]
result "label: of several, one of which does not exist"

# Print the metric and instance, the average over time, the minimum and maximum, and the number of
# values, rounded as pmlogsummary rounds them.
pmlogsummary -ay "$a" | awk 'NR > 4 { at = $2 ~ /^\[/; metric = $1
	if (at) { inst = $2; gsub(/[]["]/, "", inst); metric = metric "[" inst "]" }
	print metric, $(3 + at), $(4 + at), $(5 + at), $(6 + at) }' | sort >"$dir/want"
run summary "$a" && awk 'NR > 1 { printf "%s %.3f %.3f %.3f %d\n", $1, $3, $4, $5, $2 }' "$dir/out" |
	sort >"$dir/got"
awk 'NR == FNR { want[$1] = $0; next }
	# There is a mark between the two values, so there is no interval to average over.
	$1 == "w.late" { next }
	{ n = split(want[$1], w)
	  for (i = 2; i <= 5; i++)
		if (n != 5 || $i - w[i] > 1e-3 * ($i + 1) || w[i] - $i > 1e-3 * ($i + 1)) bad = 1
	  seen++ }
	END { exit bad || seen < 10 }' "$dir/want" "$dir/got"
result "summary: the same values as pmlogsummary"
"$dir/make_archive" "$dir/m" 3 marked 5
want=$(pmlogsummary -T 500s "$dir/m" random.c.m20 2>/dev/null | awk '{ printf "%.4g", $2 }')
run summary -T 500s "$dir/m" random.c.m20 && [ -n "$want" ] &&
	[ "$(awk 'NR == 2 { printf "%.4g", $3 }' "$dir/out")" = "$want" ]
result "summary: a discrete metric keeps its value until a mark or the end of the window"
run summary -S 30s "$a" v.inst && grep -q '^v.inst  *3 ' "$dir/out"
result "summary: within a window"
done_testing
