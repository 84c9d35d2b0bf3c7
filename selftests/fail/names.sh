#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# External names are treated as data.  Use instances, texts and a host whose names are markup,
# formulas, control characters, invalid UTF-8 or very long, and parse each output format of the
# commands.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC PCP_DERIVED_CONFIG=''
evidence="$dir/log"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 4; }
${CC:-cc} -D_GNU_SOURCE -I"$here/../../user/include" -I"$here/.." -o "$dir/hostile" "$here/peer/hostile.c" \
	"$here"/shared/*.c -L"$build/lib" -Wl,-rpath,"$build/lib" -lshim >"$dir/log" 2>&1 &&
	"$dir/hostile" "$dir/a" >>"$dir/log" 2>&1
result "an archive of such names"
case $build in /*) ;; *) build=$PWD/$build ;; esac
(cd "$dir" && VCPC=$build/bin/vcpc ARCHIVE=$dir/a python3 "$here/names.py" >out 2>log) && [ -s "$dir/out" ]
result "each output can be parsed"
while IFS='	' read -r good what; do
	[ "$good" = yes ]
	result "$what"
done <"$dir/out"
done_testing
