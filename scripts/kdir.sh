#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print the kernel build folder to build the module against for a machine.
set -eu
arch=${1:?usage: kdir.sh ARCH}
host=$(uname -m | sed s/aarch64/arm64/)

if [ "$arch" = "$host" ]; then
	running=/lib/modules/$(uname -r)/build
	if [ -e "$running/Makefile" ]; then
		echo "$running"
		exit
	fi
	root=
else
	root=$("$(dirname "$0")/sysroot.sh" path "$arch")
fi
suffix=$(echo "$arch" | sed s/x86_64/amd64/)
for dir in "$root"/usr/src/linux-headers-6.*-"$suffix"; do
	[ -e "$dir/Makefile" ] && newest=$dir
done
echo "${newest:-/nonexistent-run-make-setup}"
