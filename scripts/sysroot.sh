#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print the directory of another architecture's libraries in the cache, their packages, or the kernel release.
#
# usage: sysroot.sh path|packages|release ARCH
#
# The directory's name depends on the kernel's release and the list of packages, so
# that checkouts with different lists do not share it.
set -eu

what=$1 arch=$2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc

# Libraries with which our programs are linked, and programs that the VM's jobs use.  Of names joined
# by "/", the first one in the suite is used, because Debian 13 renamed libraries for 64-bit times.
packages="libc6 libbpf1 libbpf-dev libelf1t64/libelf1 libelf-dev libdw1t64/libdw1 libdw-dev zlib1g zlib1g-dev libpfm4 libpfm4-dev
libbz2-1.0 libbz2-dev liblzma5 liblzma-dev libzstd1 libzstd-dev linux-libc-dev dash libcap2
bpftool busybox-static xz-utils sqlite3 libsqlite3-0 libreadline8t64/libreadline8 libtinfo6 libncursesw6 libncurses-dev
libpapi7.2/libpapi7.1t64/libpapi7.1/libpapi7.0 libpapi-dev"

# Use the kernel release of the headers on this machine, because the module is built with their
# architecture-independent half: the release of Debian's meta package, otherwise the newest.  If no headers
# are installed, use the release that apt would install.
deb() { echo "$1" | sed 's/x86_64/amd64/; s/aarch64/arm64/'; }
host=$(deb "$(uname -m)")
headers_of() { sed -n "s/.*linux-headers-\\([0-9][^ ]*\\)-$host.*/\\1/p" | head -n 1; }
abi=$(dpkg-query -W -f '${db:Status-Abbrev} ${Depends}\n' "linux-headers-$host" 2>/dev/null | grep '^ii' | headers_of)
if [ -z "$abi" ]; then
	abi=$(find "${HEADERS_DIR:-/usr/src}" -maxdepth 1 -name 'linux-headers-[0-9]*-common' 2>/dev/null |
		sed 's/.*linux-headers-//; s/-common$//' | sort -V | tail -n 1)
fi
[ -n "$abi" ] || abi=$(apt-cache show --no-all-versions "linux-headers-$host" 2>/dev/null | grep '^Depends:' | headers_of)
release=${abi:-none}-$(deb "$arch")

case $what in
packages) echo "$packages" | tr '\n' ' ' ;;
release) echo "$release" ;;
path) echo "$cache/sysroot/$arch/$(echo "$release $packages" | sha256sum | cut -c 1-12)" ;;
esac
