from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from agreement_builders import campaigns, one_figure
from agreement_reference import pair_means
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.columns.raw import RawAnnotation
from agreement.pairs.figure_index import macro
from agreement.pairs.pairwise import (
    Passed,
    compare,
    figure_agreement,
    latest,
    mean_of_pairs,
    pair_scores,
    pooled,
)
from agreement.score.subfigure_f1 import Common, LeftOut, Mode, Panel
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.figure import Figure

Q, R = (0, 0, 100, 100), (100, 0, 200, 100)


def by_pair(annotations: list[Annotation], **more: Any) -> dict[str, float | None]:
    return {f"{pair.gold}{pair.predicted}": pair.score for pair in pair_scores(annotations, **more)}


def work(figure: Figure, name: str, *parts: tuple[Any, Any], **more: Any) -> Annotation:
    subfigures = tuple(a_subfigure(f"{n}", box=box, tokens=tokens) for n, (box, tokens) in enumerate(parts))
    return an_annotation(figure, annotator=name, subfigures=subfigures, **more)


def the_three(figure: Figure) -> list[Annotation]:
    """The metric's worked example of three annotators on one figure."""
    return [
        work(figure, "A", (Q, {4, 6, 7, 8}), (R, {10, 12, 13}), ((200, 0, 300, 100), ())),
        work(figure, "B", ((0, 0, 100, 90), {4, 6, 7}), ((150, 0, 250, 100), {10, 12, 13})),
        work(figure, "C", (Q, {0, 1, 4, 6, 7, 8}), (R, {0, 1, 10, 12, 13})),
    ]


def test_the_worked_example_of_three_annotators_scores_as_told(worked_figure: Figure) -> None:
    pairs = pair_scores(the_three(worked_figure))
    assert {f"{pair.gold}{pair.predicted}": round(pair.score or 0, 6) for pair in pairs} == {
        "AB": 0.428571,
        "BA": 0.428571,
        "AC": 0.775,
        "CA": 0.775,
        "BC": 0.333333,
        "CB": 0.333333,
    }
    assert mean_of_pairs(pairs) == pytest.approx(0.512302, abs=5e-7)
    assert [pair.counted for pair in pairs] == [2] * 6
    assert pairs[0].left_out == {LeftOut.NO_SUBCAPTION: 1}


def test_three_real_annotators_score_as_told(shared_data: Path) -> None:
    from panelwise.files.jsonl import Problems
    from panelwise.formats.annotations import read_annotations

    problems = Problems()
    annotations = list(read_annotations(shared_data / "annotations.jsonl", problems))
    pairs = pair_scores(annotations)
    assert problems.count == 0
    assert {(pair.gold, pair.predicted): round(pair.score or 0, 6) for pair in pairs} == {
        ("ann1", "ann2"): 0.922038,
        ("ann2", "ann1"): 0.922038,
        ("ann1", "ann3"): 0.956299,
        ("ann3", "ann1"): 0.956299,
        ("ann2", "ann3"): 0.956343,
        ("ann3", "ann2"): 0.956343,
    }
    assert round(mean_of_pairs(pairs) or 0, 6) == 0.944893
    assert {(pair.gold, pair.predicted): pair.score for pair in pairs} == pytest.approx(pair_means(annotations))


def raw(figure: Figure, name: str, *panels: Panel) -> RawAnnotation:
    listed = tuple(panel.tokens for panel in panels)
    return RawAnnotation(figure, name, "1", Status.ACCEPTED, panels, listed, an_annotation().saved_at)


def test_raw_work_is_scored_beside_domain_types(worked_figure: Figure) -> None:
    gold = raw(worked_figure, "A", Panel(Q, (0, 0, 1)), Panel((5, 5, 5, 9), (4,)))
    other = work(worked_figure, "B", (Q, {0, 1}))
    pair, _ = pair_scores([gold, other], mode=Mode.OFFICIAL, common=Common.NONE)
    assert (pair.score, pair.counted) == (pytest.approx(0.4), 2)
    pair, _ = pair_scores([gold, other])
    assert (pair.score, pair.left_out) == (1, {LeftOut.NO_AREA: 1})


