#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Use host contexts on a private pmcd while system calls fail.  Each run must get the same answers
# as without a failure, or the failing call must return an error and succeed when it is repeated.
set -u

here=$(cd "$(dirname "$0")/../pcp" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
collector_place "$@"
evidence=$dir/log/pmcd/pmcd.log
export TZ=UTC FAIL_POINTS="${FAIL_POINTS:-6}"

# swept SPEC: run the program, and print its results with consecutive test numbers
swept() {
	"$dir/live" "$1" >"$dir/out"
	status=$?
	sed -n 's/^#/&/p' "$dir/out"
	grep -q '^ok ' "$dir/out" && [ $status = 0 ]
}

${CC:-cc} -D_GNU_SOURCE -I"$here/../../user/include" -I"$here/.." -o "$dir/live" "$here/../fail/peer/live.c" \
	"$here"/../fail/shared/sweep.c "$here"/../fail/shared/inject.c "$here"/../fail/shared/inject_calls.c -L"$build/lib" \
	-Wl,-rpath,"$(cd "$build/lib" && pwd)" -lshim >"$dir/errors" 2>&1 || cat "$dir/errors"
make_collector >"$dir/made" 2>&1 && start_collector
result "PCP's collector with its sample agents"
[ $tap_failed = 0 ] || done_testing
swept "unix:$dir/run/pmcd.socket"
result "over a UNIX socket each failure is without effect or reported"
swept 127.0.0.1
result "over TCP each failure is without effect or reported"
done_testing
