"""Another program keeps the store's write lock: the view goes on answering, and says when to try again."""

from __future__ import annotations

import http.client
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from queue import Queue

import pytest
from flask import Flask
from store.conftest import BACKENDS, postgres
from store.conftest import Server as PostgresServer
from store.test_write_line import another_writer
from web.asking import token_of
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.store.database import engine
from annotator.store.maintenance.copy import copy_between
from annotator.store.store import Store
from annotator.web.app import errors
from annotator.web.server import THREADS, WAITING_WRITERS, AdjudicationServer
from panelwise.domain.errors import StoreBusy
from panelwise.settings.edit_toml import with_store_url

__all__ = ["postgres"]

#: What a test waits at most for something that a slow machine may take long to do.
PATIENCE = 600


@pytest.fixture(params=BACKENDS)
def home(home: Home, request: pytest.FixtureRequest) -> Iterator[Home]:
    """The campaign, its store on each backend."""
    if request.param == "sqlite":
        yield home
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = f"locked_{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name}")
    for _ in copy_between(home.path / "store.sqlite", server.url(name)):
        pass
    settings = home.path / "campaign.toml"
    settings.write_text(with_store_url(settings.read_text(), server.url(name), "campaign.toml"))
    yield Home.find(home.path)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


def lock(store: Store) -> AbstractContextManager[None]:
    """Another program's transaction that writes to the store."""
    file = store._database.file
    advisory = f"SELECT pg_advisory_xact_lock({engine._WRITER_LOCK})"
    return another_writer(file) if file is not None else another_transaction(store, advisory)


@contextmanager
def another_transaction(store: Store, statement: str) -> Iterator[None]:
    """Another program's transaction on PostgreSQL, which has run a statement."""
    with closing(store._database.engine.raw_connection()) as connection:
        connection.cursor().execute(statement)
        yield
        connection.rollback()


@pytest.fixture
def server(home: Home, store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[AdjudicationServer]:
    # However slow the machine is, those in the line wait until the other program is done.
    monkeypatch.setattr(engine, "BUSY_SECONDS", PATIENCE)
    monkeypatch.setattr(engine, "PATIENCE", 0.0)
    with home.open_store() as patient, AdjudicationServer(home, patient) as server:
        yield server


def ask(
    server: AdjudicationServer, method: str, path: str, headers: dict[str, str], body: str | None = None
) -> tuple[int, http.client.HTTPMessage, str]:
    connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


@pytest.mark.slow
def test_writers_that_wait_for_another_program_leave_threads_to_read_with(
    server: AdjudicationServer, store: Store, app: Flask, sign_in: SignIn
) -> None:
    client = sign_in("rev1")
    cookie = client.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    headers = {"Cookie": f"{cookie.key}={cookie.value}"}
    seal = token_of(ask(server, "GET", "/account", headers)[2])
    writing = {**headers, "X-CSRFToken": seal, "Content-Type": "application/json", "Referer": server.url}
    answers: Queue[tuple[int, http.client.HTTPMessage, str]] = Queue()

    def write() -> None:
        answers.put(ask(server, "POST", "/api/figures/f1/lease", writing, "{}"))

    threads = [threading.Thread(target=write) for _ in range(2 * THREADS)]
    with lock(store):
        for thread in threads:
            thread.start()
        for _ in range(2 * THREADS - WAITING_WRITERS):
            status, sent, text = answers.get(timeout=PATIENCE)
            assert (status, sent["Retry-After"]) == (503, str(errors.RETRY_SECONDS))
            assert "try again in a moment" in json.loads(text)["error"]
        # All others wait still, and everything that only reads is answered meanwhile.
        for path in ("/health", "/ready", "/metrics", "/static/pages.css", "/", "/figures/f1", "/api/figures/f1"):
            assert ask(server, "GET", path, headers)[0] == 200, path
        assert answers.empty()
    for thread in threads:
        thread.join()
    assert [answers.get()[0] for _ in range(WAITING_WRITERS)] == [200] * WAITING_WRITERS


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for another program. To be used before the store is opened."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 1)


@pytest.mark.usefixtures("brief")
def test_a_write_that_waited_in_vain_is_refused_and_what_only_reads_is_shown(
    store: Store, sign_in: SignIn
) -> None:
    client = sign_in("rev1")
    seal = {"X-CSRFToken": token_of(client.get("/account").text)}
    with lock(store):
        refused = client.post("/api/figures/f1/lease", json={}, headers=seal)
        for path in ("/ready", "/figures/f1", "/api/figures/f1"):
            assert client.get(path).status_code == 200, path
        # No time at all is no endless wait.
        with pytest.raises(StoreBusy, match="another process has been writing"), store.transaction(wait=0):
            raise AssertionError("two wrote at once")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, str(errors.RETRY_SECONDS))
    assert "try again in a moment" in refused.json["error"]
    assert client.post("/api/figures/f1/lease", json={}, headers=seal).status_code == 200


@pytest.mark.live
@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("home", ["postgresql"], indirect=True)
def test_a_table_that_another_program_locked_keeps_no_thread_for_ever(home: Home, sign_in: SignIn) -> None:
    """An administrator's forgotten transaction, or VACUUM FULL: who reads or writes hears when to try again."""
    client = sign_in("rev1")
    seal = {"X-CSRFToken": token_of(client.get("/account").text)}
    with home.open_store() as other, another_transaction(other, "LOCK TABLE figures IN ACCESS EXCLUSIVE MODE"):
        for answer in (
            client.get("/api/figures/f1"),
            client.get("/figures/f1"),
            client.post("/api/figures/f1/lease", json={}, headers=seal),
        ):
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(errors.RETRY_SECONDS))
    assert client.get("/api/figures/f1").status_code == 200


def test_health_is_answered_while_no_thread_is_left(home: Home, store: Store) -> None:
    """Readers that take long keep every thread; the server is alive all the same."""
    with AdjudicationServer(home, store) as server:
        busy, go_on = threading.Semaphore(0), threading.Event()
        app = server._server.application

        def slow(environ: dict[str, object], start: object) -> object:
            if environ["PATH_INFO"] == "/ready":
                busy.release()
                go_on.wait()
            return app(environ, start)

        server._server.application = slow
        threads = [threading.Thread(target=ask, args=(server, "GET", "/ready", {})) for _ in range(THREADS)]
        try:
            for thread in threads:
                thread.start()
            for _ in threads:
                assert busy.acquire(timeout=PATIENCE)
            assert ask(server, "GET", "/health", {})[::2] == (200, '{"status":"ok"}')
        finally:
            go_on.set()
            for thread in threads:
                thread.join()
