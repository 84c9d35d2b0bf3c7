# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts to source that build one source against libshim and against PCP's own
# library; "here" is the script's folder, "build" that of what was built.

# needs_pcp [HEADER [PACKAGE]]: or the whole script is skipped
needs_pcp() {
	[ ! -e "/usr/include/pcp/${1:-pmapi.h}" ] || ! command -v cc >/dev/null || return 0
	echo "1..0 # SKIP no PCP to compare with: ${2:-libpcp3-dev} and a compiler are not installed"
	exit 4
}

# cc_shim ARGUMENT...: the compiler, with our headers and our library
cc_shim() {
	cc -O1 "$@" -I"$here/../../user/include" -L"$build/lib" \
		-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lm -lpthread
}

# trace_pair DIR: the program that makes trace calls, as DIR/shim and DIR/pcp
trace_pair() {
	cc_shim -O2 -o "$1/shim" "$here/../pcp/peer/trace_calls.c"
	cc -O2 -o "$1/pcp" "$here/../pcp/peer/trace_calls.c" -lpcp_trace -lpcp -lpthread
}
