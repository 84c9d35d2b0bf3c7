#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run a test program to its end, and judge it by the reports of a sanitizer or of valgrind.  Ignore
# its counts, because they include the tool's page faults and instructions.
#
# usage: complaints.sh [TOOL...] PROGRAM
for program; do :; done
# Run a script without the tool.  The commands that it runs are built with the sanitizers, or are
# the normal ones.
[ "$program" = "${program%.sh}" ] || set -- "$program"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$@" >"$log" 2>&1
echo "1..2"
if grep -qE '^# Totals:|^1\.\.' "$log"; then
	echo "ok 1 - the program ran to its end"
else
	echo "not ok 1 - the program ran to its end"
	tail -n 10 "$log" | sed 's/^/# /'
fi
if grep -qE '^==[0-9]+==|AddressSanitizer|runtime error:' "$log"; then
	echo "not ok 2 - no memory error is reported"
	grep -E '^==[0-9]+==|AddressSanitizer|runtime error:|^    #' "$log" | head -n 40 | sed 's/^/# /'
	exit 1
fi
echo "ok 2 - no memory error is reported"
