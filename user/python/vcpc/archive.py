# SPDX-License-Identifier: LGPL-2.1-or-later
"""Archives of Performance Co-Pilot, <pcp/pmapi.h>: their metrics, and values in a time window.

Times are ns since 1970, as in time.time_ns().
"""
import ctypes
import datetime
import errno
import os
import re
import threading
import typing
import weakref

from . import _interface as c
from . import tables
from ._errors import ArchiveError
from ._library import freed, lib, taken, text_of, to_c, to_str

_SECOND = 1_000_000_000
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)
_MEMBERS = {
    c.PM_TYPE_32: "l", c.PM_TYPE_U32: "ul", c.PM_TYPE_64: "ll", c.PM_TYPE_U64: "ull", c.PM_TYPE_FLOAT: "f",
    c.PM_TYPE_DOUBLE: "d",
}
# Metrics that every archive names, but that never have values
_EVENT_FIELDS = {"event.flags", "event.missed"}
_BLOCKS = (c.PM_TYPE_AGGREGATE, c.PM_TYPE_AGGREGATE_STATIC)


def _error(code, what=None):
    text = text_of(code)
    return ArchiveError(f"{what}: {text}" if what else text, code)


def _check(code, what=None):
    if code < 0:
        raise _error(code, what)
    return code


def _open(name):
    """Return the number of a new context."""
    code = lib.pmNewContext(c.PM_CONTEXT_ARCHIVE, name)
    path = to_str(name)
    if code == -errno.ENOENT and not os.path.exists(f"{path}.meta"):
        raise ArchiveError(f"archive '{path}' not found (no file {path}.meta)", code)
    return _check(code, path or "the archive's name is empty")


def _ns(stamp):
    return stamp.tv_sec * _SECOND + stamp.tv_nsec


def _timespec(ns):
    return c.Timespec(*divmod(ns, _SECOND))


def _destroy(context, process):
    # A forked child does not destroy the context that it inherited, because another thread may have
    # been using it.
    if process == os.getpid():
        lib.pmDestroyContext(context)


class _Context:
    """A context of the library, which is destroyed once."""

    def __init__(self, number):
        self.number = number
        self.close = weakref.finalize(self, _destroy, number, os.getpid())

    def use(self):
        if not self.close.alive:
            raise ValueError("the archive is closed")
        _check(lib.pmUseContext(self.number))


class Row(typing.NamedTuple):
    """The values at one time.

    time: ns; values: {(metric, instance): value}, the instance is None for a metric without instances; errors: {metric:
    ArchiveError}, for metrics that have an error instead of values at this time
    """

    time: int
    values: dict
    errors: dict


class Metric:
    """A metric of an archive.

    name, pmid; type: "32", "U32", "64", "U64", "FLOAT", "DOUBLE", "STRING", ...; semantics: "counter", "instant" or
    "discrete"; units: as text; indom: the number of its instance domain, or None
    """

    def __init__(self, archive, name, desc):
        units = ctypes.create_string_buffer(80)
        self._archive = archive
        self._type = desc.type
        self.name = name
        self.pmid = desc.pmid
        self.indom = None if desc.indom == c.PM_INDOM_NULL else desc.indom
        self.type = to_str(lib.pmTypeStr(desc.type))
        self.semantics = to_str(lib.pmSemStr(desc.sem))
        self.units = to_str(lib.pmUnitsStr_r(ctypes.byref(desc.units), units, len(units)))

    @property
    def text(self):
        """The one-line description, or None if the archive has none."""
        return self._archive._text(self.pmid, c.PM_TEXT_ONELINE)

    @property
    def help(self):
        """The long description, or None if the archive has none."""
        return self._archive._text(self.pmid, c.PM_TEXT_HELP | c.PM_TEXT_DIRECT)

    def instances(self):
        """Return all its instances in the archive as {number: name}; empty if it has none."""
        return {} if self.indom is None else dict(self._archive._instances(self.indom))

    def __repr__(self):
        return f"<vcpc.Metric {self.name} {self.type} {self.semantics} {self.units}>"


