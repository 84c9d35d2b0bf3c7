#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reading archives beside PCP's own library: one source, two builds, in turn.
#
# usage: archive.sh [ARCHIVE...]   (default: two of 380 MB that are made here, in
# one of which a metric never occurs, and some of PCP's test suite, if it is installed or unpacked at PCP_TESTSUITE)
#
# A row has the median of RUNS (3) runs in CPU seconds of one operation, and the
# peak of memory.  "-": it did not end within a minute, or crashed.
#
# The page cache has a file that was just written in small pieces, and one that
# was read from the disk mostly in large ones, which are mapped several times as
# fast.  "steady" is measured as both.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/../pcp/peer/both.sh"
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/../pcp/peer/suite.sh"
runs=${RUNS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# derived metrics that PCP defines by itself are no part of an archive
export PCP_DERIVED_CONFIG='' TZ=UTC

peer=$here/../pcp/peer
cc -O2 -o "$work/make" "$peer/make_archive.c"
cc -O2 -o "$work/pcp" "$peer/archive_bench.c" -lpcp
cc_shim -O2 -o "$work/shim" "$peer/archive_bench.c"

# measure WHO ARCHIVE WHAT: median seconds, operations, kB, sum
measure() {
	i=0
	while [ $i -lt "$runs" ]; do
		timeout 60 "$work/$1" "$2" "$3" 2>/dev/null || :
		i=$((i + 1))
	done | sort -g | awk '{ row[NR] = $0 } END { print NR ? row[int((NR + 1) / 2)] : "- - - -" }'
}

# from_disk FILE: as if it had been written long ago
from_disk() {
	sync "$1"
	dd if="$1" iflag=nocache count=0 status=none
	cat "$1" >/dev/null
}

# table ARCHIVE WHAT
table() {
	echo
	echo "$1 $2"
	printf '  %-12s %12s %12s %8s %10s %10s  %s\n' '' 'PCP us' 'ours us' 'ratio' 'PCP MB' 'ours MB' 'values'
	INTERVAL=$("$work/shim" "$1" interval)
	export INTERVAL
	for what in open interp-10 interp-360 again-360 forw back jump contexts; do
		# shellcheck disable=SC2046
		set -- "$1" $(measure pcp "$1" $what) $(measure shim "$1" $what)
		echo "$what $*" | awk '{
			ratio = $3 == "-" || $7 == "-" || !$7 ? "-" : sprintf("%.1f", $3 / $7)
			same = $4 != $8 ? "(of " $4 " and " $8 ")" : $6 == $10 ? "same" : "differ"
			printf "  %-12s %12s %12s %8s %10s %10s  %s\n", $1, us($3), us($7), ratio, mb($5), mb($9), same
		}
		function us(s) { return s == "-" ? s : sprintf("%.2f", s * 1e6) }
		function mb(kb) { return kb == "-" ? kb : sprintf("%.1f", kb / 1024) }'
	done
}

if [ $# = 0 ]; then
	"$work/make" "$work/big" 3 big 300000
	"$work/make" "$work/steady" 3 steady 300000
	set -- "$work/steady" "$work/big"
	for name in 20180127.08.40 bigace_v2; do
		[ ! -e "$suite/$name.meta" ] || set -- "$@" "$suite/$name"
	done
fi
for archive; do
	table "$archive" ''
	[ "$archive" = "$work/steady" ] || continue
	from_disk "$archive.0"
	table "$archive" '(read from the disk)'
done
