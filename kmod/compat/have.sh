#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Detect the kernel's interfaces: compile each file of have/ and print "#define HAVE_NAME 1"
# for each one that compiles.  Run by kmod/Kbuild.
#
# usage: have.sh RELEASE COMPILER [FLAG...]
set -eu

here=$(dirname "$0")
release=$1
shift

# compiles FILE COMMAND...: check the syntax of a C file; errors go to standard error
compiles() {
	file=$1
	shift
	"$@" -Werror -fsyntax-only -x c "$file"
}

# Stop if even an empty file does not compile, because then all results would be wrong.
echo '#include <linux/module.h>' | compiles - "$@" || {
	echo "vcpc: this compiler cannot use the headers of Linux $release (above)" >&2
	exit 1
}

echo "/* made by have.sh for Linux $release */"
for file in "$here"/have/*.c; do
	name=$(basename "$file" .c | tr '[:lower:]' '[:upper:]')
	if compiles "$file" "$@" 2>/dev/null; then
		echo "#define HAVE_$name 1"
	fi
done
