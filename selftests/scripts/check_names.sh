#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/check-names.sh finds a function or a shared struct tag that two files define, and accepts static ones.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/log

# found FILE...: check that the last file is reported
found() { ! "$top/scripts/check-names.sh" "$@" >"$dir/log" 2>&1 && eval "grep -q \"^\${$#}:[0-9]*: \" \"\$dir/log\""; }
clean() { "$top/scripts/check-names.sh" "$@" >"$dir/log" 2>&1 && [ ! -s "$dir/log" ]; }

cd "$dir" || exit
printf 'struct thing {\n};\n\nchar *take(int x,\n\t   int y)\n{\n}\n\nstatic void add(void)\n{\n}\n' >one.c
printf 'char *take(int x, int y);\n\nstruct thing {\n};\n\nstatic char *take(int x)\n{\n}\n\nvoid add(void)\n{\n}\n' >static.c
printf 'struct thing {\n};\n' >thing.h
printf 'int take(void)\n{\n}\n' >take.c
printf 'struct vcpc_thing {\n};\n' >prefix.c
cp prefix.c prefix_2.c
for file in room/first room/second other/third; do
	mkdir -p "${file%/*}" && printf 'static int find(const char *name);\n\nstatic int find(const char *name)\n{\n}\n' >"$file.c"
done
clean one.c static.c; result "accepts static functions, declarations, and tags that one file uses"
found one.c take.c; result "two functions with one name"
found one.c thing.h; result "a tag of a file that a header also defines"
found thing.h one.c; result "... in the other order"
found prefix.c prefix_2.c; result "a tag with the project's prefix in two files"
clean room/first.c other/third.c; result "accepts a static function of one word in files of two directories"
found room/first.c room/second.c; result "... but not in two files of one directory"
clean; result "the project's files"
done_testing
