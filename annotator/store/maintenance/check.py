"""Check that a store is as this program writes it: readable rows, valid references, histories without gaps.

Nothing is changed, and everything is checked despite earlier faults, to show the whole extent of the damage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, and_, case, exists, func, inspect, not_, or_, select, text, union

from annotator.store.database.engine import WRITING, Database, open_database, spare_folder
from annotator.store.database.errors import explained, quoted
from annotator.store.database.schema import revision_of
from annotator.store.database.tables import (
    APPEND_ONLY,
    HEAD,
    TIME,
    annotation_table,
    blind_boxes,
    bulk_figures,
    columns_with,
    decisions,
    figures,
    links,
    metadata,
    people,
    predictions,
    projects,
    queue,
    queue_counts,
    queue_facets,
    queue_texts,
    revisions,
)
from annotator.store.database.values import Row, from_time
from annotator.store.maintenance.rename import NAME_COLUMNS
from annotator.store.queries.links import link_from
from annotator.store.queries.people import person_from
from annotator.store.queries.queue.entries import UNJUDGED, EntryQueries, queue_state
from annotator.store.rows import figure_mapping, mapping
from annotator.store.rows.records import Facet
from annotator.store.rows.statements import ONE_REVISION, FiguresOf, Session, same
from panelwise.domain import Figure, StoreError, describe_spellings, one_line, same_names, too_many_boxes
from panelwise.runtime import counted

#: Columns of times in rows that are not read whole.
_TIMES = [column for column in columns_with(TIME) if column.table not in (annotation_table, decisions)]


#: Faults of one kind in one table that are reported singly; there may be as many as rows.
MOST = 20


class Kind(StrEnum):
    """The kind of a fault.

    SCHEMA: a table or column is not there. TRIGGER: nothing keeps append-only rows from being changed. DAMAGED: a
    row cannot be read, or is not what was written. ORPHAN, REFERENCE: it refers to what is not there. VERSION: a
    history has a gap. QUEUE: the reviewers' queue says other than the work. NAME: one name has two spellings.
    IMAGE, FILE: of the campaign's folder.
    """

    SCHEMA = "schema"
    TRIGGER = "trigger"
    DAMAGED = "damaged"
    ORPHAN = "orphan"
    REFERENCE = "reference"
    VERSION = "version"
    QUEUE = "queue"
    NAME = "name"
    IMAGE = "image"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. where: table and key, or a file. message: what is wrong, and what to do."""

    kind: Kind
    where: str
    message: str

    def __str__(self) -> str:
        return one_line(f"{self.kind.value}: {self.where}: {self.message}")


def limited(faults: Iterable[Fault], most: int = MOST) -> Iterator[Fault]:
    """Yield the first faults of each kind and table; one more says that there are others."""
    counts: Counter[tuple[Kind, str]] = Counter()
    for fault in faults:
        key = fault.kind, fault.where.partition(" ")[0]
        counts[key] += 1
        if counts[key] <= most:
            yield fault
        elif counts[key] == most + 1:
            yield Fault(fault.kind, key[1], "has more of these; only the first are listed")


#: The queue is made of the work, and can be made again.
_MEND = "run annotator store check --mend"

_COUNTED = (
    select(
        queue_facets.c.kind,
        queue_facets.c.value,
        func.sum(case((queue_facets.c.decided, 0), else_=1)).label("open"),
        func.sum(case((queue_facets.c.decided, 1), else_=0)).label("decided"),
    )
    .group_by(queue_facets.c.kind, queue_facets.c.value)
    .subquery()
)
_MISPLACED = (
    select(queue_facets.c.figure_id, queue_facets.c.kind, queue_facets.c.value)
    .join(queue, queue.c.figure_id == queue_facets.c.figure_id, isouter=True)
    .where(
        or_(
            queue.c.figure_id.is_(None),
            queue.c.decided != queue_facets.c.decided,
            and_(
                queue_facets.c.kind != Facet.UNSURE.value,  # that one stands by a model's certainty
                func.coalesce(queue.c.agreement, UNJUDGED) != queue_facets.c.place,
            ),
        )
    )
    .limit(MOST + 1)
)
_UNLISTED = (
    select(queue.c.figure_id)
    .join(
        queue_facets,
        and_(queue_facets.c.figure_id == queue.c.figure_id, queue_facets.c.kind == Facet.ALL.value),
        isouter=True,
    )
    .where(queue_facets.c.figure_id.is_(None))
    .limit(MOST + 1)
)
_SAME_NAME = and_(queue_counts.c.kind == _COUNTED.c.kind, queue_counts.c.value == _COUNTED.c.value)
_KEPT = (queue_counts.c.open, queue_counts.c.decided)
#: What there is and was counted otherwise, or not at all; and what was counted and is not there.
_MISCOUNTED: tuple[Select[Any], ...] = (
    select(_COUNTED.c.kind, _COUNTED.c.value)
    .join(queue_counts, _SAME_NAME, isouter=True)
    .where(
        or_(
            queue_counts.c.kind.is_(None),
            queue_counts.c.open != _COUNTED.c.open,
            queue_counts.c.decided != _COUNTED.c.decided,
        )
    )
    .limit(MOST + 1),
    select(queue_counts.c.kind, queue_counts.c.value)
    .join(_COUNTED, _SAME_NAME, isouter=True)
    .where(_COUNTED.c.kind.is_(None), or_(*(each != 0 for each in _KEPT)))
    .limit(MOST + 1),
)
#: SQLite's full-text index keeps a row for each text that it knows.
_UNINDEXED = (
    select(queue_texts.c.figure_id)
    .where(queue_texts.c.id.not_in(select(text("id")).select_from(text("queue_words_docsize"))))
    .limit(MOST + 1)
)


