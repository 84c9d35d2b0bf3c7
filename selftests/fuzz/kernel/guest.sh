#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the fuzzer in its VM: set up its environment, and save its results.
#
# usage: guest.sh LIBFUZZER-OPTION...
set -u

chmod 755 /root
chmod 4755 /root/helper-root
# The module stops counting a process that executes an unreadable program.
cp /root/helper /root/helper-unreadable && chmod 111 /root/helper-unreadable
mkdir -p /out/corpus

cp /corpus/* /out/corpus/
# libFuzzer prints a line for each new input.  Print only one line per minute, and the last lines.
(while sleep 60; do tail -n 1 /out/fuzz.log; done) &
progress=$!
export FUZZ_TRAIL=/dev/vda FUZZ_COVERAGE=/out/coverage
/root/fuzz-kernel -max_len=384 -len_control=0 -timeout=120 -rss_limit_mb=700 -reload=0 -print_final_stats=1 \
	-artifact_prefix=/out/ "$@" >/out/fuzz.log 2>&1
status=$?
kill $progress
wait $progress 2>/dev/null
# Rename libFuzzer's warnings, because the console is searched for kernel warnings.
tail -n 80 /out/fuzz.log | sed 's/^WARNING: /libFuzzer: /'
exit $status
