# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts: separate namespaces in which PCP's trace agent runs.
#
# The script has set "here" to its directory.  It calls place first, then needs for optional programs,
# then begin_place; or only collector_place.

# skip_all WHY: skip the whole script
skip_all() {
	echo "1..0 # SKIP $1"
	exit 4
}

# place "$@": restart the script in a separate network namespace
place() {
	[ "${1:-}" != inside ] || return 0
	unshare -rn true 2>/dev/null || skip_all "no network name space to be had"
	exec unshare -rn "$0" inside
}

# needs FILE PACKAGES: skip unless PCP's FILE is installed
needs() {
	[ -n "$1" ] && [ -e "$1" ] && [ -e /etc/pcp.env ] ||
		skip_all "no PCP to compare with: $2 are not installed"
}

# begin_place: load PCP's settings, the agent's functions and TAP; error output is in $dir/errors
begin_place() {
	# It sets variables, including "dir".
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

# collector_place "$@": a separate network namespace with PCP's settings, the functions of
# collector.sh, and TAP; variables that would change how clients connect are unset
collector_place() {
	place "$@"
	set +u
	# shellcheck source=/dev/null
	[ ! -e /etc/pcp.env ] || . /etc/pcp.env
	set -u
	needs "${PCP_BINADM_DIR:-}/pmcd" pcp
	needs "$PCP_PMDAS_DIR/sample/pmdasample" "pcp's sample agent"
	# shellcheck source=selftests/tap.sh
	. "$here/../tap.sh"
	# shellcheck source=selftests/pcp/collector.sh
	. "$here/collector.sh"
	trap 'stop_collector; rm -rf "$dir"' EXIT
	ip link set lo up
	unset PMCD_PORT PMCD_SOCKET PMPROXY_HOST PCP_CONTAINER PCP_SECURE_SOCKETS PMCD_CONNECT_TIMEOUT PMCD_REQUEST_TIMEOUT
	export PMCD_RECONNECT_TIMEOUT=1
}
