# SPDX-License-Identifier: LGPL-2.1-or-later
"""The exceptions that are raised when a call of the library fails."""


class Error(Exception):
    """A call of the library failed.

    code: the negative result of the call: a negated errno, PM_ERR_* or PMTRACE_ERR_*
    """

    def __init__(self, text, code):
        super().__init__(text, code)
        self.code = code

    def __str__(self):
        return self.args[0]

    @property
    def errno(self):
        """The system's error number, or None if the code is one of the library's."""
        return -self.code if -12000 < self.code < 0 else None


class CounterError(Error):
    """The requested events cannot be counted."""


class TraceError(Error):
    """A transaction, point or value was not accepted."""


class ArchiveError(Error):
    """An archive or a part of it cannot be read."""
