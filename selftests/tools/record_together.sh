#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings with --trace can overlap: tracing stays on until the last of them has ended.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT

# record ARCHIVE COMMAND
record() {
	vcpc record --trace -I 50ms -e page-faults -o "$1" -- sh -c "$2" >/dev/null 2>"$1.err"
}

# When the second recording has begun, the first one ends.  Transactions then still count.
until_there='i=0; while [ ! -e "$0" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done'
overlap() {
	rm -f "$dir"/first "$dir"/second "$dir"/ended
	(
		record "$dir/$1" "touch $dir/first; sh -c '$until_there' $dir/second"
		echo $? >"$dir/ended"
	) &
	sh -c "$until_there" "$dir/first"
	record "$dir/$2" "touch $dir/second; sh -c '$until_there' $dir/ended; pmtrace -q -e true late"
}
evidence="$dir/a.err $dir/b.err $dir/c.err $dir/values"

# counted ARCHIVE WHAT: print the last recorded number of transactions
counted() {
	vcpc replay "$1" -m back -r "$2" 2>&1 >"$dir/values" | cat
	awk '$1 ~ /^[0-9][0-9]:/ && $2 != "-" { print $2; exit }' "$dir/values"
}

overlap a b
result "the second of two recordings succeeds"
[ "$(cat "$dir/ended")" = 0 ]
result "... and so does the first"
[ "$(counted "$dir/b" 'trace.transact.count[late]')" = 1 ]
result "... the second one contains a transaction from after the end of the first"
if [ -e /dev/vcpc ]; then
	[ "$(counted "$dir/b" 'vcpc.transact.counted[late/page-faults]')" = 1 ]
	result "... with counts"
else
	skip "... with counts" "only the module counts in transactions"
fi
[ "$(vcpc trace status)" = off ] && [ ! -e /run/vcpc/trace-counts ]
result "... and then tracing is off"

vcpc trace on 2>"$dir/values" && record "$dir/c" : && [ "$(vcpc trace status)" != off ]
result "if tracing was on before a recording, it stays on"
[ ! -e /run/vcpc/trace-counts ]
result "... and no event is requested"
done_testing
