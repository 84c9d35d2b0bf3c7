# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts: separate namespaces in which PCP's trace agent runs.
#
# The script has set "here" to its folder.  It calls place first, then needs for optional programs,
# then begin_place.

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
