"""The queue in a model's order: the same figures in the same order, whichever way they are looked up."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from builders import a_decision, a_figure, an_annotation
from store.queued import a_place

from annotator.store.rows.records import Facet, QueuePlace, Sought
from annotator.store.store import Store

UNSURE = (Facet.UNSURE, "")
FIGURES = 240
PAGE = 7


def places() -> list[QueuePlace]:
    """Certainties that repeat and are often unknown; one figure in forty in phase 2, half of them with a loss."""
    source = Random(5)
    return [
        a_place(
            f"f{number:03}",
            source.random(),
            certainty=None if source.random() < 0.2 else round(source.random(), 1),
            phases=("2",) if number % 40 == 3 else ("1",),
            loss="no box" if number % 2 else None,
            agreed=number % 2 == 0,
            words="kidney",
        )
        for number in range(FIGURES)
    ]


@pytest.fixture
def filled(store: Store) -> Store:
    with store.transaction() as tx:
        for place in places():
            figure = a_figure(place.figure_id)
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure))
        tx.queue.put_places(places())
        for name in sorted(DONE):
            tx.decisions.add(a_decision(a_figure(name)))
    return store


#: Other conditions, and what is gone through where they are.
CASES: list[tuple[list[tuple[Facet, str]], tuple[Facet, str]]] = [
    ([], UNSURE),
    ([(Facet.PHASE, "1")], UNSURE),
    ([(Facet.PHASE, "2")], (Facet.PHASE, "2")),
    ([(Facet.PHASE, "1"), (Facet.LOSS, "no box")], UNSURE),
    ([(Facet.LOSS, "no box"), (Facet.PHASE, "2")], (Facet.PHASE, "2")),
    ([(Facet.PHASE, "3")], (Facet.PHASE, "3")),
]
DONE = {place.figure_id for place in places()[::3]}


def expected(facets: list[tuple[Facet, str]], decided: bool | None) -> list[str]:
    return [
        place.figure_id
        for place in sorted(places(), key=lambda place: (place.certainty or 0.0, place.figure_id))
        if place.certainty is not None
        and (decided is None or decided == (place.figure_id in DONE))
        and all(value in place.phases if kind is Facet.PHASE else value == place.loss for kind, value in facets)
    ]


@pytest.mark.slow
def test_pages_are_those_of_a_sort_of_everything(filled: Store) -> None:
    with filled.read() as tx:
        for (facets, along), decided in product(CASES, (False, True, None)):
            sought, every = Sought((UNSURE, *facets)), expected(facets, decided)
            assert tx.queue._along(sought.facets, decided, PAGE) == along
            for start in range(0, max(1, len(every)), PAGE):
                page = tx.queue.page(
                    sought, reviewer_done=decided, limit=PAGE, after=every[start - 1] if start else None
                )
                assert [entry.figure_id for entry in page] == every[start : start + PAGE]
                if start:
                    page = tx.queue.page(sought, reviewer_done=decided, limit=PAGE, before=every[start])
                    assert [entry.figure_id for entry in page] == every[start - PAGE : start]
            if decided is False:
                assert tx.queue.next(sought=sought) == (every[0] if every else None)
        assert len(expected([(Facet.PHASE, "2")], None)) > 1


def test_where_something_was_lost_nobody_is_asked_to_settle_together(filled: Store) -> None:
    with filled.read() as tx:
        assert len(tx.queue.undisputed("rev1", limit=FIGURES)) > 40
        assert tx.queue.undisputed("rev1", Sought(((Facet.LOSS, "no box"),)), limit=FIGURES) == []
