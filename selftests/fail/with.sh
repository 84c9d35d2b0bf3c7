#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run 'vcpc record --with' on a private pmcd while system calls fail.  Each archive must have the
# same metrics, texts, instances and values as without the failure, or the command must print an
# error and exit with a non-zero status.
set -u

here=$(cd "$(dirname "$0")/../pcp" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
collector_place "$@"
inject=$(cd "$build/lib" && pwd)/libinject.so
[ -e "$inject" ] || { echo "1..0 # SKIP no $inject"; exit 4; }
# shellcheck source=selftests/fail/shared/commands.sh
. "$here/../fail/shared/commands.sh"
export TZ=UTC LC_ALL=C FAIL_SECONDS=60
vcpc=$build/bin/vcpc evidence="$dir/wrong" learning=has_all
# A metric with one value, two with instances, a subtree, and a metric without values
names=sample.long.one,sample.colour,sample.bin,sample.string,sample.bad.novalues

# content ARCHIVE: print its metrics, descriptors and texts, and the instances of each record
content() {
	pminfo -a "$1" -dtT sample
	pmdumplog "$1" | awk '/^[0-9][0-9]:/ { if (n) print line; line = ""; n++ }
		/^ .*\): / || /^ .*\):$/ { ours = /\(sample/; if (ours) line = line " " $2 $3 $4 }
		/^ *inst \[/ { if (ours) line = line " " $2 $3 $4 }
		END { if (n) print line }' | sort -u
}

has_all() {
	if [ "$how" = none:0 ]; then
		for meta in rec.meta rec/*.meta; do
			[ ! -e "$meta" ] || content "${meta%.meta}" >normal 2>said
		done
		[ -s normal ] || wrong "nothing was recorded"
		return
	fi
	case $how in
	write-KILL*) [ "$status" = 137 ] && return ;;
	write-TERM*) [ "$status" = 143 ] && return ;;
	esac
	if [ "$status" != 0 ]; then
		said || wrong "no message"
		return
	fi
	for meta in rec.meta rec/*.meta; do
		[ -e "$meta" ] || continue
		content "${meta%.meta}" >now 2>said
		cmp -s now normal || wrong "success, and $(diff normal now | sed -n 2p | cut -c 1-200)"
	done
}

cd "$dir" || exit 1
make_collector >made 2>&1 && start_collector
result "PCP's collector with its sample agents"
[ $tap_failed = 0 ] || done_testing
cd "$dir" || exit 1
sweep with has_all "$vcpc" record --with $names -e page-faults -I 20ms -o rec -- sleep 0.1
sweep rotate has_all "$vcpc" record --with $names -e page-faults -I 20ms --rotate 16K -o rec -- sleep 0.2
done_testing
