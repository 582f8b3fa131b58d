from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import pytest
from agreement_builders import one_figure
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.consensus.candidates import Candidate, merge_candidates
from agreement.consensus.figures import FigureConsensus, NoConsensus, figure_consensus
from panelwise.domain.annotation import Annotation, Status

LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)
ACCEPTED, REJECTED, IGNORED = Status.ACCEPTED, Status.REJECTED, Status.IGNORED


def work(name: str, *parts: tuple[str, Any, Any], **more: Any) -> Annotation:
    """Parts: label, box, tokens."""
    subfigures = tuple(a_subfigure(label, box=box, tokens=tokens) for label, box, tokens in parts)
    return an_annotation(annotator=name, subfigures=subfigures, **more)


def judged(*statuses: Status) -> list[Annotation]:
    return [
        work(f"ann{n}", *([("A", LEFT, {4})] if status is ACCEPTED else []), status=status)
        for n, status in enumerate(statuses, start=1)
    ]


def kept(found: FigureConsensus) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.label, each.supporters) for each in found.agreed]


def test_of_three_a_panel_that_two_missed_is_below_the_quorum_of_two() -> None:
    found = figure_consensus(
        [
            work("ann1", ("A", LEFT, {4})),
            work("ann2", ("A", LEFT, {4}), ("B", RIGHT, {10, 12})),
            work("ann3", ("A", LEFT, {4})),
        ]
    )
    assert (found.status, found.reason) == (ACCEPTED, None)
    assert kept(found) == [("A", ("ann1", "ann2", "ann3"))]
    lone = found.candidates[1]
    assert (lone.label, lone.supporters, found.reached(lone)) == ("B", ("ann2",), False)
    assert [found.support(each) for each in found.candidates] == [1, pytest.approx(1 / 3)]


def test_the_half_that_one_split_off_is_below_the_quorum_and_the_other_half_joins() -> None:
    found = figure_consensus(
        [
            work("ann1", ("A", LEFT, {4, 6})),
            work("ann2", ("A", LEFT, {4, 6})),
            work("ann3", ("A", (0, 0, 400, 350), {4}), ("B", (0, 350, 400, 600), {6})),
        ]
    )
    assert kept(found) == [("A", ("ann1", "ann2", "ann3"))]
    assert found.agreed[0].box.as_list() == [0, 0, 400, 600]
    assert found.agreed[0].subcaption == {4, 6}
    assert found.closeness(found.agreed[0]) == pytest.approx(350 / 600)
    assert [each.box.as_list() for each in found.candidates[1:]] == [[0, 350, 400, 600]]


def test_identical_boxes_with_different_labels_are_one_subfigure_that_names_both() -> None:
    found = figure_consensus(
        [work("ann1", ("B", LEFT, {4})), work("ann2", ("A", LEFT, {4})), work("ann3", ("B", LEFT, {4}))]
    )
    assert kept(found) == [("B", ("ann1", "ann2", "ann3"))]
    assert list(found.labels(found.agreed[0]).items()) == [("B", ("ann1", "ann3")), ("A", ("ann2",))]
    assert found.closeness(found.agreed[0]) == 1


@pytest.mark.parametrize("labels", list(permutations("ABC")))
def test_labels_that_one_permuted_move_no_box_and_no_text(labels: tuple[str, ...]) -> None:
    places = [((0, 0, 200, 600), {4}), ((200, 0, 500, 600), {6}), ((500, 0, 800, 600), {10})]
    straight = [("A", *places[0]), ("B", *places[1]), ("C", *places[2])]
    permuted = [(label, *place) for label, place in zip(labels, places, strict=True)]
    found = figure_consensus([work("ann1", *straight), work("ann2", *permuted), work("ann3", *straight)])
    assert [(each.label, each.box.as_list(), each.subcaption) for each in found.agreed] == [
        (label, [float(edge) for edge in box], tokens) for label, box, tokens in straight
    ]


@pytest.mark.parametrize(
    ("statuses", "status", "reason"),
    [
        ((ACCEPTED, ACCEPTED, REJECTED), ACCEPTED, None),
        ((REJECTED, ACCEPTED, REJECTED), REJECTED, None),
        ((REJECTED, REJECTED), REJECTED, None),
        ((ACCEPTED, REJECTED), ACCEPTED, NoConsensus.TIED),
        ((ACCEPTED, ACCEPTED, REJECTED, REJECTED), ACCEPTED, NoConsensus.TIED),
        ((ACCEPTED,), ACCEPTED, NoConsensus.TOO_FEW),
        ((REJECTED, IGNORED, IGNORED), REJECTED, NoConsensus.TOO_FEW),
        ((ACCEPTED, IGNORED, ACCEPTED), ACCEPTED, None),
        ((IGNORED, IGNORED), IGNORED, NoConsensus.PASSED_OVER),
    ],
)
def test_the_status_is_what_most_gave_and_at_least_the_quorum(
    statuses: tuple[Status, ...], status: Status, reason: NoConsensus | None
) -> None:
    found = figure_consensus(judged(*statuses))
    assert (found.status, found.reason) == (status, reason)
    assert bool(found.agreed) == (status is ACCEPTED and reason is None)
    assert len(found.annotations) + len(found.others) == len(statuses)
    if status is REJECTED:
        assert found.candidates == ()


