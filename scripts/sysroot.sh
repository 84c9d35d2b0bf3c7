#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Say where another machine's libraries are in the cache, or what they are made of.
#
# usage: sysroot.sh path|packages|release ARCH
#
# The folder's name depends on the kernel's release and the list of packages, so
# that two checkouts with different lists do not disturb each other.
set -eu

what=$1 arch=$2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc

# Libraries that our programs link with, and the programs that the VM's jobs use.
packages="libc6 libbpf1 libbpf-dev libelf1 libelf-dev zlib1g zlib1g-dev libpfm4 libpfm4-dev
libbz2-1.0 libbz2-dev liblzma5 liblzma-dev libzstd1 libzstd-dev linux-libc-dev dash libcap2
bpftool busybox-static xz-utils sqlite3 libsqlite3-0 libreadline8 libtinfo6 libncursesw6 libncurses-dev libpapi7.0 libpapi-dev"

# The release of the kernel is that of the headers on this machine, as the
# module is built with their architecture-independent half.
abi=
for dir in /usr/src/linux-headers-6.1.0-*-common; do
	[ -d "$dir" ] && abi=${dir#/usr/src/linux-headers-} && abi=${abi%-common}
done
release=${abi:-none}-$(echo "$arch" | sed 's/x86_64/amd64/')

case $what in
packages) echo "$packages" | tr '\n' ' ' ;;
release) echo "$release" ;;
path) echo "$cache/sysroot/$arch/$(echo "$release $packages" | sha256sum | cut -c 1-12)" ;;
esac
