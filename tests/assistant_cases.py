"""A server on loopback that plays a language model by a script, for tests of what reads captions with one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from panelwise.runtime.sockets import HttpServer

TEXT = "Lungs. (A) Left lung, 😀 before. (B) Right lung. Bars, 1 mm."
KEY = "sk-very-secret"

#: Status, headers and body of one answer.
Answer = tuple[str, list[tuple[str, str]], bytes]


def replied(text: str) -> Answer:
    body = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return "200 OK", [("Content-Type", "application/json")], json.dumps(body).encode()


def quoted(**panels: list[str]) -> str:
    return json.dumps({"panels": [{"label": label, "quotes": quotes} for label, quotes in panels.items()]})


GOOD = quoted(A=["Left lung, 😀 before"], B=["Right lung"])


class Scripted:
    """Gives the scripted answers one after the other, the last one again and again; notes what it was asked."""

    def __init__(self, script: Sequence[Answer]) -> None:
        self.script, self.asked, self.keys = list(script), list[dict[str, Any]](), list[str]()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        assert environ["PATH_INFO"] == "/v1/chat/completions"
        self.asked.append(json.loads(environ["wsgi.input"].read()))
        self.keys.append(environ.get("HTTP_AUTHORIZATION", ""))
        status, headers, body = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        start(status, headers)
        return [body]


@contextmanager
def serving(*script: Answer) -> Iterator[tuple[Scripted, str]]:
    """Serve the scripted answers; the application and the address to give as --assistant."""
    app = Scripted(script)
    server = HttpServer(app, host="127.0.0.1", port=0, threads=2, name="model")
    server.start()
    try:
        yield app, f"{server.address}/v1"
    finally:
        server.stop()