def test_one_annotator_is_a_consensus_of_one_if_that_is_the_quorum() -> None:
    found = figure_consensus(judged(ACCEPTED), quorum=1)
    assert (found.reason, kept(found)) == (None, [("A", ("ann1",))])


def test_a_figure_that_all_accepted_and_nobody_drew_on_is_accepted_and_empty() -> None:
    found = figure_consensus([work("ann1"), work("ann2")])
    assert (found.status, found.reason, found.candidates) == (ACCEPTED, None, ())


@pytest.mark.parametrize(
    "other",
    [a_figure(caption="Fig 1: another caption of many more words"), a_figure(width=801), a_figure(height=601)],
)
def test_who_saw_another_caption_or_size_than_most_has_no_vote(other: Any) -> None:
    odd = an_annotation(other, annotator="ann0", subfigures=(a_subfigure(),))
    found = figure_consensus([odd, *judged(ACCEPTED, ACCEPTED)])
    assert (found.reason, found.differing, found.others) == (None, ("ann0",), {"ann0": ACCEPTED})
    assert (found.figure, kept(found)) == (a_figure(), [("A", ("ann1", "ann2"))])
    even = figure_consensus([odd, *judged(ACCEPTED)], quorum=1)
    assert (even.reason, even.agreed) == (NoConsensus.DIFFERS, ())


def test_an_equal_figure_need_not_be_the_same_object() -> None:
    found = figure_consensus([work("ann1"), replace(work("ann2"), figure=a_figure())])
    assert found.reason is None


def test_of_one_person_s_annotations_the_last_counts() -> None:
    again = work("ann1", ("A", RIGHT, {10}), minutes=5)
    found = figure_consensus([again, *judged(ACCEPTED, ACCEPTED)])
    assert [each.supporters for each in found.candidates] == [("ann2",), ("ann1",)]


def test_nothing_and_a_quorum_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="no annotations"):
        figure_consensus([])
    with pytest.raises(ValueError, match="quorum of 0"):
        figure_consensus(judged(ACCEPTED), quorum=0)
    with pytest.raises(ValueError, match="of 2 figures"):
        figure_consensus([an_annotation(), an_annotation(a_figure("f2"))])


# ---- laws ---------------------------------------------------------------------------------------


def shown(found: FigureConsensus) -> tuple[object, ...]:
    """All but the order of the people."""
    return (found.status, found.reason, found.candidates, found.agreed, found.differing, found.annotations)


@given(one_figure.filter(bool), st.integers(1, 3))
def test_the_order_of_the_annotators_does_not_matter(annotations: list[Annotation], quorum: int) -> None:
    found = {shown(figure_consensus(order, quorum=quorum)) for order in permutations(annotations)}
    assert len(found) == 1


def brief(candidate: Candidate) -> tuple[object, ...]:
    return (candidate.label, candidate.box, candidate.supporters)


@given(one_figure.filter(bool), st.sampled_from([0.0, 0.5, 0.9]))
def test_a_greater_quorum_adds_no_figure_no_box_and_no_token(
    annotations: list[Annotation], min_iou: float
) -> None:
    steps = [figure_consensus(annotations, quorum=n, min_iou=min_iou) for n in range(1, len(annotations) + 2)]
    assert steps[-1].agreed == ()
    for less, more in pairwise(steps):
        assert less.reason is None or more.reason is not None
        tokens = {brief(each): each.subcaption for each in less.agreed}
        for candidate in more.agreed:
            assert candidate.subcaption <= tokens[brief(candidate)]


@given(one_figure.filter(bool), st.integers(1, 3))
def test_what_is_kept_is_what_the_adjudication_view_merges_with_the_quorum_behind_it(
    annotations: list[Annotation], quorum: int
) -> None:
    found = figure_consensus(annotations, quorum=quorum)
    if found.reason is None and found.status is ACCEPTED:
        merged = merge_candidates(found.accepted, quorum=quorum)
        assert found.agreed == tuple(each for each in merged if len(each.supporters) >= quorum)
        for candidate in found.agreed:
            assert all(len(candidate.votes[token]) >= quorum for token in candidate.subcaption)
            assert sum(map(len, found.labels(candidate).values())) == len(candidate.supporters)
            assert 0 < found.support(candidate) <= 1
            assert 0 <= found.closeness(candidate) <= 1
