#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Test the output, exit statuses and rejected arguments of hpmcount and pmlist.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence="$dir/out $dir/err"

run() {
	"$@" >"$dir/out" 2>"$dir/err"
}

# value EVENT: print the first value that hpmcount printed for it
value() {
	awk -v event="$1" '$1 == event { print $NF; exit }' "$dir/out"
}

run pmlist -s && grep -q '^Counters: [1-8]$' "$dir/out" && grep -q '^Event sets: [1-9]' "$dir/out"
result "pmlist -s"
run pmlist -s -o c && grep -q '^"Counters","[1-8]"$' "$dir/out" && run pmlist -d -s -o x && grep -q '^  <summary name="Counters" value="[1-8]"/>$' "$dir/out"
result "pmlist -s in other formats"
run pmlist -o x -l && grep -q '^  <processor id="-1" name=".*"/>$' "$dir/out" && run pmlist -o c -l && grep -q '^"-1","' "$dir/out"
result "pmlist -l in other formats"
run pmlist -e -1 && cp "$dir/out" "$dir/all" && run pmlist -c -1 && cmp -s "$dir/out" "$dir/all"
result "pmlist -e -1 prints all events of all counters"
run pmlist -e PM_PAGE_FAULTS && grep -q 'counter: 1, id: [0-9]*, name: PM_PAGE_FAULTS, status: verified' "$dir/out"
result "pmlist -e prints an event on all counters"
run pmlist -c 1,PM_PAGE_FAULTS && [ "$(wc -l <"$dir/out")" = 1 ]
result "pmlist -c prints one counter"
run pmlist -c -1 && [ "$(grep -c PM_PAGE_FAULTS "$dir/out")" -gt 1 ]
result "pmlist -c -1 prints all events of all counters"
run pmlist -d -g -1 && grep -q 'pm_hpmcount' "$dir/out"
result "pmlist -g -1"
run pmlist -S 1 && [ "$(wc -l <"$dir/out")" = 1 ]
result "pmlist -S"
run pmlist -D PMD_MIPS -o c && grep -q '^"PMD_MIPS","General","1e-06 \* PM_INST_CMPL / seconds"$' "$dir/out"
result "pmlist -o c"
run pmlist -m -1 -d -o x && [ "$(head -n 1 "$dir/out")" = '<pmlist>' ] && grep -q '<metric metric="PMD_CPI"' "$dir/out"
result "pmlist -o x"
HPM_MEM_LATENCY=250 run pmlist -d -o c -V -1 && grep -q '^"HPM_MEM_LATENCY","250","PMD_MEM_COST"$' "$dir/out" && [ "$(wc -l <"$dir/out")" = 11 ]
result "pmlist -V prints the factors of metrics"
(cd "$dir" && echo HPM_MEM_LATENCY=300 >HPM_flags.env && HPM_MEM_LATENCY=250 run pmlist -o c -V HPM_MEM_LATENCY)
grep -q '^"HPM_MEM_LATENCY","300"$' "$dir/out"
result "the file HPM_flags.env has priority over the environment"
run pmlist -V HPM_NOTHING
[ $? = 1 ] && grep -q 'no variable HPM_NOTHING' "$dir/err"
result "an undefined variable"
run pmlist -S one
[ $? = 1 ] && run pmlist -c x
[ $? = 1 ]
result "text in place of numbers"
run pmlist -p 9 -s
[ $? = 1 ] && [ ! -s "$dir/out" ]
result "tables of another processor"
run pmlist -e PM_NOT_THERE
[ $? = 1 ] && grep -q 'no event PM_NOT_THERE' "$dir/err"
result "pmlist: an unknown event"
run pmlist
[ $? = 1 ]
result "pmlist without options"

