# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts that run PCP's trace agent and tracing on one machine, a VM that
# selftests/vm/agent.sh has set up: PCP's settings, the agent's functions, TAP, and the transport.
#
# The script must set "here" to its directory.  Error output is written to $dir/errors.
[ -x "$here/trace_calls" ] || {
	echo "1..0 # SKIP only in the VM of selftests/vm/agent.sh"
	exit 4
}
# pcp.env sets variables, including "dir".
set +u
# shellcheck source=/dev/null
. /etc/pcp.env
set -u
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/agent.sh
. "$here/../pcp/agent.sh"
trap 'stop; rm -rf "$dir"' EXIT
exec 2>"$dir/errors"
evidence="$dir/errors $dir/live $dir/recorded"
way=probe
[ ! -e /dev/vcpc ] || way=kernel
metrics=$(sed -n 's/^	BOTH[_AS]*("\([a-z_.]*\)".*/trace.\1/p' "$here/live_trace.c")

# described: check that each trace.* metric in the archive $dir/a has the agent's descriptor
described() {
	for metric in $metrics; do
		pminfo -h 127.0.0.1 -md "$metric" | sed 's, *InDom:.*,,' >"$dir/live"
		pminfo -a "$dir/a" -md "$metric" | sed 's, *InDom:.*,,' >"$dir/recorded"
		grep -q 'Data Type' "$dir/live" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}
