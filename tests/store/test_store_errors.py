"""Whatever goes wrong with the database is a StoreError of one line that says where, what, and what to do."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from store.refused import refusal

from annotator.store.database.errors import explain, quoted
from annotator.store.store import Store
from panelwise.domain.campaign import Person
from panelwise.domain.errors import StoreError

pytestmark = pytest.mark.usefixtures("every_migration")


def test_a_missing_file_is_not_made_unless_asked(tmp_path: Path) -> None:
    file = tmp_path / "no.sqlite"
    assert refusal(f"sqlite:///{file}") == f'{file}: there is no store here; make one with "annotator init"'
    assert not file.exists()


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are my notes. " * 100)
    for create in (False, True):
        assert "this is no SQLite database" in refusal(f"sqlite:///{file}", create=create)
    assert file.read_text() == "These are my notes. " * 100


def test_another_programs_database_is_told_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE annotations (id)")
    connection.close()
    before = file.read_bytes()
    assert "holds no Panelwise store" in refusal(f"sqlite:///{file}")
    assert 'another program\'s table "annotations"' in refusal(f"sqlite:///{file}", create=True)
    assert file.read_bytes() == before


def test_a_folder_or_a_missing_folder_is_told(tmp_path: Path) -> None:
    assert "this is a folder" in refusal(f"sqlite:///{tmp_path}", create=True)
    assert "does not exist; make it first" in refusal(f"sqlite:///{tmp_path}/no/store.sqlite", create=True)
    assert "holds NUL" in refusal("sqlite:///a\x00b", create=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everyone may look into, which `tmp_path` is not."""
    with tempfile.TemporaryDirectory(prefix="panelwise-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def as_a_mere_user() -> Iterator[None]:
    """root may write everywhere: be someone else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="rights are another matter there")
def test_a_file_that_may_not_be_written_is_told(open_folder: Path) -> None:
    file = open_folder / "store.sqlite"
    with Store.open(f"sqlite:///{file}", create=True) as store, store.transaction() as tx:
        tx.settings.put("a", "b")
    file.chmod(0o444)
    open_folder.chmod(0o555)
    with as_a_mere_user():
        for create in (False, True):
            assert refusal(f"sqlite:///{file}", create=create).startswith(f"{file}: ")
        assert "cannot be opened" in refusal(f"sqlite:///{open_folder / 'new.sqlite'}", create=True)
    open_folder.chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="rights are another matter there")
def test_a_folder_that_may_not_be_looked_into_is_told(open_folder: Path) -> None:
    open_folder.chmod(0o000)
    with as_a_mere_user():
        assert "ermission" in refusal(f"sqlite:///{open_folder / 'store.sqlite'}")
    open_folder.chmod(0o755)


def test_a_file_that_turned_read_only_is_told(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'store.sqlite'}", create=True) as store:
        with store.read() as tx:
            tx.session.connection.exec_driver_sql("PRAGMA query_only=ON")
        with pytest.raises(StoreError, match="write permission"), store.transaction() as tx:
            tx.settings.put("a", "b")


def test_a_store_of_a_newer_program_is_told(url: str) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        tx.figures._write(text("UPDATE panelwise_revision SET version_num = '9999'"))
    for create in (False, True):
        assert 'a newer Panelwise made this store (revision "9999"' in refusal(url, create=create)


def test_a_missing_table_is_told(url: str) -> None:
    with Store.open(url) as store:
        with store.transaction() as tx:
            tx.figures._write(text("DROP TABLE settings"))
        with pytest.raises(StoreError, match="a table of the store is missing"), store.read() as tx:
            tx.settings.get("a")


def test_a_database_that_is_locked_for_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.database.engine.BUSY_SECONDS", 0)
    file = tmp_path / "store.sqlite"
    with Store.open(f"sqlite:///{file}", create=True) as store:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process has been writing"), store.transaction():
            pass
        other.close()


def test_a_full_disk_is_told_and_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'store.sqlite'}", create=True) as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure())

        def fill() -> None:
            with store.transaction() as tx:
                tx.session.connection.exec_driver_sql("PRAGMA max_page_count=1")
                tx.figures.add(a_figure("f2", extra={"text": "x" * 500_000}))

        with pytest.raises(StoreError, match="the disk is full"):
            fill()
        with store.read() as tx:
            assert [figure.id for figure in tx.figures.all()] == ["f1"]


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with Store.open(f"sqlite:///{file}", create=True) as store, store.transaction() as tx:
        for number in range(50):
            tx.figures.add(a_figure(f"f{number}"))
    damaged = bytearray(file.read_bytes())
    damaged[4096:] = bytes([0xA5]) * (len(damaged) - 4096)
    file.write_bytes(damaged)
    with (
        pytest.raises(StoreError, match=r"damaged; restore a backup|missing"),
        Store.open(f"sqlite:///{file}") as store,
        store.read() as tx,
    ):
        list(tx.figures.all())


@pytest.mark.parametrize("bad", ["a\x00b", "a\ud800b", "\udcff"])
@pytest.mark.slow
def test_text_that_no_database_keeps_is_refused_alike_wherever_it_stands(store: Store, bad: str) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        attempts: list[Any] = [
            lambda: tx.figures.add(a_figure(bad)),
            lambda: tx.figures.add(a_figure("f2", caption=bad)),
            lambda: tx.figures.add(a_figure("f2", extra={"deep": [{bad: 1}]})),
            lambda: tx.annotations.add(an_annotation(annotator=bad)),
            lambda: tx.annotations.add(an_annotation(guideline=bad)),
            lambda: tx.annotations.add(an_annotation(), origin=bad),
            lambda: tx.predictions.put(a_prediction(model_version=bad)),
            lambda: tx.decisions.add(a_decision(note=bad)),
            lambda: tx.people.put(Person(bad, frozenset())),
            lambda: tx.settings.put("a", bad),
            lambda: tx.figures.has(bad),
            lambda: list(tx.annotations.all(phase=bad)),
        ]
        for attempt in attempts:
            with pytest.raises(StoreError, match="cannot be stored; remove it") as raised:
                attempt()
            assert str(raised.value).isprintable()
        assert tx.figures.count() == 1, "the transaction goes on"


@given(st.text())
def test_a_quoted_text_is_always_one_printable_line(given_text: str) -> None:
    assert quoted(given_text).isprintable()


def test_a_name_too_long_for_an_index_is_refused_alike(store: Store) -> None:
    with store.transaction() as tx:
        long = "é" * 400
        tx.figures.add(a_figure(long))
        assert tx.figures.has(long)
        for name in (long + "x", "x" * 5000):
            with pytest.raises(StoreError, match="is longer than 800 bytes; shorten it"):
                tx.figures.add(a_figure(name))
        widest = an_annotation(a_figure(long), annotator=long, phase=long)
        assert tx.annotations.add(widest)
        assert list(tx.annotations.all()) == [widest]


def test_nothing_is_written_while_reading(store: Store) -> None:
    with store.read() as tx, pytest.raises(StoreError, match=r'use "with store.transaction\(\)"'):
        tx.figures.add(a_figure())


def test_what_is_read_after_the_end_is_told(store: Store) -> None:
    with store.read() as tx:
        late = tx.figures.all()
    with pytest.raises(StoreError, match="the transaction has ended"):
        next(late)


def test_a_writing_transaction_inside_another_is_told_at_once(store: Store) -> None:
    with store.transaction(), pytest.raises(StoreError, match="writing already"), store.transaction():
        pass
    with store.transaction() as tx:
        tx.settings.put("still", "works")


def test_a_database_error_that_is_caught_inside_still_keeps_nothing(store: Store) -> None:
    """What PostgreSQL would turn into a rollback without a word, and SQLite might keep by halves."""

    def go_on_regardless() -> None:
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1"))
            with pytest.raises(StoreError, match="a table of the store is missing"):
                tx.figures._write(text("DELETE FROM nowhere"))
            with pytest.raises(StoreError, match="a table of the store is missing"):
                tx.figures.add(a_figure("f2"))

    with pytest.raises(StoreError, match=r"is missing.*; nothing of this transaction was kept$"):
        go_on_regardless()
    with store.read() as tx:
        assert tx.figures.count() == 0


def test_a_refused_record_that_is_caught_inside_leaves_the_rest(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        for bad in (a_figure("f1", width=3), a_figure("f2\x00"), a_figure("f3", extra={"a": "\ud800"})):
            with pytest.raises(StoreError):
                tx.figures.add(bad)
        tx.figures.add(a_figure("f4"))
    with store.read() as tx:
        assert [figure.id for figure in tx.figures.all()] == ["f1", "f4"]


def test_an_error_inside_a_transaction_undoes_all_of_it_and_comes_out_unchanged(store: Store) -> None:
    def fail() -> None:
        with store.transaction() as tx:
            tx.figures.add(a_figure())
            raise OSError("mine")

    with pytest.raises(OSError, match="mine"):
        fail()
    with store.read() as tx:
        assert tx.figures.count() == 0


def test_an_error_nobody_foresaw_is_still_one_line() -> None:
    assert str(explain(OperationalError("S", None, Exception("a\nb")), "x")) == "x: the database failed: a b"
    assert str(explain(sqlite3.OperationalError("odd\nthing"), "x")) == "x: the database refuses: odd thing"


def test_a_damaged_person_is_told(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("ann", frozenset()))
        tx.figures._write(text("UPDATE people SET roles = 'emperor'"))
        with pytest.raises(StoreError, match=r'person "ann" in the store is damaged .*; restore a backup'):
            tx.people.all()


def test_more_threads_than_connections_are_told() -> None:
    from sqlalchemy.exc import TimeoutError as PoolTimeout

    assert "too many threads" in str(explain(PoolTimeout("QueuePool limit"), "x"))
