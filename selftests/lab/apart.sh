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
result "a command's status and files are its own"
inside 'test -c /dev/null && echo >/dev/null && test ! -e /dev/vcpc'
result "a /dev without the module's device"
if [ "$(id -u)" = 0 ] || inside 'test -z "$(ls -A /sys/fs/bpf)"'; then
	inside 'test -z "$(ls -A /sys/fs/bpf /sys/kernel/tracing /sys/kernel/debug 2>/dev/null | grep -v :$)"'
	result "no pins, no probes"
else
	skip "no pins, no probes" "no name space of its own; the kernel shows none of it to this user"
fi
# The numbers of CAP_SYS_MODULE, CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF
# shellcheck disable=SC2016
inside 'caps=$(sed -n "s/^CapEff:[[:space:]]*/0x/p" /proc/self/status); test $((caps & (1 << 16 | 1 << 21 | 1 << 38 | 1 << 39))) = 0'
result "no right to load anything"
! inside 'mount -t bpf none /sys/fs/bpf' && ! inside 'umount /sys/fs/bpf'
result "nor to mount what is hidden"
done_testing
