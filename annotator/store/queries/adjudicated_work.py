"""One annotator's work on figures that reviewers settled: for feedback. Reads no more of a campaign than that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import BindParameter, bindparam, exists, select

from annotator.store.database.tables import annotation_table, decisions, tasks
from annotator.store.queries.annotations import CURRENT
from annotator.store.queries.decisions import FINAL
from annotator.store.rows import mapping
from annotator.store.rows.records import Revisions
from annotator.store.rows.statements import Queries, of_revisions
from panelwise.domain.annotation import Annotation
from panelwise.domain.decision import Decision

_THESE: BindParameter[Any] = bindparam("figure_ids", expanding=True)
#: Figures that were ever decided on, and that the annotator worked on. Decisions count from 1: a row a figure.
_CANDIDATES = select(decisions.c.figure_id).where(
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
_WORK = of_revisions(
    select(annotation_table).where(
        annotation_table.c.figure_id.in_(_THESE),
        annotation_table.c.annotator == bindparam("annotator"),
        annotation_table.c.id == CURRENT,
    ),
    annotation_table,
    Revisions.PRESENT,
).order_by(annotation_table.c.figure_id, annotation_table.c.phase)
_GOLD = of_revisions(
    select(decisions).where(FINAL, decisions.c.figure_id.in_(_THESE)),
    decisions,
    Revisions.PRESENT,
)
_WAITING = select(tasks.c.figure_id).where(
    tasks.c.annotator == bindparam("annotator"),
    ~exists(
        select(annotation_table.c.id)
        .where(
            annotation_table.c.figure_id == tasks.c.figure_id,
            annotation_table.c.annotator == tasks.c.annotator,
            annotation_table.c.phase == tasks.c.phase,
        )
        .correlate(tasks)
    ),
)


class AdjudicatedWorkQueries(Queries):
    """What an annotator did, beside what holds."""

    def adjudicated_work(self, annotator: str) -> Iterator[tuple[Annotation, Decision]]:
        """The annotator's current work on each figure in its present revision that is settled, with the decision.

        By figure, then phase. What waits for another reviewer's word is not settled.
        """
        for page in self._pages(_CANDIDATES.params(annotator=annotator), decisions.c.figure_id):
            ids = [row["figure_id"] for row in page]
            gold = {row["figure_id"]: row for row in self._rows(_GOLD, figure_ids=ids)}
            work = self._rows(_WORK, figure_ids=list(gold), annotator=annotator)
            found = self._figures_of(work)
            for row in work:
                figure = found[row["figure_id"], row["revision"]]
                gold_row = gold[row["figure_id"]]
                yield mapping.annotation_from(row, figure), mapping.decision_from(gold_row, figure)

    def waiting_figures(self, annotator: str) -> set[str]:
        """The figures that the annotator was given and has not submitted anything of, in some phase."""
        return {row["figure_id"] for row in self._rows(_WAITING, annotator=annotator)}
