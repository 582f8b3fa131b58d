"""A waitress server that closes the connections of slow clients.

Waitress reads the requests of all connections in one thread and passes only complete ones to the app: a slow
client costs no thread, but one of a limited number of connections. Waitress itself closes a connection after two
minutes without a byte, so a client that sends one byte every few seconds stays forever. Here each connection that
waits for its client has a deadline, and if there are too many connections, those with the nearest deadline are
closed. See docs/decisions/operation.md, 36.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

#: Seconds between two looks at the deadlines.
_BETWEEN_CHECKS = 0.25
#: Seconds between two log lines about closed connections.
_BETWEEN_LOG_LINES = 60.0

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """A server's time limits for clients, and its limits on connections.

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


#: The value of each Transfer-Encoding among the headers, with its folded lines.
_CODINGS = re.compile(rb"^transfer-encoding[ \t]*:((?:.*\n[ \t])*.*)", re.IGNORECASE | re.MULTILINE)


class _Waiting(NamedTuple):
    """The start of a connection's wait for its client, and its deadline; idle: between two requests."""

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
        # Two lengths: a proxy in front may believe the other one, and take the rest for a request (smuggling).
        # In HTTP/1.0, which has no Transfer-Encoding, waitress would pass over it.
        if "TRANSFER_ENCODING" in self.headers or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("Transfer-Encoding with Content-Length, or in HTTP/1.0, is refused")
        # In chunks twice over: waitress reads them as if once.
        if sum(coding.lower().count(b"chunked") for coding in _CODINGS.findall(header_plus)) > 1:
            raise ParsingError("Transfer-Encoding names chunked more than once")


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that records since when it waits for its client. Used by the server's thread only."""

    parser_class = _Parser

    def __init__(self, server: LimitedServer, *arguments: Any, **more: Any) -> None:
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
        """Receive bytes of a request."""
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
        # In this order, for the server's thread may look in between: once it counts as answered, all is that of
        # the wait for the next request.
        self._began = time.monotonic()
        self._first_byte = self._body_began = None
        self._answered = True

    def look(self, now: float) -> None:
        """Record whether an answer waits to be read. Called periodically, before `waiting`."""
        if not self.total_outbufs_len:
            self._unread = None
        elif self._unread is None:
            self._unread = (now, self._sent)

    def waiting(self, limits: ClientLimits) -> _Waiting | None:
        """Return since when and until when it waits for the client; None during the server's turn."""
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
        """Return the client: the peer's address, or the one a trusted proxy gives for the present request.

        None for a proxy's connection without a request.
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


class LimitedServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Closes connections of slow clients."""

    channel_class = _Channel

    def __init__(
        self, *arguments: Any, limits: ClientLimits, prompt_paths: Collection[str] = (), **more: Any
    ) -> None:
        self._limits = limits
        self._prompt_paths = frozenset(prompt_paths)
        self._prompt_dispatcher = ThreadedTaskDispatcher()
        self._prompt_dispatcher.set_thread_count(1 if prompt_paths else 0)
        self._next_check = 0.0
        self._next_line = 0.0
        #: Connections closed because there were too many, since the last log line.
        self._crowded_out = 0
        self._stopped = False
        super().__init__(*arguments, **more)

    def add_task(self, task: _Channel) -> None:
        """Have the connection's first request answered, by a thread of its own if its path is a prompt one."""
        # A request that cannot be parsed has no path.
        prompt = getattr(task.requests[0], "path", None) in self._prompt_paths
        (self._prompt_dispatcher if prompt else self.task_dispatcher).add_task(task)

    def stop_listening(self) -> None:
        """Close the listening socket; connections stay, as does the descriptor that wakes the server's thread."""
        wasyncore.dispatcher.close(self)

    def stop_threads(self) -> None:
        """Stop the threads that answer; those at work get a second."""
        for dispatcher in (self._prompt_dispatcher, self.task_dispatcher):
            dispatcher.shutdown(timeout=1)
        self._stopped = True

    def pull_trigger(self) -> None:
        """Wake the server's thread; not after `stop_threads`, when its descriptor is closed or another file's."""
        if not self._stopped:
            super().pull_trigger()

    def maintenance(self, now: float) -> None:
        """Leave idle connections to `close_slow_clients`, whose clock does not jump."""

    def fix_addr(self, addr: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the plain address of an IPv4 client of a dual-stack socket, which is how the proxy is named."""
        return (str(addr[0]).removeprefix("::ffff:"), *addr[1:]) if "." in str(addr[0]) else addr

    def close_slow_clients(self, now: float) -> None:
        """Close connections past their deadline, and those beyond the limits per client and in total."""
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
        """Close `count` waiting connections: idle ones first, then those with the nearest deadline."""
        if count <= 0:
            return
        found = [(channel.waiting(self._limits), channel) for channel in channels]
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
    """Return the client's network: an IPv4 address, or a /64 of IPv6, the least that a customer has."""
    try:
        found = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped or ipaddress.ip_network((found, 64), strict=False))
