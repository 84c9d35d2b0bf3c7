#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc's commands and PCP's tools show the same values of an archive with only the values that have
# changed (vcpc record --changes) as of one with all values.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC PCP_DERIVED_CONFIG=''
vcpc=$build/bin/vcpc
evidence="$dir/log"
cd "$dir" || exit 1

mkdir 0 1
KEEP=$dir/both && export KEEP && mkdir both
"$build/tests/unit/shim_record_changes" -t the_archive_is_smaller >log 2>&1
for suffix in meta index 0; do
	mv both/0.$suffix 0/a.$suffix && mv both/1.$suffix 1/a.$suffix
done

# same COMMAND...: run a command in both directories, and compare the outputs
same() {
	for k in 0 1; do
		(cd $k && "$@") >out$k 2>log || return 1
	done
	[ -s out0 ] && cmp out0 out1 >log
}

page() {
	"$vcpc" report a "$@" -o page && cat page
}

same "$vcpc" summary a
result "summary"
same "$vcpc" summary a -S 30.5s -T 70s vcpc.transact.hist trace vcpc.transact
result "summary of a part"
same page
result "report"
same page -S 30s -T 70s
result "report of a part"
same "$vcpc" compare -S 30s -T 70s a "$dir/0/a"
result "compare"
same "$vcpc" replay a -t 700msec trace vcpc.transact
result "replay"
"$vcpc" check 1/a >log 2>&1
result "check"
"$vcpc" dump -l 1/a >out1 2>log && grep -q 'unchanged.*omitted' out1
result "the archive has a label"
if command -v pmval >/dev/null; then
	for metric in trace.transact.count trace.transact.total_time vcpc.transact.hist vcpc.transact.last_time; do
		same pmval -a a -t 0.7sec "$metric"
		result "pmval $metric"
	done
	same pmlogsummary a trace.transact.count trace.transact.total_time
	result "pmlogsummary"
fi
done_testing
