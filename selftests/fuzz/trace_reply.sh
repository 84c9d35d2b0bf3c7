#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz what a trace agent answers: for 20 seconds, or FUZZ_SECONDS.  FUZZ_SEED=0 goes
# another way each time.  An input that breaks something is left in build/fuzz/trace_reply.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
out=$top/build/fuzz
corpus=$out/trace_reply
seconds=${FUZZ_SECONDS:-20}

if ! echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p && n; }' |
	clang -x c -fsanitize=fuzzer -o /dev/null - 2>/dev/null; then
	echo "1..0 # SKIP no libFuzzer: clang and libclang-rt-14-dev are not installed"
	exit 4
fi

# The library's calls of the system go to the fuzzer's.
renamed=
for call in socket setsockopt getsockopt connect poll recv send close fstat clock_gettime \
	getaddrinfo freeaddrinfo; do
	renamed="$renamed -D$call=fuzz_$call"
done
mkdir -p "$corpus" "$out/trace"
flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -w -I$top/user -I$top -I$top/user/include -I$top/include/uapi"
sanitize=-fsanitize=address,undefined,fuzzer
# shellcheck disable=SC2086
for file in agent env err link pdu process say; do
	clang $flags $renamed $sanitize -fno-sanitize-recover=undefined -c \
		-o "$out/trace/$file.o" "$top/user/trace/$file.c" || exit 1
done >"$out/trace.log" 2>&1 || { sed 's/^/# /' "$out/trace.log" | tail -n 20; printf '1..1\nnot ok 1 - it builds\n'; exit 1; }
# shellcheck disable=SC2086
if ! clang $flags $sanitize -o "$out/fuzz-trace-reply" "$here/trace_reply.c" "$out"/trace/*.o \
	"$top"/user/base/*.c -lpthread >"$out/trace.log" 2>&1; then
	sed 's/^/# /' "$out/trace.log" | tail -n 20
	printf '1..1\nnot ok 1 - it builds\n'
	exit 1
fi

PCP_TRACE_HOST=agent nice "$out/fuzz-trace-reply" -seed="${FUZZ_SEED:-1}" \
	-max_total_time="$seconds" -timeout=5 -max_len=2000 -use_value_profile=1 -print_final_stats=1 \
	-artifact_prefix="$corpus/" "$corpus" >"$out/trace_reply.log" 2>&1
status=$?
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/trace_reply.log")
if [ $status = 0 ] && [ "${runs:-0}" -gt 10000 ]; then
	echo "ok 1 - $runs connections in $seconds s"
else
	tail -n 40 "$out/trace_reply.log" | sed 's/^/# /'
	echo "not ok 1 - ${runs:-no} connections in $seconds s"
fi
echo "1..1"
exit $status
