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
sh -c 'while [ ! -e /tmp/why.end ]; do orders; done' >/dev/null 2>&1 &
why batch --for 3s
[ $? = 0 ] && grep -q '^batch, transactions above p99 take .* on average: .* on CPU, .* blocked' "$dir/out" && grep -q '^  on CPU .*%.*%' "$dir/out" &&
	grep -q '^Other tags: ' "$dir/out"
result "one screen"
why batch --for 2s --above 90 --no-stacks
[ $? = 0 ] && grep -q '^batch, transactions above p90 take ' "$dir/out"
result "a percentile without p"
why absent --for 2s
[ $? = 1 ] && grep -q "no transaction of 'absent'" "$dir/err"
result "a tag that is not used"
why --for 2s --json --above 90 --no-stacks
[ $? = 0 ] && grep -q '^{"above": "p90", "tags": \[{"tag": "' "$dir/out" && grep -q '"dropped": {"not_seen": ' "$dir/out" &&
	awk 'BEGIN { RS = "\"all\": " } NR > 1 { gsub(/[^0-9]+/, " "); if (split($0, n, " ") < 4 || !n[1]) bad = 1 } END { exit bad || NR < 2 }' "$dir/out"
result "JSON"
why batch --for 3s --folded
[ $? = 0 ] && ! grep -qv '^batch;.* [0-9][0-9]*$' "$dir/out"
result "folded stacks"
why batch --for 3s --folded-diff
[ $? = 0 ] && [ -s "$dir/out" ] && ! grep -qv '^batch;.* [0-9][0-9]* [0-9][0-9]*$' "$dir/out"
result "folded stacks of slow and typical transactions"
why --for 2s --json
[ $? = 0 ] && grep -q '"stacks": \[{"reason": .*"frames": \["' "$dir/out"
result "JSON with stacks"
touch /tmp/why.end
wait
done_testing
