# SPDX-License-Identifier: GPL-2.0-or-later
"""Test sets of counters natively with the kernel's software events."""
import gc
import mmap
import os
import signal
import subprocess
import threading
import time
import unittest

import vcpc

PAGES = 500


def touch():
    """Cause at least PAGES page faults."""
    with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as memory:
        for i in range(PAGES):
            memory[i * mmap.PAGESIZE] = 1


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class Interrupt(Exception):
    pass


@unittest.skipUnless(vcpc.backend()[0], "perf_event_open(2) is not allowed here")
class Counters(unittest.TestCase):
    def test_with(self):
        """a with statement counts its body, and keeps the counts"""
        with vcpc.Counters("page-faults", "task-clock") as counters:
            touch()
        self.assertGreaterEqual(counters.last["page-faults"], PAGES)
        self.assertGreater(counters.last["task-clock"], 0)
        self.assertEqual(len(counters.last), 2)
        self.assertGreater(counters.last.time, 0)
        with self.assertRaisesRegex(ValueError, "closed"):
            counters.sample()

    def test_start_stop(self):
        """a stopped set does not count, and continues when it is started again"""
        counters = vcpc.Counters("page-faults")
        counters.start()
        stopped = counters.stop()
        touch()
        self.assertEqual(counters.sample().counts, stopped.counts)
        counters.start()
        touch()
        self.assertGreaterEqual((counters.sample() - stopped)["page-faults"], PAGES)
        counters.close()
        counters.close()

    def test_thread(self):
        """a set counts another thread, not the calling one"""
        go, done = threading.Event(), threading.Event()
        number = []

        def other():
            number.append(threading.get_native_id())
            go.wait()
            touch()
            done.wait()
        thread = threading.Thread(target=other)
        thread.start()
        while not number:
            time.sleep(0.001)
        with vcpc.Counters("page-faults", thread=number[0]) as counters:
            before = counters.sample()
            touch()
            self.assertLess((counters.sample() - before)["page-faults"], PAGES)
            go.set()
            while (counters.sample() - before)["page-faults"] < PAGES:
                time.sleep(0.001)
            done.set()
            thread.join()

    def test_process(self):
        """a process is counted with the processes that it starts"""
        with subprocess.Popen(["sh", "-c", "read go; ls / >/dev/null; ls / >/dev/null"], stdin=subprocess.PIPE) as child:
            with vcpc.Counters("page-faults", process=child.pid) as counters:
                before = counters.sample()
                child.communicate(b"go\n")
                self.assertGreater((counters.sample() - before)["page-faults"], 50)

    def test_inherit(self):
        """threads that start later are counted if requested"""
        for inherit, least, most in ((None, 0, PAGES - 1), ("threads", PAGES, 1 << 40)):
            with vcpc.Counters("page-faults", inherit=inherit) as counters:
                thread = threading.Thread(target=touch)
                thread.start()
                thread.join()
            self.assertTrue(least <= counters.last["page-faults"] <= most, (inherit, counters.last))

    def test_errors(self):
        """errors have the library's code and text, and name the event"""
        with self.assertRaisesRegex(vcpc.CounterError, "unknown event 'page-fualts'; did you mean 'page-faults'") as caught:
            vcpc.Counters("task-clock", "page-fualts")
        self.assertEqual((caught.exception.code, caught.exception.errno), (-2, 2))
        with self.assertRaisesRegex(vcpc.CounterError, "at least one event"):
            vcpc.Counters()
        with self.assertRaisesRegex(TypeError, "an event's name must be a str or bytes, not list"):
            vcpc.Counters(["page-faults"])
        with self.assertRaises(vcpc.CounterError):
            vcpc.Counters(*["page-faults"] * 65)
        with self.assertRaises(ValueError):
            vcpc.Counters("page-faults\0")
        for wrong in ({"thread": 1, "cpu": 0}, {"inherit": "all"}, {"cpu": 0, "inherit": "tree"}):
            with self.assertRaises(ValueError):
                vcpc.Counters("page-faults", **wrong)
        with self.assertRaises(vcpc.CounterError):
            with vcpc.Counters("page-faults", process=0x7ffffffe):
                self.fail("it was started")
        idle = vcpc.Counters("page-faults")
        self.assertRaisesRegex(vcpc.CounterError, "have not been started", idle.stop)
        self.assertRaisesRegex(vcpc.CounterError, "have not been started", idle.sample)

    def test_descriptors(self):
        """nothing stays open, whether closed, collected or refused"""
        before = descriptors()
        for _ in range(20):
            with vcpc.Counters("page-faults"):
                pass
            vcpc.Counters("task-clock").start()
            with self.assertRaises(vcpc.CounterError):
                vcpc.Counters("nonsense-event")
        gc.collect()
        self.assertLessEqual(descriptors(), before)

    def test_body_raises(self):
        """an exception in the body is passed on"""
        with self.assertRaises(KeyError):
            with vcpc.Counters("page-faults") as counters:
                raise KeyError
        self.assertIsNotNone(counters.last)
        with vcpc.Counters("page-faults") as counters:
            counters.close()

    def test_close_while_sampling(self):
        """closing while other threads sample causes only ValueError in them"""
        for _ in range(10):
            counters = vcpc.Counters("page-faults")
            counters.start()
            ended = []

            def sample():
                try:
                    while True:
                        counters.sample()
                except ValueError:
                    ended.append(True)
            threads = [threading.Thread(target=sample) for _ in range(3)]
            for thread in threads:
                thread.start()
            counters.close()
            for thread in threads:
                thread.join()
            self.assertEqual(len(ended), 3)

    def test_fork(self):
        """a child that leaves the statement does not affect its parent's set"""
        with vcpc.Counters("page-faults") as counters:
            child = os.fork()
            if child == 0:
                try:
                    counters.__exit__(None, None, None)
                    os._exit(0)
                finally:
                    os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            before = counters.sample()
            touch()
        self.assertGreaterEqual((counters.last - before)["page-faults"], PAGES)

    def test_signal(self):
        """a signal handler that samples and closes does not deadlock"""
        counters = vcpc.Counters("page-faults")
        counters.start()
        seen = []

        def handler(*_):
            # A signal can arrive even while an exception from closing is being handled.
            if len(seen) == 20:
                return
            seen.append(counters.sample())
            if len(seen) == 20:
                counters.close()
        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        try:
            with self.assertRaises(ValueError):
                while True:
                    counters.sample()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertGreaterEqual(len(seen), 20)

    def test_events(self):
        """events have descriptions, and an exception in a handler is raised"""
        found = vcpc.events()
        self.assertTrue(found["page-faults"])
        self.assertGreaterEqual(set(vcpc.events(everything=True)), set(found))

        def handler(*_):
            raise Interrupt
        before = signal.signal(signal.SIGALRM, handler)
        try:
            for _ in range(20):
                with self.assertRaises(Interrupt):
                    signal.setitimer(signal.ITIMER_REAL, 0.0005)
                    while True:
                        vcpc.events(everything=True)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class Backend(unittest.TestCase):
    def test_why(self):
        """backend() reports the back end, and the reason for it"""
        name, why = vcpc.backend()
        self.assertIn(name, ("perf", None))
        self.assertTrue(why)
