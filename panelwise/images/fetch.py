"""Fetch an image by the address in a record, without giving the record's author access to internal servers.

Anybody may write a list of figures, and this machine may reach servers that its author cannot: so only public
addresses are contacted. A name is resolved once and the connection made to the checked address, so that a second
answer of the name server has no effect. Proxies of the environment are not used: a proxy resolves names itself,
unchecked.
"""

from __future__ import annotations

import http.client
import importlib.metadata
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from panelwise.domain.errors import FormatError, one_line
from panelwise.files.jsonl import is_number
from panelwise.runtime.http_clients import is_address
from panelwise.settings.file_tables import ImageSettings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOGIN = re.compile(r"(?<=://)[^/?#]*@")
_PORTS = {"http": 80, "https": 443}
_REDIRECTS = 3
_MOVED = (301, 302, 303, 307, 308)
#: Status codes of temporary failures.
_LATER = (429, 500, 502, 503, 504)
#: Status codes of images with restricted access.
_NOT_FOR_US = (401, 402, 403, 451)
#: Pause before the second and last attempt, in seconds, and the longest that a server may ask for.
_PAUSE, _LONGEST_PAUSE = 1.0, 10.0
_CHUNK = 1 << 16
#: Characters of a path or query that are sent as they are.
_AS_GIVEN = "/%:@!$&'()*+,;=~?[]"
_TRANSLATORS = (ipaddress.ip_network("64:ff9b::/96"),)
_GLOBAL = ipaddress.ip_network("2000::/3")
_NOT_PUBLIC = (
    ipaddress.ip_network("64:ff9b:1::/48"),  # translators of a network's own
    ipaddress.ip_network("2001::/32"),  # Teredo: tunnels to anywhere
    ipaddress.ip_network("3fff::/20"),  # for documentation
    ipaddress.ip_network("192.88.99.0/24"),  # the relays of 6to4
)


def is_url(image: str) -> bool:
    """Return True if a record's image is an address rather than a path."""
    return _URL.match(image) is not None


def shown_address(url: str) -> str:
    """Return the address in one line, without a login or signature, for display; it may be invalid."""
    return one_line(_LOGIN.sub("", url, count=1))  # Also where a login has spaces, which end an address in a text.


