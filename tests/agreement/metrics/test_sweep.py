from __future__ import annotations

from dataclasses import replace

import agreement_reference as reference
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st
from rich_work import rich_work

from agreement.columns.corpus import Corpus
from agreement.columns.raw import RawAnnotation
from agreement.columns.scored import ScoredAnnotation, joined_scores, scores_of
from agreement.models import sweep
from agreement.models.sweep import SWEPT_IOUS, confidence_sweep, iaa_sweep, iou_sweep
from agreement.pairs.pairwise import compare, detailed, latest, mean_of_pairs, pair_scores
from agreement.score.detection import IOU_THRESHOLDS
from agreement.score.subfigure_f1 import Common, Mode, Panel
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.errors import InvalidAnnotation

modes = st.sampled_from(Mode)
commons = st.sampled_from(Common)


def both(annotations: list[Annotation]) -> tuple[list[Annotation], list[Annotation]]:
    """What ann1 and ann2 both accepted, on one content."""
    ours, theirs = (
        {each.figure.id: each for each in annotations if each.annotator == name and each.status is Status.ACCEPTED}
        for name in ("ann1", "ann2")
    )
    shared = [name for name in sorted(ours.keys() & theirs.keys()) if ours[name].figure == theirs[name].figure]
    return [ours[name] for name in shared], [theirs[name] for name in shared]


def scored(work: Annotation, *scores: float) -> ScoredAnnotation:
    return ScoredAnnotation(
        work.figure, work.annotator, work.phase, work.status, work.subfigures, work.saved_at, scores=scores
    )


def test_the_thresholds_are_those_of_coco_and_lower_ones() -> None:
    assert SWEPT_IOUS[:3] == (0.1, 0.15, 0.2)
    assert SWEPT_IOUS[8:] == IOU_THRESHOLDS
    assert len(set(SWEPT_IOUS)) == 18


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, modes, commons)
def test_at_each_threshold_the_sweep_is_the_score_at_that_threshold(
    annotations: list[Annotation], mode: Mode, common: Common
) -> None:
    gold, predicted = both(annotations)
    for point in iou_sweep(gold, predicted, mode=mode, common=common):
        for pair in compare(gold, predicted, min_iou=point.min_iou, mode=mode, common=common):
            assert (point.score, point.counted) == (pytest.approx(pair.score), pair.counted)


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, modes, commons)
def test_the_sweep_equals_the_plain_loop(annotations: list[Annotation], mode: Mode, common: Common) -> None:
    gold, predicted = both(annotations)
    for point in iou_sweep(gold, predicted, mode=mode, common=common)[::4]:
        plain = reference.pair_means(
            [*gold, *predicted], official=mode is Mode.OFFICIAL, common=common, min_iou=point.min_iou
        )
        assert point.score == pytest.approx(plain.get(("ann1", "ann2")))


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, modes)
def test_asking_for_more_overlap_never_raises_the_score(annotations: list[Annotation], mode: Mode) -> None:
    gold, predicted = both(annotations)
    scores = [point.score for point in iou_sweep(gold, predicted, mode=mode, common=Common.NONE)]
    known = [score for score in scores if score is not None]
    assert known == sorted(known, reverse=True)
    assert len(known) in (0, len(scores))


def test_of_no_figure_there_is_no_score_in_either_mode() -> None:
    for mode in Mode:
        assert {point.score for point in iou_sweep([], [], mode=mode, common=Common.NONE)} == {None}


scores_drawn = st.lists(st.sampled_from([0.1, 0.2, 0.5, 0.9]), min_size=4, max_size=4)


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, st.lists(scores_drawn, min_size=3, max_size=3), modes, commons)
def test_each_confidence_is_the_score_of_what_is_kept(
    annotations: list[Annotation], drawn: list[list[float]], mode: Mode, common: Common
) -> None:
    gold, predicted = both(annotations)
    models = [
        scored(each, *values[: len(each.subfigures)]) for each, values in zip(predicted, drawn, strict=False)
    ]
    found = confidence_sweep(gold, models, min_iou=0.6, mode=mode, common=common)
    assert bool(found.points) != bool(found.reason)
    for point in found.points:
        kept = [
            replace(
                plain,
                subfigures=tuple(
                    part
                    for part, score in zip(each.subfigures, each.scores, strict=True)
                    if score >= point.threshold
                ),
            )
            for plain, each in zip(predicted, models, strict=True)
        ]
        (pair,) = compare(gold, kept, min_iou=0.6, mode=mode, common=common, details=True)
        boxes = detailed(pair).detection
        assert point.score == pytest.approx(pair.score)
        assert point.boxes == sum(len(each.subfigures) for each in kept)
        assert (point.precision, point.recall, point.f1) == (
            *(boxes.precision(0.6), boxes.recall(0.6)),
            boxes.f1(0.6),
        )
    if found.points:
        assert found.points[0].boxes == sum(len(each.subfigures) for each in models)
        assert found.best_f1 is not None
        assert found.best_f1.f1 == max(point.f1 for point in found.points)


