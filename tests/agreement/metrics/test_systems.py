from __future__ import annotations

import pytest

from agreement.questions.answer_texts import Overlap
from agreement.questions.systems import BERT, MEASURES, compare_answers
from panelwise.domain.items import QAItem, QAKind

OPEN, YES_NO = QAKind.INFINITE_VISUAL, QAKind.BINARY_VISUAL
GOLD = {
    ("f1", "p1"): QAItem("p1", "How high?", OPEN, (), "red panels"),
    ("f1", "p2"): QAItem("p2", "Is it?", YES_NO, (), "Yes"),
    ("f2", "p3"): QAItem("p3", "Is that?", YES_NO, (), "No"),
    ("f3", "p4"): QAItem("p4", "Is this?", YES_NO, (), "No"),
}
RIGHT = {place: item.answer for place, item in GOLD.items()}
HALF = {("f1", "p1"): "a red panel", ("f1", "p2"): "No", ("f2", "p3"): "no", ("f9", "p9"): "1"}


def test_systems_are_ranked_and_scored_by_type() -> None:
    found = compare_answers(GOLD, {"half": HALF, "right": RIGHT}, resamples=200)
    assert [each.system for each in found.ranking] == ["right", "half"]
    assert (found.figures, found.questions) == (3, 4)
    right, half = found.ranking
    assert {name: each.value for name, each in right.measures.items()} == dict.fromkeys(MEASURES, 1.0)
    # "a red panel" shares two stems of three with "red panels"; one question has no answer.
    assert half.measures["exact_match"].value == 1 / 4
    assert half.measures["rouge_1"].value == pytest.approx((4 / 5 + 0 + 1 + 0) / 4)
    assert half.measures["rouge_1_precision"].value == pytest.approx((2 / 3 + 0 + 1 + 0) / 4)
    assert half.measures["rouge_1_recall"].value == pytest.approx((1 + 0 + 1 + 0) / 4)
    assert (half.missing, half.unknown, found.surplus) == (1, 0, {"half": 1, "right": 0})
    by_type = {each.kind: each for each in found.scores if each.system == "half" and each.kind}
    assert {kind: each.questions for kind, each in by_type.items()} == {OPEN: 1, YES_NO: 3}
    assert by_type[YES_NO].measures["exact_match"].value == pytest.approx(1 / 3)


def test_intervals_are_from_draws_of_figures() -> None:
    found = compare_answers(GOLD, {"half": HALF, "right": RIGHT}, resamples=500)
    low, high = found.ranking[1].measures["exact_match"].interval
    # One of the three figures is right: none of its draws, or nothing but its draws, are in the interval.
    assert (low, high) == (0.0, 1.0)
    lead = found.behind["half"]["rouge_1"]
    assert lead.value == pytest.approx(1 - (4 / 5 + 1) / 4)
    assert lead.interval[0] == 0.0
    assert compare_answers(GOLD, {"half": HALF}, resamples=0).ranking[0].measures["rouge_1"].interval is None


def test_articles_are_resampled_where_figures_share_one() -> None:
    same = compare_answers(GOLD, {"half": HALF}, resamples=500, articles={"f1": "a", "f2": "b"})
    alone = compare_answers(GOLD, {"half": HALF}, resamples=500)
    assert (same, same.unit) == (alone, "figure")
    both = compare_answers(GOLD, {"half": HALF}, resamples=500, articles={"f1": "a", "f2": "a"})
    # As if the figures of an article were one; an article that is named as a figure is another thing.
    merged = compare_answers(GOLD, {"half": HALF}, resamples=500, articles={"f1": "f3", "f2": "f3"})
    as_one = compare_answers(
        {("f1" if place == ("f2", "p3") else place[0], place[1]): item for place, item in GOLD.items()},
        {"half": {("f1" if figure == "f2" else figure, item): each for (figure, item), each in HALF.items()}},
        resamples=500,
    )
    assert both.unit == merged.unit == "article"
    (one,), (other,), (third,) = both.ranking, as_one.ranking, merged.ranking
    assert one.measures == other.measures == third.measures
    assert one.measures["equal"].clusters == 2


def test_a_system_is_not_ahead_of_itself() -> None:
    found = compare_answers(GOLD, {"one": HALF, "other": dict(HALF)}, resamples=50)
    assert {each.value for each in found.behind["other"].values()} == {0.0}


def test_a_similarity_by_model_stands_beside_the_others() -> None:
    def alike(pairs: list[tuple[str, str]]) -> list[Overlap]:
        return [Overlap(0.5, 0.25, 1 / 3) if answer else Overlap(0, 0, 0) for _, answer in pairs]

    (score,) = compare_answers(GOLD, {"right": RIGHT}, resamples=0, similarity=alike).ranking
    assert [score.measures[name].value for name in BERT] == [pytest.approx(1 / 3), 0.5, 0.25]
