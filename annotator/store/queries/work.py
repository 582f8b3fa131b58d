"""Work on figures: all on one figure in one snapshot, the current work on many, one annotator's with its gold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, Table, bindparam, exists, func, select, union_all

from annotator.store.database.tables import (
    annotation_table,
    comments,
    decisions,
    figures,
    figures_seen,
    predictions,
    revisions,
    sent_back,
    settings,
    tasks,
)
from annotator.store.database.values import Row, from_time
from annotator.store.queries.annotations import CURRENT
from annotator.store.queries.decisions import FINAL, HISTORY, HOLDING
from annotator.store.queries.figures import UnknownFigure
from annotator.store.queries.predictions import LATEST_PREDICTION
from annotator.store.queries.tasks import submitted
from annotator.store.rows import figure_mapping, mapping
from annotator.store.rows.records import RENAMINGS, Revisions
from annotator.store.rows.statements import ONE_REVISION, PAGE, Queries, in_campaign, of_revisions, same, these
from panelwise.domain import Annotation, Decision, Figure, Prediction, Reopening
from panelwise.runtime import batches


def _between(statement: Select[tuple[object, ...]], table: Table) -> Select[tuple[object, ...]]:
    """Return the condition for current revisions of figures from one id to another."""
    # Not BETWEEN: its bounds come with their collation, which PostgreSQL's grammar does not take there.
    here = (table.c.figure_id >= bindparam("first"), table.c.figure_id <= bindparam("last"))
    return of_revisions(statement.where(*here), table, Revisions.PRESENT)


_FIGURES = (
    select(revisions)
    .join(figures, same(revisions, figures, *ONE_REVISION))
    .where(in_campaign(figures.c.figure_id))
)
_ANNOTATIONS = _between(
    select(annotation_table).where(annotation_table.c.id == CURRENT), annotation_table
).order_by(annotation_table.c.figure_id, annotation_table.c.annotator, annotation_table.c.phase)
_DECISIONS = _between(select(decisions).where(HOLDING), decisions)


def _of(statement: Select[tuple[object, ...]], table: Table) -> Select[tuple[object, ...]]:
    """Return the condition for current revisions of some figures."""
    return of_revisions(statement.where(these(table)), table, Revisions.PRESENT)


_FIGURES_OF = _FIGURES.where(these(figures))
_ANNOTATIONS_OF = _of(select(annotation_table).where(annotation_table.c.id == CURRENT), annotation_table).order_by(
    annotation_table.c.figure_id, annotation_table.c.annotator, annotation_table.c.phase
)
_DECISIONS_OF = _of(select(decisions).where(HOLDING), decisions)
_STATES = select(
    figures.c.figure_id,
    figures.c.revision,
    *(
        select(func.max(table.c.id)).where(table.c.figure_id == figures.c.figure_id).scalar_subquery().label(name)
        for name, table in (("annotation", annotation_table), ("prediction", predictions))
    ),
).where(these(figures))
_REVISIONS_OF = (
    select(revisions, figures.c.revision.label("present"), (~in_campaign(figures.c.figure_id)).label("withdrawn"))
    .join(figures, figures.c.figure_id == revisions.c.figure_id)
    .where(revisions.c.figure_id == bindparam("figure_id"))
)
_EVERY_ANNOTATION_OF = (
    select(annotation_table)
    .where(annotation_table.c.figure_id == bindparam("figure_id"), annotation_table.c.id == CURRENT)
    .order_by(annotation_table.c.annotator, annotation_table.c.phase, annotation_table.c.revision)
)
_RENAMINGS = select(settings.c.value).where(settings.c.name == RENAMINGS)
_MOVED_ON = (
    select(annotation_table.c.figure_id)
    .join(figures, figures.c.figure_id == annotation_table.c.figure_id)
    .where(
        these(annotation_table),
        annotation_table.c.revision != figures.c.revision,
    )
    .distinct()
)


#: Figures that were ever decided on, and that the annotator worked on. Decisions count from 1: a row a figure.
_DECIDED_BY_NOW = select(decisions.c.figure_id).where(
    decisions.c.version == 1,
    exists(
        select(annotation_table.c.id)
        .where(
            annotation_table.c.figure_id == decisions.c.figure_id,
            annotation_table.c.annotator == bindparam("annotator"),
        )
        .correlate(decisions)
    ),
)
_OWN_WORK = _of(
    select(annotation_table).where(
        annotation_table.c.annotator == bindparam("annotator"), annotation_table.c.id == CURRENT
    ),
    annotation_table,
).order_by(annotation_table.c.figure_id, annotation_table.c.phase)
_FINAL_OF = _of(select(decisions).where(FINAL), decisions)
_NOT_SUBMITTED = select(tasks.c.figure_id).where(tasks.c.annotator == bindparam("annotator"), ~submitted())


_MOMENTS = union_all(
    *(
        select(func.max(moment).label("at")).where(moment.table.c.figure_id == bindparam("figure_id"))
        for moment in (
            annotation_table.c.saved_at,
            decisions.c.decided_at,
            sent_back.c.at,
            comments.c.at,
            figures_seen.c.at,
        )
    )
).subquery()
#: When the last work, decision, message or look on a figure was recorded.
_LAST_MOMENT = select(func.max(_MOMENTS.c.at))


@dataclass(frozen=True, slots=True)
class FigureWork:
    """Everything about one figure, as of one snapshot.

    history: every decision and reopening, oldest first. annotations: the current ones on the current revision, by
    annotator and phase; earlier: those on other revisions. prediction: the latest on the current revision.
    withdrawn: whether the figure was taken out of the campaign.
    """

    figure: Figure
    history: tuple[Decision | Reopening, ...]
    annotations: tuple[Annotation, ...]
    earlier: tuple[Annotation, ...]
    prediction: Prediction | None
    withdrawn: bool = False

    @property
    def version(self) -> int:
        """Return the version of the last entry of the history, 0 if there is none."""
        return self.history[-1].version if self.history else 0

    @property
    def decision(self) -> Decision | None:
        """Return the last decision on the current revision; None if there is none or it was reopened."""
        there = [each for each in self.history if each.figure.revision == self.figure.revision]
        return there[-1] if there and isinstance(there[-1], Decision) else None


class PresentWork:
    """A figure in its current revision, with its work and its decision, if any."""

    __slots__ = ("_rows", "decision", "figure")

    def __init__(self, figure: Figure, rows: Sequence[Row], decision: Decision | None) -> None:
        self.figure = figure
        self.decision = decision
        self._rows = rows

    @property
    def saved(self) -> list[tuple[str, str, datetime]]:
        """Return annotator, phase and time of each annotation: enough for most figures with a decision."""
        return [(row["annotator"], row["phase"], from_time(row["saved_at"])) for row in self._rows]

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Return the current annotations by annotator and phase, decoded on each call."""
        return tuple([mapping.annotation_from(row, self.figure) for row in self._rows])


