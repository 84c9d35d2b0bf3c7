#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the tables of Documentation/api/misuse.rst with the output of this directory's programs.
#
# usage: table.sh [--write]: write the tables instead of comparing
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
page=$here/../../Documentation/api/misuse.rst
programs=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}/tests/misuse

# section PROGRAM TITLE: print a section with the program's rows
section() {
	printf '\n%s\n%s\n\n' "$2" "$(echo "$2" | sed 's/./=/g')"
	printf '.. csv-table::\n   :header: "Call", "Misuse", "Result"\n   :widths: 50, 25, 25\n\n'
	"$programs/$1" | sed -n 's/^\(not \)\{0,1\}ok [0-9]* - //p' | awk -F ' \\| ' '
		{ gsub(/"/, "\"\"", $1)
		  printf "   \"``%s``\", \"%s\", \"%s\"\n", $1, $2, $3 }'
}

# The page's text up to this line is written by hand.
last='.. Made by selftests/misuse/table.sh --write'

{
	awk -v last="$last" '{ print } $0 == last { exit }' "$page"
	section libcpc 'libcpc and libpctx'
	section aix "AIX's pmapi"
	section pmapi "PCP's pmapi"
	section import "PCP's import"
	section trace "PCP's trace"
	section shim 'shim'
} >"$dir/misuse.rst"
if [ "${1:-}" = --write ]; then
	cp "$dir/misuse.rst" "$page"
	exit
fi
evidence=$dir/diff
diff "$page" "$dir/misuse.rst" >"$dir/diff"
result "Documentation/api/misuse.rst contains the programs' output"
result_lines=$(grep -c '^   "``' "$dir/misuse.rst")
[ "$result_lines" -gt 700 ]
result "it contains all calls"
done_testing
