"""Reviewers' decisions, append only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.exc import IntegrityError

from annotator.store.database.errors import quoted
from annotator.store.database.tables import decisions
from annotator.store.database.values import Row
from annotator.store.queries.queue.entries import CURRENT, CURRENT_DECISION, EntryQueries
from annotator.store.rows import mapping
from annotator.store.rows.records import Revisions
from annotator.store.rows.statements import (
    FRAMES,
    ONE_REVISION,
    Queries,
    check_name,
    in_campaign,
    of_revisions,
    same,
    these,
)
from panelwise.domain import Conflict, Decision, Reopening, StoreError

_LATER = decisions.alias("later")

#: Of decisions: those that are the last word on their revision, a reopening being none.
HOLDING = and_(decisions.c.version == CURRENT, decisions.c.status != mapping.REOPENED)

#: Of those: without a pending second review.
FINAL = and_(HOLDING, decisions.c.awaits.is_(None))

#: Those on another caption or image than the figure's present ones.
_HOLDING_ELSEWHERE = of_revisions(
    select(decisions).where(HOLDING, these(decisions)),
    decisions,
    Revisions.OTHER,
)

_LAST_OF = (
    select(decisions)
    .where(decisions.c.figure_id == bindparam("figure_id"))
    .order_by(decisions.c.version.desc())
    .limit(1)
)
_FRAMES_AND_LAST = FRAMES.add_columns(
    select(func.max(decisions.c.version))
    .where(decisions.c.figure_id == bindparam("figure_id"))
    .scalar_subquery()
    .label("version")
)
#: Those of figures whose history ends with a reopening.
_REOPENED = select(decisions).where(
    these(decisions),
    decisions.c.status == mapping.REOPENED,
    decisions.c.version
    == select(func.max(_LATER.c.version))
    .where(_LATER.c.figure_id == decisions.c.figure_id)
    .correlate(decisions)
    .scalar_subquery(),
)
_LAST_VERSIONS = (
    select(decisions.c.figure_id, func.max(decisions.c.version).label("version"))
    .where(these(decisions))
    .group_by(decisions.c.figure_id)
)
#: Every entry of a figure's history, oldest first.
HISTORY = select(decisions).where(decisions.c.figure_id == bindparam("figure_id")).order_by(decisions.c.version)


class DecisionQueries(Queries):
    """Decisions."""

    def add(self, d: Decision | Reopening) -> None:
        """Add a decision as the figure's current one, or a reopening.

        Raises Conflict unless `d.version` is one above the figure's last version, on any revision (1 for the
        first): another reviewer was quicker. Raises StoreError if the figure is unknown or has another caption or
        size.
        """
        frames = self._rows(_FRAMES_AND_LAST, figure_id=d.figure.id)
        self._check_figure(d.figure, f"decision by {quoted(d.reviewer)}", frames)
        if d.version != (frames[0]["version"] or 0) + 1:
            raise _conflict(d, self._last(d.figure.id))
        check_name(d.reviewer)
        row = mapping.decision_row(d)
        try:
            self._insert(decisions, row)
        except StoreError as error:
            # Writers queue up, so only a writer that is none of this program's gets here.
            if isinstance(error.__cause__, IntegrityError):
                raise _conflict(d, None) from error
            raise
        EntryQueries(self._session).requeue([d.figure.id])

    def get(self, figure_id: str) -> Decision | None:
        """Return the figure's current decision, None if there is none on its current caption and image."""
        row = self._first(CURRENT_DECISION, figure_id=figure_id)
        if row is None or row["status"] == mapping.REOPENED:
            return None
        return next(self._read([row], mapping.decision_from))

    def last_version(self, figure_id: str) -> int:
        """Return the version of the last entry of the figure's history, on any revision; 0 if there is none."""
        row = self._last(figure_id)
        return 0 if row is None else int(row["version"])

    def all(self, *, revisions: Revisions = Revisions.PRESENT, final: bool = False) -> Iterator[Decision]:
        """Yield the current decision of each figure that has one, by figure id.

        revisions: by default those on a figure's current caption and image. final: only those that don't wait for
        a second reviewer.
        """
        which = FINAL if final else HOLDING
        statement = of_revisions(select(decisions).where(which), decisions, revisions)
        return self._read_pages(mapping.decision_from, statement, decisions.c.figure_id, decisions.c.revision)

    def count(self, *, revisions: Revisions = Revisions.PRESENT) -> int:
        """Count the figures with a decision (of any status) on such a revision, in the queue or not.

        Decisions that wait for a second reviewer do not count.
        """
        count = select(func.count(decisions.c.figure_id.distinct())).select_from(decisions).where(FINAL)
        return int(self._scalar(of_revisions(count, decisions, revisions)))

    def figures(self) -> set[str]:
        """Return the ids of figures that ever had a decision, on any revision."""
        return {row["figure_id"] for row in self._rows(select(decisions.c.figure_id).distinct())}

    def on_another_revision(self, figure_ids: Sequence[str]) -> set[str]:
        """Return those of the figures whose current decision is on another revision."""
        return {row["figure_id"] for row in self._of_figures(_HOLDING_ELSEWHERE, figure_ids)}

    def count_superseded(self) -> int:
        """Count the decisions superseded by a later one on the same figure, or by its reopening."""
        made = decisions.c.status != mapping.REOPENED
        last = select(func.max(_LATER.c.version)).where(_LATER.c.figure_id == decisions.c.figure_id)
        standing = and_(made, decisions.c.version == last.correlate(decisions).scalar_subquery())
        count = select(func.count()).select_from(decisions)
        return int(self._scalar(count.where(made))) - int(self._scalar(count.where(standing)))

    def count_timed(self) -> int:
        """Count the decisions that are the last on their revision and have a duration."""
        return int(self._scalar(select(func.count(decisions.c.seconds)).where(HOLDING)))

    def history(self, figure_id: str) -> list[Decision | Reopening]:
        """Return all decisions on the figure and its reopenings, on any revision, oldest first."""
        return list(self._read(self._rows(HISTORY, figure_id=figure_id), mapping.entry_from))

    def reopened(self, figure_ids: Sequence[str]) -> dict[str, Reopening]:
        """Return the last reopening of those figures that have no decision since, by id."""
        entries = self._read(list(self._of_figures(_REOPENED, figure_ids)), mapping.entry_from)
        return {entry.figure.id: entry for entry in entries if isinstance(entry, Reopening)}

    def histories(self, *, after: tuple[str, int] | None = None) -> Iterator[Decision | Reopening]:
        """Yield the histories of all figures by figure id, each oldest first; not those of withdrawn figures.

        after: only entries behind this figure id and version.
        """
        every = select(decisions).where(in_campaign(decisions.c.figure_id))
        keys = (decisions.c.figure_id, decisions.c.version)
        return self._read_pages(mapping.entry_from, every, *keys, after=after)

    def flagged(self) -> Iterator[Decision]:
        """Return the last decision on each figure's current revision that is flagged for the guidelines, by id.

        Figures reopened since are included: their question to the guidelines is still open.
        """
        last = (
            select(func.max(_LATER.c.version))
            .where(same(_LATER, decisions, *ONE_REVISION), _LATER.c.status != mapping.REOPENED)
            .correlate(decisions)
            .scalar_subquery()
        )
        flagged = select(decisions).where(decisions.c.flagged, decisions.c.version == last)
        statement = of_revisions(flagged, decisions, Revisions.PRESENT)
        return self._read_pages(mapping.decision_from, statement, decisions.c.figure_id, decisions.c.revision)

    def figures_of(self, reviewer: str) -> set[str]:
        """Return the figures that a reviewer ever decided on or reopened."""
        statement = select(decisions.c.figure_id).where(decisions.c.reviewer == reviewer).distinct()
        return {row["figure_id"] for row in self._rows(statement)}

    def last_versions(self, figure_ids: Sequence[str]) -> dict[str, int]:
        """Return figure id -> version of the last entry of its history, on any revision."""
        return {row["figure_id"]: row["version"] for row in self._of_figures(_LAST_VERSIONS, figure_ids)}

    def _last(self, figure_id: str) -> Row | None:
        return self._first(_LAST_OF, figure_id=figure_id)


def _conflict(mine: Decision | Reopening, there: Row | None) -> Conflict:
    name = quoted(mine.figure.id)
    if there is None:
        state = "has another decision by now" if mine.version == 1 else "has no such earlier decision"
    else:
        state = f"is at decision {there['version']} by {quoted(there['reviewer'])}"
    return Conflict(f"figure {name} {state}, this is number {mine.version}; load the figure again, then decide")
