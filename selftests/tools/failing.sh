#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If a system call fails in a command of tracing, the command has the same result as without the
# failure, or prints a message and exits with an error.  After a failed 'vcpc trace on', 'vcpc trace
# off' removes everything that remains.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
inject=${VCPC_INJECT:-$here/../fail/libinject.so}
[ -e "$inject" ] || { echo "1..0 # SKIP no $inject"; exit 4; }
# shellcheck source=selftests/fail/shared/commands.sh
. "$here/../fail/shared/commands.sh"
trap 'vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/wrong" learning='exports turns_on'
export LC_ALL=C FAIL_SECONDS=60 FAIL_POINTS="${FAIL_POINTS:-1}"
cd "$dir" || exit 1

pinned() {
	find /sys/fs/bpf -path '*/vcpc/*' 2>/dev/null | sort
}

vcpc trace on --events >log 2>&1 && orders 150 >log 2>&1
result "transactions to read"
sweep status reads vcpc trace status
sweep show reads vcpc trace show --hist
sweep top reads vcpc top --once -I 100ms

# Record new events before each run, because an export consumes them.
prepare() {
	vcpc trace export >log 2>&1
	pmtrace -q -e true once
	pmtrace -q -e true twice
}

# exports: check the number of names in an export, and its size, which varies because each run has
# other times
exports() {
	names=$(grep -a -o -e once -e twice out | wc -l)
	[ "$how" != none:0 ] || normal=$names size=$(wc -c <out)
	if [ "$status" = 0 ] && [ "$names" = "$normal" ] && [ "$(wc -c <out)" -gt $((size - 100)) ]; then return; fi
	said || wrong "no error, and $names names, not $normal"
}
sweep export exports vcpc trace export
# The other calls are the same.
all=$ways
[ "$FAIL_POINTS" != 1 ] || ways='memory write-short write-EINTR write-EIO write-TERM'
sweep perfetto exports vcpc trace export --format perfetto
ways=$all
vcpc trace off
vcpc trace on --function "$(command -v orders):main" >log 2>&1
prepare() {
	:
}
sweep functions reads vcpc trace functions
vcpc trace off

prepare() {
	vcpc trace off >log 2>&1
}

turns_on() {
	if [ "$how" = none:0 ]; then
		vcpc trace status >normal 2>&1
		pinned >normal.pins
		return
	fi
	if [ "$status" = 0 ]; then
		vcpc trace status >now 2>&1
		pinned >now.pins
		cmp -s now normal && cmp -s now.pins normal.pins || wrong "success, but tracing is in another state"
	else
		said || wrong "no message"
	fi
	vcpc trace off >now 2>&1
	[ -z "$(pinned)" ] || wrong "'vcpc trace off' leaves $(pinned | head -n 1): $(cat now)"
}
sweep on turns_on vcpc trace on --counts page-faults --events
# Most other calls are the same.
[ "$FAIL_POINTS" != 1 ] || ways='memory open-EMFILE open-EACCES map-ENOMEM read-EIO ioctl-EIO perf-EMFILE bpf-ENOMEM bpf-EPERM'
sweep function turns_on vcpc trace on --function "$(command -v orders):main"
ways=$all

prepare() {
	vcpc trace on >log 2>&1
}

turns_off() {
	if [ "$status" = 0 ]; then
		[ -z "$(pinned)" ] || wrong "success, but pins remain"
	else
		said || wrong "no message"
	fi
	vcpc trace off >now 2>&1
	[ -z "$(pinned)" ] || wrong "another 'vcpc trace off' leaves $(pinned | head -n 1): $(cat now)"
}
sweep off turns_off vcpc trace off
done_testing
