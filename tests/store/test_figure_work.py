"""Everything about one figure in one snapshot, on either database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import NOON, a_decision, a_figure, a_prediction, an_annotation

from annotator.store.queries.figures import UnknownFigure
from annotator.store.rows.records import Lease
from annotator.store.store import Store


def test_the_work_on_a_figure_is_what_each_query_says(store: Store) -> None:
    figure = a_figure("f1")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, annotator="ann2"))
        tx.annotations.add(an_annotation(figure, annotator="ann1"))
        tx.predictions.put(a_prediction(figure))
        tx.decisions.add(a_decision(figure))
    with store.read() as tx:
        work = tx.work.of("f1")
        assert work.figure == tx.figures.get("f1")
        assert work.annotations == tuple(tx.annotations.all(figure="f1"))
        assert work.history == tuple(tx.decisions.history("f1"))
        assert work.decision == tx.decisions.get("f1")
        assert work.prediction == tx.predictions.of(["f1"]).get("f1")
        assert (work.version, work.earlier) == (1, ())
        with pytest.raises(UnknownFigure):
            tx.work.of("f2")


def test_presence_is_that_of_others_and_ones_own_skip(store: Store) -> None:
    until = NOON + timedelta(minutes=3)
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.presence.put_lease("f1", "rev1", until)
        tx.presence.put_lease("f1", "rev2", until)
        tx.presence.put_skip("f1", "rev2", NOON)
    with store.read() as tx:
        assert tx.presence.on("f1", "rev1", now=NOON) == ([Lease("f1", "rev2", until)], False, 0)
        assert tx.presence.on("f1", "rev2", now=NOON) == ([Lease("f1", "rev1", until)], True, 0)
        assert tx.presence.on("f1", "rev3", now=until) == ([], False, 0)
        assert tx.people.with_hash("nobody", 0) is None
