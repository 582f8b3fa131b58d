from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agreement_builders import campaigns
from hypothesis import given

from agreement.columns.raw import RawAnnotation
from agreement.columns.scored import ScoredAnnotation
from agreement.consensus.candidates import merge_candidates
from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from agreement.pairs.plain import annotations_from, panels_from, score_figure
from agreement.score.subfigure_f1 import Common, LeftOut, Mode, Panel
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.errors import InvalidAnnotation

WORDS = ["Fig", "1", ":", "(", "a", ")", "left", "lung", "lesion", "(", "b", ")", "right", "lung"]
Q = [0, 0, 100, 100]


@pytest.mark.parametrize("words", [WORDS, " ".join(WORDS), tuple(WORDS)])
@pytest.mark.parametrize(
    "gold",
    [
        (Q, {4, 6, 7, 8}),
        [Q, [4, 6, 7, 8]],
        {"box": Q, "tokens": (4, 6, 7, 8)},
        Panel((0, 0, 100, 100), (4, 6, 7, 8)),
    ],
)
def test_a_subfigure_may_be_a_pair_a_dict_or_a_panel(gold: Any, words: Any) -> None:
    assert score_figure([gold], [(Q, {4, 6, 7, 12})], words=words).f1s == (0.75,)


def test_without_words_every_id_counts() -> None:
    assert score_figure([(Q, {3, 5})], [(Q, {3})]).mean == pytest.approx(2 / 3)
    assert score_figure([(Q, {3, 5})], [(Q, {3})], words=WORDS).reasons == (LeftOut.NO_COUNTED_TOKEN,)


def test_all_cases_of_the_shared_data_hold_on_plain_values(shared_data: Path) -> None:
    cases = json.loads((shared_data / "agreement_cases.json").read_text("utf-8"))
    assert len(cases) == 18
    for case in cases:
        found = score_figure(case["gold"], case["pred"], words=case["words"])
        assert (list(found.f1s), found.mean) == (case["paper_per_gold"], case["paper_mean"]), case["name"]
        found = score_figure(
            case["gold"],
            case["pred"],
            words=case["words"],
            mode="official-code",
            gold_common=case.get("gold_common", ()),
        )
        assert list(found.counted) == case["official_f1s"], case["name"]


def test_common_tokens_go_from_the_side_that_they_are_given_for() -> None:
    both = [(Q, {0, 1, 4, 6, 7, 8})]
    assert score_figure(both, both, words=WORDS, gold_common={0, 1}).mean == 0.8
    assert score_figure(both, both, words=WORDS, gold_common={0, 1}, predicted_common={0, 1}).mean == 1


@given(campaigns)
def test_plain_work_scores_as_the_annotations_that_it_was_taken_from(annotations: list[Annotation]) -> None:
    annotations = [each for each in annotations if each.figure.width == 600 and each.status is not Status.IGNORED]
    work: dict[str, dict[str, Any]] = {}
    for each in annotations:
        parts = [
            {"label": part.label, "box": part.box.as_list(), "tokens": part.subcaption} for part in each.subfigures
        ]
        rejected = each.status is Status.REJECTED
        work.setdefault(each.annotator, {})[each.figure.id] = None if rejected else parts
    words = {each.figure.id: each.figure.caption.text for each in annotations}
    plain = annotations_from(work, words=words, sizes={figure: (600, 600) for figure in words})
    assert mean_of_pairs(pair_scores(plain)) == mean_of_pairs(pair_scores(annotations))
    raw = annotations_from(work, words=words, raw=True)
    assert all(isinstance(each, RawAnnotation) for each in raw)
    assert mean_of_pairs(pair_scores(raw)) == mean_of_pairs(pair_scores(annotations))


def test_captions_and_sizes_are_made_up_where_they_are_not_given() -> None:
    one, other = annotations_from({"a": {"f": [([0, 0, 9.5, 4], {7})]}, "b": {"f": [([0, 0, 3, 20], ())]}})
    assert one.figure is other.figure
    assert (one.figure.width, one.figure.height, len(one.figure.caption.tokens)) == (10, 20, 8)
    [nothing] = annotations_from({"a": {"f": []}})
    assert (nothing.figure.width, nothing.figure.height, nothing.status) == (1, 1, Status.ACCEPTED)
    [rejected] = annotations_from({"a": {"f": None}}, phase="2")
    assert (rejected.status, rejected.phase) == (Status.REJECTED, "2")


