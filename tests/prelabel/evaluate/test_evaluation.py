import json
from dataclasses import replace

import pytest
from agreement_builders import subfigures
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.pairs.pairwise import compare
from agreement.resampling.clusters import Part
from panelwise.domain.annotation import Subfigure
from panelwise.domain.caption import Caption
from prelabel.evaluation.cases import Case, Variant
from prelabel.evaluation.report import FIGURES, evaluation_record, evaluation_text
from prelabel.evaluation.scores import (
    Evaluation,
    LabelledCaption,
    LabelOutcome,
    LeastCertainFirst,
    Reliability,
    evaluate,
    judged,
)

TEXT = "Lungs. (A) Left lung. (B) Right lung. (C) The heart."
LEFT, RIGHT, HEART = (0, 0, 100, 100), (100, 0, 200, 100), (200, 0, 300, 100)
WORDS = Caption.cut(TEXT)


def words(start: str) -> tuple[int, ...]:
    """The tokens from this word on to the next full stop."""
    first = WORDS.words.index(start)
    return tuple(range(first, WORDS.words.index(".", first) + 1))


A, B, C = words("Left"), words("Right"), words("The")
GOLD = (a_subfigure("A", box=LEFT, tokens=A), a_subfigure("B", box=RIGHT, tokens=B))


def a_case(
    predicted: tuple[Subfigure, ...],
    gold: tuple[Subfigure, ...] = GOLD,
    *,
    id: str = "f1",
    document: str = "x",
    texts: dict[str, frozenset[int]] | None = None,
) -> Case:
    figure = a_figure(id, caption=TEXT)
    own = {each.label: each.subcaption for each in predicted} if texts is None else texts
    return Case(an_annotation(figure, subfigures=gold), predicted, own, document, pairs=True)


def value(found: Evaluation, key: str, part: Part = Part.ALL) -> float | None:
    return found.row(key).parts[part].value


def test_what_equals_the_gold_scores_one_throughout() -> None:
    found = evaluate([a_case(GOLD)], model="m")
    for key in ("box_f1_50", "box_f1_90", "mean_iou", "box_count", "labels", "text_given_boxes", "end_to_end"):
        assert value(found, key) == 1.0, key
    assert value(found, "saved_box_operations") == value(found, "saved_tokens_toggled") == 1.0
    assert found.worst(10) == []


@given(st.lists(st.tuples(subfigures, subfigures), min_size=1, max_size=4))
def test_end_to_end_is_the_score_that_agreement_compare_gives(sides) -> None:
    cases = []
    for place, (gold, found) in enumerate(sides):
        figure = a_figure(f"f{place}", caption="Fig 1 : ( a ) left lung lesion ( b ) right lung")
        cases.append(Case(an_annotation(figure, annotator="gold", subfigures=gold), found, {}, "x", pairs=False))
    theirs = [an_annotation(each.gold.figure, subfigures=each.predicted) for each in cases]
    (pair,) = compare([each.gold for each in cases], theirs, details=True)
    evaluation = evaluate(cases, model="m", resamples=0)
    assert value(evaluation, "end_to_end") == pytest.approx(pair.score)
    assert value(evaluation, "box_f1_50") == pytest.approx(pair.details.detection.f1(0.5))
    assert value(evaluation, "mean_iou") == pytest.approx(pair.details.detection.mean_iou())


def test_swapped_labels_are_mended_by_the_right_labels() -> None:
    swapped = (a_subfigure("B", box=LEFT, tokens=B), a_subfigure("A", box=RIGHT, tokens=A))
    (figure,) = evaluate([a_case(swapped)], model="m").figures
    assert (figure.matched, figure.labelled) == (2, 0)
    assert figure.score == 0.0
    assert figure.if_right[Variant.LABELS_RIGHT] == figure.text_on_gold_boxes == 1.0
    assert figure.best_fix is Variant.LABELS_RIGHT


def test_wrong_text_is_mended_by_the_right_text_only() -> None:
    (figure,) = evaluate([a_case((a_subfigure("A", box=LEFT, tokens=C), GOLD[1]))], model="m").figures
    assert figure.best_fix is Variant.TEXT_RIGHT
    assert figure.if_right == {
        Variant.BOXES_RIGHT: 0.5,
        Variant.LABELS_RIGHT: 0.5,
        Variant.TEXT_RIGHT: 1.0,
    }


def test_missing_boxes_are_mended_by_the_right_boxes() -> None:
    texts = {"A": frozenset(A), "B": frozenset(B)}
    (figure,) = evaluate([a_case(GOLD[:1], texts=texts)], model="m").figures
    assert (figure.score, figure.best_fix) == (0.5, Variant.BOXES_RIGHT)


def test_the_text_of_a_label_is_found_in_small_letters_too() -> None:
    texts = {"a": frozenset(A), "b": frozenset(B)}
    assert value(evaluate([a_case(GOLD, texts=texts)], model="m"), "text_given_boxes") == 1.0
    assert a_case(GOLD, texts={"a": frozenset(A), "(a)": frozenset(B)}).text_of("A") == frozenset()


