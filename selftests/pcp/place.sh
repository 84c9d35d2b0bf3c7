# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts to source: name spaces of the script's own, in which PCP's trace agent runs.
#
# The script has set "here" to its folder. It calls place first, then needs for what is not
# there everywhere, then begin_place; "described" can be called then.

# skip_all WHY: the whole script
skip_all() {
	echo "1..0 # SKIP $1"
	exit 4
}

# place network|tracing "$@": start again in a network of its own, with mounts of its own
# for tracing, which only root of the machine turns on
place() {
	place_kind=$1
	[ "${2:-}" != inside ] || return 0
	if [ "$place_kind" = network ]; then
		unshare -rn true 2>/dev/null || skip_all "no network name space to be had"
		exec unshare -rn "$0" inside
	fi
	[ "$(id -u)" = 0 ] && unshare -nm true 2>/dev/null || skip_all "needs root"
	exec unshare -nm "$0" inside
}

# needs FILE PACKAGES: of PCP's
needs() {
	[ -n "$1" ] && [ -e "$1" ] && [ -e /etc/pcp.env ] ||
		skip_all "no PCP to compare with: $2 are not installed"
	[ "$place_kind" = network ] || [ -e /sys/kernel/btf/vmlinux ] || [ -e /dev/vcpc ] ||
		skip_all "this kernel has no BTF"
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
	[ "$place_kind" != network ] || return 0
	evidence="$dir/errors $dir/live $dir/recorded"
	mount --make-rprivate / && mount -t bpf bpf /sys/fs/bpf
	way=probe
	[ ! -e /dev/vcpc ] || way=kernel
	metrics=$(sed -n 's/^	{ "\(trace\.[a-z_.]*\)".*/\1/p' "$here/../../user/shim/record_trace.c")
}

# described: each metric of trace.* in the archive $dir/a is as the agent has it
described() {
	for metric in $metrics; do
		pminfo -h 127.0.0.1 -md "$metric" | sed 's, *InDom:.*,,' >"$dir/live"
		pminfo -a "$dir/a" -md "$metric" | sed 's, *InDom:.*,,' >"$dir/recorded"
		grep -q 'Data Type' "$dir/live" && diff "$dir/live" "$dir/recorded" >&2 || return 1
	done
}
