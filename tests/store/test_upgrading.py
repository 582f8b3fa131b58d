"""Stores of every earlier revision of the tables, upgraded: nothing is lost, and nothing is wrong with them."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_decision, a_figure
from sqlalchemy import Connection, select, text
from store.filled import counts

from annotator.store.database import schema
from annotator.store.database.engine import WRITING, open_database
from annotator.store.database.tables import HEAD, VERSION_TABLE, threads_read
from annotator.store.maintenance.check import check_store
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Decision
from panelwise.domain.errors import StoreError

FIRST = Path(__file__).with_name("first_schema.sql")
#: Rows as they stand at each revision beside what the first had: table -> columns and values, in SQL.
SINCE = {
    "0002": (
        "INSERT INTO predictions (id, figure_id, revision, model_version, payload) "
        "SELECT 90, figure_id, revision, 'another-1', payload FROM predictions WHERE figure_id = 'sim-001'",
    ),
    "0003": (
        "INSERT INTO leases VALUES ('sim-001', 'reviewer', '2026-11-21T10:00:00.000000Z')",
        "INSERT INTO skips VALUES ('sim-002', 'reviewer', '2026-11-21T10:00:00.000000Z')",
        "INSERT INTO sign_ins VALUES (1, '2026-11-21T10:00:00.000000Z', 'reviewer', 'signed in', '::1')",
        "INSERT INTO decisions (id, figure_id, revision, version, reviewer, status, decided_at, payload) "
        "SELECT 3, figure_id, revision, 3, reviewer, 'reopened', decided_at, "
        '\'{"note":"again"}\' FROM decisions WHERE version = 2',
        "INSERT INTO bulks VALUES (1, 'reviewer', '2026-11-21T10:00:00.000000Z', NULL)",
        "INSERT INTO bulk_figures VALUES (1, 'sim-001', 2)",
        "UPDATE queue SET decided = false, status = NULL, version = 0, reviewer = '' WHERE figure_id = 'sim-001'",
        "INSERT INTO queue_facets SELECT figure_id, 'all', '', decided, coalesce(agreement, -2.0) FROM queue",
        "INSERT INTO queue_counts SELECT 'all', '', count(*), 0 FROM queue",
    ),
    "0004": (
        "INSERT INTO given VALUES ('2', 'sim-001', 1, 'gold', '2026-11-21T10:00:00.000000Z', '[]')",
        "INSERT INTO handed_in VALUES ('2', 'reviewer', 'sim-001', '2026-11-21T10:00:00.000000Z')",
    ),
    "0005": (
        "INSERT INTO sent_back VALUES (1, 'sim-001', '1', 'ann1', 'reviewer', '2026-11-21T10:00:00.000000Z', "
        "'the label', '2026-11-21T11:00:00.000000Z', 'reviewer')",
    ),
    "0006": ("UPDATE tasks SET hidden = true WHERE figure_id = 'sim-003'",),
    "0007": (
        "INSERT INTO withdrawals VALUES (1, 'sim-001', 'reviewer', '2026-11-21T10:00:00.000000Z', 'a duplicate', "
        "'2026-11-21T11:00:00.000000Z', 'reviewer')",
    ),
    "0008": (
        "INSERT INTO api_tokens VALUES (1, 'reviewer', 'script', 'abc', '2026-11-21T10:00:00.000000Z', NULL)",
    ),
    "0009": (
        "INSERT INTO comments VALUES (1, 'sim-001', 'ann1', 1, 'reviewer', '2026-11-21T10:00:00.000000Z', 'why?')",
        "INSERT INTO comments VALUES (2, 'sim-001', '', 2, 'reviewer', '2026-11-21T10:00:00.000000Z', 'hm')",
        "INSERT INTO comments VALUES (3, 'sim-001', 'ann1', 1, 'ann1', '2026-11-21T11:00:00.000000Z', 'so')",
    ),
    "0010": ("INSERT INTO threads_read VALUES (1, 'ann1', 3)",),
    "0011": ("INSERT INTO figures_seen VALUES ('sim-002', 'ann1', '2026-11-21T10:00:00.000000Z')",),
    "0012": ("UPDATE tasks SET skipped_at = '2026-11-21T10:00:00.000000Z' WHERE figure_id = 'sim-001'",),
    "0013": (
        "UPDATE predictions SET (subfigures, certainty) = (SELECT other.subfigures, other.certainty "
        "FROM predictions AS other WHERE other.payload = predictions.payload AND other.id <> 90) WHERE id = 90",
    ),
    "0014": ("UPDATE tasks SET unseeded = true WHERE figure_id = 'sim-002'",),
}


def earlier() -> list[str]:
    """Every revision that there was, the present one too: it is what the next one has to upgrade."""
    return sorted(schema.schema_revisions())


def first_rows() -> dict[str, tuple[list[str], list[tuple[object, ...]]]]:
    """Table -> columns and rows of the store that the first program wrote, parents before children."""
    with closing(sqlite3.connect(":memory:")) as plain:
        plain.executescript(FIRST.read_text(encoding="utf-8"))
        found = {}
        for table in (
            *("figures", "figure_revisions", "people", "projects", "settings", "links", "queue", "tasks"),
            *("annotations", "decisions", "predictions"),
        ):
            cursor = plain.execute(f"SELECT * FROM {table}")
            found[table] = ([each[0] for each in cursor.description], cursor.fetchall())
    return found


def make_old(url: str, revision: str) -> None:
    """A store at that revision of the tables, filled by SQL alone."""
    with (
        closing(open_database(url, create=True)) as database,
        database.engine.connect().execution_options(**{WRITING: True}) as connection,
        connection.begin(),
    ):
        schema.make_tables(connection, url, revision)
        _insert_first(connection, revision)
        for since, statements in SINCE.items():
            for statement in statements if since <= revision else ():
                connection.exec_driver_sql(statement)
        if connection.dialect.name == "postgresql":
            # The ids above were given; the database's own count did not see them.
            for table in ("annotations", "decisions", "predictions", "tasks"):
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"
                )


def _insert_first(connection: Connection, revision: str) -> None:
    booleans = {"active", "judged", "decided"}
    for table, (columns, rows) in first_rows().items():
        for row in rows:
            values = {
                name: bool(value) if name in booleans else value for name, value in zip(columns, row, strict=True)
            }
            if revision >= "0013":
                values |= columns_since_0013(table, values)
            marks = ", ".join(f":{name}" for name in values)
            connection.execute(text(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"), values)


def columns_since_0013(table: str, row: dict[str, object]) -> dict[str, object]:
    """Return the values of the columns that revision 0013 added, from a payload of the first version."""
    payload = json.loads(str(row["payload"])) if table in {"annotations", "decisions", "predictions"} else {}
    if table == "predictions":
        return {"subfigures": len(payload["subfigures"]), "certainty": math.prod(payload["scores"])}
    return {"seconds": payload["seconds"]} if payload else {}


def seen(url: str, copies: Path) -> tuple[object, ...]:
    """What the first program's rows say to this one."""
    with Store.open(url, copies=copies) as store, store.read() as tx:
        return (
            list(tx.figures.all()),
            list(tx.annotations.all()),
            [each for each in tx.decisions.history("sim-001") if isinstance(each, Decision)],
            [each for each in tx.predictions.all() if each.model_version != "another-1"],
            [replace(each, skipped_at=None, unseeded=False) for each in tx.tasks.all()],
            tx.people.all(),
            tx.links.all(),
            tx.links.projects(),
            tx.people.password_hash("reviewer"),
            tx.settings.get("campaign_id"),
        )


