#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A CI job compares runs without root, and gets a useful message where nothing can be counted.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
PATH=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}/bin:$PATH
evidence="$dir/out $dir/err"

# Run a command with a system call filter that blocks perf_event_open(2), as in a container.
cat >"$dir/filter.py" <<'PY'
import ctypes, os, struct, sys

NUMBER = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
LOAD, JUMP, RETURN = 0x20, 0x15, 0x06
code = b"".join(struct.pack("HBBI", *i) for i in [
    (LOAD, 0, 0, 0), (JUMP, 0, 1, NUMBER), (RETURN, 0, 0, 0x00050001), (RETURN, 0, 0, 0x7fff0000)])
buffer = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
    sys.exit(99)
os.execvp(sys.argv[1], sys.argv[1:])
PY

if [ -e /dev/vcpc ] || ! python3 "$dir/filter.py" true 2>/dev/null; then
	skip "perf_event_open(2) is blocked" "the module is loaded, or there is no python3 or no seccomp"
else
	python3 "$dir/filter.py" vcpc stat true >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && grep -q 'seccomp: a filter is active.*run the container with: --cap-add PERFMON' "$dir/err" &&
		! grep -qE 'PMU|No such device' "$dir/err" && { [ "$(id -u)" != 0 ] || ! grep -q 'run as root' "$dir/err"; }
	result "if a container blocks perf_event_open(2), stat says so, and nothing about the PMU"
fi

if [ -e "$top/tools/examples/gate.sh" ] && vcpc record -e page-faults:u -o "$dir/probe" true 2>"$dir/err"; then
	EVENTS=page-faults:u TRACE=no sh "$top/tools/examples/gate.sh" "$dir/gate" 2 true \
		'head -c 9000000 /dev/zero | tail -c 8000000 >/dev/null' 'page-faults:u > +5%' >"$dir/out" 2>"$dir/err"
	[ $? = 3 ] && grep -q '^FAIL  page-faults:u > +5%' "$dir/out"
	result "gate.sh without transactions"
	vcpc compare "$dir/gate/base" "$dir/gate/new" --fail-if 'page-faults > +5%' >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && grep -q "neither side has 'page-faults', but 'page-faults:u'" "$dir/err"
	result "a condition without the mode of the event"
else
	skip "gate.sh without transactions" "nothing can be counted here, or the script is not installed"
fi
done_testing
