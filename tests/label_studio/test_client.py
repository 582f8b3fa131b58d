"""The client against servers that are down, refuse, or are something else."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from annotator.label_studio.client import LabelStudioServer
from panelwise.domain.errors import SyncError
from panelwise.runtime.http_clients import is_loopback


class _Stranger(BaseHTTPRequestHandler):
    status, body, kind, silent = 200, b"<html>hello</html>", "text/html", False
    enough: threading.Event

    def do_GET(self) -> None:
        if self.silent:
            self.enough.wait(120)
        self.send_response(self.status)
        self.send_header("Content-Type", self.kind)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stranger(request: pytest.FixtureRequest) -> Iterator[str]:
    enough = threading.Event()
    handler = type("Handler", (_Stranger,), {"enough": enough, **getattr(request, "param", {})})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    enough.set()
    server.shutdown()
    thread.join()
    server.server_close()


def complaint(url: str, token: str = "t" * 40, timeout: float = 60) -> str:
    with LabelStudioServer(url, token, timeout=timeout) as server, pytest.raises(SyncError) as told:
        server.check()
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.slow
def test_a_server_that_is_down_is_told_in_one_line() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        assert "no server answers" in complaint(url)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stranger", "words"),
    [
        ({}, "another program"),
        ({"status": 404}, "another program"),
        ({"status": 401}, "another program"),
        ({"body": b"{}", "kind": "application/json"}, "another program"),
        ({"body": b"[1, 2]", "kind": "application/json"}, "another program"),
        (
            {"status": 401, "body": b'{"detail": "Invalid token."}', "kind": "application/json"},
            "refused the token",
        ),
        ({"status": 403, "body": b'{"detail": "Not allowed."}', "kind": "application/json"}, "Not allowed"),
        (
            {
                "status": 400,
                "body": b'{"validation_errors": {"title": ["too\\nlong"]}}',
                "kind": "application/json",
            },
            "title: too long",
        ),
    ],
    indirect=["stranger"],
)
def test_whatever_else_answers_is_told_in_one_line(stranger: str, words: str) -> None:
    assert words in complaint(stranger)


@pytest.mark.slow
@pytest.mark.parametrize("stranger", [{"silent": True}], indirect=True)
def test_a_server_that_does_not_answer_in_time_is_told(stranger: str) -> None:
    assert "no answer within" in complaint(stranger, timeout=0.2)


@pytest.mark.parametrize(
    "url", ["", "localhost:8080", "ftp://x", "http://", "http://[::1", "http://x:99999", "http://a b"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SyncError, match="no address of a server"):
        LabelStudioServer(url, "token")


@pytest.mark.parametrize("token", ["", "two words", "übel", "line\nbreak"])
def test_a_token_that_cannot_be_is_refused_before_anything_is_sent(token: str) -> None:
    with pytest.raises(SyncError, match="token"):
        LabelStudioServer("http://127.0.0.1:1", token)


def test_loopback_is_reached_without_the_proxy(stranger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert "another program" in complaint(stranger)


def test_loopback_is_known_by_its_names() -> None:
    assert all(
        map(is_loopback, ("http://127.0.0.1:1", "http://localhost", "http://[::1]:80", "http://a.localhost"))
    )
    assert not any(map(is_loopback, ("http://example.org", "http://10.0.0.1", "http://localhost.example.org")))
