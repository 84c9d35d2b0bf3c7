#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libcpc's headers beside each other face's header, in C and in C++, in both orders.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
include=$top/user/include
n=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compiles LANGUAGE COMPILER FIRST SECOND
compiles() {
	printf '#include <%s>\n#include <%s>\nint use(cpc_t *c); int use(cpc_t *c) { return cpc_close(c); }\n' "$3" "$4" >"$work/two.$1"
	n=$((n + 1))
	if ! command -v "$2" >/dev/null; then
		echo "ok $n - $3 and $4 # SKIP no $2"
	elif "$2" -Wall -Wextra -Werror -I"$include" -I"$include/cpc" -I"$top/include/uapi" -fsyntax-only "$work/two.$1"; then
		echo "ok $n - $3 and $4 in $2"
	else
		echo "not ok $n - $3 and $4 in $2"
		failed=1
	fi
}

set -- pcp/pmapi.h pcp/trace.h aix/pmapi.h shim/shim.h linux/vcpc.h libpctx.h
echo "1..$(($# * 4))"
for header; do
	compiles c gcc "$header" libcpc.h
	compiles c gcc libcpc.h "$header"
	compiles cc g++ "$header" libcpc.h
	compiles cc g++ libcpc.h "$header"
done
exit $failed
