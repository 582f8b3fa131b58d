"""Turn a store into one that an earlier version of the program would have left."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, inspect, text

from annotator.store.database import schema
from annotator.store.database.tables import metadata

#: The revision from which on columns have what earlier versions wrote into payloads.
_FACTS = "0013"


def make_older(connection: Connection, revision: str) -> None:
    """Make the tables of that revision in place of a store's own, with what they have in common."""
    rows = {name: _rows(connection, name, revision) for name in inspect(connection).get_table_names()}
    _drop_tables(connection)
    schema.make_tables(connection, "store", revision)
    there = set(inspect(connection).get_table_names())
    for table in metadata.sorted_tables:
        if table.name in there:
            _insert(connection, table.name, rows[table.name])


def _rows(connection: Connection, name: str, revision: str) -> list[dict[str, Any]]:
    rows = [dict(row) for row in connection.execute(text(f'SELECT * FROM "{name}"')).mappings()]
    if revision < _FACTS and name in ("annotations", "decisions"):
        for row in rows:
            given = {key: row[key] for key in ("seconds", "awaits") if row.get(key) is not None}
            row["payload"] = json.dumps(json.loads(row["payload"]) | {"seconds": None} | given)
    return rows


def _drop_tables(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
        return
    connection.execute(text("DROP TABLE queue_words"))
    connection.execute(text(f"DROP TABLE {schema.VERSION_TABLE}"))
    for table in reversed(metadata.sorted_tables):
        connection.execute(text(f"DROP TABLE {table.name}"))


def _insert(connection: Connection, name: str, rows: list[dict[str, Any]]) -> None:
    columns = [column["name"] for column in inspect(connection).get_columns(name)]
    shared = [column for column in columns if rows and column in rows[0]]
    if not shared:
        return
    marks = ", ".join(f":{column}" for column in shared)
    statement = text(f'INSERT INTO "{name}" ({", ".join(shared)}) VALUES ({marks})')
    connection.execute(statement, [{column: row[column] for column in shared} for row in rows])
    if connection.dialect.name == "postgresql" and "id" in shared:
        connection.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), max(id)) FROM \"{name}\""))
