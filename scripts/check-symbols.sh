#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check that the library exports exactly the symbols in its map, that a public
# header declares each, and that its thread-local variables are small enough.
#
# usage: check-symbols.sh BUILD
set -eu
build=${1:?usage: check-symbols.sh BUILD}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$build/lib/libshim.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
sed 's|/\*.*\*/||' user/libshim.map | grep -oE '^[[:space:]]+[A-Za-z_][A-Za-z0-9_]*;' | tr -d ' \t;' | sort >"$work/listed"
{
	cat user/include/*/*.h user/include/*/sys/*.h | grep -oE '\b(pm|__pm|cpc|pctx|shim_|get|read_|mread_|time_base_|_lwp_|processor_|pset_|p_|strlcpy|thr_)[A-Za-z0-9_]*[[:space:]]*\(' | tr -d ' \t('
	# Symbols with another name in one version of the PMAPI
	sed -nE 's/.*__PM_(AS|SYMBOL)\(([A-Za-z_0-9]+)\).*/\2/p' user/include/pcp/*.h
	# Variables
	sed -nE 's/^extern [a-z_]+ [*]?([A-Za-z]+)( __PM_AS.*)?;$/\1/p' user/include/*/*.h
	# In the library, Fortran names end in an underscore.
	sed -n 's/^ *external //p' user/include/*/*.inc | tr -d ' ' | tr , '\n' | sed 's/$/_/'
} | sort -u >"$work/declared"

bad=0
# report TEXT FILE: fail with TEXT if the file exists and is not empty
report() {
	[ -s "$2" ] || return 0
	echo "check-symbols: $1:" >&2
	sed 's/^/    /' "$2" >&2
	bad=1
}
uniq -d "$work/listed" >"$work/twice"
report "listed twice in user/libshim.map" "$work/twice"
comm -23 "$work/listed" "$work/exported" >"$work/missing"
report "listed in user/libshim.map, but not defined" "$work/missing"
comm -13 "$work/listed" "$work/exported" >"$work/extra"
report "exported, but not listed in user/libshim.map" "$work/extra"
comm -23 "$work/exported" "$work/declared" >"$work/hidden"
report "exported, but in no public header" "$work/hidden"
sed -n 's/^\(SHIM_[A-Z_0-9.]*\) {.*/\1/p' user/libshim.map | sort >"$work/nodes"
sed -n 's/^ (symver)\([^ ]*\) .*/\1/p' debian/libshim1.symbols | sort | comm -3 - "$work/nodes" >"$work/packaged"
report "nodes of user/libshim.map and debian/libshim1.symbols differ" "$work/packaged"
# Some names of PCP have this prefix.
grep -E '__' "$work/exported" | grep -v '^__pm' >"$work/internal" || :
report "exported, but internal (the name contains __)" "$work/internal"
# For libraries loaded by dlopen(3), the C library reserves about 1,600 bytes in total.
locals=$(readelf -lW "$build/lib/libshim.so" | awk '$1 == "TLS" { print $6 }')
[ $((locals)) -le 512 ] || echo "$((locals)) bytes: use shim_thread_room()" >"$work/local"
report "thread-local variables take more than 512 bytes" "$work/local"
[ $bad = 0 ] && echo "check-symbols: $(wc -l <"$work/exported") symbols"
exit $bad
