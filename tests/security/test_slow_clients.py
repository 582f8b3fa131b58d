"""Clients that are slow on purpose shut nobody out, and those that are slow by nature are served."""

from __future__ import annotations

import select
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest
from waitress import trigger

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.runtime import slow_clients, sockets
from panelwise.runtime.slow_clients import ClientLimits
from panelwise.runtime.sockets import HttpServer

pytestmark = pytest.mark.slow

#: What a test waits at most for something that a slow machine may take long to do.
PATIENCE = 600.0
HEAD = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: "
BODY = b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


class Attack:
    """Sockets that each have sent the beginning of a request. sources: the addresses they come from, in turn."""

    def __init__(self, server: HttpServer, count: int, sent: bytes, sources: int = 1) -> None:
        self.sockets = []
        for number in range(count):
            one = socket.create_connection(
                (server.host, server.port), timeout=PATIENCE, source_address=(f"127.0.0.{1 + number % sources}", 0)
            )
            self.sockets.append(one)
            self.send(one, sent)

    @staticmethod
    def send(one: socket.socket, sent: bytes) -> None:
        # Where the server closed it, `open` says so.
        with suppress(ConnectionError):
            one.sendall(sent)

    def go_on(self, byte: bytes = b"a") -> None:
        """One more byte on each of them."""
        for one in self.sockets:
            self.send(one, byte)

    def open(self) -> list[socket.socket]:
        """The sockets that the server has not closed."""
        return [one for one in self.sockets if not closed(one)]

    def close(self) -> None:
        for one in self.sockets:
            one.close()


def closed(one: socket.socket) -> bool:
    """Whether the server closed the connection; it has sent nothing."""
    if not select.select([one], [], [], 0)[0]:
        return False
    try:
        return one.recv(1, socket.MSG_PEEK) == b""
    except ConnectionError:
        return True


@contextmanager
def attacked(server: HttpServer, count: int, sent: bytes, sources: int = 1) -> Iterator[Attack]:
    attack = Attack(server, count, sent, sources)
    try:
        yield attack
    finally:
        attack.close()


def health(server: HttpServer) -> int:
    with urllib.request.urlopen(f"{server.address}/health", timeout=PATIENCE) as answer:
        return int(answer.status)


def until(holds: Callable[[], bool], meanwhile: Callable[[], None] = lambda: None) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        meanwhile()
        time.sleep(0.1)


@pytest.mark.parametrize("sent", [HEAD, BODY, b"", b"\r\n"], ids=["headers", "bodies", "nothing", "blank lines"])
@pytest.mark.parametrize(("count", "sources"), [(120, 1), (300, 100)], ids=["one address", "many addresses"])
def test_slow_clients_leave_the_view_answering(
    home: Home, store: Store, sent: bytes, count: int, sources: int
) -> None:
    with AdjudicationServer(home, store) as server, attacked(server, count, sent, sources) as attack:
        for _ in range(4):
            assert health(server) == 200
            attack.go_on(b"\r\n" if sent == b"\r\n" else b"a")
            time.sleep(0.2)
        assert health(server) == 200


