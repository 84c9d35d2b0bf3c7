#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build an arm64 kernel with checkers from Debian's source into the cache, once for each
# configuration and source version: "debug" (KASAN, lockdep, kmemleak, KUnit, failslab, KCOV),
# "kcsan" (the same machine, with KCSAN instead), or "clang" (like "debug", but compiled by clang).
#
# usage: build-debug-kernel.sh [debug|kcsan|clang]
#
# Print the directory that contains vmlinuz and, as "build", the tree for building modules.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
name=${1:-debug}
# Version of the build steps; increase it to rebuild all kernels.
recipe=1
case $name in
debug | clang) fragments=$top/selftests/vm/debug.config ;;
kcsan) fragments="$top/selftests/vm/debug.config $top/selftests/vm/kcsan.config" ;;
*) echo "usage: build-debug-kernel.sh [debug|kcsan|clang]" >&2; exit 2 ;;
esac
version=$("$top/scripts/ksource.sh" version) tarball=$("$top/scripts/ksource.sh" tarball)
[ -n "$tarball" ] || { echo "$name-kernel: no kernel source in /usr/src; 'make setup' installs it" >&2; exit 1; }
# Ignore comments, which do not affect the build.
# shellcheck disable=SC2086
key=$({ cat $fragments | grep -E '^CONFIG_|^# CONFIG_.* is not set$'; echo "$recipe"; } | sha256sum | cut -c 1-12)
kernel=$cache/kernels/$name/$version-$key

if [ -e "$kernel/.done" ]; then
	echo "$kernel"
	exit
fi

say() { echo "$name-kernel: $*" >&2; }

# Build one at a time; a process that waited finds the result.
mkdir -p "$cache/kernels/$name"
exec 9>"$cache/kernels/$name/.lock"
flock 9
if [ -e "$kernel/.done" ]; then
	echo "$kernel"
	exit
fi

rm -rf "$kernel" && mkdir -p "$kernel/build"
cd "$kernel/build"
say "unpacking $tarball, version $version"
tar -xf "$tarball" --strip-components=1
if [ "$(uname -m)" = aarch64 ]; then cross=; else cross=aarch64-linux-gnu-; fi
compiler="CROSS_COMPILE=$cross"
[ "$name" != clang ] || compiler=LLVM=1
make_arm64() { make -s ARCH=arm64 "$compiler" "$@" >>"$kernel/log" 2>&1 || { tail -n 30 "$kernel/log" >&2; exit 1; }; }
make_arm64 tinyconfig
# The tinyconfig of newer kernels enables this option, which excludes KASAN.
scripts/config --disable SLUB_TINY
# shellcheck disable=SC2086
scripts/kconfig/merge_config.sh -m .config $fragments >>"$kernel/log" 2>&1
make_arm64 olddefconfig

# Check that each option has the value of the last fragment that sets it, because a checker is off if its option
# was silently dropped.
# shellcheck disable=SC2086
cat $fragments | awk '
	/^CONFIG_[A-Z0-9_]*=/ { split($0, word, "="); want[word[1]] = $0 }
	/^# CONFIG_[A-Z0-9_]* is not set$/ { want[$2] = "" }
	END { for (option in want) if (want[option] != "") print want[option] }' >"$kernel/wanted"
while read -r option; do
	grep -qxF "$option" .config || { say "the final configuration lacks $option"; exit 1; }
done <"$kernel/wanted"

say "building the kernel (once; about ten minutes on two cores)"
nice make -s -j"$(nproc)" ARCH=arm64 "$compiler" Image modules_prepare >>"$kernel/log" 2>&1 ||
	{ tail -n 30 "$kernel/log" >&2; exit 1; }
cp vmlinux.symvers Module.symvers
cp arch/arm64/boot/Image "$kernel/vmlinuz"
mkdir -p "$kernel/lib/modules/$name"
: >"$kernel/lib/modules/$name/modules.dep"
# The tree is only needed to build modules, so remove its objects.
find . -name '*.o' -not -path './scripts/*' -delete
rm -f vmlinux.o .tmp_vmlinux*
touch "$kernel/.done"
ln -sfn "$kernel" "$cache/kernels/$name/current"
say "done"
echo "$kernel"
