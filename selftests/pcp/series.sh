#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# pmseries loads an archive of vcpc record into a separate redis-server, and prints the same values
# as vcpc dump.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
if [ "${1:-}" != inside ] && unshare -mn true 2>/dev/null; then
	exec unshare -mn "$0" inside
fi
place "$@"
for program in redis-server pmseries; do
	command -v $program >/dev/null || skip_all "$program is not installed"
done
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
evidence="$dir/errors"
exec 2>"$dir/errors"
export PCP_DERIVED_CONFIG='' TZ=UTC
ip link set lo up

redis-server --bind 127.0.0.1 --port 6390 --save '' --appendonly no --dir "$dir" >"$dir/redis.log" 2>&1 &
redis=$!
trap 'kill $redis 2>/dev/null; wait $redis 2>/dev/null; rm -rf "$dir"' EXIT
printf '[redis]\nservers = 127.0.0.1:6390\n[pmseries]\nenabled = true\n' >"$dir/series.conf"
series() { timeout 30 pmseries -c "$dir/series.conf" -h 127.0.0.1 -p 6390 "$@"; }

"$build/bin/vcpc" record -I 20msec -e task-clock:u,page-faults:u -o "$dir/run" -- sh -c 'for i in 1 2 3 4 5; do sleep 0.05; ls / ; done' >/dev/null ||
	skip_all "nothing to load: processes may not be counted here"

tries=0
until redis-cli -p 6390 ping 2>/dev/null | grep -q PONG || [ $tries = 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
# pmseries silently loads nothing from an archive that has just ended, so wait.
sleep 3
series --load "{source.path: \"$dir/run\"}" >"$dir/loaded" 2>&1
cat "$dir/loaded" >&2
grep -q 'processed [1-9][0-9]* archive records' "$dir/loaded"
result "PCP loads the archive"

[ -n "$(series 'vcpc.count.page_faults_u')" ]
result "metrics are found by name"

# Get the latest values, which pmseries prints first.
series 'vcpc.count.page_faults_u[count:5]' | sed -n 's/^    \[.*\] \([0-9]*\) [0-9a-f]*$/\1/p' >"$dir/theirs"
"$build/bin/vcpc" dump "$dir/run" vcpc.count.page_faults_u | sed -n 's/.*: \([0-9]*\)$/\1/p' | sort -n | tail -n 5 | sort -rn >"$dir/ours"
paste "$dir/theirs" "$dir/ours" >&2
[ -s "$dir/ours" ] && cmp "$dir/theirs" "$dir/ours" >&2
result "values are the same as those of vcpc dump"
done_testing
