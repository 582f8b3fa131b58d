from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from older_store import make_older
from sqlalchemy import inspect, text

from annotator.store import store as store_module
from annotator.store.database import schema
from annotator.store.database.tables import APPEND_ONLY, HEAD, VERSION_TABLE, metadata
from annotator.store.rows.records import QueueCounts, QueuePlace, Revisions
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction
from panelwise.domain.errors import StoreError

pytestmark = pytest.mark.usefixtures("every_migration")

SPAWN = multiprocessing.get_context("spawn")


def test_the_migrations_end_where_the_program_expects() -> None:
    from alembic.script import ScriptDirectory

    assert ScriptDirectory.from_config(schema.alembic_config()).get_heads() == [HEAD]
    assert HEAD in schema.schema_revisions()


def test_the_migrations_make_the_tables_that_the_program_knows(store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store.read() as tx:
        context = MigrationContext.configure(
            tx.session.connection,
            opts={
                "version_table": VERSION_TABLE,
                "compare_type": True,
                "compare_server_default": True,
                # Full-text indexes are each database's own.
                "include_name": lambda name, *_: not str(name).startswith(("queue_words", "ix_queue_words")),
            },
        )
        assert compare_metadata(context, metadata) == []


def test_opening_again_keeps_what_is_there(empty_url: str) -> None:
    with Store.open(empty_url, create=True) as store, store.transaction() as tx:
        tx.figures.add(a_figure())
    for create in (False, True):
        with Store.open(empty_url, create=create) as store, store.read() as tx:
            assert tx.figures.count() == 1


def test_an_older_store_is_upgraded_on_opening(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        tx.figures._write(text(f"UPDATE {VERSION_TABLE} SET version_num = '0000'"))
    monkeypatch.setattr(schema, "schema_revisions", lambda: {"0000", HEAD})
    done: list[str] = []
    monkeypatch.setattr(schema, "_upgrade", lambda _connection, where: done.append(f"upgraded {where}"))
    monkeypatch.setattr(store_module, "save_before_upgrade", lambda *_: done.append("saved"))
    with Store.open(url) as store:
        assert done == ["saved", f"upgraded {store.where}"]


@pytest.mark.slow
def test_predictions_of_an_older_store_are_kept_and_may_then_stand_beside_those_of_a_new_revision(
    url: str, tmp_path: Path
) -> None:
    with Store.open(url, copies=tmp_path) as store, store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.predictions.put(a_prediction())
        make_older(tx.session.connection, "0001")
    with Store.open(url, copies=tmp_path) as store, store.transaction() as tx:
        new = tx.figures.replace(a_figure(caption="New.", width=900))
        tx.predictions.put(Prediction(new, "classic-1", (), ()))
        assert [each.figure.revision for each in tx.predictions.all(revisions=Revisions.ALL)] == [1, 2]


def test_the_queue_of_an_older_store_is_kept_and_told_its_phases(url: str, tmp_path: Path) -> None:
    with Store.open(url, copies=tmp_path) as store, store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
        tx.annotations.add(an_annotation(annotator="ann1", phase="2"), origin="x")
        tx.annotations.add(an_annotation(annotator="ann2", phase="1"), origin="x")
        tx.queue.put_places([QueuePlace("f1", 0.5, 2)])
        tx.queue.put_places([QueuePlace("f2", None, 0)])
        tx.decisions.add(a_decision())
        make_older(tx.session.connection, "0002")
        columns = {column["name"] for column in inspect(tx.session.connection).get_columns("queue")}
        assert not columns & {"loss", "phases", "needs_second"}
        assert not {"leases", "skips", "sign_ins"} & set(inspect(tx.session.connection).get_table_names())
    with Store.open(url, copies=tmp_path) as store, store.read() as tx:
        statement = text("SELECT figure_id, agreement, version, loss, phases, needs_second FROM queue ORDER BY 1")
        rows = [tuple(row) for row in tx.session.connection.execute(statement)]
        assert rows == [("f1", 0.5, 1, None, ",1,2,", False), ("f2", None, 0, None, "", False)]
        assert tx.decisions.get("f1") == a_decision()
        assert tx.queue.counts() == QueueCounts(total=2, decided=1)


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id + 1", "DELETE FROM {}"])
@pytest.mark.slow
def test_the_append_only_tables_refuse_changes_in_an_upgraded_store(
    url: str, table: str, statement: str, tmp_path: Path
) -> None:
    with Store.open(url, copies=tmp_path) as store, store.transaction() as tx:
        make_older(tx.session.connection, "0001")
    with Store.open(url, copies=tmp_path) as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure())
            tx.annotations.add(an_annotation(), origin="x")
            tx.decisions.add(a_decision())
            tx.figures._write(
                text("INSERT INTO sign_ins (at, name, outcome, address) VALUES ('t', 'n', 'in', '::1')")
            )
        with pytest.raises(StoreError, match=f"{table} are append-only"), store.transaction() as tx:
            tx.figures._write(text(statement.format(table)))


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
        assert tx.figures.count() == 0


def _open_and_add(url: str, number: int) -> bool:
    with Store.open(url, create=True) as store, store.transaction() as tx:
        return tx.figures.add(a_figure(f"f{number}"))


@pytest.mark.slow
def test_processes_that_make_one_store_at_the_same_moment_all_succeed(empty_url: str) -> None:
    with SPAWN.Pool(4) as pool:
        assert pool.starmap(_open_and_add, [(empty_url, number) for number in range(4)], chunksize=1) == [True] * 4
    with Store.open(empty_url) as store, store.read() as tx:
        assert tx.figures.count() == 4


def test_a_store_file_is_in_wal_mode_with_full_syncs_and_foreign_keys(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with Store.open(f"sqlite:///{file}", create=True) as store, store.read() as tx:

        def pragma(name: str) -> object:
            return tx.session.connection.exec_driver_sql(f"PRAGMA {name}").scalar()

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


@pytest.mark.slow
def test_two_temporary_stores_share_nothing() -> None:
    with Store.open("sqlite://", create=True) as one, Store.open("sqlite://", create=True) as two:
        with one.transaction() as tx:
            tx.figures.add(a_figure())
        with two.read() as tx:
            assert tx.figures.count() == 0


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
        assert tx.session.connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    release.join()
