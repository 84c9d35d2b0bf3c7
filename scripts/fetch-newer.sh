#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch a newer kernel than Debian 12's own, and its headers, from Debian's
# backports through apt into the cache; nothing is installed.
#
# usage: fetch-newer.sh x86_64|arm64 [path]
#        fetch-newer.sh series          print the newest series on which the module was tested
#
# Print the directory, which contains vmlinuz, lib/modules, and the headers as "build".  The environment
# variable NEWER selects a series (6.12); the default is the newest in kmod/compat/tested.  If there
# are several builds of a series, use the build for this release of Debian.  The headers are adapted
# to this machine: programs that need a newer C library run with one in the cache, and the compiler is
# this machine's gcc, without the options that it lacks.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
series=${NEWER:-$(awk '{ print $NF }' "$here/../kmod/compat/tested")}
arch=${1:?usage: fetch-newer.sh x86_64|arm64 [path], or fetch-newer.sh series}
if [ "$arch" = series ]; then
	echo "$series"
	exit
fi

deb=$(echo "$arch" | sed 's/x86_64/amd64/')
host_deb=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
place=$cache/kernels/$arch-$series
if [ "${2:-}" = path ]; then
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
mkdir -p "$work/debs" "$work/libc"
for suite in bookworm-backports trixie trixie-backports; do
	echo "deb http://deb.debian.org/debian $suite main"
done >"$work/sources"

# apt_for MACHINE TOOL ARGUMENT...: run apt with separate package lists
apt_for() {
	machine=$1 tool=$2
	shift 2
	"apt-$tool" -q -oAPT::Architecture="$machine" -oAPT::Architectures="$machine" -oAPT::Sandbox::User=root \
		-oDir::State::Lists="$cache/lists/backports-$machine" -oDir::Etc::sourcelist="$work/sources" \
		-oDir::Etc::sourceparts=/dev/null -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" 9>&-
}

update_lists() {
	mkdir -p "$cache/lists/backports-$1/partial"
	say "package lists of Debian's backports, $1"
	apt_for "$1" get update >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; say "some lists could not be fetched; continuing with the others"; }
}

# download DIR MACHINE PACKAGE...: download into $work/DIR; print names, sizes and errors
download() {
	folder=$1 machine=$2
	shift 2
	size=$(apt_for "$machine" get download --print-uris "$@" 2>/dev/null | awk -f "$here/megabytes.awk")
	say "kernel $release: $* ($size)"
	(cd "$work/$folder" && apt_for "$machine" get download "$@" >"$work/log" 2>&1) || { tail -n 5 "$work/log" >&2; return 1; }
}

# Find the release of the series to use, without the machine: 7.3.4+deb13
find_base() {
	apt_for "$deb" cache pkgnames "linux-headers-$series." |
		sed -n "s/^linux-headers-\([0-9.]*+deb[0-9]*\)-$deb\$/\1/p" | sort -V >"$work/bases"
	suite=$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release)
	grep "+deb$suite\$" "$work/bases" | tail -n 1 | grep . || tail -n 1 "$work/bases"
}

# Since Linux 7.2, the image is split into two packages, and the package with the old name is empty.
image_packages() {
	if apt_for "$deb" cache show "linux-binary-$release" >/dev/null 2>&1; then
		echo "linux-binary-$release linux-modules-$release"
	else
		echo "linux-image-$release-unsigned"
	fi
}

unpack_image() {
	modules=$(find "$work/image" -type d -path "*lib/modules/$release")
	vmlinuz=$(find "$work/image" -name "vmlinuz*")
	mkdir -p "$kernel/lib/modules"
	mv "$vmlinuz" "$kernel/vmlinuz"
	mv "$modules" "$kernel/lib/modules/"
	rm -f "$kernel/lib/modules/$release/build" "$kernel/lib/modules/$release/source"
	PATH=$PATH:/sbin:/usr/sbin depmod -b "$kernel" "$release"
}

# Adapt the links "scripts" and "tools" to ../../lib, and two files that contain /usr.  Do not generate BTF for the
# module, which would need the matching vmlinux and pahole.
unpack_headers() {
	mkdir -p "$kernel/headers"
	mv "$work/image/usr/src" "$work/image/usr/lib" "$kernel/headers/"
	ln -s "headers/src/linux-headers-$release" "$kernel/build"
	rm -f "$kernel/build/vmlinux"
	sed -i "s|/usr/src/|$kernel/headers/src/|; s|/usr/lib/|$kernel/headers/lib/|" "$kernel/build/Makefile"
}

# run_with_libc PROGRAM: replace it with a script that runs it with the C library in the cache
run_with_libc() {
	mv "$1" "$1.program"
	cat >"$1" <<-TEXT
	#!/bin/sh
	exec $kernel/libc/ld.so --library-path $kernel/libc "$1.program" "\$@"
	TEXT
	chmod +x "$1"
}

# programs: list the programs of the kernel's build that need a newer C library
too_new() {
	find "$kernel/headers/lib" -type f -perm -100 | while read -r program; do
		if [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] && ldd "$program" 2>&1 | grep -q 'not found'; then echo "$program"; fi
	done
}

fit_programs() {
	too_new >"$work/programs"
	[ -s "$work/programs" ] || return 0
	say "$(wc -l <"$work/programs") programs of this kernel's build need a newer C library than this machine's; fetching one"
	download libc "$host_deb" libc6 libelf1t64 libssl3t64 zlib1g libzstd1
	for file in "$work"/libc/*.deb; do
		dpkg -x "$file" "$work/libc"
	done
	mkdir -p "$kernel/libc"
	find "$work/libc/usr/lib" -name '*.so*' ! -path '*/gconv/*' -exec cp -a {} "$kernel/libc/" \;
	ln -s "$(cd "$kernel/libc" && ls ld-linux*)" "$kernel/libc/ld.so"
	while read -r program; do
		run_with_libc "$program"
	done <"$work/programs"
}

# The configuration describes the compiler that built the kernel; Makefile ignores options that are not set.
fit_compiler() {
	compiler=$(sed -n 's/^CC = .*\(gcc-[0-9]*\)$/\1/p' "$kernel/build/.kernelvariables")
	command -v "$compiler" >/dev/null && [ "$deb" = "$host_deb" ] && return
	sed -i "s/$compiler\$/gcc/" "$kernel/build/.kernelvariables"
	gcc -fmin-function-alignment=16 -fsyntax-only -x c /dev/null 2>/dev/null ||
		sed -i '/^CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=/d' "$kernel/build/include/config/auto.conf"
}

update_lists "$deb"
[ "$deb" = "$host_deb" ] || update_lists "$host_deb"
base=$(find_base)
[ -n "$base" ] || { say "Debian's backports have no kernel $series"; exit 1; }
release=$base-$deb

# shellcheck disable=SC2046
download debs "$deb" $(image_packages) "linux-headers-$release" "linux-headers-$base-common"
download debs "$host_deb" "linux-kbuild-$base"

kernel=$place/$release
rm -rf "$kernel" && mkdir -p "$kernel"
for file in "$work"/debs/*.deb; do
	dpkg -x "$file" "$work/image"
done
unpack_image
unpack_headers
fit_programs
fit_compiler
touch "$kernel/.done"
ln -sfn "$release" "$place/current"
echo "$place/current"
