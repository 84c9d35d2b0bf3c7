#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a fuzzer's coverage of the module by function.
#
# usage: fuzz-coverage.sh OBJECTS MODULE COVERED
#
# COVERED contains offsets in .text of MODULE, which was linked from OBJECTS/*.o.  Prints a table:
# file, functions reached and total, branches reached and total, and names of functions not reached.
#
# A branch is the beginning of a basic block, where the compiler inserted a KCOV call.  Only code
# that a system call runs in its own thread is counted: KCOV does not record interrupts, exiting
# threads, or kernel threads.
set -eu

objects=${1:?usage: fuzz-coverage.sh OBJECTS MODULE COVERED} module=$2 covered=$3
if [ "$(uname -m)" = aarch64 ]; then tool=; else tool=aarch64-linux-gnu-; fi

{
	# global FILE NAME: FILE's object defines the function
	for object in "$objects"/*.o; do
		case $object in *vcpc.o | *vcpc.mod.o | *_test.o) continue ;; esac
		file=${object##*/}
		"${tool}nm" "$object" | awk -v file="${file%.o}.c" '$2 == "T" { print "global", file, $3 }'
	done
	# function FILE OFFSET SIZE NAME: nm's list has local functions after their file's name
	text=$("${tool}readelf" -SW "$module" | sed -n 's/^ *\[ *\([0-9]*\)\] \.text .*/\1/p')
	"${tool}readelf" -sW "$module" | awk -v text="$text" '
		$4 == "FILE" { file = $8 }
		$4 == "FUNC" && $7 == text { print "function", ($5 == "LOCAL" ? file : "-"), $2, $3, $8 }'
	# branch OFFSET: a call of KCOV
	"${tool}objdump" -r -j .text "$module" | awk '/__sanitizer_cov_trace_pc/ { print "branch", $1 }'
	sed 's/^/seen /' "$covered"
} | awk '
	function hex(digits,  i, n) {
		n = 0
		for (i = 1; i <= length(digits); i++)
			n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
		return n
	}
	function owner(offset,  i) {
		for (i = 1; i <= functions; i++)
			if (offset >= at[i] && offset < at[i] + size[i])
				return i
		return 0
	}
	$1 == "global" { home[$3] = $2 }
	$1 == "function" {
		n = ++functions
		file[n] = $2 == "-" ? home[$5] : $2
		at[n] = hex($3)
		size[n] = $4 + 0
		name[n] = $5
		sub(/[.].*/, "", name[n])
	}
	$1 == "branch" { branch[++branches] = hex($2) }
	$1 == "seen" { seen[$2] = 1 }
	END {
		for (i = 1; i <= branches; i++) {
			f = owner(branch[i])
			blocks[f]++
			# KCOV reports the return address of its call.
			if (branch[i] + 4 in seen)
				reached[f]++
		}
		for (f = 1; f <= functions; f++) {
			if (!blocks[f])
				continue
			of = file[f]
			all[of]++
			all_blocks[of] += blocks[f]
			hit_blocks[of] += reached[f]
			if (reached[f])
				hit[of]++
			else
				missing[of] = missing[of] " " name[f]
		}
		line = "%-18s %4d/%4d %6d/%5d %s\n"
		printf "%-18s %9s %12s  %s\n", "file", "functions", "branches", "not reached"
		for (of in all) {
			printf line, of, hit[of], all[of], hit_blocks[of], all_blocks[of], missing[of] | "sort"
			a += all[of]; h += hit[of]; b += all_blocks[of]; r += hit_blocks[of]
		}
		close("sort")
		printf line, "all", h, a, r, b, ""
	}'
