#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc doctor prints true statements about this machine, as text and JSON, and suggests commands.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
PATH=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}/bin:$PATH
evidence="$dir/out $dir/err"

doctor() { vcpc doctor "$@" >"$dir/out" 2>"$dir/err"; }

# says CHECK TEXT: check that the line of CHECK contains TEXT
says() { awk -v check="$1 " 'index($0, check) == 1' "$dir/out" | grep -qF -- "$2"; }

doctor
status=$?
[ $status -le 1 ] && [ ! -s "$dir/err" ]; result "doctor"
[ $status = "$(grep -cE '^[A-Za-z_ ]{20} broken' "$dir/out" | sed 's/[1-9][0-9]*/1/')" ]; result "its exit status reports whether anything is broken"
says kernel "$(uname -r)"; result "the kernel's release"
if [ -e /proc/sys/kernel/perf_event_paranoid ]; then
	says perf_event_paranoid "$(cat /proc/sys/kernel/perf_event_paranoid)"; result "perf_event_paranoid"
fi
if [ -d /sys/module/vcpc ]; then
	says module 'loaded, version'; result "the module's version"
else
	says module 'not ' && grep -qE -- '-> as root: (modprobe vcpc|apt install vcpc-dkms)' "$dir/out"; result "no module: a command is suggested"
fi
if [ -e /sys/kernel/btf/vmlinux ]; then says BTF 'has type information'; else says BTF limited; fi; result "type information"
# Each line starts with a check and its state, except lines with reasons and remedies.
! grep -vE '^([A-Za-z_ ]{20} (ok     |limited|broken )  ?| {30}).+' "$dir/out"; result "every line has the right columns"
cp "$dir/out" "$dir/text"
if command -v python3 >/dev/null; then
	doctor --json
	[ $? = $status ] && [ "$(python3 -c '
import json, sys
for check in json.load(open(sys.argv[1]))["checks"]:
    assert check["state"] in ("ok", "limited", "broken") and set(check) == {"check", "state", "found", "means", "type"}
    print("%-20s %-8s %s" % (check["check"], check["state"], check["found"]))
' "$dir/out")" = "$(grep -v '^  ' "$dir/text")" ]; result "JSON has the same contents"
else
	skip "JSON has the same contents" "python3 is not installed"
fi
vcpc doctor >/dev/full 2>"$dir/err"; [ $? = 1 ] && grep -q 'cannot write' "$dir/err"; result "a full disk"
doctor --nonsense; [ $? = 2 ]; result "an unknown option"
doctor argument; [ $? = 2 ]; result "an argument"
done_testing
