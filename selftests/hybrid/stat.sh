#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a machine with two kinds of core, vcpc stat, record and events print exact counts for each
# kind, and their sum.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence="$dir/out $dir/err"

module=/sys/module/synthetic_pmu/parameters
if [ ! -e /sys/bus/event_source/devices/cpu_atom/cpus ] || [ ! -w $module/work ]; then
	skip "two kinds of core" "needs VM_PMU=hybrid"
	done_testing
fi
echo 1 >$module/manual
trap 'echo 0 >$module/manual; rm -rf "$dir"' EXIT

# Cause 1,000 ticks on CPU 0 and 600 on CPU 1.
cat >"$dir/job" <<-JOB
	taskset 1 sh -c 'echo 1000 >$module/work'
	taskset 2 sh -c 'echo 600 >$module/work'
JOB

# count EVENT: print its value
count() {
	awk -v event="$1" '$2 == event { gsub(",", "", $1); print $1; exit }' "$dir/err"
}

run() {
	vcpc stat "$@" >"$dir/out" 2>"$dir/err"
}

run -e instructions,cycles sh "$dir/job"
[ "$(count instructions)" = 6600 ] && [ "$(count cpu_core/instructions/)" = 6000 ] &&
	[ "$(count cpu_atom/instructions/)" = 600 ]
result "an event has a sum, and a count for each kind"
[ "$(count cycles)" = 5200 ] && [ "$(count cpu_core/cycles/)" = 4000 ] && [ "$(count cpu_atom/cycles/)" = 1200 ]
result "another's"
run -e cpu_atom/cycles/,cpu_core/event=0x2e,umask=0x4f/u,page-faults sh "$dir/job"
[ "$(count cpu_atom/cycles/)" = 1200 ] && [ "$(count cpu_core/event=0x2e,umask=0x4f/u)" = 3000 ] &&
	[ "$(count page-faults)" -gt 100 ] && [ "$(grep -c page-faults "$dir/err")" = 1 ] &&
	! grep -q cpu_core/cycles "$dir/err"
result "events of one kind together with software events"
run -j -e instructions:u sh "$dir/job"
grep -q '"event":"instructions:u".*"values":\[6600\]' "$dir/err" &&
	grep -q '"event":"cpu_core/instructions/:u".*"values":\[6000\]' "$dir/err"
result "JSON"
run -r 3 -x, -e cycles sh "$dir/job"
grep -q '^5200,,cycles,0.00%,' "$dir/err" && grep -q '^1200,,cpu_atom/cycles/,0.00%,' "$dir/err"
result "several runs, CSV"
run -e rd0 sh "$dir/job"
[ "$(count cpu_core/config=0xd0/)" = 5000 ] && ! grep -q 'cpu_atom' "$dir/err"
result "an event that one kind lacks is counted on the other, without a sum"
run -e cpu_atom/core_only/ true
[ $? = 1 ] && grep -q "there is no PMU 'cpu_atom', or it has no such event" "$dir/err"
result "an event that the kind lacks"
vcpc record -o "$dir/none" -e rd0 true 2>"$dir/err"
[ $? = 1 ] && grep -q "only some kinds of core have the event.*'cpu_core/config=0xd0/'" "$dir/err"
result "a sum that is not possible"
run sh "$dir/job"
[ "$(count instructions)" = 6600 ] && [ "$(count cpu_core/branches/)" = 2000 ]
result "the default events"
run -a -e instructions sh "$dir/job"
[ "$(count instructions)" = 6600 ] && [ "$(count cpu_atom/instructions/)" = 600 ]
result "all CPUs"

vcpc record -o "$dir/archive" -e instructions,cpu_atom/cycles/ -I 50ms sh -c "
	for i in 1 2 3 4 5; do sh $dir/job; sleep 0.1; done" >"$dir/out" 2>"$dir/err"
vcpc dump "$dir/archive" >"$dir/out" 2>>"$dir/err"
tail -n 2 "$dir/out" | grep -q 'instructions\[.*: 33000$' && tail -n 2 "$dir/out" | grep -q 'cpu_atom_cycles_\[.*: 6000$'
result "record keeps its counts when threads migrate"

vcpc events >"$dir/out" 2>"$dir/err"
grep -q '^cpu_core .*CPUs 0$' "$dir/out" && grep -q '^cpu_atom .*CPUs 1' "$dir/out" && grep -q '^instructions ' "$dir/out"
result "vcpc events lists the core PMUs and their CPUs"
vcpc doctor >"$dir/out" 2>"$dir/err"
grep -q 'cpu_core (CPUs 0), cpu_atom (CPUs 1)' "$dir/out"
result "vcpc doctor also lists them"
done_testing
