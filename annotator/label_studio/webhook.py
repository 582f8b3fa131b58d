"""Where Label Studio tells that somebody submitted something: a small server that answers at once and wakes us.

Label Studio sends each event once and waits a second at most, so nothing is done here but to note the project.
What happened is asked from the server itself, whatever was sent.
"""

from __future__ import annotations

import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from annotator.domain.errors import SyncError

#: Below this path webhooks are ours, of whichever run.
PATH = "/panelwise-sync/"
_MOST_DIGITS = 18
_MOST_BYTES = 65_536


class Receiver:
    """Listens while its context is open. The address holds a secret, so that nobody else can wake us."""

    def __init__(self, port: int, *, host: str = "127.0.0.1", public_url: str | None = None) -> None:
        """port: 0 takes a free one. public_url: how Label Studio reaches `host` and `port`, where it is elsewhere.

        Raises SyncError where the port is taken.
        """
        self._secret = secrets.token_urlsafe(16)
        self._changed = threading.Condition()
        self._projects: set[int] = set()
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(self))
        except OSError as error:
            raise SyncError(f"webhooks: port {port} of {host}: {error.strerror}; give another one") from error
        self._server.daemon_threads = True
        self.base = (public_url or f"http://{host}:{self._server.server_port}").rstrip("/") + PATH
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def address(self, project_id: int) -> str:
        """Where the server is to tell of a project's changes."""
        return f"{self.base}{self._secret}/{project_id}"

    def wait(self, seconds: float) -> frozenset[int]:
        """Ids of the projects that something happened in since the last call; waits for one, so long at most."""
        with self._changed:
            if not self._projects:
                self._changed.wait(seconds)
            found = frozenset(self._projects)
            self._projects.clear()
        return found

    def heard(self, path: str) -> bool:
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


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers POSTs; nobody else has any business here."""

        timeout = 5

        def do_POST(self) -> None:
            """204 for one of ours, 404 for any other."""
            said = self.headers.get("Content-Length", "")
            if said.isascii() and said.isdigit():
                self.rfile.read(min(int(said), _MOST_BYTES))  # else the sender may see its connection reset
            self.send_response(204 if receiver.heard(self.path) else 404)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Requests are no news."""

    return Handler