def test_a_label_is_the_given_one_or_the_letter_of_the_place() -> None:
    parts = [(Q, {4}), {"box": [200, 0, 300, 100], "tokens": {6}, "label": "x"}, ([400, 0, 500, 100], {7})]
    [annotation] = annotations_from({"a": {"f": parts}})
    assert isinstance(annotation, Annotation)
    assert [part.label for part in annotation.subfigures] == ["A", "x", "C"]
    assert [each.label for each in merge_candidates([annotation], quorum=1)] == ["A", "C", "x"]


def test_scores_make_a_model_s_work_where_every_subfigure_has_one() -> None:
    scored = {"box": Q, "tokens": {4}, "score": 0.5}
    [model] = annotations_from({"m": {"f": [scored, {**scored, "score": 1}]}})
    assert isinstance(model, ScoredAnnotation)
    assert model.scores == (0.5, 1.0)
    [person] = annotations_from({"m": {"f": [scored, (Q, {4})]}})
    assert not isinstance(person, ScoredAnnotation)
    [raw] = annotations_from({"m": {"f": [scored]}}, raw=True)
    assert isinstance(raw, RawAnnotation)
    assert raw.scores == (0.5,)


def test_official_code_gets_what_paper_refuses() -> None:
    work = {"a": {"f": [([34, 1.7, 35.7, 1.7], [4]), (Q, [4, 4, 6])]}, "b": {"f": [(Q, [4, 6])]}}
    found = annotations_from(work, words={"f": WORDS}, raw=True)
    pair, _ = pair_scores(found, mode=Mode.OFFICIAL, common=Common.NONE)
    assert (pair.score, pair.counted) == (pytest.approx(0.4), 2)
    with pytest.raises(InvalidAnnotation, match="has no area"):
        annotations_from(work, words={"f": WORDS})


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        (([0, 0, float("nan"), 9], {4}), "subfigure 0: box .* no finite number"),
        (([0, 0, float("inf"), 9], {4}), "no finite number"),
        (([9, 0, 0, 9], {4}), "is inverted"),
        (([0, 0, 9], {4}), "not four numbers"),
        (([0, 0, 9, "wide"], {4}), "not four numbers"),
        (([0, 0, 9, 10**400], {4}), "not four numbers"),
        ((None, {4}), "not four numbers"),
        ((Q, {-1}), "token -1 cannot be"),
        ((Q, {1.5}), "no whole numbers"),
        ((Q, "46"), "no whole numbers"),
        ((Q, None), "no whole numbers"),
        ((Q, {14}), "token 14 of 14; give the words that the ids count"),
        ((Q,), "is no pair of a box and tokens"),
        (7, "is no pair of a box and tokens"),
        ({"box": Q}, 'has no "tokens"'),
        ({"tokens": [4]}, 'has no "box"'),
    ],
)
def test_nonsense_is_refused_in_a_line(part: Any, complaint: str) -> None:
    with pytest.raises(InvalidAnnotation, match=complaint):
        score_figure([part], [], words=WORDS)
    with pytest.raises(InvalidAnnotation, match=complaint):
        annotations_from({"a": {"f": [part]}}, words={"f": WORDS})


def test_what_cannot_be_a_figure_or_a_score_is_refused_too() -> None:
    with pytest.raises(InvalidAnnotation, match='"f": token 100000 of a caption that is not given'):
        annotations_from({"a": {"f": [(Q, {100_000})]}})
    with pytest.raises(InvalidAnnotation, match="leaves the image"):
        annotations_from({"a": {"f": [(Q, {4})]}}, sizes={"f": (50, 50)})
    for score in (1.5, float("nan"), "high"):
        with pytest.raises(InvalidAnnotation, match=r'"f" by a: score .* lies outside \[0, 1\]'):
            annotations_from({"a": {"f": [{"box": Q, "tokens": {4}, "score": score}]}})
    with pytest.raises(ValueError, match="'paaper' is not a valid Mode"):
        score_figure([], [], mode="paaper")
    assert panels_from([]) == ()


def test_none_in_place_of_subfigures_is_refused_and_never_an_empty_figure() -> None:
    part = (Q, {4})
    for gold, predicted in ((None, [part]), ([part], None), (None, None)):
        with pytest.raises(InvalidAnnotation, match=r"subfigures are None, which has no score; give a list"):
            score_figure(gold, predicted, words=WORDS)  # type: ignore[arg-type]
