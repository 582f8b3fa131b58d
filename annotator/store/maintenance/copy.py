"""Copy a whole store into another database, of the same kind or not, and verify every row.

The copy appears completely or not at all: tables, rows and the comparison are one transaction of the target.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import ColumnClause, Connection, TableClause, column, inspect, literal, select, table, tuple_

from annotator.store.database.engine import CHECKED, WRITING, Database, open_database
from annotator.store.database.errors import explained, quoted
from annotator.store.database.schema import check_vacant, make_tables, revision_of
from annotator.store.database.tables import VERSION_TABLE, metadata
from panelwise.domain import StoreError

#: Rows read and written at a time.
PAGE = 2000

#: SQLite keeps its full-text index in tables of these names; triggers fill it.
_FULL_TEXT = "queue_words"

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Copied:
    """A table that was copied and compared. sha256: of its rows in key order, equal on both sides."""

    table: str
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """A table in a database: its columns, and those of the primary key."""

    clause: TableClause
    columns: tuple[ColumnClause[Any], ...]
    keys: tuple[ColumnClause[Any], ...]


def copy_between(source: str | Path, target: str | Path) -> Iterator[Copied]:
    """Copy the store at a URL, or in an SQLite file, to another one; see `copy_store`.

    Other writers of the source wait. A target file is created, and deleted again if the copy fails.
    """
    with (
        closing(open_database(source, create=False)) as giving,
        closing(open_database(target, create=True)) as taking,
    ):
        if giving.where == taking.where:
            raise StoreError(f"{giving.where}: is the store to copy itself; name another place to copy it to")
        fresh = taking.file is not None and not taking.file.exists()
        try:
            yield from copy_store(giving, taking)
        except BaseException:
            if fresh and taking.file is not None:
                taking.engine.dispose()
                taking.file.unlink(missing_ok=True)
            raise


def copy_store(source: Database, target: Database, *, alone: bool = True) -> Iterator[Copied]:
    """Copy every table, yielding each after the rows of both sides were compared; commits at the end.

    alone: other writers of the source wait (15 s at most); otherwise the copy is of one moment and they go on. The
    tables are those of the source's revision: a store of an older program stays one. Raises StoreError if the
    source has no store, the target has tables of one, or they differ afterwards.
    """
    with (
        explained(source.where),
        source.engine.connect().execution_options(**{WRITING: alone}) as reading,
        reading.begin(),
    ):
        revision = revision_of(reading)
        if revision is None:
            raise StoreError(f"{source.where}: this database holds no Panelwise store; name the store to copy")
        with (
            explained(target.where),
            target.engine.connect().execution_options(**{WRITING: True}) as writing,
            writing.begin(),
        ):
            shapes = _made(writing, target.where, revision)
            # Each side's own types: SQLite has no booleans.
            for shape in shapes:
                yield _copy_table(reading, writing, _shape_of(reading, shape.clause.name), shape, target.where)
    target.prepare_file()


def _made(connection: Connection, where: str, revision: str) -> list[_Shape]:
    """The tables of the target, empty; made where they are not there."""
    before = set(inspect(connection).get_table_names())
    there = revision_of(connection)
    if there is None:
        check_vacant(connection, where, create=True)
        make_tables(connection, where, revision)
        names = set(inspect(connection).get_table_names()) - before
    elif there != revision:
        raise StoreError(
            f"{where}: holds a store of revision {quoted(there)}, and the one to copy is at {quoted(revision)}; "
            "give an empty database"
        )
    else:
        names = before & set(metadata.tables)
    order = [name for name, _ in inspect(connection).get_sorted_table_and_fkc_names() if name in names]
    shapes = [
        _shape_of(connection, name)
        for name in order
        if name is not None and name != VERSION_TABLE and not name.startswith(_FULL_TEXT)
    ]
    for shape in shapes:
        if connection.execute(select(literal(1)).select_from(shape.clause).limit(1)).first() is not None:
            raise StoreError(
                f"{where}: holds a store that is not empty (its table {quoted(shape.clause.name)} has rows); "
                "give an empty database"
            )
    return shapes


def _shape_of(connection: Connection, name: str) -> _Shape:
    inspector = inspect(connection)
    columns: list[ColumnClause[Any]] = [
        column(each["name"], each["type"])
        for each in sorted(inspector.get_columns(name), key=lambda each: each["name"])
    ]
    keys = inspector.get_pk_constraint(name)["constrained_columns"]
    by_name = {each.name: each for each in columns}
    return _Shape(table(name, *columns), tuple(columns), tuple(by_name[key] for key in keys))


def _copy_table(reading: Connection, writing: Connection, source: _Shape, target: _Shape, where: str) -> Copied:
    name = target.clause.name
    given = hashlib.sha256()
    count = 0
    for page in _pages(reading, source):
        _add_to(given, page)
        _write(writing, target, page)
        count += len(page)
    if writing.dialect.name != "sqlite" and [key.name for key in target.keys] == ["id"]:
        _count_on(writing, name)
    kept = hashlib.sha256()
    found = 0
    for page in _pages(writing, target):
        _add_to(kept, page)
        found += len(page)
    if (found, kept.digest()) != (count, given.digest()):
        raise StoreError(
            f"{where}: table {quoted(name)} is not what was copied ({count} rows given, {found} kept, hashes "
            f"{'equal' if kept.digest() == given.digest() else 'differ'}); nothing was kept, try another database"
        )
    return Copied(name, count, given.hexdigest())


def _pages(connection: Connection, shape: _Shape) -> Iterator[Sequence[tuple[Any, ...]]]:
    """All rows in the order of their keys, a page at a time: a server's driver keeps a whole result in memory."""
    statement = select(*shape.columns).order_by(*shape.keys).limit(PAGE)
    places = [shape.columns.index(key) for key in shape.keys]
    last: tuple[Any, ...] | None = None
    while True:
        page = statement
        if last is not None:
            values = [literal(last[place], key.type) for place, key in zip(places, shape.keys, strict=True)]
            page = statement.where(
                shape.keys[0] > values[0] if len(values) == 1 else tuple_(*shape.keys) > tuple_(*values)
            )
        rows = [tuple(row) for row in connection.execute(page)]
        if rows:
            yield rows
        if len(rows) < PAGE:
            return
        last = rows[-1]


