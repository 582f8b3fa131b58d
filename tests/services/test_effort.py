"""How long a figure is expected to take."""

from __future__ import annotations

import pytest
from builders import a_figure, a_subfigure

from annotator.assignment.assign import expected_seconds
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction
from panelwise.domain.kinds import ANSWERS, PAIRS, SUBFIGURES, Kind

PAIR = {"instance_id": "q1", "qa_pair_type": "unanswerable", "question": "?", "answer": "-"}


def test_a_figure_costs_more_the_longer_its_caption_and_the_more_is_predicted_on_it(store: Store) -> None:
    short, long, busy = (
        a_figure("f1", caption="A."),
        a_figure("f2", caption="A. " * 100),
        a_figure("f3", caption="A."),
    )
    with store.transaction() as tx:
        for figure in (short, long, busy):
            tx.figures.add(figure)
        for figure, count in ((short, 1), (busy, 9)):
            parts = tuple(a_subfigure(str(n), tokens=()) for n in range(count))
            tx.predictions.put(Prediction(figure, "m", parts, (0.5,) * count))
        # The figure without a prediction has the median of the others: 5.
        found = expected_seconds(tx, [short, long, busy], SUBFIGURES)
    costs = SUBFIGURES.effort
    assert found == {
        "f1": round(costs.figure + 2 * costs.token + costs.thing),
        "f2": round(costs.figure + 200 * costs.token + 5 * costs.thing),
        "f3": round(costs.figure + 2 * costs.token + 9 * costs.thing),
    }


@pytest.mark.parametrize("kind", [PAIRS, ANSWERS], ids=["pairs", "answers"])
def test_a_figure_with_pairs_costs_by_their_number(store: Store, kind: Kind) -> None:
    figures = [
        a_figure(f"f{n}", extra={"qa": [{**PAIR, "instance_id": f"q{k}"} for k in range(n)]}) for n in (0, 7)
    ]
    with store.read() as tx:
        found = expected_seconds(tx, figures, kind)
    assert found["f7"] - found["f0"] == pytest.approx(7 * kind.effort.thing, abs=1)