class Clock:
    """The server's clock, which stands still until a test moves it."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (slow_clients, sockets):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.mark.parametrize(("sent", "byte"), [(HEAD, b"a"), (b"", b"a"), (b"", b"\r\n"), (b"\r\n", b"\r\n")])
def test_headers_have_a_deadline_that_no_byte_puts_off(
    home: Home, store: Store, clock: Clock, sent: bytes, byte: bytes
) -> None:
    limits = ClientLimits(head_seconds=20.0)
    with AdjudicationServer(home, store, limits=limits) as server, attacked(server, 3, sent) as attack:
        until(lambda: len(server._server.active_channels) == 3)
        for _ in range(3):
            clock.now += 6.0
            attack.go_on(byte)
            assert health(server) == 200
        assert len(attack.open()) == 3, "their 20 seconds are not over"
        clock.now += 3.0
        until(lambda: not attack.open())
        assert health(server) == 200


def test_the_headers_of_a_second_request_have_a_deadline_too(home: Home, store: Store, clock: Clock) -> None:
    limits = ClientLimits(head_seconds=20.0, idle_seconds=1e9)
    # HEAD: of an answer with a body, a busy machine may deliver a part after the first read, and `closed` sees it.
    first = b"HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n"

    def go_on() -> None:
        attack.go_on(b"\r\n")
        clock.now += 5.0

    with AdjudicationServer(home, store, limits=limits) as server, attacked(server, 1, first) as attack:
        assert b" 200 " in attack.sockets[0].recv(65_536)
        until(lambda: all(each._answered for each in server._server.active_channels.values()))
        clock.now += 3600.0
        assert health(server) == 200
        assert attack.open(), "between two requests a connection may rest"
        until(lambda: not attack.open(), go_on)


def test_a_body_that_trickles_in_is_given_up(home: Home, store: Store) -> None:
    limits = ClientLimits(grace_seconds=1.0)
    chunked = BODY.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked") + b"FFFF\r\n"
    with AdjudicationServer(home, store, limits=limits) as server:
        for sent in (BODY, chunked):
            with attacked(server, 3, sent) as attack:
                until(lambda attack=attack: not attack.open(), attack.go_on)


def test_a_slow_but_steady_upload_is_served_amid_the_attack(home: Home, store: Store) -> None:
    limits = ClientLimits(grace_seconds=2.0, per_client=32, connections=64)
    with (
        AdjudicationServer(home, store, limits=limits) as server,
        attacked(server, 120, BODY) as attack,
        socket.create_connection((server.host, server.port), timeout=PATIENCE) as upload,
    ):
        # Each 5 kB earn ten seconds, however long the machine takes for a round; all of them take twice the grace.
        upload.sendall(BODY + b"a" * 5000)
        for _ in range(19):
            attack.go_on()
            time.sleep(0.2)
            upload.sendall(b"a" * 5000)
        assert upload.recv(65_536).startswith(b"HTTP/1.1 4"), "answered: this client is not signed in"
        assert len(attack.open()) <= 32


def test_an_answer_that_nobody_reads_is_given_up() -> None:
    def app(_environ, start_response):
        start_response("200 OK", [("Content-Length", str(64 << 20))])
        return (b"a" * (1 << 20) for _ in range(64))

    limits = ClientLimits(grace_seconds=0.5, bytes_per_second=1e9)
    ask = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with HttpServer(app, host="127.0.0.1", port=0, threads=1, name="large answers", limits=limits) as server:
        with attacked(server, 1, ask) as attack:
            assert attack.sockets[0].recv(10)
            until(lambda: not server._server.active_channels)
        # The one thread of the app is free again.
        with attacked(server, 1, ask) as attack:
            assert attack.sockets[0].recv(10)


def test_a_client_has_so_many_connections_and_the_newest_are_those_that_stay(home: Home, store: Store) -> None:
    limits = ClientLimits(per_client=5, fresh_seconds=0.0)
    with AdjudicationServer(home, store, limits=limits) as server, attacked(server, 12, HEAD) as attack:
        until(lambda: len(attack.open()) <= 5)
        assert attack.open() == attack.sockets[-5:]


def forwarded(client: str) -> bytes:
    return BODY.replace(b"Host: x", f"Host: x\r\nX-Forwarded-For: {client}".encode())


def test_behind_a_proxy_connections_are_counted_by_the_address_it_reports(home: Home, store: Store) -> None:
    limits = ClientLimits(per_client=5, fresh_seconds=0.0, grace_seconds=3600)
    with AdjudicationServer(home, store, proxy="127.0.0.1", limits=limits) as server:
        others = [Attack(server, 1, forwarded(f"198.51.100.{number}")) for number in range(20)]
        # What a client claims stands to the left of what the proxy adds.
        with attacked(server, 12, forwarded("198.51.100.3, 203.0.113.9")) as attack:
            until(lambda: len(attack.open()) <= 5)
            assert len(attack.open()) == 5
            assert all(one.open() for one in others)
            assert health(server) == 200
        for one in others:
            one.close()


def test_a_network_of_ipv6_is_one_client(home: Home, store: Store) -> None:
    limits = ClientLimits(per_client=5, fresh_seconds=0.0, grace_seconds=3600)
    with AdjudicationServer(home, store, proxy="127.0.0.1", limits=limits) as server:
        attacks = [Attack(server, 1, forwarded(f"2001:db8::{number:x}")) for number in range(12)]
        until(lambda: sum(len(one.open()) for one in attacks) <= 5)
        for one in attacks:
            one.close()


def test_without_a_trusted_proxy_nobody_says_who_they_are(home: Home, store: Store) -> None:
    limits = ClientLimits(per_client=5, fresh_seconds=0.0, grace_seconds=3600)
    with AdjudicationServer(home, store, limits=limits) as server:
        attacks = [Attack(server, 1, forwarded(f"198.51.100.{number}")) for number in range(12)]
        until(lambda: sum(len(one.open()) for one in attacks) <= 5)
        for one in attacks:
            one.close()


def test_a_client_is_answered_however_much_it_asks_for_at_once(home: Home, store: Store) -> None:
    statuses: list[int] = []
    with AdjudicationServer(home, store) as server:
        asking = [threading.Thread(target=lambda: statuses.append(health(server))) for _ in range(48)]
        for one in asking:
            one.start()
        for one in asking:
            one.join(PATIENCE)
    assert statuses == [200] * 48


def test_a_thread_that_outlasts_the_stop_wakes_no_closed_server(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []

    def write(descriptor: int, data: bytes) -> int:
        written.append(descriptor)
        return len(data)

    server = HttpServer(lambda *_: [], host="127.0.0.1", port=0, threads=1, name="test")
    with server:
        pass
    # The descriptor may be another file's by now.
    monkeypatch.setattr(trigger, "os", SimpleNamespace(write=write))
    server._server.pull_trigger()
    assert written == []


def test_an_answer_that_ends_while_the_server_stops_is_sent_and_logs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked, refused = threading.Event(), threading.Event()

    def answer(_environ: object, start: Callable[..., object]) -> list[bytes]:
        asked.set()
        assert refused.wait(PATIENCE)
        start("200 OK", [("Content-Length", "4")])
        return [b"done"]

    server = HttpServer(answer, host="127.0.0.1", port=0, threads=1, name="test")
    server.start()
    with socket.create_connection((server.host, server.port), PATIENCE) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert asked.wait(PATIENCE)
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        until(lambda: server._server.socket is None)
        refused.set()
        stopping.join(PATIENCE)
        assert client.recv(1000).endswith(b"done")
    assert caplog.records == []
