#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check a change for a CI job: record two commands a few times each, and compare them.
#
# usage: gate.sh DIR RUNS BASE NEW CONDITION...
#
# BASE and NEW are shell commands, which run alternately.  Their archives are stored in DIR/base and
# DIR/new.  Each CONDITION is passed to vcpc compare --fail-if.  The exit status is 0 if no condition
# holds, or 3 if one does.  The environment variable EVENTS lists the events to count.  Recording
# transactions requires root; with TRACE=no, only the whole run is recorded, and any user can do it.
set -eu

folder=$1 runs=$2 base=$3 new=$4
shift 4
events=${EVENTS:-instructions:u}
conditions=$#
trace=--trace
[ "${TRACE:-}" != no ] || trace=

# record COMMAND ARCHIVE
record() {
	# shellcheck disable=SC2086
	vcpc record $trace -e "$events" -I 100ms -o "$2" -- sh -c "$1" >"$2.log" 2>&1 || {
		cat "$2.log"
		exit 1
	}
}

mkdir -p "$folder/base" "$folder/new"
run=0
while [ $((run += 1)) -le "$runs" ]; do
	record "$base" "$folder/base/$run"
	record "$new" "$folder/new/$run"
done
while [ $((conditions -= 1)) -ge 0 ]; do
	set -- "$@" --fail-if "$1"
	shift
done
vcpc compare "$folder/base" "$folder/new" "$@"