def is_public(address: Address) -> bool:
    """Return True for an address of the open internet, also for IPv4 addresses inside IPv6."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and any(address in network for network in _TRANSLATORS):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL:
            return False
    if any(address.version == network.version and address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class _Again(Exception):
    """A failure worth a second attempt. pause: seconds to wait before it."""

    def __init__(self, problem: str, pause: float = _PAUSE) -> None:
        super().__init__(problem)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches images by the settings of a campaign.

    allowed: which addresses may be contacted; other than public ones for tests only. any_port: likewise. pause:
    how to wait.
    """

    settings: ImageSettings
    allowed: Callable[[Address], bool] = is_public
    any_port: bool = False
    pause: Callable[[float], None] = time.sleep

    def fetch(self, url: str) -> bytes:
        """Return the bytes at `url`; follows at most three redirects, and retries a temporary failure once.

        Raises FormatError, one line, if the address is not allowed, does not answer in time, or is too large.
        """
        until = time.monotonic() + self.settings.total_seconds
        shown = shown_address(url)
        try:
            return self._attempt(url, shown, until)
        except _Again as first:
            if time.monotonic() + first.pause >= until:
                raise FormatError(f"{shown}: {first}; try again later") from None
            self.pause(first.pause)
        try:
            return self._attempt(url, shown, until)
        except _Again as second:
            raise FormatError(f"{shown}: {second}; try again later") from None

    def check(self, url: str) -> None:
        """Raise FormatError for an address that no setting of a campaign allows, without any connection.

        The name is not resolved; hosts other than `url_hosts` are refused as well.
        """
        self._checked(url, shown_address(url))

    def _attempt(self, url: str, given: str, until: float) -> bytes:
        asked, shown = url, given
        for _ in range(_REDIRECTS + 1):
            parts, port = self._checked(asked, shown)
            answer = self._ask(parts, port, shown, until)
            if isinstance(answer, bytes):
                return answer
            try:
                following = urljoin(asked, answer)
                secure = urlsplit(following).scheme == "https"
            except ValueError:
                raise FormatError(f"{shown}: is redirected to what is no address; give another") from None
            # Whoever answers writes this; it is not for a terminal to obey, nor to fill the screen.
            place = shown_address(following)
            if urlsplit(asked).scheme == "https" and not secure:
                raise FormatError(f"{shown}: is redirected from https to {place}; give an address that is not")
            asked, shown = following, f"{given} (redirected to {place})"
        raise FormatError(f"{given}: is redirected more than {_REDIRECTS} times; give the image's own address")

    def _checked(self, url: str, shown: str) -> tuple[SplitResult, int]:
        """Return the parts of an allowed address, and the port."""
        wrong = FormatError(f"{shown}: is no address; correct the record's image")
        try:
            parts = urlsplit(url)
            port = parts.port
            host = (parts.hostname or "").rstrip(".")
            login = "@" in parts.netloc
            parts = parts._replace(netloc=_ascii(host))
        except ValueError:
            raise wrong from None
        if parts.scheme not in _PORTS:
            raise FormatError(f'{shown}: "{parts.scheme}" is not fetched; give an http or https address')
        if any(each.isspace() or ord(each) < 32 or ord(each) == 127 for each in url):
            raise wrong
        if port == 0 or any(not 0 < len(part) < 64 for part in parts.netloc.split(".")):
            raise wrong
        if login:
            raise FormatError(f"{shown}: carries a login, which is not sent; remove it")
        self._check_literal(parts.netloc.lower(), shown)
        usual = _PORTS[parts.scheme]
        port = usual if port is None else port
        self._check_host(parts.netloc.lower(), port, usual, shown)
        return parts, port

    def _check_literal(self, host: str, shown: str) -> None:
        """Refuse this machine and private addresses written literally, which no setting allows."""
        here = host == "localhost" or host.endswith(".localhost")
        if here or is_address(host):
            address = ipaddress.ip_address("127.0.0.1" if here else host)
            if not self.allowed(address):
                raise FormatError(f"{shown}: {host} is not a public address; fetch the image yourself")

    def _check_host(self, host: str, port: int, usual: int, shown: str) -> None:
        listed = self.settings.url_hosts
        if listed:
            if not any(_matches(host, port, usual, each) for each in listed):
                name = host if port == usual else f"{host}:{port}"
                raise FormatError(
                    f'{shown}: "{name}" is not among url_hosts under [images] in campaign.toml; '
                    "add it there, or fetch the image yourself"
                )
        elif port not in _PORTS.values() and not self.any_port:
            raise FormatError(
                f"{shown}: port {port} is not asked unless url_hosts under [images] in campaign.toml names it, "
                f'as "{host}:{port}"'
            )

    def _ask(self, parts: SplitResult, port: int, shown: str, until: float) -> bytes | str:
        """Return the body, or the redirect's target."""
        host = parts.netloc
        address = self._resolved(host, port, shown, until)
        seconds = min(self.settings.connect_seconds, until - time.monotonic())
        if seconds <= 0:
            raise self._too_slow(shown)
        connection = _Pinned(host, port, address, seconds, secure=parts.scheme == "https")
        # Each reading has a time limit of its own; this one is for a server that sends a byte now and then.
        watch = threading.Timer(max(0.0, until - time.monotonic()), connection.cut)
        watch.daemon = True
        watch.start()
        try:
            return self._exchange(connection, parts, shown, until)
        except FormatError:
            raise
        except ssl.SSLCertVerificationError as error:
            what = one_line(error.verify_message)
            raise FormatError(
                f"{shown}: its certificate is not valid ({what}); fetch the image yourself"
            ) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= until:
                raise self._too_slow(shown) from None
            what = "does not answer in time" if isinstance(error, TimeoutError) else f"fails ({_reason(error)})"
            raise _Again(f"the server {what}") from None
        finally:
            watch.cancel()
            connection.close()

    def _exchange(self, connection: _Pinned, parts: SplitResult, shown: str, until: float) -> bytes | str:
        target = quote(parts.path or "/", safe=_AS_GIVEN)
        if parts.query:
            target += "?" + quote(parts.query, safe=_AS_GIVEN)
        connection.request("GET", target, headers=_headers())
        with connection.getresponse() as answer:
            return self._understood(answer, shown, until)

    def _understood(self, answer: http.client.HTTPResponse, shown: str, until: float) -> bytes | str:
        if answer.status in _MOVED:
            place = answer.getheader("Location")
            if not place:
                raise FormatError(f"{shown}: is redirected to nowhere; give the image's own address")
            return place
        if answer.status in _LATER:
            raise _Again(f"the server answers {_status(answer)}", _wait(answer))
        if answer.status != 200:
            mend = "fetch the image yourself" if answer.status in _NOT_FOR_US else "correct the address"
            raise FormatError(f"{shown}: the server answers {_status(answer)}; {mend}")
        if answer.getheader("Content-Encoding", "identity").lower() != "identity":
            raise FormatError(f"{shown}: is sent compressed though that was not asked for; fetch it yourself")
        return self._body(answer, shown, until)

    def _body(self, answer: http.client.HTTPResponse, shown: str, until: float) -> bytes:
        limit = self.settings.limits.max_bytes
        if answer.length is not None and answer.length > limit:
            raise self._too_large(shown)
        parts, size = [], 0
        expected = answer.length
        while chunk := answer.read(_CHUNK):
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise self._too_large(shown)
            if time.monotonic() >= until:
                raise self._too_slow(shown)
        if time.monotonic() >= until:
            raise self._too_slow(shown)
        if expected is not None and size < expected:
            raise _Again(f"the server breaks off after {size:,} of {expected:,} bytes")
        return b"".join(parts)

    def _resolved(self, host: str, port: int, shown: str, until: float) -> Address:
        """Return one address of the host; all its addresses must be allowed, so that chance plays no part."""
        found = _lookup(host, port, min(self.settings.connect_seconds, until - time.monotonic()))
        if isinstance(found, str):
            if time.monotonic() >= until:
                raise self._too_slow(shown)
            raise _Again(f'the name "{host}" cannot be resolved ({found})')
        for address in found:
            if not self.allowed(address):
                which = host if is_address(host) else f"{host} is {address}, which"
                raise FormatError(f"{shown}: {which} is not a public address; fetch the image yourself")
        return found[0]

    def _too_slow(self, shown: str) -> FormatError:
        return FormatError(
            f"{shown}: is not there after {self.settings.total_seconds:g} s; try again, "
            "or raise total_seconds under [images] in campaign.toml"
        )

    def _too_large(self, shown: str) -> FormatError:
        return FormatError(
            f"{shown}: has more than {self.settings.limits.max_bytes:,} bytes; "
            "raise max_bytes under [images] in campaign.toml, or leave the figure out"
        )


