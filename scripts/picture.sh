#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Renew Documentation/report.png, the picture of a report on the site's first page, from the archive that "make demo"
# has recorded.  Requires chromium (scripts/setup.sh browser) and ImageMagick's convert, which reduces the colors.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
vcpc=$top/build/$(uname -m | sed 's/aarch64/arm64/')/bin/vcpc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cd "$top/build/demo/archive" || { echo "picture: run 'make demo' first" >&2; exit 1; }
# The transactions begin after xz has ended.
"$vcpc" report run -S 400msec -o "$dir/run.html"
HOME=$dir timeout 100 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$dir/browser" \
	--window-size=1280,1130 --screenshot="$dir/run.png" "file://$dir/run.html" >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
convert "$dir/run.png" +dither -colors 48 -define png:compression-level=9 "$top/Documentation/report.png"
ls -l "$top/Documentation/report.png"
