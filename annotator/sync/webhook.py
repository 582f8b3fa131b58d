"""A small server for Label Studio's webhooks: answers at once and wakes the synchronization.

Label Studio sends each event once and waits at most a second, so a request only marks its project. What happened
is then requested from the server; the webhook's content is ignored.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from panelwise.domain import AnnotatorError, SyncError
from panelwise.runtime import ClientLimits, HttpServer

#: Below this path webhooks are ours, of whichever run.
PATH = "/panelwise-sync/"
_MOST_DIGITS = 18
#: Bytes of a request at most, of which nothing is read.
_MOST_BYTES = 1 << 20


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
            self._server = HttpServer(
                self._answer,
                host=host,
                port=port,
                threads=2,
                name="webhooks",
                limits=ClientLimits(connections=64),
                # The secret keeps other callers out, and `public_url` may have any name.
                host_names=None,
                max_request_body_size=_MOST_BYTES,
            )
        except AnnotatorError as error:
            reason = getattr(error.__cause__, "strerror", error)
            raise SyncError(f"webhooks: port {port} of {host}: {reason}; give another one") from error
        self.base = (public_url or f"http://{host}:{self._server.port}").rstrip("/") + PATH

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
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()

    def _answer(self, environ: dict[str, Any], start: Callable[..., object]) -> list[bytes]:
        """Answer 204 to a webhook of ours, 404 to any other request (WSGI)."""
        ours = environ["REQUEST_METHOD"] == "POST" and self.accepts(environ["PATH_INFO"])
        start("204 No Content" if ours else "404 Not Found", [("Content-Length", "0")])
        return []
