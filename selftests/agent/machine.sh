# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts to source that run PCP's trace agent and tracing on one machine, a VM that
# selftests/vm/agent.sh has set up: PCP's names, the agent's functions, TAP, and the way.
#
# The script has set "here" to its folder.  What goes wrong is in $dir/errors.
[ -x "$here/trace_calls" ] || {
	echo "1..0 # SKIP only in the VM of selftests/vm/agent.sh"
	exit 4
}
# It sets names of its own, "dir" among them.
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

# described: each metric of trace.* in the archive $dir/a is as the agent has it
described() {
	for metric in $metrics; do
		pminfo -h 127.0.0.1 -md "$metric" | sed 's, *InDom:.*,,' >"$dir/live"
		pminfo -a "$dir/a" -md "$metric" | sed 's, *InDom:.*,,' >"$dir/recorded"
		grep -q 'Data Type' "$dir/live" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}
