"""The receiver of webhooks: wakes for what is ours, and for nothing else."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from annotator.sync.watch import Receiver
from panelwise.domain.errors import SyncError


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver(0) as receiver:
        yield receiver


def post(url: str, body: bytes = b'{"action": "ANNOTATION_CREATED"}') -> int:
    with httpx.Client(trust_env=False, timeout=300) as client:
        return client.post(url, content=body).status_code


def test_a_call_tells_its_project(receiver: Receiver) -> None:
    assert post(receiver.address(7)) == 204
    assert post(receiver.address(9), b"x" * 200_000) == 204
    assert receiver.wait(300) == {7, 9}
    assert receiver.wait(0.01) == frozenset()


def test_it_wakes_who_waits(receiver: Receiver) -> None:
    call = threading.Timer(0.05, post, [receiver.address(3)])
    call.start()
    # Far longer than any test may take: it is the call that ends the waiting.
    assert receiver.wait(3600) == {3}
    call.join()


@pytest.mark.parametrize("end", ["guess/7", "7", "", "../7"])
def test_nobody_wakes_it_who_does_not_know_the_secret(receiver: Receiver, end: str) -> None:
    assert post(receiver.base + end) == 404
    assert receiver.wait(0.01) == frozenset()


@pytest.mark.parametrize("project", ["x", "", "-1", "٣", "1" * 19])
def test_a_project_is_a_number(receiver: Receiver, project: str) -> None:
    address = receiver.address(0)[:-1] + project
    assert not receiver.accepts(urlsplit(address).path)


def test_other_requests_are_refused(receiver: Receiver) -> None:
    with httpx.Client(trust_env=False, timeout=300) as client:
        assert client.get(receiver.address(7)).status_code == 404
    assert receiver.wait(0.01) == frozenset()


def connect(receiver: Receiver, sent: bytes) -> socket.socket:
    parts = urlsplit(receiver.base)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=300)
    connection.sendall(sent)
    return connection


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "0x5", "٣", "5, 6"])
def test_a_length_that_is_no_number_is_refused_without_a_traceback(
    receiver: Receiver, capfd: pytest.CaptureFixture[str], length: str
) -> None:
    path = urlsplit(receiver.address(7)).path
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
    with connect(receiver, head.encode()) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
    assert receiver.wait(0.01) == frozenset()
    assert capfd.readouterr().err == ""


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SyncError, match=r"webhooks: port .*: Address already in use; give another one"):
            Receiver(taken.getsockname()[1])


def test_the_public_address_is_what_the_server_is_told() -> None:
    with Receiver(0, public_url="https://panelwise.example.org/") as receiver:
        assert receiver.address(4).startswith("https://panelwise.example.org/panelwise-sync/")
        with Receiver(0) as another:
            assert (
                receiver.address(4).rpartition("/panelwise-sync/")[2]
                != another.address(4).rpartition("/panelwise-sync/")[2]
            )
