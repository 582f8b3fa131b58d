"""A server of pictures on this machine, which a `Fetcher` must be told to allow; nothing leaves the machine."""

from __future__ import annotations

import io
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

from panelwise.images.fetch import Fetcher
from panelwise.settings.file_tables import ImageSettings

Answer = Callable[[BaseHTTPRequestHandler], None]


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), "red").save(out, "PNG")
    return out.getvalue()


def sends(body: bytes, status: int = 200, **headers: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return answer


class Site:
    """Answers by path; each request is noted as (path, headers)."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.path, dict(self.headers)))
                answers = site.answers[self.path.partition("?")[0]]
                try:
                    (answers.pop(0) if len(answers) > 1 else answers[0])(self)
                except OSError:
                    return  # The client has gone: so it should in some tests.

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def fetcher(**settings: Any) -> Fetcher:
    return Fetcher(
        ImageSettings(allow_urls=True, **settings),
        allowed=lambda _: True,
        any_port=True,
        pause=lambda _: None,
    )
