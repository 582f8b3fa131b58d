"""HTTP servers and their listening sockets."""

from __future__ import annotations

import errno
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterable
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from waitress import wasyncore
from waitress.adjustments import Adjustments

from panelwise.domain.errors import AnnotatorError
from panelwise.runtime.http_clients import is_address, is_loopback
from panelwise.runtime.slow_clients import ClientLimits, LimitedServer

#: Seconds that requests in progress get when the server stops.
GRACE = 5.0
#: Hosts that stand for all addresses of the machine -> the one by which the machine reaches itself.
_ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class HttpServer:
    """Serves a WSGI app in a thread of its own. port: 0 for any free one. Also a context manager.

    prompt_paths: paths with quick answers, which have a thread of their own and never wait for other requests.
    proxy: address of a proxy whose X-Forwarded-For is trusted. host_names: names that requests may be addressed to
    besides the machine's own, where the server listens on loopback; None for any name, as behind a proxy. more:
    settings of waitress. Raises AnnotatorError if the address is not available.
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
        prompt_paths: Collection[str] = (),
        host_names: Collection[str] | None = (),
        **more: Any,
    ) -> None:
        # That requests wait for a thread for a moment is normal.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        limits = limits or ClientLimits()
        listening = listen(host, port)
        if host_names is not None and not proxy and is_loopback(_url(host, port)):
            app = _for_own_names(app, {host, *host_names})
        self.host = host
        self.port = int(listening.getsockname()[1])
        self._sockets: dict[int, Any] = {}
        self._server = LimitedServer(
            app,
            map=self._sockets,
            _sock=listening,
            bind_socket=False,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            adj=Adjustments(
                sockets=[listening],
                threads=threads,
                ident=None,
                # Reached only while too many requests are being answered to close a connection.
                connection_limit=2 * limits.connections,
                clear_untrusted_proxy_headers=True,
                **_trusting(proxy),
                **more,
            ),
            limits=limits,
            prompt_paths=prompt_paths,
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def address(self) -> str:
        """The server's address on this machine, without a trailing slash."""
        return _url(_ALL_ADDRESSES.get(self.host, self.host), self.port)

    @property
    def address_for_others(self) -> str:
        """The address for other machines; `address` if the server listens on this machine only."""
        return _url(_own_address() if self.host in _ALL_ADDRESSES else self.host, self.port)

    def start(self) -> None:
        """Start serving."""
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
        self._server.stop_listening()
        until = time.monotonic() + GRACE
        while self._busy() and time.monotonic() < until:
            self._turn(0.05)
        self._close()

    def _turn(self, seconds: float) -> None:
        """Handle ready sockets, then close connections; in this order, since only then all are idle."""
        # poll() if select() would fail at file descriptor 1024.
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._sockets, count=1)
        self._server.close_slow_clients(time.monotonic())

    def _busy(self) -> bool:
        return any(
            getattr(one, "requests", None) or getattr(one, "total_outbufs_len", 0)
            for one in self._sockets.values()
        )

    def _close(self) -> None:
        self._server.stop_threads()
        wasyncore.close_all(self._sockets, ignore_all=True)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 for any free one. Raises AnnotatorError, one line, if it is not available.

    Bound before the server is made, so that a refusal leaves no server behind.
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


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"


#: Besides addresses: names that no site can have. The last is that of a container's host.
_OWN_NAMES = (".localhost", ".internal")
#: Names without a dot are of the own network: public name servers give none.
_NETWORK_NAME = re.compile(r"[a-z0-9_-]+")


def _for_own_names(app: Any, names: Collection[str]) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """Return the app, refusing requests that are addressed to a foreign name.

    A page of any site can have its own name resolved to this machine, and then read a local server's answers.
    """
    known = {name.casefold() for name in names}

    def guarded(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if "HTTP_HOST" not in environ or _is_own_name(environ["HTTP_HOST"], known):
            answer: Iterable[bytes] = app(environ, start_response)
            return answer
        body = (
            b"This server is for this machine only, and the request's Host header has another name. Open it "
            b"as localhost. A campaign's view also answers to the host of public_url ([view] in campaign.toml).\n"
        )
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
        start_response("421 Misdirected Request", headers)
        return [body]

    return guarded


def _is_own_name(header: str, known: Collection[str]) -> bool:
    """Return whether a Host header names this machine; an address always does, as nobody else can give it one."""
    try:
        name = (urlsplit(f"//{header}").hostname or "").removesuffix(".")
    except ValueError:
        return False
    of_network = _NETWORK_NAME.fullmatch(name) is not None
    return name in known or of_network or f".{name}".endswith(_OWN_NAMES) or is_address(name)


def _own_address() -> str:
    """Return this machine's address on its network; its name without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Of a datagram socket this sends nothing; the address is one for documentation.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _trusting(proxy: str) -> dict[str, Any]:
    """Return waitress's settings to read the client's address from `proxy` only."""
    if not proxy:
        return {}
    return {"trusted_proxy": proxy, "trusted_proxy_count": 1, "trusted_proxy_headers": "x-forwarded-for"}


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; stop what uses it, or give another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not for ordinary users; give one above 1023 with --port"
    return f"cannot listen on {host}, port {port} ({error.strerror}); give an address of this machine with --host"
