"""Against a server on this machine; nothing here leaves it. Importing by address: test_fetched_figures.py."""

from __future__ import annotations

import ipaddress
import socket
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from picture_server import Site, fetcher, png, sends

from panelwise.domain.errors import FormatError
from panelwise.images import fetch as fetching
from panelwise.images.fetch import Fetcher, is_public, is_url
from panelwise.settings.file_tables import ImageSettings


def test_an_image_comes_whole_and_the_server_learns_who_asks(site: Site) -> None:
    site.answers["/%C3%A4/a%20b.png"] = [sends(png())]
    assert fetcher().fetch(f"{site.url}/ä/a%20b.png?size=full&id=1") == png()
    ((path, headers),) = site.asked
    assert path == "/%C3%A4/a%20b.png?size=full&id=1"
    assert headers["User-Agent"].startswith("panelwise/")
    assert "Authorization" not in headers


PUBLIC = ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
INNER = [
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
    *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "192.88.99.1"),
    *("::", "::1", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "::7f00:1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808"),
    *("2002:7f00:1::1", "2002:a00:1::1", "::ffff:0:7f00:1", "3fff::1", "5f00::1"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", INNER)
def test_no_inner_address_is_public_however_it_is_wrapped(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_changes_nothing(address: ipaddress.IPv4Address) -> None:
    mapped = ipaddress.IPv6Address(b"\0" * 10 + b"\xff\xff" + address.packed)
    translated = ipaddress.IPv6Address(b"\0\x64\xff\x9b" + b"\0" * 8 + address.packed)
    assert is_public(mapped) == is_public(translated) == is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])
def test_this_machine_is_not_asked_under_any_name(site: Site, host: str) -> None:
    plain = Fetcher(ImageSettings(), any_port=True, pause=lambda _: None)
    with pytest.raises(FormatError, match=r"not a public address|cannot be resolved"):
        plain.fetch(f"http://{host}:{site.server.server_port}/a.png")
    assert not site.asked


def test_a_name_is_resolved_once_and_that_address_is_spoken_to(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.answers["/a.png"] = [sends(png())]
    asked: list[str] = []

    def resolve(host: str, port: int, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        # The second answer would be another machine: that of an attacker who changes his name's address.
        address = "127.0.0.1" if len(asked) == 1 else "127.0.0.9"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    real = socket.create_connection
    spoken_to: list[Any] = []

    def connect(address: Any, *rest: Any, **more: Any) -> socket.socket:
        spoken_to.append(address[0])
        monkeypatch.undo()
        return real(address, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    assert fetcher().fetch(f"http://figures.example:{site.server.server_port}/a.png") == png()
    assert (asked, spoken_to) == (["figures.example"], ["127.0.0.1"])
    assert site.asked[0][1]["Host"] == f"figures.example:{site.server.server_port}"


def test_a_name_with_one_inner_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 80)) for each in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(FormatError, match=r"figures\.example is 10\.0\.0\.1, which is not a public address"):
        Fetcher(ImageSettings()).fetch("http://figures.example/a.png")


def test_redirects_are_followed_and_each_is_checked(site: Site) -> None:
    site.answers["/1"] = [sends(b"", 302, Location="/2")]
    site.answers["/2"] = [sends(b"", 307, Location=f"{site.url}/a.png")]
    site.answers["/a.png"] = [sends(png())]
    assert fetcher().fetch(f"{site.url}/1") == png()
    site.answers["/2"] = [sends(b"", 301, Location="http://10.0.0.1/a.png")]
    allowed = lambda address: address.is_loopback  # noqa: E731
    with pytest.raises(FormatError, match=r"redirected to http://10\.0\.0\.1/a\.png.*not a public address"):
        Fetcher(ImageSettings(), allowed=allowed, any_port=True).fetch(f"{site.url}/1")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("/loop", "redirected more than 3 times"),
        ("file:///etc/passwd", '"file" is not fetched'),
        ("", "redirected to nowhere"),
        ("http://u:secret@127.0.0.1/", "carries a login"),
        ("http://[", "is no address"),
    ],
)
def test_a_redirect_to_what_is_not_fetched_ends_there(site: Site, place: str, told: str) -> None:
    site.answers["/loop"] = [sends(b"", 302, Location=place)]
    with pytest.raises(FormatError, match=told) as error:
        fetcher().fetch(f"{site.url}/loop")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://example.org/a.png", '"ftp" is not fetched'),
        ("file:///etc/passwd", '"file" is not fetched'),
        ("http://user:secret@example.org/a.png", "carries a login"),
        ("http:///a.png", "is no address"),
        ("http://example.org:99999/a.png", "is no address"),
        ("ftp://user:secret@example.org/a.png", '"ftp" is not fetched'),
        ("http://user:secret@exa mple.org/a.png", "is no address"),
        ("http://user:secret@[::1/a.png", "is no address"),
        ("http://example.org:0/a.png", "is no address"),
        ("http://127.0.0.1/", r"/: 127\.0\.0\.1 is not a public address; fetch"),
        ("http://a..org/", "is no address"),
        ("http://" + "a" * 64 + ".org/", "is no address"),
        ("http://example.org/a\r\nX: y", "is no address"),
        ("http://example.org:8080/a.png", "port 8080 is not asked unless url_hosts"),
        ("http://localhost:8090/x.png", "localhost is not a public address; fetch"),
        ("http://127.0.0.1:8090/x.png", r"127\.0\.0\.1 is not a public address; fetch"),
        ("http://user:secret@a.localhost/x.png", "carries a login"),
        ("http://" + "ä" * 80 + ".org/", "is no address"),
    ],
)
def test_an_address_that_is_not_fetched_is_told(url: str, told: str) -> None:
    with pytest.raises(FormatError, match=told) as error:
        Fetcher(ImageSettings(), pause=lambda _: None).fetch(url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["http://localhost:8090/x.png", "http://10.0.0.1/x.png", "http://[::1]/x.png"])
