#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz the replies of a trace agent for 20 seconds, or FUZZ_SECONDS.  FUZZ_SEED=0 selects
# a random seed.  An input that causes a failure is stored in build/fuzz/trace_reply.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=libfuzzer.sh disable=SC2154
. "$here/libfuzzer.sh"

# The fuzzer's functions replace these system calls of the library.
renamed=
for call in socket setsockopt getsockopt connect poll recv send close fstat clock_gettime \
	getaddrinfo freeaddrinfo; do
	renamed="$renamed -D$call=fuzz_$call"
done
mkdir -p "$out/trace_reply"
set --
for file in agent env link process say; do
	set -- "$@" "$top/user/trace/$file.c"
done
compile agent/trace "$renamed" "$@"
compile agent/base '' "$top"/user/base/*.c
# shellcheck disable=SC2086
clang $flags $sanitize -o "$out/fuzz-trace_reply" "$here/trace_reply.c" "$out"/agent/trace/*.o "$out"/agent/base/*.o \
	-lpthread >"$out/agent.log" 2>&1 || it_does_not_build "$out/agent.log"

export PCP_TRACE_HOST=agent
fuzz trace_reply "${FUZZ_SECONDS:-20}" 10000 connections -timeout=5 -max_len=2000 -use_value_profile=1
