"""The view on a real port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask, Response
from running import notes, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.cli.campaign.serve import listening
from annotator.operations.running_parts import RunningParts, write_parts
from annotator.store.store import Store
from annotator.web import server as server_module
from annotator.web.server import AdjudicationServer
from panelwise.domain.errors import AnnotatorError
from panelwise.runtime import sockets
from panelwise.runtime.sockets import HttpServer, listen
from panelwise.settings.campaign_toml import FILE_NAME

ANNOTATOR = Path(sys.executable).parent / "annotator"


def test_it_serves_on_a_free_port_and_stops(home: Home, store: Store) -> None:
    with AdjudicationServer(home, store) as server:
        assert server.port > 0
        assert urllib.request.urlopen(f"{server.url}health", timeout=300).read() == b'{"status":"ok"}'
    with (
        pytest.raises(OSError, match="refused"),
        socket.create_connection((server.host, server.port), timeout=300),
    ):
        pass
    server.stop()


def test_a_server_never_started_can_be_stopped(home: Home, store: Store) -> None:
    AdjudicationServer(home, store).stop()


@pytest.mark.slow
def test_a_taken_port_is_told_in_one_line(home: Home, store: Store) -> None:
    with (
        AdjudicationServer(home, store) as server,
        pytest.raises(AnnotatorError, match=f"port {server.port} of 127.0.0.1 is taken"),
    ):
        AdjudicationServer(home, store, port=server.port)


@pytest.mark.slow
def test_serve_beside_up_says_where_up_serves_the_campaign(home: Home, store: Store) -> None:
    def serve(port: int, up: int) -> str:
        write_parts(home.path, RunningParts(up, "http://127.0.0.1:8090/", ()))
        return run_command(group, "annotator", "serve", "--port", port, "--home", home.path).stderr

    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert f"annotator up serves this campaign already: http://127.0.0.1:8090/; port {port} " in serve(
            port, os.getpid()
        )
        # `annotator up` starts `serve`, too: there it is another program that has the port.
        assert serve(port, os.getppid()).startswith(f"error: port {port} of 127.0.0.1 is taken")


def test_an_address_of_another_machine_is_told_in_one_line(home: Home, store: Store) -> None:
    with pytest.raises(AnnotatorError, match="cannot listen on"):
        AdjudicationServer(home, store, host="203.0.113.1")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_machines_are_given_an_address_that_is_not_loopback(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Bound to loopback all the same: a test serves nobody else.
    monkeypatch.setattr(sockets, "listen", lambda _host, port: listen("127.0.0.1", port))
    with HttpServer(Flask("empty"), host=host, port=0, threads=1, name="for others") as server:
        name = urlsplit(server.address_for_others).hostname
        assert name not in ("127.0.0.1", "::1", "0.0.0.0", "::")
        assert urlsplit(server.address).hostname in ("127.0.0.1", "::1")
        assert urlsplit(server.address_for_others).port == server.port


def test_a_machine_without_a_network_gives_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    assert sockets._own_address() == socket.gethostname()


def test_a_request_under_way_is_finished_when_the_server_stops(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    app = Flask("slow")

    @app.get("/")
    def slow() -> Response:
        begun.set()
        go_on.wait(300)
        return Response("done")

    monkeypatch.setattr(server_module, "create_app", lambda *_, **__: app)
    server = AdjudicationServer(home, store)
    server.start()
    answers: list[bytes] = []

    def ask() -> None:
        with urllib.request.urlopen(server.url, timeout=300) as answer:
            answers.append(answer.read())

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(300)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    go_on.set()
    asking.join(300)
    stopping.join(300)
    assert answers == [b"done"]


def serve(home: Path, *more: str) -> subprocess.Popen[str]:
    command = [str(ANNOTATOR), "serve", "--home", str(home), "--port", "0", *more]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.live
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_prints_its_address_and_stops_on_a_signal(
    home: Home, store: Store, number: signal.Signals
) -> None:
    process = serve(home.path)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("adjudication view of Lungs: http://127.0.0.1:")
    address = next(word for word in line.split() if word.startswith("http"))
    assert urllib.request.urlopen(f"{address}health", timeout=300).status == 200
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, notes(err)) == (0, "", "stopped\n")


@pytest.mark.live
def test_the_command_says_when_nobody_could_sign_in(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "empty")
    out, err = serve(home.path).communicate(timeout=300)
    assert out == ""
    assert err.startswith("error: no active reviewer has an account; add one with `annotator user add")
    assert err.count("\n") == 1


def test_where_the_view_listens_is_in_campaign_toml_and_options_go_before(home: Home) -> None:
    file = home.path / FILE_NAME
    file.write_text(f"{file.read_text(encoding='utf-8')}\n[view]\nport = 8123\nhttps = true\n", encoding="utf-8")
    home = Home.find(home.path)
    nothing = {"host": None, "port": None, "https": None, "proxy": None}
    view = listening(home, nothing)
    assert (view.host, view.port, view.https, view.proxy) == ("127.0.0.1", 8123, True, "")
    assert listening(home, nothing | {"port": 0, "host": "::1"}) == replace(view, port=0, host="::1")
