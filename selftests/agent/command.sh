#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# "vcpc record --trace" records the same values that PCP's agent exports for the same calls,
# including the rates and times, which the agent calculates over ten seconds.
#
# Tracing uses the module or, if it is not loaded, probes.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/agent/machine.sh
. "$here/machine.sh"

# The agent exports the events of one second about two seconds later, so the job reads its values
# after three seconds.  "vcpc record" writes its second record after ten seconds.
cat >"$dir/job" <<-JOB
	SHIM_TRACE=$way "$here/trace_both" libpcp_trace.so.2 libshim.so.1 || exit 1
	sleep 3
	for metric in $(echo $metrics); do
		pminfo -h 127.0.0.1 -f \$metric >"$dir/live.\$metric"
	done
	sleep 8
JOB

make_calls() {
	start && vcpc record --trace -o "$dir/a" -I 10s sh "$dir/job" >&2
}

# names_and_values: print one "tag value" per line, from pminfo's output
names_and_values() {
	sed -n 's/.*inst \[[0-9]* or "\(.*\)"\] value \(.*\)/\1 \2/p' | sort -u
}

# ten_seconds METRIC: write METRIC's values over ten seconds, as exported by the agent and as
# recorded, to two files.  The last record has no new events.
ten_seconds() {
	names_and_values <"$dir/live.$1" >"$dir/live" &&
		pmdumplog "$dir/a" "$1" | names_and_values >"$dir/recorded" &&
		[ -s "$dir/live" ]
}

exactly() {
	for metric; do
		ten_seconds "$metric" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}

# within PERCENT METRIC...: check that the tags are the same and that the values differ by at most
# PERCENT
within() {
	percent=$1
	shift
	for metric; do
		ten_seconds "$metric" || return 1
		join "$dir/live" "$dir/recorded" | awk -v percent="$percent" -v metric="$metric" \
			-v wanted="$(wc -l <"$dir/live")" '
			{ d = $2 > $3 ? $2 - $3 : $3 - $2; n++ }
			$2 <= 0 || d > $2 * percent / 100 { print metric, $0 >"/dev/stderr"; bad = 1 }
			END { exit bad || n != wanted }' || return 1
	done
}

make_calls
result "the same calls go to PCP's agent and, through vcpc record --trace, to an archive ($way)"
described
result "each metric of trace.* has the agent's descriptor"
exactly trace.transact.count trace.point.count trace.observe.count trace.counter.count
result "tags and counts are the same"
exactly trace.observe.value trace.counter.value
result "values are the same"
within 2 trace.transact.total_time
result "total times of transactions are the same"
within 4 trace.transact.rate trace.point.rate trace.observe.rate trace.counter.rate
result "rates over ten seconds are the same"
within 2 trace.transact.ave_time
result "mean times are the same"
within 8 trace.transact.min_time trace.transact.max_time
result "minimum and maximum times are the same, within a histogram bucket"
pmlogcheck "$dir/a" >&2
result "PCP's check finds no problem in the archive"
done_testing
