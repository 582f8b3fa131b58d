"""A store copied into another database, of the same kind and of another one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from older_store import make_older
from sqlalchemy import text
from store.filled import AWKWARD, counts, fill

from annotator.store.database.tables import VERSION_TABLE
from annotator.store.maintenance import copy as copying
from annotator.store.maintenance.copy import copy_between
from annotator.store.rows.records import Facet, Sought
from annotator.store.store import Store
from panelwise.domain.errors import StoreError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "source.sqlite"
    with Store.open(file, create=True) as store:
        fill(store)
    return file


def test_every_table_has_rows_in_what_these_tests_copy(source: Path) -> None:
    with Store.open(source) as store:
        assert all(counts(store).values()), counts(store)


@pytest.mark.slow
def test_a_store_copied_there_and_back_is_the_same(source: Path, empty_url: str, tmp_path: Path) -> None:
    there = list(copy_between(source, empty_url))
    back = list(copy_between(empty_url, tmp_path / "back.sqlite"))
    assert {each.table: each for each in there} == {each.table: each for each in back}
    with Store.open(source) as old, Store.open(empty_url) as new, Store.open(tmp_path / "back.sqlite") as again:
        assert counts(old) == counts(new) == counts(again) == {each.table: each.rows for each in there}
        for copy in (new, again):
            with old.read() as one, copy.read() as other:
                assert list(one.decisions.histories()) == list(other.decisions.histories())
                assert list(one.annotations.all()) == list(other.annotations.all())
                assert list(one.predictions.all()) == list(other.predictions.all())
                assert list(one.figures.all()) == list(other.figures.all())
                assert one.tasks.all() == other.tasks.all()
                assert one.people.all() == other.people.all()
                assert other.settings.get("awkward") == AWKWARD


def test_a_copy_can_be_worked_on(source: Path, empty_url: str) -> None:
    list(copy_between(source, empty_url))
    with Store.open(empty_url) as store:
        with store.transaction() as tx:
            assert tx.annotations.add(an_annotation(annotator="new"))
            tx.predictions.put(a_prediction(model_version="classic-3"))
            tx.decisions.add(a_decision(version=4))
            assert [each.figure_id for each in tx.queue.page(Sought(words=("lung",)))] == ["f1", "f2"]
            assert tx.queue.counts(Facet.LOSS, "no box").total == 2
        with pytest.raises(StoreError, match="decisions are append-only"), store.transaction() as tx:
            tx.figures._write(text("DELETE FROM decisions"))


def test_an_empty_store_is_a_place_to_copy_to(source: Path, url: str) -> None:
    assert sum(each.rows for each in copy_between(source, url)) > 30


def test_a_store_with_anything_in_it_is_not_copied_over(source: Path, url: str) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        tx.figures.add(a_figure("mine"))
    with pytest.raises(StoreError, match=r'not empty \(its table "figures" has rows\); give an empty database'):
        list(copy_between(source, url))
    with Store.open(url) as store, store.read() as tx:
        assert [each.id for each in tx.figures.all()] == ["mine"]


def test_what_differs_after_copying_is_refused_whole(
    source: Path, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = copying._write

    def spoil(connection, shape, rows) -> None:
        last = [*rows[:-1], tuple("x" if value == AWKWARD else value for value in rows[-1])]
        write(connection, shape, last if shape.clause.name == "settings" else rows)

    monkeypatch.setattr(copying, "_write", spoil)
    with pytest.raises(
        StoreError, match=r'"settings" is not what was copied \(1 rows given, 1 kept, hashes differ'
    ):
        list(copy_between(source, empty_url))
    with pytest.raises(StoreError, match=r"no store here|no Panelwise store"):
        Store.open(empty_url)


@pytest.mark.slow
def test_many_rows_are_copied_page_by_page(source: Path, empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {each.table: each for each in copy_between(source, source.with_name("whole.sqlite"))}
    monkeypatch.setattr(copying, "PAGE", 2)
    assert {each.table: each for each in copy_between(source, empty_url)} == whole


def test_a_store_of_an_older_program_stays_one(empty_url: str, tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite"
    with Store.open(old, create=True) as store, store.transaction() as tx:
        tx.figures.add(a_figure())
        make_older(tx.session.connection, "0001")
    assert {each.table for each in copy_between(old, empty_url)} >= {"figures", "decisions"}
    with closing(sqlite3.connect(old)) as plain:
        assert plain.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone() == ("0001",)
    with Store.open(empty_url, copies=tmp_path) as store, store.read() as tx:
        assert tx.figures.get("f1") == a_figure()


def test_a_store_of_a_newer_program_is_refused(source: Path, empty_url: str) -> None:
    with closing(sqlite3.connect(source)) as plain, plain:
        plain.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(StoreError, match=r'a newer Panelwise made this store \(revision "9999"'):
        list(copy_between(source, empty_url))


@pytest.mark.slow
def test_nobody_writes_while_a_store_is_moved_and_others_read(source: Path, tmp_path: Path) -> None:
    steps = copy_between(source, tmp_path / "copy.sqlite")
    next(steps)
    with closing(sqlite3.connect(source, timeout=0)) as other:
        assert other.execute("SELECT count(*) FROM figures").fetchone() == (4,)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("DELETE FROM leases")
    steps.close()
    assert not (tmp_path / "copy.sqlite").exists()


def test_a_store_is_not_copied_onto_itself(source: Path) -> None:
    with pytest.raises(StoreError, match="is the store to copy itself"):
        list(copy_between(source, source))


def test_what_is_no_store_is_not_copied(tmp_path: Path, empty_url: str) -> None:
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as plain:
        plain.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError, match="holds no Panelwise store; name the store to copy"):
        list(copy_between(tmp_path / "other.sqlite", empty_url))
    with pytest.raises(StoreError, match="there is no store here"):
        list(copy_between(tmp_path / "none.sqlite", empty_url))
    assert not (tmp_path / "none.sqlite").exists()
