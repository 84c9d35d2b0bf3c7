#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PCP's own tools and library read the archives that vcpc record created in the VMs, with the same
# results as ours.
#
# RECORDED in the environment is the directory where selftests/vm/test.sh stored the archives.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${RECORDED:-}" ]; then
	echo "1..0 # SKIP no archives from a VM: RECORDED is not set"
	exit 4
fi
set -- "$RECORDED"/*/*.meta
if [ ! -e "$1" ]; then
	echo "1..1"
	echo "not ok 1 - the VMs left archives in $RECORDED"
	exit 1
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A recorder that is killed while it writes leaves an incomplete record, which PCP's library reports
# at other times in INTERP mode (Documentation/api/pmapi.rst).  Compare only the values before this
# record.
cut_tail() {
	pmlogcheck "$1" >"$dir/complaints" 2>&1
	grep -q 'unexpected EOF in record' "$dir/complaints" || return 0
	sed -n 's/^\(.*\): last valid record ends at offset \([0-9]*\)$/\2 \1/p' "$dir/complaints" |
		while read -r whole part; do truncate -s "$whole" "$part"; done
}

archives=
for meta; do
	archive=${meta%.meta}
	copy=$dir/$(basename "$(dirname "$archive")")
	mkdir -p "$copy"
	cp "$archive".* "$copy"
	cut_tail "$copy/${archive##*/}"
	archives="$archives $copy/${archive##*/}"
done
# shellcheck disable=SC2086
"$here/compare_with_pcp.sh" $archives
