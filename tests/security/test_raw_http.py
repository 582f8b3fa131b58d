"""What is no HTTP, or only nearly: the server answers or hangs up, and goes on."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotator.campaign.home import Home
from annotator.model_server.answers import Answers
from annotator.model_server.app import ModelServer
from annotator.store.store import Store
from annotator.sync.watch import Receiver
from annotator.web.server import AdjudicationServer
from panelwise.runtime.sockets import HttpServer

FIRST = (
    b"GET / HTTP/1.1",
    b"POST /login HTTP/1.1",
    b"GET /health HTTP/1.0",
    b"GET /%00 HTTP/1.1",
    b"GET / HTTP/9.9",
    b"GET http://evil.example/ HTTP/1.1",
    b"GET //evil.example/ HTTP/1.1",
    b"\x16\x03\x01\x02\x00",
    b"PRI * HTTP/2.0",
    b"GET /static/../../secret.key HTTP/1.1",
    b"GET",
    b"",
    b"OPTIONS * HTTP/1.1",
    b"CONNECT a:1 HTTP/1.1",
    b"GET http://[ HTTP/1.1",
)
HEADERS = (
    b"Host: localhost",
    b"Host:",
    b"Host: a\x00b",
    b"Content-Length: 5",
    b"Content-Length: -1",
    b"Content-Length: 5, 6",
    b"Content-Length: 0x5",
    b"Content-Length: " + b"9" * 5000,
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding : chunked",
    b"Transfer-Encoding: \x0bchunked",
    b" folded: x",
    b"X: \xff\xfe",
    b"X" * 300,
    b"Expect: 100-continue",
    b"Connection: close",
    b"Cookie: " + b"a=b; " * 200,
    b":",
    b"Content-Type: application/json",
)
BODIES = (
    b"",
    b"hello",
    b"0\r\n\r\n",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"FFFFFFFFFFFFFFFF\r\n",
    b"-1\r\n",
    b"5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
    b"0\r\n\r\nGET /logout HTTP/1.1\r\n\r\n",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdjudicationServer]:
    home = Home.create(tmp_path_factory.mktemp("raw") / "campaign")
    store: Store = home.open_store()
    with AdjudicationServer(home, store) as running:
        yield running
    store.close()


def answer(server: HttpServer, sent: bytes, seconds: float = 0.3) -> bytes:
    """All that comes back; b"" where the server waits for more, or hangs up."""
    said = b""
    with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65_536):
                said += chunk
        except (TimeoutError, ConnectionError):
            return said
    return said


def test_nothing_that_is_sent_makes_the_server_fall_over(server: AdjudicationServer) -> None:
    @given(
        st.sampled_from(FIRST) | st.binary(max_size=30),
        st.lists(st.sampled_from(HEADERS) | st.binary(max_size=20), max_size=4),
        st.sampled_from(BODIES) | st.binary(max_size=30),
        st.sampled_from([b"\r\n", b"\r\n", b"\n", b"\r"]),
    )
    @settings(
        max_examples=max(10, settings.default.max_examples // 5),
        phases=[Phase.generate],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def survives(first: bytes, headers: list[bytes], body: bytes, end: bytes) -> None:
        said = answer(server, end.join([first, *headers]) + end + end + body)
        if said:
            status = said.split(b" ", 2)[1]
            assert status[:1] in b"1234" or status in (b"501", b"505"), said[:200]
            assert b"Traceback" not in said

    survives()
    assert b" 200 " in answer(
        server, b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 600.0
    )


@pytest.mark.parametrize(
    "head",
    [
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 5000,
        b"GET http://[ HTTP/1.1\r\nHost: x",
    ],
    ids=["digits", "address"],
)
def test_a_head_that_cannot_be_read_is_answered_and_leaves_no_traceback(
    server: AdjudicationServer, caplog: pytest.LogCaptureFixture, head: bytes
) -> None:
    assert b" 400 " in answer(server, head + b"\r\n\r\n", 600.0).splitlines()[0]
    assert caplog.records == []


@pytest.mark.parametrize(
    ("version", "headers"),
    [
        (b"1.1", b"Content-Length: 5\r\nTransfer-Encoding: chunked"),
        (b"1.1", b"Transfer-Encoding: chunked\r\nContent-Length: 5"),
        (b"1.1", b"transfer-encoding:\tChunked\r\ncontent-length: 5"),
        (b"1.1", b"Content-Length: x\r\nTransfer-Encoding: chunked"),
        (b"1.0", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive"),
        (b"1.0", b"Transfer-Encoding: chunked\r\nConnection: keep-alive"),
        (b"1.1", b"Content-Length: 5\r\nContent-Length: 6"),
        (b"1.1", b"Transfer-Encoding: xchunked"),
        (b"1.1", b"Transfer-Encoding: chunked, chunked"),
        (b"1.1", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        (b"1.1", b"Transfer-Encoding: chunked,\r\n chunked"),
        (b"1.1", b"Transfer-Encoding: gzip, chunked"),
        (b"1.1", b"Content-Length: +5"),
    ],
)
@pytest.mark.parametrize("kind", ["view", "models", "webhooks"])
def test_no_second_request_hides_in_the_body_of_the_first(
    server: HttpServer, kind: str, version: bytes, headers: bytes
) -> None:
    """Refused by each of our servers, and the connection ends: what follows is never a request."""
    head = b"POST /login HTTP/" + version + b"\r\nHost: localhost\r\n" + headers + b"\r\n\r\n"
    hidden = b"0\r\n\r\nGET /hidden-page HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with ExitStack() as stack:
        if kind == "models":
            # No request gets as far as the model.
            server = stack.enter_context(ModelServer(cast("Answers", None)))
        elif kind == "webhooks":
            server = stack.enter_context(Receiver(0))._server
        said = answer(server, head + hidden, 600.0)
    assert said.split(b"\r\n", 1)[0].split(b" ")[1] in (b"400", b"501"), said[:400]
    assert len(re.findall(rb"HTTP/1\.[01] \d", said)) == 1, said[:400]


def test_a_body_in_chunks_alone_is_a_request_as_any(server: AdjudicationServer) -> None:
    head = b"POST /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert b" 405 " in answer(server, head + b"5\r\nhello\r\n0\r\n\r\n", 600.0).splitlines()[0]
