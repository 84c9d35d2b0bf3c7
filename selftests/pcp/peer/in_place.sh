# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts: link our objects in place of PCP's libraries.  "dir" must be a scratch
# directory.

# versions LIBRARY: print "VERSION SYMBOL..." for each of the library's versions, with the symbols
# in $dir/our_symbols
versions() {
	nm -D --defined-only "$1" | awk 'NR == FNR { ours[$1]; next } { n = split($3, part, /@+/) } n == 2 && part[2] ~ /^PCP_/ {
		all[part[2]] = all[part[2]] (part[1] in ours ? " " part[1] ";" : "")
	} END { for (version in all) print version all[version] }' "$dir/our_symbols" - | sort -V
}

# map LIBRARY...: print a linker version script with all versions of the libraries
map() {
	printf 'LOCALS { local: *; };\n'
	for library; do
		versions "$library" | awk '{
			version = $1
			$1 = ""
			print version " {" ($0 ? " global:" $0 : "") " } " before ";"
			before = version
		}'
	done
}

# link_in_place FOLDER OBJECTS LIBPCP LIBPCP_IMPORT: link OBJECTS as these libraries, with the same
# names and symbol versions
link_in_place() {
	nm -g --defined-only "$2" | awk 'NF == 3 { print $3 }' >"$dir/our_symbols"
	map "$3" "$4" >"$dir/map"
	cc -shared -Wl,-soname,"${3##*/}" -Wl,--version-script="$dir/map" -Wl,--whole-archive "$2" -Wl,--no-whole-archive \
		-lbpf -lelf -lz -lbz2 -llzma -lzstd -lm -lpthread -o "$1/${3##*/}" &&
		cc -shared -Wl,-soname,"${4##*/}" -Wl,--no-as-needed -L"$1" -l:"${3##*/}" -x c /dev/null -o "$1/${4##*/}"
}

# new_names: print "OURS NAME" for each symbol that has another name in PMAPI version 4.  Another
# function that has this name in version 2 is renamed to end in _v2.
new_names() {
	printf '#include <pcp/%s.h>\n' pmapi import libpcp | cc -E -P -DPMAPI_VERSION=4 -I"$here/../../user/include" -x c - |
		tr '\n;' ' \n' | sed -nE 's/.*\W(pm\w+) *(\(.*\)|) *__asm__ *\( *(""|) *"(pm\w+)" *\).*/\4 \1/p' |
		awk '$2 !~ /_v2$/ && $2 !~ /^pmtime/ { to[$1] = $2; taken[$2] }
			END { for (name in to) print name, to[name]; for (name in taken) if (!(name in to)) print name, name "_v2" }'
}

# version_4 OBJECT: combine all our objects in one, with the names of PMAPI version 4
version_4() {
	new_names >"$dir/names" && ld -r -o "$1" --whole-archive "$build/lib/libshim.a" &&
		objcopy --redefine-syms="$dir/names" "$1"
}
