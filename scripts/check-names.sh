#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check that names are unique: fail if two files define the same non-static function, or the same struct, union or
# enum tag if one definition is in a header or the tag has a prefix of the project.  Other files may use the same
# static functions, and tags within a C file.  Also fail if two files of a directory have a static function with the
# same single word as its name, such as find(), because a profile or a backtrace does not show which one it is.
# Each file of tools/compat is a separate program.
#
# usage: check-names.sh [FILE...]
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || cd "$top"
# BPF programs repeat structs of the kernel, which the loader relocates; compile probes are separate programs.
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(find bpf include kmod tools user -name '*.[ch]' ! -path 'kmod/compat/have/*')

LC_ALL=C awk '
function define(name, shared,   key) {
	if (name in first && first[name] != FILENAME) {
		if (shared || is_shared[name]) {
			printf "%s:%d: %s is also defined in %s\n", FILENAME, FNR, name, first[name]
			found = 1
		}
	} else {
		first[name] = FILENAME
	}
	if (shared)
		is_shared[name] = 1
}

# A function begins in the first column and has no semicolon before its brace.
function end_head(   name) {
	name = head
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	if (name != "" && name != "main")
		define(name "()", 1)
	head = ""
}

# Report the second file of a directory with the same single word.
function single(name,   folder) {
	folder = FILENAME
	if (!sub(/\/[^\/]*$/, "", folder))
		folder = "."
	if ((folder, name, FILENAME) in seen)
		return
	seen[folder, name, FILENAME] = 1
	if (++singles[folder, name] > 1) {
		printf "%s:%d: %s() is static in another file of %s as well; add a noun to its name\n", FILENAME, FNR, name, folder
		found = 1
	}
}

FNR == 1 { head = "" }
/^static [a-zA-Z_0-9 *]*[ *][a-z0-9]+\(/ && !/;/ && FILENAME !~ /_test\.c$|^tools\/compat\// {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	single(name)
}
/^(struct|union|enum) [a-zA-Z_0-9]+ *(\{|$)/ {
	if ($2 !~ /___/ && $0 !~ /preserve_access_index/)
		define($1 " " $2, FILENAME ~ /\.h$/ || $2 ~ /^(shim|vcpc|vc|vw)_/)
	head = ""
	next
}
head == "" && /^[a-zA-Z_][a-zA-Z_0-9 *]*[ *][a-zA-Z_0-9]+\(/ && !/^(static|extern|typedef)|;/ { head = $0; next }
head != "" && /^\{/ { end_head(); next }
head != "" && /;|^[^ \t]/ { head = "" }
END { exit found }
' "$@"