def test_what_is_not_public_is_not_advised_to_be_listed(url: str) -> None:
    with pytest.raises(FormatError, match="is not a public address") as refused:
        Fetcher(ImageSettings(url_hosts=("example.org",))).check(url)
    assert "url_hosts" not in str(refused.value)


def test_checking_an_address_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_lookup", None)
    Fetcher(ImageSettings()).check("https://example.org/a.png")


@pytest.mark.parametrize(
    ("listed", "url", "allowed"),
    [
        ("example.org", "http://example.org/", True),
        ("example.org", "http://EXAMPLE.org./", True),
        ("example.org", "http://www.example.org/", False),
        ("*.example.org", "http://www.example.org/", True),
        ("*.example.org", "http://example.org/", False),
        ("*.example.org", "http://badexample.org/", False),
        ("example.org", "http://example.org:81/", False),
        ("example.org:81", "http://example.org:81/", True),
        ("example.org:443", "https://example.org/", True),
    ],
)
def test_only_listed_hosts_are_asked(
    listed: str, url: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_lookup", lambda *_: "nothing is asked in tests")
    with pytest.raises(FormatError, match="nothing is asked" if allowed else "is not among url_hosts"):
        Fetcher(ImageSettings(url_hosts=(listed,)), pause=lambda _: None).fetch(url)


def test_a_passing_failure_is_tried_once_more(site: Site) -> None:
    site.answers["/a.png"] = [sends(b"", 503), sends(png())]
    assert fetcher().fetch(f"{site.url}/a.png") == png()
    site.answers["/a.png"] = [sends(b"", 503)]
    with pytest.raises(FormatError, match=r"answers 503 .*try again later"):
        fetcher().fetch(f"{site.url}/a.png")
    assert len(site.asked) == 4


def test_a_server_that_asks_for_time_gets_some(site: Site) -> None:
    paused: list[float] = []
    site.answers["/a.png"] = [sends(b"", 429, Retry_After="4"), sends(png())]
    asking = Fetcher(ImageSettings(), allowed=lambda _: True, any_port=True, pause=paused.append)
    assert asking.fetch(f"{site.url}/a.png") == png()
    site.answers["/a.png"] = [sends(b"", 429, Retry_After="9" * 400), sends(png())]
    assert asking.fetch(f"{site.url}/a.png") == png()
    assert paused == [4.0, 10.0]


def test_a_final_no_is_not_asked_again(site: Site) -> None:
    site.answers["/a.png"] = [sends(b"", 404)]
    with pytest.raises(FormatError, match="answers 404 Not Found; correct the address"):
        fetcher().fetch(f"{site.url}/a.png")
    assert len(site.asked) == 1


def test_an_image_that_is_not_for_everybody_is_told(site: Site) -> None:
    site.answers["/a.png"] = [sends(b"", 403)]
    with pytest.raises(FormatError, match="answers 403 Forbidden; fetch the image yourself"):
        fetcher().fetch(f"{site.url}/a.png")


def test_what_a_server_writes_steers_no_terminal_and_fills_no_screen(site: Site) -> None:
    def shouts(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 404 \x1b[2J" + b"x" * 5000 + b"\r\n\r\n")

    site.answers["/a.png"] = [shouts]
    site.answers["/b.png"] = [sends(b"", 302, Location="ftp://u:secret@h/\x1b[2J" + "x" * 5000)]
    for name in ("a", "b"):
        with pytest.raises(FormatError) as error:
            fetcher().fetch(f"{site.url}/{name}.png")
        told = str(error.value)
        assert told.isprintable()
        assert len(told) < 2000
        assert "secret" not in told


def test_a_broken_off_body_is_asked_for_again(site: Site) -> None:
    site.answers["/a.png"] = [sends(png()[:20], Content_Length="99"), sends(png())]
    assert fetcher().fetch(f"{site.url}/a.png") == png()


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_beyond_the_limit_is_not_taken_in(site: Site, announced: bool) -> None:
    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if announced:
            request.send_header("Content-Length", "1000000000000")
        request.end_headers()
        for _ in range(10_000):
            request.wfile.write(b"x" * 65536)

    site.answers["/a.png"] = [endless]
    with pytest.raises(FormatError, match="more than 200,000 bytes; raise max_bytes"):
        fetcher(max_bytes=200_000).fetch(f"{site.url}/a.png")


@pytest.mark.slow
@pytest.mark.parametrize("head", [True, False])
def test_a_server_that_drips_is_left_in_time(site: Site, head: bool) -> None:
    enough, ended = threading.Event(), []

    def drips(request: BaseHTTPRequestHandler) -> None:
        """For two minutes, where nobody ends it."""
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"" if head else b"\r\n"))
        for _ in range(2400):
            request.wfile.write(b"X-A: b\r\n" if head else b"x")
            request.wfile.flush()
            if enough.wait(0.05):
                return
        ended.append("by itself")

    site.answers["/a.png"] = [drips]
    try:
        with pytest.raises(FormatError, match=r"is not there after 0.4 s"):
            fetcher(total_seconds=0.4).fetch(f"{site.url}/a.png")
        assert ended == []
    finally:
        enough.set()


def test_time_that_runs_out_while_keys_are_agreed_on_ends_it() -> None:
    # The two ends speak through another object meanwhile, which the watch cannot reach.
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connection = fetching._Pinned("h", port, ipaddress.ip_address("127.0.0.1"), 1.0, secure=False)
        connection.cut()
        with pytest.raises(TimeoutError):
            connection.request("GET", "/")
        connection.close()


def test_a_server_that_says_nothing_is_left_in_time(site: Site) -> None:
    enough = threading.Event()
    site.answers["/a.png"] = [lambda _: enough.wait(120) and None]
    try:
        with pytest.raises(FormatError, match="does not answer in time"):
            fetcher(connect_seconds=0.1).fetch(f"{site.url}/a.png")
    finally:
        enough.set()


def test_a_name_that_nobody_knows_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(FormatError, match=r'"h\.example" cannot be resolved \(Name or service not known\); try'):
        Fetcher(ImageSettings(), pause=lambda _: None).fetch("http://h.example/")


def test_a_slow_name_server_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    enough = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: enough.wait(120) and [])
    try:
        with pytest.raises(FormatError, match="name server does not answer in time"):
            Fetcher(ImageSettings(connect_seconds=0.05), pause=lambda _: None).fetch("http://example.org/")
    finally:
        enough.set()