def test_a_threshold_that_takes_a_false_box_away_is_the_best() -> None:
    gold = an_annotation(subfigures=(a_subfigure("A", box=(0, 0, 400, 300)),))
    false = a_subfigure("B", box=(400, 300, 800, 600))
    model = scored(replace(gold, annotator="m", subfigures=(*gold.subfigures, false)), 0.8, 0.3)
    found = confidence_sweep([gold], [model], common=Common.NONE)
    assert [(point.threshold, point.boxes, point.precision) for point in found.points] == [
        (0.3, 2, 0.5),
        (0.8, 1, 1),
    ]
    assert found.best_f1 == found.points[1]
    assert found.best_score == found.points[0]


def test_where_nothing_counts_no_threshold_is_the_best_by_score() -> None:
    gold = an_annotation(subfigures=(a_subfigure("A", tokens=()),))
    model = scored(an_annotation(annotator="m"), 0.8, 0.3)
    found = confidence_sweep([gold], [model], common=Common.NONE)
    assert (found.best_score, found.points[0].score) == (None, None)
    assert found.best_f1 is not None


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (an_annotation(annotator="m"), "it carries no scores"),
        (scored(an_annotation(subfigures=())), "it has no box"),
        (scored(an_annotation(), 0.5, 0.5), "every score is 0.5"),
    ],
)
def test_without_scores_that_differ_there_is_a_reason(model: Annotation, reason: str) -> None:
    found = confidence_sweep([an_annotation()], [model], common=Common.NONE)
    assert (found.points, found.best_f1, found.best_score, found.reason) == ((), None, None, reason)


def test_many_scores_are_thinned_from_the_least_to_the_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "MAX_CONFIDENCES", 3)
    works = [an_annotation(a_figure(f"f{n}"), annotator="m") for n in range(4)]
    models = [scored(each, n / 10, n / 10 + 0.05) for n, each in enumerate(works)]
    found = confidence_sweep(works, models, common=Common.NONE)
    thresholds = [point.threshold for point in found.points]
    assert (len(thresholds), thresholds[0], thresholds[-1]) == (3, 0, 0.35)


def test_work_without_scores_and_scores_that_do_not_fit_are_told() -> None:
    work = an_annotation()
    raw = RawAnnotation(work.figure, "m", "1", work.status, (Panel((0, 0, 1, 1), ()),), (), work.saved_at)
    assert scores_of(work) is None
    assert scores_of(raw) is None
    assert scores_of(replace(raw, scores=(0.4,))) == (0.4,)
    assert joined_scores([]) is None
    assert joined_scores([replace(raw, scores=(0.4,)), raw]) is None
    with pytest.raises(InvalidAnnotation, match="1 scores for 2 subfigures"):
        scored(work, 0.5)


def test_the_iaa_at_the_threshold_in_use_is_the_iaa_and_it_never_rises() -> None:
    work = Corpus.of(latest(rich_work())[0])
    for mode in Mode:
        common = Common.default(mode)
        points = {each.min_iou: each for each in iaa_sweep(work, mode=mode, common=common)}
        for min_iou in (0.3, 0.5, 0.9):
            pairs = pair_scores(work, min_iou=min_iou, mode=mode)
            assert points[min_iou].score == pytest.approx(mean_of_pairs(pairs), abs=1e-12)
            assert points[min_iou].counted == sum(pair.counted for pair in pairs)
        scores = [each.score for each in points.values() if each.score is not None]
        assert len(scores) == len(points)
        assert scores == sorted(scores, reverse=True)
    assert iaa_sweep(Corpus.of([]), common=Common.NONE) == ()
