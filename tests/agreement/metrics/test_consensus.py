from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from math import nextafter
from typing import Any

import pytest
from agreement_builders import one_figure
from agreement_reference import iou
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.consensus import candidates as consensus
from agreement.consensus.candidates import Candidate, merge_candidates, reading_order
from agreement.primitives.iou import box_iou
from panelwise.domain import annotation
from panelwise.domain import box as geometry
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.box import Box

LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)


def work(name: str, *parts: tuple[str, Any, Any], **more: Any) -> Annotation:
    """Parts: label, box, tokens."""
    subfigures = tuple(a_subfigure(label, box=box, tokens=tokens) for label, box, tokens in parts)
    return an_annotation(annotator=name, subfigures=subfigures, **more)


def brief(candidates: tuple[Candidate, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.label, each.supporters) for each in candidates]


def test_what_all_drew_alike_becomes_one_candidate_each() -> None:
    found = merge_candidates(
        [work(name, ("A", LEFT, {4, 6}), ("B", RIGHT, {10})) for name in ("ann1", "ann2", "ann3")]
    )
    assert brief(found) == [("A", ("ann1", "ann2", "ann3")), ("B", ("ann1", "ann2", "ann3"))]
    assert found[0].subcaption == {4, 6}
    assert found[0].votes == {4: ("ann1", "ann2", "ann3"), 6: ("ann1", "ann2", "ann3")}
    assert found[1].members == {"ann1": 1, "ann2": 1, "ann3": 1}
    assert hash(found[0]) == hash(replace(found[0], votes={}))


def test_a_panel_that_two_of_three_missed_stays_with_one_supporter() -> None:
    found = merge_candidates(
        [
            work("ann1", ("A", LEFT, {4})),
            work("ann2", ("A", LEFT, {4}), ("B", RIGHT, {10, 12})),
            work("ann3", ("A", LEFT, {4})),
        ]
    )
    assert brief(found) == [("A", ("ann1", "ann2", "ann3")), ("B", ("ann2",))]
    assert found[1].subcaption == {10, 12}


def test_of_a_panel_that_one_split_in_two_one_half_joins_and_one_stands_alone() -> None:
    found = merge_candidates(
        [
            work("ann1", ("A", LEFT, {4})),
            work("ann2", ("A", LEFT, {4})),
            work("ann3", ("A", (0, 0, 400, 350), {4}), ("B", (0, 350, 400, 600), {6})),
        ]
    )
    assert brief(found) == [("A", ("ann1", "ann2", "ann3")), ("B", ("ann3",))]
    assert found[0].box.as_list() == [0, 0, 400, 600]


def test_halves_that_reach_no_threshold_stand_alone_both() -> None:
    found = merge_candidates(
        [
            work("ann1", ("A", LEFT, {4})),
            work("ann2", ("B", (0, 0, 400, 299), {4}), ("C", (0, 299, 400, 598), {6})),
        ]
    )
    assert brief(found) == [("A", ("ann1",)), ("B", ("ann2",)), ("C", ("ann2",))]


def test_identical_boxes_of_one_annotator_join_by_label_then_by_text() -> None:
    found = merge_candidates(
        [work("ann1", ("A", LEFT, {4}), ("B", LEFT, {6})), work("ann2", ("B", LEFT, {6}), ("A", LEFT, {4}))]
    )
    assert [(each.label, each.subcaption, each.members) for each in found] == [
        ("A", {4}, {"ann1": 0, "ann2": 1}),
        ("B", {6}, {"ann1": 1, "ann2": 0}),
    ]
    found = merge_candidates(
        [work("ann1", ("A", LEFT, {4}), ("B", LEFT, {6})), work("ann2", ("C", LEFT, {6}), ("D", LEFT, {4}))]
    )
    assert [each.subcaption for each in found] == [{4}, {6}]


def test_labels_go_by_majority_where_an_annotator_swapped_them() -> None:
    straight = [work(name, ("A", LEFT, {4}), ("B", RIGHT, {10})) for name in ("ann2", "ann3")]
    found = merge_candidates([work("ann1", ("B", LEFT, {4}), ("A", RIGHT, {10})), *straight])
    assert [(each.label, each.box.x0) for each in found] == [("A", 0), ("B", 400)]


def test_labels_that_two_swapped_go_by_reading_order() -> None:
    found = merge_candidates(
        [
            work("ann1", ("B", LEFT, {4}), ("A", RIGHT, {10})),
            work("ann2", ("A", LEFT, {4}), ("B", RIGHT, {10})),
        ]
    )
    assert [(each.label, each.box.x0) for each in found] == [("A", 0), ("B", 400)]


def test_a_label_goes_to_the_candidate_with_more_votes_for_it() -> None:
    found = merge_candidates(
        [
            work("ann1", ("A", LEFT, {4})),
            work("ann2", ("A", RIGHT, {10})),
            work("ann3", ("A", RIGHT, {10})),
        ]
    )
    assert brief(found) == [("A", ("ann2", "ann3")), ("B", ("ann1",))]