class Archive:
    """An archive, opened by its path without suffix; comma-separated paths, or a directory, are read as one archive.

    The with statement closes it at the end. Any thread may use it; calls from several threads wait for each other.
    """

    def __init__(self, path):
        name = to_c(path, "a path")
        self._lock = threading.RLock()
        self._context = _Context(_open(name))
        self._domains = {}
        try:
            label = c.Label()
            with self._use():
                _check(lib.pmGetHighResArchiveLabel(ctypes.byref(label)), to_str(name))
        except BaseException:
            self.close()
            raise
        self.path = to_str(name)
        self.start = _ns(label.start)
        self.host = to_str(label.hostname)
        self.timezone = to_str(label.timezone)

    def _use(self, context=None):
        """Take the lock, and make the context the thread's current one."""
        self._lock.acquire()
        try:
            self._context.use()
            if context:
                context.use()
        except BaseException:
            self._lock.release()
            raise
        return _Releasing(self._lock)

    def close(self):
        """Close it; can be called repeatedly. Iterators that are still reading it then raise ValueError."""
        with self._lock:
            self._context.close()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    @property
    def end(self):
        """The time of the last record in ns, which changes while the archive grows; None if it is unknown."""
        stamp = c.Timespec()
        with self._use():
            _check(lib.pmGetHighResArchiveEnd(ctypes.byref(stamp)), self.path)
        return None if stamp.tv_sec == c.PM_MAX_TIME_T else _ns(stamp)

    def names(self, group=""):
        """Return the sorted names of metrics()."""
        return [metric.name for metric in self.metrics(group)]

    def _leaves(self, group):
        with self._use():
            found = set(self._below(to_c(group, "a name")))
        return sorted(found if group else found - _EVENT_FIELDS)

    def _below(self, group):
        names = ctypes.POINTER(ctypes.c_char_p)()
        status = ctypes.POINTER(ctypes.c_int)()
        n = _check(lib.pmGetChildrenStatus(group, ctypes.byref(names), ctypes.byref(status)), to_str(group))
        if n == 0:
            return [to_str(group)] if group else []
        children = [(names[i], status[i]) for i in range(n)]
        freed(names)
        freed(status)
        found = []
        for name, kind in children:
            path = group + b"." + name if group else name
            found += self._below(path) if kind == c.PMNS_NONLEAF_STATUS else [to_str(path)]
        return found

    def metric(self, name):
        """Return the Metric with this name."""
        encoded = to_c(name, "a metric's name")
        pmid = ctypes.c_uint(c.PM_ID_NULL)
        desc = c.Desc()
        with self._use():
            _check(lib.pmLookupName(1, (ctypes.c_char_p * 1)(encoded), ctypes.byref(pmid)), name)
            _check(lib.pmLookupDesc(pmid, ctypes.byref(desc)), name)
        return Metric(self, name, desc)

    def metrics(self, group=""):
        """Return all metrics, or those below a name, as a list of Metric, sorted by name.

        Derived metrics whose operands are not in the archive are omitted.
        """
        found = []
        for name in self._leaves(group):
            try:
                found.append(self.metric(name))
            except ArchiveError as error:
                if error.code != c.PM_ERR_BADDERIVE:
                    raise
        return found

    def _text(self, pmid, level):
        buffer = ctypes.c_void_p()
        with self._use():
            code = lib.pmLookupText(pmid, level, ctypes.byref(buffer))
        # PMAPI returns NOTHOST if the archive has no texts.
        if code in (c.PM_ERR_TEXT, c.PM_ERR_NOTHOST):
            return None
        _check(code)
        return to_str(taken(buffer.value))

    def _instances(self, indom):
        if indom not in self._domains:
            numbers = ctypes.POINTER(ctypes.c_int)()
            names = ctypes.POINTER(ctypes.c_char_p)()
            with self._use():
                n = _check(lib.pmGetInDomArchive(indom, ctypes.byref(numbers), ctypes.byref(names)))
            self._domains[indom] = {numbers[i]: to_str(names[i]) for i in range(n)}
            if n:
                freed(numbers)
                freed(names)
        return self._domains[indom]

    def rows(self, metrics, start=None, end=None, interval=None):
        """Iterate over the values of metrics; yield a Row for each time.

        metrics: the name of a metric or of a group of metrics, a Metric, or several of these
        start, end: ns, an aware datetime, or text as for the options -S and -T ("+10s", "@12:00"); by
        default the archive's start and end
        interval: seconds, a timedelta, or text ("100msec"): the time between two rows; by default, each record is a row

        A record without any of the metrics yields no row. Damage raises ArchiveError, and the next row
        is the first one after the damage.
        """
        return _Rows(self, self._chosen(metrics), _window(self, start, end), _step(interval))

    def values(self, metrics, start=None, end=None, interval=None):
        """Iterate over the same values as tuples (time, metric, instance, value), up to the first error."""
        for row in self.rows(metrics, start, end, interval):
            for (metric, instance), value in row.values.items():
                yield row.time, metric, instance, value

    def to_numpy(self, metrics, start=None, end=None, interval=None):
        """Return the same as arrays {(metric, instance): (times, values)}, of datetime64[ns] and the metric's type."""
        return tables.arrays(self._chosen(metrics), self.values(metrics, start, end, interval))

    def to_pandas(self, metrics, start=None, end=None, interval=None):
        """Return the same as a DataFrame with a row for each time (UTC) and a column for each metric and instance.

        If values are missing, integers have pandas' nullable types (UInt64).
        """
        return tables.frame(self._chosen(metrics), self.rows(metrics, start, end, interval))

    def _chosen(self, metrics):
        if isinstance(metrics, (str, Metric)):
            metrics = [metrics]
        chosen = {}
        for metric in metrics:
            for found in [metric] if isinstance(metric, Metric) else self._named(metric):
                if found._type not in _MEMBERS and found._type != c.PM_TYPE_STRING and found._type not in _BLOCKS:
                    raise _error(c.PM_ERR_TYPE, f"{found.name} ({found.type})")
                chosen[found.name] = found
        if not chosen:
            raise ValueError("at least one metric is required")
        return list(chosen.values())

    def _named(self, name):
        try:
            return [self.metric(name)]
        except ArchiveError as error:
            if error.code != c.PM_ERR_NONLEAF:
                raise
        return self.metrics(name)


