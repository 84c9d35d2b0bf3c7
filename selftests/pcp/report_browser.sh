#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Use the pages of vcpc report in a real browser: zoom, hover, keyboard, screen reader, narrow
# windows, dark mode and print, and a comparison of two runs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
for program in chromium python3; do
	command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 4; }
done
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG='' PYTHONDONTWRITEBYTECODE=1
cc_shim -o "$dir/busy" "$here/peer/busy_run.c" && "$dir/busy" "$dir/a" 1200 3 && "$dir/busy" "$dir/h" 40 18 hostile &&
	"$build/bin/vcpc" report "$dir/a" -o "$dir/a.html" && "$build/bin/vcpc" report "$dir/h" -o "$dir/h.html" &&
	"$dir/busy" "$dir/b" 1000 3 && "$build/bin/vcpc" report "$dir/a" "$dir/b" -o "$dir/ab.html" &&
	"$dir/busy" "$dir/s" 300 3 watched && cp "$here/peer/stacks.folded" "$dir/s.folded" && "$build/bin/vcpc" report "$dir/s" -o "$dir/s.html" || exit 1
mkdir -p "${PICTURES:=$dir}"
HOME=$dir timeout 300 python3 "$here/peer/report_used.py" "$(command -v chromium)" "$PICTURES" "$dir/a.html" "$dir/h.html" "$dir/ab.html" "$dir/s.html"
