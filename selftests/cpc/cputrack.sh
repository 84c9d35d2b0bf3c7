#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cputrack: its lines to the byte, its options, and its exit statuses.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
here=$(dirname "$0")
out=$dir/out err=$dir/err
evidence="$out $err"
sleeper="$here/pctx sleep"
two=sw::page-faults,sw::minor-faults
value=' *[0-9]+ '

# run ARGUMENT...: cputrack's status
# refuses STATUS ARGUMENT...: usage or failure
refuses() {
	status=$1
	shift
	run "$@"
	[ $? = "$status" ]
}
run() { cputrack "$@" >"$out" 2>"$err"; }
# line N EXPRESSION: the whole line is like that
line() { sed -n "$1p" "$out" | grep -Eqx "$2"; }
# shellcheck disable=SC2086
run -c $two -T 0.1 $sleeper 450
result "exit status 0"
[ "$(head -n 1 "$out")" = '   time lwp      event      pic0      pic1 ' ]
result "the header"
line 2 " +0\.1[0-9]{2}   1       tick $value$value" && [ "$(sed -n 2p "$out" | wc -c)" = 44 ]
result "a tick's line"
tail -n 1 "$out" >"$dir/last"
grep -Eqx " +0\.[0-9]{3}   1       exit $value$value" "$dir/last" && [ "$(grep -c exit "$out")" = 1 ]
result "one line for the exit"
[ "$(grep -c tick "$out")" -ge 3 ]
result "a tick an interval"
awk '/tick/ { sum += $4 } /exit/ { exit !($4 >= sum && $4 > 0) }' "$out"
result "the exit's totals are not less than the ticks"

# shellcheck disable=SC2086
run -n -c $two -T 0.1 -N 2 $sleeper 5000 && [ "$(wc -l <"$out")" = 2 ] && [ "$(grep -c tick "$out")" = 2 ]
result "-n and -N: two samples and nothing else"

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
result "-v: threads begin and end"
grep -Eqx ' +[0-9.]+   2 lwp_create         0         0 ' "$out"
result "a new thread has counted nothing"
awk '$3 == "lwp_exit" { threads += $4 } $2 == 1 && $3 == "fini_lwp" { first = $4 } $3 == "exit" { all = $4 }
	END { exit !(threads > 0 && first > 0 && all >= threads + first) }' "$out"
result "the exit's totals are those of all threads"

# shellcheck disable=SC2086
run -c sw::page-faults -c sw::minor-faults,sw::context-switches -T 0.1 $sleeper 450
grep 'tick' "$out" | sed 's/.*# //' | head -n 2 | tr '\n' ';' >"$dir/turns"
[ "$(cat "$dir/turns")" = 'sw::page-faults;sw::minor-faults,sw::context-switches;' ]
result "two sets take turns"
grep -Eq "^ +[0-9.]+   1       tick $value # sw::page-faults\$" "$out" &&
	grep -Eq "^ +[0-9.]+   1       tick $value$value # sw::minor-faults,sw::context-switches\$" "$out"
result "which set a line is of"
[ "$(grep -c 'exit .* # ' "$out")" = 2 ]
result "totals of each set"

run -e -c $two -T 0 "$here/pctx" exec 3
grep -Eqx " +[0-9.]+   1       exec $value$value" "$out" &&
	grep -Eqx " +[0-9.]+   1       exec {21}# '/proc/self/exe exit 3'" "$out" && grep -q exit "$out"
result "-e: what was counted, and the new command line"
run -c $two -T 0 "$here/pctx" exec 3 && ! grep -q 'exe[c ]' "$out"
result "without -e it ends there"

run -f -c $two -T 0 "$here/pctx" fork 2
[ "$(head -n 1 "$out")" = '   time    pid lwp      event      pic0      pic1 ' ] &&
	[ "$(grep -Ecx " +[0-9.]+ +[0-9]+   1       fork {21}# [0-9]+" "$out")" = 2 ] && [ "$(grep -c exit "$out")" = 3 ]
result "-f: each process of its own"

# shellcheck disable=SC2086
run -o "$dir/file" -c $two -T 0 $sleeper 10
[ ! -s "$out" ] && [ "$(wc -l <"$dir/file")" = 2 ]
result "-o"

"$here/pctx" sleep 1500 &
sleeping=$!
run -c $two -T 0.1 -N 2 -p $sleeping && [ "$(grep -c tick "$out")" = 2 ] && wait $sleeping
result "-p: counted and let go"

# shellcheck disable=SC2086
timeout -s INT 1 cputrack -c $two -T 0.2 $sleeper 3000 >"$out" 2>"$err"
[ "$(grep -c tick "$out")" -ge 1 ] && ! grep -q exit "$out"
result "a signal ends it, not the process"

run -c pic1=sw::page-faults,sw::minor-faults -T 0 "$here/pctx" exit 0
[ "$(head -n 1 "$out")" = '   time lwp      event      pic1      pic2 ' ]
result "an event goes to the counter above the last"
for bad in no-such-event pic0=sw::page-faults,pic0=sw::minor-faults pic0= pic0 pic9999=sw::page-faults ',' \
	pic0=no-such-event nouser sys0=x,sw::page-faults pic1=sw::page-faults,bogus3=4; do
	refuses 2 -c "$bad" true && grep -q '^cputrack: ' "$err" && grep -q '^Usage' "$err" && [ ! -s "$out" ]
	result "refused: $bad"
done
refuses 2 true && refuses 2 -c $two && refuses 2 -c $two -N -1 true && refuses 2 -c $two -p 1 true &&
	refuses 2 -T x -c $two true
result "wrong usage is 2"
run -D -c no-such-event true
grep -Eq '^cputrack: [a-z_]+: ' "$err"
result "-D: the function is named"
refuses 1 -c $two /no/such/program && grep -q '^libpctx: pctx_create: ' "$err"
result "no such program is 1"
run -h && grep -Eq '^	event\[0-[0-9]+\]: ' "$out" && grep -q 'sw::page-faults' "$out" && grep -Eq 'attributes: .*nouser sys' "$out" && awk 'length > 90 { exit 1 }' "$out"
result "-h: what can be counted"
done_testing
