#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# List tracing objects in this kernel: BPF programs, maps and links, probes, pins, the module.  If
# two lists are the same, the commands between them left the kernel unchanged.
#
# usage: host.sh      as root, because other users cannot list all of them
#
# The list omits BPF programs that a service manager loads for control groups, because they change
# with services.
set -u
PATH=$PATH:/usr/sbin:/sbin
tracing=/sys/kernel/tracing

if [ ! -e $tracing/uprobe_events ] && [ "${1:-}" != --inside ] && unshare -m true 2>/dev/null; then
	exec unshare -m "$0" --inside
fi
[ -e $tracing/uprobe_events ] || mount -t tracefs none $tracing 2>/dev/null

command -v bpftool >/dev/null || { echo "host: bpftool is not installed, so there is no list" >&2; exit 1; }
bpftool prog list | grep -E '^[0-9]+: [a-z_]*(kprobe|tracepoint|tracing|perf_event)'
bpftool map list | grep -E '^[0-9]+: .* name vc_'
bpftool link list | grep -E '^[0-9]+: (perf_event|tracing|raw_tracepoint|kprobe_multi|uprobe_multi)'
for events in uprobe_events kprobe_events; do
	sed "s/^/$events: /" $tracing/$events 2>/dev/null
done
# Ignore two files that the kernel creates in this file system when it is mounted, which "vcpc trace
# on" does.
find /sys/fs/bpf -mindepth 1 ! -name maps.debug ! -name progs.debug 2>/dev/null | sort
[ ! -e /proc/modules ] || sed -n 's/^\(vcpc\) .*/module: \1/p' /proc/modules
exit 0
