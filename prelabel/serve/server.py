"""The models' server on a port, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Any

from waitress import create_server, wasyncore

from annotator.services.listening import listen
from prelabel.serve.answers import Answers
from prelabel.serve.app import MAX_REQUEST, create_app

#: Requests answered at the same time; the model takes one figure at a time, the rest is reading and sending.
THREADS = 4


class ModelServer:
    """A context manager. port: 0 takes any free one; `url` says which. Raises AnnotatorError where it is taken."""

    def __init__(self, answers: Answers, *, host: str = "127.0.0.1", port: int = 0, password: str = "") -> None:
        # Tasks that wait for the model are no news.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        listening = listen(host, port)
        self._sockets: dict[int, Any] = {}
        self._server = create_server(
            create_app(answers, password=password),
            map=self._sockets,
            sockets=[listening],
            threads=THREADS,
            ident=None,
            max_request_body_size=2 * MAX_REQUEST,
            clear_untrusted_proxy_headers=True,
        )
        name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        self.url = f"http://{f'[{name}]' if ':' in name else name}:{listening.getsockname()[1]}"
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="models", daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            wasyncore.loop(timeout=0.2, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._sockets, ignore_all=True)
