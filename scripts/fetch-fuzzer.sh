#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch libFuzzer for arm64, and the C++ library that it needs, through apt into the cache;
# nothing is installed.
#
# usage: fetch-fuzzer.sh
#
# Print the two static libraries with which to link a C program.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
place=$cache/fuzzer/arm64
# The versions of this machine's compilers: clang 14 and gcc 12 on Debian 12, clang 19 and gcc 14 on Debian 13
packages="libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev libstdc++-$(gcc -dumpversion | cut -d . -f 1)-dev"

mkdir -p "$place" "$cache/lists/arm64/partial"
exec 9>"$place/.lock"
flock 9

apt_arm64() {
	apt-get -q -oAPT::Architecture=arm64 -oAPT::Architectures=arm64 -oAPT::Sandbox::User=root \
		-oDir::State::Lists="$cache/lists/arm64" -oDir::State::status=/dev/null \
		-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" >"$place/log" 2>&1 9>&-
}

if ! [ -e "$place/.done" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	echo "fetch: libFuzzer for arm64" >&2
	apt_arm64 update || echo "fetch: some lists could not be fetched; continuing with the others" >&2
	# shellcheck disable=SC2086
	(cd "$work" && apt_arm64 download $packages) || { tail -n 5 "$place/log" >&2; exit 1; }
	for file in "$work"/*.deb; do
		dpkg -x "$file" "$work/root"
	done
	find "$work/root" \( -name libclang_rt.fuzzer-aarch64.a -o -name libstdc++.a \) -exec mv {} "$place/" \;
	touch "$place/.done"
fi
echo "$place/libclang_rt.fuzzer-aarch64.a" "$place/libstdc++.a"