class WorkQueries(Queries):
    """Figures with their work."""

    def of(self, figure_id: str) -> FigureWork:
        """Return everything about one figure, in four queries. Raises UnknownFigure."""
        rows = self._rows(_REVISIONS_OF, figure_id=figure_id)
        if not rows:
            raise UnknownFigure(f'figure "{figure_id}" is not in this campaign; look for it in the queue')
        of = {row["revision"]: figure_mapping.figure_from(row) for row in rows}
        figure = of[rows[0]["present"]]
        done = [
            mapping.annotation_from(row, of[row["revision"]])
            for row in self._rows(_EVERY_ANNOTATION_OF, figure_id=figure_id)
        ]
        history = self._rows(HISTORY, figure_id=figure_id)
        predicted = self._first(LATEST_PREDICTION, figure_id=figure_id)
        return FigureWork(
            figure,
            tuple(mapping.entry_from(row, of[row["revision"]]) for row in history),
            tuple(each for each in done if each.figure is figure),
            tuple(each for each in done if each.figure is not figure),
            None if predicted is None else mapping.prediction_from(predicted, figure),
            bool(rows[0]["withdrawn"]),
        )

    def all(self) -> Iterator[PresentWork]:
        """Yield every figure in its current revision with its work, by id.

        As asking for each figure's annotations and decision, but in three queries for many figures.
        """
        for page in self._pages(_FIGURES, figures.c.figure_id):
            ends = {"first": page[0]["figure_id"], "last": page[-1]["figure_id"]}
            yield from _joined(page, self._rows(_ANNOTATIONS, **ends), self._rows(_DECISIONS, **ends))

    def on(self, figure_ids: Sequence[str]) -> Iterator[PresentWork]:
        """Yield the same for some figures, in no order; unknown ids are skipped."""
        for some in batches(figure_ids, PAGE):
            parts = (self._rows(each, figure_ids=some) for each in (_FIGURES_OF, _ANNOTATIONS_OF, _DECISIONS_OF))
            yield from _joined(*parts)

    def time_after(self, figure_id: str, now: datetime) -> datetime:
        """Return the present time; after all that is saved on the figure, where the clock was set back since."""
        last = self._scalar(_LAST_MOMENT.params(figure_id=figure_id))
        return now if last is None or from_time(last) <= now else from_time(last) + timedelta(microseconds=1)

    def states(self, figure_ids: Sequence[str]) -> dict[str, tuple[object, ...]]:
        """Return, by id, a value that changes with a figure's revision, annotations, predictions or names.

        Annotations and predictions are only ever added, so the last of each identifies all.
        """
        renamings = self._scalar(_RENAMINGS)
        rows = self._of_figures(_STATES, figure_ids)
        return {row["figure_id"]: (*row.values(), renamings) for row in rows}

    def worked_on_before(self, figure_ids: Sequence[str]) -> set[str]:
        """Return those of the figures with annotations on an earlier or later revision than the current one."""
        return {row["figure_id"] for row in self._of_figures(_MOVED_ON, figure_ids)}

    def adjudicated(self, annotator: str) -> Iterator[tuple[Annotation, Decision]]:
        """Return the annotator's current work on each adjudicated figure, with the decision, by figure and phase.

        Figures that wait for a second reviewer are not adjudicated.
        """
        for page in self._pages(_DECIDED_BY_NOW.params(annotator=annotator), decisions.c.figure_id):
            ids = [row["figure_id"] for row in page]
            gold = {row["figure_id"]: row for row in self._rows(_FINAL_OF, figure_ids=ids)}
            work = self._rows(_OWN_WORK, figure_ids=list(gold), annotator=annotator)
            found = self._figures_of(work)
            for row in work:
                figure = found[row["figure_id"], row["revision"]]
                gold_row = gold[row["figure_id"]]
                yield mapping.annotation_from(row, figure), mapping.decision_from(gold_row, figure)

    def waiting(self, annotator: str) -> set[str]:
        """Return the figures that the annotator was assigned in some phase and has not submitted."""
        return {row["figure_id"] for row in self._rows(_NOT_SUBMITTED, annotator=annotator)}


def _joined(page: Sequence[Row], annotations: Sequence[Row], held: Sequence[Row]) -> Iterator[PresentWork]:
    done: dict[str, list[Row]] = {}
    for row in annotations:
        done.setdefault(row["figure_id"], []).append(row)
    decided = {row["figure_id"]: row for row in held}
    # Made one by one: a page of figures is so many objects that looking after them takes longer.
    for row in page:
        figure = figure_mapping.figure_from(row)
        decision = decided.get(figure.id)
        yield PresentWork(
            figure,
            done.get(figure.id, ()),
            None if decision is None else mapping.decision_from(decision, figure),
        )
