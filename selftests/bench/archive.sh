#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare reading archives and other calls with PCP's own library: one source, two builds, run alternately.
#
# PCP_PEER selects the version of PCP; both builds use the C library and liblzma of that version.
#
# usage: archive.sh [ROW...]      (default: all)
#        archive.sh -t ARCHIVE...        (a table of access patterns for these archives, with
#        memory)
#        archive.sh -g   (growth: our library alone, for n records, 10 n and so on)
#
# Each row has the median CPU time of RUNS (3) runs for one operation, our time divided by PCP's,
# and whether both read the same values; the last line is the geometric mean of all rows.  In the
# mean, a ratio below 0.05 counts as 0.05: in these rows PCP searches linearly, decompresses a file
# again for each seek, or the like, and a few of them would hide all others.  "-" means that it
# crashed or did not end within a minute.  Real archives are from PCP's test suite, if it is installed
# or unpacked at PCP_TESTSUITE.
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
# Derived metrics that PCP defines by default are not part of an archive.
export PCP_DERIVED_CONFIG='' TZ=UTC

programs=$here/../pcp/peer
needs_pcp
cc -O2 -o "$work/make" "$programs/make_archive.c"
cc_pcp -O2 -o "$work/pcp" "$programs"/archive_bench*.c
# shellcheck disable=SC2046
cc_ours() { cc_shim "$@" ${peer:+$(cat "$peer/ldflags")}; }
cc_ours -O2 -o "$work/shim" "$programs"/archive_bench*.c
cc_pcp -O2 -o "$work/calls.pcp" "$programs/call_bench.c"
cc_ours -O2 -o "$work/calls.shim" "$programs/call_bench.c"

# measure PROGRAM ARGUMENT...: print median seconds, operations, kB, sum
measure() {
	program=$work/$1
	shift
	i=0
	while [ $i -lt "$runs" ]; do
		timeout 60 "$program" "$@" 2>/dev/null || :
		i=$((i + 1))
	done | sort -g | awk '{ row[NR] = $0 } END { print NR ? row[int((NR + 1) / 2)] : "- - - -" }'
}

# from_disk FILE: reload it into the page cache.  A newly written file is cached in small pages, but
# a file read from disk mostly in large ones, which are mapped several times as fast.
from_disk() {
	sync "$1"
	dd if="$1" iflag=nocache count=0 status=none
	cat "$1" >/dev/null
}

# Set INTERVAL to the time between two records of ARCHIVE.  All rows use it as the step.
set_interval() {
	INTERVAL=$("$work/shim" "$1" interval)
	export INTERVAL
}

# made KIND VERSION RECORDS: create an archive and print its path
made() {
	[ -e "$work/$1.v$2.meta" ] || "$work/make" "$work/$1.v$2" "$2" "$1" "$3"
	echo "$work/$1.v$2"
}

# parts N: create N archives of consecutive periods, and print the path of their directory
parts() {
	mkdir -p "$work/parts$1"
	i=0
	while [ $i -lt "$1" ]; do
		[ -e "$work/parts$1/p$i.meta" ] || "$work/make" "$work/parts$1/p$i" 3 part $i
		i=$((i + 1))
	done
	echo "$work/parts$1"
}

# printed NAME PCP'S... OURS...: print a row; PCP'S and OURS are seconds, operations, kB and sum
printed() {
	echo "$@" | awk '{
		ratio = $2 == "-" || $6 == "-" || !$2 ? "-" : sprintf("%.3f", $6 / $2)
		same = $3 != $7 ? "(of " $3 " and " $7 ")" : $5 == $9 ? "same" : "differ"
		printf "%-26s %13s %13s %8s %8s %8s  %s\n", $1, us($2), us($6), ratio, mb($4), mb($8), same
	}
	function us(s) { return s == "-" ? s : sprintf("%.3f", s * 1e6) }
	function mb(kb) { return kb == "-" ? kb : sprintf("%.1f", kb / 1024) }'
}

