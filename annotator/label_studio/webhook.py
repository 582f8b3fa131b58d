"""A small server for Label Studio's webhooks: answers at once and wakes the synchronization.

Label Studio sends each event once and waits at most a second, so a request only marks its project. What happened
is then requested from the server; the webhook's content is ignored.
"""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from panelwise.domain.errors import SyncError

#: Below this path webhooks are ours, of whichever run.
PATH = "/panelwise-sync/"
_MOST_DIGITS = 18
_MOST_BYTES = 65_536
#: Seconds from the connection to the answer, however steadily bytes arrive: Label Studio itself waits one second.
SECONDS = 5.0
#: Connections at the same time; the oldest is closed for one more.
MOST_CONNECTIONS = 64


class Receiver:
    """Receives webhooks while its context is open. A secret in its address keeps other callers out."""

    def __init__(self, port: int, *, host: str = "127.0.0.1", public_url: str | None = None) -> None:
        """port: 0 chooses a free one. public_url: how Label Studio reaches `host` and `port`, if it differs.

        Raises SyncError if the port is in use.
        """
        self._secret = secrets.token_urlsafe(16)
        self._changed = threading.Condition()
        self._projects: set[int] = set()
        try:
            self._server = _Server((host, port), _handler(self))
        except OSError as error:
            raise SyncError(f"webhooks: port {port} of {host}: {error.strerror}; give another one") from error
        self.base = (public_url or f"http://{host}:{self._server.server_port}").rstrip("/") + PATH
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def address(self, project_id: int) -> str:
        """Return the webhook's address for a project."""
        return f"{self.base}{self._secret}/{project_id}"

    def wait(self, seconds: float) -> frozenset[int]:
        """Return the ids of projects with changes since the last call; waits for one, at most `seconds`."""
        with self._changed:
            if not self._projects:
                self._changed.wait(seconds)
            found = frozenset(self._projects)
            self._projects.clear()
        return found

    def accepts(self, path: str) -> bool:
        """Note the project of a request's path; whether it was one of ours."""
        beginning, _, number = path.rpartition("/")
        known = secrets.compare_digest(beginning.encode(), f"{PATH}{self._secret}".encode())
        if not known or not number.isascii() or not number.isdigit() or len(number) > _MOST_DIGITS:
            return False
        with self._changed:
            self._projects.add(int(number))
            self._changed.notify_all()
        return True

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """A thread for each connection, of which there are few and each has a deadline."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        #: Connections with the time when each began, oldest first.
        self._open: dict[socket.socket, float] = {}
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start the connection's thread."""
        self._open[request] = time.monotonic()
        for oldest in list(self._open)[:-MOST_CONNECTIONS]:
            self._hang_up(oldest)
        super().process_request(request, client_address)

    def service_actions(self) -> None:
        """End connections that are past their deadline; called by `serve_forever` several times a second."""
        for request, began in list(self._open.items()):
            if time.monotonic() - began > SECONDS:
                self._hang_up(request)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection whose thread is done."""
        self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report faults of ours; that a client hangs up, or was hung up on, is none."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def _hang_up(self, request: socket.socket) -> None:
        """Wake the connection's thread, which then closes it."""
        self._open.pop(request, None)
        with suppress(OSError):  # the client, or the thread, was faster
            request.shutdown(socket.SHUT_RDWR)


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers POST requests; there are no others."""

        def do_POST(self) -> None:
            """Answer 204 to a webhook of ours, 404 to any other, 400 where the length is no number."""
            length = self.headers.get("Content-Length", "0")
            if length.isascii() and length.isdigit() and len(length) <= _MOST_DIGITS:
                self.rfile.read(min(int(length), _MOST_BYTES))  # else the sender may see its connection reset
                self.send_response(204 if receiver.accepts(self.path) else 404)
            else:
                self.send_response(400)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Requests are no news."""

    return Handler
