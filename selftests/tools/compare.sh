#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc compare succeeds for two recordings of the same program, and fails if the second program does
# more work.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out"

# Compare instructions if a PMU counts them, otherwise page faults.
event=instructions:u
vcpc stat -e $event true 2>"$dir/err" && grep -q '^ *[1-9][0-9,]*  *instructions' "$dir/err" || event=page-faults

record() {
	vcpc record --trace -o "$1" -I 100ms -e $event,task-clock -- sh -c "$2" >"$dir/out" 2>"$dir/err"
}

mkdir "$dir/base" "$dir/again" "$dir/more"
recorded=true
for run in 1 2; do
	record "$dir/base/$run" 'orders 300' && record "$dir/again/$run" 'orders 300' &&
		record "$dir/more/$run" 'orders 300; orders 300' || recorded=false
done
$recorded
result "six runs are recorded"
gate() {
	vcpc compare "$dir/base" "$dir/$1" --fail-if "$2" >"$dir/out" 2>"$dir/err"
}
gate again "$event > +10%"
result "the same program passes ($event)"
gate more "$event > +10%"
[ $? = 3 ] && grep -q "^FAIL  $event > +10%" "$dir/out"
result "a program that does the work twice fails"
gate more 'batch:count > 0'
[ $? = 3 ] && [ "$(awk '/^batch / { inside = 1 } inside && $1 == "count" { print $2, $3, $4, $5; exit }' "$dir/out")" = "300 600 +100 %" ]
result "transactions are counted exactly"
gate again 'batch:count > 0' && gate again 'batch:count < 0'
result "... both ways"
vcpc compare "$dir/base" "$dir/more" trace.transact.total_time >"$dir/out" 2>"$dir/err" &&
	grep -q '^  time' "$dir/out" && ! grep -q '^  count' "$dir/out"
result "mean times alone"
if [ $event = instructions:u ]; then
	gate more "batch:$event > +2%"
	result "each transaction counts as much as before"
else
	skip "each transaction counts as much as before" "no instructions are counted here"
fi
sed 's/^/# /' "$dir/out"
done_testing
