#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch the test suite of PCP 7.2.2 (Debian unstable) through apt into the cache; nothing is installed.
#
# usage: fetch-qa.sh [path]
#
# Print the directory.  With "path", print it without fetching anything.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=7.2.2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
place=$cache/pcp-testsuite/$version
if [ "${1:-}" = path ] || [ -e "$place/.done" ]; then
	echo "$place"
	exit
fi

mkdir -p "$cache/pcp-testsuite"
exec 9>"$cache/pcp-testsuite/.lock-$version"
flock 9
[ ! -e "$place/.done" ] || { echo "$place"; exit; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/debs"
# The Release file of unstable may have expired on a mirror.
echo "deb [check-valid-until=no] http://deb.debian.org/debian sid main" >"$work/sources"

apt_for() {
	tool=$1
	shift
	"apt-$tool" -q -oAPT::Sandbox::User=root -oAcquire::Languages=none -oDir::State::Lists="$work/lists" \
		-oDir::Etc::sourcelist="$work/sources" -oDir::Etc::sourceparts=/dev/null \
		-oDir::State::status=/dev/null -oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" 9>&-
}

fail() {
	tail -n 5 "$work/log" >&2
	echo "fetch: $*" >&2
	exit 1
}

echo "fetch: package lists of Debian unstable (10 MB, not kept)" >&2
apt_for get update >"$work/log" 2>&1 || fail "could not fetch the package lists of Debian unstable"
found=$(apt_for cache show pcp-testsuite 2>/dev/null | sed -n 's/^Version: //p' | head -n 1)
case $found in
"$version"-*) ;;
*) fail "Debian unstable has pcp-testsuite ${found:-none}, not $version" ;;
esac
size=$(apt_for get download --print-uris pcp-testsuite 2>/dev/null | awk -f "$here/megabytes.awk")
echo "fetch: test suite of PCP $version, $size, into $place" >&2
(cd "$work/debs" && apt_for get download pcp-testsuite >"$work/log" 2>&1) || fail "could not fetch it"
dpkg -x "$work"/debs/pcp-testsuite_*.deb "$work/image"
rm -rf "${place:?}"
mv "$work/image/var/lib/pcp/testsuite" "$place"
touch "$place/.done"
echo "$place"
