#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run test programs one after the other, natively or in a VM, and note each result.
#
# usage: run-tests.sh RESULTS WHERE PROGRAM...
#
# A program speaks TAP.  RESULTS gets a line for each test: "pass", "fail" or
# "skip", WHERE (x86_64, arm64-vm, ...), folder/program, and the test's name or
# the reason.  A program that dies, exits non-zero without a "not ok", or stops
# before its plan is a failure of its own.  TEST_RUNNER, if it is set, is a command that
# runs each program.
set -u

results=$1 where=$2
shift 2
touch "$results"
limit=${TEST_TIMEOUT:-300}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

note() {
	awk -v where="$where" -v name="$1" -v status="$2" '
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
		}' "$log"
}

for program; do
	name=$(basename "$(dirname "$program")")/$(basename "$program")
	before=$(wc -l <"$results")
	begun=$(date +%s)
	# shellcheck disable=SC2086
	timeout -k 5 "$limit" ${TEST_RUNNER:-} "$program" >"$log" 2>&1 </dev/null
	status=$?
	note "$name" $status >>"$results"
	took=$(($(date +%s) - begun))
	tail -n +$((before + 1)) "$results" | awk -v name="$name" -v took="$took" '
		{ n[$1]++ }
		END { printf "  %-44s %3d passed", name, n["pass"]
		      if (n["fail"]) printf ", %d FAILED", n["fail"]
		      if (n["skip"]) printf ", %d skipped", n["skip"]
		      if (took >= 5) printf ", %d s", took
		      print "" }'
	if tail -n +$((before + 1)) "$results" | grep -q ^fail; then
		sed 's/^/    | /' "$log" | tail -n 40
	fi
done
