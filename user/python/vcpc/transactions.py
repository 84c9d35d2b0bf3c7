# SPDX-License-Identifier: LGPL-2.1-or-later
"""Transactions, points and values, <pcp/trace.h>: the parts of a program that are timed and counted.

Incorrect use raises TraceError. A program should not fail because an event could not be sent, for example
because neither the module nor an agent is available, so the call then returns False. With strict=True it raises
TraceError.
"""
import functools
import inspect
import numbers
import os
import threading

from . import _interface as c
from ._errors import TraceError
from ._library import lib, to_c, to_str

_MISUSE = frozenset((
    c.PMTRACE_ERR_TAGNAME, c.PMTRACE_ERR_INPROGRESS, c.PMTRACE_ERR_NOPROGRESS, c.PMTRACE_ERR_NOSUCHTAG,
    c.PMTRACE_ERR_TAGTYPE, c.PMTRACE_ERR_TAGLENGTH,
))


def _error(tag, code):
    return TraceError(f"{to_str(tag)}: {to_str(lib.pmtraceerrstr(code))}", code)


def _handed_over(tag, code, strict):
    """Return whether the library accepted the event."""
    if code >= 0:
        return True
    if strict or code in _MISUSE:
        raise _error(tag, code)
    return False


def _tag(tag):
    return to_c(tag, "a tag")


def _number(value):
    if not isinstance(value, numbers.Real):
        raise TypeError(f"a value must be a number, not {type(value).__name__}")
    return float(value)


def point(tag, *, strict=False):
    """Record that the program passed a point."""
    tag = _tag(tag)
    return _handed_over(tag, lib.pmtracepoint(tag), strict)


def observe(tag, value, *, strict=False):
    """Report a value, such as the length of a queue."""
    tag = _tag(tag)
    return _handed_over(tag, lib.pmtraceobs(tag, _number(value)), strict)


def counter(tag, value, *, strict=False):
    """Report a value that only grows, such as the number of bytes sent."""
    tag = _tag(tag)
    return _handed_over(tag, lib.pmtracecounter(tag, _number(value)), strict)


def lost_events():
    """Return the number of this process's events that were not sent to the agent."""
    return lib.shim_trace_lost()


class Transaction:
    """A transaction of a tag: the time from begin() to end(), or of a with statement, or of each call of a function.

    If the body raises an exception, the transaction is aborted.  A thread can have one open transaction per tag.
    """

    def __init__(self, tag, *, strict=False):
        self._tag = _tag(tag)
        self._strict = strict
        # Held from begin() to end(), which different threads may call
        self._open = threading.Lock()
        # The process that began the transaction; None if the library did not accept the begin
        self._begun_by = None

    def begin(self):
        """Begin it, and return whether the library accepted the event."""
        if not self._open.acquire(blocking=False):
            raise _error(self._tag, c.PMTRACE_ERR_INPROGRESS)
        try:
            begun = _handed_over(self._tag, lib.pmtracebegin(self._tag), self._strict)
        except BaseException:
            self._open.release()
            raise
        self._begun_by = os.getpid() if begun else None
        return begun

    def _finish(self, call):
        if not self._open.locked():
            raise _error(self._tag, c.PMTRACE_ERR_NOPROGRESS)
        begun_by, self._begun_by = self._begun_by, None
        self._open.release()
        # A forked child has not begun the transaction; the parent ends it.
        return begun_by == os.getpid() and _handed_over(self._tag, call(self._tag), self._strict)

    def end(self):
        """End it, and return whether the library accepted the event."""
        return self._finish(lib.pmtraceend)

    def abort(self):
        """Abort it, so it is not counted as ended."""
        return self._finish(lib.pmtraceabort)

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, _type, exception, _traceback):
        # The body may have ended or aborted the transaction.
        if not self._open.locked():
            return
        if exception is None:
            self.end()
            return
        try:
            self.abort()
        except TraceError as error:
            exception.add_note(f"vcpc: {error}")

    def _another(self):
        return Transaction(self._tag, strict=self._strict)

    def __call__(self, function):
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("a generator runs in pieces, so it cannot be decorated: use the with statement inside it")
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def traced(*args, **kwargs):
                with self._another():
                    return await function(*args, **kwargs)
        else:
            @functools.wraps(function)
            def traced(*args, **kwargs):
                with self._another():
                    return function(*args, **kwargs)
        return traced


def transaction(tag, *, strict=False):
    """Return a Transaction, for a with statement or as a decorator."""
    return Transaction(tag, strict=strict)