def test_of_raw_work_the_listed_subcaptions_say_what_is_common(worked_figure: Figure) -> None:
    other = work(worked_figure, "B", (Q, {0, 1}))
    (pair,) = compare([raw(worked_figure, "A", Panel(Q, (0, 1)))], [other], mode=Mode.OFFICIAL)
    assert (pair.score, pair.left_out) == (0, {LeftOut.ONLY_COMMON_TOKENS: 1})
    (pair,) = compare([raw(worked_figure, "A", Panel(Q, (0, 1)), Panel(R, ()))], [other], mode=Mode.OFFICIAL)
    assert (pair.score, pair.counted) == (1, 1)


def test_annotators_who_agree_on_nothing_score_zero(worked_figure: Figure) -> None:
    assert by_pair([work(worked_figure, "A", (Q, {4})), work(worked_figure, "B", (Q, {6}))]) == {"AB": 0, "BA": 0}


def test_a_figure_accepted_with_nothing_drawn_scores_zero_for_the_other(worked_figure: Figure) -> None:
    pairs = pair_scores([work(worked_figure, "A", (Q, {4}), (R, {6})), work(worked_figure, "B")])
    assert [(pair.score, pair.counted) for pair in pairs] == [(0, 2), (None, 0)]
    assert pairs[1].reason == "no gold subfigure with a counted token in the figures they share"


def test_surplus_boxes_cost_the_gold_side_only(worked_figure: Figure) -> None:
    annotations = [work(worked_figure, "A", (Q, {4})), work(worked_figure, "B", (Q, {4}), (R, {6}))]
    assert by_pair(annotations) == {"AB": 1, "BA": 0.5}


@pytest.mark.parametrize("status", [Status.REJECTED, Status.IGNORED])
def test_a_figure_that_one_did_not_accept_is_left_out_of_their_pairs_only(status: Status) -> None:
    one, two = a_figure("f1"), a_figure("f2")
    annotations = [an_annotation(figure, annotator=name) for figure in (one, two) for name in "ABC"]
    annotations[1] = replace(annotations[1], status=status)
    pairs = {(pair.gold, pair.predicted): pair for pair in pair_scores(annotations)}
    assert pairs["A", "B"].figures == ("f2",)
    assert pairs["A", "B"].passed == {Passed.REJECTED: ("f1",)}
    assert pairs["A", "C"].figures == ("f1", "f2")
    assert pairs["A", "C"].passed == {}


def test_a_figure_that_neither_accepted_is_told_apart(worked_figure: Figure) -> None:
    pair, _ = pair_scores([work(worked_figure, name, status=Status.REJECTED) for name in "AB"])
    assert pair.passed == {Passed.BOTH_REJECTED: ("worked",)}
    assert (pair.score, pair.reason) == (None, "no figure that both accepted in the same version")


@pytest.mark.parametrize("change", [{"caption": "Another caption of (A) two (B) panels"}, {"width": 801}])
def test_a_figure_whose_caption_or_size_differs_is_left_out_and_named(change: dict[str, Any]) -> None:
    annotations = [
        an_annotation(a_figure("f1"), annotator="A"),
        an_annotation(a_figure("f1", **change), annotator="B", subfigures=(a_subfigure(tokens=(4,)),)),
        an_annotation(a_figure("f2"), annotator="A"),
        an_annotation(a_figure("f2"), annotator="B"),
    ]
    for pair in pair_scores(annotations):
        assert pair.passed == {Passed.DIFFERS: ("f1",)}
        assert (pair.figures, pair.score) == (("f2",), 1)


def test_annotators_without_a_figure_in_common_are_a_null_pair_with_its_reason() -> None:
    annotations = [
        an_annotation(a_figure("f1"), annotator="A"),
        an_annotation(a_figure("f2"), annotator="B"),
        an_annotation(a_figure("f2"), annotator="C"),
    ]
    pairs = pair_scores(annotations)
    assert [pair.score for pair in pairs] == [None, None, None, 1, None, 1]
    assert pairs[0].reason == "no figure in common"
    assert pairs[3].reason == ""
    assert mean_of_pairs(pairs) == 1


def test_no_annotators_or_one_make_no_pairs() -> None:
    assert pair_scores([]) == ()
    assert pair_scores([an_annotation()]) == ()
    assert mean_of_pairs(()) is None
    assert pooled(()) is None
    assert macro(()) is None


def test_nothing_to_count_is_zero_by_the_authors_code(worked_figure: Figure) -> None:
    annotations = [work(worked_figure, name, (Q, {3})) for name in "AB"]
    assert by_pair(annotations) == {"AB": None, "BA": None}
    assert by_pair(annotations, mode=Mode.OFFICIAL) == {"AB": 0, "BA": 0}


