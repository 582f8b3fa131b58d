"""Annotations: append only; of each revision of a figure, annotator and phase the latest is current."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, and_, bindparam, func, select

from annotator.store.database.errors import quoted
from annotator.store.database.tables import annotation_table as table
from annotator.store.database.tables import figures, settings
from annotator.store.database.values import to_json
from annotator.store.rows import mapping
from annotator.store.rows.records import RENAMINGS, UNDONE, Revisions
from annotator.store.rows.statements import (
    ONE_WORK,
    Queries,
    check_name,
    in_campaign,
    matching,
    of_revisions,
    same,
)
from panelwise.domain import Annotation, Status

_LATER = table.alias("later")

#: The id of the current annotation of the same revision, annotator and phase. A look at one end of an index.
CURRENT = (
    select(_LATER.c.id)
    .where(same(_LATER, table, *ONE_WORK, "revision"))
    .order_by(_LATER.c.saved_at.desc(), _LATER.c.id.desc())
    .limit(1)
    .correlate(table)
    .scalar_subquery()
)


_OF_KEY = and_(*(table.c[name] == bindparam(name) for name in ONE_WORK))
_THERE = (
    select(table.c.saved_at, table.c.content)
    .where(_OF_KEY, table.c.revision == bindparam("revision"))
    .order_by(table.c.saved_at, table.c.id)
)
_HISTORY = select(table).where(_OF_KEY).order_by(table.c.saved_at, table.c.id)
_LAST = (
    select(table.c.id, table.c.saved_at, table.c.annotator, table.c.content).order_by(table.c.id.desc()).limit(1)
)
_WITHDRAWN = select(figures.c.figure_id).where(~in_campaign(figures.c.figure_id)).order_by(figures.c.figure_id)
_REVISED = (
    select(figures.c.figure_id, figures.c.revision).where(figures.c.revision > 1).order_by(figures.c.figure_id)
)


class AnnotationQueries(Queries):
    """Submitted annotations."""

    def add(self, a: Annotation, *, origin: str = "") -> bool:
        """Add a submitted annotation; returns False if it is already stored.

        It is stored already if the current annotation of the same revision of the figure, annotator and phase is
        the same work (status, subfigures, items, seeded_by), or if the history has the same work saved at the same
        time. The latest `saved_at` is current, of equal ones the last added; an older one only enters the history.
        origin: its source, such as "label-studio:project:task:annotation". Raises StoreError if the figure is
        unknown or has another caption or size.
        """
        self._check_figure(a.figure, f"annotation by {quoted(a.annotator)}")
        row = mapping.annotation_row(a)
        key = {column: row[column] for column in ("figure_id", "revision", "annotator", "phase")}
        there = self._rows(_THERE, **key)
        if there and there[-1]["content"] == row["content"]:
            return False
        if any(old["content"] == row["content"] and old["saved_at"] == row["saved_at"] for old in there):
            return False
        check_name(a.annotator)
        check_name(a.phase)
        self._insert(table, {**row, "origin": origin})
        return True

    def all(
        self,
        *,
        phase: str | None = None,
        annotator: str | None = None,
        figure: str | None = None,
        revisions: Revisions = Revisions.PRESENT,
        after: tuple[str, str, str, int] | None = None,
    ) -> Iterator[Annotation]:
        """Yield the current annotations by figure, annotator, phase and revision.

        revisions: by default those on a figure's current caption and image. The others are the latest on each
        other revision, so that an annotator may have several of a figure in one phase. after: only those behind
        this figure, annotator, phase and revision.
        """
        statement = of_revisions(select(table).where(table.c.id == CURRENT), table, revisions)
        keys: list[Column[Any]] = [table.c.figure_id, table.c.annotator, table.c.phase, table.c.revision]
        statement = matching(statement, *zip(keys, (figure, annotator, phase), strict=False))
        return self._read_pages(mapping.annotation_from, statement, *keys, after=after)

    def count(self, *, phase: str | None = None, annotator: str | None = None) -> int:
        """Count all annotations, including replaced ones and those on other revisions."""
        statement = select(func.count()).select_from(table)
        return int(self._scalar(matching(statement, (table.c.phase, phase), (table.c.annotator, annotator))))

    def mark(self) -> str:
        """Return a text that changes with the current annotations or the figures they are on.

        The annotations are not read: it contains the last one added (none is ever changed or deleted), the number
        of renamings, the figures in a later revision than their first, and the withdrawn ones.
        """
        last = self._first(_LAST)
        renamed = self._scalar(select(settings.c.value).where(settings.c.name == RENAMINGS))
        revised = self._rows(_REVISED)
        key = None if last is None else [last["id"], last["saved_at"], last["annotator"], last["content"]]
        withdrawn = [row["figure_id"] for row in self._rows(_WITHDRAWN)]
        state = [key, renamed, [[row["figure_id"], row["revision"]] for row in revised], withdrawn]
        return hashlib.sha256(to_json(state).encode()).hexdigest()

    def phases(self) -> set[str]:
        """Return every phase with submitted work."""
        return {row["phase"] for row in self._rows(select(table.c.phase).distinct())}

    def is_shared(self, phase: str) -> bool:
        """Return whether two annotators submitted work on one figure in this phase, so that it has agreement."""
        several = func.count(table.c.annotator.distinct()) > 1
        shared = select(table.c.figure_id).where(table.c.phase == phase, in_campaign(table.c.figure_id))
        return self._first(shared.group_by(table.c.figure_id).having(several).limit(1)) is not None

    def history(self, figure_id: str, annotator: str, phase: str) -> list[Annotation]:
        """Return all annotations of this figure by this annotator in this phase, oldest first."""
        rows = self._rows(_HISTORY, figure_id=figure_id, annotator=annotator, phase=phase)
        return list(self._read(rows, mapping.annotation_from))

    def last_saved(self, annotator: str, phases: Sequence[str]) -> tuple[str, str, str] | None:
        """Return (figure id, phase, origin) of the annotator's last added annotation in these phases."""
        wanted = select(table.c.figure_id, table.c.phase, table.c.origin).where(
            table.c.annotator == annotator, table.c.phase.in_(phases)
        )
        row = self._first(wanted.order_by(table.c.id.desc()).limit(1))
        return None if row is None else (row["figure_id"], row["phase"], row["origin"])

    def is_undone(self, figure_id: str, annotator: str, phase: str) -> bool:
        """Return whether the annotator took back the last that they submitted on a figure in a phase."""
        wanted = select(table.c.origin).where(
            table.c.figure_id == figure_id, table.c.annotator == annotator, table.c.phase == phase
        )
        row = self._first(wanted.order_by(table.c.id.desc()).limit(1))
        return row is not None and row["origin"] == UNDONE

    def undone(self, phase: str, annotator: str) -> set[str]:
        """Return the figures of a phase whose submission the annotator took back, with none before it to count."""
        statement = select(table.c.figure_id).where(
            table.c.origin == UNDONE, table.c.status == Status.IGNORED.value, table.c.id == CURRENT
        )
        statement = matching(statement, (table.c.phase, phase), (table.c.annotator, annotator))
        return {row["figure_id"] for row in self._rows(statement)}

    def phases_of(self, annotator: str) -> dict[str, set[str]]:
        """Return figure id -> the phases with submitted work on it, on any revision."""
        statement = select(table.c.figure_id, table.c.phase).where(table.c.annotator == annotator).distinct()
        found: dict[str, set[str]] = {}
        for row in self._rows(statement):
            found.setdefault(row["figure_id"], set()).add(row["phase"])
        return found

    def figures(self, *, phase: str | None = None, annotator: str | None = None) -> set[str]:
        """Return the ids of annotated figures, on any revision; of one phase and annotator if given.

        Without withdrawn figures.
        """
        statement = select(table.c.figure_id).where(in_campaign(table.c.figure_id)).distinct()
        statement = matching(statement, (table.c.phase, phase), (table.c.annotator, annotator))
        with self._asking():
            return set(self._session.connection.execute(statement).scalars())
