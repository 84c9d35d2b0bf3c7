#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# archive_threads.c, and the reader below it, under ThreadSanitizer.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
ksrc=${KSRC:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ksrc}
# shellcheck source=../tap.sh disable=SC2154,SC2034
. "$here/../tap.sh"
evidence=$dir/log

cc -g -O1 -std=gnu11 -D_GNU_SOURCE -w -fsanitize=thread -isystem "$ksrc/tools/testing/selftests" \
	-I"$top/user" -I"$top/user/include" -I"$top/include/uapi" -o "$dir/threads" "$here/archive_threads.c" \
	"$top"/user/base/*.c "$top"/user/archive/*.c "$top"/user/pcp/*.c -lz -lbz2 -llzma -lzstd -lm \
	-lpthread >"$dir/log" 2>&1
result "it builds"
# the sanitizer wants the addresses that an older kernel gave
run=
setarch -R true 2>/dev/null && run='setarch -R'
TSAN_OPTIONS='exitcode=66' $run "$dir/threads" >"$dir/log" 2>&1 && ! grep -q 'WARNING: ThreadSanitizer' "$dir/log"
result "eight threads, no race"
done_testing
