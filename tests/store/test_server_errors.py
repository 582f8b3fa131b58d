"""What goes wrong between here and a PostgreSQL server, and how its URLs are understood."""

from __future__ import annotations

import socket

import pytest
from builders import a_figure
from sqlalchemy.exc import OperationalError
from store.refused import refusal

from annotator.store.database.errors import explain
from annotator.store.store import Store
from panelwise.domain.errors import StoreError


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("store.sqlite", "is no URL"),
        ("", "is no URL"),
        ("postgresql://u:secret@h:port/d", "is no URL"),
        ("mysql://u:secret@h/d", 'no support for "mysql"'),
        ("postgresql://u:secret@h/d?sslmode=perhaps", "unusable URL (sslmode perhaps)"),
        ("postgresql://u:secret@h/d?port=x", "unusable URL"),
        ("postgresql://u:secret@h/d?frob=1", 'unknown option "frob"'),
        ("postgresql://u:secret@/d?sslmode=require&host=/nonexistent", "cannot be reached"),
        ("postgresql://u:secret@/d?host=/nonexistent", "cannot be reached"),
    ],
)
def test_a_url_that_cannot_be_used_is_told_without_its_password(url: str, message: str) -> None:
    told = refusal(url)
    assert message in told
    assert "secret" not in told


def test_a_server_that_does_not_answer_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    told = refusal(f"postgresql://u:secret@127.0.0.1:{port}/d")
    assert told.startswith(f"postgresql://u:***@127.0.0.1:{port}/d: the server cannot be reached")


def test_without_the_driver_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pg8000", None)
    assert 'pip install "panelwise[postgres]"' in refusal("postgresql://u@h/d")


@pytest.mark.live
@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_missing_database_or_store_on_the_server_is_told(empty_url: str) -> None:
    assert "holds no Panelwise store" in refusal(empty_url)
    assert "no such database on the server; create it" in refusal(empty_url.replace("/empty_", "/other_"))


@pytest.mark.live
@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_lock_held_for_too_long_on_the_server_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(url) as one, one.transaction():
        monkeypatch.setattr("annotator.store.database.engine.BUSY_SECONDS", 0.01)
        with Store.open(url) as two:
            import threading

            told: list[str] = []

            def write() -> None:
                try:
                    with two.transaction():
                        pass
                except StoreError as error:
                    told.append(str(error))

            thread = threading.Thread(target=write)
            thread.start()
            thread.join()
    assert "another process has been writing" in told[0]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("28P01", "the server refuses this login"),
        ("42501", "may not do that"),
        ("53100", "the server's disk is full"),
        ("57P03", "shutting down or starting"),
        ("25006", "takes no writes"),
        ("40001", "another write came in between"),
        ("XX000", "the server refuses: boom boom"),
    ],
)
def test_the_servers_states_are_told(state: str, message: str) -> None:
    cause = Exception({"C": state, "M": "boom\nboom"})
    told = str(explain(OperationalError("SELECT 1", None, cause), "postgresql://h/d"))
    assert told.startswith("postgresql://h/d: ")
    assert message in told
    assert "\n" not in told


@pytest.mark.live
@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_connection_that_breaks_is_told_and_the_next_transaction_works(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    def work_until_cut_off() -> None:
        with store.transaction() as tx:
            tx.figures.add(a_figure())
            mine = tx.session.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            with store.read() as other:
                other.session.connection.exec_driver_sql(f"SELECT pg_terminate_backend({mine})")
            for _ in range(100):
                tx.figures.has("f1")

    with pytest.raises(StoreError, match=r"cannot be reached|shutting down"):
        work_until_cut_off()
    with store.transaction() as tx:
        assert tx.figures.count() == 0
        tx.figures.add(a_figure())
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://u:p@h:5433/d", ("u", "p", "h", 5433, "d", {})),
        (
            "postgres://u@/d?host=/run/x&port=7",
            ("u", None, None, None, "d", {"unix_sock": "/run/x/.s.PGSQL.7", "ssl_context": False}),
        ),
        ("postgresql+pg8000://h/d?user=v&password=q", ("v", "q", "h", None, "d", {})),
        ("postgresql://u@h?application_name=x", ("u", None, "h", None, "u", {"application_name": "x"})),
    ],
)
def test_libpqs_way_of_writing_a_url_is_understood(
    url: str, expected: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy import make_url

    from annotator.store.database.engine import _for_pg8000

    monkeypatch.delenv("PGPASSWORD", raising=False)
    parsed = make_url(url)
    found, arguments = _for_pg8000(parsed, {name: str(value) for name, value in parsed.query.items()})
    assert (found.username, found.password, found.host, found.port, found.database, arguments) == expected


@pytest.mark.parametrize(
    ("mode", "checks"), [("require", (False, 0)), ("verify-ca", (False, 2)), ("verify-full", (True, 2))]
)
def test_sslmode_encrypts_and_checks_as_it_says(mode: str, checks: tuple[bool, int]) -> None:
    from sqlalchemy import make_url

    from annotator.store.database.engine import _for_pg8000

    context = _for_pg8000(make_url("postgresql://u@h/d"), {"sslmode": mode})[1]["ssl_context"]
    assert (context.check_hostname, context.verify_mode) == checks


def test_who_asks_is_the_login_unless_the_url_or_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy import make_url

    from annotator.store.database.engine import _for_pg8000

    monkeypatch.setenv("PGUSER", "someone")
    monkeypatch.setenv("PGPASSWORD", "word")
    found, _ = _for_pg8000(make_url("postgresql://h/d"), {})
    assert (found.username, found.password) == ("someone", "word")
    monkeypatch.delenv("PGUSER")
    monkeypatch.setattr("getpass.getuser", lambda: "login")
    assert _for_pg8000(make_url("postgresql://h/d"), {})[0].username == "login"
