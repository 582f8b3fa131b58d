"""HTTP clients of servers that people name by an address."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx


def http_client(url: str, timeout: float | httpx.Timeout) -> httpx.Client:
    """A client for the server at `url`, to which its addresses are relative; timeout in seconds, no redirects.

    The proxy of the environment is for other machines: requests to this one never go through it.
    """
    import httpx

    return httpx.Client(base_url=url, timeout=timeout, trust_env=not is_loopback(url), follow_redirects=False)


def is_loopback(url: str) -> bool:
    """Return whether the address is on this machine by its name."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
