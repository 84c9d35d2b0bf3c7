#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run test programs one after the other, natively or in a VM, and record each result.
#
# usage: run-tests.sh RESULTS WHERE PROGRAM...
#
# Each program must print TAP.  One line is appended to RESULTS for each test: "pass", "fail" or
# "skip", WHERE (x86_64, arm64-vm, ...), directory/program, and the test's name or the reason.  If a
# program is killed, exits non-zero without a "not ok", or stops before the end of its plan, this is a
# separate failure.  TEST_RUNNER, if set, is a command that runs each program.
#
# If a program printed "not ok", but there was no signal and no sanitizer's report, it is run once
# more, because a busy machine can stall at any moment.  The results of the second run count.  If it
# passes, a line "unstable" is written for each test that failed in the first run, and summary.sh
# accepts only a few of these.
set -u

results=$1 where=$2
shift 2
touch "$results"
limit=${TEST_TIMEOUT:-300}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME PROGRAM LOG LINES: write its output to LOG and its results to LINES; return true if it
# may be run again
run() {
	# shellcheck disable=SC2086
	timeout -k 5 "$limit" ${TEST_RUNNER:-} "$2" >"$3" 2>&1 </dev/null
	awk -v where="$where" -v name="$1" -v status=$? '
		/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; planned = 1 }
		/^not ok / { failed++; seen++; say("fail", $0); next }
		/^ok .*# *SKIP/ { skipped++; seen++; say("skip", $0); next }
		/^ok / { seen++; say("pass", $0) }
		function say(what, line) {
			sub(/^(not )?ok [0-9]*( -)? */, "", line)
			print what, where, name, line
		}
		END {
			if (status == 124 || status == 137)
				print "fail", where, name, "was killed, or did not end in time"
			else if (status == 4 && !seen)
				print "skip", where, name, "the whole program"
			else if (status != 0 && !failed)
				print "fail", where, name, "exit status " status
			else if (!planned)
				print "fail", where, name, "no plan"
			else if (seen < plan)
				print "fail", where, name, "stopped after " seen + 0 " of " plan " tests"
			exit !failed || status == 124 || status >= 128 || !planned || seen < plan
		}' "$3" >"$4" && ! grep -qE 'Sanitizer|runtime error:|by signal' "$3"
}

# cpu: set "cpu" to the seconds of CPU time that ended children have used
cpu() {
	times >"$work/times"
	cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$work/times")
}

# say NAME LINES BEGUN USED: print a line with the numbers of results, and what the program took since
# the time BEGUN, when children had used USED seconds of CPU time
say() {
	cpu
	awk -v name="$1" -v took="$(($(date +%s) - $3))" -v used="$4" -v cpu="$cpu" '
		{ n[$1]++ }
		END { printf "  %-44s %3d passed", name, n["pass"]
		      if (n["fail"]) printf ", %d FAILED", n["fail"]
		      if (n["skip"]) printf ", %d skipped", n["skip"]
		      if (n["unstable"]) printf ", %d failed at first", n["unstable"]
		      if (took >= 5) printf ", %d s, %d s of CPU", took, cpu - used
		      print "" }' "$2"
}

show() {
	grep "^not ok" "$1" | sed "s/^/    | /"
	sed 's/^/    | /' "$1" | tail -n 40
}

for program; do
	folder=${program%/*} name=${program##*/}
	name=${folder##*/}/$name
	begun=$(date +%s)
	cpu
	used=$cpu
	if run "$name" "$program" "$work/log" "$work/lines"; then
		say "$name" "$work/lines" "$begun" "$used"
		show "$work/log"
		sed -n 's/^fail /unstable /p' "$work/lines" >"$work/unstable"
		run "$name" "$program" "$work/log" "$work/lines" || :
		grep -q ^fail "$work/lines" || cat "$work/unstable" >>"$work/lines"
	fi
	cat "$work/lines" >>"$results"
	say "$name" "$work/lines" "$begun" "$used"
	! grep -q ^fail "$work/lines" || show "$work/log"
done
