# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets of counters, <shim/shim.h>: events that are counted at the same time on a thread, a process or a CPU."""
import collections.abc
import ctypes
import errno
import operator
import os
import threading

from . import _interface as c
from ._errors import CounterError
from ._library import Handle, lib, text_of, to_c, to_str

_INHERIT = {None: 0, "threads": c.SHIM_BIND_THREADS, "tree": c.SHIM_BIND_TREE}
_NO_START = "the counters cannot be started"
_PROCESS = c.SHIM_BIND_PROCESS | c.SHIM_BIND_TREE


def _why(handle):
    buffer = ctypes.create_string_buffer(c.SHIM_WHY_MAX)
    lib.shim_backend_why(handle, buffer, len(buffer))
    return to_str(buffer.value)


class _Opened:
    """Open the back end for the duration of a with statement."""

    def __enter__(self):
        self.handle = ctypes.c_void_p()
        code = lib.shim_open(ctypes.byref(self.handle))
        if code:
            raise CounterError(_why(None) or text_of(code), code)
        return self.handle

    def __exit__(self, *_exception):
        lib.shim_close(self.handle)


def backend():
    """Return the name of the back end ("vcpc": the module, "perf": perf_event_open(2), or None), and the reason."""
    try:
        with _Opened() as handle:
            return to_str(lib.shim_backend(handle)), _why(handle)
    except CounterError as error:
        return None, str(error)


def events(everything=False):
    """Return the events that can be counted here as {name: description}; everything: return all known names."""
    found = {}
    walk = c.WALK(operator.setitem)
    if everything:
        lib.shim_events_walk(None, walk, found)
    else:
        with _Opened() as handle:
            lib.shim_events_walk(handle, walk, found)
    return {to_str(name): to_str(text or b"") for name, text in found.items()}


class Sample(collections.abc.Mapping):
    """The counts of a set at one instant: a mapping of events to counts.

    time: ns of CLOCK_MONOTONIC; cpu_time: ns for which the target ran while the set was counting; exited: whether the
    target has exited, so the counts are final; events, counts: tuples, in the requested order

    Events have the names that were counted, with the mode if the library chose one: "page-faults:u" if the caller may
    not count in kernel mode.  sample["page-faults"] also finds that event.  The difference of two samples is a Sample.
    """

    __slots__ = ("counts", "cpu_time", "events", "exited", "time")

    def __init__(self, time, cpu_time, exited, events, counts):
        self.time, self.cpu_time, self.exited = time, cpu_time, exited
        self.events, self.counts = events, counts

    def __getitem__(self, name):
        for wanted in (name, f"{name}:u"):
            if wanted in self.events:
                return self.counts[self.events.index(wanted)]
        raise KeyError(name)

    def __iter__(self):
        return iter(dict.fromkeys(self.events))

    def __len__(self):
        return len(set(self.events))

    def __sub__(self, earlier):
        if not isinstance(earlier, Sample):
            return NotImplemented
        if self.events != earlier.events:
            raise ValueError("the samples have different events")
        return Sample(self.time - earlier.time, self.cpu_time - earlier.cpu_time, self.exited, self.events,
                      tuple(map(operator.sub, self.counts, earlier.counts)))

    def __repr__(self):
        counts = ", ".join(f"{event}: {count}" for event, count in zip(self.events, self.counts))
        return f"<vcpc.Sample {counts}>"


def _create(names):
    """Create a set; return it and the library's event names."""
    pointer = ctypes.c_void_p()
    bad = ctypes.c_uint(len(names))
    array = (ctypes.c_char_p * len(names))(*names)
    with _Opened() as handle:
        code = lib.shim_set_create(handle, array, len(names), ctypes.byref(bad), ctypes.byref(pointer))
    if code:
        raise CounterError(_blame(names, bad.value, code), code)
    return pointer.value