# row NAME ARCHIVE WHAT [PREFIX [EVERY]]: measure both libraries and print a row
row() {
	in_list "$1" "$wanted" || [ -z "$wanted" ] || return 0
	[ -e "$2.meta" ] || [ -e "$2.meta.xz" ] || [ -d "$2" ] || return 0
	export PREFIX="${4:-}" EVERY="${5:-1}"
	case $3 in
	interp* | steps | memory | derived | fetchgroup) set_interval "$2" ;;
	esac
	# shellcheck disable=SC2046
	printed "$1" $(measure pcp "$2" "$3") $(measure shim "$2" "$3") | tee -a "$work/rows"
}

# call NAME: measure calls that need no archive
call() {
	in_list "$1" "$wanted" || [ -z "$wanted" ] || return 0
	# shellcheck disable=SC2046
	printed "$1" $(measure calls.pcp "$1") $(measure calls.shim "$1") | tee -a "$work/rows"
}

# writing VERSION: write a thousand metrics through LOGIMPORT
writing() {
	in_list "write-v$1" "$wanted" || [ -z "$wanted" ] || return 0
	[ -e /usr/include/pcp/import.h ] || return 0
	cc_ours -O2 -o "$work/write.shim" "$programs/import_rate.c"
	cc_pcp -O2 -o "$work/write.pcp" "$programs/import_rate.c" -lpcp_import
	for who in pcp shim; do
		i=0
		while [ $i -lt "$runs" ]; do
			"$work/write.$who" "$work/written" 1000 1000 "$1"
			rm -f "$work"/written.*
			i=$((i + 1))
		done | sort -g | awk '{ row[NR] = $0 } END { split(row[int((NR + 1) / 2)], f); print f[1], 1, f[2], "-" }' >"$work/$who.said"
	done
	# shellcheck disable=SC2046
	printed "write-v$1" $(cat "$work/pcp.said") $(cat "$work/shim.said") | tee -a "$work/rows"
}

# importing WHAT...: write archives in other patterns
importing() {
	[ -e /usr/include/pcp/import.h ] || return 0
	for what; do
		in_list "write-$what" "$wanted" || [ -z "$wanted" ] || continue
		[ -e "$work/import.shim" ] || cc_ours -O2 -o "$work/import.shim" "$programs/import_bench.c"
		[ -e "$work/import.pcp" ] || cc_pcp -O2 -o "$work/import.pcp" "$programs/import_bench.c" -lpcp_import
		# shellcheck disable=SC2046
		printed "write-$what" $(measure import.pcp "$work/written" "$what") \
			$(measure import.shim "$work/written" "$what") | tee -a "$work/rows"
	done
}

# memory: print the memory usage of a context, which is not included in the mean
memory() {
	in_list "memory-after-interp" "$wanted" || [ -z "$wanted" ] || return 0
	many=$(made many 3 300)
	export PREFIX='' EVERY=1
	set_interval "$many"
	"$work/pcp" "$many" memory >"$work/pcp.said"
	"$work/shim" "$many" memory >"$work/shim.said"
	paste -d ' ' "$work/pcp.said" "$work/shim.said" |
		awk '{ printf "%-26s %10d kB %10d kB %8.3f\n", "memory-after-interp", $1 / 1024, $5 / 1024, $5 / $1 }'
}

packed() {
	for suffix in meta 0 index; do
		xz -3 -c "$1.$suffix" >"$work/packed.$suffix.xz"
	done
	echo "$work/packed"
}

# blocks RECORDS: create an archive, compress it as pmlogger_daily does, and print its path
blocks() {
	if [ ! -e "$work/blocks$1.meta.xz" ]; then
		"$work/make" "$work/blocks$1" 3 big "$1"
		xz -0 --block-size=10MiB "$work/blocks$1".*
	fi
	echo "$work/blocks$1"
}

