#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Record which kernels the module was built for, loaded into and tested on, and print the table; called by
# make matrix.
#
# usage: matrix.sh                                  print the table of build/matrix and build/matrix-SUITE
#        matrix.sh --add FILE ARCH KERNEL BUILDS LOADS [RESULTS WHERE]
#
# Appends a line to FILE: the kernel's release, the machine, this host's Debian suite, whether the module
# builds and loads (yes, no, or - without the module), and the numbers of passed tests and of all tests in
# the lines of RESULTS for WHERE.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = --add ]; then
	file=$2 arch=$3 kernel=$4 builds=$5 loads=$6 results=${7:-/dev/null} where=${8:-}
	# shellcheck source=/dev/null
	host=$(. /etc/os-release && echo "${VERSION_CODENAME:-$ID}")
	mkdir -p "$(dirname "$file")"
	awk -v where="$where" -v row="$kernel $arch $host $builds $loads" '
		$2 == where && $1 != "unstable" { total++; good += $1 != "fail" }
		END { print row, good + 0, total + 0 }' "$results" >>"$file"
	exit
fi

# shellcheck disable=SC2086
set -- ${MATRIX:-"$here"/../build/matrix "$here"/../build/matrix-*}
for file; do
	shift
	[ ! -e "$file" ] || set -- "$@" "$file"
done
[ $# -gt 0 ] || { echo "matrix: nothing was recorded in build/matrix; run 'make test' or 'make test-fresh'" >&2; exit 1; }

# Several runs on one kernel are one row, which passes only if all runs passed.
cat "$@" | awk '
	function worse(a, b) { return a == "no" || b == "no" ? "no" : a == "yes" || b == "yes" ? "yes" : "-" }
	{
		key = $1 " " $2 " " $3
		builds[key] = worse(builds[key], $4)
		loads[key] = worse(loads[key], $5)
		good[key] += $6
		total[key] += $7
	}
	END {
		for (key in total)
			print key, builds[key], loads[key], good[key] " of " total[key]
	}' | sort -k 3,3 -k 1,1V -k 2,2 | awk '
	BEGIN {
		rule = "========================= ======= ========= ====== ===== =============="
		print rule
		printf "%-25s %-7s %-9s %-6s %-5s %s\n", "kernel", "machine", "host", "builds", "loads", "tests passed"
		print rule
	}
	{ printf "%-25s %-7s %-9s %-6s %-5s %s of %s\n", $1, $2, $3, $4, $5, $6, $8 }
	END { print rule }'
