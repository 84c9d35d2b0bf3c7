#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare a transaction through the module with a transaction that PCP's own library sends to PCP's
# agent, in one x86-64 VM; called by make bench.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$top/build/x86_64
if [ "$(uname -m)" != x86_64 ] || [ ! -e /usr/include/pcp/trace.h ] || [ ! -e /etc/pcp.env ]; then
	echo "bench: needs an x86-64 machine with pcp and libpcp-trace2-dev"
	exit 0
fi
set +eu
# shellcheck source=/dev/null
. /etc/pcp.env
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/../pcp/peer/both.sh"
trace_pair "$dir"

# shellcheck source=selftests/vm/pcp_files.sh
. "$here/../vm/pcp_files.sh"
set --
for file in $pcp_files; do
	set -- "$@" --with "$file:$file"
done
"$top/selftests/vm/run" --arch x86_64 --module "$build/vcpc.ko" --libs "$build/lib" --timeout 900 "$@" \
	--with "$build/bin/vcpc:/usr/bin/vcpc" --with "$dir/shim:/bench/bench/shim" --with "$dir/pcp:/bench/bench/pcp" \
	--with "$here/trace_agent.sh:/bench/bench/trace_agent.sh" --with "$here/../pcp/agent.sh:/bench/pcp/agent.sh" \
	-- "$pcp_names; sh /bench/bench/trace_agent.sh guest"