def test_gold_boxes_alone_get_their_labels_from_the_caption() -> None:
    case = a_case((), (*GOLD, a_subfigure("C", box=HEART, tokens=C)))
    found = {each.annotator: each for each in case.variants()}
    assert [each.label for each in found[Variant.BOXES_ALONE].subfigures] == ["A", "B", "C"]


def test_kept_apart_articles_and_captions_are_told_beside_the_rest() -> None:
    cases = [a_case(GOLD, id="f1", document="x"), a_case((), id="f2", document="y", texts={})]
    captions = [
        LabelOutcome(LabelledCaption("c1", "", ("a", "b"), "x"), ("a", "b")),
        LabelOutcome(LabelledCaption("c2", "", ("a", "b"), "y"), ("a",)),
    ]
    found = evaluate(cases, model="m", captions=captions, missing=["f3"], apart={"y"}, resamples=100)
    assert [value(found, "end_to_end", part) for part in Part] == [0.5, 1.0, 0.0]
    assert [value(found, "caption_set", part) for part in Part] == [0.5, 1.0, 0.0]
    assert found.apart == ("y",)
    text = evaluation_text(found)
    assert "1 article kept apart" in text
    assert "f3" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_record_is_json_and_its_rows_have_the_columns() -> None:
    found = evaluate([a_case((a_subfigure("A", box=LEFT, tokens=C),))], model="m")
    record = json.loads(json.dumps(evaluation_record(found), allow_nan=False))
    assert record["measures"]["end_to_end"]["all"]["value"] == value(found, "end_to_end")
    assert record["measures"]["end_to_end"]["all"]["reason"] == "one article alone cannot be resampled"
    (row,) = FIGURES.cells(found.figures)
    assert tuple(row) == FIGURES.headings
    assert record["per_figure"] == [row]
    assert (row["matched"], row["lost"], row["mend"]) == (1, "no box", "text right")
    with pytest.raises(KeyError):
        found.row("nothing of the kind")


def test_figures_without_text_are_judged_by_their_boxes() -> None:
    bare = tuple(Subfigure(each.label, each.box) for each in GOLD)
    found = evaluate([a_case(bare[:1], bare, texts={})], model="m")
    assert value(found, "end_to_end") is None
    assert [each.figure_id for each in found.worst(5)] == ["f1"]
    assert "no text to score" in evaluation_text(found)


def test_scores_are_compared_with_what_is_right_range_by_range() -> None:
    found = Reliability.of([0.95, 0.95, 0.95, 0.95, 1.0, 0.25], [True, True, True, False, True, False])
    assert found is not None
    assert [(each.low, each.high, each.count) for each in found.ranges] == [(0.2, 0.3, 1), (0.9, 1.0, 5)]
    assert found.ranges[1].right == pytest.approx(0.8)
    # Five are .16 too sure, and one is .25.
    assert found.error == pytest.approx((5 * (0.96 - 0.8) + 0.25) / 6)
    assert found.brier == pytest.approx((3 * 0.05**2 + 0.95**2 + 0.25**2) / 6)
    assert Reliability.of([], []) is None


def test_least_certain_first_is_compared_with_random_and_with_the_best_order() -> None:
    best = LeastCertainFirst.of([0.1, 0.2, 0.8, 0.9], [True, True, False, False])
    worst = LeastCertainFirst.of([0.8, 0.9, 0.1, 0.2], [True, True, False, False])
    alike = LeastCertainFirst.of([0.5] * 4, [True, False, True, False])
    assert best is not None
    assert worst is not None
    assert alike is not None
    assert (best.area, best.best, alike.area, worst.area) == (0.75, 0.75, 0.5, 0.25)
    assert LeastCertainFirst.of([0.1, 0.2], [True, True]) is None


def test_a_score_is_for_a_box_found_and_most_of_its_words() -> None:
    others = a_subfigure("B", box=RIGHT, tokens=C)
    made = (*GOLD[:1], others, a_subfigure("C", box=HEART))
    known = replace(a_case(made), scores=(0.9, 0.8, 0.3))
    assert judged([known, a_case(GOLD)]) == ([0.9, 0.8, 0.3], [True, False, False])
    found = evaluate([known, replace(a_case(GOLD, id="f2"), scores=(0.9, 0.7))], model="m")
    assert found.reliability is not None
    assert found.certainty == LeastCertainFirst(2, 1, 0.75, 0.75)
    text = evaluation_text(found)
    assert "scores: calibration error 0.320000" in text
    assert "1 of 2 figures to edit" in text
    assert evaluation_record(found)["least_certain_first"]["area"] == 0.75
    assert "scores:" not in evaluation_text(evaluate([a_case(GOLD)], model="m"))
