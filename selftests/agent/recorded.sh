#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recorded trace calls match what PCP's agent exports for the same calls: names, types, tags and
# values, as printed by PCP's own tool.
#
# Tracing uses the module or, if it is not loaded, probes.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/agent/machine.sh
. "$here/machine.sh"

# Make the same calls twice: PCP's library sends them to PCP's agent, and ours records them.
make_calls() {
	start && "$here/calls_pcp" sync simple >/dev/null &&
		SHIM_TRACE=$way "$here/trace_record" "$dir/a" "$here/trace_calls" sync simple >/dev/null
}

# shown FILE METRIC...: write pminfo's instances and values to FILE, sorted by instance name
shown() {
	file=$1
	shift
	pminfo -f "$@" | sed 's/inst \[[0-9]* or/inst [or/' | sort >"$file"
	[ -s "$file" ]
}

# same METRIC...: check that the live values and the recorded values are the same
same() {
	shown "$dir/live" -h 127.0.0.1 "$@" && shown "$dir/recorded" -a "$dir/a" -O -0 "$@" &&
		diff "$dir/live" "$dir/recorded" >&2
}

# The durations of two runs differ, so check only that each is at most one second.
times_agree() {
	shown "$dir/live" -h 127.0.0.1 trace.transact.total_time &&
		shown "$dir/recorded" -a "$dir/a" -O -0 trace.transact.total_time &&
		awk '/value/ { n++; key[$0 ~ /simple/]++; if ($NF < 0 || $NF > 1) bad = 1 }
			END { exit bad || n != 4 || key[1] != 2 }' "$dir/live" "$dir/recorded"
}

# Compare pmval's output for one tag, live and recorded; the last line has the value.
values() {
	for metric in trace.transact.count trace.point.count trace.observe.value trace.counter.value; do
		pmval -h 127.0.0.1 -r -s 1 -t 0.1 -i simple "$metric" | awk 'END { print $NF }' >"$dir/live"
		pmval -U "$dir/a" -r -i simple "$metric" | awk 'END { print $NF }' >"$dir/recorded"
		grep -q '^[0-9.E+-]*$' "$dir/live" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}

[ "$(echo "$metrics" | wc -w)" -ge 14 ]
result "there are metrics to compare"
make_calls
result "the same calls go to PCP's agent and to an archive ($way)"
described
result "metrics have the descriptors of PCP's agent: number, type, semantics, units"
same trace.transact.count
result "transactions have the same tags and counts"
same trace.point.count
result "points"
same trace.observe.count trace.observe.value
result "observations have the same counts and values"
same trace.counter.count trace.counter.value
result "counters have the same counts and values"
times_agree
result "times are plausible"
[ "$(pminfo -a "$dir/a" -O -0 -f vcpc.transact.aborted | sed -n 's/.*simple"\] value //p')" = 1 ]
result "aborted transactions are counted, unlike by PCP's agent"
values
result "pmval prints the same for both"
pmlogcheck "$dir/a" >&2
result "PCP's check finds no problem in the archive"
done_testing
