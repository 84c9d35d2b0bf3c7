#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build the arm64 debug kernel (KASAN, lockdep, kmemleak, KUnit, failslab) from
# Debian's source into the cache, once for each configuration and source version.
#
# Prints the folder that holds vmlinuz and the tree to build modules against
# (its "build").
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
fragment=$top/selftests/vm/debug.config
version=$(dpkg-query -W -f '${Version}' linux-source-6.1)
key=$(cat "$fragment" "$0" | sha256sum | cut -c 1-12)
kernel=$cache/kernels/debug/$version-$key

if [ -e "$kernel/.done" ]; then
	echo "$kernel"
	exit
fi

say() { echo "debug-kernel: $*" >&2; }

# One at a time; whoever waited finds it done.
mkdir -p "$cache/kernels/debug"
exec 9>"$cache/kernels/debug/.lock"
flock 9
if [ -e "$kernel/.done" ]; then
	echo "$kernel"
	exit
fi

rm -rf "$kernel" && mkdir -p "$kernel/build"
cd "$kernel/build"
say "unpacking linux-source-6.1 $version"
tar -xf /usr/src/linux-source-6.1.tar.xz --strip-components=1
if [ "$(uname -m)" = aarch64 ]; then cross=; else cross=aarch64-linux-gnu-; fi
make_arm64() { make -s ARCH=arm64 CROSS_COMPILE=$cross "$@" >>"$kernel/log" 2>&1 || { tail -n 30 "$kernel/log" >&2; exit 1; }; }
make_arm64 tinyconfig
scripts/kconfig/merge_config.sh -m .config "$fragment" >>"$kernel/log" 2>&1
make_arm64 olddefconfig

# An option that fell out without a word would make the checkers silent.
for option in $(sed -n 's/^\(CONFIG_[A-Z0-9_]*=.*\)/\1/p' "$fragment"); do
	grep -qx "$option" .config || { say "the configuration lost $option"; exit 1; }
done

say "building (some ten minutes on two cores; once)"
nice make -s -j"$(nproc)" ARCH=arm64 CROSS_COMPILE=$cross Image modules_prepare >>"$kernel/log" 2>&1 ||
	{ tail -n 30 "$kernel/log" >&2; exit 1; }
cp vmlinux.symvers Module.symvers
cp arch/arm64/boot/Image "$kernel/vmlinuz"
mkdir -p "$kernel/lib/modules/debug"
: >"$kernel/lib/modules/debug/modules.dep"
# The tree only serves to build modules against: its objects can go.
find . -name '*.o' -not -path './scripts/*' -delete
rm -f vmlinux.o .tmp_vmlinux*
touch "$kernel/.done"
ln -sfn "$kernel" "$cache/kernels/debug/current"
say "done"
echo "$kernel"