def test_a_repeated_label_is_replaced_by_the_first_free_letter_in_its_own_case() -> None:
    boxes = [(100 * n, 0, 100 * n + 90, 90) for n in range(4)]
    upper = merge_candidates([work("ann1", *(("A", box, ()) for box in boxes[:3]), ("C", boxes[3], ()))])
    assert [each.label for each in upper] == ["A", "B", "C", "D"]
    lower = merge_candidates([work("ann1", *(("a", box, ()) for box in boxes))])
    assert [each.label for each in lower] == ["a", "b", "c", "d"]


def test_letters_go_on_after_z() -> None:
    parts = [("A", (10 * n, 0, 10 * n + 9, 9), ()) for n in range(28)]
    labels = [each.label for each in merge_candidates([work("ann1", *parts)])]
    assert labels[-3:] == ["Z", "AA", "AB"]


def test_labels_with_numbers_are_ordered_by_the_numbers() -> None:
    parts = [
        (label, (50 * n, 0, 50 * n + 40, 40), ()) for n, label in enumerate(["A10", "A2", "AA", "B", "²", "1"])
    ]
    assert [each.label for each in merge_candidates([work("ann1", *parts)])] == ["1", "A2", "A10", "B", "²", "AA"]


def test_the_box_is_the_median_of_the_members() -> None:
    found = merge_candidates(
        [
            work("ann1", ("A", (0, 0, 400, 600), ())),
            work("ann2", ("A", (10, 0, 390, 590), ())),
            work("ann3", ("A", (4, 6, 700, 580), ())),
        ]
    )
    assert [each.box for each in found] == [Box(4, 0, 400, 590)]


def test_a_median_without_area_gives_way_to_a_member() -> None:
    a = nextafter(1.0, 2.0)
    b, c = nextafter(a, 2.0), nextafter(nextafter(a, 2.0), 2.0)
    thin = [work("ann1", ("A", (a, 0, b, 9), ())), work("ann2", ("A", (b, 0, c, 9), ()))]
    wide = [work("ann3", ("A", (a, 0, c, 9), ()))]
    for each in merge_candidates([*thin, *wide], min_iou=0.1):
        assert each.box.area > 0
    pair = [work("ann1", ("A", (a, 0, b, 9), ())), work("ann2", ("A", (a, 0, b, 9), ()))]
    assert merge_candidates(pair)[0].box == Box(a, 0, b, 9)


def test_a_chain_of_overlaps_does_not_join_boxes_that_have_drifted_apart() -> None:
    chain = [work(f"ann{n}", ("A", (100 * n, 0, 100 * n + 300, 300), ())) for n in range(4)]
    found = merge_candidates(chain)
    assert [len(each.supporters) for each in found] == [2, 2]


def test_two_subfigures_of_one_annotator_never_join() -> None:
    near = work("ann1", ("A", LEFT, {4}), ("B", (0, 0, 400, 590), {6}))
    found = merge_candidates([near, work("ann2", ("A", LEFT, {4}))])
    assert brief(found) == [("A", ("ann1", "ann2")), ("B", ("ann1",))]


def test_of_two_annotators_only_what_both_gave_is_preselected() -> None:
    found = merge_candidates([work("ann1", ("A", LEFT, {4, 6})), work("ann2", ("A", LEFT, {6, 7}))])
    assert found[0].subcaption == {6}
    assert found[0].votes == {4: ("ann1",), 6: ("ann1", "ann2"), 7: ("ann2",)}


@pytest.mark.parametrize(("quorum", "tokens"), [(1, {4, 6, 7}), (2, {4, 6}), (3, {6}), (9, {6})])
def test_a_token_needs_the_quorum_or_all_members_where_they_are_fewer(quorum: int, tokens: set[int]) -> None:
    annotations = [
        work("ann1", ("A", LEFT, {4, 6})),
        work("ann2", ("A", LEFT, {4, 6})),
        work("ann3", ("A", LEFT, {6, 7})),
    ]
    assert merge_candidates(annotations, quorum=quorum)[0].subcaption == tokens


def test_only_who_accepted_the_figure_supports_a_candidate() -> None:
    annotations = [work("ann1", ("A", LEFT, {4})), work("ann2", ("A", LEFT, {4}), status=Status.REJECTED)]
    assert brief(merge_candidates(annotations)) == [("A", ("ann1",))]
    assert merge_candidates([]) == ()


def test_a_quorum_below_one_and_several_figures_are_refused() -> None:
    with pytest.raises(ValueError, match="quorum of 0"):
        merge_candidates([an_annotation()], quorum=0)
    with pytest.raises(ValueError, match="of 2 figures"):
        merge_candidates([an_annotation(), an_annotation(a_figure("f2"))])


