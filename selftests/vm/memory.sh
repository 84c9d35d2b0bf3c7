#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the APIs' tests that need the module, under ASan and UBSan or under valgrind, in the x86-64
# VM; called by make test-memory.
#
# usage: memory.sh asan|valgrind [DIR|DIR/PROGRAM...]
#
# Reports about memory determine whether a program passes (complaints.sh), not its counts.  Under
# valgrind, definitely lost memory is also an error; scripts run without valgrind.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kind=$1
shift
[ $# -gt 0 ] || set -- cpc trace bpf

results=$(mktemp)
trap 'rm -f "$results"' EXIT
mkdir -p "$top/build/logs"
make_all() { make -C "$top" --no-print-directory -j"$(nproc)" "$@" >"$top/build/logs/$kind.log" 2>&1; }

"$top/scripts/setup.sh" build module tests check
make_all module lib tools tests
build=$top/build/x86_64
options='--memory 2048 --timeout 7200'
case $kind in
asan)
	make_all SAN=1 lib tools tests
	build=$top/build/x86_64-san
	runner=/tests/complaints.sh
	;;
valgrind)
	tools=/usr/libexec/valgrind
	options="$options --with /usr/bin/valgrind.bin:/usr/bin/valgrind"
	for file in memcheck-amd64-linux default.supp vgpreload_core-amd64-linux.so vgpreload_memcheck-amd64-linux.so; do
		options="$options --with $tools/$file:$tools/$file"
	done
	checks='--sim-hints=lax-ioctls --leak-check=full --errors-for-leak-kinds=definite'
	# valgrind needs the loader's symbols, which are in libc6-dbg.
	id=$(readelf -n /lib64/ld-linux-x86-64.so.2 | sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p')
	options="$options --with /usr/lib/debug/.build-id/$id.debug:/usr/lib/debug/.build-id/$id.debug"
	runner="/tests/complaints.sh valgrind -q $checks"
	;;
*)
	echo "usage: memory.sh asan|valgrind [DIR...]" >&2
	exit 2
	;;
esac
options="$options --with $here/complaints.sh:/tests/complaints.sh"
export VM_ENVIRONMENT="TEST_RUNNER='$runner'"
export VM_NAME="x86_64-$kind" VM_MODULE="$top/build/x86_64/vcpc.ko" VM_OPTIONS="$options" TEST_TIMEOUT=1800
"$here/test.sh" x86_64 "$build" "$results" "$@"
"$top/selftests/summary.sh" "$top/selftests/may-skip" "$results"