class _Pinned(http.client.HTTPConnection):
    """A connection to one address, regardless of what the host's name resolves to by now."""

    def __init__(self, host: str, port: int, address: Address, seconds: float, *, secure: bool) -> None:
        super().__init__(host, port, timeout=seconds)
        self.default_port = _PORTS["https" if secure else "http"]
        self._address = address
        self._secure = secure
        self._open: socket.socket | None = None
        self._over = False

    def connect(self) -> None:
        """Connect to the address; the certificate must be for the host's name."""
        plain = socket.create_connection((str(self._address), self.port), self.timeout)
        self.sock = self._open = plain
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)
        self._open = self.sock  # `sock` is given away with the answer.
        if self._over:  # While the two ends agreed on keys, nothing could be cut.
            raise TimeoutError

    def close(self) -> None:
        """Close it, also if the response owns the socket."""
        super().close()
        if self._open is not None:
            self._open.close()

    def cut(self) -> None:
        """End it from another thread: a reader gets an error or the end."""
        self._over = True
        try:
            if self._open is not None:
                self._open.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # It has ended by itself.


def _lookup(host: str, port: int, seconds: float) -> list[Address] | str:
    """Return the addresses of a host, or why there are none. The system's resolver has no time limit."""
    outcome: list[list[Address] | str] = []

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            outcome.append([ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found])
        except (OSError, ValueError) as error:
            outcome.append(_reason(error))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    return (outcome[0] or "no address") if outcome else "the name server does not answer in time"


def _matches(host: str, port: int, usual: int, listed: str) -> bool:
    name, _, number = listed.partition(":")
    if port != (int(number) if number else usual):
        return False
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


def _wait(answer: http.client.HTTPResponse) -> float:
    """Return the seconds the server asks to wait, within limits; dates are ignored."""
    text = answer.getheader("Retry-After", "")
    seconds = float(text) if text.isascii() and text.isdigit() else _PAUSE
    return min(max(seconds, _PAUSE), _LONGEST_PAUSE) if is_number(seconds) else _LONGEST_PAUSE


def _headers() -> dict[str, str]:
    version = importlib.metadata.version("panelwise")
    return {
        "User-Agent": f"panelwise/{version} (import of figures)",
        "Accept": "image/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def _ascii(host: str) -> str:
    """Return the host in the form for name servers. Raises ValueError for an invalid one."""
    return host if host.isascii() else host.encode("idna").decode()


def _reason(error: Exception) -> str:
    """Return the description of a failure, without the system's error numbers."""
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return one_line(error.strerror if isinstance(error, OSError) and error.strerror else error)


def _status(answer: http.client.HTTPResponse) -> str:
    return one_line(f"{answer.status} {answer.reason}")
