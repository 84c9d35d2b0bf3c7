# SPDX-License-Identifier: LGPL-2.1-or-later
"""Count events, mark transactions and read archives of Performance Co-Pilot, through libshim.

    with vcpc.Counters("page-faults", "task-clock") as counters:
        work()
    print(counters.last["page-faults"])

    with vcpc.transaction("checkout"):
        ...

    with vcpc.Archive("/tmp/run") as archive:
        for time, metric, instance, value in archive.values("vcpc.count", interval=1):
            ...

Documentation/api/python.rst describes the whole package.
"""
from ._errors import ArchiveError, CounterError, Error, TraceError
from ._library import version
from .archive import Archive, Metric, Row
from .counters import Counters, Sample, backend, events
from .transactions import Transaction, counter, lost_events, observe, point, transaction

__all__ = [
    "Archive", "ArchiveError", "CounterError", "Counters", "Error", "Metric", "Row", "Sample", "TraceError",
    "Transaction", "backend", "counter", "events", "lost_events", "observe", "point", "transaction",
]
__version__ = version()
