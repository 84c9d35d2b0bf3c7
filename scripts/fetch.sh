#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch the Debian kernel for an architecture, and libraries if it is another architecture, through apt into the
# cache; nothing is installed.
#
# usage: fetch.sh x86_64|arm64
set -eu

arch=${1:?usage: fetch.sh x86_64|arm64}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
host=$(uname -m | sed 's/aarch64/arm64/')
deb=$(echo "$arch" | sed 's/x86_64/amd64/')
host_deb=$(echo "$host" | sed 's/x86_64/amd64/')

here=$(dirname "$0")
packages=$("$here/sysroot.sh" packages "$arch")
release=$("$here/sysroot.sh" release "$arch")
case $release in
none-*) echo "fetch: no kernel headers are installed, and apt has no package linux-headers-$host_deb" >&2; exit 1 ;;
esac

# Fetch one at a time.
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$arch" = "$host" ]; then
	apt_with() { "$@"; }
else
	apt_with() {
		tool=$1
		shift
		"$tool" -oAPT::Architecture="$deb" -oAPT::Architectures="$deb" \
			-oDir::State::Lists="$cache/lists/$deb" -oDir::State::status=/dev/null \
			-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@"
	}
fi

apt_for() { apt_with apt-get -q "$@"; }
apt_cache() { apt_with apt-cache "$@"; }

# download WHAT PACKAGE...: download into $work/debs; print names, sizes and errors
download() {
	what=$1
	shift
	size=$(apt_for download --print-uris "$@" 2>/dev/null | awk -f "$here/megabytes.awk")
	echo "fetch: $what, $size, into $cache"
	mkdir -p "$work/debs"
	if ! (cd "$work/debs" && apt_for -oAPT::Sandbox::User=root download "$@") >"$work/log" 2>&1; then
		tail -n 5 "$work/log" >&2
		return 1
	fi
}

# choose NAME[/NAME...]...: print the first name of each that is in the package lists
choose() {
	for names; do
		case $names in
		*/*)
			for name in $(echo "$names" | tr / ' '); do
				! apt_cache show "$name" >/dev/null 2>&1 || break
			done
			echo "$name"
			;;
		*) echo "$names" ;;
		esac
	done
}

lists_done=
update_lists() {
	[ "$arch" != "$host" ] && [ -z "$lists_done" ] || return 0
	mkdir -p "$cache/lists/$deb/partial"
	echo "fetch: package lists for $arch"
	apt_for update >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; echo "fetch: some lists could not be fetched; continuing with the others" >&2; }
	lists_done=yes
}

unpack_kernel() {
	kernel=$cache/kernels/$arch/$release
	[ -e "$kernel/.done" ] && return
	update_lists
	download "kernel $release for the $arch VM" "linux-image-$release" || {
		echo "fetch: cannot download kernel $release; to use a newer one, as root: apt-get install linux-headers-$host_deb" >&2
		exit 1
	}
	rm -rf "$kernel" && mkdir -p "$kernel"
	dpkg -x "$work"/debs/linux-image-"$release"_*.deb "$work/image"
	mv "$work/image/boot/vmlinuz-$release" "$kernel/vmlinuz"
	mv "$work/image/boot/config-$release" "$kernel/config"
	mkdir -p "$kernel/lib/modules"
	# Debian 13 has the modules below /usr.
	for modules in "$work/image/lib/modules/$release" "$work/image/usr/lib/modules/$release"; do
		[ ! -d "$modules" ] || mv "$modules" "$kernel/lib/modules/"
	done
	PATH=$PATH:/sbin:/usr/sbin depmod -b "$kernel" "$release"
	touch "$kernel/.done"
	rm -rf "$work/debs" "$work/image"
}

unpack_sysroot() {
	root=$("$here/sysroot.sh" path "$arch")
	[ -e "$root/.done" ] && return
	update_lists
	# shellcheck disable=SC2046,SC2086
	download "libraries and programs for $arch" $(choose $packages) "linux-headers-$release" || { echo "fetch: some packages for $arch could not be downloaded" >&2; exit 1; }
	rm -rf "$root" && mkdir -p "$root"
	for file in "$work"/debs/*.deb; do
		dpkg -x "$file" "$root"
	done
	for kbuild in /usr/lib/linux-kbuild-*; do
		[ ! -d "$kbuild" ] || ln -s "$kbuild" "$root/usr/lib/${kbuild##*/}"
	done
	# Debian 13's packages install everything below /usr, but programs name their loader in
	# /lib.
	for dir in bin lib lib64 sbin; do
		[ -e "$root/$dir" ] || ln -s "usr/$dir" "$root/$dir"
	done
	touch "$root/.done"
}

unpack_kernel
[ "$arch" = "$host" ] || unpack_sysroot
ln -sfn "$release" "$cache/kernels/$arch/current"
