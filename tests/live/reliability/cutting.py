"""A way to a server that a test may cut: connections end in the middle, new ones are refused."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Cable:
    """Listens on a port of its own and passes everything on to `port`, until it is cut."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._left: int | None = None
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def cut_after(self, size: int) -> None:
        """Let so many more bytes of answers through, then nothing."""
        with self._lock:
            self._left = size

    def mend(self) -> None:
        """Let everything through again."""
        with self._lock:
            self._left = None

    @property
    def is_cut(self) -> bool:
        """Whether no more gets through."""
        with self._lock:
            return self._left is not None and self._left <= 0

    def close(self) -> None:
        """End all."""
        self._listening.close()
        self._end_all()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._to))
            with self._lock:
                self._open |= {near, far}
            threading.Thread(target=self._pass, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(far, near, True), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        with suppress(OSError):
            while data := source.recv(4096):
                through = self._fitting(data) if counted else data
                sink.sendall(through)
                # Now, not at the next bytes: there may be none, and whoever asked would wait for the rest.
                if len(through) < len(data):
                    self._end_all()
                    return
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _fitting(self, data: bytes) -> bytes:
        with self._lock:
            if self._left is None:
                return data
            data = data[: max(0, self._left)]
            self._left -= len(data)
            return data

    def _end_all(self) -> None:
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
