#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the commands at limits of the system: each run has the same result as without the limit, or a
# non-zero exit status and a message.
#
# All runs are in one user namespace, in which the script may mount file systems, so "vcpc doctor"
# finds the same permissions with and without a limit.
set -u

[ -n "${LIMITS_INSIDE:-}" ] || ! unshare -rm mount -t tmpfs tmpfs /tmp 2>/dev/null ||
	LIMITS_INSIDE=1 exec unshare -rm "$0" "$@"
here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC PCP_DERIVED_CONFIG='' LC_ALL=C
vcpc=$(cd "$build/bin" && pwd)/vcpc inject=$build/lib/libinject.so
evidence="$dir/wrong $dir/said"
[ -e "$inject" ] || { echo "1..0 # SKIP no $inject"; exit 4; }
inject=$(cd "$build/lib" && pwd)/libinject.so
# Set this because the loader cannot use the program's path without /proc.
export LD_LIBRARY_PATH="${inject%/*}"
cd "$dir" || exit 1

# Each of these functions runs a command with a limit.
no_input() { "$@" <&-; }
no_output() { "$@" >&-; }
full_output() { "$@" >/dev/full; }
broken_pipe() {
	(trap '' PIPE; sleep 0.05; "$@"; echo $? >ended) | true
	return "$(cat ended)"
}
signals() { env INJECT=signals:0 LD_PRELOAD="$inject" "$@"; }
# hide DIRECTORY OPTIONS COMMAND...: mount an empty file system on DIRECTORY and, if OPTIONS limit
# its size, fill it.  The command can still use the current directory.
hide() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o "$2" tmpfs "$1" || exit
		case $2 in size*) cat /dev/zero >"$1/filler" 2>&-; esac
		shift 2 && exec "$@"' sh "$@"
}
read_only_tmp() { hide /tmp ro "$@"; }
full_tmp() { hide /tmp size=64k "$@"; }
no_proc() { hide /proc ro "$@"; }
no_sys() { hide /sys ro "$@"; }
limits='no_input no_output full_output broken_pipe signals'
if [ -n "${LIMITS_INSIDE:-}" ]; then
	limits="$limits read_only_tmp full_tmp no_proc no_sys"
else
	skip "/tmp read-only or full, no /proc, no /sys" "no name space of its own for mounts"
fi

# Print the results of a command: its standard output, and the files that it writes.
results() {
	cat out
	[ ! -e page ] || cat page
	for meta in rec/*.meta rec.meta; do
		[ ! -e "$meta" ] || "$vcpc" check "${meta%.meta}" 2>&1
	done
}

run() {
	rm -rf rec rec.* page
	status=0
	"$@" >out 2>said || status=$?
	results >now
}

# Check that each line of doctor's output is the same as without a limit, or belongs to a check
# without a result.
doubts() {
	awk 'NR == FNR { usual[$0]; next } /^[^ ]/ { doubt = / unknown: / } !($0 in usual) && !doubt { exit 1 }' usual now
}

# limited NAME COMMAND...: run a command with each limit
limited() {
	name=$1
	shift
	run "$@"
	expected=$status
	cp now usual
	: >wrong
	for limit in $limits; do
		run $limit "$@"
		[ "$status" != "$expected" ] || ! cmp -s now usual || continue
		[ "$status" = 0 ] || [ "$status" -gt 127 ] || [ ! -s said ] || continue
		[ "$name" = doctor ] && [ "$status" = "$expected" ] && doubts && continue
		echo "$limit: status $status, not $expected: $(tail -n 1 said)" >>wrong
	done
	[ ! -s wrong ]
	result "$name: the same or reported, with each limit"
}

"$vcpc" record -e page-faults,context-switches -I 20ms -o a -- sleep 0.3 2>said &&
	"$vcpc" record -e page-faults,context-switches -I 20ms -o b -- sleep 0.2 2>said &&
	for file in 0 meta index; do cp a.$file packed.$file; done && gzip packed.meta packed.0
result "archives to read"
limited dump "$vcpc" dump --all a
limited check "$vcpc" check a
limited damaged "$vcpc" check absent
limited label "$vcpc" label a
limited summary "$vcpc" summary a
limited replay "$vcpc" replay a
limited packed "$vcpc" replay packed
limited report "$vcpc" report a -o -
limited page "$vcpc" report a -o page
limited compare "$vcpc" compare a b
limited events "$vcpc" events
limited doctor "$vcpc" doctor
limited help "$vcpc" help stat
limited stat "$vcpc" stat -e page-faults -- true
limited record "$vcpc" record -e page-faults -I 10ms -o rec -- sleep 0.05
limited rotate "$vcpc" record -e page-faults -I 5ms --rotate 4K --keep 2 -o rec -- sleep 0.1
limited compress "$vcpc" record -e page-faults --compress -I 10ms -o rec -- sleep 0.05

# lost TEXT COMMAND...: check that the command fails and prints this text if its output is lost
lost() {
	text=$1
	shift
	for limit in no_output full_output; do
		$limit "$@" 2>said && return 1
		grep -q "^${1##*/}: cannot write$text: " said || return 1
	done
}
bin=${vcpc%/*}
for command in "cputrack -c sw::page-faults true" "cputrack -h" "cpustat -h" "hpmcount true" "hpmcount -h" \
	"pmlist -s" "pmlist -h" "pmtrace -S 16 tag"; do
	# shellcheck disable=SC2086
	lost '' "$bin"/$command
	result "$command: its output is lost"
done
for command in cputrack\ -csw::page-faults hpmcount; do
	# shellcheck disable=SC2086
	lost ' /dev/full' "$bin"/$command -o /dev/full true
	result "$command -o: its output is lost"
done
! "$bin/cputrack" -c sw::page-faults -o absent/file true 2>said && grep -q '^cputrack: absent/file: ' said
result "cputrack -o: the message names the file"

# If standard error cannot be written, only the exit status reports an error.
"$vcpc" stat -e page-faults -- true 2>&-
[ $? = 1 ]
result "stat: standard error is closed"
"$vcpc" stat -e page-faults -- true 2>/dev/full
[ $? = 1 ]
result "stat: standard error is full"
"$vcpc" stat -e page-faults -- sh -c 'exit 3' 2>&-
[ $? = 3 ]
result "stat: standard error is closed, and the command fails"
"$vcpc" stat -o page -e page-faults -- true 2>&- >&- && grep -q page-faults page
result "stat -o: standard output and error are closed"
# A message must not be written to the archive if a file of the archive has the number of standard
# error.
rm -rf rec rec.*
sleep 0.05 &
"$vcpc" record -p $! -e page-faults -I 10ms -o rec --for 200ms 2>&- && "$vcpc" check rec >said 2>&1
result "record: the archive is whole if standard error is closed while a message is printed"
done_testing
