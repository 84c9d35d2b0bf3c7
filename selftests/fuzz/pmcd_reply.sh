#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz the replies of pmcd for 10 seconds, or FUZZ_SECONDS.  FUZZ_SEED=0 selects a random seed.  An
# input that causes a failure is stored in build/fuzz/pmcd_reply.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=libfuzzer.sh disable=SC2154
. "$here/libfuzzer.sh"

mkdir -p "$out/pmcd_reply"
# The fuzzer's function replaces recv(2) in the connection's code.
compile pmcd/pdu -Drecv=fuzz_recv "$top"/user/pdu/*.c
compile pmcd/base '' "$top"/user/base/*.c
# shellcheck disable=SC2086
clang $flags $sanitize -o "$out/fuzz-pmcd_reply" "$here/pmcd_reply.c" "$out"/pmcd/pdu/*.o "$out"/pmcd/base/*.o \
	-lpthread >"$out/pmcd.log" 2>&1 || it_does_not_build "$out/pmcd.log"

# seed NAME WORD...: write a seed that consists of a byte, which selects how the rest is split, and
# of the words in hexadecimal
seed() {
	file=$out/pmcd_reply/$1
	shift
	{
		printf '\000'
		for word; do
			# shellcheck disable=SC2059
			env printf "$(echo "$word" | sed 's/../\\x&/g')"	# the shell's own printf may not support \x
		done
	} >"$file"
}
seed error 00000010 00007000 00000000 ffffcfb3
seed result 00000034 00007001 00000000 00000000 00000000 00000001 01340001 00000001 00000000 00000001 00000005
seed block 00000038 00007001 00000000 00000000 00000000 00000001 01340001 00000001 00000001 00000000 0000000b 0300000c 00000000 00000005
seed instance 0000002c 00007007 00000000 01340001 00000002 00000001 00000001 617e7e7e 00000002 00000001 627e7e7e
seed names 00000028 0000700e 00000000 00000002 00000000 00000001 00000001 617e7e7e 00000000 00000001
seed desc 00000020 00007005 00000000 01340001 00000001 ffffffff 00000003 00100000
seed text 00000018 00007009 00000000 01340001 00000003 6162637e
seed label 00000030 00007013 00000000 01340001 00000001 00000000 00000001 ffffffff 00000000 00000030 00000000

fuzz pmcd_reply "${FUZZ_SECONDS:-10}" 10000 replies -timeout=5 -max_len=2000 -use_value_profile=1
