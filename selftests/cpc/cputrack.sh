#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Test cputrack: its exact output, options, and exit statuses.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
here=$(dirname "$0")
out=$dir/out err=$dir/err
evidence="$out $err"
sleeper="$here/pctx sleep"
two=sw::page-faults,sw::minor-faults
value=' *[0-9]+ '

# run ARGUMENT...: run cputrack and return its status
# refuses STATUS ARGUMENT...: check that it rejects the arguments, or fails, with this status
refuses() {
	status=$1
	shift
	run "$@"
	[ $? = "$status" ]
}
run() { cputrack "$@" >"$out" 2>"$err"; }
# line N EXPRESSION: check that the whole line N matches
line() { sed -n "$1p" "$out" | grep -Eqx "$2"; }
# shellcheck disable=SC2086
run -c $two -T 0.1 $sleeper 3000
result "exit status 0"
[ "$(head -n 1 "$out")" = '   time lwp      event      pic0      pic1 ' ]
result "the header"
line 2 " +[0-9]\.[0-9]{3}   1       tick $value$value" && [ "$(sed -n 2p "$out" | wc -c)" = 44 ]
result "a tick's line"
tail -n 1 "$out" >"$dir/last"
grep -Eqx " +[0-9]+\.[0-9]{3}   1       exit $value$value" "$dir/last" && [ "$(grep -c exit "$out")" = 1 ]
result "one line at exit"
[ "$(grep -c tick "$out")" -ge 3 ] && awk '/tick/ { if (int($1 * 10) <= last) bad = 1; last = int($1 * 10) } END { exit bad }' "$out"
result "one tick per interval, and no more"
awk '/tick/ { sum += $4 } /exit/ { exit !($4 >= sum && $4 > 0) }' "$out"
result "totals at exit are not less than the ticks"

# shellcheck disable=SC2086
run -n -c $two -T 0.1 -N 2 $sleeper 5000 && [ "$(wc -l <"$out")" = 2 ] && [ "$(grep -c tick "$out")" = 2 ]
result "-n and -N print only two samples"

# shellcheck disable=SC2086
run -c $two -T 0 $sleeper 100 && [ "$(wc -l <"$out")" = 2 ] && line 2 " +[0-9.]+   1       exit $value$value"
result "-T 0: no ticks"

# shellcheck disable=SC2086
run -t -c $two -T 0 $sleeper 100
[ "$(head -n 1 "$out")" = '   time lwp      event      tick      pic0      pic1 ' ] && line 2 " +[0-9.]+   1       exit $value$value$value"
result "-t: a column more"

run -v -c $two -T 0 "$here/pctx" threads 2
awk '{ print $2, $3 }' "$out" | tr '\n' ';' >"$dir/events"
[ "$(cat "$dir/events")" = 'lwp event;1 init_lwp;2 init_lwp;2 lwp_create;2 fini_lwp;2 lwp_exit;3 init_lwp;3 lwp_create;3 fini_lwp;3 lwp_exit;1 fini_lwp;1 exit;' ]
result "-v reports the start and end of threads"
grep -Eqx ' +[0-9.]+   2 lwp_create         0         0 ' "$out"
result "a new thread starts with counts of zero"
awk '$3 == "lwp_exit" { threads += $4 } $2 == 1 && $3 == "fini_lwp" { first = $4 } $3 == "exit" { all = $4 }
	END { exit !(threads > 0 && first > 0 && all >= threads + first) }' "$out"
result "totals at exit include all threads"

# shellcheck disable=SC2086
run -c sw::page-faults -c sw::minor-faults,sw::context-switches -T 0.1 $sleeper 3000
grep 'tick' "$out" | sed 's/.*# //' | head -n 2 | tr '\n' ';' >"$dir/turns"
[ "$(cat "$dir/turns")" = 'sw::page-faults;sw::minor-faults,sw::context-switches;' ]
result "two sets are multiplexed"
grep -Eq "^ +[0-9.]+   1       tick $value # sw::page-faults\$" "$out" &&
	grep -Eq "^ +[0-9.]+   1       tick $value$value # sw::minor-faults,sw::context-switches\$" "$out"
result "each line names its set"
[ "$(grep -c 'exit .* # ' "$out")" = 2 ]
result "each set has totals"

run -e -c $two -T 0 "$here/pctx" exec 3
grep -Eqx " +[0-9.]+   1       exec $value$value" "$out" &&
	grep -Eqx " +[0-9.]+   1       exec {21}# '/proc/self/exe exit 3'" "$out" && grep -q exit "$out"
result "-e: counts before exec, and the new command line"
run -c $two -T 0 "$here/pctx" exec 3 && ! grep -q 'exe[c ]' "$out"
result "without -e, counting ends at exec"

