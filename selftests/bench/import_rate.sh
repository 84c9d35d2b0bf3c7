#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare writing an archive through LOGIMPORT with PCP's own library, alternately
# in one run; called by make bench.  Archives are in memory, so no disk is measured.
#
# usage: import_rate.sh [METRICS [SAMPLES [ROUNDS]]]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/../pcp/peer/both.sh"
metrics=${1:-1000} samples=${2:-10000} rounds=${3:-3}
if [ ! -e /usr/include/pcp/import.h ]; then
	echo "bench: libpcp-import1-dev is not installed: no comparison with PCP's import library"
	exit 0
fi
dir=$(mktemp -d /dev/shm/import.XXXXXX)
trap 'rm -rf "$dir"' EXIT
peer=$here/../pcp/peer/import_rate.c
cc_shim -O2 -o "$dir/shim" "$peer"
cc -O2 -o "$dir/pcp" "$peer" -lpcp_import -lpcp

median() {
	sort -n "$1" | awk -v column="$2" '{ v[NR] = $column } END { print v[int((NR + 1) / 2)] }'
}

echo "writing $metrics metrics x $samples samples, median of $rounds alternate runs"
printf '%-22s %10s %10s %8s\n' '' libshim PCP PCP/libshim
for version in 2 3; do
	: >"$dir/shim.said"
	: >"$dir/pcp.said"
	for _ in $(seq "$rounds"); do
		for library in shim pcp; do
			"$dir/$library" "$dir/archive" "$metrics" "$samples" $version >>"$dir/$library.said"
			rm -f "$dir"/archive.*
		done
	done
	for what in 'seconds 1' 'kB_memory 2'; do
		ours=$(median "$dir/shim.said" "${what#* }") theirs=$(median "$dir/pcp.said" "${what#* }")
		printf '%-22s %10s %10s %8.2f\n' "version $version, ${what% *}" "$ours" "$theirs" \
			"$(echo "$ours $theirs" | awk '{ print $2 / $1 }')"
	done
done
