#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch a newer kernel than Debian 12's own, and its headers, from
# bookworm-backports through apt into the cache; nothing is installed.
#
# usage: fetch-newer.sh x86_64|arm64 [path]
#
# Prints the folder, which has vmlinuz, lib/modules, and the headers as "build", whose
# programs are this machine's.  With "path", says only where it would be.  The release is
# one that bookworm's own compiler builds modules for (+deb12); another series is SERIES=
# in the environment.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

arch=${1:?usage: fetch-newer.sh x86_64|arm64 [path]}
deb=$(echo "$arch" | sed 's/x86_64/amd64/')
host_deb=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
series=${SERIES:-6.12}
place=$cache/kernels/$arch-$series
if [ "${2:-}" = path ]; then
	echo "$place/current"
	exit
fi

say() { echo "fetch: $*" >&2; }

mkdir -p "$place"
exec 9>"$place/.lock"
flock 9
if [ -e "$place/current/.done" ]; then
	echo "$place/current"
	exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/debs"
echo "deb http://deb.debian.org/debian bookworm-backports main" >"$work/sources"

# apt_for MACHINE TOOL ARGUMENT...: apt with lists of its own
apt_for() {
	machine=$1 tool=$2
	shift 2
	"apt-$tool" -q -oAPT::Architecture="$machine" -oAPT::Architectures="$machine" -oAPT::Sandbox::User=root \
		-oDir::State::Lists="$cache/lists/backports-$machine" -oDir::Etc::sourcelist="$work/sources" \
		-oDir::Etc::sourceparts=/dev/null -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" 9>&-
}

update_lists() {
	mkdir -p "$cache/lists/backports-$1/partial"
	say "package lists of bookworm-backports, $1"
	apt_for "$1" get update >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; say "going on with the lists that came"; }
}

# download MACHINE PACKAGE...: into $work/debs; says what, how large, and what went wrong
download() {
	machine=$1
	shift
	size=$(apt_for "$machine" get download --print-uris "$@" 2>/dev/null | awk -f "$here/megabytes.awk")
	say "kernel $release: $* ($size)"
	(cd "$work/debs" && apt_for "$machine" get download "$@" >"$work/log" 2>&1) || { tail -n 5 "$work/log" >&2; return 1; }
}

update_lists "$deb"
[ "$deb" = "$host_deb" ] || update_lists "$host_deb"
release=$(apt_for "$deb" cache pkgnames "linux-headers-$series" |
	sed -n "s/^linux-headers-\([0-9.]*+deb12-$deb\)\$/\1/p" | sort -V | tail -n 1)
[ -n "$release" ] || { say "bookworm-backports has no kernel $series"; exit 1; }

base=${release%-"$deb"}
download "$deb" "linux-image-$release-unsigned" "linux-headers-$release" "linux-headers-$base-common"
download "$host_deb" "linux-kbuild-$base"

kernel=$place/$release
rm -rf "$kernel" && mkdir -p "$kernel"
for file in "$work"/debs/*.deb; do
	dpkg -x "$file" "$work/image"
done
mv "$work/image/boot/vmlinuz-$release" "$kernel/vmlinuz"
mkdir -p "$kernel/lib/modules" "$kernel/headers"
if [ -d "$work/image/usr/lib/modules/$release" ]; then
	mv "$work/image/usr/lib/modules/$release" "$kernel/lib/modules/"
else
	mv "$work/image/lib/modules/$release" "$kernel/lib/modules/"
fi
rm -f "$kernel/lib/modules/$release/build" "$kernel/lib/modules/$release/source"
# "scripts" and "tools" are links from the headers to ../../lib; two files name /usr.
mv "$work/image/usr/src" "$work/image/usr/lib" "$kernel/headers/"
sed -i "s|/usr/src/|$kernel/headers/src/|; s|/usr/lib/|$kernel/headers/lib/|" "$kernel/headers/src/linux-headers-$release/Makefile"
ln -s "headers/src/linux-headers-$release" "$kernel/build"
PATH=$PATH:/sbin:/usr/sbin depmod -b "$kernel" "$release"
touch "$kernel/.done"
ln -sfn "$release" "$place/current"
echo "$place/current"
