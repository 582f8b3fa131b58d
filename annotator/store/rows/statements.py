"""Shared by all groups of queries: run a statement, put a row, read in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    CompoundSelect,
    Connection,
    Delete,
    Executable,
    FromClause,
    Insert,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy.engine import CursorResult

from annotator.store.database.engine import CHECKED
from annotator.store.database.errors import explained, quoted
from annotator.store.database.tables import figures, revisions, withdrawals
from annotator.store.database.values import Row
from annotator.store.rows import figure_mapping
from annotator.store.rows.records import Revisions
from panelwise.domain import Figure, StoreError
from panelwise.runtime import batches

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
Record = TypeVar("Record", bound="DataclassInstance")
Statement = TypeVar("Statement", Select[Any], Delete)

#: Rows read at a time by the iterators: few enough to be small, many enough for the round trips not to matter.
PAGE = 256

#: Ids in one query; databases take some 30,000 at most.
MANY = 2000

#: Longest name, in bytes of UTF-8: three of them must fit into one entry of a PostgreSQL index.
NAME_BYTES = 800


def these(table: FromClause) -> ColumnElement[bool]:
    """Return the condition that a row is on one of the figures that a query names as `figure_ids`."""
    return table.c.figure_id.in_(bindparam("figure_ids", expanding=True))


# Statements that run once a record are built once: building one costs more than running it.

#: The columns that name a person's work of one phase on a figure, and a figure's revision.
ONE_WORK, ONE_REVISION = ("figure_id", "annotator", "phase"), ("figure_id", "revision")
#: The frame of each revision of a figure.
FRAMES = select(revisions.c.revision, revisions.c.frame).where(revisions.c.figure_id == bindparam("figure_id"))
_KNOWN = select(figures.c.figure_id).where(these(figures))
_REVISIONS = select(revisions).where(these(revisions))


@cache
def _insert_into(table: Table) -> Insert:
    return table.insert()


@cache
def _update_of(table: Table, key: tuple[str, ...]) -> Update:
    """An update of the row whose key columns have the values named key_COLUMN."""
    return table.update().where(*(table.c[column] == bindparam(f"key_{column}") for column in key))


class FiguresOf:
    """Figures by id and revision, each built from its row on request, and cached until the next one.

    A page of figures made at once is so many objects that looking after them takes longer than making them.
    """

    def __init__(self, rows: Mapping[tuple[str, int], Row]) -> None:
        self._rows = rows
        self._last: tuple[tuple[str, int], Figure] | None = None

    def __getitem__(self, key: tuple[str, int]) -> Figure:
        if self._last is None or self._last[0] != key:
            self._last = (key, figure_mapping.figure_from(self._rows[key]))
        return self._last[1]


class Session:
    """One open transaction on one connection, shared by all groups of queries.

    where: the store's file or URL, for messages.
    """

    def __init__(self, connection: Connection, where: str, *, writable: bool) -> None:
        self.connection = connection
        self.where = where
        self.writable = writable
        #: The database's first error here. After one a database may have undone everything or carry on as if
        #: nothing were: PostgreSQL turns the commit into a rollback without a word, SQLite on a full disk goes on
        #: outside any transaction. So nothing more is done, and `Store.transaction` does not commit.
        self.failure: StoreError | None = None


class Queries:
    """Base of each group of queries: runs statements in the session of its transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @contextmanager
    def _asking(self) -> Iterator[None]:
        if self._session.failure is not None:
            raise StoreError(str(self._session.failure)) from self._session.failure
        try:
            with explained(self._session.where):
                yield
        except StoreError as error:
            # A text refused before it reached the database (`check_text`) has no cause, and does no harm.
            if error.__cause__ is not None:
                self._session.failure = error
            raise

    def _rows(self, statement: Select[Any] | CompoundSelect[Any], **values: object) -> Sequence[Row]:
        with self._asking():
            return cast("Sequence[Row]", self._session.connection.execute(statement, values).mappings().all())

    def _first(self, statement: Select[Any], **values: object) -> Row | None:
        """The first row, None if there is none. The statement must ask for few rows."""
        with self._asking():
            return cast("Row | None", self._session.connection.execute(statement, values).mappings().first())

    def _scalar(self, statement: Select[Any]) -> Any:
        with self._asking():
            return self._session.connection.execute(statement).scalar()

    def _check_writable(self) -> None:
        if not self._session.writable:
            raise StoreError(f'{self._session.where}: nothing can be written here; use "with store.transaction()"')

    def _write(
        self, statement: Executable, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    ) -> int:
        """Run a statement that writes; returns the number of rows it touched."""
        self._check_writable()
        with self._asking():
            result = self._session.connection.execute(statement, values)
            return result.rowcount if isinstance(result, CursorResult) else 0

    def _insert(self, table: Table, row: Mapping[str, Any]) -> None:
        self._write(_insert_into(table), row)

    def _insert_many(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that each have a value for the same columns, of texts that were checked before."""
        if not rows:
            return
        self._check_writable()
        names = tuple(rows[0])
        compiled = _insert_into(table).compile(dialect=self._session.connection.dialect, column_keys=list(names))
        order = compiled.positiontup or list(names)
        with self._asking():
            # Past SQLAlchemy's handling of single values, which takes longer than the database.
            self._session.connection.exec_driver_sql(
                str(compiled), list(map(itemgetter(*order), rows)), execution_options={CHECKED: True}
            )

    def _put(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Update the row with this key, or insert it. No other writer can come in between."""
        for name in key.values():
            check_name(name)
        chosen = {f"key_{column}": value for column, value in key.items()}
        if not self._write(_update_of(table, tuple(key)), {**values, **chosen}):
            self._insert(table, {**key, **values})

    def _pages(
        self, statement: Select[Any], *keys: Column[Any], after: Sequence[object] | None = None
    ) -> Iterator[Sequence[Row]]:
        """The rows in the order of `keys` (together unique), page by page. after: only those behind these values.

        Each page is a query of its own that goes on after the last row: nothing is held open between them, so the
        caller may write meanwhile.
        """
        page = statement.order_by(*keys).limit(PAGE)
        rows = self._rows(page if after is None else page.where(_behind(keys, after)))
        while rows:
            yield rows
            if len(rows) < PAGE:
                return
            rows = self._rows(page.where(_behind(keys, [rows[-1][key.name] for key in keys])))

    # figures that rows refer to

    def _of_figures(
        self, statement: Select[Any], figure_ids: Iterable[str], *, page: int = PAGE, **values: object
    ) -> Iterator[Row]:
        """Yield the rows of a statement on `figure_ids`, for a page of ids at a time."""
        for some in batches(figure_ids, page):
            yield from self._rows(statement, figure_ids=some, **values)

    def _read(self, rows: Sequence[Row], read: Callable[[Row, Figure], T]) -> Iterator[T]:
        """Yield what each of the rows says, read with the figure that it is on."""
        found = self._figures_of(rows)
        return (read(row, found[row["figure_id"], row["revision"]]) for row in rows)

    def _read_pages(
        self,
        read: Callable[[Row, Figure], T],
        statement: Select[Any],
        *keys: Column[Any],
        after: Sequence[object] | None = None,
    ) -> Iterator[T]:
        """Yield what the rows say, read with their figures; keys, after: as in `_pages`."""
        for page in self._pages(statement, *keys, after=after):
            yield from self._read(page, read)

    def _next_number(self, table: Table) -> int:
        """Return the number of a new row. No other writer can come in between."""
        return int(self._scalar(select(func.max(table.c.id))) or 0) + 1

    def _figures_of(self, rows: Iterable[Row]) -> FiguresOf:
        """The figures, by id and revision, that rows with these columns refer to: one query."""
        wanted = {(row["figure_id"], row["revision"]) for row in rows}
        ids = {figure_id for figure_id, _ in wanted}
        if not ids:
            return FiguresOf({})
        found = self._rows(_REVISIONS, figure_ids=sorted(ids))
        kept = (row for row in found if (row["figure_id"], row["revision"]) in wanted)
        return FiguresOf({(row["figure_id"], row["revision"]): row for row in kept})

    def _check_figure(self, figure: Figure, what: str, rows: Sequence[Row] | None = None) -> None:
        """Raise StoreError unless the store has this revision of the figure, of the same size and caption.

        rows: of `FRAMES`, where they were read before.
        """
        rows = self._rows(FRAMES, figure_id=figure.id) if rows is None else rows
        frames = {row["revision"]: row["frame"] for row in rows}
        if not frames:
            raise unknown_figure(figure.id)
        if figure.revision not in frames:
            raise StoreError(
                f"{what}: figure {quoted(figure.id)} has no revision {figure.revision} in the store "
                f"(the last is {max(frames)}); import the figures first"
            )
        frame = frames[figure.revision]
        if frame != figure_mapping.figure_frame(figure) and frame != figure_mapping.first_figure_frame(figure):
            raise StoreError(
                f"{what}: figure {quoted(figure.id)} has another size, caption or tokens in the store; "
                "import the figure that the work was done on"
            )

    def _check_known(self, figure_ids: Iterable[str]) -> None:
        """Raise StoreError for the first id that is no figure of the store."""
        wanted = set(figure_ids)
        missing = wanted - {row["figure_id"] for row in self._of_figures(_KNOWN, wanted)}
        if missing:
            raise unknown_figure(min(missing))


def _behind(keys: Sequence[Column[Any]], values: Sequence[object]) -> ColumnElement[bool]:
    """Return the condition that a row comes after these values in the order of the keys."""
    last = [literal(value, key.type) for key, value in zip(keys, values, strict=True)]
    return keys[0] > last[0] if len(keys) == 1 else tuple_(*keys) > tuple_(*last)


def matching(statement: Statement, *given: tuple[Column[Any], object]) -> Statement:
    """Return the statement with a condition for each column whose value is not None."""
    return statement.where(*(column == value for column, value in given if value is not None))


def same(one: FromClause, other: FromClause, *columns: str) -> ColumnElement[bool]:
    """Return the condition that rows of two tables have the same values in these columns."""
    return and_(*(one.c[name] == other.c[name] for name in columns))


def record_of(kind: type[Record], row: Row) -> Record:
    """Return the record whose fields a row has as columns; times, as the store writes them, included."""
    return msgspec.convert({each.name: row[each.name] for each in fields(kind)}, kind)


def in_campaign(figure_id: Column[Any]) -> ColumnElement[bool]:
    """Return the condition that a figure is not withdrawn."""
    # Read once for a statement, whatever the number of figures: it does not depend on their rows.
    return figure_id.not_in(select(withdrawals.c.figure_id).where(withdrawals.c.restored_at.is_(None)))


def of_revisions(statement: Select[Any], table: Table, revisions: Revisions) -> Select[Any]:
    """The statement on `table`, whose rows are of a revision of a figure, of the wanted revisions only.

    Without rows on withdrawn figures.
    """
    statement = statement.where(in_campaign(table.c.figure_id))
    if revisions is Revisions.ALL:
        return statement
    present = figures.c.revision == table.c.revision
    return statement.join(figures, figures.c.figure_id == table.c.figure_id).where(
        present if revisions is Revisions.PRESENT else ~present
    )


def unknown_figure(figure_id: str) -> StoreError:
    """Return the error for a figure that the store does not have."""
    return StoreError(f"figure {quoted(figure_id)} is not in the store; import it first")


def check_name(name: object) -> None:
    """Raise StoreError for a name longer than an index can hold."""
    if isinstance(name, str) and len(name) * 4 > NAME_BYTES and len(name.encode("utf-8", "replace")) > NAME_BYTES:
        raise StoreError(f"the name {quoted(name, 40)} is longer than {NAME_BYTES} bytes; shorten it")
