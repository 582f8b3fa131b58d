"""What programs that watch the server ask it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.factory import create_app


def test_a_server_is_alive_whatever_becomes_of_its_store(sign_in: SignIn, home: Home, store: Store) -> None:
    store.close()
    (home.path / "store.sqlite").write_bytes(b"no database at all, but bytes of something else" * 100)
    assert sign_in("").get("/health").status_code == 200


def test_a_server_is_ready_while_its_store_answers(sign_in: SignIn) -> None:
    answer = sign_in("").get("/ready")
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ready"})


def test_a_server_without_its_store_is_not_ready(sign_in: SignIn, home: Home, store: Store) -> None:
    store.close()
    for file in home.path.glob("store.sqlite*"):
        file.write_bytes(b"no database at all, but bytes of something else" * 100)
    answer = sign_in("").get("/ready")
    assert answer.status_code == 503
    assert answer.get_json() == {"status": "the store does not answer"}


def test_a_server_whose_store_was_upgraded_under_it_is_not_ready(home: Home, store: Store) -> None:
    client = create_app(home, store).test_client()
    assert client.get("/ready").status_code == 200
    with closing(sqlite3.connect(home.path / "store.sqlite")) as connection, connection:
        connection.execute("UPDATE panelwise_revision SET version_num = '9999'")
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert "restart" in answer.get_json()["status"]
