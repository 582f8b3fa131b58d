"""The reachability of an external Label Studio, over real sockets, and cached."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from annotator.label_studio import reachable
from annotator.label_studio.reachable import why_unreachable


class Answers(BaseHTTPRequestHandler):
    code, asked = 200, 0

    def do_GET(self) -> None:
        Answers.asked += 1
        self.send_response(self.code)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another server may have had the same port; and an answer lasts as long as the test."""
    monkeypatch.setattr(reachable, "_answers", {})
    monkeypatch.setattr(reachable, "LASTS", math.inf)


@pytest.fixture
def server() -> Iterator[str]:
    Answers.code, Answers.asked = 200, 0
    with HTTPServer(("127.0.0.1", 0), Answers) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


def test_a_server_that_answers_is_reachable_and_asked_once_in_a_while(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [why_unreachable(server) for _ in range(3)] == ["", "", ""]
    assert Answers.asked == 1
    monkeypatch.setattr(reachable, "LASTS", 0.0)
    Answers.code = 502
    assert "502" in why_unreachable(server)


def test_an_address_without_a_server_or_of_none_is_unreachable() -> None:
    with socket.socket() as taken:  # and nobody listens there
        taken.bind(("127.0.0.1", 0))
        for url in (f"http://127.0.0.1:{taken.getsockname()[1]}", "http://[", "nonsense"):
            assert why_unreachable(url), url
