#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run a shell in a VM with the module loaded and the tools in PATH; called by make vm-shell.
#
# usage: shell.sh ARCH BUILD
set -eu

arch=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)

motd=$(mktemp)
trap 'rm -f "$motd"' EXIT
cat >"$motd" <<TEXT

vcpc in a VM ($arch).  The module is loaded; try:
    vcpc events          vcpc stat -- ls -l /bin      vcpc trace on
"exit" powers the VM off; Ctrl-A x ends QEMU.
TEXT
set -- --arch "$arch" --libs "$build/lib" --module "$build/vcpc.ko" --with "$motd:/etc/motd" \
	--with "$build/bin/vcpc:/usr/bin/vcpc" --program bpftool --program xz --program sqlite3
for example in "$build"/examples/*; do
	case $example in *.d) continue ;; esac
	set -- "$@" --with "$example:/usr/bin/${example##*/}"
done
"$here/run" "$@" --shell
