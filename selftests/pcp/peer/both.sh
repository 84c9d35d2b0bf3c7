# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts that build one source with libshim and with PCP's own library.  The script must
# set "here" to its directory, and "build" to the build directory.

# The version of PCP to compare with: 6.3.8, 7.2.2, or "installed".  Programs are built with the
# installed headers, and run with the library of this version.
peer_version=${PCP_PEER:-6.3.8}
case $(dpkg-query -W -f '${Version}' libpcp3 2>/dev/null) in
"$peer_version"-*) peer_version=installed ;;
esac
peer=
[ "$peer_version" = installed ] || peer=$("$here/../../scripts/fetch-pcp.sh" "$peer_version" path) || exit

has_peer() { [ -z "$peer" ] || [ -e "$peer/.done" ]; }

# needs_pcp [HEADER [PACKAGE]]: skip the whole script if PCP or HEADER is missing
needs_pcp() {
	if [ ! -e "/usr/include/pcp/${1:-pmapi.h}" ] || ! command -v cc >/dev/null; then
		echo "1..0 # SKIP nothing to compare with: ${2:-libpcp3-dev} and a compiler are not installed"
		exit 4
	fi
	if ! has_peer; then
		echo "1..0 # SKIP PCP $peer_version is not installed: run scripts/fetch-pcp.sh $peer_version"
		exit 4
	fi
}

# cc_pcp ARGUMENT...: run the compiler with PCP's headers.  At run time, programs use the library of
# the selected version.
cc_pcp() {
	# shellcheck disable=SC2046
	cc -O1 "$@" -lpcp ${peer:+$(cat "$peer/ldflags")}
}

# cc_pcp_4 ARGUMENT...: run the compiler with the headers and the library of PMAPI version 4, which
# only the directory of 7.2.2 contains
cc_pcp_4() {
	# shellcheck disable=SC2046
	cc -O1 -DPMAPI_VERSION=4 -I"$peer/usr/include" "$@" "$(echo "$peer"/usr/lib/*-linux-gnu*/libpcp.so.4)" \
		$(cat "$peer/ldflags")
}

# run_pcp PROGRAM ARGUMENT...: run a program of the selected version of PCP
run_pcp() {
	if [ -n "$peer" ]; then "$peer/run" "$@"; else "$@"; fi
}

# own_version FILE...: replace the peer's version in its output with 6.3.8, which is ours
own_version() {
	[ "$peer_version" != 7.2.2 ] ||
		sed -i -e 's/^\(.*version:\{0,1\} \)7\.2\.2$/\16.3.8/' -e 's/^version 70202$/version 60308/' "$@"
}

# cc_shim ARGUMENT...: run the compiler with our headers and our library
cc_shim() {
	cc -O1 "$@" -I"$here/../../user/include" -L"$build/lib" \
		-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim -lm -lpthread
}

# trace_pair DIR: build the program that makes trace calls, as DIR/shim and DIR/pcp
trace_pair() {
	cc_shim -O2 -o "$1/shim" "$here/../pcp/peer/trace_calls.c"
	cc -O2 -o "$1/pcp" "$here/../pcp/peer/trace_calls.c" -lpcp_trace -lpcp -lpthread
}
