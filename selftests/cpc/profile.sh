#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A profiler based on overflows finds the expensive function.  It uses cycles with a PMU, otherwise
# page faults.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
out=$dir/out
evidence=$out

profile sw::page-faults 100 >"$out" 2>&1
result "page faults: the program succeeds"
awk '{ gsub(/[,;]/, "") } { exit !($5 + $7 <= 2 && $9 >= 99 && $9 <= 105) }' "$out"
result "10,000 faults cause 100 signals, all in functions that cause faults"

if profile PAPI_tot_cyc 1000000 >"$out" 2>&1; then
	awk '{ gsub(/[,;]/, "") } { exit !($5 > 20 && $7 > 5 && $5 > 3.6 * $7 && $5 < 4.4 * $7) }' "$out"
	result "cycles: one function has four times as many signals as the other"
	sed 's/^/# /' "$out"
else
	skip "cycles: one function has four times as many signals as the other" "no PMU counts cycles"
fi
done_testing
