#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the library's functions and the public headers' types with the descriptions in user/abi, using libabigail:
# removals and changes are errors, additions are listed.  With --renew, replace the descriptions in user/abi.
#
# usage: check-abi.sh [--renew] BUILD...
#
# A BUILD whose library is missing or older than the headers is skipped with a message; for the first BUILD this is an
# error.  The descriptions are compressed, because each takes 400 kB as text.
set -eu
renew=
if [ "${1:-}" = --renew ]; then
	renew=yes
	shift
fi
[ $# -gt 0 ] || { echo "usage: check-abi.sh [--renew] BUILD..." >&2; exit 2; }
first=$1
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
soname=$(sed -n 's/^SONAME := //p' user/Makefile)

# dump LIBRARY FILE: describe only types of the public headers, without build paths
dump() {
	abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-parameter-names --no-elf-needed --exported-interfaces-only \
		--headers-dir user/include --drop-private-types --out-file "$2" "$1"
}

machine() { readelf -h "$1" | sed -n 's/ *Machine: *//p' | sed 's/.*X86-64/x86_64/; s/AArch64/arm64/'; }

# Omit the C library's types, which differ between releases.
printf '[suppress_type]\n  name = _IO_FILE\n' >"$work/not_ours"

# compare STORED NEW: abidiff's exit status has bits: 1 and 2 are its own errors, 4 is a difference, 8 an incompatible one
compare() {
	status=0
	abidiff --suppressions "$work/not_ours" --no-added-syms "$1" "$2" >"$work/report" || status=$?
	[ $status != 0 ] || return 0
	cat "$work/report"
	echo "check-abi: the interface differs from user/abi; Documentation/releasing.rst describes when that is permitted, and how to renew it" >&2
	return 1
}

bad=0
for build; do
	library=$build/lib/$soname
	if [ "$build" != "$first" ] && { ! [ -e "$library" ] || find user/include user/libshim.map -newer "$library" | grep -q .; }; then
		echo "check-abi: $build: not built, or older than the headers"
		continue
	fi
	arch=$(machine "$library")
	stored=user/abi/$soname.$arch.xml.xz
	dump "$library" "$work/new"
	if [ -n "$renew" ]; then
		mkdir -p user/abi
		xz -9e --stdout "$work/new" >"$stored"
		echo "check-abi: $stored: $(wc -c <"$stored") bytes"
		continue
	fi
	xz -dc "$stored" >"$work/stored"
	compare "$work/stored" "$work/new" || bad=1
	added=$(abidiff "$work/stored" "$work/new" | sed -n 's/.*, \([0-9]*\) Added.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
	echo "check-abi: $arch: $added symbols added since user/abi was written"
done
exit $bad