class _QueueChecks(EntryQueries):
    """The queue held against the decisions, and its tables against each other."""

    def queue_faults(self) -> Iterator[Fault]:
        """Find entries of the queue that contradict the store."""
        for page in self._pages(select(queue), queue.c.figure_id):
            held = self._holding(row["figure_id"] for row in page)
            for row in page:
                state = queue_state(held.get(row["figure_id"]))
                wrong = [name for name, value in state.items() if row[name] != value]
                if wrong:
                    yield Fault(
                        Kind.QUEUE,
                        f"queue {row['figure_id']}",
                        f"its {', '.join(wrong)} are not those of the decision that holds; {_MEND}",
                    )
        for row in self._rows(_UNLISTED):
            yield Fault(Kind.QUEUE, f"queue {row['figure_id']}", f"is in no list; {_MEND}")
        for row in self._rows(_MISPLACED):
            key = f"{row['figure_id']} {row['kind']} {row['value']}"
            yield Fault(Kind.QUEUE, f"queue_facets {key}", f"stands elsewhere than its figure; {_MEND}")
        for statement in _MISCOUNTED:
            for row in self._rows(statement):
                yield Fault(
                    Kind.QUEUE, f"queue_counts {row['kind']} {row['value']}", f"is another number; {_MEND}"
                )
        if self._session.connection.dialect.name == "sqlite":
            for row in self._rows(_UNINDEXED):
                yield Fault(
                    Kind.QUEUE, f"queue_texts {row['figure_id']}", f"cannot be found by its words; {_MEND}"
                )


@dataclass(slots=True)
class Checked:
    """The result of a check. rows: by table. images: of every revision, path -> (id of its figure, SHA-256 or "").

    notes: boxes and annotations that do not count, a line each; these are not faults. max_boxes: an annotation
    with more boxes is one of these; None for no limit.
    """

    rows: dict[str, int] = field(default_factory=dict)
    images: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    max_boxes: int | None = None


def check_store(location: str | Path, checked: Checked | None = None) -> Iterator[Fault]:
    """Yield all faults of the store at a URL or in a file; see `check_database`."""
    with closing(open_database(location, create=False, spare=spare_folder())) as database:
        yield from check_database(database, checked)


def check_database(database: Database, checked: Checked | None = None) -> Iterator[Fault]:
    """Yield all faults of the store, as of one moment; others may go on writing.

    checked: receives what was checked. A store of an older program is one fault and not checked further. Raises
    StoreError if there is no store or it can't be reached.
    """
    with (
        explained(database.where),
        database.engine.connect().execution_options(**{WRITING: False}) as connection,
    ):
        # Never committed: of a damaged file even that fails.
        connection.begin()
        revision = revision_of(connection)
        if revision is None:
            raise StoreError(f"{database.where}: this database holds no Panelwise store; name the campaign's own")
        if revision != HEAD:
            mend = "run annotator store upgrade" if revision < HEAD else "upgrade Panelwise"
            yield Fault(
                Kind.SCHEMA, "tables", f"are at revision {quoted(revision)}, this program at {HEAD}; {mend}"
            )
            return
        try:
            with explained(database.where):
                yield from _all_faults(connection, database.where, checked or Checked())
        except StoreError as error:
            # The database itself: what comes after this cannot be read either.
            yield Fault(Kind.DAMAGED, "database", str(error))


def _all_faults(connection: Connection, where: str, checked: Checked) -> Iterator[Fault]:
    whole = True
    for fault in _of_schema(connection):
        whole = whole and fault.kind is not Kind.SCHEMA
        yield fault
    if whole:
        yield from limited(_Checker(connection, where, checked).faults())


