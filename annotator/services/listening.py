"""HTTP servers of ours: the socket that one listens on, and clients too slow to be waited for.

Waitress reads the requests of all connections in one thread and hands only complete ones to the app: a slow client
costs no thread, but it costs a connection, of which there are only so many. Waitress itself closes a connection
after two minutes without a byte, so a client that sends one byte every few seconds stays as long as it likes. Here
each connection that waits for its client has a deadline, and where there are too many connections, those with the
nearest deadline are closed. See docs/decisions/0036-slow-clients.md.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer

from annotator.domain.errors import AnnotatorError

#: Seconds that requests in progress get when the server stops.
GRACE = 5.0
#: Seconds between two looks at the deadlines.
_BETWEEN_CHECKS = 0.25
#: Seconds between two log lines about closed connections.
_BETWEEN_LOG_LINES = 60.0

#: Hosts that stand for all addresses of the machine -> the one by which the machine reaches itself.
_ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """How long a server waits for its clients, and for how many at once.

    head_seconds: from the first byte of a request (of the first one: from the connection on) to the end of its
    headers, however steadily bytes arrive.
    grace_seconds, bytes_per_second: a body must arrive, and an answer be read, at this rate on average after the
    grace; large uploads may therefore take as long as they need.
    idle_seconds: between an answer and the next request.
    connections: in all; above it, connections that wait for their clients are closed, idle ones first.
    per_client: connections that may wait for one client at the same time. Complete requests, which wait for the
    server, do not count: a page with a hundred images is no attack.
    fresh_seconds: a connection that has waited less than this is closed only if there is no other.
    """

    head_seconds: float = 20.0
    grace_seconds: float = 20.0
    bytes_per_second: float = 500.0
    idle_seconds: float = 120.0
    connections: int = 256
    per_client: int = 64
    fresh_seconds: float = 2.0


class HttpServer:
    """Serves a WSGI app in a thread of its own. port: 0 takes any free one. A context manager as well.

    proxy: address of a proxy whose X-Forwarded-For is believed. more: settings of waitress.

    Raises AnnotatorError where the address cannot be had.
    """

    def __init__(
        self,
        app: Any,
        *,
        host: str,
        port: int,
        threads: int,
        name: str,
        proxy: str = "",
        limits: ClientLimits | None = None,
        **more: Any,
    ) -> None:
        # That requests wait for a thread for a moment is normal.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        limits = limits or ClientLimits()
        listening = listen(host, port)
        self.host = host
        self.port = int(listening.getsockname()[1])
        self._sockets: dict[int, Any] = {}
        self._server = _Server(
            app,
            map=self._sockets,
            _sock=listening,
            bind_socket=False,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            adj=Adjustments(
                sockets=[listening],
                threads=threads,
                ident=None,
                # Reached only while so many requests are being answered that no connection can be closed.
                connection_limit=2 * limits.connections,
                clear_untrusted_proxy_headers=True,
                **_trusting(proxy),
                **more,
            ),
            limits=limits,
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def address(self) -> str:
        """The address of the server on this machine, without a slash at the end."""
        return _url(_ALL_ADDRESSES.get(self.host, self.host), self.port)

    @property
    def address_for_others(self) -> str:
        """The address for other machines; `address` where the server listens on this machine only."""
        return _url(_own_address() if self.host in _ALL_ADDRESSES else self.host, self.port)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no new requests, finish those in progress (for a few seconds), close. May be called twice."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        else:
            self._close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._turn(0.2)
        self._refuse()
        until = time.monotonic() + GRACE
        while self._busy() and time.monotonic() < until:
            self._turn(0.05)
        self._close()

    def _turn(self, seconds: float) -> None:
        """Handle what sockets have ready, then close connections; in this order, for only then are all at rest."""
        # poll() where select() would fail at file descriptor 1024.
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._sockets, count=1)
        self._server.close_slow_clients(time.monotonic())

    def _refuse(self) -> None:
        """Close the listening socket; connections that exist stay."""
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


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises AnnotatorError, one line, where it cannot be had.

    Bound before the server is made, so that a refusal leaves nothing behind.
    """
    listening = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        if listening is not None:
            listening.close()
        raise AnnotatorError(_why_not(host, port, error)) from error
    return listening


class _Waiting(NamedTuple):
    """Since when a connection waits for its client and until when it will; idle: between two requests."""

    since: float
    deadline: float
    idle: bool = False


