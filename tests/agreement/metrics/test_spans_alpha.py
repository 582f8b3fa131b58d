"""Alpha for unitizing: Krippendorff's own worked examples, and spans of labels over captions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.chance.spans_alpha import SpanAlpha, span_alpha, unitizing_disagreement
from agreement.chance.token_panels import merge_panels
from panelwise.domain.annotation import Annotation, Status

Marked = list[list[tuple[int, int]]]
#: Krippendorff, Content Analysis (2004), p. 254: a continuum from 150 to 450, two observers, categories c and k.
#: (begin, length) of each observer's units; observed and expected disagreement, and alpha, as printed.
BOOK = {
    "c": ([[(225, 70), (370, 30)], [(220, 80), (355, 20), (400, 20)]], 0.0144, 0.0532, 0.7286),
    "k": ([[(180, 60), (300, 50)], [(180, 60), (300, 50)]], 0.0, 0.0490, 1.0),
}
#: Krippendorff, On the reliability of unitizing contiguous data (1995), p. 57: 24 long, four pairs of observers,
#: with the observed disagreements as printed.
PAIRS = {
    "A": ([[(2, 8), (14, 6)], [(4, 4), (15, 2)]], 0.03125),
    "B": ([[(0, 18)], [(0, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 3), (9, 1)]], 2.26736),
    "C": (
        [[(2, 6), (10, 2), (14, 4), (20, 2)], [(0, 2), (4, 4), (10, 4), (16, 2), (20, 2)]],
        0.02777,
    ),
    "D": (
        [[(0, 2), (2, 8), (10, 4), (14, 6), (20, 4)], [(0, 4), (4, 4), (8, 7), (15, 2), (17, 7)]],
        0.38715,
    ),
}


def units(marked: Sequence[Sequence[tuple[int, int]]], stretch: float = 1) -> Marked:
    return [[(int(begin * stretch), int((begin + length) * stretch)) for begin, length in own] for own in marked]


@pytest.mark.parametrize("category", BOOK)
def test_the_worked_example_of_the_book(category: str) -> None:
    marked, observed, expected, alpha = BOOK[category]
    found = unitizing_disagreement((150, 450), units(marked))
    assert found == pytest.approx((observed, expected), abs=5e-5)
    assert 1 - found[0] / found[1] == pytest.approx(alpha, abs=5e-5)


def test_the_worked_example_over_both_categories() -> None:
    parts = [unitizing_disagreement((150, 450), units(BOOK[key][0])) for key in "ck"]
    observed, expected = (sum(column) for column in zip(*parts, strict=True))
    assert 1 - observed / expected == pytest.approx(0.8591, abs=5e-4)  # printed from rounded parts


@pytest.mark.parametrize("pair", PAIRS)
def test_the_observed_disagreements_of_the_paper(pair: str) -> None:
    marked, observed = PAIRS[pair]
    assert unitizing_disagreement((0, 24), units(marked))[0] == pytest.approx(observed, abs=1e-5)


def test_the_expected_disagreement_of_the_paper_on_a_continuum_of_12_and_of_1200() -> None:
    """The paper prints .05494 and alpha .494 for 12; at 1,200 the formula of 2004 is near the paper's .08600."""
    marked, observed = PAIRS["C"]
    found = unitizing_disagreement((0, 12), units(marked, 0.5))
    assert found == pytest.approx((observed, 0.05494), abs=1e-5)
    assert 1 - found[0] / found[1] == pytest.approx(0.494, abs=1e-3)
    assert unitizing_disagreement((0, 1200), units(marked, 50))[1] == pytest.approx(0.08600, abs=0.005)


def test_a_continuum_without_room_for_chance_expects_nothing() -> None:
    assert unitizing_disagreement((0, 1), [[], []]) == (0.0, 0.0)
    # Two that mark all of it: one unit could lie elsewhere on the other one.
    assert unitizing_disagreement((0, 4), [[(0, 4)], [(0, 4)]])[0] == 0.0


