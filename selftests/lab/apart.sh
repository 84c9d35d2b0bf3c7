#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Native tests are isolated from the machine's tracing: they neither see nor change it.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
apart=$(cd "$(dirname "$0")/.." && pwd)/apart.sh
evidence=$dir/said

inside() { "$apart" sh -c "$1" >"$dir/said" 2>&1; }

inside "echo x >$dir/left; exit 7"
[ $? = 7 ] && [ "$(cat "$dir/left")" = x ]
result "a command's status and files are unchanged"
inside 'test -c /dev/null && echo >/dev/null && test ! -e /dev/vcpc'
result "/dev does not contain the module's device"
if [ "$(id -u)" = 0 ] || inside 'test -z "$(ls -A /sys/fs/bpf)"'; then
	inside 'test -z "$(ls -A /sys/fs/bpf /sys/kernel/tracing /sys/kernel/debug 2>/dev/null | grep -v :$)"'
	result "there are no pins and no probes"
else
	skip "there are no pins and no probes" "no private namespace; the kernel shows this user none of them"
fi
# The bits are CAP_SYS_MODULE, CAP_SYS_ADMIN, CAP_PERFMON and CAP_BPF.
# shellcheck disable=SC2016
inside 'caps=$(sed -n "s/^CapEff:[[:space:]]*/0x/p" /proc/self/status); test $((caps & (1 << 16 | 1 << 21 | 1 << 38 | 1 << 39))) = 0'
result "nothing can be loaded"
! inside 'mount -t bpf none /sys/fs/bpf' && ! inside 'umount /sys/fs/bpf'
result "hidden files cannot be mounted"
done_testing