run hpmcount -e PM_PAGE_FAULTS sh -c 'echo said; exit 7'
[ $? = 7 ] && [ "$(head -n 1 "$dir/out")" = said ]
result "hpmcount: output and exit status are those of the command"
[ "$(value PM_PAGE_FAULTS)" -gt 20 ] && grep -q '^Workload: sh (pid' "$dir/out" && grep -q 'Counting mode: user$' "$dir/out" && grep -q 'Maximum resident' "$dir/out"
result "counts, workload, mode and resources are printed"
one=$(value PM_PAGE_FAULTS)
run hpmcount -e PM_PAGE_FAULTS sh -c 'sh -c : ; sh -c : ; sh -c : ; sh -c :'
[ "$(value PM_PAGE_FAULTS)" -gt $((2 * one)) ]
result "everything that the command starts is also counted"
run hpmcount -k -e PM_PAGE_FAULTS true
grep -q 'Counting mode: user+kernel' "$dir/out"
result "-k"
run hpmcount -o "$dir/file" -D PMD_FAULT_RATE -e PM_PAGE_FAULTS true
[ ! -s "$dir/out" ] && grep -q 'Page faults per second' "$dir/file"
result "-o, and a derived metric"
run hpmcount -D PMD_FAULT_RATE true
grep -q 'Page faults per second' "$dir/out" && [ "$(value PM_PAGE_FAULTS)" -gt 20 ] && [ -z "$(value PM_CONTEXT_SWITCHES)" ]
result "-D alone counts only the events of the metric"
HPM_PMD_GROUP=System run hpmcount true
grep -q 'Page faults per second' "$dir/out" && [ -z "$(value PM_CONTEXT_SWITCHES)" ]
result "so does HPM_PMD_GROUP alone"
run hpmcount -D PMD_FAULT_RATE:k true
grep -q 'Counting mode: kernel$' "$dir/out" && ! grep -q 'user' "$dir/err"
result "a metric is counted in its own mode"
run hpmcount -d --slice=10 -e PM_PAGE_FAULTS,PM_TASK_CLOCK,PM_PAGE_FAULTS:k sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
[ "$(grep -c 'Counting duration' "$dir/out")" = 2 ] && grep -q 'Counting mode: kernel$' "$dir/out"
result "events of two modes are multiplexed"
run hpmcount -D PMD_NOTHING true
[ $? = 1 ] && grep -q 'no such metric: PMD_NOTHING$' "$dir/err" && run hpmcount -m General,Nothing -e PM_PAGE_FAULTS true
[ $? = 1 ] && grep -q 'no such group of metrics: Nothing$' "$dir/err" && run hpmcount -e PM_PAGE_FAULTS:x true
[ $? = 1 ] && grep -q 'letters u, k and h' "$dir/err"
result "unknown metrics and modes"
groups=$(pmlist -g -1 | wc -l)
run hpmcount -d -g "$(seq -s , 0 $((groups - 1)))" --slice=10 sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
[ "$(grep -c 'Counting duration' "$dir/out")" = "$groups" ] || [ "$groups" = 1 ]
result "groups are multiplexed"
run hpmcount -s 0 true
result "all sets"
HPM_PMD_GROUP=Memory run hpmcount -e PM_PAGE_FAULTS true
! grep -q 'Page faults per second' "$dir/out"
result "HPM_PMD_GROUP selects metrics"
echo "1 PM_PAGE_FAULTS" >"$dir/libHPM_events"
(cd "$dir" && HPM_EVENT_SET=99 run hpmcount true) && [ -n "$(value PM_PAGE_FAULTS)" ]
result "the file libHPM_events has priority over the environment"
printf '1 PM_PAGE_FAULTS\n1 PM_TASK_CLOCK\n' >"$dir/libHPM_events"
(cd "$dir" && run hpmcount true)
[ $? = 1 ] && grep -q 'counter is used twice: 1 PM_TASK_CLOCK$' "$dir/err"
result "two events on one counter in libHPM_events"
rm "$dir/libHPM_events"
echo HPM_EVENT_SET=98 >"$dir/HPM_flags.env"
(cd "$dir" && HPM_EVENT_SET=1 run hpmcount true)
[ $? = 1 ] && grep -q 'no such event set: 98$' "$dir/err"
result "HPM_flags.env overrides each variable"
run hpmcount -s , true
[ $? = 1 ] && grep -q 'at least one name or number' "$dir/err"
result "an empty list of sets"
run hpmcount -s one true
[ $? = 1 ] && grep -q 'event sets must be numbers: one$' "$dir/err" && run hpmcount --slice=ten -g 0,0 true
[ $? = 1 ] && grep -q 'requires a number' "$dir/err"
result "hpmcount: text in place of numbers"
run hpmcount -b purr true
[ $? = 1 ] && grep -q 'only time base 0' "$dir/err"
result "an unsupported time base"
HPM_EVENT_SET=99 run hpmcount true
[ $? = 1 ] && grep -q 'no such event set: 99$' "$dir/err"
result "a nonexistent set"
run hpmcount -o "$dir/none/file" true
[ $? = 1 ] && grep -q "^hpmcount: cannot write $dir/none/file: No such file" "$dir/err"
result "a file that cannot be written"
run hpmcount --slice=5 -g 0,0 true
[ $? = 1 ] && grep -q '10 to 30000' "$dir/err" && run hpmcount --slice=30001 -g 0 true
[ $? = 1 ] && grep -q '10 to 30000' "$dir/err"
result "too short or too long a slice, which a single set does not use"
run hpmcount /not/there
[ $? = 127 ] && grep -q 'No such file' "$dir/err" && [ ! -s "$dir/out" ]
result "a nonexistent command: no counts are printed"
run hpmcount -e PM_CONTEXT_SWITCHES true
grep -q 'PM_CONTEXT_SWITCHES: these events occur in kernel mode' "$dir/out" && run hpmcount -k -e PM_CONTEXT_SWITCHES true &&
	! grep -q 'occur in kernel mode' "$dir/out"
result "a zero in user mode is explained"
run hpmcount
[ $? = 1 ] && grep -q usage "$dir/err"
result "no command"
done_testing