WORDS = a_figure("f1", caption="one two, three four five six seven eight")


def work(
    name: str, tokens: Sequence[Sequence[int]], figure: str = "f1", status: Status = Status.ACCEPTED
) -> Annotation:
    panels = tuple(
        a_subfigure("AB"[place % 2], box=(100 * place, 0, 100 * place + 100, 100), tokens=own)
        for place, own in enumerate(tokens)
    )
    on = a_figure(figure, caption="one two, three four five six seven eight")
    return an_annotation(on, annotator=name, subfigures=panels, status=status)


def spans(*annotations: Annotation) -> SpanAlpha:
    return span_alpha(merge_panels(annotations), {}, resamples=100)


def test_the_same_spans_whatever_the_boxes_are_full_agreement() -> None:
    one = work("ann", [(0, 1, 3), (4, 5)])
    moved = an_annotation(
        WORDS,
        annotator="ben",
        subfigures=tuple(
            a_subfigure(part.label, box=(0, 300, 100, 400), tokens=part.subcaption) for part in one.subfigures
        ),
    )
    found = spans(one, moved)
    # A comma is no token of the continuum: it parts no span.
    assert (found.alpha.value, found.labels, found.spans) == (1.0, 2, 4)


def test_alpha_over_labels_is_that_of_the_summed_disagreements() -> None:
    one, other = work("ann", [(0, 1), (4, 5)]), work("ben", [(0, 1, 3), (4, 5)])
    found = spans(one, other)
    # Among the eight counted words tokens 0, 1, 3 are places 0 to 2; 4 and 5 are places 3 and 4.
    parts = [
        unitizing_disagreement((0, 8), [[(0, 2)], [(0, 3)]]),
        unitizing_disagreement((0, 8), [[(3, 5)], [(3, 5)]]),
    ]
    assert found.alpha.value == pytest.approx(1 - (parts[0][0] + parts[1][0]) / (parts[0][1] + parts[1][1]))


def test_who_did_not_accept_the_figure_judged_nothing_and_who_did_without_the_label_marked_none() -> None:
    one = work("ann", [(0, 1, 3)])
    rejected = work("cho", [], status=Status.REJECTED)
    assert spans(one, work("ben", [(0, 1, 3)]), rejected).alpha.value == 1.0
    nothing = spans(one, work("ben", [(0, 1, 3)]), work("cho", []))
    expected = unitizing_disagreement((0, 8), [[(0, 3)], [(0, 3)], []])
    assert nothing.alpha.value == pytest.approx(1 - expected[0] / expected[1])
    assert expected[0] > 0


def test_several_panels_of_one_label_are_one_category() -> None:
    """Panels 0 and 2 are both A: their words overlap, touch, and lie apart."""
    for first, second in (((0, 1), (1, 3)), ((0, 1), (3,)), ((0, 1, 3), (0,))):
        found = spans(work("ann", [first, (), second]), work("ben", [(0, 1, 3)]))
        assert found.alpha.value == 1.0


def test_an_interval_is_of_figures() -> None:
    annotations = [
        work(name, [tuple(range(3, 4 + (number + (name == "ben") * (number % 2)) % 5))], f"f{number}")
        for number in range(8)
        for name in ("ann", "ben")
    ]
    alpha = spans(*annotations).alpha
    assert alpha.interval is not None
    assert alpha.interval[0] < (alpha.value or 0) < alpha.interval[1]


def test_without_a_span_or_a_figure_of_two_the_reason_is_named() -> None:
    silent = spans(work("ann", [()]), work("ben", [()]))
    assert (silent.alpha.value, silent.alpha.reason) == (
        None,
        "no panel with text in the figures that two accepted",
    )
    alone = spans(work("ann", [(0,)]))
    assert (alone.alpha.value, alone.alpha.reason) == (None, "no figure that two accepted in the same version")
