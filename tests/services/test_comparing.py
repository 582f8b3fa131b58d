from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation

from agreement.models import comparison as comparison_module
from agreement.primitives.settings import Settings
from agreement.score.subfigure_f1 import Mode
from annotator.campaign.home import Home
from annotator.measurement import compare as comparing
from annotator.measurement.compare import ComparisonOptions, compare_sources
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record, prediction_record

QUICK = Settings(resamples=10)
FIGURES = ("f1", "f2")


def people(path: Path, *names: str, phase: str = "1", figures: tuple[str, ...] = FIGURES) -> Path:
    return written(
        path, [an_annotation(a_figure(each), annotator=name, phase=phase) for name in names for each in figures]
    )


def written(path: Path, work: list[Annotation]) -> Path:
    path.parent.mkdir(exist_ok=True)
    write_lines(path, map(annotation_record, work))
    return path


def models(path: Path, *names: str, scores: tuple[float, ...] = (0.9, 0.4)) -> Path:
    path.parent.mkdir(exist_ok=True)
    made: list[Prediction] = [
        a_prediction(a_figure(each), model_version=name, scores=scores) for name in names for each in FIGURES
    ]
    write_lines(path, map(prediction_record, made))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return people(tmp_path / "gold.jsonl", "gold")


def names_of(gold: Path, *predicted: Path, **options: Any) -> list[str]:
    problems = Problems()
    found = compare_sources(gold, predicted, problems, ComparisonOptions(settings=QUICK, **options))
    assert problems.count == 0
    return [pair.predicted for pair in found.pairs]


def test_the_annotators_and_models_of_all_sources_are_compared(gold: Path, tmp_path: Path) -> None:
    first, second = people(tmp_path / "people.jsonl", "ann1", "ann2"), models(tmp_path / "model.jsonl", "m1")
    assert names_of(gold, first, second) == ["ann1", "ann2", "m1"]
    assert names_of(gold, second, first) == ["ann1", "ann2", "m1"]


def test_the_order_of_the_sources_changes_nothing(gold: Path, tmp_path: Path) -> None:
    first, second = models(tmp_path / "a.jsonl", "m", "n"), models(tmp_path / "b.jsonl", "m")
    one = compare_sources(gold, [first, second], Problems(), ComparisonOptions(settings=QUICK))
    other = compare_sources(gold, [second, first], Problems(), ComparisonOptions(settings=QUICK))
    assert (one.ranking, one.curves) == (other.ranking, other.curves)


def test_a_name_in_two_files_gets_the_file_s_name_added(gold: Path, tmp_path: Path) -> None:
    first, second = models(tmp_path / "mon.jsonl", "m", "other"), models(tmp_path / "tue.jsonl", "m")
    assert names_of(gold, first, second) == ["m (mon)", "m (tue)", "other"]


def test_files_of_one_name_are_told_apart_by_their_paths(gold: Path, tmp_path: Path) -> None:
    first, second = models(tmp_path / "a" / "m.jsonl", "m"), models(tmp_path / "b" / "m.jsonl", "m")
    assert names_of(gold, first, second) == [f"m ({first})", f"m ({second})"]


def test_a_name_that_is_already_what_another_would_become_is_refused(gold: Path, tmp_path: Path) -> None:
    first, second = models(tmp_path / "mon.jsonl", "m", "m (tue)"), models(tmp_path / "tue.jsonl", "m")
    with pytest.raises(AnnotatorError, match=r'"m \(tue\)" would name two pieces of work; rename'):
        names_of(gold, first, second)


def test_a_source_given_twice_is_refused_however_it_is_written(gold: Path, tmp_path: Path) -> None:
    file = models(tmp_path / "m.jsonl", "m")
    with pytest.raises(AnnotatorError, match=r"m\.jsonl: given twice as PREDICTED"):
        names_of(gold, file, tmp_path / "." / "x" / ".." / "m.jsonl")


def test_those_chosen_are_taken_from_wherever_they_are(gold: Path, tmp_path: Path) -> None:
    first, second = people(tmp_path / "people.jsonl", "ann1", "ann2"), models(tmp_path / "model.jsonl", "m1", "m2")
    assert names_of(gold, first, second, annotators=["m2", "ann1"]) == ["ann1", "m2"]
    with pytest.raises(AnnotatorError, match=r'model\.jsonl: has no annotator "m3"; choose one of ann1, ann2, m1'):
        names_of(gold, first, second, annotators=["ann1", "m3"])
    empty = compare_sources(
        gold, [written(tmp_path / "empty.jsonl", [])], Problems(), ComparisonOptions(annotators=["anyone"])
    )
    assert (empty.pairs, empty.reason) == ((), "nothing to compare with it")


