#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc why explains a function of a program that makes no trace calls.  The program is vcpc itself,
# which waits for a child.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence="$dir/err $dir/out"
if [ "$(id -u)" != 0 ] || [ ! -e /sys/kernel/btf/vmlinux ]; then
	skip "a function" "this requires root and a kernel with BTF"
	done_testing
fi
trap 'vcpc trace off >/dev/null 2>&1; rm -rf "$dir"' EXIT

vcpc trace off >/dev/null 2>&1
vcpc trace on --function vcpc:main=job 2>"$dir/err"
result "trace a function"
(while [ ! -e "$dir/end" ]; do vcpc stat -e task-clock -- sleep 0.2; done) >/dev/null 2>&1 &
timeout 200 vcpc why job --for 10s >"$dir/out" 2>"$dir/err" &&
	grep -q '^job, transactions above p99 take .* on average: .* blocked' "$dir/out" && grep -q '^    in [a-z0-9_]* .*ms' "$dir/out"
result "the function is explained"
: >"$dir/end"
wait
vcpc trace off >"$dir/out" 2>&1
vcpc why job --for 100ms >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'no transaction' "$dir/err"
result "it is not, after tracing was turned off"
done_testing
