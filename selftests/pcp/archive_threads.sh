#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run archive_threads.c and growing.c, and the archive reader, under ThreadSanitizer.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
ksrc=${KSRC:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ksrc}
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
evidence=$dir/log
# The reader is linked with the code of local contexts, which is not instrumented, because archives
# do not use it.
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}

# ThreadSanitizer fails if addresses are randomized as widely as newer kernels do.
run=
setarch -R true 2>/dev/null && run='setarch -R'

# race PROGRAM WHAT: run PROGRAM under ThreadSanitizer, and report its result as WHAT
race() {
	cc -g -O1 -std=gnu11 -D_GNU_SOURCE -w -fsanitize=thread -isystem "$ksrc/tools/testing/selftests" \
		-I"$top/user" -I"$top/user/include" -I"$top/include/uapi" -o "$dir/$1" "$here/$1.c" \
		"$dir/reader.o" "$build/lib/libshim-live.a" -lbpf -lelf -lz -lbz2 -llzma -lzstd -lm -lpthread >"$dir/log" 2>&1 &&
	TSAN_OPTIONS='exitcode=66' $run "$dir/$1" >"$dir/log" 2>&1 && ! grep -q 'WARNING: ThreadSanitizer' "$dir/log"
	result "$2"
}

# Compile relative to the checkout, to find objects that another checkout has cached.
export CCACHE_DIR="${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ccache}" CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$top"
compiler=$(command -v ccache || :)

build_reader() (
	cd "$top" || exit
	for room in base archive pdu pcp; do
		mkdir -p "$dir/objects/$room"
		for file in user/"$room"/*.c; do
			$compiler cc -g -O1 -std=gnu11 -D_GNU_SOURCE -DPM_NO_TIME_CHECKS -w -fsanitize=thread -c -Iuser -Iuser/include \
				-Iinclude/uapi -o "$dir/objects/$room/$(basename "$file" .c).o" "$file" || exit
		done
	done
	ld -r -o "$dir/reader.o" "$dir"/objects/*/*.o
)

build_reader >"$dir/log" 2>&1
result "it builds"
race archive_threads "eight threads, no race"
race growing "four threads that follow a writer, no race"
done_testing
