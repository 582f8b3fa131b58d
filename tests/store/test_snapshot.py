"""A store as it is at one moment, in a file, while somebody writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import a_figure
from store.filled import counts, fill
from store.spoiling import spoil

from annotator.store.database.tables import HEAD
from annotator.store.maintenance.check import check_store
from annotator.store.maintenance.copy import copy_between
from annotator.store.maintenance.snapshot import images_in, look_into, take_snapshot
from annotator.store.store import Store
from panelwise.domain.errors import StoreError


@pytest.mark.slow
def test_a_snapshot_holds_every_row_in_one_sound_file(
    store: Store, url: str, backend: str, tmp_path: Path
) -> None:
    fill(store)
    file = tmp_path / "snapshot.sqlite"
    taken = take_snapshot(url, file)
    assert (taken.engine, taken.revision, taken.rows) == (backend, HEAD, counts(store))
    assert list(check_store(file)) == []
    assert [each.name for each in tmp_path.glob("snapshot*")] == ["snapshot.sqlite"]
    copied = {each.table: each.sha256 for each in copy_between(url, tmp_path / "copy.sqlite")}
    assert {each.table: each.sha256 for each in copy_between(file, tmp_path / "again.sqlite")} == copied


def test_a_writer_neither_waits_for_a_snapshot_nor_gets_into_it(store: Store, url: str, tmp_path: Path) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("before"))
    with store.transaction() as tx:
        tx.figures.add(a_figure("meanwhile"))
        taken = take_snapshot(url, tmp_path / "snapshot.sqlite")
        tx.figures.add(a_figure("later"))
    assert taken.rows["figures"] == 1
    with store.read() as tx:
        assert tx.figures.count() == 3


def test_images_of_every_revision_are_named_once(store: Store, url: str, tmp_path: Path) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1", image="images/a.png", image_sha256="1" * 64))
        tx.figures.replace(a_figure("f1", image="images/b.png", image_sha256="2" * 64))
        tx.figures.add(a_figure("f2", image="images/a.png"))
        tx.figures.add(a_figure("f3", image="", source={"x": float("inf")}))
        tx.figures.add(a_figure("f4", image="images/c.png", source={"x": float("inf")}))
        tx.figures.add(a_figure("f5"))
    spoil(store, "UPDATE figure_revisions SET payload = '[' WHERE figure_id = 'f5'")
    take_snapshot(url, tmp_path / "snapshot.sqlite")
    assert sorted(images_in(tmp_path / "snapshot.sqlite")) == [
        ("images/a.png", "f1", "1" * 64),
        ("images/b.png", "f1", "2" * 64),
        ("images/c.png", "f4", ""),
    ]


def test_what_holds_no_store_or_a_damaged_one_is_told(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as plain:
        plain.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError, match="holds no Panelwise store"):
        take_snapshot(tmp_path / "other.sqlite", tmp_path / "snapshot.sqlite")
    (tmp_path / "text.sqlite").write_text("this is text, and longer than a header of SQLite " * 40)
    with pytest.raises(StoreError, match="this is no SQLite database"):
        look_into(tmp_path / "text.sqlite", "text")
    Store.open(tmp_path / "store.sqlite", create=True).close()
    take_snapshot(tmp_path / "store.sqlite", tmp_path / "damaged.sqlite")
    data = bytearray((tmp_path / "damaged.sqlite").read_bytes())
    data[4 * 4096 : 6 * 4096] = b"\xff" * 8192
    (tmp_path / "damaged.sqlite").write_bytes(data)
    with pytest.raises(StoreError, match=r"the database is damaged.*restore a backup"):
        look_into(tmp_path / "damaged.sqlite", "damaged")
