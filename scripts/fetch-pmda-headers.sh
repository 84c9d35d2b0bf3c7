#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch the headers of another Debian suite's PCP through apt into the cache, to compile the
# agent with them; nothing is installed.
#
# usage: fetch-pmda-headers.sh SUITE [path]
#
# Print the directory, which contains usr/include/pcp and "version".  With "path", print it without fetching anything.
set -eu

suite=${1:?usage: fetch-pmda-headers.sh SUITE [path]}
here=$(cd "$(dirname "$0")" && pwd)
deb=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
place=$cache/agent-headers/$suite
if [ "${2:-}" = path ]; then
	echo "$place"
	exit
fi

mkdir -p "$cache/agent-headers" "$cache/lists/$suite-$deb/partial"
exec 9>"$place.lock"
flock 9
if [ -e "$place/version" ]; then
	echo "$place"
	exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debs"
# The Release file of unstable may have expired on a mirror that is not updated.
echo "deb [check-valid-until=no] http://deb.debian.org/debian $suite main" >"$work/sources"

# apt_for TOOL ARGUMENT...: run apt with separate package lists
apt_for() {
	tool=$1
	shift
	"apt-$tool" -q -oAPT::Architecture="$deb" -oAPT::Architectures="$deb" -oAPT::Sandbox::User=root \
		-oDir::State::Lists="$cache/lists/$suite-$deb" -oDir::Etc::sourcelist="$work/sources" \
		-oDir::Etc::sourceparts=/dev/null -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" 9>&-
}

failed() {
	tail -n 5 "$work/log" >&2
	echo "fetch: no PCP headers of $suite" >&2
	exit 1
}

echo "fetch: package lists of $suite" >&2
apt_for get update >"$work/log" 2>&1 || failed
packages="libpcp3-dev libpcp-pmda3-dev"
# The headers of PCP 7 are in the next package, not in libpcp3-dev.
[ -z "$(apt_for cache pkgnames libpcp4-dev)" ] || packages="libpcp4-dev libpcp-pmda3-dev"
# shellcheck disable=SC2086
size=$(apt_for get download --print-uris $packages 2>/dev/null | awk -f "$here/megabytes.awk")
echo "fetch: headers of $suite's PCP, $size, into $place" >&2
# shellcheck disable=SC2086
(cd "$work/debs" && apt_for get download $packages >"$work/log" 2>&1) || failed
for file in "$work"/debs/*.deb; do
	dpkg -x "$file" "$work/root"
done
rm -rf "$place"
mkdir -p "$place/usr/include"
mv "$work/root/usr/include/pcp" "$place/usr/include/"
dpkg-deb -f "$work"/debs/libpcp-pmda3-dev_*.deb Version >"$place/version"
echo "$place"
