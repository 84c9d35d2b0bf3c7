#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The files that "make install" copies suffice to build and run a program for each API.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
dest=$dir/root

# face NAME HEADER CALL: check that a program that includes HEADER and makes CALL runs
face() {
	printf '#include <%s>\n#include <stdio.h>\nint main(void) { %s; return 0; }\n' "$2" "$3" >"$dir/$1.c"
	# shellcheck disable=SC2046
	gcc -Wall -Werror $(pkg-config --define-prefix --cflags "$1") "$dir/$1.c" \
		$(pkg-config --define-prefix --libs "$1") -Wl,-rpath,"$dest/opt/lib" -o "$dir/$1" && "$dir/$1"
	result "$1: $2 compiles, links and runs"
}

DESTDIR=$dest PREFIX=/opt LIBDIR=/opt/lib JNIDIR=/opt/lib MODULE=no "$top/scripts/install.sh" install "$build" >/dev/null; result "files are installed into DESTDIR"
export PKG_CONFIG_PATH="$dest/opt/lib/pkgconfig" PKG_CONFIG_LIBDIR="$dest/opt/lib/pkgconfig"
[ "$(pkg-config --modversion libshim)" = "$(cat "$top/VERSION")" ]; result "pkg-config prints the version"
face libshim shim/shim.h 'puts(shim_version())'
face libshim-pcp pcp/pmapi.h 'return pmNewContext(PM_CONTEXT_ARCHIVE, "/nonexistent") >= 0'
face libshim-pcp7 pcp/pmapi.h 'struct timespec t; char *e; return pmParseInterval("1", &t, &e)'
face libshim-cpc libcpc.h 'return cpc_open(0) != NULL'
face libshim-aix pmapi.h 'return pm_stop_mythread() != Pmapi_NoInit'
face libshim-trace pcp/trace.h 'puts(pmtraceerrstr(PMTRACE_ERR_TAGNAME))'
for name in cpc pctx pmapi pcp pcp_import pcp_trace; do
	[ "$(readlink -f "$(pkg-config --define-prefix --variable=compatdir libshim-cpc)/lib$name.so")" = "$(readlink -f "$dest/opt/lib/libshim.so")" ]
	result "the link name $name leads to this library"
done
for page in cpc_buf_sub cpc_set_restart cpc_rele pctx_run; do
	grep -q . "$dest/opt/share/man/man3/$page.3" && [ -e "$dest/opt/share/man/$(sed -n 's/^\.so //p' "$dest/opt/share/man/man3/$page.3")" ]
	result "a manual page is named $page"
done
[ -x "$dest/opt/bin/vcpc" ] && LD_LIBRARY_PATH=$dest/opt/lib "$dest/opt/bin/vcpc" --version >/dev/null; result "vcpc runs"
# The guides' commands are found with the PATH that the guide prints.
printf '#!/bin/sh\nexit 0\n' >"$dir/server" && chmod 755 "$dir/server"
for guide in from-solaris from-aix; do
	{
		grep -E '^ {4}(export PATH|cputrack|pmlist|hpmcount) ?' "$top/Documentation/site/$guide.rst" |
			sed "s,=/usr/,=$dest/opt/,; s/^    cputrack/command -v cpustat \&\& &/"
	} >"$dir/typed"
	(cd "$dir" && PATH=/usr/bin:/bin LD_LIBRARY_PATH=$dest/opt/lib sh -eu ./typed) >"$dir/log" 2>&1
	[ $? = 0 ] && [ "$(wc -l <"$dir/typed")" -ge 2 ] && grep -q "$dest/opt/lib/vcpc/bin\|hpmcount\|Execution time" "$dir/log"
	result "$guide: commands are found as the guide describes"
done
pages=$(ls "$dest/opt/share/man/man3" "$dest/opt/share/man/man1")
missing=$(grep -o '^[[:space:]]*pm_[A-Za-z_]*;' "$top/user/libshim.map" | tr -d '[:space:]' | tr ';' '\n' |
	while read -r call; do echo "$pages" | grep -qx "$call.3" || echo "$call"; done)
[ -z "$missing" ] && [ "$(cat "$dest/opt/share/man/man3/pm_get_data_mx.3")" = ".so man3/libshim-aix.3" ]
result "each call of AIX has a page with its name"
done_testing
