#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If the file system fills up during an import, each write either succeeds or fails, and our tools
# and PCP's find no damage in the archive.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
if [ "${1:-}" != inside ]; then
	if ! unshare -rm true 2>/dev/null; then
		echo "1..0 # SKIP no private namespace for a small file system"
		exit 4
	fi
	exec unshare -rm "$0" inside
fi
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC PCP_DERIVED_CONFIG=''
evidence="$dir/log"

cc_shim -o "$dir/shim" "$here/peer/import_demo.c" >"$dir/log" 2>&1
result "the importer compiles"

mkdir "$dir/small"
for kb in 16 20 24 32 40; do
	for version in 2 3; do
		mount -t tmpfs -o size=${kb}k tmpfs "$dir/small"
		a=$dir/small/a
		"$dir/shim" "$a" $version 1 >"$dir/said"
		refused=$(grep -c '^\(write\|mark\|end\) -28$' "$dir/said")
		written=$(grep -c '^\(write\|mark\) 0$' "$dir/said")
		there=$("$build/bin/vcpc" dump "$a" 2>"$dir/log" | grep -c '^[0-9][0-9]:')
		echo "$kb KiB: $written records written, $there found, $refused refused for lack of space" >>"$dir/log"
		[ "$refused" -gt 0 ] && [ "$written" -gt 0 ] && [ "$written" = "$there" ] &&
			"$build/bin/vcpc" check "$a" >>"$dir/log" 2>&1
		result "$kb KiB, version $version: exactly the accepted records are found"
		if command -v pmdumplog >/dev/null; then
			[ "$(pmdumplog "$a" 2>>"$dir/log" |
				grep -cE '^[0-9:.]+ +([0-9]+ metric|<mark>)')" = "$written" ]
			result "$kb KiB, version $version: also by pmdumplog"
		fi
		umount "$dir/small"
	done
done
done_testing
