#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run commands in a bare Debian system that has only git and make, as after a fresh clone.  This detects a package
# that is missing in setup.sh but installed on this machine.  make test-fresh calls this.
#
# usage: fresh.sh SUITE [COMMAND-LINE]     (bookworm or trixie; default: make demo && make test)
#
# The committed source is cloned into a temporary root with separate mounts and processes.
# Only the .deb files fetched before are shared; apt-get checks them.  They are kept together with
# the bare root.  Requires root and mmdebstrap.  The variable CI is passed to the commands.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/fresh
top=$(cd "$(dirname "$0")/.." && pwd)
mirror=http://deb.debian.org/debian

# Runs in the new namespaces, with a new /proc, this machine's /dev and /sys, and a private root.
if [ "${1:-}" = --inside ]; then
	root=$2 line=$3 suite=$4
	mount --make-rprivate /
	mount --bind "$root" "$root"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount --rbind /sys "$root/sys"
	mount --bind "$cache/debs-$suite" "$root/var/cache/apt/archives"
	cd "$root"
	mkdir -p before
	pivot_root . before
	cd /
	umount -l /before
	cd /root/vcpc
	# Do not exec: the first process of a PID namespace must outlive the others.
	env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
		TERM="${TERM:-dumb}" ${CI:+CI="$CI"} sh -c "$line" </dev/null
	exit
fi

suite=${1:-}
case $suite in
bookworm|trixie) ;;
*) echo "usage: fresh.sh bookworm|trixie [COMMAND-LINE]" >&2; exit 2 ;;
esac
line=${2:-make demo && make test}
say() { echo "fresh: $*"; }
[ "$(id -u)" = 0 ] || { say "requires root to create a separate root file system" >&2; exit 2; }
command -v mmdebstrap >/dev/null || { say "requires mmdebstrap: apt-get install mmdebstrap" >&2; exit 2; }
mkdir -p "$cache/debs-$suite/partial"

if [ ! -e "$cache/$suite.tar" ]; then
	say "creating a bare Debian $suite with git and make (a minute; kept in $cache)"
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ ! -e $key ] || signed="[signed-by=$key] "
	mmdebstrap --quiet --variant=minbase --include=git,make,ca-certificates "$suite" "$cache/new.tar" \
		"deb ${signed:-}$mirror $suite main" "deb ${signed:-}$mirror $suite-updates main" \
		"deb ${signed:-}$mirror-security $suite-security main"
	mv "$cache/new.tar" "$cache/$suite.tar"
fi

root=$(mktemp -d /var/tmp/vcpc-fresh.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 130' INT TERM
tar -C "$root" -xf "$cache/$suite.tar"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump | grep -i '^Acquire::[a-z]*::Proxy' >"$root/etc/apt/apt.conf.d/proxy" || :
rm -f "$root/etc/apt/apt.conf.d/docker-clean"
git clone -q --no-hardlinks "$top" "$root/root/vcpc"
[ -z "$(git -C "$top" status --porcelain)" ] || say "uncommitted changes are not tested"

say "$suite: $(git -C "$top" log -1 --format='%h %s')"
begun=$(date +%s) status=0
unshare -mpf --kill-child "$0" --inside "$root" "$line" "$suite" || status=$?
if [ -e "$root/root/vcpc/build/matrix" ]; then
	mkdir -p "$top/build"
	cp "$root/root/vcpc/build/matrix" "$top/build/matrix-$suite"	# for make matrix
fi
say "$suite: '$line' ended with status $status after $(($(date +%s) - begun)) s"
exit $status
