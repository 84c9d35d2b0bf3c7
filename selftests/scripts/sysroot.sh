#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The VMs run the kernel of Debian's meta package.  If that is not installed, they run the kernel of
# the newest headers, and without headers the one that apt would install.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
host=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
evidence=$dir/said
mkdir "$dir/bin" "$dir/src"

# answers PROGRAM LINE: make dpkg-query or apt-cache print LINE
answers() {
	printf '#!/bin/sh\necho "%s"\n' "$2" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}

# release TEXT WHAT: check that the script prints TEXT for the arm64 VM
release() {
	HEADERS_DIR=$dir/src PATH=$dir/bin:$PATH "$top/scripts/sysroot.sh" release arm64 >"$dir/said"
	[ "$(cat "$dir/said")" = "$1" ]
	result "$2"
}

mkdir "$dir/src/linux-headers-6.1.0-9-common" "$dir/src/linux-headers-6.1.0-10-common" "$dir/src/linux-headers-6.12.9+deb12-common-rt"
answers dpkg-query "ii  linux-headers-6.12.117+deb13-$host (= 6.12.117-1)"
answers apt-cache "Depends: linux-headers-7.3.4+deb13-$host (= 7.3.4-1)"
release 6.12.117+deb13-arm64 "the kernel of the installed meta package"
answers dpkg-query "un  linux-headers-6.12.117+deb13-$host"
release 6.1.0-10-arm64 "otherwise the newest installed headers, by number"
rm -r "$dir"/src/*
release 7.3.4+deb13-arm64 "otherwise the kernel that apt would install"
answers apt-cache ''
release none-arm64 "none is known"
done_testing
