#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Add up the result files of run-tests.sh for each place and directory, and print the sum on the
# last line.
#
# usage: summary.sh MAY-SKIP RESULTS...
#
# A skip is a failure unless a line of MAY-SKIP (an extended regular expression for "WHERE
# directory/program reason") allows it, because a required test that did not run is not a success.
# The run also fails if more than UNSTABLE tests (three) failed once and then passed.
set -eu

may_skip=$1
shift
cat "$@" 2>/dev/null | awk -v may_skip="$may_skip" -v may_wobble="${UNSTABLE:-3}" '
	BEGIN {
		while ((getline line < may_skip) > 0)
			if (line !~ /^#/ && line != "") allowed[++nallowed] = line
	}
	$1 == "unstable" { sub(/^unstable /, ""); print "UNSTABLE (failed at first): " $0; unstable++; next }
	{
		folder = $3
		sub(/\/.*/, "", folder)
		place = $2 " " folder
		if (!(place in all))
			places[++nplaces] = place
		all[place]++
		good[place] += $1 == "pass"
	}
	$1 == "pass" { passed++ }
	$1 == "fail" { failed++; sub(/^fail /, ""); print "FAILED: " $0 }
	$1 == "skip" {
		sub(/^skip /, "")
		for (i = 1; i <= nallowed; i++)
			if ($0 ~ allowed[i]) { skipped++; print "skipped: " $0; next }
		failed++
		print "FAILED (must not be skipped here): " $0
	}
	END {
		if (unstable > may_wobble) {
			print "FAILED: more than " may_wobble " tests are unstable"
			failed++
		}
		for (i = 1; i <= nplaces; i++) {
			split(places[i], part, " ")
			printf "%-14s %-12s %4d of %4d passed\n", part[1], part[2], good[places[i]], all[places[i]]
		}
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0 || passed == 0
	}'
