"""Every test of the store runs on SQLite and on a real PostgreSQL, started here and stopped at the end."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import a_figure
from postgres_server import Server, postgres_server
from store.queued import FIGURES, a_place

from annotator.store.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of the test run's own, with one database "template" that holds an empty store."""
    with postgres_server() as server:
        server.run("CREATE DATABASE template")
        Store.open(server.url("template"), create=True).close()
        yield server


BACKENDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.live)]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def empty_url(
    backend: str, request: pytest.FixtureRequest, tmp_path: Path, every_migration: None
) -> Iterator[str]:
    """Where a store can be made, and there is none yet. It is made as the program makes it."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.sqlite'}"
        return
    server: Server = request.getfixturevalue("postgres")
    name = f"empty_{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name}")
    yield server.url(name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a store that is empty."""
    if backend == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.sqlite'}"
        Store.open(url, create=True).close()
        yield url
        return
    server: Server = request.getfixturevalue("postgres")
    name = f"store_{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name} TEMPLATE template")
    yield server.url(name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """An empty store, on each backend."""
    with Store.open(url) as store:
        yield store


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of five rows, so that a few rows make several, the last one full or not."""
    monkeypatch.setattr("annotator.store.rows.statements.PAGE", 5)


@pytest.fixture
def queued(store: Store) -> Store:
    """f00 without an agreement, then from the worst on; "no box" in every second, phase 2 in every third."""
    with store.transaction() as tx:
        for number in range(FIGURES):
            tx.figures.add(a_figure(f"f{number:02}"))
        tx.queue.put_places(
            [
                a_place(
                    f"f{number:02}",
                    number / FIGURES if number else None,
                    loss="no box" if number % 2 else "surplus text",
                    phases=("1", "2") if number % 3 == 0 else ("1",),
                    agreed=number == FIGURES - 1,
                    words=f"f{number:02} left lung" if number % 4 else f"f{number:02} heart",
                )
                for number in range(FIGURES)
            ]
        )
    return store
