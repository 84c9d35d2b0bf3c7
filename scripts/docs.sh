#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build the documentation site with Sphinx, including the manual pages; any warning is an error.
#
# usage: docs.sh OUTPUT
#        docs.sh --check   only check that the needed programs are installed
set -eu

# Use the interpreter of sphinx-build, which may differ from the first python3 in PATH.
python=$(sed -n '1s/^#!//p' "$(command -v sphinx-build)" 2>/dev/null) || python=
# shellcheck disable=SC2086 # it can be "/usr/bin/env python3"
if ! command -v mandoc >/dev/null || [ -z "$python" ] || ! $python -c 'import furo' 2>/dev/null; then
	echo "docs: Sphinx, its theme furo or mandoc is not installed: scripts/setup.sh docs" >&2
	exit 1
fi
[ "${1:?usage: docs.sh OUTPUT}" != --check ] || exit 0

out=$1
top=$(cd "$(dirname "$0")/.." && pwd)
src=$out/src

rm -rf "$src" "$out/html"
mkdir -p "$src/man" "$src/_static"
to=$(cd "$src" && pwd)
(cd "$top/Documentation" && find . -name '*.rst' -exec cp --parents -t "$to" {} +)
cp "$top/VERSION" "$top/Documentation/site/conf.py" "$top/Documentation/report.png" "$src/"
cp "$top/Documentation/site/custom.css" "$src/_static/"

# man_page FILE: print a page as RST.  Sections become headings, which the theme lists and the search finds;
# references to our other pages become links.
man_page() {
	mandoc -T html -O fragment "$1" | awk -v pages=" $pages " -v name="${1##*/}" '
		function linked(line,   out, word, page) {
			while (match(line, /<b>[A-Za-z_-]+<\/b>\([1-8]\)/)) {
				word = substr(line, RSTART, RLENGTH)
				page = word
				gsub(/<b>|<\/b>|\)/, "", page)
				sub(/\(/, ".", page)
				if (page != name && index(pages, " " page " "))
					word = "<a href=\"" page ".html\">" word "</a>"
				out = out substr(line, 1, RSTART - 1) word
				line = substr(line, RSTART + RLENGTH)
			}
			return out line
		}
		BEGIN {
			title = name
			sub(/\./, "(", title)
			print title ")\n" "===================================\n"
		}
		heading != "" || /^<h[12] class="S[hs]"/ {
			heading = heading (heading == "" ? "" : " ") $0
			if (heading !~ /<\/h[12]>/)
				next
			mark = heading ~ /<h1/ ? "-----------------------------------" : "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
			gsub(/<[^>]*>/, "", heading)
			gsub(/  +/, " ", heading)
			if (mark ~ /-/)
				heading = substr(heading, 1, 1) tolower(substr(heading, 2))
			print "\n" heading "\n" mark "\n"
			heading = ""
			raw = "\n.. raw:: html\n\n"
			next
		}
		/^<\/?section/ { next }
		/^<table class="(head|foot)">/, /^<\/table>/ { next }
		/^<div class="manual-text">/ { next }
		/^<div/ { depth++ }
		/^<\/div>/ && --depth < 0 { next }
		{
			print raw "   " linked($0)
			raw = ""
		}'
}

pages=$(cd "$top/Documentation/man" && echo *.[1-8])
{
	printf 'Manual pages\n============\n'
	for section in 1:Commands 3:Library; do
		printf '\n.. toctree::\n   :maxdepth: 1\n   :caption: %s\n\n' "${section#*:}"
		for page in "$top"/Documentation/man/*."${section%:*}"; do
			printf '   %s\n' "${page##*/}"
			man_page "$page" >"$src/man/${page##*/}.rst"
		done
	done
} >"$src/man/index.rst"

sphinx-build -q -W --keep-going -n -b html -d "$out/doctrees" "$src" "$out/html"
echo "  DOCS    $out/html/index.html"
