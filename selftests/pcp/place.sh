# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts that run PCP's trace agent in separate namespaces.
#
# The script must set "here" to its directory.  It must call place, then needs for optional
# programs, then begin_place. Alternatively, it calls only collector_place.

# skip_all WHY: skip the whole script
skip_all() {
	echo "1..0 # SKIP $1"
	exit 4
}

# place "$@": restart the script in a separate network namespace
place() {
	[ "${1:-}" != inside ] || return 0
	unshare -rn true 2>/dev/null || skip_all "no network namespace is possible"
	exec unshare -rn "$0" inside
}

# needs FILE PACKAGES: skip unless PCP's FILE is installed
needs() {
	[ -n "$1" ] && [ -e "$1" ] && [ -e /etc/pcp.env ] ||
		skip_all "nothing to compare with: $2 are not installed"
}

# begin_place: load PCP's settings, the agent's functions and TAP; write error output to $dir/errors
begin_place() {
	# pcp.env refers to unset variables, and sets some, including "dir".
	set +u
	# shellcheck source=/dev/null
	. /etc/pcp.env
	set -u
	# shellcheck source=selftests/tap.sh
	. "$here/../tap.sh"
	# shellcheck source=selftests/pcp/agent.sh
	. "$here/agent.sh"
	trap 'stop; rm -rf "$dir"' EXIT
	exec 2>"$dir/errors"
	ip link set lo up
	evidence=$dir/errors
}

# collector_place "$@": restart the script in a separate network namespace with PCP's settings, load
# collector.sh and TAP, and unset variables that affect how clients connect
collector_place() {
	place "$@"
	set +u
	# shellcheck source=/dev/null
	[ ! -e /etc/pcp.env ] || . /etc/pcp.env
	set -u
	needs "${PCP_BINADM_DIR:-}/pmcd" pcp
	needs "$PCP_PMDAS_DIR/sample/pmdasample" "PCP's sample agent"
	# shellcheck source=selftests/tap.sh
	. "$here/../tap.sh"
	# shellcheck source=selftests/pcp/collector.sh
	. "$here/collector.sh"
	trap 'stop_collector; rm -rf "$dir"' EXIT
	ip link set lo up
	unset PMCD_PORT PMCD_SOCKET PMPROXY_HOST PCP_CONTAINER PCP_SECURE_SOCKETS PMCD_CONNECT_TIMEOUT PMCD_REQUEST_TIMEOUT
	export PMCD_RECONNECT_TIMEOUT=1
}