all_rows() {
	printf '%-26s %13s %13s %8s %8s %8s  %s\n' '' 'PCP us' 'ours us' ratio 'PCP MB' 'ours MB' values
	steady=$(made steady 3 50000) old=$(made steady 2 50000) sparse=$(made sparse 3 50000)
	wide=$(made wide 3 200) old_wide=$(made wide 2 200) churn=$(made churn 3 200)
	many=$(made many 3 300) huge=$(made huge 3 20) several=$(parts 40)
	real=$suite/20180127.08.40 large=$suite/20180102 v2=$suite/bigace_v2
	row open "$steady" open
	row open-real "$real" open
	row open-real-names "$suite/bozo-20170904" open
	row open-v2 "$v2" open
	row visit-names-real "$real" visit-names
	row visit-span-real "$suite/dm-io" visit-span
	row visit-records-real "$suite/20180415.09.16" visit-records
	row visit-value-real "$suite/mysql-1" visit-value
	row points-processes-real "$suite/pcp-pidstat" points-as-doubles '' 8
	row points-real "$suite/20041125" points-as-doubles '' 24
	row dump-processes-real "$suite/pcp-ps" dump
	row dump-real "$suite/20041125" dump
	row all-descriptors-real "$real" all-descriptors
	row end-real "$real" end
	row copies "$steady" copies
	row names "$real" names
	row names-of-real "$real" names-of
	row walk-real "$real" walk
	row descriptors-real "$real" descriptors
	row texts "$suite/20201109" texts
	row interp "$steady" interp-10
	row interp-v2 "$old" interp-10
	row interp-real "$real" interp-10
	row interp-real-large "$large" interp-10
	row interp-360 "$steady" interp-360
	row points-30 "$steady" points-30 big 16
	row interp-many "$many" interp-10
	row interp-wide "$wide" interp-10
	row interp-back "$steady" interp-back
	row interp-back-real "$real" interp-back
	row interp-churn "$churn" interp-10
	row interp-back-churn "$churn" interp-back
	row interp-few "$steady" interp-10 big 16
	row interp-few-360 "$steady" interp-360 big 16
	row interp-few-real "$real" interp-10 '' 64
	row interp-few-back-real "$real" interp-back '' 64
	row interp-rare "$sparse" interp-10 rare
	row interp-rare-back "$sparse" interp-back rare
	row interp-rare-v2 "$(made sparse 2 50000)" interp-10 rare
	row interp-rare-real "$large" interp-10 proc 16
	row forw "$steady" forw
	row forw-real "$real" forw
	row forw-few-real "$large" forw '' 64
	row back "$steady" back
	row back-real "$real" back
	row archive "$steady" archive
	row archive-real "$real" archive
	row archive-churn "$churn" archive
	row archive-wide "$wide" archive
	row archive-wide-v2 "$old_wide" archive
	row jump "$steady" jump
	row jump-real "$real" jump
	row seek-real "$suite/dm-io" seek '' 16
	row profile-real "$suite/dm-io" profile disk
	row extract-real "$real" extract
	row print-real "$real" print
	row contexts "$steady" contexts
	row domain-wide "$wide" domains
	row domains-real "$real" domains
	row domains-ever "$churn" domains-ever
	row lookups-wide "$wide" lookups
	row domain-huge "$huge" domains
	row lookups-huge "$huge" lookups
	row instance-names-huge "$huge" instance-names
	row interp-huge "$huge" interp-10
	row points-30-domains "$(made domains 3 10000)" points-30
	row archive-huge "$huge" archive
	row open-several "$several" open
	row interp-several "$several" interp-10
	row points-30-several "$several" points-30
	row jump-several "$several" jump
	row forw-several "$several" forw
	row open-xz "$(packed "$sparse")" open
	row scan-xz "$(packed "$sparse")" scan
	row scan-xz-real "$suite/20201109" scan
	day=$(blocks 100000)
	row open-blocks "$day" open
	row jump-blocks "$day" jump big 16
	row points-30-blocks "$day" points-30 big 16
	row scan-blocks "$day" scan
	row derived "$steady" derived
	row derived-real "$real" derived '' 16
	row derived-many "$many" derived
	row define-many "$many" define
	row names-derived "$many" names-derived
	row fetchgroup "$steady" fetchgroup
	row fetchgroup-real "$real" fetchgroup kernel
	row fetchgroup-many "$many" fetchgroup
	for name in bigace_v2 chartqa1 dm-io pmiostat_mark; do
		row "steps-$name" "$suite/$name" steps
		row "forw-$name" "$suite/$name" forw
		row "back-$name" "$suite/$name" back
		row "archive-$name" "$suite/$name" archive
	done
	writing 2
	writing 3
	importing small strings instances results samples metadata
	for name in conv-scale parse-window parse-metricspec parse-interval parse-units print-value \
		atom-text print-stamp local-time date-text units-text id-text number-text error-text; do
		call $name
	done
	awk '$4 > 0 { sum += log($4 < 0.05 ? 0.05 : $4); n++; if ($4 > worst) { worst = $4; where = $1 } }
		END { if (n) printf "geometric mean of %d rows: %.3f; the maximum is %.3f (%s)\n", n, exp(sum / n), worst, where }' "$work/rows"
	memory
}

