#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compressed archives have the same values as uncompressed ones.  A compressed file that is
# truncated, not an archive, or too large when decompressed is an error.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
TZ=UTC
export TZ
evidence="$dir/errors"

dump() {
	for way in 'meta 0 0' 'jump 300 50' 'interp 777 300' 'back 0 500' 'interp -50 300' 'raw 0 9999'; do
		# shellcheck disable=SC2086
		"$dir/dump" "$1" $way || return
	done >"$2" 2>"$dir/errors"
}

# open ARCHIVE: check that ARCHIVE can be opened
open() {
	"$dir/dump" "$1" meta 0 0 >"$dir/errors" 2>&1 && ! head -n 1 "$dir/errors" | grep -q '^open: '
}

cc_shim -o "$dir/dump" "$here/peer/fetch_dump.c" &&
	cc -O1 -o "$dir/make" "$here/peer/make_archive.c"
result "the programs compile"

for version in 2 3; do
	"$dir/make" "$dir/plain$version" $version random $version
	dump "$dir/plain$version" "$dir/want$version"
	result "version $version, uncompressed"
done

try() {
	if ! command -v "$1" >/dev/null; then
		tap_count=$((tap_count + 1))
		echo "ok $tap_count - $1 # SKIP $1 is not installed"
		return
	fi
	base=$dir/$1$3
	for part in meta index 0; do
		cp "$dir/plain$3.$part" "$base.$part"
		"$1" -q "$base.$part"
		rm -f "$base.$part"
		[ -e "$base.$part.$2" ] || return
	done
	dump "$base" "$dir/got" && cmp "$dir/want$3" "$dir/got" >>"$dir/errors"
	result "$1, version $3: the same"
	open "$base.meta.$2"
	result "$1, version $3: opened by the name of a packed file"
	size=$(wc -c <"$base.meta.$2")
	truncate -s $((size / 2)) "$base.meta.$2"
	! open "$base"
	result "$1, version $3: truncated in the middle"
}

for version in 2 3; do
	try xz xz $version
	try gzip gz $version
	try bzip2 bz2 $version
	try zstd zst $version
done

# units TOOL SUFFIX COMMAND: check archives whose files consist of several units
units() {
	if ! command -v "$1" >/dev/null; then
		tap_count=$((tap_count + 1))
		echo "ok $tap_count - $3 # SKIP $1 is not installed"
		return
	fi
	for version in 2 3; do
		for part in meta index 0; do
			split -b 3000 "$dir/plain$version.$part" "$dir/part."
			for i in "$dir"/part.*; do $3 -c "$i"; done >"$dir/units$version.$part.$2"
			rm "$dir"/part.*
		done
		dump "$dir/units$version" "$dir/got" && cmp "$dir/want$version" "$dir/got" >>"$dir/errors"
		result "$3, units of 3000 bytes, version $version: the same"
		rm "$dir/units$version".*
	done
}

units xz xz 'xz -q'
units zstd zst 'zstd -q --no-content-size'
units zstd zst 'zstd -q'

for i in 0 meta index; do cp "$dir/plain3.$i" "$dir/two.$i"; done
{ head -c 5000 "$dir/two.0" | gzip; tail -c +5001 "$dir/two.0" | gzip; } >"$dir/two.0.gz"
rm "$dir/two.0"
dump "$dir/two" "$dir/got" && cmp "$dir/want3" "$dir/got"
result "a file of two packed streams"

# The reader decompresses a file in pieces of this size.  Test a file that ends at the end of a
# piece.
piece=131072
for i in 0 meta index; do
	cp "$dir/plain3.$i" "$dir/round.$i"
	cp "$dir/plain3.$i" "$dir/even.$i"
done
gzip -n <"$dir/plain3.0" >"$dir/member"
size=$(wc -c <"$dir/member")
# Test the same stream with a file name in its header, which fills the piece.
{
	printf '\037\213\010\010\0\0\0\0\0\003'
	head -c $((piece - (size + 1) % piece)) /dev/zero | tr '\0' x
	printf '\0'
	tail -c +11 "$dir/member"
} >"$dir/round.0.gz"
rm "$dir/round.0"
[ $(($(wc -c <"$dir/round.0.gz") % piece)) = 0 ] &&
	dump "$dir/round" "$dir/got" && cmp "$dir/want3" "$dir/got" >>"$dir/errors"
result "gzip: a packed file of a whole number of pieces"

# Test empty streams of 14 bytes each, after two truncated ones that fill the piece.
bzip2 </dev/null >"$dir/nothing"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	cat "$dir/nothing" "$dir/nothing" >"$dir/more" && mv "$dir/more" "$dir/nothing"
done
cut=1000
while :; do
	{ head -c $cut "$dir/plain3.0" | bzip2; tail -c +$((cut + 1)) "$dir/plain3.0" | bzip2; } >"$dir/member"
	rest=$((piece - $(wc -c <"$dir/member") % piece))
	[ $((rest % 14)) != 0 ] && [ $cut -lt 3000 ] || break
	cut=$((cut + 37))
done
head -c $rest "$dir/nothing" | cat "$dir/member" - >"$dir/even.0.bz2"
rm "$dir/even.0"
[ $((rest % 14)) = 0 ] && [ $(($(wc -c <"$dir/even.0.bz2") % piece)) = 0 ] &&
	dump "$dir/even" "$dir/got" && cmp "$dir/want3" "$dir/got" >>"$dir/errors"
result "bzip2: a packed file of a whole number of pieces"

for i in 0 meta index; do cp "$dir/plain3.$i" "$dir/zero.$i"; done
head -c 1000000 /dev/zero | gzip >"$dir/zero.0.gz"
rm "$dir/zero.0"
TMPDIR=$dir
export TMPDIR
! open "$dir/zero"
result "infinite zeros are not unpacked"
rm "$dir/zero.0.gz"
{ head -c 808 "$dir/plain3.0"; head -c 100000000 /dev/zero; } | bzip2 >"$dir/zero.0.bz2"
! open "$dir/zero"
result "a file that is too large when unpacked is not unpacked"
done_testing
