#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch a newer x86-64 kernel than Debian 12's own, and its headers, from
# bookworm-backports through apt into the cache; nothing is installed.
#
# usage: fetch-newer.sh [path]
#
# Prints the folder, which has vmlinuz, lib/modules, and the headers as "build".
# With "path", says only where it would be.  The release is one that bookworm's own
# compiler builds modules for (+deb12); another series is SERIES= in the environment.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
series=${SERIES:-6.12}
place=$cache/kernels/x86_64-$series
if [ "${1:-}" = path ]; then
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
lists=$cache/lists/backports
mkdir -p "$lists/partial" "$work/debs"
echo "deb http://deb.debian.org/debian bookworm-backports main" >"$work/sources"

# apt_there TOOL ARGUMENT...: apt with lists of its own
apt_there() {
	tool=$1
	shift
	"apt-$tool" -q -oAPT::Architecture=amd64 -oAPT::Architectures=amd64 -oAPT::Sandbox::User=root \
		-oDir::State::Lists="$lists" -oDir::Etc::sourcelist="$work/sources" \
		-oDir::Etc::sourceparts=/dev/null -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" 9>&-
}

say "package lists of bookworm-backports"
apt_there get update >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; say "going on with the lists that came"; }
release=$(apt_there cache pkgnames "linux-headers-$series" |
	sed -n 's/^linux-headers-\([0-9.]*+deb12-amd64\)$/\1/p' | sort -V | tail -n 1)
[ -n "$release" ] || { say "bookworm-backports has no kernel $series"; exit 1; }

say "kernel $release"
base=${release%-amd64}
(cd "$work/debs" && apt_there get download "linux-image-$release-unsigned" "linux-headers-$release" \
	"linux-headers-$base-common" "linux-kbuild-$base" >"$work/log" 2>&1) || { tail -n 5 "$work/log" >&2; exit 1; }

kernel=$place/$release
rm -rf "$kernel" && mkdir -p "$kernel"
for deb in "$work"/debs/*.deb; do
	dpkg -x "$deb" "$work/image"
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