def test_a_server_that_speaks_no_http_or_no_tls_is_told(site: Site) -> None:
    site.answers["/a.png"] = [lambda request: request.wfile.write(b"\x00\x01garbage\r\n\r\n") and None]
    with pytest.raises(FormatError, match="the server fails"):
        fetcher().fetch(f"{site.url}/a.png")
    with pytest.raises(FormatError, match=r"the server (fails \([a-z ]+\)|does not answer)"):
        fetcher(connect_seconds=1).fetch(f"https{site.url[4:]}/a.png")


def test_nobody_there_is_told() -> None:
    refused = pytest.raises(FormatError, match=r"the server fails \(Connection refused\); try again later")
    with socket.socket() as taken, refused:  # and nobody listens there
        taken.bind(("127.0.0.1", 0))
        fetcher().fetch(f"http://127.0.0.1:{taken.getsockname()[1]}/a.png")


def test_a_compressed_answer_is_refused(site: Site) -> None:
    site.answers["/a.png"] = [sends(b"x", Content_Encoding="gzip")]
    with pytest.raises(FormatError, match="sent compressed"):
        fetcher().fetch(f"{site.url}/a.png")


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("a.png", False),
        ("C:\\a.png", False),
        ("C:/a.png", False),
        ("http://a/b", True),
        ("s3://a", True),
        ("a/b//c", False),
    ],
)
def test_an_address_is_told_from_a_path(image: str, expected: bool) -> None:
    assert is_url(image) is expected
