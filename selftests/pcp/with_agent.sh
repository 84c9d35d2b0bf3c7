# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts: start and stop pmdavcpc under a private pmcd.
#
# The script must have sourced place.sh, and must call begin_agent "$@" first.  "agent_by" is a
# command, followed by a blank, that runs the agent of domain 450.  "agent_window" is the number of
# seconds for which sampled traced values stay valid.  VCPC_AGENT replaces the built agent with one
# that has AddressSanitizer and UBSan; agent_done checks for their reports.
collector='' agent_by='' agent_window=0.01 pmdavcpc=${VCPC_AGENT:-$build/bin/pmdavcpc} pmcd_access='allow "*" : all;'

# Stay root if possible, because counting on CPUs is not permitted in a user namespace.
begin_agent() {
	if [ "${1:-}" != inside ] && unshare -mn true 2>/dev/null; then
		exec unshare -mn "$0" inside
	fi
	place "$@"
	set +u
	# shellcheck source=/dev/null
	[ ! -e /etc/pcp.env ] || . /etc/pcp.env
	set -u
	needs "${PCP_BINADM_DIR:-}/pmcd" pcp
	[ -x "$pmdavcpc" ] || skip_all "no agent: libpcp-pmda3-dev was not installed"
	# shellcheck source=selftests/tap.sh
	. "$here/../tap.sh"
	trap 'stop; rm -rf "$dir"' EXIT
	exec 2>"$dir/errors"
	evidence="$dir/errors $dir/log/pmcd/pmcd.log $dir/log/pmcd/vcpc.log"
	ip link set lo up
	unset PMCD_PORT PMCD_SOCKET PMPROXY_HOST
	[ -z "${VCPC_AGENT:-}" ] || export ASAN_OPTIONS="detect_leaks=0:quarantine_size_mb=8:log_path=$dir/sanitizer" \
		UBSAN_OPTIONS="print_stacktrace=1:log_path=$dir/sanitizer"
	export PCP_RUN_DIR="$dir/run" PCP_LOG_DIR="$dir/log" PCP_DERIVED_CONFIG='' VCPC_CONFIG="$dir/vcpc.conf"
}

stop() {
	[ -n "$collector" ] || return 0
	kill "$collector" 2>/dev/null
	wait "$collector" 2>/dev/null
	collector=
}

agent_pid() {
	for stat in /proc/[0-9]*/stat; do
		awk -v parent="$collector" '$2 == "(pmdavcpc)" && $4 == parent { print $1 }' "$stat" 2>/dev/null
	done
}

# agent_done: end a script's tests, and check for reports of sanitizers if the agent was built with
# them
agent_done() {
	if [ -n "${VCPC_AGENT:-}" ]; then
		stop
		! grep -s . "$dir"/sanitizer.* >&2
		result "the agent's sanitizers find nothing"
	fi
	done_testing
}

# Create the name space, whose names the agent itself prints.
make_names() {
	mkdir -p "$dir/pmns" "$dir/run" "$dir/log/pmcd" && cd "$dir/pmns" || return 1
	"$pmdavcpc" -c "$VCPC_CONFIG" -N >vcpc.pmns || return 1
	"$pmdavcpc" -t -N >trace.pmns || return 1
	printf 'root { vcpc }\n#include "vcpc.pmns"\n' >root_vcpc
	printf 'root { trace }\n#include "trace.pmns"\n' >root_trace
	"$PCP_BINADM_DIR/pmnsmerge" -f "$PCP_VAR_DIR/pmns/root_pmcd" root_vcpc root_trace root
}

answers() {
	tries=0
	until pminfo -h 127.0.0.1 -f vcpc.control.module 2>/dev/null | grep -q 'value [01]$'; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] && kill -0 "$collector" || return 1
		sleep 0.05
	done
}

start() {
	{
		printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\n' "$PCP_PMDAS_DIR"
		printf 'vcpc\t450\tpipe\tbinary\t%s%s -d 450 -T %s -c %s -l %s/log/pmcd/vcpc.log\n' \
			"$agent_by" "$pmdavcpc" "$agent_window" "$VCPC_CONFIG" "$dir"
		printf 'trace\t10\tpipe\tbinary\t%s -t -l %s/log/pmcd/trace.log\n' \
			"$pmdavcpc" "$dir"
		printf '[access]\n%s\n' "$pmcd_access"
	} >"$dir/pmcd.conf"
	env -u TZ "$PCP_BINADM_DIR/pmcd" -f -A -i 127.0.0.1 -p 44321 -s "$dir/run/pmcd.socket" \
		-c "$dir/pmcd.conf" -l "$dir/log/pmcd/pmcd.log" -n "$dir/pmns/root" \
		-U root -x "$dir/log/pmcd/fatal" >/dev/null 2>&1 &
	collector=$!
	answers
}
