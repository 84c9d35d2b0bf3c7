#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# selftests/install.sh writes a directory in which the kernel's run_kselftest.sh runs tests without the checkout.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
selftests=$(cd "$(dirname "$0")/.." && pwd)
build=${VCPC_BUILD:-$selftests/../build/$(uname -m | sed s/aarch64/arm64/)}
to=$dir/installed
evidence="$dir/out $dir/err"

install() { "$selftests/install.sh" "$@" >"$dir/out" 2>"$dir/err"; }
# lines PATTERN: print how many lines of the last output match
lines() { grep -cE "$1" "$dir/out"; }

install "$to" "$build" cpc trace && [ -x "$to/run_kselftest.sh" ]
result "two targets are installed"
"$to/run_kselftest.sh" -l >"$dir/out" && [ "$(lines '^cpc:')" = "$(find "$selftests/cpc" -maxdepth 1 \( -name '*.c' -o -name '*.sh' \) | wc -l)" ] &&
	[ "$(lines '^trace:')" != 0 ] && [ "$(lines '^(cpc|trace):[a-z0-9_]+(\.sh)?$')" = "$(wc -l <"$dir/out")" ]
result "the list has exactly the programs and scripts of both"
"$to/run_kselftest.sh" -t cpc:refused -t trace:errstr >"$dir/out" 2>&1 && [ "$(lines '^ok 1 selftests: cpc: refused$')" = 1 ] &&
	[ "$(lines '^ok 1 selftests: trace: errstr$')" = 1 ] && [ "$(lines '^# ok 1 ')" -gt 1 ]
result "two tests run, and print TAP in TAP"

cat >"$to/cpc/kept.sh" <<'END'
. "$(dirname "$0")/../tap.sh"
evidence=''
[ "$(command -v vcpc)" = "$(cd "$(dirname "$0")/.." && pwd)/bin/vcpc" ]
result "the installed vcpc is used"
vcpc --version
result "and runs"
done_testing
END
echo 'exit 4' >"$to/cpc/skipped.sh"
echo 'exit 3' >"$to/cpc/failed.sh"
(cd "$to/cpc" && sh ./kept.sh) >"$dir/out" 2>&1
result "a script finds the installed commands"
printf 'cpc:%s.sh\n' skipped failed >>"$to/kselftest-list.txt"
sed -i '1i #!/bin/sh' "$to/cpc/skipped.sh" "$to/cpc/failed.sh"
"$to/run_kselftest.sh" -t cpc:skipped.sh -t cpc:failed.sh >"$dir/out" 2>&1
[ "$(lines '^ok 1 selftests: cpc: skipped.sh # SKIP$')" = 1 ] && [ "$(lines '^not ok 2 selftests: cpc: failed.sh # exit=3$')" = 1 ]
result "exit status 4 is a skip, and other statuses are failures"

install "$to" "$build" cpc && [ ! -e "$to/trace" ] && [ ! -e "$to/cpc/failed.sh" ]
result "after installing one target again, the directory contains no other tests"
! install "$dir/none" "$build" no_such_target && [ "$(cat "$dir/err")" = "install: 'no_such_target' has no tests" ]
result "a nonexistent target is an error"
! KSRC=$dir/nothing install "$dir/none" "$build" cpc && grep -q "run 'make setup'" "$dir/err"
result "without kselftest's files, the error suggests a command"
done_testing
