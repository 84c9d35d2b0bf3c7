# SPDX-License-Identifier: GPL-2.0-or-later
"""Check which agents receive transactions, points and values, and which exceptions errors raise."""
import asyncio
import os
import subprocess
import sys
import threading
import unittest

import vcpc
from trace_agent import TraceAgent

TAGS = iter(range(1000))


def tag():
    """Return a tag that no other test has used, because a tag keeps its kind."""
    return f"tag {next(TAGS)}"


def told(program, agent=True):
    """Return the events that an agent received from a program in a separate process, and the program's
    output."""
    with TraceAgent() as listener:
        port = listener.port if agent else 1
        environment = os.environ | {
            "SHIM_TRACE": "agent", "PCP_TRACE_HOST": "127.0.0.1", "PCP_TRACE_PORT": str(port), "PCP_TRACE_TIMEOUT": "20",
            "PCP_TRACE_REQTIMEOUT": "20",
        }
        result = subprocess.run([sys.executable, "-c", "import asyncio, os, time, vcpc\n" + program], env=environment,
                                text=True, capture_output=True, check=True)
    return listener.events, result.stdout.split()


class Told(unittest.TestCase):
    def test_all(self):
        """an agent receives transactions, points and values, in order"""
        events, said = told("""
with vcpc.transaction("slow"):
    time.sleep(.01)
print(vcpc.point("passed"), vcpc.observe("queue", -1.5), vcpc.counter("sent", 7))
t = vcpc.transaction("by hand")
print(t.begin(), t.end())
print(vcpc.lost_events())
""")
        self.assertEqual([(kind, name) for kind, name, _ in events], [
            ("transaction", "slow"), ("point", "passed"), ("observe", "queue"), ("counter", "sent"), ("transaction", "by hand")])
        self.assertGreaterEqual(events[0][2], .01)
        self.assertLess(events[0][2], 60)
        self.assertEqual([event[2] for event in events[2:4]], [-1.5, 7])
        self.assertEqual(said, ["True"] * 5 + ["0"])

    def test_decorated(self):
        """each call of a function or a coroutine is timed"""
        events, said = told("""
@vcpc.transaction("call")
def call(n):
    return n + 1
@vcpc.transaction("await")
async def wait(n):
    await asyncio.sleep(0)
    return n * 2
print(call(1), call(n=2), asyncio.run(wait(3)), call.__name__)
""")
        self.assertEqual([name for _, name, _ in events], ["call", "call", "await"])
        self.assertEqual(said, ["2", "3", "6", "call"])

    def test_aborted(self):
        """if the body raises an exception, there is no transaction, and the exception is passed on"""
        events, said = told("""
try:
    with vcpc.transaction("failed"):
        raise KeyError
except KeyError:
    print("raised")
with vcpc.transaction("left") as t:
    print(t.abort())
with vcpc.transaction("failed"):
    pass
""")
        self.assertEqual([name for _, name, _ in events], ["failed"])
        self.assertEqual(said, ["raised", "True"])

    def test_fork(self):
        """a child that leaves the statement does not end its parent's transaction; it can have its own"""
        events, _ = told("""
with vcpc.transaction("parent's"):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
if not child:
    with vcpc.transaction("child's"):
        pass
    os._exit(0)
""")
        self.assertEqual(sorted(name for _, name, _ in events), ["child's", "parent's"])

    def test_nobody(self):
        """without an agent a program continues; with strict=True the error is raised"""
        events, said = told("""
print(vcpc.point("a"), vcpc.transaction("b").begin())
with vcpc.transaction("c"):
    print("body")
try:
    vcpc.point("a", strict=True)
except vcpc.TraceError as error:
    print(error.errno)
try:
    with vcpc.transaction("d", strict=True):
        print("never")
except vcpc.TraceError as error:
    print(error.errno)
""", agent=False)
        self.assertEqual((events, said), ([], ["False", "False", "body", "111", "111"]))


class Misuse(unittest.TestCase):
    def test_order(self):
        """begin twice, end without begin"""
        one = vcpc.transaction(tag())
        for wrong, code in ((one.end, -12002), (one.abort, -12002), (lambda: one.begin() and one.begin(), -12001)):
            with self.assertRaises(vcpc.TraceError) as caught:
                wrong()
            self.assertEqual((caught.exception.code, caught.exception.errno), (code, None))
        self.assertTrue(one.end())
        self.assertTrue(one.begin())
        self.assertTrue(one.abort())

    def test_same_tag(self):
        """a tag can have only one open transaction, regardless of the object"""
        name = tag()
        with vcpc.transaction(name):
            with self.assertRaises(vcpc.TraceError):
                vcpc.transaction(name).begin()
        with vcpc.transaction(name):
            pass

    def test_tags(self):
        """invalid tags"""
        for wrong in ("", "x" * 300):
            with self.assertRaises(vcpc.TraceError):
                vcpc.point(wrong)
        with self.assertRaises(ValueError):
            vcpc.point("a\0b")
        with self.assertRaises(TypeError):
            vcpc.point(7)
        for wrong in ("1", None):
            with self.assertRaisesRegex(TypeError, "a value must be a number"):
                vcpc.observe("a", wrong)
        self.assertTrue(vcpc.observe("größe " + tag(), 1))

    def test_generators(self):
        """a generator is refused, because its execution is interrupted"""
        def generator():
            yield 1

        async def asynchronous():
            yield 1
        for function in (generator, asynchronous):
            with self.assertRaisesRegex(TypeError, "generator"):
                vcpc.transaction(tag())(function)

    def test_body_raises(self):
        """the body's exception is raised, regardless of the result of the abort"""
        one = vcpc.transaction(tag())
        with self.assertRaises(KeyError):
            with one:
                raise KeyError
        with self.assertRaises(KeyError):
            with one:
                one.end()
                raise KeyError
        self.assertTrue(one.begin())
        self.assertTrue(one.end())

    def test_cancelled(self):
        """a coroutine that is cancelled leaves no open transaction"""
        name = tag()

        @vcpc.transaction(name)
        async def forever():
            await asyncio.sleep(1000)

        async def cancel():
            task = asyncio.ensure_future(forever())
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        asyncio.run(cancel())
        self.assertTrue(vcpc.transaction(name).begin())

    def test_threads(self):
        """threads with different tags do not affect each other"""
        failed = []

        def work(name):
            try:
                for _ in range(300):
                    with vcpc.transaction(name, strict=True):
                        pass
            except Exception as error:
                failed.append(error)
        threads = [threading.Thread(target=work, args=(tag(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
