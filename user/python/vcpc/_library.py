# SPDX-License-Identifier: LGPL-2.1-or-later
"""Load libshim once, and convert its texts, strings and handles for the rest of the package."""
import ctypes
import os
import threading
import weakref

from . import _interface as c

SONAME = "libshim.so.1"


def _load():
    try:
        library = ctypes.CDLL(SONAME)
        for name, result, arguments in c.functions():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"vcpc: cannot load {SONAME}: {error}") from error
    return library


lib = _load()
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


def version():
    """Return the library's version."""
    return lib.shim_version().decode()


def text_of(code):
    """Return the library's text for a library or system error."""
    buffer = ctypes.create_string_buffer(c.PM_MAXERRMSGLEN)
    return lib.pmErrStr_r(code, buffer, len(buffer)).decode(errors="replace")


def to_c(text, what):
    """Convert a str, bytes or path to a C string."""
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} must be a str or bytes, not {type(text).__name__}")
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError(f"{what} contains a NUL character")
    return encoded


def to_str(text):
    """Convert a C string; bytes that are not UTF-8 are decoded as by os.fsdecode()."""
    return text.decode("utf-8", "surrogateescape")


def taken(address, length=None):
    """Return the bytes of memory that the library has allocated, and free the memory."""
    try:
        return ctypes.string_at(address, -1 if length is None else length)
    finally:
        _free(address)


def freed(pointer):
    """Free the memory to which a ctypes pointer points."""
    _free(ctypes.cast(pointer, ctypes.c_void_p))


class Handle:
    """A pointer of the library that is destroyed once, and not while a call is using it.

    Use "with handle as pointer" for the duration of a call; it raises ValueError if the handle was closed.  If another
    thread or a signal handler calls close() in the meantime, the pointer is destroyed after the call.
    """

    def __init__(self, pointer, destroy):
        self._pointer = pointer
        self._lock = threading.RLock()
        self._users = 0
        self._closed = False
        self._destroy = weakref.finalize(self, destroy, pointer)

    def __enter__(self):
        with self._lock:
            # Count the user before the check, because a signal handler may close the handle in between.
            self._users += 1
            if not self._closed:
                return self._pointer
        self.__exit__()
        raise ValueError("the set is closed")

    def __exit__(self, *_exception):
        with self._lock:
            self._users -= 1
            if self._closed and not self._users:
                self._destroy()

    @property
    def closed(self):
        return self._closed

    def close(self):
        with self._lock:
            self._closed = True
            if not self._users:
                self._destroy()
