#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run programs of PCP 7.2.2's test suite with our library and with PCP's, and compare the output.  The programs are
# those that compile with our public headers of PMAPI version 4, and the runs are those that the suite's scripts
# contain literally.
#
# usage: qa.sh [PROGRAM...]
#
# Prints a line for each run whose output differs, except for runs listed in the file "differ", and the sums.  Without
# pmcd, runs that need it print the same error on both sides.  Runs with agents in the process (-L, -K) and with
# debugging output (-D), which is different in each library, are omitted.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
PCP_PEER=7.2.2
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/../pcp/peer/both.sh"
qa=$("$here/../../scripts/fetch-qa.sh") || exit
"$here/../../scripts/fetch-pcp.sh" 7.2.2 >/dev/null || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/shim" "$work/pcp" "$work/src"
export PCP_DERIVED_CONFIG='' TZ=UTC PMCD_PORT=1 PMCD_CONNECT_TIMEOUT=1 PCP_CONF="$peer/etc/pcp.conf"
export PCP_QA_DIR="$qa"

# Link with libraries of another Debian release, which that release's own loader finds.
# shellcheck disable=SC2046
link_pcp() {
	cc -w -O1 -DPMAPI_VERSION=4 -I"$here/../pcp/peer/inner" -I"$peer/usr/include" "$@" \
		"$(echo "$peer"/usr/lib/*/libpcp_import.so.2)" "$(echo "$peer"/usr/lib/*/libpcp.so.4)" \
		-lm -lpthread $(cat "$peer/ldflags")
}

# compile PROGRAM: compile it with both libraries
compile() {
	inner=
	cp "$qa/src/$1.c" "$work/src"
	! grep -q '"libpcp.h"' "$qa/src/$1.c" || inner=$here/../pcp/peer/inner/libpcp.c
	# shellcheck disable=SC2086
	cc_shim -w -DPMAPI_VERSION=4 -I"$here/../pcp/peer/inner" -o "$work/shim/$1" "$work/src/$1.c" $inner \
		>"$work/log" 2>&1 &&
		link_pcp -o "$work/pcp/$1" "$work/src/$1.c" $inner >"$work/log" 2>&1
}

# runs_of PROGRAM: print each run of it once, omitting those with shell variables, quotes or pipes
# in the arguments
runs_of() {
	sed -E 's/[0-9]*>[>&]* *[^ ]*/;/g' "$qa"/[0-9]* 2>/dev/null |
		grep -ahoE "(^|[ 	/])src/$1( [^][\$|<>&;\`()\"'\\\\*?{}#]*)?" |
		sed -E -e "s,^.*src/$1,$1," -e 's/[ 	]+$//' | grep -vE ' -(L|K|D)' | sort -u
}

# is_listed RUN: check whether it starts with an entry of the list
is_listed() {
	awk -F '\t' -v run="$1" '!/^#/ && index(run " ", $1 " ") == 1 { found = 1 } END { exit !found }' "$here/differ"
}

# run SIDE PROGRAM ARGUMENT...: print output and status
run() {
	side=$1 program=$2
	shift 2
	(
		cd "$work/tree.$side" || exit
		timeout "${QA_SECONDS:-20}" "$work/$side/$program" "$@" </dev/null 2>&1
		echo "status $?"
	) | sed -E -e "s,$work/$side/,,g" -e 's/[0-9]+ log[_ ]reads/N log reads/g' -e 's/[0-9.]+ m?sec/N sec/g' \
		-e 's/\[[A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+\] //' -e 's/\([0-9]+\)/(PID)/' -e 's/0x[0-9a-f]{8,}/ADDR/g' \
		-e 's/(Cannot connect to PMCD on host [^ ]*:).*/\1 ERROR/' \
		>"$work/$side.out"
}

cp -r "$qa" "$work/tree.pcp"
cp -r "$qa" "$work/tree.shim"
names=${*:-$(cd "$qa/src" && ls ./*.c | sed -e 's,^\./,,' -e 's/\.c$//')}
programs=0 compiled=0 runs=0 same=0 listed=0 late=0
for name in $names; do
	programs=$((programs + 1))
	runs_of "$name" >"$work/runs"
	compile "$name" || continue
	compiled=$((compiled + 1))
	while read -r program arguments; do
		runs=$((runs + 1))
		# shellcheck disable=SC2086
		{
			run pcp "$program" $arguments
			run shim "$program" $arguments
		}
		if grep -qax 'status 124' "$work/pcp.out" "$work/shim.out"; then
			late=$((late + 1))
		elif cmp -s "$work/pcp.out" "$work/shim.out"; then
			same=$((same + 1))
		elif is_listed "$program $arguments"; then
			listed=$((listed + 1))
		else
			echo "differs: $program $arguments"
			[ -z "${VERBOSE:-}" ] || diff "$work/pcp.out" "$work/shim.out" | head -n "$VERBOSE"
		fi
	done <"$work/runs"
done
echo "$programs programs, $compiled compile; $runs runs: $same print the same, $listed differ as listed," \
	"$late take longer than ${QA_SECONDS:-20} s, $((runs - same - listed - late)) differ otherwise"
[ "$runs" -gt 0 ] && [ $((runs - same - listed - late)) = 0 ]
