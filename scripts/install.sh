#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Put what was built where it belongs; called by make install.
#
# usage: install.sh BUILD PREFIX VERSION KDIR   (environment: DESTDIR)
set -eu

build=$1 prefix=$2 version=$3 kdir=$4
dest=${DESTDIR:-}
top=$(cd "$(dirname "$0")/.." && pwd)
root=$dest$prefix

put() {
	mode=$1 from=$2 to=$3
	install -D -m "$mode" "$from" "$to"
	echo "  INSTALL ${to#"$dest"}"
}

put 755 "$build/bin/vcpc" "$root/bin/vcpc"
# Commands of the originals: PCP's own package may have put its pmtrace there.
for command in "$build"/bin/*; do
	name=${command##*/}
	if [ "$name" = vcpc ] || [ ! -f "$command" ] || [ "${name%.d}" != "$name" ]; then
		continue
	fi
	if [ -z "$dest" ] && dpkg-query -S "$root/bin/$name" >/dev/null 2>&1; then
		echo "  $root/bin/$name is another package's: ours is in $prefix/lib/vcpc/bin"
		put 755 "$command" "$root/lib/vcpc/bin/$name"
	else
		put 755 "$command" "$root/bin/$name"
	fi
done
put 644 "$build/lib/libshim.a" "$root/lib/libshim.a"
for lib in "$build"/lib/libshim.so.*; do
	put 755 "$lib" "$root/lib/${lib##*/}"
	ln -sf "${lib##*/}" "$root/lib/libshim.so"
done
# The originals' link names have a folder of their own, as Debian has libraries of some of them.
mkdir -p "$root/lib/vcpc/compat"
for name in "$build"/lib/compat/*.so; do
	ln -sf "../../$(readlink "$build/lib/libshim.so")" "$root/lib/vcpc/compat/${name##*/}"
	echo "  INSTALL $prefix/lib/vcpc/compat/${name##*/}"
done
if [ -e "$build/lib/libshim_java.so" ]; then
	put 755 "$build/lib/libshim_java.so" "$root/lib/libshim_java.so"
	put 644 "$build/lib/shim-trace.jar" "$root/share/java/shim-trace.jar"
fi
# PCP's and libcpc's own headers have the same names: ours have a folder of their own.
(cd "$top/user/include" && find . -name '*.h' -o -name '*.inc') | while read -r header; do
	put 644 "$top/user/include/$header" "$root/include/vcpc/$header"
done
put 644 "$top/include/uapi/linux/vcpc.h" "$root/include/vcpc/linux/vcpc.h"
for pc in "$top"/scripts/pkgconfig/*.pc.in; do
	name=$(basename "$pc" .in)
	sed "s|@PREFIX@|$prefix|; s|@VERSION@|$version|" "$pc" >"$build/$name"
	put 644 "$build/$name" "$root/lib/pkgconfig/$name"
done
for page in "$top"/Documentation/man/*.[1-8]; do
	[ -e "$page" ] || continue
	section=man${page##*.}
	put 644 "$page" "$root/share/man/$section/${page##*/}"
	# Under each other name that it has, too
	sed -n '/^\.SH NAME/,/ \\- /{ s/ \\- .*//; s/,/ /g; /^\./d; p }' "$page" | tr ' ' '\n' | while read -r name; do
		[ -z "$name" ] || [ -e "$top/Documentation/man/$name.${page##*.}" ] ||
			echo ".so $section/${page##*/}" >"$root/share/man/$section/$name.${page##*.}"
	done
done
# Each call has a page of its own name, which is that of its family.
for page in "$top"/Documentation/man/*.3; do
	sed -n 's/^\.BI* ".*[ *]\([A-Za-z_0-9]*\)(.*/\1/p' "$page" | while read -r call; do
		link=$root/share/man/man3/$call.3
		[ -e "$link" ] || echo ".so man3/${page##*/}" >"$link"
	done
done

# Who may open /dev/vcpc: a group, and the rule that gives it the node
put 644 "$top/scripts/system/60-vcpc.rules" "$dest/usr/lib/udev/rules.d/60-vcpc.rules"
put 644 "$top/scripts/system/vcpc.conf" "$dest/usr/lib/sysusers.d/vcpc.conf"
if [ -z "$dest" ]; then
	getent group vcpc >/dev/null || groupadd --system vcpc
	if command -v udevadm >/dev/null; then udevadm control --reload 2>/dev/null || :; fi
	echo "  who is in the group vcpc may count its own threads: usermod -aG vcpc USER"
fi

if [ -e "$build/vcpc.ko" ]; then
	release=$(modinfo -F vermagic "$build/vcpc.ko" | cut -d ' ' -f 1)
	put 644 "$build/vcpc.ko" "$dest/lib/modules/$release/extra/vcpc.ko"
	[ -n "$dest" ] || depmod "$release"
else
	echo "  no vcpc.ko was built (KDIR is $kdir): the module is not installed"
fi
[ -n "$dest" ] || ldconfig
