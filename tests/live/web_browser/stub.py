"""A small HTTP server that plays the Flask side of the contract: page, state, image, decision, production CSP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from web_browser.figures import picture

STATIC = Path(__file__).parents[3] / "annotator" / "web" / "static"
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{figure}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/pages.css">
<link rel="stylesheet" href="/static/lists.css"><link rel="stylesheet" href="/static/filters.css">
<link rel="stylesheet" href="/static/dist/adjudication.css"></head><body class="screen"><main>
<div id="adjudication" data-state-url="/api/figures/{figure}" data-save-url="/api/figures/{figure}/decision"
 data-queue-url="/" data-guideline-url="/api/guidelines"
 data-campaign="{campaign}" data-csrf="of-the-page"></div></main>
<script type="module" src="/static/dist/adjudication.js"></script></body></html>"""
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}


class Stub:
    """What is served, what was posted (`posts`, with `tokens` of the form) and what to answer next (`answers`, or
    what `reply` makes of the post).

    `told`: what was posted to the addresses of leases and of putting off. An answer with the code 0 is lost: the
    decision arrived, and the connection breaks.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.posts: list[dict[str, Any]] = []
        self.csrf: list[str | None] = []
        self.answers: list[tuple[int, dict[str, Any]]] = []
        self.reply: Callable[[dict[str, Any]], tuple[int, dict[str, Any]]] | None = None
        self.picture = picture()
        self.campaign = "campaign-1"
        self.guidelines: dict[str, Any] | None = None
        self.told: list[tuple[str, dict[str, Any]]] = []
        stub = self

        class Handler(_Handler):
            owner = stub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Address of the figure's screen."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/figures/{self.state['figure_id']}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    owner: Stub

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the tests look at what was asked for."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        figure = self.owner.state["figure_id"]
        if path == f"/api/figures/{figure}":
            self._json(200, self.owner.state)
        elif path == "/api/guidelines":
            self._json(*((200, self.owner.guidelines) if self.owner.guidelines else (404, {"error": "none"})))
        elif path == f"/figures/{figure}/image":
            self._send(200, "image/png", self.owner.picture)
        elif path == f"/figures/{figure}":
            self._send(
                200, "text/html; charset=utf-8", PAGE.format(figure=figure, campaign=self.owner.campaign).encode()
            )
        elif path.startswith("/static/"):
            file = STATIC / path.removeprefix("/static/")
            self._send(200, f"{TYPES[file.suffix]}; charset=utf-8", file.read_bytes())
        else:
            self._send(200, "text/html; charset=utf-8", b"<!doctype html><title>elsewhere</title>elsewhere")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        what = self.path.rpartition("/")[2]
        if what in ("lease", "skip"):
            self.owner.told.append((what, body))
            self._json(200, {"others": self.owner.state["others"], "next_url": "/figures/f3"})
            return
        self.owner.posts.append(body)
        self.owner.csrf.append(self.headers["X-CSRFToken"])
        saved = {
            "version": body["version"] + 1,
            "next_url": self.owner.state["next_url"],
            "progress": {"decided": 3, "total": 6},
        }
        code, answer = 200, saved
        if self.owner.answers:
            code, answer = self.owner.answers.pop(0)
        elif self.owner.reply:
            code, answer = self.owner.reply(body)
        if code == 0:
            self.close_connection = True
            return
        self._json(code, answer)

    def _json(self, code: int, value: object) -> None:
        self._send(code, "application/json", json.dumps(value).encode())

    def _send(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", CSP),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
