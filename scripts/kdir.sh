#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print the kernel build directory with which to build the module for an architecture, or check one.
#
# usage: kdir.sh ARCH
#        kdir.sh --check ARCH KDIR    fails if KDIR is not a build directory; prints a note if it is not the running
#                                     kernel's
set -eu
here=$(dirname "$0")
host=$(uname -m | sed s/aarch64/arm64/)
running=/lib/modules/$(uname -r)/build

if [ "${1:-}" = --check ]; then
	arch=$2 kdir=$3
	if [ ! -e "$kdir/Makefile" ]; then
		echo "module: no kernel headers in '$kdir'; as root: apt-get install linux-headers-$(echo "$host" | sed s/x86_64/amd64/)" >&2
		echo "module: ('make lib tools' builds everything except the module; to use other headers, set KDIR=DIRECTORY)" >&2
		exit 1
	fi
	if [ "$arch" = "$host" ] && [ "$kdir" != "$running" ]; then
		echo "module: building for the kernel of $kdir; the module loads only there. The running kernel is $(uname -r),"
		echo "module: whose headers are not in $running (on Debian: the package linux-headers-$(uname -r))"
	fi
	exit 0
fi

arch=${1:?usage: kdir.sh ARCH}
if [ "$arch" = "$host" ]; then
	if [ -e "$running/Makefile" ]; then
		echo "$running"
		exit
	fi
	root=
else
	root=$("$here/sysroot.sh" path "$arch")
fi
suffix=$(echo "$arch" | sed s/x86_64/amd64/)
# List usable build directories, the newest first.  Versions are compared numerically.
candidates() {
	for dir in "$root"/usr/src/linux-headers-[0-9]*-"$suffix"; do
		[ ! -e "$dir/Makefile" ] || echo "$dir"
	done | sort -rV
}
# Use cloud and rt kernels, which lack features, only if there is no other.
newest=$(candidates | grep -v -e "-cloud-$suffix\$" -e "-rt-$suffix\$" | head -n 1)
[ -n "$newest" ] || newest=$(candidates | head -n 1)
echo "${newest:-/nonexistent-run-make-setup}"