def _of_schema(connection: Connection) -> Iterator[Fault]:
    """Damaged files, missing tables and columns, triggers that are away."""
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        for (line,) in connection.exec_driver_sql(f"PRAGMA integrity_check({MOST})").all():
            if line != "ok":
                yield Fault(Kind.DAMAGED, "database", f"{one_line(line)}; {mapping.RESTORE}")
    inspector = inspect(connection)
    there = set(inspector.get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in there:
            yield Fault(Kind.SCHEMA, table.name, f"this table is missing; {mapping.RESTORE}")
            continue
        lacking = {column.name for column in table.columns} - {
            each["name"] for each in inspector.get_columns(table.name)
        }
        for name in sorted(lacking):
            yield Fault(Kind.SCHEMA, f"{table.name}.{name}", f"this column is missing; {mapping.RESTORE}")
    if sqlite:
        found = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars()
        wanted = [f"{table}_no_{event}" for table in APPEND_ONLY for event in ("update", "delete")]
        wanted += [f"queue_texts_{event}" for event in ("insert", "delete", "update")]
    else:
        found = connection.exec_driver_sql("SELECT tgname FROM pg_trigger WHERE tgenabled <> 'D'").scalars()
        wanted = [f"{table}_append_only" for table in APPEND_ONLY]
    for name in sorted(set(wanted) - set(found)):
        yield Fault(
            Kind.TRIGGER, name, f"this trigger, which keeps what was submitted, is away; {mapping.RESTORE}"
        )


class _Checker(_QueueChecks):
    """The checks of a store whose tables are complete."""

    def __init__(self, connection: Connection, where: str, checked: Checked) -> None:
        super().__init__(Session(connection, where, writable=False))
        self._checked = checked

    def faults(self) -> Iterator[Fault]:
        """All of them, table by table."""
        for table in metadata.sorted_tables:
            self._checked.rows[table.name] = int(self._scalar(select(func.count()).select_from(table)))
            yield from self._orphans(table)
        yield from self._figures()
        yield from self._annotations()
        yield from self._histories()
        yield from self._others()
        yield from self._spellings()
        yield from self._references()
        yield from self.queue_faults()

    # references

    def _orphans(self, table: Table) -> Iterator[Fault]:
        """Rows whose foreign key leads nowhere: SQLite lets a program without this setting leave some behind."""
        for constraint in table.foreign_key_constraints:
            other = constraint.referred_table
            pairs = [(element.parent, element.column) for element in constraint.elements]
            there = exists().where(*(column == mine for mine, column in pairs))
            for row in self._rows(select(table).where(not_(there)).limit(MOST + 1)):
                yield Fault(
                    Kind.ORPHAN, _place(table, row), f"belongs to no row of {other.name}; {mapping.RESTORE}"
                )

    def _spellings(self) -> Iterator[Fault]:
        """Names that are spellings of one: they come from before such were refused."""
        found = self._rows(union(*(select(column.label("name")) for column in NAME_COLUMNS)))
        for names in same_names(row["name"] for row in found):
            message, joins = describe_spellings(names)
            yield Fault(Kind.NAME, f"people {names[-1]}", f"{message}; run {joins}")

    def _references(self) -> Iterator[Fault]:
        """References that no foreign key guards."""
        held = exists().where(same(decisions, bulk_figures, "figure_id", "version"))
        for row in self._rows(select(bulk_figures).where(not_(held)).limit(MOST + 1)):
            yield Fault(
                Kind.REFERENCE,
                _place(bulk_figures, row),
                f"was adjudicated by decision {row['version']}, which is not there; {mapping.RESTORE}",
            )
        project = exists().where(same(projects, links, "annotator", "phase"))
        for row in self._rows(select(links).where(not_(project)).limit(MOST + 1)):
            yield Fault(
                Kind.REFERENCE, _place(links, row), "is linked to a project that is not known; run annotator push"
            )

    # figures, and the work on them

    def _figures(self) -> Iterator[Fault]:
        present = exists().where(same(revisions, figures, *ONE_REVISION))
        for row in self._rows(select(figures).where(not_(present)).limit(MOST + 1)):
            yield Fault(
                Kind.REFERENCE,
                _place(figures, row),
                f"its revision {row['revision']} is not there; {mapping.RESTORE}",
            )
        last = func.max(revisions.c.revision)
        gaps = (
            select(revisions.c.figure_id, func.count().label("rows"), last.label("last"))
            .group_by(revisions.c.figure_id)
            .having(func.count() != last)
        )
        for row in self._rows(gaps.limit(MOST + 1)):
            yield Fault(
                Kind.VERSION,
                f"figure_revisions {row['figure_id']}",
                f"has {row['rows']} revisions and the last is number {row['last']}; {mapping.RESTORE}",
            )
        for page in self._pages(select(revisions), *revisions.primary_key.columns):
            for row in page:
                yield from self._try(revisions, row, self._check_figure_row)

    def _check_figure_row(self, row: Row) -> None:
        figure = figure_mapping.figure_from(row)
        if figure.image:
            # Of several with one image the first that tells its hash counts.
            known = self._checked.images.get(figure.image, (figure.id, ""))
            self._checked.images[figure.image] = known if known[1] else (figure.id, figure.image_sha256)
        if row["frame"] not in (figure_mapping.figure_frame(figure), figure_mapping.first_figure_frame(figure)):
            raise StoreError(f"size, caption or tokens are not those that it was imported with; {mapping.RESTORE}")

    def _annotations(self) -> Iterator[Fault]:
        for table, read in ((annotation_table, _check_annotation), (predictions, mapping.check_prediction)):
            for page in self._pages(select(table), table.c.id):
                found = self._figures_of(page)
                for row in page:
                    faults = list(self._try(table, row, _on_figure(read, found)))
                    yield from faults
                    if not faults:
                        self._note(table, row)

    def _note(self, table: Table, row: Row) -> None:
        """Note what of a sound row does not count."""
        subfigures = mapping.stored_subfigures(row)
        lost = len(mapping.without_area(subfigures))
        if lost:
            self._checked.notes.append(
                f"{_place(table, row)}: {counted(lost, 'box', 'boxes')} without area, left out wherever it is read"
            )
        most = self._checked.max_boxes
        if most is not None and len(subfigures) > most:
            self._checked.notes.append(
                f"{_place(table, row)}: {too_many_boxes(len(subfigures), most)}; it does not count"
            )

    def _histories(self) -> Iterator[Fault]:
        figure, version = "", 0
        for page in self._pages(select(decisions), decisions.c.figure_id, decisions.c.version):
            found = self._figures_of(page)
            for row in page:
                version = version + 1 if row["figure_id"] == figure else 1
                figure = row["figure_id"]
                if row["version"] != version:
                    yield Fault(
                        Kind.VERSION,
                        f"decisions {figure}",
                        f"number {version} is missing, number {row['version']} is there; {mapping.RESTORE}",
                    )
                    version = row["version"]
                yield from self._try(decisions, row, _on_figure(mapping.check_entry, found))

    def _others(self) -> Iterator[Fault]:
        """Rows that stand for themselves, and times."""
        readers: tuple[tuple[Table, Callable[[Row], object]], ...] = (
            (blind_boxes, mapping.blind_boxes_from),
            (links, link_from),
            (people, person_from),
        )
        for table, read in readers:
            for page in self._pages(select(table), *table.primary_key.columns):
                for row in page:
                    yield from self._try(table, row, read)
        for column in _TIMES:
            table = column.table
            keys = list(table.primary_key.columns)
            wanted = list(dict.fromkeys([*keys, column]))
            for page in self._pages(select(*wanted).where(column.is_not(None)), *keys):
                for row in page:
                    yield from self._try(table, row, _time_of(column.name))

    def _try(self, table: Table, row: Row, read: Callable[[Row], object]) -> Iterator[Fault]:
        try:
            read(row)
        except KeyError:
            # Its missing figure is reported separately.
            return
        except ValueError as error:
            yield Fault(Kind.DAMAGED, _place(table, row), f"{error}; {mapping.RESTORE}")
        except StoreError as error:
            yield Fault(Kind.DAMAGED, _place(table, row), str(error))


def _on_figure(read: Callable[[Row, Figure], object], found: FiguresOf) -> Callable[[Row], object]:
    return lambda row: read(row, found[row["figure_id"], row["revision"]])


def _time_of(name: str) -> Callable[[Row], object]:
    return lambda row: from_time(row[name])


def _check_annotation(row: Row, figure: Figure) -> None:
    annotation = mapping.annotation_from(row, figure)
    if mapping.content_of(annotation, mapping.stored_subfigures(row)) != row["content"]:
        raise StoreError(f"the work is not what was submitted: its hash differs; {mapping.RESTORE}")


def _place(table: Table, row: Row) -> str:
    """Describe a row's place: its table, its figure if it has one, its key."""
    keys = [column.name for column in table.primary_key.columns]
    named = dict.fromkeys([*(["figure_id"] if "figure_id" in table.c else []), *keys])
    return " ".join([table.name, *(str(row[name]) for name in named if name in row)])
