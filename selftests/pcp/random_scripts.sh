#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random scripts of calls print the same with libshim and with PCP's own library.  The calls change
# modes, times, steps, directions, profiles and contexts, fetch, and query all metadata.
#
# The archives are the arguments or, by default, random archives and those of PCP's test suite.
#
# SOAK_MINUTES=60 runs for 60 minutes, with other scripts in each round.  SCRIPTS_SEED=17 starts
# with the scripts of round 17.  To run one script again:
#   script_shim ARCHIVE ROUND NUMBER NUMBER, and script_pcp, in build/<arch>/peer
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
# shellcheck source=peer/suite.sh disable=SC2154
. "$here/peer/suite.sh"
export PCP_DERIVED_CONFIG='' TZ=UTC
evidence=$dir/log
round=${SCRIPTS_SEED:-1}
limit=$(($(date +%s) + ${SOAK_MINUTES:-0} * 60))

needs_pcp

compile() {
	mkdir -p "$build/peer"
	cc_shim -o "$build/peer/script_shim" "$here"/peer/script*.c &&
	cc_pcp -DPEER_IS_PCP -o "$build/peer/script_pcp" "$here"/peer/script*.c &&
	cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c"
}

# play ARCHIVE SCRIPTS: succeed if both libraries print the same for the scripts 1 to SCRIPTS
play() {
	for side in pcp shim; do
		"$build/peer/script_$side" "$1" "$round" 1 "$2" >"$dir/$side" 2>/dev/null
	done
	awk -f "$here/peer/differ.awk" "$dir/pcp" "$dir/shim" >"$dir/one" || {
		echo "$1, round $round:"
		cat "$dir/one"
		return 1
	} >>"$dir/log"
}

# plain ARCHIVE: make an uncompressed copy, because PCP's library keeps each file that it
# decompresses
plain() {
	rm -f "$dir"/plain.*
	for file in "$1".[0-9]* "$1".meta* "$1".index*; do
		case $file in
		*.xz) xz -dkc "$file" >"$dir/plain.$(basename "${file#"$1".}" .xz)" ;;
		*.bz2) bzip2 -dkc "$file" >"$dir/plain.$(basename "${file#"$1".}" .bz2)" ;;
		*) [ ! -e "$file" ] || ln -s "$file" "$dir/plain.${file#"$1".}" ;;
		esac
	done
}

own_archives() {
	for version in 2 3; do
		for kind in vectors notes; do
			"$dir/make_archive" "$dir/$kind$version" $version $kind
			play "$dir/$kind$version" "$1" || return 1
		done
	done
	"$dir/make_archive" "$dir/churn" $((2 + round % 2)) churn 30
	play "$dir/churn" $(($1 / 10)) || return 1
	for i in 1 2 3 4; do
		seed=$((round * 4 + i))
		"$dir/make_archive" "$dir/random" $((2 + i % 2)) random $seed
		play "$dir/random" "$1" || return 1
		"$dir/make_archive" "$dir/marked" $((2 + i % 2)) marked $seed
		play "$dir/marked" $(($1 / 3)) || return 1
	done
}

# Archives print the same after they are compressed in blocks of 2500 bytes.
packed_round() {
	for i in 1 2 3 4; do
		"$dir/make_archive" "$dir/packed" $((2 + i % 2)) marked $((round * 4 + i))
		"$build/peer/script_shim" "$dir/packed" "$round" 1 "$1" >"$dir/pcp" 2>/dev/null
		xz -0 --block-size=2500 "$dir"/packed.*
		"$build/peer/script_shim" "$dir/packed" "$round" 1 "$1" >"$dir/shim" 2>/dev/null
		rm "$dir"/packed.*
		[ -s "$dir/shim" ] && cmp "$dir/pcp" "$dir/shim" >>"$dir/log" || return 1
	done
}

suite_round() {
	bad=0 n=0
	for archive in $(suite_archives); do
		in_list "${archive##*/}" "$damaged $old" && continue
		plain "$archive"
		n=$((n + 1))
		play "$dir/plain" "$1" || { echo "$archive" >>"$dir/log"; bad=1; }
	done
	return $bad
}

# Many of these archives cannot be opened, and both libraries return the same error.
bad_round() {
	bad=0 n=0
	for archive in $(suite_archives "$testsuite/badarchives"); do
		in_list "${archive##*/}" "$bad_differ" && continue
		n=$((n + 1))
		play "$archive" "$1" && continue
		[ -s "$dir/pcp" ] && cmp -s "$dir/pcp" "$dir/shim" && continue
		echo "$archive" >>"$dir/log"
		bad=1
	done
	return $bad
}

# Open several archives as one: a directory, a directory of compressed archives, and a list.
several_round() {
	for several in "$suite/multi" "$suite/multi-xz" \
		"$suite/multi/20150508.11.57,$suite/multi/20150508.11.44"; do
		play "$several" "$1" || return 1
	done
}

compile >"$dir/log" 2>&1
result "the programs compile"
[ $tap_failed = 0 ] || done_testing
for archive; do
	play "$archive" 1000
	result "${archive##*/}: 1000 scripts"
done
[ $# -eq 0 ] || done_testing

own_archives 75
result "707 scripts on generated archives"
packed_round 50
result "200 scripts on compressed archives"
if [ -d "$suite" ]; then
	suite_round 2
	result "2 scripts on each of $n archives of PCP's test suite"
	bad_round 4
	result "4 scripts on each of $n damaged archives of PCP's test suite"
	several_round 50
	result "150 scripts on several archives as one"
else
	skip "PCP's test suite" "pcp-testsuite is not installed"
fi
while [ "$(date +%s)" -lt $limit ]; do
	round=$((round + 1))
	own_archives 300
	result "round $round: generated archives"
	[ -d "$suite" ] || continue
	suite_round 40
	result "round $round: PCP's test suite"
	bad_round 40
	result "round $round: damaged archives"
	several_round 300
	result "round $round: several archives as one"
done
done_testing
