#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record --with includes metrics of this machine's pmcd in each record of the archive, and
# PCP's own programs can read them.  If pmcd is missing or stops, a message reports this.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
collector_place "$@"
exec 2>"$dir/errors"
evidence="$dir/errors $dir/log/pmcd/pmcd.log"
export PMCD_CONNECT_TIMEOUT=1
PATH=$build/bin:$PATH

# record NAMES ARCHIVE COMMAND...: record COMMAND with the metrics NAMES, and write messages to
# $dir/out
record() {
	names=$1 archive=$2
	shift 2
	vcpc record --with "$names" -I 100ms -o "$archive" "$@" >"$dir/out" 2>&1
	status=$?
	cat "$dir/out" >&2
	return $status
}

recorded() {
	record sample.long.one,sample.colour,sample.string,sample.double.bin "$dir/a" sleep 0.3 || return 1
	pmdumplog "$dir/a" >"$dir/dump" 2>&1; head -n 60 "$dir/dump" >&2; pmlogcheck "$dir/a" >&2 || return 1
	[ "$(grep -c 'sample.long.one' "$dir/dump")" -ge 2 ] &&
		pminfo -a "$dir/a" -O -0 -f sample.string.hullo | grep -q 'value "hullo world!"' &&
		pminfo -a "$dir/a" -O -0 -f sample.colour | grep -q '"green"\] value' &&
		[ "$(pminfo -a "$dir/a" -O -0 -f sample.double.bin | grep -c inst)" = 9 ]
}

# described: check that descriptors and texts are the same as the agent's
described() {
	for metric in sample.long.one sample.colour sample.double.bin; do
		pminfo -h 127.0.0.1 -dmtT "$metric" >"$dir/live"
		pminfo -a "$dir/a" -dmtT "$metric" >"$dir/recorded"
		diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}

# no_value: check that a metric without values is recorded as by PCP's logger, and that other
# metrics have values
no_value() {
	record sample.bad.novalues,sample.long.one "$dir/n" sleep 0.2 && pmlogcheck "$dir/n" >&2 || return 1
	pmdumplog "$dir/n" >"$dir/dump" 2>&1
	grep -q 'sample.bad.novalues): No values returned' "$dir/dump" && grep -q 'sample.long.one): value 1' "$dir/dump" &&
		pminfo -a "$dir/n" -f sample.bad.novalues | grep -q '^No value' && vcpc check "$dir/n" >&2
}

# parts: check that all metrics below the names are recorded, and that a message reports a metric
# that cannot be recorded
parts() {
	record sample.bad,sample.dupnames,sample.long.one "$dir/p" sleep 0.2 && pmlogcheck "$dir/p" >&2 || return 1
	grep -q 'sample.bad.unknown: .*; it is skipped' "$dir/out" &&
		pminfo -a "$dir/p" -f sample.dupnames | grep -q '"bin-500"\] value 500' &&
		pminfo -a "$dir/p" -f sample.long.one | grep -q 'value 1'
}

# rotated: check that each archive in the directory is complete, with its instances and texts
rotated() {
	vcpc record --with sample.long.one,sample.colour -I 100ms --rotate 1s -o "$dir/r" sleep 2.4 >"$dir/out" 2>&1 || return 1
	archives=0
	for meta in "$dir"/r/*.meta; do
		archives=$((archives + 1))
		pmlogcheck "${meta%.meta}" >&2 && pminfo -a "${meta%.meta}" -f -t sample.colour >"$dir/dump" || return 1
		grep -q '"green"\] value' "$dir/dump" && grep -q 'Metrics with a "saw-tooth"' "$dir/dump" || return 1
		[ "$(pmdumplog "${meta%.meta}" | grep -c sample.long.one)" -ge 2 ] || return 1
	done
	[ $archives -ge 2 ] && vcpc check "$dir/r" >&2
}

goes() {
	record sample.long.one "$dir/b" sh -c "sleep 0.2; kill -KILL $collector; sleep 0.2"
	wait "$collector" 2>/dev/null
	collector=
	grep -q 'some values are missing from the archive' "$dir/out" && pmlogcheck "$dir/b" >&2 &&
		pminfo -a "$dir/b" -f sample.long.one | grep -q 'value 1'
}

# refused NAMES WORDS: check that recording NAMES fails with a message that contains WORDS
refused() {
	! record "$1" "$dir/c" true && grep -q "$2" "$dir/out" && [ ! -e "$dir/c.meta" ]
}

# Invalid data from an agent are skipped, and the recording continues.
mistaken() {
	cc -O1 -D_GNU_SOURCE -o "$dir/repeating_pmcd" "$here/peer/repeating_pmcd.c" || return 1
	mkfifo "$dir/until" || return 1
	"$dir/repeating_pmcd" <"$dir/until" >"$dir/socket" &
	exec 3>"$dir/until"
	tries=0
	until [ -s "$dir/socket" ] || [ $tries = 100 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	PMCD_SOCKET=$(cat "$dir/socket") record a.word,a.text "$dir/d" sleep 0.2
	status=$?
	exec 3>&-
	wait
	pmdumplog "$dir/d" >"$dir/dump" 2>&1
	cat "$dir/dump" >&2
	[ $status = 0 ] && pmlogcheck "$dir/d" >&2 && grep -q 'inst \[1 or "one"\] value 100' "$dir/dump" &&
		grep -q 'inst \[3 or "three of them"\] value 300' "$dir/dump" && ! grep -q 'value 200' "$dir/dump"
}

make_collector && start_collector
result "PCP's collector with its sample agents runs"
[ $tap_failed = 0 ] || done_testing
recorded
result "metrics of pmcd are in each record"
described
result "they have pmcd's descriptors"
no_value
result "a metric for which the agent has no value"
parts
result "subtrees, in which some metrics cannot be recorded or have two names"
refused sample.bad.unknown 'sample.bad.unknown: Unknown or illegal metric identifier$'
result "an explicitly named metric that cannot be recorded"
refused sample.nothing 'sample.nothing: Unknown metric name'
result "an invalid name"
refused sample.event.records 'type cannot be recorded'
result "a type that cannot be recorded"
refused sample.long.one,,sample.bin 'contains an empty name'
result "a list with an empty element"
rotated
result "a directory of archives"
goes
result "pmcd stops in the middle"
refused sample.long.one "cannot connect to pmcd on this machine: "
result "without pmcd"
mistaken
result "invalid data of an agent do not end the recording"
done_testing
