#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc top on terminals of any size: it obeys its keys, and ends when the terminal does.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
vcpc=${VCPC_BUILD:?}/bin/vcpc
evidence="$dir/err $dir/out"
export TERM=xterm

"$vcpc" top </dev/null >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'this is no terminal.*--once' "$dir/err"
result "no terminal"
"$vcpc" top --sort speed 2>"$dir/err"
[ $? = 2 ] && "$vcpc" top --help | grep -q 'Usage: vcpc top'
result "wrong usage, and help"

# terminal KEYS...: its size is the first, as ROWSxCOLUMNS; "hangup" closes it
cat >"$dir/terminal.py" <<'PY'
import fcntl, os, pty, signal, struct, sys, termios, time

def resize(fd, size):
    rows, columns = map(int, size.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

pid, fd = pty.fork()
if not pid:
    time.sleep(.1)
    os.execv(sys.argv[1], [sys.argv[1], "top", "-i", "100ms"])
resize(fd, sys.argv[2])
seen, keys = b"", ""
os.set_blocking(fd, False)
def drain(seconds):
    global seen
    end = time.time() + seconds
    while time.time() < end:
        try:
            seen += os.read(fd, 65536)
        except BlockingIOError:
            time.sleep(.01)
        except OSError:
            return
limit = time.time() + 20
while b"quit" not in seen and b"\n" not in seen and time.time() < limit:
    drain(.1)
for keys in sys.argv[3:]:
    if keys == "hangup":
        os.close(fd)
        break
    if keys[0] == "=":
        resize(fd, keys[1:])
    else:
        os.write(fd, keys.encode().decode("unicode_escape").encode("latin-1"))
    drain(.15)
while time.time() < limit:
    if keys != "hangup":
        drain(.05)
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        sys.stdout.buffer.write(seen)
        sys.exit(os.waitstatus_to_exitcode(status) if keys != "hangup" else 0)
    time.sleep(.05)
os.kill(pid, signal.SIGKILL)
sys.exit(99)
PY

terminal() {
	timeout 40 python3 "$dir/terminal.py" "$vcpc" "$@" >"$dir/out" 2>"$dir/err"
}

terminal 24x80 q && grep -q 'tracing is off\|cannot\|not permitted' "$dir/out" && grep -q 'TRANSACTION.*p99' "$dir/out"
result "24x80: it says that there is nothing to see"
terminal 24x80 s r p /ab '\n' q && grep -q 'PAUSED' "$dir/out" && grep -q ', with \|ab' "$dir/out"
result "keys"
terminal 24x80 =1x1 =5x20 =3x300 =100x300 '\x1b[6~' q
result "any size"
terminal 24x80 hangup
result "a terminal that goes away"
TERM=no-such terminal 24x80
[ $? = 1 ] && grep -q "terminal 'no-such' is not known" "$dir/out"
result "an unknown terminal"
done_testing
