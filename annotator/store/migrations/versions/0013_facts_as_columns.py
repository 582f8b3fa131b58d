"""Give columns to the values of annotations, decisions and predictions that queries select by.

Until now they stood in the JSON of the payload only.

Filled and verified here: no row is lost, no other column changes, and each new value is that of the payload. A
payload that cannot be read stays as it is, with columns that say nothing; "annotator store check" names it.

Revision ID: 0013
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite, prod
from typing import Any

import sqlalchemy as sa
from alembic import op

from panelwise.domain import StoreError

revision = "0013"
down_revision = "0012"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

#: Rows read and written at a time.
BATCH = 2000


Values = dict[str, Any]


def of_annotation(payload: Mapping[str, Any]) -> Values:
    return {"seconds": number(payload.get("seconds"))}


def of_decision(payload: Mapping[str, Any]) -> Values:
    awaits = payload.get("awaits")
    return {
        "seconds": number(payload.get("seconds")),
        "awaits": awaits if isinstance(awaits, str) else None,
        "flagged": bool(payload.get("guideline_flag")),
    }


def of_prediction(payload: Mapping[str, Any]) -> Values:
    scores = [float(score) for score in payload["scores"]]
    return {"subfigures": len(payload["subfigures"]), "certainty": number(prod(scores)) if scores else None}


def number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and isfinite(value) else None


#: By table: the columns, with their types in PostgreSQL's JSON, and how they follow from a payload.
TABLES: dict[str, tuple[dict[str, str], Callable[[Mapping[str, Any]], Values]]] = {
    "annotations": ({"seconds": "float8"}, of_annotation),
    "decisions": ({"seconds": "float8", "awaits": "text", "flagged": "boolean"}, of_decision),
    "predictions": ({"subfigures": "integer", "certainty": "float8"}, of_prediction),
}
APPEND_ONLY = ("annotations", "decisions")


def upgrade() -> None:
    before = {table: _contents(table) for table in TABLES}
    op.add_column("annotations", sa.Column("seconds", sa.Double()))
    op.add_column("decisions", sa.Column("seconds", sa.Double()))
    op.add_column("decisions", sa.Column("awaits", KEY))
    op.add_column("decisions", sa.Column("flagged", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("predictions", sa.Column("subfigures", sa.Integer()))
    op.add_column("predictions", sa.Column("certainty", sa.Double()))
    with _changeable():
        for table in TABLES:
            for page in _pages(table):
                _write(table, [{"id": row["id"], **_facts(table, row["payload"])} for row in page])
    for table, contents in before.items():
        if _contents(table) != contents or not all(map(_are_the_payloads(table), _rows(table))):
            raise StoreError(
                f"{table}: not what they were before the upgrade; the store is unchanged, report this"
            )


def _facts(table: str, payload: str) -> Values:
    """The columns' values; none of a payload that cannot be read."""
    columns, read = TABLES[table]
    try:
        return read(json.loads(payload))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {name: False if kind == "boolean" else None for name, kind in columns.items()}


def _pages(table: str) -> Iterator[Sequence[Values]]:
    statement = sa.text(f"SELECT * FROM {table} WHERE id > :last ORDER BY id LIMIT {BATCH}")
    last = -1
    while page := [row._asdict() for row in op.get_bind().execute(statement, {"last": last})]:
        yield page
        last = page[-1]["id"]


def _rows(table: str) -> Iterator[Values]:
    for page in _pages(table):
        yield from page


def _contents(table: str) -> tuple[int, str]:
    """The number of rows, and a hash of everything in them but the new columns."""
    count, digest = 0, hashlib.sha256()
    for row in _rows(table):
        count += 1
        digest.update(json.dumps([row[name] for name in sorted(row) if name not in TABLES[table][0]]).encode())
    return count, digest.hexdigest()


def _are_the_payloads(table: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda row: all(row[name] == value for name, value in _facts(table, row["payload"]).items())


def _write(table: str, rows: list[Values]) -> None:
    columns, _ = TABLES[table]
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        changes = ", ".join(f"{name} = :{name}" for name in columns)
        connection.execute(sa.text(f"UPDATE {table} SET {changes} WHERE id = :id"), rows)
        return
    # A statement a row would be a round trip a row.
    changes = ", ".join(f"{name} = new.{name}" for name in columns)
    shape = ", ".join(f"{name} {kind}" for name, kind in {"id": "bigint", **columns}.items())
    statement = sa.text(
        f"UPDATE {table} SET {changes} FROM json_to_recordset(CAST(:rows AS json)) AS new ({shape}) "
        f"WHERE {table}.id = new.id"
    )
    connection.execute(statement, {"rows": json.dumps(rows)})


@contextmanager
def _changeable() -> Iterator[None]:
    """Let this transaction change rows of the append-only tables."""
    if op.get_bind().dialect.name != "sqlite":
        for table in APPEND_ONLY:
            op.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        for table in APPEND_ONLY:
            op.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        return
    names = ", ".join(f"'{table}'" for table in APPEND_ONLY)
    found = f"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ({names})"
    triggers = op.get_bind().execute(sa.text(found)).all()
    for name, _ in triggers:
        op.execute(f"DROP TRIGGER {name}")
    yield
    for _, statement in triggers:
        op.execute(statement)
