#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Try commands as somebody does who has just cloned this: in a bare Debian 12 that has git
# and make, and nothing that this machine has by chance; called by make test-fresh.
#
# usage: fresh.sh [COMMAND-LINE]     (default: make demo && make test)
#
# What is committed is cloned, into a root of its own with mounts and processes of its own;
# all of it is gone at the end.  No cache is shared but the .deb files that apt-get fetched
# before, which are kept with the bare root in the cache: apt-get checks them, and tells
# what it takes.  As root, on a machine that has mmdebstrap; CI, if it is set, is handed on.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/fresh
top=$(cd "$(dirname "$0")/.." && pwd)
mirror=http://deb.debian.org/debian

# In the new name spaces: its own /proc, this machine's /dev and /sys, and no way back
if [ "${1:-}" = --inside ]; then
	root=$2 line=$3
	mount --make-rprivate /
	mount --bind "$root" "$root"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount --rbind /sys "$root/sys"
	mount --bind "$cache/debs" "$root/var/cache/apt/archives"
	cd "$root"
	mkdir -p before
	pivot_root . before
	cd /
	umount -l /before
	cd /root/vcpc
	# Not by exec: the first process of a name space has to stay for the others.
	env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
		TERM="${TERM:-dumb}" ${CI:+CI="$CI"} sh -c "$line" </dev/null
	exit
fi

line=${1:-make demo && make test}
say() { echo "fresh: $*"; }
[ "$(id -u)" = 0 ] || { say "needs root, for a root of its own" >&2; exit 2; }
command -v mmdebstrap >/dev/null || { say "needs mmdebstrap: apt-get install mmdebstrap" >&2; exit 2; }
mkdir -p "$cache/debs/partial"

if [ ! -e "$cache/bookworm.tar" ]; then
	say "making a bare Debian 12 with git and make (a minute; kept in $cache)"
	mmdebstrap --quiet --variant=minbase --include=git,make,ca-certificates bookworm "$cache/new.tar" \
		"deb $mirror bookworm main" "deb $mirror bookworm-updates main" \
		"deb $mirror-security bookworm-security main"
	mv "$cache/new.tar" "$cache/bookworm.tar"
fi

root=$(mktemp -d /var/tmp/vcpc-fresh.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 130' INT TERM
tar -C "$root" -xf "$cache/bookworm.tar"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump | grep -i '^Acquire::[a-z]*::Proxy' >"$root/etc/apt/apt.conf.d/proxy" || :
rm -f "$root/etc/apt/apt.conf.d/docker-clean"
git clone -q --no-hardlinks "$top" "$root/root/vcpc"
[ -z "$(git -C "$top" status --porcelain)" ] || say "what is not committed is not tried"

say "$(git -C "$top" log -1 --format='%h %s')"
begun=$(date +%s) status=0
unshare -mpf --kill-child "$0" --inside "$root" "$line" || status=$?
say "'$line' ended with status $status after $(($(date +%s) - begun)) s"
exit $status
