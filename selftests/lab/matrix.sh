#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of kernels matches the results, and a successful run does not hide a failed one.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
matrix=$(cd "$(dirname "$0")/.." && pwd)/matrix.sh
evidence="$dir/said $dir/m"
# shellcheck source=/dev/null
host=$(. /etc/os-release && echo "${VERSION_CODENAME:-$ID}")

shown() { MATRIX=$dir/m "$matrix" >"$dir/said" 2>&1; }

# row TEXT: check that the table has this line, with single blanks
row() { tr -s ' ' <"$dir/said" | grep -qxF "$1"; }

! shown && grep -q 'nothing was recorded' "$dir/said"; result "nothing recorded"
cat >"$dir/results" <<-END
	pass arm64-vm a/b x
	fail arm64-vm a/b y
	skip arm64-vm a/b z why
	unstable arm64-vm a/b x
	pass arm64-debug a/b x
END
"$matrix" --add "$dir/m" arm64 6.1.0-9-arm64 yes yes "$dir/results" arm64-vm
shown && row "6.1.0-9-arm64 arm64 $host yes yes 2 of 3"; result "counts of one place"
"$matrix" --add "$dir/m" arm64 6.1.0-9-arm64 - - "$dir/results" arm64-debug
shown && row "6.1.0-9-arm64 arm64 $host yes yes 3 of 4"; result "a run without the module is added"
"$matrix" --add "$dir/m" arm64 6.1.0-9-arm64 yes no
shown && row "6.1.0-9-arm64 arm64 $host yes no 3 of 4"; result "a module that does not load is shown"
"$matrix" --add "$dir/m" x86_64 7.3.4-amd64 no no
"$matrix" --add "$dir/m" x86_64 6.12.1-amd64 yes yes
shown && row "7.3.4-amd64 x86_64 $host no no 0 of 0"; result "a kernel for which the module does not build is shown"
[ "$(awk '$3 == host { print $1 }' host="$host" "$dir/said" | tr '\n' ' ')" = "6.1.0-9-arm64 6.12.1-amd64 7.3.4-amd64 " ]; result "by version"
done_testing