def _add_to(digest: hashlib._Hash, rows: Sequence[tuple[Any, ...]]) -> None:
    for row in rows:
        digest.update(_encode(row))
        digest.update(b"\n")


def _write(connection: Connection, shape: _Shape, rows: Sequence[tuple[Any, ...]]) -> None:
    names = ", ".join(f'"{each.name}"' for each in shape.columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(shape.columns))
        connection.exec_driver_sql(
            f'INSERT INTO "{shape.clause.name}" ({names}) VALUES ({marks})',
            list(rows),
            execution_options={CHECKED: True},
        )
        return
    # A statement a row would be a round trip a row.
    stream = io.BytesIO("".join("\t".join(map(_copy_text, row)) + "\n" for row in rows).encode())
    cursor: Any = connection.connection.cursor()
    cursor.execute(f'COPY "{shape.clause.name}" ({names}) FROM STDIN', stream=stream)
    cursor.close()


def _copy_text(value: object) -> str:
    r"""A value as PostgreSQL's COPY reads it: \N for null, what parts columns and rows escaped."""
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("\t", "\\t")
        return escaped.replace("\n", "\\n").replace("\r", "\\r")
    return repr(value)


def _count_on(connection: Connection, name: str) -> None:
    """Let the next id that PostgreSQL gives be one above the last."""
    connection.exec_driver_sql(
        f"SELECT setval(pg_get_serial_sequence('\"{name}\"', 'id'), max(id)) FROM \"{name}\" HAVING max(id) > 0"
    )
