#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The part of the demo that runs in the VM, with or without the module
set -eu

show() { printf '$ %s\n' "$*"; "$@"; }

# Real data for xz: the beginning of the C library
head -c 400000 /usr/lib/libc.so.6 >/tmp/data

cat >/tmp/work <<'SH'
xz -kf -4 /tmp/data
orders
SH

mkdir -p /out/archive
show uname -r
if [ ! -e /sys/module/vcpc ]; then
	echo "(Without the module, perf counts the events, and probes on the library report transactions, at twice"
	echo "the cost and without counts per transaction.)"
fi
show vcpc trace on
trap "vcpc trace off 2>/dev/null" EXIT
show vcpc record -o /out/archive/run -I 10msec \
	-e cycles,instructions,page-faults -- sh /tmp/work
show vcpc trace show
echo "(Counts are exact. Cycles equal instructions because this VM's emulator takes one cycle for each.)"
bpftool map dump pinned /sys/fs/bpf/vcpc/vc_stat >/out/vc_stat.txt
echo '$ bpftool map dump pinned /sys/fs/bpf/vcpc/vc_stat | head -n 17'
head -n 17 /out/vc_stat.txt
echo ...
echo "(The same program with one step made slower; the comparison below shows it.)"
sed -i 's/^orders$/orders --slow/' /tmp/work
show vcpc record -o /out/archive/slower -I 10msec \
	-e cycles,instructions,page-faults -- sh /tmp/work
