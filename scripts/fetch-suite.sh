#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch the archives and programs of PCP's test suite, for comparisons, through apt into the cache;
# nothing is installed.
#
# usage: fetch-suite.sh [path]
#
# Print the directory.  With "path", print it without fetching anything.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

place=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/pcp-testsuite
installed=/var/lib/pcp/testsuite
if [ -d $installed/archives ]; then
	echo $installed
	exit
fi
version=$(dpkg-query -W -f '${Version}' pcp 2>/dev/null || echo none)
if [ "${1:-}" = path ] || [ -e "$place/$version/.done" ]; then
	echo "$place/$version"
	exit
fi
[ "$version" != none ] || { echo "fetch: pcp is not installed" >&2; exit 1; }

mkdir -p "$place"
exec 9>"$place/.lock"
flock 9
if ! [ -e "$place/$version/.done" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	size=$(apt-get -q download --print-uris "pcp-testsuite=$version" 2>/dev/null | awk -f "$here/megabytes.awk")
	echo "fetch: archives and programs of PCP's test suite $version, $size, into $place" >&2
	(cd "$work" && apt-get -q -oAPT::Sandbox::User=root download "pcp-testsuite=$version" >log 2>&1) || {
		tail -n 5 "$work/log" >&2
		exit 1
	}
	dpkg -x "$work"/pcp-testsuite_*.deb "$work/image"
	rm -rf "${place:?}/$version"
	mkdir "$place/$version"
	for part in archives badarchives src; do
		mv "$work/image$installed/$part" "$place/$version"
	done
	touch "$place/$version/.done"
fi
echo "$place/$version"