def test_reading_goes_row_by_row_though_rows_are_ragged() -> None:
    boxes = [Box(400, 0, 800, 300), Box(0, 12, 390, 300), Box(0, 310, 390, 600), Box(400, 305, 800, 600)]
    assert reading_order(boxes) == [1, 0, 2, 3]
    assert reading_order([]) == []


# ---- laws ---------------------------------------------------------------------------------------


@given(one_figure, st.integers(1, 3), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_candidates_hang_on_no_order_of_annotators(
    annotations: list[Annotation], quorum: int, min_iou: float
) -> None:
    found = {merge_candidates(list(order), quorum=quorum, min_iou=min_iou) for order in permutations(annotations)}
    assert len(found) == 1


@given(one_figure, st.integers(1, 3), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_every_subfigure_is_in_exactly_one_candidate(
    annotations: list[Annotation], quorum: int, min_iou: float
) -> None:
    found = merge_candidates(annotations, quorum=quorum, min_iou=min_iou)
    members = Counter((name, place) for each in found for name, place in each.members.items())
    accepted = [each for each in annotations if each.status is Status.ACCEPTED]
    assert members == Counter(
        (each.annotator, place) for each in accepted for place in range(len(each.subfigures))
    )
    assert len({each.label for each in found}) == len(found)
    parts = {each.annotator: each.subfigures for each in accepted}
    for candidate in found:
        assert candidate.supporters == tuple(sorted(candidate.members))
        own = {name: parts[name][place] for name, place in candidate.members.items()}
        assert {token: set(names) for token, names in candidate.votes.items()} == {
            token: {name for name, part in own.items() if token in part.subcaption}
            for token in frozenset[int]().union(*(part.subcaption for part in own.values()))
        }
        enough = min(quorum, len(own))
        assert candidate.subcaption == {token for token, names in candidate.votes.items() if len(names) >= enough}
        if len(own) == 2:
            one, other = own.values()
            assert iou(one.box.as_list(), other.box.as_list()) >= min_iou


@given(one_figure)
def test_one_annotator_s_candidates_are_their_own_subfigures(annotations: list[Annotation]) -> None:
    for each in annotations:
        found = merge_candidates([each])
        own = each.subfigures if each.status is Status.ACCEPTED else ()
        assert Counter((part.box, part.subcaption) for part in own) == Counter(
            (candidate.box, candidate.subcaption) for candidate in found
        )


def test_a_median_whose_area_underflows_gives_way_to_a_member() -> None:
    thin, long = (0, 0, 1e-160, 1e-160), (0, 0, 1e-161, 1e-159)
    boxes = [work(name, ("A", box, {4})) for name, box in (("ann1", thin), ("ann2", long), ("ann3", thin))]
    for each in merge_candidates(boxes, min_iou=0.0):
        assert each.box.area > 0


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from("ABa"),
                st.sampled_from([(0, 0, 9, 9), (0, 0, 9, 8), (1, 0, 9, 9), (4, 4, 20, 20), (4, 5, 20, 20)]),
                st.sets(st.integers(0, 5)),
            ),
            max_size=5,
        ),
        max_size=4,
    ),
    st.sampled_from([0.0, 0.3, 0.5, 0.9]),
)
def test_arrays_merge_exactly_as_plain_numbers_do(drawn: list[list[Any]], min_iou: float) -> None:
    annotations = [work(f"ann{number}", *parts) for number, parts in enumerate(drawn)]
    found = []
    for few in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(consensus, "_FEW", few)
            patch.setattr(consensus, "_BLOCK", 3)
            found.append(merge_candidates(annotations, quorum=1, min_iou=min_iou))
    assert found[0] == found[1]


@pytest.mark.parametrize("label", ["A", "{}"])
def test_merging_many_boxes_compares_each_two_of_different_annotators_once(
    label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts work, not seconds: of boxes that all lie on one another, which is the worst there is."""
    number, people = 60, 3
    asked = dict.fromkeys(("pairs", "joins", "letters"), 0)

    def pairs(one: Any, other: Any) -> Any:
        asked["pairs"] += len(one) * len(other)
        return box_iou(one, other)

    def joins(one: Any, other: Any) -> float:
        asked["joins"] += 1
        return geometry.iou(one, other)

    def letters(alphabet: str) -> Iterator[str]:
        for each in annotation.letters(alphabet):
            asked["letters"] += 1
            yield each

    for name, counting in (("box_iou", pairs), ("iou", joins), ("letters", letters)):
        monkeypatch.setattr(consensus, name, counting)
    parts = [(label.format(place), (0, 0, 400, 600), {4}) for place in range(number)]
    found = merge_candidates([work(f"ann{each}", *parts) for each in range(people)])
    assert [len(each.supporters) for each in found] == [people] * number
    assert asked["pairs"] == number**2 * people * (people - 1) // 2
    assert asked["joins"] == number * (people - 1)
    assert asked["letters"] <= number + 1
