# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace agent in a thread, which receives events over TCP as PCP's own agent does, and keeps them."""
import socket
import struct
import threading

KINDS = {1: "transaction", 2: "point", 3: "observe", 4: "counter"}


def _acknowledgement(value):
    return struct.pack(">IIii", 16, 0x7050, 1, value)


class TraceAgent:
    """events: (kind, tag, value) in the order in which they arrived."""

    def __init__(self):
        self.events = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        # Make accept() return an error, which ends its thread.
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection):
        with connection:
            connection.sendall(_acknowledgement(1))
            while self._take(connection):
                pass

    def _take(self, connection):
        head = connection.recv(24, socket.MSG_WAITALL)
        if len(head) < 24:
            return False
        size, kind, length = struct.unpack(">I", head[:4])[0], head[14], head[13]
        rest = connection.recv(size - 24, socket.MSG_WAITALL)
        self.events.append((KINDS[kind], rest[:length - 1].decode(), struct.unpack(">d", head[16:24])[0]))
        if head[15] & 0x80:
            connection.sendall(_acknowledgement(kind))
        return True