def test_rows_are_written_for_every_revision() -> None:
    assert earlier()[0] == "0001"
    assert earlier()[-1] == HEAD
    assert [*SINCE] == earlier()[1:], "a new revision: say what rows it has"


@pytest.mark.parametrize("revision", earlier())
@pytest.mark.slow
def test_a_store_of_each_earlier_revision_is_upgraded_without_loss(
    empty_url: str, revision: str, tmp_path: Path
) -> None:
    make_old(empty_url, revision)
    figures, annotations, history, predictions, tasks, people, links, projects, password, campaign = seen(
        empty_url, tmp_path
    )
    assert [each.id for each in figures] == ["sim-001", "sim-002"]
    assert [(each.figure.id, each.annotator) for each in annotations] == [
        (figure, who) for figure in ("sim-001", "sim-002") for who in ("ann1", "ann2", "ann3")
    ]
    assert [(each.version, each.status, each.note, each.seconds) for each in history] == [
        (1, Status.IGNORED, 'for the lead: "which panel?"', None),
        (2, Status.ACCEPTED, "", 41.5),
    ]
    assert (len(predictions), len(tasks), len(people), len(links), len(projects)) == (2, 8, 5, 8, 4)
    assert (password, campaign) == ("argon2-hash", "c0ffee")
    assert list(map(str, check_store(empty_url))) == []
    # From wherever it comes, and on either database, it is the same store then.
    newest = f"sqlite:///{tmp_path / 'newest.sqlite'}"
    make_old(newest, HEAD)
    assert seen(empty_url, tmp_path) == seen(newest, tmp_path)
    with Store.open(empty_url) as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure())
            tx.decisions.add(a_decision())
        assert counts(store)["decisions"] == (3 if revision < "0003" else 4)


def test_what_was_read_of_a_figure_is_read_in_each_of_its_threads(empty_url: str, tmp_path: Path) -> None:
    make_old(empty_url, "0009")
    with (
        closing(open_database(empty_url, create=False)) as database,
        database.engine.connect().execution_options(**{WRITING: True}) as connection,
        connection.begin(),
    ):
        connection.exec_driver_sql("INSERT INTO comments_read VALUES ('sim-001', 'ann2', 2)")
    with Store.open(empty_url, copies=tmp_path) as store, store.read() as tx:
        rows = [tuple(row.values()) for row in tx.comments._rows(select(threads_read).order_by("thread"))]
        assert rows == [(1, "ann2", 1), (2, "ann2", 2)]
        assert tx.comments.unread("ann2") == {"sim-001": 1}


@pytest.mark.slow
def test_the_first_programs_own_file_is_upgraded(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(file)) as plain:
        plain.executescript(FIRST.read_text(encoding="utf-8"))
    newest = f"sqlite:///{tmp_path / 'newest.sqlite'}"
    make_old(newest, HEAD)
    assert seen(f"sqlite:///{file}", tmp_path) == seen(newest, tmp_path)
    assert list(map(str, check_store(file))) == []


def test_a_newer_store_is_refused_and_left_as_it_is(url: str) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        tx.figures._write(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(
        StoreError, match=r'a newer Panelwise made this store \(revision "9999".*upgrade Panelwise'
    ):
        Store.open(url)
    with closing(open_database(url, create=False)) as database, database.engine.connect() as connection:
        assert schema.revision_of(connection) == "9999"