run -f -c $two -T 0 "$here/pctx" fork 2
[ "$(head -n 1 "$out")" = '   time    pid lwp      event      pic0      pic1 ' ] &&
	[ "$(grep -Ecx " +[0-9.]+ +[0-9]+   1       fork {21}# [0-9]+" "$out")" = 2 ] && [ "$(grep -c exit "$out")" = 3 ]
result "-f: each process has its own lines"
# After a fork, libpctx binds copies of the same sets to the child.
run -f -c $two -T 0 "$here/pctx" fork 2
[ $? = 0 ] && [ ! -s "$err" ] && [ "$(grep -Ec " exit +[1-9][0-9]*$value\$" "$out")" = 3 ]
result "-f: the first process is counted until its end"

# shellcheck disable=SC2086
run -o "$dir/file" -c $two -T 0 $sleeper 10
[ ! -s "$out" ] && [ "$(wc -l <"$dir/file")" = 2 ]
result "-o"

"$here/pctx" sleep 60000 &
sleeping=$!
run -c $two -T 0.1 -N 2 -p $sleeping && [ "$(grep -c tick "$out")" = 2 ] && [ "$(wc -l <"$out")" = 3 ] &&
	grep -q '^TracerPid:	0$' /proc/$sleeping/status && kill $sleeping
result "-p: the process is counted and released"

"$here/pctx" sleep 60000 &
sleeping=$!
: >"$out"
cputrack -c $two -T 0.2 -p $sleeping >"$out" 2>"$err" &
tracking=$!
until grep -q tick "$out" || ! kill -0 $tracking; do
	sleep 0.1
done
kill -TERM $tracking && wait $tracking && ! grep -q exit "$out" && kill $sleeping
result "a signal ends cputrack, but not the process"

run -c pic1=sw::page-faults,sw::minor-faults -T 0 "$here/pctx" exit 0
[ "$(head -n 1 "$out")" = '   time lwp      event      pic1      pic2 ' ]
result "an event is assigned to the counter after the last one"
# columns SPEC HEADER: check that SPEC selects these counters
columns() {
	run -c "$1" -T 0 "$here/pctx" exit 0
	[ "$(head -n 1 "$out")" = "   time lwp      event $2" ]
}
columns pic2=sw::page-faults,pic0=sw::minor-faults '     pic0      pic2 ' && columns 17,pic3=0x8 '     pic0      pic3 '
result "columns are in the order of counters; events can be numbers"
columns sw::page-faults,sys0=x '     pic0 ' && columns nouser=no,sw::page-faults '     pic0 '
result "the values of sys and nouser are ignored"
run -c sw::page-faults,sw::minor-faults,nouser1 -T 0 "$here/pctx" threads 2
tail -n 1 "$out" | grep -Eqx " +[0-9.]+   1       exit  *[1-9][0-9]*         0 "
result "nouser1: one counter counts nothing, the other one counts"
run -e -f -t -v -c $two -T 0 "$here/pctx" fork 1
[ "$(head -n 1 "$out")" = '   time    pid lwp      event      tick      pic0      pic1 ' ] &&
	grep -Eqx " +[0-9.]+ +[0-9]+   1       fork {31}# [0-9]+" "$out" &&
	[ "$(grep -Ecx " +[0-9.]+ +[0-9]+   1       exit $value$value$value" "$out")" = 2 ]
result "all options together"
run -D -c pic0=sw::page-faults,pic0=sw::minor-faults true
grep -q '^cputrack: strtoset: pic0 ' "$err"
result "-D also prints the construction of a set"
for bad in no-such-event pic0=sw::page-faults,pic0=sw::minor-faults pic0= pic0 pic9999=sw::page-faults ',' \
	pic0=no-such-event nouser sys pic1=sw::page-faults,bogus3=4 sw::page-faults,9x; do
	refuses 2 -c "$bad" true && grep -q '^cputrack: ' "$err" && grep -q '^Usage' "$err" && [ ! -s "$out" ]
	result "refused: $bad"
done
refuses 2 true && refuses 2 -c $two && refuses 2 -c $two -N -1 true && refuses 2 -c $two -p 1 true &&
	refuses 2 -T x -c $two true
result "invalid usage exits with status 2"
run -D -c no-such-event true
grep -Eq '^cputrack: [a-z_]+: ' "$err"
result "-D prints the name of the function"
refuses 1 -c $two /no/such/program && grep -q '^libpctx: pctx_create: ' "$err"
result "a nonexistent program exits with status 1"
if run -c cycles -T 0 "$here/pctx" exit 0; then
	attr=$(cputrack -h | sed -n 's/^	attributes: *\([a-z]*\) .*/\1/p')
	refuses 1 -c "0x8,$attr=99" -T 0 "$here/pctx" exit 0 && run -c "0x8,${attr}0=0,$attr=99" -T 0 "$here/pctx" exit 0
	result "the first of two equal attributes is used"
else
	skip "the first of two equal attributes is used" "no PMU counts cycles"
fi
# listed BEGIN MARGIN: check that the list that starts with BEGIN is at most 76 columns wide, and
# that its continued lines are indented by MARGIN
listed() {
	sed 's/^	/        /' "$out" | awk -v begin="$1" -v margin="$2" '
		index($0, begin) == 9 { in_list = 1; if (length($0) > 77) bad = 1; n++; next }
		in_list && !/^ / { in_list = 0 }
		in_list { n++; if (length($0) > 77 || match($0, /[^ ]/) != margin + 1) bad = 1 }
		END { exit bad || !n }'
}
run -h && listed 'event[0-' 17 && listed attributes: 20 && [ "$(grep -c '^	event\[0-' "$out")" = 2 ] &&
	grep -q '^	Generic Events:$' "$out" && grep -q '^	Platform Specific Events:$' "$out" && [ ! -s "$err" ]
result "-h prints two lists of events, in 76 columns"
run -h && grep -Eq '^	event\[0-[0-9]+\]: ' "$out" && grep -q 'sw::page-faults' "$out" &&
	tr -s ' \t\n' ' ' <"$out" | grep -q 'attributes: .*nouser sys' && awk 'length > 90 { exit 1 }' "$out"
result "-h lists the events that can be counted"
done_testing
