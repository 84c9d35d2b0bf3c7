#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record --why: the parts of the time are in the archive and add up, and the stacks are next to it.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out $dir/values"

record() {
	vcpc record "$@" >"$dir/out" 2>"$dir/err"
}

# last ARCHIVE METRIC TAG: the tag's value in the archive's last record
last() {
	vcpc replay "$dir/$1" -m back -r "$2[$3]" 2>>"$dir/err" | awk '$1 ~ /^[0-9][0-9]:/ && $2 != "-" { print $2; exit }'
}

if [ ! -e /sys/kernel/btf/vmlinux ]; then
	record --trace --why -o "$dir/a" orders
	[ $? = 1 ] && grep -q 'no BTF' "$dir/err" && [ ! -e "$dir/a.meta" ]
	result "a kernel without BTF"
	done_testing
fi

record --why -o "$dir/a" orders
[ $? = 1 ] && grep -q 'add --trace' "$dir/err" && [ ! -e "$dir/a.meta" ]
result "without tracing"
# busybox's setpriv does not drop capabilities.
if setpriv --version 2>/dev/null | grep -q util-linux; then
	vcpc trace on >"$dir/out" 2>"$dir/err" && setpriv --bounding-set -sys_admin vcpc record --why -o "$dir/a" orders >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && grep -q CAP_SYS_ADMIN "$dir/err" && [ ! -e "$dir/a.meta" ]
	result "without CAP_SYS_ADMIN"
	vcpc trace off
fi
touch "$dir/a.folded"
record --trace --why -o "$dir/a" orders
[ $? = 1 ] && grep -q 'cannot write the stacks' "$dir/err" && [ ! -e "$dir/a.meta" ] && rm "$dir/a.folded"
result "a file that exists is not overwritten"
record --trace --why -o "$dir/a" -I 50ms -e page-faults orders
result "orders is recorded"
[ "$(last a vcpc.transact.time.count batch)" = 1500 ]
result "all 1500 batches were watched"
# Long transactions, because two programs read their clocks at different times, 10 us apart on an
# emulated CPU.
# shellcheck disable=SC2016
record --trace --why -o "$dir/l" -I 50ms -e page-faults sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do pmtrace -q -e "sleep 0.05" long; done' &&
	echo "$(last l trace.transact.total_time long) $(last l vcpc.transact.time.oncpu long) $(last l vcpc.transact.time.runqueue long)" \
		"$(last l vcpc.transact.time.blocked long)" >"$dir/values"
awk '{ parts = ($2 + $3 + $4) / 1e9 } END { exit !($2 > 0 && $1 > 0.5 && parts > 0.99 * $1 && parts < 1.01 * $1) }' "$dir/values"
result "the parts add up to the transactions' time within 1 %"
[ -s "$dir/a.folded" ] && grep -q '^batch;' "$dir/a.folded" && ! grep -qv '^[^;]*;.* [0-9][0-9]* [0-9][0-9]*$' "$dir/a.folded"
result "the stacks are next to the archive"
vcpc compare "$dir/a" "$dir/a" >"$dir/out" 2>"$dir/err" && grep -q oncpu "$dir/out" && grep -q blocked "$dir/out"
result "compare has the parts"
vcpc report "$dir/a" -o "$dir/a.html" >"$dir/out" 2>"$dir/err" && grep -q 'oncpu each' "$dir/a.html" && grep -q '"stacks":\["' "$dir/a.html"
result "so has the report, and the stacks"
record --trace --why --rotate 1h -o "$dir/r" -I 50ms -e page-faults orders && [ -z "$(find "$dir/r"* -name '*.folded')" ] &&
	vcpc replay "$dir/r" -r 'vcpc.transact.time.oncpu[batch]' >"$dir/out" 2>>"$dir/err" && grep -q '[0-9]' "$dir/out"
result "a folder of archives has the parts, but no stacks"
done_testing
