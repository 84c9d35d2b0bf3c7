#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without the module, or if the command makes no trace calls, vcpc record writes no archive and prints
# the reason.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off >/dev/null 2>&1; { insmod /vcpc.ko && chmod 666 /dev/vcpc; } 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out"
# Use only the module, because perf counts without it.
export SHIM_BACKEND=vcpc

[ ! -e /sys/module/vcpc ] || rmmod vcpc
result "the module is not loaded"
vcpc record --trace -o "$dir/a" -I 50ms sleep 1 >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'no program made a trace call' "$dir/err" && ! grep -q ' records' "$dir/err" &&
	! ls "$dir"/a.* >/dev/null 2>&1
result "nothing is recorded, the reason is printed, and no files remain"
vcpc record --trace -o "$dir/b" -I 50ms sh -c 'sleep 0.5; orders 150' >"$dir/out" 2>"$dir/err"
[ $? = 0 ] && said=$(sed -n 's/^vcpc record: \([0-9]*\) records.*/\1/p' "$dir/err") &&
	[ "$said" = "$(vcpc dump --records "$dir/b" | grep -c "^[0-9]")" ]
result "the number of records is printed"
done_testing
