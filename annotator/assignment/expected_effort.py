"""The expected working time of a figure, by which tasks are assigned evenly.

Rough on purpose: only the ratio of one figure to another matters, and what a figure is short of is made up by the
next. A figure takes some time whatever is on it, its caption has to be read, and each thing on it to be done.
"""

from __future__ import annotations

from collections.abc import Collection
from statistics import median

from annotator.store.store import Transaction
from panelwise.domain import Figure, Kind


def expected_seconds(
    tx: Transaction, figures: list[Figure], kind: Kind, closed: Collection[str] = ()
) -> dict[str, int]:
    """Figure id -> whole seconds that its task is expected to take, 1 at least.

    A figure without a prediction is taken to have as many subfigures as is usual among those that have one.
    closed: figures whose predictions do not count, as they are hidden from the person who asks.
    """
    costs = kind.effort
    counts = {} if kind.on_pairs else tx.predictions.counts()
    predicted = {figure: count for figure, count in counts.items() if figure not in closed}
    usual = median(predicted.values()) if predicted else 1
    return {
        figure.id: max(
            round(
                costs.figure
                + costs.token * len(figure.caption.ranges)
                + costs.thing * (len(figure.imported.pairs) if kind.on_pairs else predicted.get(figure.id, usual))
            ),
            1,
        )
        for figure in figures
    }
