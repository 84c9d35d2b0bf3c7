#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check that every public function and subcommand is in a manual page, that kernel-doc and the pages parse,
# and that every file begins with its license and its purpose.
set -eu
cd "$(dirname "$0")/.."
ksrc=${KSRC:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ksrc}
bad=0
missing=$(mktemp)

sed 's|/\*.*\*/||' user/libshim.map | grep -oE '^[[:space:]]+[A-Za-z_][A-Za-z0-9_]*;' | tr -d ' \t;' | sort |
	while read -r symbol; do
		grep -qw "$symbol" Documentation/man/*.3 || echo "$symbol"
	done >"$missing"
# Each call of libcpc must be in the NAME section of a page.
sed -n '/^SHIM_CPC/,/^}/s/^[[:space:]]*\([a-z_]*\);$/\1/p' user/libshim.map |
	while read -r symbol; do
		sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' Documentation/man/*.3 | grep -qw "$symbol" || echo "$symbol (no page of its name)"
	done >>"$missing"
if [ -s "$missing" ]; then
	echo "check-docs: these functions are in no manual page:" >&2
	sed 's/^/    /' "$missing" >&2
	bad=1
fi
rm -f "$missing"

# Each subcommand must have a page, to which vcpc(1) refers.
for command in $(sed -n 's/^\t{ "\([a-z]*\)", vcpc_cmd_.*/\1/p' tools/vcpc/main.c); do
	if [ ! -e "Documentation/man/vcpc-$command.1" ] || ! grep -qF ".BR vcpc\\-$command (1)" Documentation/man/vcpc.1; then
		echo "check-docs: Documentation/man/vcpc-$command.1 does not exist or is not in vcpc.1" >&2
		bad=1
	fi
done

for page in Documentation/man/*.[1-8]; do
	[ -e "$page" ] || continue
	if command -v man >/dev/null && ! man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | sed "s|^|$page: |" | awk '{ print } END { exit NR > 0 }'; then
		bad=1
	fi
done

# Docutils checks all pages except the site's index, which only Sphinx can read.
if python3 -c 'import docutils' 2>/dev/null; then
	# shellcheck disable=SC2046
	python3 scripts/check-rst.py $(git ls-files 'Documentation/*.rst' ':!Documentation/index.rst') || bad=1
else
	echo "check-docs: the pages are not parsed because python3-docutils is not installed" >&2
fi

# Each FILE and FILE:FUNCTION in architecture.rst must exist.
page=Documentation/architecture.rst
# shellcheck disable=SC2016
absent=$(grep -oE '`(bpf|include|kmod|scripts|selftests|tools|user)/[A-Za-z0-9_./-]+(:[A-Za-z0-9_]+)?`' $page |
	tr -d '`' | sort -u | while IFS=: read -r file function; do
		grep -qsE "(^|[^A-Za-z0-9_>.])${function:-.*}\(" "$file" || [ -z "$function" ] && [ -e "$file" ] ||
			echo "    $file${function:+:$function}"
	done)
if [ "$absent" ]; then
	printf 'check-docs: %s names files or functions that do not exist:\n%s\n' $page "$absent" >&2
	bad=1
fi

files=$(git ls-files '*.c' '*.h')
# shellcheck disable=SC2086
if ! "$ksrc/scripts/kernel-doc" -none -Werror $files; then
	echo "check-docs: kernel-doc (above)" >&2
	bad=1
fi
for file in $(git ls-files '*.c' '*.h' '*.sh' '*.mk' '*Makefile' '*Kbuild'); do
	if ! head -n 3 "$file" | grep -q SPDX-License-Identifier; then
		echo "check-docs: $file has no SPDX license line" >&2
		bad=1
	fi
done
exit $bad
