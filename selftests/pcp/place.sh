# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts to source: name spaces of the script's own, in which PCP's trace agent runs.
#
# The script has set "here" to its folder. It calls place first, then needs for what is not
# there everywhere, then begin_place.

# skip_all WHY: the whole script
skip_all() {
	echo "1..0 # SKIP $1"
	exit 4
}

# place "$@": start again in a network of its own
place() {
	[ "${1:-}" != inside ] || return 0
	unshare -rn true 2>/dev/null || skip_all "no network name space to be had"
	exec unshare -rn "$0" inside
}

# needs FILE PACKAGES: of PCP's
needs() {
	[ -n "$1" ] && [ -e "$1" ] && [ -e /etc/pcp.env ] ||
		skip_all "no PCP to compare with: $2 are not installed"
}

# begin_place: PCP's names, the agent's functions, TAP; what goes wrong is in $dir/errors
begin_place() {
	# It sets names of its own, "dir" among them.
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
