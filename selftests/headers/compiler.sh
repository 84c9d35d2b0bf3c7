# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of headers after tap.sh: functions that check whether a program compiles.
top=$(cd "$(dirname "$0")/../.." && pwd)
include=$top/user/include
evidence=$dir/errors

# compiles LANGUAGE COMPILER WHAT SOURCE [FLAG]: check that it compiles without a warning
compiles() {
	if ! command -v "$2" >/dev/null; then
		skip "$3" "no $2"
		return
	fi
	printf '%s\n' "$4" >"$dir/source.$1"
	"$2" ${5:+"$5"} -Wall -Wextra -Werror -I"$include" -I"$include/cpc" -I"$top/include/uapi" \
		-fsyntax-only "$dir/source.$1" 2>"$dir/errors"
	result "$3 in $2${5:+ $5}"
}
