"""What is no HTTP, or only nearly: the server answers or hangs up, and goes on."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer

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


def answer(server: AdjudicationServer, sent: bytes, seconds: float = 0.3) -> bytes:
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
    assert b" 200 " in answer(server, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 600.0)


@pytest.mark.parametrize(
    "head",
    [
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000,
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
    "headers",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Transfer-Encoding: xchunked",
        b"Content-Length: +5",
    ],
)
def test_no_second_request_hides_in_the_body_of_the_first(server: AdjudicationServer, headers: bytes) -> None:
    hidden = b"0\r\n\r\nGET /hidden-page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    said = answer(server, b"POST /login HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n\r\n" + hidden, 2.0)
    assert said
    # Either the request is refused and the connection ended, or its end is where chunks say.
    first = said.split(b"\r\n", 1)[0]
    assert b" 4" in first or b" 501 " in first
    if b"chunked" not in headers:
        assert said.count(b"HTTP/1.") == 1, said[:400]
