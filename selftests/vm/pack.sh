#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pack a VM's first file system: busybox, drivers, the job, and the programs that it needs, with
# their shared libraries.
#
# usage: pack.sh ARCH KERNEL STAGE IMAGE JOB [FILE[:GUESTPATH]|+PROGRAM ...]
set -eu

arch=$1 kernel=$2 stage=$3 image=$4 job=$5
shift 5
here=$(cd "$(dirname "$0")" && pwd)
host=$(uname -m | sed 's/aarch64/arm64/')
if [ "$arch" = "$host" ]; then root=; else root=$("$here/../../scripts/sysroot.sh" path "$arch"); fi
triplet=$(echo "$arch" | sed 's/arm64/aarch64/')-linux-gnu

die() {
	echo "vm: $*" >&2
	exit 2
}

# find_library NAME: print the path of the library in the first directory that has it; $OURS lists
# directories of our own builds
find_library() {
	for dir in $OURS "$root/lib/$triplet" "$root/usr/lib/$triplet" "$root/lib" "$root/usr/lib" "$root/lib64"; do
		[ -e "$dir/$1" ] && echo "$dir/$1" && return
	done
	return 1
}

# add_libraries FILE: copy the libraries that an ELF file needs, their dependencies, and libpfm,
# which is loaded with dlopen()
add_libraries() {
	for lib in $(readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') \
		$(grep -ao 'libpfm\.so\.4' "$1" | head -n 1); do
		[ -e "$stage/usr/lib/$lib" ] && continue
		path=$(find_library "$lib") || die "$1 needs $lib, which is not in ${root:-/}"
		cp -L "$path" "$stage/usr/lib/$lib"
		add_libraries "$stage/usr/lib/$lib"
	done
	interp=$(readelf -l "$1" 2>/dev/null | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	if [ -n "$interp" ] && ! [ -e "$stage$interp" ]; then
		mkdir -p "$stage${interp%/*}"
		cp -L "$root$interp" "$stage$interp"
	fi
}

add_file() {
	from=${1%%:*} to=
	case $1 in *:*) to=${1#*:} ;; esac
	[ -e "$from" ] || die "no file $from"
	[ -n "$to" ] || to=/root/${from##*/}
	mkdir -p "$stage${to%/*}"
	cp -rL "$from" "$stage$to"
	find "$stage$to" -type f >"$stage.files"
	while read -r file; do
		add_libraries "$file"
	done <"$stage.files"
	rm -f "$stage.files"
}

add_program() {
	for dir in usr/bin bin usr/sbin sbin; do
		if [ -e "$root/$dir/$1" ]; then
			add_file "$root/$dir/$1:/usr/bin/$1"
			return
		fi
	done
	die "no program $1 in ${root:-/}"
}

# add_driver NAME: add a driver and its dependencies, in loading order
add_driver() {
	modules=$(echo "$kernel"/lib/modules/*)
	line=$(grep -E "/$1\.ko(\.xz)?:" "$modules/modules.dep") || return 0
	deps=$(echo "$line" | tr -d : | tr ' ' '\n' | tac)
	for dep in $deps; do
		name=$(basename "$dep" .xz)
		[ -e "$stage/drivers/$name" ] && continue
		case $dep in
		*.xz) xz -dc "$modules/$dep" >"$stage/drivers/$name" ;;
		*) cp "$modules/$dep" "$stage/drivers/$name" ;;
		esac
		echo "$name" >>"$stage/drivers/order"
	done
}

rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/usr/bin" "$stage/usr/lib" "$stage/drivers" "$stage/proc" "$stage/sys" \
	"$stage/dev" "$stage/tmp" "$stage/out" "$stage/root" "$stage/etc"
busybox=$root/bin/busybox
[ -e "$busybox" ] || busybox=$root/usr/bin/busybox
cp "$busybox" "$stage/bin/busybox"
cp "$here/init" "$stage/init"
cp "$job" "$stage/job"
chmod +x "$stage/init"
echo root:x:0:0:root:/root:/bin/sh >"$stage/etc/passwd"
echo nobody:x:65534:65534:nobody:/:/bin/sh >>"$stage/etc/passwd"
: >"$stage/drivers/order"
add_driver virtio_pci
add_driver virtio_blk
# Add dash, because busybox's shell prefers its own applets to programs in PATH.
add_program dash
for item; do
	case $item in
	+*) add_program "${item#+}" ;;
	*) add_file "$item" ;;
	esac
done
(cd "$stage" && find . -print0 | cpio --quiet -0 -o -H newc) >"$image"
rm -rf "$stage"
