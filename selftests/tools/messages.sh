#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The vcpc command prints a message if the device node, a permission, space or a transaction is
# missing, and does not change other files.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off >/dev/null 2>&1; umount "$dir/small" 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out"

run() {
	vcpc "$@" >"$dir/out" 2>"$dir/err"
}

# Use only the module, because otherwise perf counts if the module is missing.
export SHIM_BACKEND=vcpc
mv /dev/vcpc /dev/vcpc.away
run stat true
[ $? = 1 ] && grep -q 'the vcpc module is loaded, but /dev/vcpc is missing' "$dir/err"
result "a missing node"
mv /dev/vcpc.away /dev/vcpc
chmod 0600 /dev/vcpc
su nobody -s /bin/sh -c "vcpc stat true" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'no permission to open /dev/vcpc' "$dir/err"
result "a node without permission"
chmod 0666 /dev/vcpc

mount -t tmpfs none /proc
SHIM_BACKEND=perf run stat -e task-clock true
[ $? = 1 ] && grep -q '/proc is not mounted' "$dir/err" && ! SHIM_BACKEND=perf run stat -e task-clock -p 1 && grep -q '/proc is not mounted' "$dir/err"
result "no /proc"
umount /proc

# Test a full disk, which does not depend on the architecture.
mkdir "$dir/small" && mount -t tmpfs -o size=16k none "$dir/small"
run record -o "$dir/small/a" -I 1ms -e page-faults,task-clock sleep 5
[ $? = 1 ] && grep -q 'cannot write.*No space left on device' "$dir/err" && ! grep -q 'hardware' "$dir/err"
result "record: a full disk"
run replay "$dir/small/a" vcpc.count && grep -q page_faults "$dir/out"
result "... and the recorded part can be replayed"

vcpc trace on
run trace show
[ $? = 0 ] && grep -q 'nothing has been traced' "$dir/out"
result "trace show: nothing has been traced yet"
echo precious >"$dir/file"
run trace export -o "$dir/file"
[ $? = 1 ] && [ "$(cat "$dir/file")" = precious ] && [ "$(ls "$dir"/file*)" = "$dir/file" ]
result "trace export: if nothing can be exported, an existing file is unchanged"
vcpc trace off && vcpc trace on --events && orders 400 >/dev/null
run trace export -o "$dir/small/export"
[ $? = 1 ] && grep -q "cannot write" "$dir/err" && [ ! -e "$dir/small/export" ]
result "trace export: a full disk"
umount "$dir/small" && mount -t tmpfs -o size=64k none "$dir/small"
run trace export -o "$dir/small/export"
[ $? = 1 ] && grep -q "incomplete output is in '$dir/small/export\.[^']*'" "$dir/err" && grep -q traceEvents "$dir"/small/export.*
result "... the events that were written are kept"
orders 150 >/dev/null
chmod 0640 "$dir/file"
run trace export -o "$dir/file"
[ $? = 0 ] && grep -q traceEvents "$dir/file" && [ "$(stat -c %a "$dir/file")" = 640 ]
result "trace export: an existing file is replaced when the new one is complete"
run trace export -o "$dir/file"
[ $? = 0 ] && grep -q traceEvents "$dir/file" && grep -q 'no events have been recorded since' "$dir/err"
result "trace export: a message if the previous export has removed all events"
vcpc trace off
run trace on --probes
[ $? = 1 ] && grep -q 'would trace nothing: the vcpc module is loaded' "$dir/err" && vcpc trace status | grep -q '^off'
result "trace on --probes: refused while programs send their events to the module"
SHIM_TRACE=probe vcpc trace on --probes && SHIM_TRACE=probe orders 150 >/dev/null && run trace show && grep -q batch "$dir/out"
result "... but not if they use probes"
vcpc trace off && vcpc trace on
vcpc trace show --json >/dev/full 2>"$dir/err"
[ $? = 1 ] && grep -q 'cannot write' "$dir/err"
result "trace show --json: a full disk"
vcpc trace off
done_testing
