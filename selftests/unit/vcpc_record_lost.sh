#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record prints how many trace events are missing from the archive, and fails if it cannot
# determine this.  It counts the intervals that it has missed.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
evidence="$dir/log"
cd "$dir" || exit 1

cc -O1 -shared -fPIC -I"$here/../../user/include" -o lost.so "$here/peer/lost.c" >log 2>&1
result "the required library exists"

# record VARIABLE=VALUE...: print the exit status, and write the messages to "log"
record() {
	rm -f a.*
	env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=./lost.so "$@" \
		"$build/bin/vcpc" record -o a -e page-faults -- true >log 2>&1
	echo $?
}
unknown='cannot determine whether trace events are missing from the archive'

[ "$(record LOST_EVENTS=0)" = 0 ] && [ -s a.0 ] && ! grep -q 'missing\|removed\|determine' log
result "nothing is lost"
[ "$(record LOST_EVENTS=2 LOST_TAGS=3)" = 0 ] && grep -q ': 2 trace events are missing from the archive' log &&
	grep -q ': 3 unused tags were removed' log
result "events and tags are lost"
for call in open drops losses; do
	for later in 0 1; do
		[ "$(record LOST_FAIL=$call LOST_LATER=$later)" = 1 ] && [ -s a.0 ] &&
			grep -q "$unknown: Input/output error" log
		result "an error of $call, $([ $later = 1 ] && echo 'at the end' || echo 'each time')"
	done
done
[ "$(record LOST_FAIL=open LOST_LATER=1 LOST_ERROR=2)" = 0 ] && ! grep -q "$unknown" log
result "it is not an error if the program has turned tracing off"

# Stop the recorder while its command runs.
rm -f a.*
"$build/bin/vcpc" record -o a -e page-faults -I 20msec -- sleep 2 >log 2>&1 &
recorder=$!
tries=0
until [ -s a.0 ] || [ $((tries += 1)) = 100 ]; do sleep 0.05; done
kill -STOP "$recorder"
sleep 0.5
kill -CONT "$recorder"
wait "$recorder" && "$build/bin/vcpc" dump a >log 2>&1 &&
	awk '/vcpc.record.missed:/ { n = $2 } END { exit !(n >= 20) }' log
result "intervals in which the recorder did not run are counted"
done_testing
