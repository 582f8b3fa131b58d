from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from pathlib import Path

import pytest
from builders import a_figure, a_prediction
from sqlalchemy import inspect, text

from annotator.domain.annotation import Prediction
from annotator.domain.errors import StoreError
from annotator.store import schema
from annotator.store.records import Revisions
from annotator.store.store import Store
from annotator.store.tables import HEAD, VERSION_TABLE, metadata

SPAWN = multiprocessing.get_context("spawn")


def test_the_migrations_end_where_the_program_expects() -> None:
    from alembic.script import ScriptDirectory

    assert ScriptDirectory.from_config(schema.alembic_config()).get_heads() == [HEAD]
    assert HEAD in schema.known_revisions()


def test_the_migrations_make_the_tables_that_the_program_knows(store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store.read() as tx:
        context = MigrationContext.configure(
            tx._connection, opts={"version_table": VERSION_TABLE, "compare_type": True}
        )
        assert compare_metadata(context, metadata) == []


def test_going_down_leaves_nothing_and_up_again_works(url: str) -> None:
    from alembic import command

    with Store.open(url) as store, store.transaction() as tx:
        command.downgrade(schema.alembic_config(tx._connection), "base")
        assert inspect(tx._connection).get_table_names() == [VERSION_TABLE]
    with Store.open(url, create=True) as store, store.transaction() as tx:
        assert tx.add_figure(a_figure())


def test_opening_again_keeps_what_is_there(empty_url: str) -> None:
    with Store.open(empty_url, create=True) as store, store.transaction() as tx:
        tx.add_figure(a_figure())
    for create in (False, True):
        with Store.open(empty_url, create=create) as store, store.read() as tx:
            assert tx.count_figures() == 1


def test_an_older_store_is_upgraded_on_opening(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one revision so far: a store without any table, marked as older, stands for an older one."""
    from alembic import command

    with Store.open(url) as store, store.transaction() as tx:
        command.downgrade(schema.alembic_config(tx._connection), "base")
        tx._write(text(f"INSERT INTO {VERSION_TABLE} VALUES ('0000')"))
    monkeypatch.setattr(schema, "known_revisions", lambda: {"0000", HEAD})
    upgraded = []
    monkeypatch.setattr(schema, "_upgrade", lambda _connection, where: upgraded.append(where))
    with Store.open(url) as store:
        assert upgraded == [store.where]


def test_predictions_of_an_older_store_are_kept_and_may_then_stand_beside_those_of_a_new_revision(
    url: str,
) -> None:
    from alembic import command

    with Store.open(url) as store, store.transaction() as tx:
        tx.add_figure(a_figure())
        tx.put_prediction(a_prediction())
        command.downgrade(schema.alembic_config(tx._connection), "0001")
    with Store.open(url) as store, store.transaction() as tx:
        new = tx.replace_figure(a_figure(caption="New.", width=900))
        tx.put_prediction(Prediction(new, "classic-1", (), ()))
        assert [each.figure.revision for each in tx.predictions(revisions=Revisions.ALL)] == [1, 2]
    with Store.open(url) as store, store.transaction() as tx:
        # Back at the older tables, which hold one prediction a figure: the one put last.
        command.downgrade(schema.alembic_config(tx._connection), "0001")
        assert [each.figure.revision for each in tx.predictions(revisions=Revisions.ALL)] == [2]


def test_a_failed_upgrade_is_undone_whole(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic import command
    from alembic.util.exc import CommandError

    upgrade = command.upgrade

    def fail_late(config: object, revision: str) -> None:
        upgrade(config, revision)
        raise CommandError("no\nluck")

    monkeypatch.setattr(command, "upgrade", fail_late)
    with pytest.raises(StoreError, match=r"the upgrade failed \(no luck\); reinstall Panelwise"):
        Store.open(empty_url, create=True)
    monkeypatch.undo()
    with pytest.raises(StoreError, match="holds no Panelwise store"):
        Store.open(empty_url)
    with Store.open(empty_url, create=True) as store, store.read() as tx:
        assert tx.count_figures() == 0


def _open_and_add(url: str, number: int) -> bool:
    with Store.open(url, create=True) as store, store.transaction() as tx:
        return tx.add_figure(a_figure(f"f{number}"))


@pytest.mark.slow
def test_processes_that_make_one_store_at_the_same_moment_all_succeed(empty_url: str) -> None:
    with SPAWN.Pool(4) as pool:
        assert pool.starmap(_open_and_add, [(empty_url, number) for number in range(4)], chunksize=1) == [True] * 4
    with Store.open(empty_url) as store, store.read() as tx:
        assert tx.count_figures() == 4


def test_a_store_file_is_in_wal_mode_with_full_syncs_and_foreign_keys(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with Store.open(f"sqlite:///{file}", create=True) as store, store.read() as tx:

        def pragma(name: str) -> object:
            return tx._connection.exec_driver_sql(f"PRAGMA {name}").scalar()

        assert (pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")) == ("wal", 2, 1)
        assert pragma("busy_timeout") == 15000
    plain = sqlite3.connect(file)
    assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()


@pytest.mark.slow
def test_a_temporary_store_leaves_no_file_behind() -> None:
    import gc

    store = Store.open("sqlite://", create=True)
    folder = store._database.file
    assert folder is not None
    assert folder.exists()
    assert store.where == "store (temporary)"
    store.close()
    del store
    gc.collect()
    assert not folder.parent.exists()


def test_two_temporary_stores_share_nothing() -> None:
    with Store.open("sqlite://", create=True) as one, Store.open("sqlite://", create=True) as two:
        with one.transaction() as tx:
            tx.add_figure(a_figure())
        with two.read() as tx:
            assert tx.count_figures() == 0


@pytest.mark.slow
def test_opening_waits_for_a_reader_before_it_turns_to_wal(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    Store.open(f"sqlite:///{file}", create=True).close()
    reader = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    reader.execute("PRAGMA journal_mode=DELETE")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM figures").fetchone()
    release = threading.Timer(0.2, reader.close)
    release.start()
    with Store.open(f"sqlite:///{file}") as store, store.read() as tx:
        assert tx._connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    release.join()