def test_common_tokens_go_from_the_gold_or_from_each_side_its_own(worked_figure: Figure) -> None:
    annotations = [
        work(worked_figure, "A", (Q, {0, 1, 4, 6}), (R, {0, 1, 10, 12})),
        work(worked_figure, "B", (Q, {0, 1, 4, 6}), (R, {0, 1, 10, 12})),
    ]
    assert by_pair(annotations) == {"AB": 1, "BA": 1}
    gold_only = by_pair(annotations, common=Common.GOLD)
    assert gold_only == pytest.approx({"AB": 2 / 3, "BA": 2 / 3})
    assert by_pair(annotations, common=Common.BOTH) == {"AB": 1, "BA": 1}
    assert by_pair(annotations, mode=Mode.OFFICIAL) == gold_only, "it is the default there"
    assert by_pair(annotations, mode=Mode.OFFICIAL, common=Common.NONE) == {"AB": 1, "BA": 1}


@pytest.mark.parametrize("box", [Q, R])
@pytest.mark.parametrize("mode", list(Mode))
def test_a_figure_with_one_subcaption_contributes_nothing_once_common_tokens_go(
    worked_figure: Figure, mode: Mode, box: Any
) -> None:
    annotations = [
        work(worked_figure, "A", (Q, {4, 6}), ((200, 0, 300, 100), ())),
        work(worked_figure, "B", (box, {4, 6})),
    ]
    pair, _ = pair_scores(annotations, mode=mode, common=Common.GOLD)
    assert pair.counted == 0
    assert pair.left_out == {LeftOut.ONLY_COMMON_TOKENS: 1, LeftOut.NO_SUBCAPTION: 1}


def test_a_missed_gold_of_punctuation_alone_is_zero_by_the_authors_code(worked_figure: Figure) -> None:
    annotations = [
        work(worked_figure, "A", (Q, {3, 5}), (R, {4, 5})),
        work(worked_figure, "B", (R, {4})),
    ]
    assert by_pair(annotations, mode=Mode.OFFICIAL)["AB"] == 0.5
    assert by_pair(annotations)["AB"] == 1


def test_a_box_without_text_is_no_subcaption_when_common_tokens_are_sought(worked_figure: Figure) -> None:
    parts = (Q, {0, 1, 4, 6}), (R, {0, 1, 10, 12}), ((200, 0, 300, 100), ())
    annotations = [work(worked_figure, name, *parts) for name in "AB"]
    assert by_pair(annotations, common=Common.GOLD) == pytest.approx({"AB": 2 / 3, "BA": 2 / 3})


def test_two_annotations_of_one_figure_by_one_annotator_are_refused() -> None:
    with pytest.raises(ValueError, match='two annotations of figure "f1" by ann1'):
        pair_scores([an_annotation(), an_annotation(phase="2")])


def test_the_last_saved_annotation_holds_whatever_the_order() -> None:
    early, late = an_annotation(minutes=1), an_annotation(minutes=2)
    assert latest([early, late]) == ([late], [early])
    assert latest([late, early]) == ([late], [early])


def test_of_two_saved_at_one_moment_the_later_in_the_file_holds() -> None:
    first, second = an_annotation(subfigures=()), an_annotation()
    assert latest([first, second]) == ([second], [first])


def test_other_phases_and_annotators_supersede_nothing() -> None:
    several = [an_annotation(), an_annotation(phase="2"), an_annotation(annotator="ann2")]
    assert latest(several) == (several, [])


def test_pooled_and_macro_weigh_by_subfigures_and_by_figures() -> None:
    caption = "one two three four"
    f1, f2 = a_figure("f1", caption=caption), a_figure("f2", caption=caption)
    annotations = [
        work(f1, "A", (Q, {0}), (R, {1}), ((200, 0, 300, 100), {2})),
        work(f1, "B", (Q, {0}), (R, {1}), ((200, 0, 300, 100), {2})),
        work(f2, "A", (Q, {0})),
        work(f2, "B", (Q, {3})),
    ]
    pairs = pair_scores(annotations)
    assert mean_of_pairs(pairs) == pooled(pairs) == 0.75
    assert macro(pairs) == 0.5


def test_a_figure_in_which_nothing_counts_is_no_part_of_the_macro_mean(worked_figure: Figure) -> None:
    annotations = [an_annotation(annotator=name) for name in "AB"]
    annotations += [work(worked_figure, name, (Q, ())) for name in "AB"]
    pairs = pair_scores(annotations)
    assert (pairs[0].figures, macro(pairs)) == (("f1", "worked"), 1)


