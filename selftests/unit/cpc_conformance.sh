#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each statement in libcpc-conformance.rst names tests that exist.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
table=$top/Documentation/api/libcpc-conformance.rst

[ "$(grep -c '^[0-9]*\. ' "$table")" = 42 ]
result "42 statements"
grep "^   " "$table" | grep -o '``[a-z_./0-9]*\.\(c\|sh\)[a-z_, 0-9]*``' | tr -d '`' | sort -u >"$dir/named"
while read -r file tests; do
	for test in $(echo "$tests" | tr -d ,) ''; do
		[ -f "$top/selftests/cpc/$file" ] &&
			{ [ -z "$test" ] || grep -Eq "^TEST(_F)?\(([a-z_0-9]+, )?$test\)" "$top/selftests/cpc/$file"; }
		result "$file $test"
	done
done <"$dir/named"
done_testing
