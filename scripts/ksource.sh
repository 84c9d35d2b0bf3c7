#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print the path or the version of this machine's kernel source package, or nothing if it is not installed.
#
# usage: ksource.sh tarball|version
#
# Debian 12 has linux-source-6.1, Debian 13 linux-source-6.12.  A newer package of backports
# may also be installed: use the series of the installed headers, otherwise the oldest.
set -eu
what=${1:?usage: ksource.sh tarball|version}
src=${KSOURCE_DIR:-/usr/src}
here=$(cd "$(dirname "$0")" && pwd)

series=$("$here/sysroot.sh" release "$(uname -m | sed s/aarch64/arm64/)" | sed -n 's/^\([0-9]*\.[0-9]*\)\..*/\1/p')
tarball=$src/linux-source-$series.tar.xz
[ -e "$tarball" ] || tarball=$(find "$src" -maxdepth 1 -name 'linux-source-*.tar.xz' 2>/dev/null | sort -V | head -n 1)
[ -n "$tarball" ] || exit 0
case $what in
tarball) echo "$tarball" ;;
version) dpkg-query -W -f '${Version}\n' "$(basename "$tarball" .tar.xz)" ;;
*) echo "usage: ksource.sh tarball|version" >&2; exit 2 ;;
esac
