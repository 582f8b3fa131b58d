"""A site whose name is resolved to this machine reads nothing of the servers that listen here only."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from functools import partial

import pytest

from annotator.campaign.home import Home
from annotator.model_server.answers import Answers, ImageSource
from annotator.model_server.app import ModelServer
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.runtime.sockets import HttpServer
from prelabel.classic.prelabeller import ClassicPrelabeller

FOREIGN = (
    "rebind.example",
    "127.0.0.1.rebind.example",
    "localhost.rebind.example",
    "not-localhost.example",
    "[::1",
    "",
    "a b",
)
OWN = (
    *("localhost", "LOCALHOST.", "panelwise.localhost", "workstation-3", "host.docker.internal"),
    *("127.0.0.1", "[::1]", "192.0.2.7"),
)


def status(server: HttpServer, host: str, path: str = "/health") -> int:
    """Return the status of the answer to a GET whose Host header is `host` and the server's port."""
    return answer(server, f"{host}:{server.port}", path)[0]


def answer(server: HttpServer, host: str | None, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    try:
        connection.putrequest("GET", path, skip_host=True)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_the_view_answers_to_names_of_this_machine_only(home: Home, store: Store) -> None:
    with AdjudicationServer(home, store) as server:
        for path in ("/health", "/login", "/static/pages.css"):
            assert {status(server, host, path) for host in OWN} == {200}
            assert {status(server, host, path) for host in FOREIGN} == {421}
        assert "localhost" in answer(server, "rebind.example", "/login")[1]
        # A program that speaks HTTP/1.0; browsers always name the host.
        assert answer(server, None, "/health")[0] == 200


def test_the_view_answers_to_the_name_that_the_campaign_gives_it(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANELWISE_PUBLIC_URL", "https://Lungs.example.org:8443/")
    with AdjudicationServer(home, store) as server:
        assert (status(server, "lungs.example.org"), status(server, "rebind.example")) == (200, 421)
    monkeypatch.setenv("PANELWISE_PUBLIC_URL", "http://[::1")
    with AdjudicationServer(home, store) as server:
        assert (status(server, "localhost"), status(server, "rebind.example")) == (200, 421)


@pytest.mark.parametrize(
    "serve",
    [
        partial(AdjudicationServer, https=True),
        partial(AdjudicationServer, proxy="127.0.0.1"),
        partial(AdjudicationServer, host="0.0.0.0"),
    ],
)
def test_behind_a_proxy_and_on_a_network_any_name_is_answered(
    home: Home, store: Store, serve: Callable[[Home, Store], AdjudicationServer]
) -> None:
    with serve(home, store) as server:
        assert status(server, "panelwise.example.org") == 200


def test_the_model_server_is_read_by_no_site(home: Home) -> None:
    with ModelServer(Answers(ClassicPrelabeller(), ImageSource(home), print)) as server:
        assert (status(server, "localhost"), status(server, "rebind.example")) == (200, 421)
