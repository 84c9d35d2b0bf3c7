#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A transaction by the module beside one by PCP's own library to PCP's own agent, all in
# one x86-64 VM; called by make bench.
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

# What is told by name is found by following its links.
set --
for file in "$PCP_BINADM_DIR/pmcd" "$PCP_BINADM_DIR/pmnsmerge" "$PCP_BINADM_DIR/pmcpp" "$PCP_VAR_DIR/pmns/root_pmcd" \
	"$PCP_PMDAS_DIR/trace/pmdatrace" "$PCP_PMDAS_DIR/trace/pmns" "$PCP_PMDAS_DIR/trace/root" "$PCP_PMDAS_DIR/pmcd/pmda_pmcd.so" \
	"$PCP_PMDAS_DIR/pmcd/help.dir" "$PCP_PMDAS_DIR/pmcd/help.pag" /etc/pcp.env /etc/pcp.conf /usr/bin/pminfo; do
	set -- "$@" --with "$file:$file"
done
# shellcheck disable=SC2016 # the guest's name
names='echo 127.0.0.1 localhost "$(hostname)" >/etc/hosts; echo hosts: files >/etc/nsswitch.conf'
"$top/selftests/vm/run" --arch x86_64 --module "$build/vcpc.ko" --libs "$build/lib" --timeout 900 "$@" \
	--with "$build/bin/vcpc:/usr/bin/vcpc" --with "$dir/shim:/bench/bench/shim" --with "$dir/pcp:/bench/bench/pcp" \
	--with "$here/trace_agent.sh:/bench/bench/trace_agent.sh" --with "$here/../pcp/agent.sh:/bench/pcp/agent.sh" \
	-- "$names; sh /bench/bench/trace_agent.sh guest"
