"""However an address is spelt, and whatever its name resolves to: only public addresses are spoken to."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from panelwise.domain.errors import FormatError
from panelwise.images.fetch import Fetcher, is_public
from panelwise.settings.file_tables import ImageSettings

INNER = ("127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0")


def spellings(address: str) -> list[str]:
    """The ways in which a URL may name an IPv4 address, right and wrong."""
    first, second, third, fourth = (int(part) for part in address.split("."))
    number = int(ipaddress.IPv4Address(address))
    wide = "".join(chr(0xFF10 + int(each)) if each.isdigit() else each for each in address)
    return [
        *(address, f"{address}.", str(number), hex(number), oct(number).replace("0o", "0"), wide),
        *(
            f"{first}.{number & 0xFFFFFF}",
            f"{first}.{second}.{number & 0xFFFF}",
            f"0{first:o}.{second}.{third}.{fourth}",
        ),
        *(f"0x{first:x}.{second}.{third}.{fourth}", f"{first:03}.{second:03}.{third:03}.{fourth:03}"),
        *(f"[::ffff:{address}]", f"[::{address}]", f"[64:ff9b::{address}]", f"[::ffff:{address}%25eth0]", "[::1]"),
        *(f"8.8.8.8@{address}", f"{address}#@8.8.8.8", f"8.8.8.8\\@{address}", f"{address}\\.example.org"),
        *(
            f"{address.replace('.', '。')}",
            f"{address.replace('.', '%2e')}",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
        ),
        *(
            f"8.8.8.8:80@{address}:80",
            f"{address}:80\t",
            f" {address}",
            f"{address}\r\nHost: 8.8.8.8",
            "rebind.example",
        ),
    ]


class Network:
    """The system's resolver and sockets. spoken_to: the addresses that a connection was made to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.spoken_to: list[str] = []
        self.asked = 0
        patch.setattr(socket, "getaddrinfo", self._resolve)
        patch.setattr(socket, "create_connection", self._connect)

    def _resolve(self, host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        """As systems do: old spellings of addresses are understood; one name is public at first, then is not."""
        if host == "rebind.example":
            self.asked += 1
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8" if self.asked == 1 else "127.0.0.1", port))
            ]
        try:
            found = socket.inet_ntoa(socket.inet_aton(host))
        except (OSError, UnicodeEncodeError):
            try:
                found = str(ipaddress.ip_address(host))
            except ValueError:
                raise socket.gaierror(socket.EAI_NONAME, "no such name") from None
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (found, port))]

    def _connect(self, address: tuple[str, int], *_: Any, **__: Any) -> socket.socket:
        self.spoken_to.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")


@given(
    st.sampled_from(INNER).flatmap(lambda address: st.sampled_from(spellings(address))) | st.text(max_size=20),
    st.sampled_from(["http", "https", "HTTP", "file", "gopher", "dict", "ftp"]),
)
@example("rebind.example", "http")
@settings(suppress_health_check=list(HealthCheck))
def test_no_spelling_leads_inside(host: str, scheme: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        network = Network(patch)
        with pytest.raises(FormatError) as refused:
            Fetcher(ImageSettings(), pause=lambda _: None).fetch(f"{scheme}://{host}/a.png")
        assert "\n" not in str(refused.value)
        for each in network.spoken_to:
            assert is_public(ipaddress.ip_address(each)), (host, each)


def test_the_stand_in_for_the_network_would_show_a_way_in() -> None:
    with pytest.MonkeyPatch.context() as patch:
        network = Network(patch)
        careless = Fetcher(ImageSettings(), allowed=lambda _: True, pause=lambda _: None)
        for host in ("127.0.0.1", "2130706433", "rebind.example"):
            with pytest.raises(FormatError):
                careless.fetch(f"http://{host}/a.png")
        assert "127.0.0.1" in network.spoken_to