def test_the_phase_is_taken_from_each_source_and_predictions_beside_it(gold: Path, tmp_path: Path) -> None:
    both = written(
        tmp_path / "people.jsonl",
        [an_annotation(a_figure(each), annotator="ann1", phase=phase) for each in FIGURES for phase in "12"],
    )
    model = models(tmp_path / "model.jsonl", "m1")
    with pytest.raises(AnnotatorError, match=r"people\.jsonl: holds phases 1, 2; choose one with --phase"):
        names_of(gold, both, model)
    assert names_of(gold, both, model, phase="2") == ["ann1", "m1"]
    with pytest.raises(AnnotatorError, match=r'people\.jsonl: has no phase "3"; choose one of 1, 2 with --phase'):
        names_of(gold, both, model, phase="3")
    with pytest.raises(AnnotatorError, match=r'model\.jsonl: has no phase "2"; choose prediction with --phase'):
        names_of(gold, model, phase="2")


def test_each_source_may_be_of_another_phase(gold: Path, tmp_path: Path) -> None:
    first, second = people(tmp_path / "one.jsonl", "ann1"), people(tmp_path / "two.jsonl", "ann1", phase="2")
    assert names_of(gold, first, second) == ["ann1 (one)", "ann1 (two)"]


def test_a_home_is_one_source_among_others(gold: Path, home: Home, store: Store, tmp_path: Path) -> None:
    figure = a_figure("f1")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, annotator="ann1"))
    file = people(tmp_path / "people.jsonl", "ann1")
    title = home.path.resolve().stem
    assert names_of(gold, home.path, file) == [f"ann1 ({title})", "ann1 (people)"]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_model_s_scores_come_through_in_both_modes(gold: Path, tmp_path: Path, mode: Mode) -> None:
    model = models(tmp_path / "model.jsonl", "m", scores=(0.9, 0.4))
    found = compare_sources(gold, [model], Problems(), ComparisonOptions(settings=replace(QUICK, mode=mode)))
    (curves,) = found.curves
    assert [point.threshold for point in curves.confidence.points] == [0.4, 0.9]
    assert curves.precision.ap == pytest.approx(1)


def test_a_raw_box_without_area_keeps_its_score(gold: Path, tmp_path: Path) -> None:
    records = [prediction_record(a_prediction(a_figure(name), scores=(0.9, 0.4))) for name in FIGURES]
    records[0]["subfigures"][1]["box"] = [400, 0, 400, 600]
    write_lines(tmp_path / "model.jsonl", records)
    found = compare_sources(
        gold,
        [tmp_path / "model.jsonl"],
        Problems(),
        ComparisonOptions(settings=replace(QUICK, mode=Mode.OFFICIAL)),
    )
    (curves,) = found.curves
    assert [(point.threshold, point.boxes) for point in curves.confidence.points] == [(0.4, 4), (0.9, 2)]
    assert curves.precision.predicted == 4


def test_people_s_work_carries_no_scores(gold: Path, tmp_path: Path) -> None:
    found = compare_sources(
        gold, [people(tmp_path / "people.jsonl", "ann1")], Problems(), ComparisonOptions(settings=QUICK)
    )
    assert found.curves[0].precision.reason == "it carries no scores"


def test_very_much_gold_has_no_curves_unless_asked_for(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = models(tmp_path / "model.jsonl", "m")
    assert comparing.MAX_CURVE_FIGURES == comparison_module.MAX_CURVE_FIGURES
    monkeypatch.setattr(comparing, "MAX_CURVE_FIGURES", 1)
    assert compare_sources(gold, [model], Problems(), ComparisonOptions(settings=QUICK)).curves == ()
    assert (
        len(compare_sources(gold, [model], Problems(), ComparisonOptions(settings=QUICK, curves=True)).curves) == 1
    )
    monkeypatch.undo()
    assert compare_sources(gold, [model], Problems(), ComparisonOptions(settings=QUICK, curves=False)).curves == ()


def test_figures_of_another_caption_are_told_for_each_source(gold: Path, tmp_path: Path) -> None:
    other = replace(a_figure("f1", caption="one two three"), revision=2)
    work = an_annotation(other, annotator="ann1", subfigures=(a_subfigure(tokens=(0,)),))
    file = written(tmp_path / "people.jsonl", [work, an_annotation(a_figure("f2"), annotator="ann1")])
    told: list[str] = []
    found = compare_sources(
        gold,
        [file, models(tmp_path / "m.jsonl", "m")],
        Problems(),
        ComparisonOptions(settings=QUICK),
        warn=told.append,
    )
    assert told == ["left out 1 annotation on another caption or image than the gold's: f1"]
    assert [row.figures for row in found.ranking.rows] == [1, 2]
