"""The adjudication view on a port, in a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Any

from waitress import wasyncore
from waitress.server import create_server

from annotator.services.home import Home
from annotator.services.listening import listen
from annotator.store.store import Store
from annotator.web.app import MAX_REQUEST, create_app

#: Requests handled at the same time.
THREADS = 8
#: Bytes of a request that are taken in before the app, which says more kindly that it is too large, hears of it;
#: and of its head. Waitress would take a gigabyte from anybody, and put it on the disk.
MOST_BODY = 2 * MAX_REQUEST
MOST_HEAD = 64 * 1024
#: Seconds that requests under way are given when the server stops.
GRACE = 5.0


class AdjudicationServer:
    """Serves one campaign. port: 0 takes any free one; `url` says which. A context manager as well.

    proxy: address of a proxy whose X-Forwarded-For is believed; without it all clients behind one count as one
    when attempts to sign in are limited. metrics_token: see `create_app`.

    Raises AnnotatorError where the address cannot be had.
    """

    def __init__(
        self,
        home: Home,
        store: Store,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        https: bool = False,
        proxy: str = "",
        metrics_token: str = "",
    ) -> None:
        # A browser that loads a page of thumbnails queues up for a moment; that is no news.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        listening = listen(host, port)
        self.host = host
        self.port = int(listening.getsockname()[1])
        self._sockets: dict[int, Any] = {}
        self._server = create_server(
            create_app(home, store, https=https, metrics_token=metrics_token),
            map=self._sockets,
            sockets=[listening],
            threads=THREADS,
            ident=None,
            max_request_body_size=MOST_BODY,
            max_request_header_size=MOST_HEAD,
            url_scheme="https" if https else "http",
            clear_untrusted_proxy_headers=True,
            **_trusting(proxy),
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="adjudication view", daemon=True)

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self.port}/"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Take no new requests, finish those under way (for a few seconds), close. May be called twice."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        else:
            self._close()

    def __enter__(self) -> AdjudicationServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopping.is_set():
            wasyncore.loop(timeout=0.2, map=self._sockets, count=1)
        self._refuse()
        until = time.monotonic() + GRACE
        while self._busy() and time.monotonic() < until:
            wasyncore.loop(timeout=0.05, map=self._sockets, count=1)
        self._close()

    def _refuse(self) -> None:
        """Close the listening sockets; connections that exist stay."""
        for one in list(self._sockets.values()):
            if getattr(one, "accepting", False):
                one.close()

    def _busy(self) -> bool:
        return any(
            getattr(one, "requests", None) or getattr(one, "total_outbufs_len", 0)
            for one in self._sockets.values()
        )

    def _close(self) -> None:
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._sockets, ignore_all=True)


def _trusting(proxy: str) -> dict[str, Any]:
    """Waitress's settings for taking the client's address from `proxy`, and from nobody else."""
    if not proxy:
        return {}
    return {"trusted_proxy": proxy, "trusted_proxy_count": 1, "trusted_proxy_headers": "x-forwarded-for"}
