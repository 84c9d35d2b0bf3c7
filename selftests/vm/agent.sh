#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the tests in selftests/agent in a VM of this machine's architecture, with PCP's trace agent.
# Tracing uses the module and then, after unloading it, probes.  Called by make test.
#
# usage: agent.sh BUILD RESULTS
#
# VM_NAME, VM_KERNEL and VM_MODULE in the environment select another kernel, as for test.sh.  The VM
# uses -icount, so a busy host does not affect the measured durations.
set -eu

build=$1 results=$2
here=$(cd "$(dirname "$0")" && pwd)
selftests=$(cd "$here/.." && pwd)
host=$(uname -m | sed 's/aarch64/arm64/')
name=${VM_NAME:-$host-vm}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

theirs=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's/.*libpcp_trace\.so\.2 .* => //p' | head -n 1)
if [ ! -e /etc/pcp.env ] || [ ! -e /usr/include/pcp/trace.h ] || [ -z "$theirs" ]; then
	echo "skip $name agent/command.sh pcp and libpcp-trace2-dev are not installed" >>"$results"
	exit 0
fi
set +eu
# shellcheck source=/dev/null
. /etc/pcp.env
set -eu
# shellcheck source=selftests/vm/pcp_files.sh
. "$here/pcp_files.sh"

(
	here=$selftests/pcp
	# shellcheck source=selftests/pcp/peer/both.sh
	. "$here/peer/both.sh"
	cc_shim -o "$out/trace_calls" "$here/peer/trace_calls.c"
	cc_shim -o "$out/trace_record" "$here/peer/trace_record.c"
	cc_shim -o "$out/odd_tags" "$here/peer/odd_tags.c"
	cc_shim -o "$out/many_tags" "$here/peer/many_tags.c"
	cc -O1 -o "$out/profiles" "$here/peer/profiles.c" -lpcp
	cc -O1 -o "$out/calls_pcp" "$here/peer/trace_calls.c" -lpcp_trace -lpcp -lpthread
	cc -O1 -o "$out/trace_both" "$here/peer/trace_both.c" -ldl
)

set --
for file in $pcp_files; do
	set -- "$@" --with "$file:$file"
done
programs=
for file in "$selftests"/agent/*.sh "$out"/*; do
	set -- "$@" --with "$file:/tests/agent/${file##*/}"
	case $file in */machine.sh) ;; *.sh) programs="$programs /tests/agent/${file##*/}" ;; esac
done
set -- "$@" --with "$selftests/tap.sh:/tests/tap.sh" --with "$selftests/run-tests.sh:/tests/run-tests.sh" \
	--with "$selftests/pcp/agent.sh:/tests/pcp/agent.sh" --with "$build/bin/vcpc:/usr/bin/vcpc" \
	--with "$theirs:/usr/lib/${theirs##*/}" --program bpftool --program join --program xz \
	--with "$selftests/../user/live/trace.c:/tests/agent/live_trace.c" \
	--with "$selftests/pcp/with_agent.sh:/tests/pcp/with_agent.sh" --with /usr/bin/pmstore:/usr/bin/pmstore --program setpriv
if [ -x "$build/bin/pmdavcpc" ]; then
	set -- "$@" --with "$build/bin/pmdavcpc:/tests/bin/pmdavcpc"
else
	programs=$(echo "$programs" | sed 's,/tests/agent/pmda.sh,,')
	echo "skip $name agent/pmda.sh no agent: libpcp-pmda3-dev was not installed" >>"$results"
fi

tests="TEST_TIMEOUT=900 sh /tests/run-tests.sh /out/results $name $programs"
echo "$name, PCP's agent, through the module, then through probes:"
status=0
"$here/run" --arch "$host" ${VM_KERNEL:+--kernel "$VM_KERNEL"} --icount --cpus 1 --timeout 3000 \
	--module "${VM_MODULE:-$build/vcpc.ko}" --libs "$build/lib" --out "$out/out" "$@" \
	-- "$pcp_names; $tests; rmmod vcpc; $tests" || status=$?
[ ! -e "$out/out/results" ] || cat "$out/out/results" >>"$results"
[ $status = 0 ] || echo "fail $name vm/agent the VM ended with status $status (above)" >>"$results"
