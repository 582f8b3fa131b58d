"""HTTP clients of servers that people name by an address."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    import httpx


def http_client(url: str, timeout: float | httpx.Timeout) -> httpx.Client:
    """A client for the server at `url`, to which its addresses are relative; timeout in seconds, no redirects.

    The proxy of the environment is for other machines: requests to this one never go through it.
    """
    import httpx

    return httpx.Client(base_url=url, timeout=timeout, trust_env=not is_loopback(url), follow_redirects=False)


def server_address(text: str) -> SplitResult | None:
    """Split the http(s) address of a server; None if `text` is not one, as "http://[::1" or "http://host:99999"."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable and not any(letter.isspace() for letter in text) else None


def is_loopback(url: str) -> bool:
    """Return whether the address is on this machine by its name."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return is_address(host) and ipaddress.ip_address(host).is_loopback


def is_address(host: str) -> bool:
    """Return whether the host of an address is an IP address, not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
