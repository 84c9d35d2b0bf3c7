#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each public header compiles alone, in C and in C++, without a warning.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
include=$top/user/include
n=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compiles LANGUAGE COMPILER HEADER
compiles() {
	echo "#include <$3>" >"$work/one.$1"
	n=$((n + 1))
	if ! command -v "$2" >/dev/null; then
		echo "ok $n - $3 # SKIP no $2"
	elif "$2" -Wall -Wextra -Werror -I"$include" -I"$include/cpc" -I"$top/include/uapi" -fsyntax-only "$work/one.$1"; then
		echo "ok $n - $3 in $2"
	else
		echo "not ok $n - $3 in $2"
		failed=1
	fi
}

headers=$(cd "$include" && find . -name '*.h' | sed 's|^\./||' | sort)
# shellcheck disable=SC2086
set -- $headers libcpc.h linux/vcpc.h
echo "1..$(($# * 2))"
for header; do
	compiles c gcc "$header"
	compiles cc g++ "$header"
done
exit $failed
