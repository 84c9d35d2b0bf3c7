#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build the documentation site with Sphinx, including the manual pages; any warning is an error.
#
# usage: docs.sh OUTPUT
set -eu

out=$1
top=$(cd "$(dirname "$0")/.." && pwd)
src=$out/src

rm -rf "$src" "$out/html"
mkdir -p "$src/man" "$src/_static"
to=$(cd "$src" && pwd)
(cd "$top/Documentation" && find . -name '*.rst' -exec cp --parents -t "$to" {} +)
cp "$top/Documentation/site/conf.py" "$src/"
cp "$top/Documentation/site/custom.css" "$src/_static/"

# A page as a terminal shows it; its title is the first line under NAME
{
	printf 'Manual pages\n============\n\n.. toctree::\n   :maxdepth: 1\n\n'
	for page in "$top"/Documentation/man/*.[1-8]; do
		name=${page##*/}
		title="${name%.*}(${name##*.})"
		printf '   %s\n' "$name" >&3
		{
			printf '%s\n' "$title" && printf '%s\n' "$title" | sed 's/./=/g'
			printf '\n::\n\n'
			MANWIDTH=100 MAN_KEEP_FORMATTING='' man -E UTF-8 -l "$page" </dev/null | sed 's/^/   /; s/ *$//'
		} >"$src/man/$name.rst"
	done 3>&1
} >"$src/man/index.rst"

sphinx-build -q -W --keep-going -n -b html -d "$out/doctrees" "$src" "$out/html"
# Use the site's index as its first page.
printf '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=site/index.html"><title>vcpc</title><a href="site/index.html">vcpc</a>\n' >"$out/html/index.html"
echo "  DOCS    $out/html/index.html"