class _Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """Answers 400 where waitress would log a traceback, such as for a Content-Length of 5,000 digits."""

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError("The request line or a header is invalid") from error


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that knows since when it waits for its client. Read and changed by the server's thread."""

    parser_class = _Parser

    def __init__(self, server: _Server, *arguments: Any, **more: Any) -> None:
        self._began = time.monotonic()
        self._answered = False
        #: When the first byte of the request arrived. Blank lines before a request are bytes, too: waitress passes
        #: over them, and a client could send them forever.
        self._first_byte: float | None = None
        self._body_began: float | None = None
        self._sent = 0
        #: When the unread part of an answer was first seen, and how many bytes had been sent by then.
        self._unread: tuple[float, int] | None = None
        super().__init__(server, *arguments, **more)

    def received(self, data: bytes) -> bool:
        """Take in bytes of a request."""
        if self._first_byte is None:
            self._first_byte = time.monotonic()
        received = bool(super().received(data))
        if self._body_began is None and self.request is not None and self.request.headers_finished:
            self._body_began = time.monotonic()
        return received

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send bytes of an answer; returns how many were sent."""
        sent = int(super().send(data, do_close=do_close) or 0)
        self._sent += sent
        return sent

    def service(self) -> None:
        """Answer one request, in a thread of the app."""
        super().service()
        self._began, self._answered = time.monotonic(), True
        self._first_byte = self._body_began = None

    def look(self, now: float) -> None:
        """Note whether an answer waits to be read. Called before `waiting`, every now and then."""
        if not self.total_outbufs_len:
            self._unread = None
        elif self._unread is None:
            self._unread = (now, self._sent)

    def waiting(self, limits: ClientLimits) -> _Waiting | None:
        """Since when and until when the client is waited for; None while it is the server's turn."""
        if self.total_outbufs_len:
            if self._unread is None:
                return None
            since, sent = self._unread
            return self._at_rate(since, self._sent - sent, limits)
        if self.requests:
            return None
        request = self.request
        if request is not None and request.headers_finished:
            return self._at_rate(self._body_began or self._began, request.body_bytes_received, limits)
        if self._answered and request is None and self._first_byte is None:
            return _Waiting(self._began, self._began + limits.idle_seconds, idle=True)
        since = self._first_byte if self._answered and self._first_byte is not None else self._began
        return _Waiting(since, since + limits.head_seconds)

    def client(self) -> str | None:
        """Whose connection it is: by the peer's address, or by what a trusted proxy says of the present request.

        None for a connection of the proxy that has no request: that is nobody's.
        """
        peer = str(self.addr[0])
        if self.adj.trusted_proxy not in (peer, "*"):
            return _network(peer)
        # A copy, for a thread of the app may take the request off the list.
        request = next(iter([*self.requests]), self.request)
        if request is None or not request.headers_finished:
            return None
        forwarded = request.headers.get("X_FORWARDED_FOR", "").rpartition(",")[2].strip(' \t"')
        return _network(forwarded) if forwarded else None

    @staticmethod
    def _at_rate(since: float, received: int, limits: ClientLimits) -> _Waiting:
        return _Waiting(since, since + limits.grace_seconds + received / limits.bytes_per_second)


class _Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Closes connections of slow clients."""

    channel_class = _Channel

    def __init__(self, *arguments: Any, limits: ClientLimits, **more: Any) -> None:
        self._limits = limits
        self._next_check = 0.0
        self._next_line = 0.0
        #: Connections closed because there were too many, since the last log line.
        self._crowded_out = 0
        super().__init__(*arguments, **more)

    def maintenance(self, now: float) -> None:
        """Leave idle connections to `close_slow_clients`, which does not go by a clock that may jump."""

    def fix_addr(self, addr: tuple[Any, ...]) -> tuple[Any, ...]:
        """Give the address of an IPv4 client as such where the socket takes both: the proxy is named so."""
        return (str(addr[0]).removeprefix("::ffff:"), *addr[1:]) if "." in str(addr[0]) else addr

    def close_slow_clients(self, now: float) -> None:
        """Close connections past their deadline, those a client has too many of, and those that are too many."""
        if now >= self._next_check:
            self._next_check = now + _BETWEEN_CHECKS
            waiting: dict[str | None, list[_Channel]] = defaultdict(list)
            for channel in list(self.active_channels.values()):
                channel.look(now)
                found = channel.waiting(self._limits)
                if found is None:
                    continue
                if now >= found.deadline:
                    # At once: waitress's own `will_close` waits until the socket can be written to.
                    channel.handle_close()
                elif now - found.since >= self._limits.fresh_seconds:
                    waiting[channel.client()].append(channel)
            waiting.pop(None, None)
            for channels in waiting.values():
                self._close_most_dispensable(channels, len(channels) - self._limits.per_client, now)
        self._close_most_dispensable(
            self.active_channels.values(), len(self.active_channels) - self._limits.connections, now
        )
        self._log(now)

    def _close_most_dispensable(self, channels: Iterable[_Channel], count: int, now: float) -> None:
        """Close so many of the connections that wait: idle ones first, then those with the nearest deadline."""
        if count <= 0:
            return
        found = [(each.waiting(self._limits), each) for each in channels]
        ranked = sorted(
            ((now - wait.since < self._limits.fresh_seconds, not wait.idle, wait.deadline), number)
            for number, (wait, _) in enumerate(found)
            if wait is not None
        )
        for _, number in ranked[:count]:
            found[number][1].handle_close()
        self._crowded_out += len(ranked[:count])

    def _log(self, now: float) -> None:
        if self._crowded_out and now >= self._next_line:
            facts = {"connections": self._crowded_out}
            _logger.warning("too many connections wait for their clients; closed some", extra={"facts": facts})
            self._crowded_out, self._next_line = 0, now + _BETWEEN_LOG_LINES


def _network(address: str) -> str:
    """What counts as one client: an IPv4 address, or a /64 of IPv6, of which each customer has at least one."""
    try:
        found = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped or ipaddress.ip_network((found, 64), strict=False))


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"


def _own_address() -> str:
    """This machine's address on the network by which it reaches others; its name where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Of a datagram socket this sends nothing; the address is one for documentation.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _trusting(proxy: str) -> dict[str, Any]:
    """Waitress's settings for taking the client's address from `proxy`, and from nobody else."""
    if not proxy:
        return {}
    return {"trusted_proxy": proxy, "trusted_proxy_count": 1, "trusted_proxy_headers": "x-forwarded-for"}


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; stop what uses it, or give another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not for ordinary users; give one above 1023 with --port"
    return f"cannot listen on {host}, port {port} ({error.strerror}); give an address of this machine with --host"
