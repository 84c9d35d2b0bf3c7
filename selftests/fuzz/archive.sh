#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz the archive reader for a minute, or FUZZ_SECONDS.  Start from small archives of every kind,
# inputs that once caused failures (found/), and the small archives of PCP's test suite if they are
# available.  FUZZ_SEED=0 selects a random seed.
#
# The corpus is kept in build/fuzz/archive between runs.  An input that causes a failure is stored
# there as crash-*.  To run it again:
#   build/fuzz/fuzz-archive build/fuzz/archive/crash-...
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=libfuzzer.sh disable=SC2154
. "$here/libfuzzer.sh"
# shellcheck source=../pcp/peer/suite.sh disable=SC2154
. "$here/../pcp/peer/suite.sh"
corpus=$out/archive
export PCP_DERIVED_CONFIG=''	# do not read the derived metrics of an installed PCP for each input
mkdir -p "$corpus"
# The reader is linked with the code of local contexts, which is not instrumented, because archives
# do not use it.
live=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}/lib/libshim-live.a
compile objects/base '' "$top"/user/base/*.c
for room in archive pdu pcp; do
	compile objects/$room '' "$top"/user/$room/*.c
done
compile objects/fuzz '' "$here/archive.c"
# shellcheck disable=SC2086
{
	clang $flags $sanitize -o "$out/fuzz-archive" "$out"/objects/fuzz/*.o "$out"/objects/base/*.o \
		"$out"/objects/archive/*.o "$out"/objects/pdu/*.o "$out"/objects/pcp/*.o \
		"$live" -lbpf -lelf -lz -lbz2 -llzma -lzstd -lm -lpthread &&
		clang $flags -DFUZZ_SEED -o "$out/seed-archive" "$here/archive.c" &&
		clang $flags -o "$out/make-archive" "$here/../pcp/peer/make_archive.c"
} >"$out/build.log" 2>&1 || it_does_not_build "$out/build.log"

# seed NAME ARCHIVE [FORM]: add ARCHIVE to the corpus as seed-NAME
seed() {
	"$out/seed-archive" "$2" "${3:-0}" >"$corpus/seed-$1" || rm -f "$corpus/seed-$1"
}

# packed NAME ARCHIVE: add ARCHIVE in the three compressed forms
packed() {
	for part in meta index 0; do
		xz -0 --block-size=2000 -c "$2.$part" >"$2.$part.xz"
		zstd -qc "$2.$part" >"$2.$part.zst"
	done
	for form in 1 2 3; do
		seed "$1-form$form" "$2" $form
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for version in 2 3; do
	for kind in vectors notes lines; do
		"$out/make-archive" "$work/$kind$version" $version $kind
		seed $kind$version "$work/$kind$version"
	done
	"$out/make-archive" "$work/big$version" $version big 20
	seed big$version "$work/big$version"
	packed big$version "$work/big$version"
done
for meta in "$testsuite"/archives/*.meta "$testsuite"/badarchives/*.meta; do
	base=${meta%.meta}
	[ -e "$base.0" ] && [ "$(cat "$base".meta "$base".0 | wc -c)" -lt 60000 ] &&
		seed "suite-${base##*/}" "$base"
done

cp "$here"/found/* "$corpus/"

fuzz archive "${FUZZ_SECONDS:-60}" 300 archives -timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=64 -max_len=70000
