#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build Debian source and binary packages of the committed source; called by make deb.
#
# usage: deb.sh DIR
#
# The packages are written to DIR.  They are reproducible: the same commit yields the same bytes in any checkout,
# because all times are the time of the changelog's entry, and no path of this machine is included.
set -eu
folder=${1:?usage: deb.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
version=$(cat "$here/../VERSION")

command -v dh_dkms >/dev/null || {
	echo "deb: debhelper is not installed; to install it, run as root: scripts/setup.sh build deb" >&2
	exit 1
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
tarball=$("$here/dist.sh" "$work")
tar -C "$work" -xf "$tarball"
(cd "$work/vcpc-$version" && dpkg-buildpackage -us -uc -j"$(nproc)" ${DEB_OPTIONS:-}) >"$folder/build.log" 2>&1 || {
	tail -n 40 "$folder/build.log" >&2
	echo "deb: dpkg-buildpackage failed; its output is in $folder/build.log" >&2
	exit 1
}
mv "$work"/*.deb "$work"/*.dsc "$work"/*.tar.* "$work"/*.changes "$work"/*.buildinfo "$folder/"
rm -f "$folder/vcpc-$version.tar.xz"
ls "$folder"/*.deb
