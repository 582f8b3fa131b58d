"""Stores of every earlier revision of the tables, upgraded: nothing is lost, and nothing is wrong with them."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import select, text
from store.filled import counts, fill

from annotator.store.database import schema
from annotator.store.database.engine import open_database
from annotator.store.database.tables import HEAD, VERSION_TABLE, metadata, threads_read
from annotator.store.maintenance.check import check_store
from annotator.store.store import Store
from panelwise.domain.errors import StoreError


def earlier() -> list[str]:
    """Every revision that there was before the present one."""
    return sorted(schema.schema_revisions() - {HEAD})


def rows_of(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Table -> its rows, in order."""
    with store.read() as tx:
        return {
            table.name: sorted(map(tuple, tx.session.connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def go_back(store: Store, revision: str) -> None:
    """Make the tables those of an earlier revision."""
    from alembic import command

    with store.transaction() as tx:
        command.downgrade(schema.alembic_config(tx.session.connection), revision)


@pytest.mark.parametrize("revision", earlier())
@pytest.mark.slow
def test_a_store_of_each_earlier_revision_is_upgraded_without_loss(empty_url: str, revision: str) -> None:
    with Store.open(empty_url, create=True) as store:
        fill(store)
        before = rows_of(store)
        go_back(store, revision)
    with Store.open(empty_url) as store:
        assert rows_of(store) == before
        assert min(counts(store).values()) > 0
    assert list(map(str, check_store(empty_url))) == []


def test_what_was_read_of_a_figure_is_read_in_each_of_its_threads(empty_url: str) -> None:
    with Store.open(empty_url, create=True) as store:
        fill(store)
        go_back(store, "0009")
        with store.transaction() as tx:
            other = "INSERT INTO comments VALUES (2, 'f1', '', 2, 'rev1', '2026-11-21T10:00:00.000000Z', 'hm')"
            tx.figures._write(text(other))
            tx.figures._write(text("INSERT INTO comments_read VALUES ('f1', 'ann2', 2)"))
    with Store.open(empty_url) as store, store.read() as tx:
        rows = [
            tuple(row.values()) for row in tx.comments._rows(select(threads_read).order_by("thread", "person"))
        ]
        assert rows == [(1, "ann1", 1), (1, "ann2", 1), (2, "ann2", 2)]


def test_a_newer_store_is_refused_and_left_as_it_is(url: str) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        tx.figures._write(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(
        StoreError, match=r'a newer Panelwise made this store \(revision "9999".*upgrade Panelwise'
    ):
        Store.open(url)
    with closing(open_database(url, create=False)) as database, database.engine.connect() as connection:
        assert schema.revision_of(connection) == "9999"