class _Releasing:
    """Release a lock at the end of a with statement."""

    def __init__(self, lock):
        self._lock = lock

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._lock.release()


def _units(text):
    """Convert "ms", "us" and "ns" to PMAPI's names of these units: PMAPI reads "500ms" as 500 minutes."""
    return re.sub(r"(\d\s*)([mun])s\b", r"\1\2sec", text)


def _step(interval):
    """Return an interval in ns, or None."""
    if interval is None:
        return None
    if isinstance(interval, datetime.timedelta):
        step = interval // _MICROSECOND * 1000
    elif isinstance(interval, str):
        stamp, message = c.Timespec(), ctypes.c_void_p()
        if lib.pmParseHighResInterval(to_c(_units(interval), "an interval"), ctypes.byref(stamp), ctypes.byref(message)) < 0:
            raise ValueError("invalid interval:\n" + to_str(taken(message.value)).strip())
        step = _ns(stamp)
    else:
        step = round(interval * _SECOND)
    if step <= 0:
        raise ValueError("the interval must be greater than 0")
    return step


def _instant(when):
    """Return a time in ns, or None if it is text or not given."""
    if when is None or isinstance(when, str):
        return None
    if isinstance(when, datetime.datetime):
        if when.tzinfo is None:
            raise ValueError("the datetime has no time zone")
        return (when - _EPOCH) // _MICROSECOND * 1000
    if isinstance(when, int):
        return when
    raise TypeError("a time must be an int (in ns), a datetime or a str")


