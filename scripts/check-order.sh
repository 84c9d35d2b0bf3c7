#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check that each of the module's files calls only files before it in Kbuild's list.  The check examines object files,
# so a callback passed down does not count as a call.
#
# usage: check-order.sh BUILD
set -eu

build=${1:?usage: check-order.sh BUILD}
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

objects=$(sed -n '/^vcpc-y := /,/[^\\]$/ s/^[[:space:]]*\([a-z_/]*\)\.o.*/\1/p' "$top/kmod/Kbuild")
[ -n "$objects" ] || { echo "no list of objects in kmod/Kbuild"; exit 1; }
nr=0
for object in $objects; do
	nr=$((nr + 1))
	file=$build/module/kmod/$object.o
	[ -e "$file" ] || { echo "$file was not built"; exit 1; }
	nm "$file" | awk -v o="$object" -v n="$nr" '$2 ~ /[TDBR]/ { print $3, o, n }' >>"$work/defined"
	nm -u "$file" | awk -v o="$object" -v n="$nr" '{ print $2, o, n }' >>"$work/used"
done
awk 'NR == FNR { at[$1] = $3; in_[$1] = $2; next }
	($1 in at) && at[$1] > $3 { print "kmod/" $2 ".c uses " $1 " of kmod/" in_[$1] ".c, which stands above it"; bad = 1 }
	END { exit bad }' "$work/defined" "$work/used"