def _blame(names, index, code):
    if not names:
        return "at least one event is required"
    if index >= len(names):
        return text_of(code)
    nearest = ctypes.create_string_buffer(c.SHIM_EVENT_MAX)
    name = to_str(names[index])
    text = f"unknown event '{name}'" if code == -errno.ENOENT else f"event '{name}': {text_of(code)}"
    if lib.shim_event_suggest(names[index], nearest, len(nearest)) == 0 and nearest.value != names[index]:
        text += f"; did you mean '{to_str(nearest.value)}'?"
    return text


def _target(thread, process, cpu, inherit):
    """Return the set's target as (number, flags); the number is None for the calling thread."""
    if sum(target is not None for target in (thread, process, cpu)) > 1:
        raise ValueError("thread, process and cpu are mutually exclusive")
    if inherit not in _INHERIT:
        raise ValueError('inherit must be None, "threads" or "tree"')
    if inherit and (process is not None or cpu is not None):
        raise ValueError("inherit applies to threads only: a process is always counted with its children, a CPU with "
                         "everything that runs on it")
    if process is not None:
        return operator.index(process), _PROCESS
    if cpu is not None:
        return operator.index(cpu), c.SHIM_BIND_CPU
    return None if thread is None else operator.index(thread), _INHERIT[inherit]


class Counters:
    """Events that are counted together.

    events: names as "vcpc events" lists them; thread: its number, by default the thread that calls start();
    process: its number, to count all its threads and the processes that it starts; cpu: its number, to count
    everything that runs on it; inherit: "threads" or "tree", to include the threads, or threads and processes, that
    the thread starts later

    The with statement starts it at the beginning; at the end it stops it, stores a sample in "last", and closes it.
    """

    def __init__(self, *events, thread=None, process=None, cpu=None, inherit=None):
        self._number, self._flags = _target(thread, process, cpu, inherit)
        names = [to_c(name, "an event's name") for name in events]
        self._set = Handle(_create(names), lib.shim_set_destroy)
        with self._set as pointer:
            self.events = tuple(to_str(lib.shim_set_event(pointer, i)) for i in range(len(names)))
        self._bound = None
        self._started_by = None
        self._counting = False
        self.last = None

    def _check(self, code, what):
        if code and self._bound is None and what != _NO_START:
            raise CounterError("the counters have not been started", code)
        if code:
            raise CounterError(f"{what}: {text_of(code)}", code)

    def start(self):
        """Start counting; after stop(), continue."""
        with self._set as pointer:
            if self._bound is None:
                number = self._number
                self._check(lib.shim_set_bind(pointer, number or 0, self._flags), _NO_START)
                # For CPUs only sums are available.
                on_cpu = self._flags & c.SHIM_BIND_CPU
                self._bound = 0 if on_cpu else number or threading.get_native_id()
                self._started_by = os.getpid()
            else:
                self._check(lib.shim_set_enable(pointer, self._bound), _NO_START)
        self._counting = True

    def stop(self):
        """Stop counting, keep the counts, and return them as a Sample."""
        with self._set as pointer:
            self._check(lib.shim_set_disable(pointer, self._bound or 0), "the counters cannot be stopped")
        self._counting = False
        return self.sample()

    def sample(self):
        """Return the current counts as a Sample, which is also stored in "last"."""
        raw = c.ShimSample()
        with self._set as pointer:
            read = lib.shim_set_total if self._flags else lib.shim_set_sample
            self._check(read(pointer, self._bound or 0, ctypes.byref(raw)), "the counters cannot be sampled")
        self.last = Sample(raw.time, raw.tick, bool(raw.state & c.SHIM_STATE_EXITED), self.events,
                           tuple(raw.values[:raw.nr]))
        return self.last

    def close(self):
        """Release the counters. Any thread may call this, even repeatedly."""
        self._set.close()

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, _type, exception, _traceback):
        try:
            # A child of fork() would stop its parent's counters.
            if self._counting and self._started_by == os.getpid() and not self._set.closed:
                self.stop()
        except CounterError as error:
            if exception is None:
                raise
            exception.add_note(f"vcpc: {error}")
        finally:
            self.close()
