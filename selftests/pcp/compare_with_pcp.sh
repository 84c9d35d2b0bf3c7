#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same program, built against libshim and against PCP's own library, prints
# the same of the same archives, to the last bit.
#
# Archives: those given; or random ones that are made here, and those of Debian's
# package pcp-testsuite if it is installed, or unpacked at PCP_TESTSUITE.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=peer/suite.sh
. "$here/peer/suite.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PCP_DERIVED_CONFIG='' TZ=UTC
count=0 failed=0
limit=${COMPARE_SECONDS:-100}

# More of the known differences of archives in the suite: marks that the original
# overlooks after a jump, or memory that it frees too early (then it may crash).
marked='19970807.09.54 19970807.09.59 20180127.08.40 20180415.09.16 bug-1044 count-mark
	omnibus_v2 omnibus_v3 section-c'
freed='archive-goodred-20150417 dm-stats'
events='eventrec eventrec-old'

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=1
		echo "not ok $count - $2"
	fi
}

if [ ! -e /usr/include/pcp/pmapi.h ] || ! command -v cc >/dev/null; then
	echo "1..0 # SKIP no PCP to compare with: libpcp3-dev and a compiler are not installed"
	exit 4
fi

compile() {
	cc -O1 -I"$here/../../user/include" -o "$work/dump_shim" "$here/peer/fetch_dump.c" \
		-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim &&
	cc -O1 -o "$work/dump_pcp" "$here/peer/fetch_dump.c" -lpcp &&
	cc -O1 -o "$work/make_archive" "$here/peer/make_archive.c"
}

# compare NAME ARCHIVE MODE DELTA-MS FETCHES: 0 if both print the same; where the original
# is stopped because it takes too long, all whole lines that it came to
compare() {
	name=$1
	shift
	timeout "$limit" "$work/dump_pcp" "$@" >"$work/pcp" 2>/dev/null
	stopped=$?
	timeout "$limit" "$work/dump_shim" "$@" >"$work/shim" 2>"$work/errors"
	if [ $? != 124 ] && [ $stopped = 124 ] && [ "$(wc -l <"$work/pcp")" -gt 1000 ]; then
		lines=$(wc -l <"$work/pcp")
		echo "# $name $2 $3: the original was stopped after $limit s; compared are $lines lines"
		for side in pcp shim; do
			head -n "$lines" "$work/$side" >"$work/whole" && mv "$work/whole" "$work/$side"
		done
	fi
	if [ -s "$work/shim" ] && cmp -s "$work/pcp" "$work/shim"; then
		return 0
	fi
	echo "# $name $2 $3:"
	diff "$work/pcp" "$work/shim" | cut -c 1-150 | head -n 6 | sed 's/^/#   /'
	return 1
}

ways='meta 0 0:text 0 0:labels 0 0:interp 777 600:interp -700 600:interp 3100 300:forw 0 500:back 0 500:raw 0 500:jump 300 100:jump -5300 100'

all_ways() {
	bad=0
	rest=$ways:
	while [ -n "$rest" ]; do
		way=${rest%%:*}
		rest=${rest#*:}
		# shellcheck disable=SC2086
		compare "$1" "$2" $way || bad=1
	done
	return $bad
}

if ! compile; then
	echo "1..1"
	echo "not ok 1 - the programs compile"
	exit 1
fi

for archive; do
	all_ways "${archive##*/}" "$archive"
	result $? "${archive##*/}: the same values"
	pmlogcheck "$archive" >"$work/complaints" 2>&1 && [ ! -s "$work/complaints" ]
	result $? "${archive##*/}: pmlogcheck has nothing to say"
	sed 's/^/# /' "$work/complaints"
done
if [ $# -gt 0 ]; then
	echo "1..$count"
	exit $failed
fi

for version in 2 3; do
	"$work/make_archive" "$work/vectors$version" $version vectors
	all_ways vectors "$work/vectors$version"
	result $? "the published vectors, version $version"
done
for version in 2 3; do
	bad=0
	for kind in notes lines; do
		"$work/make_archive" "$work/$kind$version" $version $kind
		compare $kind "$work/$kind$version" text 0 0 || bad=1
		compare $kind "$work/$kind$version" labels 0 0 || bad=1
	done
	result $bad "texts and labels, version $version"
done
for seed in 1 2 3 4 5 6; do
	"$work/make_archive" "$work/random$seed" $((2 + seed % 2)) random $seed
	all_ways "seed $seed" "$work/random$seed"
	result $? "random archive, seed $seed"
done

# Every number and size that our header has is theirs, too; lists of options are neither.
header_values() {
	headers=$here/../../user/include/pcp/pmapi
	echo '#include <stdio.h>'
	echo '#include <pcp/pmapi.h>'
	echo 'int main(void) {'
	grep -ohE '^#define[[:space:]]+PM[A-Z0-9_]+[[:space:]]' "$headers"*.h | awk '{ print $2 }' | sort -u |
		grep -vE '^PM(LONG)?OPT_|^PMAPI_[A-Z_]*OPTIONS|_SPEC$' |
		sed 's/.*/printf("& %lld\\n", (long long)(int)(&));/'
	grep -ohE '^\} pm[A-Za-z]+;' "$headers"*.h | tr -d '};' |
		sed 's/ *\(.*\)/printf("\1 %zu\\n", sizeof(\1));/'
	echo 'return 0; }'
}
header_values >"$work/header.c"
if cc -w -I"$here/../../user/include" -o "$work/header_shim" "$work/header.c" &&
	cc -w -o "$work/header_pcp" "$work/header.c"; then
	"$work/header_shim" >"$work/shim"
	"$work/header_pcp" >"$work/pcp"
	[ "$(wc -l <"$work/shim")" -gt 150 ] && diff "$work/pcp" "$work/shim" | sed 's/^/# /'
	cmp -s "$work/pcp" "$work/shim"
	result $? "numbers and sizes of the header"
else
	result 1 "numbers and sizes of the header"
fi

suite_way() {
	way=$1 except=$2
	bad=0 n=0
	for archive in $(suite_archives); do
		name=${archive##*/}
		in_list "$name" "$except" && continue
		n=$((n + 1))
		# shellcheck disable=SC2086
		compare "$name" "$archive" $way || bad=1
	done
	result $bad "archives of PCP's test suite: $way ($n archives)"
}

if [ -d "$suite" ]; then
	bad=0
	for way in 'meta 0 0' 'labels 0 0' 'forw 0 300' 'back 0 300' 'raw 0 300' \
		'interp 1000 1000' 'interp 50000 100'; do
		# shellcheck disable=SC2086
		{ compare folder "$suite/multi" $way && compare packed "$suite/multi-xz" $way &&
			compare list "$suite/multi/20150508.11.57,$suite/multi/20150508.11.44" $way; } || bad=1
	done
	result $bad "several archives in one context"
	suite_way 'meta 0 0' "$damaged"
	suite_way 'text 0 0' ''
	suite_way 'labels 0 0' ''
	suite_way 'forw 0 300' "$damaged $old"
	suite_way 'raw 0 300' "$damaged $old"
	suite_way 'back 0 300' "$damaged $old $events"
	suite_way 'interp 1000 200' "$damaged $old"
	suite_way 'interp -2500 200' "$damaged $old $events $marked $freed"
	suite_way 'jump 5000 20' "$damaged $old $events $marked $freed"
else
	count=$((count + 1))
	echo "ok $count - archives of PCP's test suite # SKIP pcp-testsuite is not installed"
fi
echo "1..$count"
exit $failed
