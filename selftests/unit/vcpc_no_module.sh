#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If no back end is available, and after invalid usage, the vcpc command reports the problem and a
# solution.
vcpc=${VCPC_BUILD:?}/bin/vcpc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# expect STATUS TEXT ARGUMENT...: check that the command exits with STATUS and prints TEXT
expect() {
	status=$1 text=$2
	shift 2
	command=$vcpc
	case $1 in
	cputrack | cpustat | hpmcount | pmlist) command=${vcpc%vcpc}$1 && shift ;;
	esac
	"$command" "$@" >"$dir/log" 2>&1
	got=$?
	n=$((n + 1))
	if [ $got = "$status" ] && grep -qF -- "$text" "$dir/log"; then
		echo "ok $n - ${command##*/} $*"
	else
		echo "not ok $n - ${command##*/} $*"
		echo "# exit status $got, expected $status; no '$text' in:"
		sed 's/^/# /' "$dir/log"
		bad=1
	fi
}

expect 2 "Try 'vcpc --help'"
expect 0 "stat" --help
expect 0 "libshim" --version
expect 2 "unknown command 'no-such'" no-such
expect 0 "Usage: vcpc stat" stat --help
expect 0 "Usage: vcpc record" record --help
expect 0 "Usage: vcpc events" events --help
expect 2 "a command is required" stat
expect 2 "Try 'vcpc stat --help'" stat --no-such-option true
expect 2 "empty event name" stat -e page-faults, true
expect 2 "empty event name" stat -e "" true
expect 2 "cannot be combined with --per-thread or -I" stat --multiplex --per-thread true
expect 2 "cannot be combined with --per-thread or -I" stat -I 1s --multiplex true
expect 2 "threads of a running process are counted together" stat --per-thread -p 1 --for 1ms
expect 2 "takes no argument" stat --multiplex=2 true
expect 2 "a command is required" record -o "$dir/a"
expect 2 "invalid interval" record -o "$dir/a" -I 5parsecs true
expect 2 "invalid interval" record -o "$dir/a" -I 0 true
expect 2 "one PATTERN" events a b
expect 0 "Usage: vcpc stat" help stat
expect 0 "Usage: vcpc COMMAND" help
expect 2 "unknown command 'no-such'" help no-such
expect 2 "invalid interval '0.5' (at least 1ms" stat -I 0.5 true
expect 2 "--max-size: invalid size '5T'" record --max-size 5T true
expect 2 "--max-size: invalid size '0'" record --max-size 0 true
expect 2 "--max-tags: invalid number '0' (1 to" trace on --max-tags 0
expect 2 "invalid value 'often' for --begins (use kernel or user)" trace on --begins=often
expect 2 "--max-open: invalid number '-4' (1 to" trace on --max-open=-4
expect 2 "--events: invalid size '9x'" trace on --events=9x
expect 2 "--rounds: invalid number 'many'" trace show --rounds many
if [ -e /dev/vcpc ]; then
	for what in multiplex stat record events "commands of the original systems" "files of a failed recording"; do
		n=$((n + 1))
		echo "ok $n - $what # SKIP the vcpc module is loaded"
	done
	echo "1..$n"
	exit $bad
fi
export SHIM_BACKEND=vcpc
expect 1 "modprobe vcpc" stat --multiplex true
expect 1 "modprobe vcpc" stat true
expect 1 "modprobe vcpc" record -o "$dir/a" true
expect 0 "page-faults" events faults
expect 1 "modprobe vcpc" pmlist -s
expect 1 "modprobe vcpc" hpmcount true
expect 1 "modprobe vcpc" cputrack -c page-faults true
expect 1 "modprobe vcpc" cpustat -c page-faults 1 1
n=$((n + 1))
if ls "$dir"/a.* >/dev/null 2>&1; then
	echo "not ok $n - no archive is left behind"
	bad=1
else
	echo "ok $n - no archive is left behind"
fi
echo "1..$n"
exit $bad
