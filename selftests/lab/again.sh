#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If a test fails and then passes, this is reported, and is accepted only for a few tests.  No other
# test runs twice.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
selftests=$(cd "$(dirname "$0")/.." && pwd)
evidence="$dir/said $dir/results"
mkdir "$dir/t"

# shellcheck disable=SC2016
# program NAME LINE...: create a test that counts its runs in NAME.runs
program() {
	name=$1
	shift
	{
		printf '#!/bin/sh\necho x >>%s\nruns=$(wc -l <%s)\n' "$dir/$name.runs" "$dir/$name.runs"
		printf '%s\n' "$@"
	} >"$dir/t/$name"
	chmod +x "$dir/t/$name"
}

# ran TIMES NAME...: run the programs, and check that the first one ran TIMES times
ran() {
	times=$1 first=$2
	rm -f "$dir/results" "$dir"/*.runs
	for name; do shift; [ "$name" = "$times" ] || set -- "$@" "$dir/t/$name"; done
	"$selftests/run-tests.sh" "$dir/results" here "$@" >"$dir/said" 2>&1
	[ "$(wc -l <"$dir/$first.runs")" = "$times" ]
}

# sum STATUS LAST-LINE: check the exit status and the last line of the summary
sum() {
	"$selftests/summary.sh" /dev/null "$dir/results" >"$dir/said" 2>&1
	[ $? = "$1" ] && [ "$(tail -n 1 "$dir/said")" = "$2" ]
}

# shellcheck disable=SC2016
for name in once a b c; do
	program $name '[ $runs -gt 1 ] && echo "ok 1 - x" || { echo "not ok 1 - x"; bad=1; }' 'echo "ok 2 - y"' 'echo 1..2' 'exit ${bad:-0}'
done
program good 'echo "ok 1 - x"' 'echo 1..1'
program bad 'echo "not ok 1 - x"' 'echo 1..1' 'exit 1'
program early 'echo "not ok 1 - x"' 'echo 1..2' 'exit 1'
program dies 'echo "not ok 1 - x"' 'echo 1..1' 'kill -SEGV $$'
program child 'echo "# x: Test terminated unexpectedly by signal 11"' 'echo "not ok 1 - x"' 'echo 1..1' 'exit 1'
program leaks 'echo "ERROR: LeakSanitizer: detected memory leaks"' 'echo "not ok 1 - x"' 'echo 1..1' 'exit 1'
program status 'echo "ok 1 - x"' 'echo 1..1' 'exit 1'

ran 1 good && sum 0 '1 passed, 0 failed, 0 skipped'
result "a test that passes runs once"
ran 2 once && sum 0 '2 passed, 0 failed, 0 skipped' && grep -q '^UNSTABLE.*here t/once x$' "$dir/said"
result "a test that fails and then passes is a pass, and is reported"
ran 2 once a b && sum 0 '6 passed, 0 failed, 0 skipped' && ran 2 once a b c && sum 1 '8 passed, 1 failed, 0 skipped'
result "three of these are accepted, but not four"
ran 2 once && ! UNSTABLE=0 "$selftests/summary.sh" /dev/null "$dir/results" >"$dir/said"
result "none is accepted if none is allowed"
ran 2 bad && sum 1 '0 passed, 1 failed, 0 skipped' && ! grep -q UNSTABLE "$dir/said"
result "a test that fails twice is a failure"
for name in early dies child leaks status; do
	ran 1 $name && ! "$selftests/summary.sh" /dev/null "$dir/results" >"$dir/said" && ! grep -q UNSTABLE "$dir/said"
	result "$name is not run again"
done
done_testing
