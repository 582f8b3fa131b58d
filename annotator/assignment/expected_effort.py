"""The expected working time of a figure, by which tasks are assigned evenly.

Rough on purpose: only the ratio of one figure to another matters, and what a figure is short of is made up by the
next. A figure takes some time whatever is on it, its caption has to be read, and each thing on it to be done.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from annotator.store.store import Transaction
from panelwise.domain.campaign import TaskType
from panelwise.domain.figure import Figure


@dataclass(frozen=True, slots=True)
class Costs:
    """Expected seconds: for a figure at all, for a token of its caption, and for a thing that is on it."""

    figure: float
    token: float
    thing: float


#: By what is requested. A thing is a predicted subfigure, or a pair of a figure with pairs; a type is none.
COSTS = {
    TaskType.SUBFIGURES: Costs(figure=15, token=0.25, thing=12),
    TaskType.FIGURE_TYPES: Costs(figure=15, token=0.1, thing=1),
    TaskType.FIGURE_QA: Costs(figure=20, token=0.25, thing=40),
    TaskType.HUMAN_EVAL: Costs(figure=20, token=0.25, thing=25),
}


def expected_seconds(tx: Transaction, figures: list[Figure], task_type: TaskType) -> dict[str, int]:
    """Figure id -> whole seconds that its task is expected to take, 1 at least.

    A figure without a prediction is taken to have as many subfigures as is usual among those that have one.
    """
    costs = COSTS[task_type]
    asks_for_pairs = task_type in (TaskType.FIGURE_QA, TaskType.HUMAN_EVAL)
    predicted = {} if asks_for_pairs else tx.predictions.counts()
    usual = median(predicted.values()) if predicted else 1
    return {
        figure.id: max(
            round(
                costs.figure
                + costs.token * len(figure.caption.ranges)
                + costs.thing * (len(figure.imported.pairs) if asks_for_pairs else predicted.get(figure.id, usual))
            ),
            1,
        )
        for figure in figures
    }
