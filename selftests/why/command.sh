#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc why prints the table, the sentence, JSON and folded stacks for a running program, and reports
# invalid usage.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'rm -rf "$dir" /tmp/why.end' EXIT
evidence="$dir/err $dir/out"

why() {
	vcpc why "$@" >"$dir/out" 2>"$dir/err"
}

usage() {
	why "$@"
	[ $? = 2 ] && [ -s "$dir/err" ]
}

usage --above p100 && usage --above p && usage -p 0 && usage a b && usage --json --folded && usage --json --folded-diff && usage --folded --no-stacks
result "wrong usage"
why --help && grep -q -- '--above pNN' "$dir/out"
result "help"

if [ "$(id -u)" != 0 ]; then
	why --for 100ms
	[ $? = 1 ] && grep -qi 'permi' "$dir/err"
	result "no permission"
	done_testing
fi
if [ ! -e /sys/kernel/btf/vmlinux ]; then
	why --for 100ms
	[ $? = 1 ] && grep -q 'no BTF' "$dir/err"
	result "a kernel without BTF"
	done_testing
fi

why --for 100ms
[ $? = 1 ] && grep -q 'no transaction began and ended' "$dir/err"
result "no transactions"

why -p 4194303 --for 1h
[ $? = 1 ] && grep -q -- '-p 4194303: No such process' "$dir/err"
result "no such process"
sleep 2 &
why -p $! --for 1h
[ $? = 1 ] && grep -q 'no transaction began and ended' "$dir/err"
result "a process that ends"

rm -f /tmp/why.end
sh -c 'while [ ! -e /tmp/why.end ]; do timeout -s KILL 1 pmtrace -q -e "sleep 2" killed; done' >/dev/null 2>&1 &
why --for 4s
[ $? = 1 ] && grep -q 'no transaction began and ended' "$dir/err" && grep -q '^Not included: [0-9]* transactions whose thread ended' "$dir/err"
result "all transactions are lost"
touch /tmp/why.end
wait

rm -f /tmp/why.end
sh -c 'while [ ! -e /tmp/why.end ]; do orders 150; sleep 0.1; done' >/dev/null 2>&1 &
why batch --for 1s
[ $? = 0 ] && grep -q '^batch, transactions above p99 take .* on average: .* on CPU, .* blocked' "$dir/out" && grep -q '^  on CPU .*%.*%' "$dir/out" &&
	grep -q '^Other tags: ' "$dir/out"
result "one screen"
why batch --for 1s --above 90 --no-stacks
[ $? = 0 ] && grep -q '^batch, transactions above p90 take ' "$dir/out"
result "a percentile without p"
why absent --for 500ms
[ $? = 1 ] && grep -q "no transaction of 'absent'" "$dir/err"
result "a tag that is not used"
why --for 1s --json --above 90 --no-stacks
[ $? = 0 ] && grep -q '^{"above": "p90", "tags": \[{"tag": "' "$dir/out" && grep -q '"dropped": {"not_seen": ' "$dir/out" &&
	awk 'BEGIN { RS = "\"all\": " } NR > 1 { gsub(/[^0-9]+/, " "); if (split($0, n, " ") < 4 || !n[1]) bad = 1 } END { exit bad || NR < 2 }' "$dir/out"
result "JSON"
why batch --for 1s --folded
[ $? = 0 ] && ! grep -qv '^batch;.* [0-9][0-9]*$' "$dir/out"
result "folded stacks"
why batch --for 1s --folded-diff
[ $? = 0 ] && [ -s "$dir/out" ] && ! grep -qv '^batch;.* [0-9][0-9]* [0-9][0-9]*$' "$dir/out"
result "folded stacks of slow and typical transactions"
why --for 1s --json
[ $? = 0 ] && grep -q '"stacks": \[{"reason": .*"frames": \["' "$dir/out"
result "JSON with stacks"

# Another user has a tag with the same name, and its transactions take longer.
mode=$(stat -c %a /dev/vcpc 2>/dev/null)
if [ -n "$mode" ] && command -v setpriv >/dev/null; then
	chmod 666 /dev/vcpc
	sh -c 'while [ ! -e /tmp/why.end ]; do setpriv --reuid 1001 --regid 1001 --clear-groups pmtrace -q -e "sleep 0.5" batch; done' >/dev/null 2>&1 &
	why batch --for 4s
	[ $? = 0 ] && grep -q '^batch@0, transactions above' "$dir/out" && grep -q '^Other tags: .*batch@1001 (' "$dir/out"
	result "the caller's tag comes first"
	why batch@1001 --for 4s --folded
	[ $? = 0 ] && [ -s "$dir/out" ] && ! grep -qv '^batch@1001;.* [0-9][0-9]*$' "$dir/out"
	result "another user's tag"
fi

# The output does not fit in the pipe, so the command waits until a signal ends it.
mkfifo "$dir/pipe"
exec 9<>"$dir/pipe"
head -c 65536 /dev/zero >&9
vcpc why batch --for 1s >&9 2>"$dir/err" &
pid=$! left=60
# It is in write(2) to standard output; the system call has the number 1 or 64.
while [ $left != 0 ] && ! grep -q '^\(1\|64\) 0x1 ' /proc/$pid/syscall; do
	left=$((left - 1))
	sleep 1
done
kill -TERM $pid
for _ in 1 2 3 4 5; do
	kill -0 $pid 2>/dev/null && sleep 1
done
kill -KILL $pid 2>/dev/null
wait $pid
[ $? = 143 ]
result "a signal ends the output"
exec 9>&-
touch /tmp/why.end
chmod "${mode:-600}" /dev/vcpc 2>/dev/null
wait
done_testing