def test_gold_is_compared_with_each_predictor_even_one_of_its_own_name(worked_figure: Figure) -> None:
    gold = [work(worked_figure, "A", (Q, {4, 6}))]
    predicted = [work(worked_figure, "B", (Q, {4})), work(worked_figure, "A", (Q, {4, 6}))]
    found = compare(gold, predicted)
    assert [(pair.gold, pair.predicted) for pair in found] == [("A", "A"), ("A", "B")]
    assert [pair.score for pair in found] == pytest.approx([1, 2 / 3])
    assert compare([], predicted) == ()
    with pytest.raises(ValueError, match="gold by 2 annotators"):
        compare(predicted, gold)


# ---- the score of one figure, for the queue -----------------------------------------------------


def test_a_figure_s_agreement_is_the_mean_over_its_ordered_pairs(worked_figure: Figure) -> None:
    assert figure_agreement(the_three(worked_figure)) == pytest.approx(0.512302, abs=5e-7)


def test_a_figure_accepted_by_one_and_rejected_by_another_is_the_worst(worked_figure: Figure) -> None:
    three = the_three(worked_figure)
    assert figure_agreement([*three[:2], replace(three[2], status=Status.REJECTED)]) == 0


def test_a_figure_that_all_rejected_is_agreed_on(worked_figure: Figure) -> None:
    assert figure_agreement([work(worked_figure, name, status=Status.REJECTED) for name in "AB"]) == 1


def test_the_agreement_of_fewer_than_two_judges_is_undefined(worked_figure: Figure) -> None:
    one = work(worked_figure, "A", (Q, {4}))
    assert figure_agreement([]) is None
    assert figure_agreement([one]) is None
    assert figure_agreement([one, work(worked_figure, "B", status=Status.IGNORED)]) is None
    assert figure_agreement([work(worked_figure, name, (Q, ())) for name in "AB"]) is None


def test_of_one_annotator_s_several_annotations_the_last_is_taken(worked_figure: Figure) -> None:
    late = work(worked_figure, "A", (Q, {4}), phase="2", minutes=5)
    early = work(worked_figure, "A", (Q, {6}))
    assert figure_agreement([late, early, work(worked_figure, "B", (Q, {4}))]) == 1


def test_annotations_of_several_figures_have_no_agreement() -> None:
    with pytest.raises(ValueError, match="of 2 figures"):
        figure_agreement([an_annotation(), an_annotation(a_figure("f2"))])


# ---- laws ---------------------------------------------------------------------------------------


@given(campaigns, st.sampled_from(Mode), st.sampled_from(Common), st.sampled_from([0.3, 0.5, 0.9]))
def test_pairs_equal_the_plain_loop(
    annotations: list[Annotation], mode: Mode, common: Common, min_iou: float
) -> None:
    found = pair_scores(annotations, mode=mode, common=common, min_iou=min_iou)
    expected = pair_means(annotations, official=mode is Mode.OFFICIAL, common=common.value, min_iou=min_iou)
    assert {(pair.gold, pair.predicted): pair.score for pair in found} == pytest.approx(expected)


@given(campaigns, st.randoms())
def test_the_order_of_the_annotations_moves_no_score(annotations: list[Annotation], random: Any) -> None:
    shuffled = random.sample(annotations, len(annotations))
    one, other = pair_scores(annotations), pair_scores(shuffled)
    assert [(pair.gold, pair.predicted, pair.score) for pair in one] == [
        (pair.gold, pair.predicted, pair.score) for pair in other
    ]
    assert (mean_of_pairs(one), pooled(one), macro(one)) == (mean_of_pairs(other), pooled(other), macro(other))


@given(one_figure)
def test_a_figure_s_agreement_hangs_on_no_order(annotations: list[Annotation]) -> None:
    assert len({figure_agreement(list(order)) for order in permutations(annotations)}) == 1


@given(campaigns)
def test_annotators_of_identical_work_without_ties_agree(annotations: list[Annotation]) -> None:
    mine = [
        replace(each, annotator="A", subfigures=each.subfigures[:1])
        for each in latest([replace(each, annotator="A") for each in annotations])[0]
    ]
    pairs = pair_scores([*mine, *(replace(each, annotator="B") for each in mine)])
    assert all(pair.score in (None, 1.0) for pair in pairs)
