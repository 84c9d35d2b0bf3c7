#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run a command in an unpacked root, in its own mount and PID namespaces, with only harmless devices
# of this machine and no access to its kernel.
#
# usage: inside.sh ROOT COMMAND-LINE
set -eu

if [ "${1:-}" = --inside ]; then
	root=$2 line=$3
	mount --make-rprivate /
	mount --bind "$root" "$root"
	mount -t proc proc "$root/proc"
	mount -t tmpfs -o mode=0755 dev "$root/dev"
	for node in null zero full random urandom tty; do
		: >"$root/dev/$node"
		mount --bind "/dev/$node" "$root/dev/$node"
	done
	ln -s /proc/self/fd "$root/dev/fd"
	mkdir "$root/dev/pts" "$root/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 pts "$root/dev/pts"
	ln -s pts/ptmx "$root/dev/ptmx"
	mount -t tmpfs tmp "$root/dev/shm"
	mount -t tmpfs sys "$root/sys"
	cd "$root"
	mkdir -p before
	pivot_root . before
	cd /
	umount -l /before
	rmdir /before
	# Do not exec, because the first process of a PID namespace must outlive the others.
	setpriv --bounding-set=-sys_module,-bpf,-perfmon,-sys_rawio \
		env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive sh -c "$line" </dev/null
	exit
fi

root=${1:?usage: inside.sh ROOT COMMAND-LINE} line=$2
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || :
apt-config dump | grep -i '^Acquire::[a-z]*::Proxy' >"$root/etc/apt/apt.conf.d/proxy" || :
exec unshare -mpf --kill-child "$0" --inside "$root" "$line"
