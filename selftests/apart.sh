#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run a command isolated from the tracing of the machine's kernel: it sees no /dev/vcpc and no
# tracing, whether tracing is on or off, and it cannot load BPF programs, set probes or load
# modules, even as root.
#
# usage: apart.sh COMMAND...
#
# It runs in a new mount namespace, with empty directories in place of the kernel's, and without the
# capabilities.  With MAY_COUNT in the environment, root can still count on CPUs.  If namespaces are not available to an ordinary user, the command runs directly,
# because the kernel does not permit ordinary users to trace anyway.
set -eu

hidden='/sys/fs/bpf /sys/kernel/tracing /sys/kernel/debug'
device=vcpc

# Build a /dev without the module's device in an empty directory.
dev_without_device() {
	[ -e /dev/$device ] || return 0
	mkdir /sys/fs/bpf/dev
	mount -t tmpfs -o mode=0755 dev /sys/fs/bpf/dev
	for entry in /dev/*; do
		copy=/sys/fs/bpf/dev/${entry##*/}
		if [ "$entry" = /dev/$device ]; then
			continue
		elif [ -L "$entry" ]; then
			cp -P "$entry" "$copy"
		elif [ -d "$entry" ]; then
			mkdir "$copy"
			mount --rbind "$entry" "$copy"
		else
			: >"$copy"
			mount --bind "$entry" "$copy"
		fi
	done
	mount --move /sys/fs/bpf/dev /dev
	rmdir /sys/fs/bpf/dev
}

# Make the mounts visible only in this namespace.  unshare does this too, but fails if / is not a
# mount point, as in a chroot.
make_private() {
	cut -d ' ' -f 5 /proc/self/mountinfo | sort -u | while read -r place; do
		mount --make-private "$(printf '%b' "$place")"
	done
	for folder in $hidden /dev; do
		case $(findmnt -n -o PROPAGATION -T "$folder" | tail -n 1) in
		private) ;;
		*) echo "apart: mounts in $folder would be visible elsewhere, so the tests would not be isolated" >&2; exit 1 ;;
		esac
	done
}

if [ "${1:-}" = --in-chroot ]; then
	shift
	make_private
	set -- --inside "$@"
fi
if [ "${1:-}" = --inside ]; then
	shift
	for folder in $hidden; do
		[ ! -d "$folder" ] || mount -t tmpfs -o mode=0755 none "$folder"
	done
	dev_without_device
	if [ "$(id -u)" = 0 ]; then
		dropped=-sys_admin,-sys_module,-bpf
		[ -n "${MAY_COUNT:-}" ] || dropped=$dropped,-perfmon
		exec setpriv --inh-caps=-all --bounding-set="$dropped" "$@"
	fi
	exec setpriv --inh-caps=-all --ambient-caps=-all "$@"
fi

[ $# -gt 0 ] || { echo "usage: apart.sh COMMAND..." >&2; exit 2; }
# If the script already runs isolated, execute the command directly.
[ -z "${VCPC_APART:-}" ] || exec "$@"
export VCPC_APART=1
if unshare -m true 2>/dev/null; then
	exec unshare -m "$0" --inside "$@"
elif unshare -m --propagation unchanged true 2>/dev/null; then
	exec unshare -m --propagation unchanged "$0" --in-chroot "$@"
elif unshare -Umc --keep-caps true 2>/dev/null; then
	exec unshare -Umc --keep-caps "$0" --inside "$@"
elif [ "$(id -u)" = 0 ]; then
	echo "apart: root cannot create a mount namespace, so the tests would not be isolated" >&2
	exit 1
fi
exec "$@"
