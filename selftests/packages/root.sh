#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Create a root with a Debian suite's user space, unless the cache contains it, and print the path
# of its tar file.
#
# usage: root.sh build|user SUITE
#
# "build" contains the tools to build and check packages; "user" is a bootable machine: systemd,
# udev, a kernel with its headers, DKMS.  Needs root and mmdebstrap.
set -eu

kind=${1:?usage: root.sh build|user SUITE} suite=${2:?usage: root.sh build|user SUITE}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/packages
mirror=http://deb.debian.org/debian
deb=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')

case $kind in
build) packages="build-essential devscripts debhelper dh-dkms dh-python lintian git clang bpftool pkg-config libbpf-dev
	libelf-dev libdw-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev libpfm4-dev libncurses-dev libpcp3-dev libpcp-pmda3-dev default-jdk-headless python3 python3-docutils" ;;
user) packages="systemd-sysv udev dbus kmod passwd dkms linux-image-$deb linux-headers-$deb bpftool procps
	python3 bash-completion gcc libc6-dev pkg-config make man-db" ;;
*) echo "usage: root.sh build|user SUITE" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
set -- $packages
# The name depends on the list of packages, so changing the list creates another root.
root=$cache/$suite-$kind-$(echo "$*" | sha256sum | cut -c 1-12).tar
if [ ! -e "$root" ]; then
	mkdir -p "$cache"
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ ! -e $key ] || signed="[signed-by=$key] "
	echo "packages: creating a root with Debian $suite for '$kind' (some minutes; kept in $cache)" >&2
	mmdebstrap --quiet --format=tar --variant=minbase --include="ca-certificates apt-utils $*" \
		--aptopt='APT::Install-Recommends "false"' "$suite" "$root.new" \
		"deb ${signed:-}$mirror $suite main" "deb ${signed:-}$mirror $suite-updates main" \
		"deb ${signed:-}$mirror-security $suite-security main" >&2
	mv "$root.new" "$root"
fi
echo "$root"
