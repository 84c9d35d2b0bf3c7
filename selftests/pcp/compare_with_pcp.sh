#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program built with libshim prints the same, to the last bit, as when it is built with PCP's own
# library.
#
# It reads the archives given as arguments, otherwise random archives and those of PCP's test suite.
# With COMPARE_ALL=1 it also interpolates the suite's largest archives, and skips no archive (by
# default some modes use every fourth or sixth one); this takes minutes.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=peer/suite.sh
. "$here/peer/suite.sh"
export PCP_DERIVED_CONFIG='' TZ=UTC
evidence=$dir/diff
limit=${COMPARE_SECONDS:-100}

# In these archives of the suite, PCP's library overlooks marks after a jump, or frees memory too
# early and can crash.
marked='19970807.09.54 19970807.09.59 20180127.08.40 20180415.09.16 bug-1044 count-mark
	20190628.04.03 omnibus_v2 omnibus_v3 section-c'
freed='archive-goodred-20150417 dm-stats'
events='eventrec eventrec-old'
slow=$large
[ -z "${COMPARE_ALL:-}" ] || slow=

needs_pcp

compile() {
	cc_shim -o "$dir/dump_shim" "$here/peer/fetch_dump.c" &&
	cc_pcp -o "$dir/dump_pcp" "$here/peer/fetch_dump.c" &&
	cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c"
}

# compare NAME ARCHIVE MODE DELTA-MS FETCHES: return 0 if both print the same.  If PCP's program
# exceeds the time limit, only the complete lines that it printed are compared.
compare() {
	name=$1
	shift
	timeout "$limit" "$dir/dump_pcp" "$@" >"$dir/pcp" 2>/dev/null
	stopped=$?
	timeout "$limit" "$dir/dump_shim" "$@" >"$dir/shim" 2>"$dir/errors"
	if [ $? != 124 ] && [ $stopped = 124 ] && [ "$(wc -l <"$dir/pcp")" -gt 1000 ]; then
		lines=$(wc -l <"$dir/pcp")
		echo "# $name $2 $3: the original was stopped after $limit s; $lines lines are compared"
		for side in pcp shim; do
			head -n "$lines" "$dir/$side" >"$dir/whole" && mv "$dir/whole" "$dir/$side"
		done
	fi
	if [ -s "$dir/shim" ] && cmp -s "$dir/pcp" "$dir/shim"; then
		return 0
	fi
	echo "# $name $2 $3:"
	diff "$dir/pcp" "$dir/shim" | cut -c 1-150 | head -n 6 | sed 's/^/#   /'
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

compile
result "the programs compile"
[ "$tap_failed" = 0 ] || done_testing

for archive; do
	all_ways "${archive##*/}" "$archive"
	result "${archive##*/}: the same values"
	pmlogcheck "$archive" >"$dir/complaints" 2>&1 && [ ! -s "$dir/complaints" ]
	result "${archive##*/}: pmlogcheck reports nothing"
	sed 's/^/# /' "$dir/complaints"
done
if [ $# -gt 0 ]; then
	done_testing
fi

for version in 2 3; do
	"$dir/make_archive" "$dir/vectors$version" $version vectors
	all_ways vectors "$dir/vectors$version"
	result "the published vectors, version $version"
done
for version in 2 3; do
	bad=0
	for kind in notes lines; do
		"$dir/make_archive" "$dir/$kind$version" $version $kind
		compare $kind "$dir/$kind$version" text 0 0 || bad=1
		compare $kind "$dir/$kind$version" labels 0 0 || bad=1
	done
	[ $bad = 0 ]
	result "texts and labels, version $version"
done
for seed in 1 2 3 4 5 6; do
	"$dir/make_archive" "$dir/random$seed" $((2 + seed % 2)) random $seed
	all_ways "seed $seed" "$dir/random$seed"
	result "random archive, seed $seed"
done

# Compare each number and size that both headers define, except lists of options.  Only our program
# prints numbers that the installed PCP is too old to define.
header_values() {
	headers=$here/../../user/include/pcp/pmapi
	echo '#include <stdio.h>'
	echo '#include <pcp/pmapi.h>'
	echo 'int main(void) {'
	grep -ohE '^#define[[:space:]]+PM[A-Z0-9_]+[[:space:]]' "$headers"*.h | awk '{ print $2 }' | sort -u |
		grep -vE '^PM(LONG)?OPT_|^PMAPI_[A-Z_]*OPTIONS|_SPEC$' |
		sed 's/.*/#ifdef &\nprintf("& %lld\\n", (long long)(int)(\n&));\n#endif/'
	grep -ohE '^\} pm[A-Za-z]+;' "$headers"*.h | tr -d '};' |
		sed 's/ *\(.*\)/printf("\1 %zu\\n", sizeof(\1));/'
	echo 'return 0; }'
}
header_values >"$dir/header.c"
cc -w -I"$here/../../user/include" -o "$dir/header_shim" "$dir/header.c" &&
	cc -w -o "$dir/header_pcp" "$dir/header.c" &&
	"$dir/header_shim" >"$dir/shim" && "$dir/header_pcp" >"$dir/pcp" &&
	{ diff "$dir/pcp" "$dir/shim" >"$dir/diff" || ! grep '^<' "$dir/diff"; } && [ "$(wc -l <"$dir/pcp")" -gt 150 ]
result "numbers and sizes of the header"
rm -f "$dir/diff"

# suite_way WAY EXCEPT [STEP]: compare every STEP-th archive in this mode
suite_way() {
	way=$1 except=$2 step=${3:-1}
	[ -z "${COMPARE_ALL:-}" ] || step=1
	bad=0 n=0 nth=0
	for archive in $(suite_archives); do
		name=${archive##*/}
		nth=$((nth + 1))
		[ $((nth % step)) = 0 ] || continue
		in_list "$name" "$except" && continue
		n=$((n + 1))
		# shellcheck disable=SC2086
		compare "$name" "$archive" $way || bad=1
	done
	[ $bad = 0 ]
	result "archives of PCP's test suite: $way ($n archives)"
}

if [ -d "$suite" ]; then
	bad=0
	for way in 'meta 0 0' 'labels 0 0' 'forw 0 300' 'back 0 300' 'raw 0 300' \
		'interp 1000 1000' 'interp 50000 100'; do
		# shellcheck disable=SC2086
		{ compare folder "$suite/multi" $way && compare packed "$suite/multi-xz" $way &&
			compare list "$suite/multi/20150508.11.57,$suite/multi/20150508.11.44" $way; } || bad=1
	done
	[ $bad = 0 ]
	result "several archives in one context"
	suite_way 'meta 0 0' "$damaged"
	suite_way 'text 0 0' ''
	suite_way 'labels 0 0' ''
	suite_way 'forw 0 300' "$damaged $old" 4
	suite_way 'raw 0 300' "$damaged $old" 4
	suite_way 'back 0 300' "$damaged $old $events" 4
	suite_way 'interp 1000 200' "$damaged $old $slow" 4
	suite_way 'interp -2500 200' "$damaged $old $events $marked $freed $slow" 6
	suite_way 'jump 5000 20' "$damaged $old $events $marked $freed $slow" 6
else
	skip "archives of PCP's test suite" "pcp-testsuite is not installed"
fi
done_testing
