"""The adjudication view on a port, in a thread of its own."""

from __future__ import annotations

import logging

from annotator.accounts.invitations import note_address
from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.app import logs
from annotator.web.factory import MAX_REQUEST, create_app
from panelwise.domain import StoreError
from panelwise.runtime import ClientLimits, HttpServer, server_address

#: Requests handled at the same time.
THREADS = 8
#: Of these, how many may wait to write to the store while another process does.
WAITING_WRITERS = THREADS // 2
#: Bytes of a request that are taken in before the app, which says more kindly that it is too large, hears of it;
#: and of its head. Waitress would accept a gigabyte from any client, and put it on the disk.
MOST_BODY = 2 * MAX_REQUEST
MOST_HEAD = 64 * 1024


class AdjudicationServer(HttpServer):
    """Serves one campaign. port: 0 takes any free one; `url` says which. A context manager as well.

    proxy: address of a proxy whose X-Forwarded-For is believed; without it all clients behind one count as one
    when attempts to sign in, and connections, are limited. metrics_token: see `create_app`.

    Raises AnnotatorError if the address cannot be had.
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
        limits: ClientLimits | None = None,
    ) -> None:
        self._home, self._store, self._https = home, store, https
        public = server_address(home.view_url)
        super().__init__(
            create_app(home, store.limit_waiting(WAITING_WRITERS), https=https, metrics_token=metrics_token),
            host=host,
            port=port,
            threads=THREADS,
            name="adjudication view",
            proxy=proxy,
            limits=limits,
            prompt_paths=("/health",),
            host_names=None if https else [public.hostname or ""] if public else [],
            max_request_body_size=MOST_BODY,
            max_request_header_size=MOST_HEAD,
            url_scheme="https" if https else "http",
        )

    def start(self) -> None:
        """Begin to answer, and note the address for links that the command makes."""
        behind_proxy = self._https and not self._home.view_url
        try:
            note_address(self._store, "" if behind_proxy else self._home.view_url or f"{self.address_for_others}/")
        except StoreError as error:
            # A store that cannot be written to can still be read here.
            logging.getLogger(logs.NAME).error("links will need --url: %s", error)
        super().start()

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        return f"{self.address}/"