def _window(archive, start, end):
    """Return the first and the last time in ns; the last may be None."""
    last = archive.end
    first = archive.start if start is None or isinstance(start, str) else _instant(start)
    if isinstance(start, str) or isinstance(end, str):
        first, until = _parsed(start, end, first, last)
        if isinstance(end, str):
            return first, until
    return first, last if end is None else _instant(end)


def _parsed(start, end, first, last):
    texts = [to_c(_units(text), "a time") if isinstance(text, str) else None for text in (start, end)]
    bounds = _timespec(first), c.Timespec(c.PM_MAX_TIME_T, 0) if last is None else _timespec(last)
    results = [c.Timespec() for _ in range(3)]
    message = ctypes.c_void_p()
    code = lib.pmParseHighResTimeWindow(texts[0], texts[1], None, None, *map(ctypes.byref, bounds + tuple(results)),
                                        ctypes.byref(message))
    if code < 0:
        raise ValueError("invalid time:\n" + to_str(taken(message.value)).strip())
    return _ns(results[0]), None if results[1].tv_sec == c.PM_MAX_TIME_T else _ns(results[1])


class _Rows:
    """The rows of an archive, read through a separate context."""

    def __init__(self, archive, metrics, window, step):
        self._archive = archive
        self._metrics = {metric.pmid: metric for metric in metrics}
        self._pmids = (ctypes.c_uint * len(self._metrics))(*self._metrics)
        self._end = window[1]
        with archive._use():
            self._context = _Context(_check(lib.pmDupContext(), archive.path))
        mode = c.PM_MODE_FORW if step is None else c.PM_MODE_INTERP
        with archive._use(self._context):
            _check(lib.pmSetModeHighRes(mode, ctypes.byref(_timespec(window[0])), ctypes.byref(_timespec(step or 0))),
                   archive.path)

    def __iter__(self):
        return self

    def __next__(self):
        with self._archive._lock:
            if not self._context.close.alive:
                raise StopIteration
            while True:
                row = self._fetch()
                if row is None or self._end is not None and row.time > self._end:
                    self._context.close()
                    raise StopIteration
                return row

    def _fetch(self):
        pointer = ctypes.POINTER(c.Result)()
        with self._archive._use(self._context):
            code = lib.pmFetchHighRes(len(self._pmids), self._pmids, ctypes.byref(pointer))
        if code == c.PM_ERR_EOL:
            return None
        _check(code, self._archive.path)
        try:
            return self._row(pointer.contents)
        finally:
            lib.pmFreeHighResResult(pointer)

    def _row(self, result):
        row = Row(_ns(result.timestamp), {}, {})
        sets = ctypes.cast(result.vset, ctypes.POINTER(ctypes.POINTER(c.ValueSet)))
        for i in range(result.numpmid):
            found = sets[i].contents
            metric = self._metrics[found.pmid]
            if found.numval < 0:
                row.errors[metric.name] = _error(found.numval, metric.name)
            elif found.numval:
                self._fill(row.values, metric, found)
        return row

    def _fill(self, values, metric, found):
        names = None if metric.indom is None else self._archive._instances(metric.indom)
        place = ctypes.addressof(found) + c.ValueSet.vlist.offset
        for value in (c.Value * found.numval).from_address(place):
            instance = None if names is None else names.get(value.inst, str(value.inst))
            values[metric.name, instance] = _extract(found.valfmt, value, metric)

    def close(self):
        """Stop reading."""
        with self._archive._lock:
            self._context.close()


def _extract(form, value, metric):
    atom = c.AtomValue()
    kind = metric._type
    _check(lib.pmExtractValue(form, ctypes.byref(value), kind, ctypes.byref(atom), kind), metric.name)
    if kind in _MEMBERS:
        return getattr(atom, _MEMBERS[kind])
    if kind == c.PM_TYPE_STRING:
        return to_str(taken(atom.cp))
    length = c.ValueBlock.from_address(atom.vbp).vlen
    return taken(atom.vbp, length)[c.PM_VAL_HDR_SIZE:]
