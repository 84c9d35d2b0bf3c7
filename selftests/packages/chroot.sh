#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Install, upgrade and purge the packages in a root with Debian's user space, and check the results.
# Prints TAP.  Called by test.sh.
#
# usage: chroot.sh ROOT DEBS NEXT
#
# ROOT is an unpacked "user" root; DEBS has the packages, NEXT those of the next version.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$1 debs=$2 next=$3
# shellcheck source=../tap.sh
. "$here/../tap.sh"
evidence=$dir/log

inside() { "$here/inside.sh" "$root" "$1" >"$dir/log" 2>&1; }

# List all files except those that apt, DKMS and the linker create.
list() {
	(cd "$root" && find etc usr lib var/lib boot -xdev \( -type f -o -type l \) 2>/dev/null |
		grep -vE '^(var/lib/(apt|dpkg|systemd)|etc/(ld.so.cache|group|gshadow|passwd|shadow|resolv|hosts|subuid|subgid)|etc/apt/apt.conf.d/proxy|etc/\.pwd\.lock|var/lib/dkms/(mok|dkms_dbversion)|lib/modules/[^/]*/modules\.|usr/lib/modules/[^/]*/modules\.)' | sort)
}

# packages FOLDER: print their paths inside the root, without debug symbols. The agent is omitted,
# because it depends on PCP's package, which needs a running systemd.
packages() {
	for package in "$1"/*.deb; do
		case $package in *-dbgsym_* | */vcpc-pcp_*) ;; *) printf '/debs/%s ' "${package##*/}" ;; esac
	done
}

mkdir -p "$root/debs" "$root/next"
cp "$debs"/*.deb "$root/debs/"
cp "$next"/*.deb "$root/next/"
kernel=$(ls "$root/lib/modules" | sort -V | tail -n 1)
version=$(dpkg-deb -f "$debs"/vcpc_*.deb Version)
list >"$dir/before"

inside "apt-get update -qq; apt-get install -y --no-install-recommends $(packages "$debs")"; result "apt installs the packages"
inside "dpkg -l vcpc-dkms libshim1 libshim-dev vcpc libshim-java python3-vcpc vcpc-doc | grep -c '^ii' | grep -qx 7"; result "all seven packages are installed"
inside "dkms status | tee /dev/stderr | grep -q 'vcpc/$version, $kernel.*installed'"; result "DKMS built the module for $kernel"
inside "modinfo -k $kernel -F version vcpc | tee /dev/stderr | grep -qx $version"; result "modprobe finds this version"
inside "modinfo -k $kernel -F alias vcpc | grep -qx devname:vcpc && grep -q '^vcpc vcpc ' /lib/modules/$kernel/modules.devname"; result "opening the node loads it"
inside "getent group vcpc"; result "the group"
inside "grep -q 'GROUP=\"vcpc\"' /usr/lib/udev/rules.d/60-vcpc.rules"; result "the udev rule is installed"
inside "systemd-analyze verify vcpc.service"; result "the service is valid"
inside "! systemctl is-enabled vcpc.service"; result "and is disabled by default"
inside "ldd /usr/bin/vcpc | grep -q '/usr/lib/[^ ]*/libshim.so.1\\|/lib/[^ ]*/libshim.so.1' && ! readelf -d /usr/bin/vcpc 2>/dev/null | grep -qi r.*path"; result "the loader finds the library in its default path"
inside "vcpc doctor; vcpc --version | grep -q 'vcpc $version, libshim $version'"; result "vcpc runs"
inside "man -w pmtracebegin pmtrace cpc_open"; result "manual pages are found"
inside "cd / && python3 -W error -c 'import vcpc; assert vcpc.__version__ == \"$version\"; vcpc.events(everything=True)'"; result "Python finds its package, and the library"
cp "$here/../../debian/tests/faces" "$root/faces"
inside "/faces"; result "programs of each API are built with the installed library, and run"
inside "dpkg --verify vcpc-dkms libshim1 libshim-dev vcpc libshim-java python3-vcpc && [ -z \"\$(dpkg --verify vcpc libshim1)\" ]"; result "files are those of the packages"
inside "apt-get install -y $(packages "$next" | sed 's|/debs/|/next/|g')"; result "upgrade to the next version"
inside "dkms status; [ \"\$(dkms status | grep -c '^vcpc/')\" = 1 ] && ! dkms status | grep -q 'vcpc/$version,'"; result "only the next version's module remains"
inside "dpkg --remove vcpc-dkms vcpc && [ -e /etc/vcpc/trace.conf ] && ! find /lib/modules -name 'vcpc.ko*' | grep ."; result "removing keeps settings, and removes the module"
inside "apt-get purge -y vcpc-dkms libshim1 libshim-dev vcpc libshim-java python3-vcpc vcpc-doc"; result "purge"
inside "! getent group vcpc"; result "the group was removed"
inside 'apt-get -y autoremove --purge >/dev/null; true'
list >"$dir/after"
diff "$dir/before" "$dir/after" | grep '^>' | grep -i 'vcpc\|shim' >"$dir/log"; [ ! -s "$dir/log" ]; result "nothing remains"
done_testing