# table ARCHIVE WHAT: print a table of access patterns
table() {
	echo
	echo "$1 $2"
	printf '%-26s %13s %13s %8s %8s %8s  %s\n' '' 'PCP us' 'ours us' ratio 'PCP MB' 'ours MB' values
	set_interval "$1"
	for what in open interp-10 interp-360 again-360 forw back jump contexts; do
		# shellcheck disable=SC2046
		printed $what $(measure pcp "$1" $what) $(measure shim "$1" $what)
	done
}

# growth NAME WHAT SMALL LARGE [PREFIX]: print the seconds per operation and the memory for the
# archives SMALL and LARGE
growth() {
	export PREFIX="${5:-}" EVERY=1
	set_interval "$3"
	# shellcheck disable=SC2046
	echo "$1" $(COUNT=1000 measure shim "$3" "$2") $(COUNT=10000 measure shim "$4" "$2") |
		awk '{ printf "%-34s %13.3f %13.3f %8.2f %8.1f %8.1f\n", $1, $2 * 1e6, $6 * 1e6, $6 / $2, $4 / 1024, $8 / 1024 }'
}

all_growth() {
	printf '%-34s %13s %13s %8s %8s %8s\n' 'operation, what grows' 'n: us' '10 n: us' ratio 'n: MB' '10 n: MB'
	"$work/make" "$work/short" 3 steady 20000
	"$work/make" "$work/long" 3 steady 200000
	for what in open jump interp-10 points-30 forw contexts; do
		growth "$what,records" $what "$work/short" "$work/long" big
	done
	wide=$(made wide 3 20) huge=$(made huge 3 20)
	for what in open domains lookups instance-names interp-10 archive; do
		growth "$what,instances" $what "$wide" "$huge"
	done
	for what in open jump; do
		growth "$what,blocks" $what "$(blocks 30000)" "$(blocks 300000)" big
	done
	"$work/make" "$work/few_states" 3 churn 100
	"$work/make" "$work/more_states" 3 churn 1000
	for what in open interp-10 interp-back; do
		growth "$what,processes" $what "$work/few_states" "$work/more_states"
	done
	"$work/make" "$work/few_domains" 3 domains 1000
	"$work/make" "$work/many_domains" 3 domains 10000
	growth points-30,domains points-30 "$work/few_domains" "$work/many_domains"
	for what in define names-derived; do
		growth "$what,metrics" $what "$work/short" "$work/short"
	done
	for what in open jump interp-10 forw; do
		growth "$what,archives" $what "$(parts 10)" "$(parts 100)"
	done
}

if [ "${1:-}" = -g ]; then
	all_growth
	exit
fi
if [ "${1:-}" != -t ]; then
	wanted=$*
	: >"$work/rows"
	all_rows
	exit
fi
shift
if [ $# = 0 ]; then
	"$work/make" "$work/big" 3 big 300000
	"$work/make" "$work/steady" 3 steady 300000
	set -- "$work/steady" "$work/big"
fi
for archive; do
	table "$archive" ''
	[ "$archive" = "$work/steady" ] || continue
	from_disk "$archive.0"
	table "$archive" '(read from the disk)'
done
