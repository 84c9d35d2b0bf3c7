#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On terminals of any size, vcpc top obeys its keys, and exits when the terminal is closed.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
vcpc=${VCPC_BUILD:?}/bin/vcpc
evidence="$dir/err $dir/out"
export TERM=xterm

"$vcpc" top </dev/null >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'requires a terminal.*--once' "$dir/err"
result "no terminal"
"$vcpc" top --sort speed 2>"$dir/err"
[ $? = 2 ] && { "$vcpc" top --by user 2>"$dir/err"; [ $? = 2 ]; } && grep -q 'tag, process or both' "$dir/err" && "$vcpc" top --help | grep -q 'Usage: vcpc top'
result "invalid usage, and help"

# terminal SIZE STEP...: run vcpc top on a terminal of SIZE, ROWSxCOLUMNS.  A step is keys, "=SIZE",
# "wait:TEXT" until the program has written TEXT since the previous step, or "hangup", which closes
# the terminal. Afterwards the program must exit.
cat >"$dir/terminal.py" <<'PY'
import fcntl, os, pty, select, signal, struct, sys, termios

LIMIT = 60      # seconds without output after which the program is considered to hang

def resize(fd, size):
    rows, columns = map(int, size.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

def fail(why):
    print(why, file=sys.stderr)
    os.kill(pid, signal.SIGKILL)
    sys.exit(99)

ready, go = os.pipe()
pid, fd = pty.fork()
if not pid:
    os.read(ready, 1)           # the terminal's size is set
    os.execv(sys.argv[1], [sys.argv[1], "top", "-I", "100ms"])
signal.alarm(2 * LIMIT)
resize(fd, sys.argv[2])
os.write(go, b"x")
seen, mark = b"", 0

# more(): return False at the end
def more():
    global seen
    if not select.select([fd], [], [], LIMIT)[0]:
        fail("nothing came")
    try:
        got = os.read(fd, 65536)
    except OSError:
        return False
    seen += got
    return bool(got)

gone = False
for step in sys.argv[3:]:
    if step.startswith("wait:"):
        text = step[5:].encode()
        while text not in seen[mark:]:
            if not more():
                fail("it ended before %s" % text)
        continue
    mark = len(seen)
    if step == "hangup":
        os.close(fd)
        gone = True
    elif step[0] == "=":
        resize(fd, step[1:])
    else:
        os.write(fd, step.encode().decode("unicode_escape").encode("latin-1"))
while not gone and more():
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.buffer.write(seen)
sys.exit(0 if gone else status)
PY

if ! command -v python3 >/dev/null; then
	skip "on a terminal" "python3 is not installed"
	done_testing
fi

terminal() {
	python3 "$dir/terminal.py" "$vcpc" "$@" >"$dir/out" 2>"$dir/err"
}

terminal 24x80 wait:TRANSACTION wait:quit q && grep -q 'tracing is off\|cannot\|not permitted' "$dir/out" &&
	grep -q 'TRANSACTION.*p99' "$dir/out"
result "24x80: a message reports that there is nothing to show"
# curses writes only the differences from the screen: "by rate" becomes "by p50".
terminal 24x80 wait:quit s wait:p50 r wait:reversed p wait:PAUSED / wait:names a wait:a b wait:b '\n' wait:quit q &&
	grep -q ', with ' "$dir/out"
result "keys"
terminal 24x80 wait:TRANSACTION wait:quit b wait:PROCESS b wait:TRANSACTION b q && grep -q 'processes, by' "$dir/out" &&
	terminal 24x40 wait:quit b wait:PROCESS q
result "rows by process and by both"
terminal 24x80 wait:quit =1x1 wait: =5x20 wait:TRANS =3x300 wait:TRANSACTION =100x300 wait:quit '\x1b[6~' q
result "any size"
terminal 24x80 wait:quit hangup
result "the terminal is closed"
TERM=no-such terminal 24x80
[ $? = 1 ] && grep -q "unknown terminal type 'no-such'" "$dir/out"
result "an unknown terminal"
done_testing
