#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The last line of "make test", and of the scripts that CI calls, is the sum, regardless of how they
# end.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
evidence=$dir/said

# Create a checkout that has only the script under test, and whose setup fails.
mkdir -p "$dir/co/scripts" "$dir/co/selftests" "$dir/co/.ci" "$dir/co/kmod/compat"
cp "$top/kmod/compat/tested" "$dir/co/kmod/compat"
cp "$top/selftests/test.sh" "$top/selftests/summary.sh" "$top/selftests/may-skip" "$dir/co/selftests"
cp "$top/.ci/run" "$dir/co/.ci"
printf '#!/bin/sh\necho out; echo wrong >&2; exit 3\n' >"$dir/co/scripts/setup.sh"
chmod +x "$dir/co/scripts/setup.sh"

# makes LINE: make "make test" run LINE from now on
makes() {
	printf 'test:\n\t@%s\n' "$1" >"$dir/co/Makefile"
}

# ci STATUS LAST-LINE: check how .ci/run ends; no earlier line may look like a sum
ci() {
	"$dir/co/.ci/run" >"$dir/said" 2>&1
	[ $? = "$1" ] && [ "$(tail -n 1 "$dir/said")" = "$2" ] && [ "$(grep -c ' passed, ' "$dir/said")" = 1 ]
}

"$dir/co/selftests/test.sh" >"$dir/said" 2>&1
[ $? = 1 ] && [ "$(tail -n 1 "$dir/said")" = '0 passed, 1 failed, 0 skipped' ]
result "if test.sh ends early, it fails and prints the sum"
grep -q "^FAILED: .*ended in stage 'setup'" "$dir/said"
result "it reports the stage"
grep -q '^wrong$' "$dir/said"
result "it prints the error"

# Repeat this with stages that pass, each with one test and without a VM.
stub() {
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/co/$1"
	chmod +x "$dir/co/$1"
}
mkdir "$dir/co/selftests/vm"
cp "$top/selftests/apart.sh" "$dir/co/selftests"
stub scripts/setup.sh :
stub scripts/check.sh 'echo "pass source check x" >>"$RESULTS"'
stub selftests/host.sh "cat '$dir/kernel'"
stub selftests/run-tests.sh 'echo "pass $2 a/b x" >>"$1"; echo "  a/b"'
stub selftests/vm/test.sh 'echo "pass ${VM_NAME:-$1-vm} a/b x" >>"$3"; sleep 1'
stub selftests/vm/agent.sh 'echo "pass vm agent/b x" >>"$2"'
stub selftests/vm/kernel.sh 'echo "pass $1 a/b x" >>"$RESULTS"'
printf 'all tests lib tools vm-pmu:\n\t@:\n' >"$dir/co/Makefile"
echo "1: kprobe" >"$dir/kernel"
whole=$([ "$(id -u)" = 0 ] && echo '23 passed, 0 failed, 0 skipped' || echo '22 passed, 0 failed, 1 skipped')

"$dir/co/selftests/test.sh" >"$dir/said" 2>&1 && [ "$(tail -n 1 "$dir/said")" = "$whole" ]
result "a run of all stages prints its sum"
[ "$(grep -c '^ *[0-9]* s, *[0-9]* s of CPU  ' "$dir/said")" = 19 ]
result "each stage has a line with its seconds"
if [ "$(id -u)" = 0 ]; then
	stub selftests/vm/kernel.sh "echo '2: kprobe' >>'$dir/kernel'; echo \"pass \$1 a/b x\" >>\"\$RESULTS\""
	! "$dir/co/selftests/test.sh" >"$dir/said" 2>&1 && [ "$(tail -n 1 "$dir/said")" = "22 passed, 1 failed, 0 skipped" ] &&
		grep -q '^> 2: kprobe' "$dir/said"
	result "a program that still runs is a failure, and is printed"
else
	skip "a program that still runs is a failure, and is printed" "only root may list them"
fi
stub selftests/vm/test.sh 'kill -TERM $PPID; sleep 1; exit 1'
"$dir/co/selftests/test.sh" >"$dir/said" 2>&1
[ $? = 1 ] && tail -n 1 "$dir/said" | grep -q ' passed, [1-9][0-9]* failed, ' && grep -q "ended in stage 'parallel" "$dir/said"
result "stopped VMs are a failure"

stub scripts/setup.sh 'echo wrong >&2; exit 3'
makes selftests/test.sh
ci 1 '0 passed, 1 failed, 0 skipped'
result "CI prints the same, without make's own messages"
makes "echo; echo '12 passed, 0 failed, 3 skipped'"
ci 0 '12 passed, 0 failed, 3 skipped'
result "CI: a passed run"
makes "echo '12 passed, 1 failed, 3 skipped'; exit 1"
ci 1 '12 passed, 1 failed, 3 skipped'
result "CI: a failed test"
makes "echo '0 passed, 0 failed, 3 skipped'"
ci 1 '0 passed, 0 failed, 3 skipped'
result "CI: a run without tests fails"
echo 'nonsense' >"$dir/co/Makefile"
ci 1 '0 passed, 1 failed, 0 skipped' && grep -q 'missing separator' "$dir/said"
result "CI: the reason is printed if make cannot start"
done_testing
