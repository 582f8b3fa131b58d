from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from services.measured import QUICK, put, two, written

from agreement.primitives.settings import Settings
from agreement.score.subfigure_f1 import Common, Mode
from annotator.campaign.home import Home
from annotator.measurement.compare import ComparisonOptions, compare_sources
from annotator.measurement.consensus import MergeOptions, merge_sources
from annotator.measurement.report import ReportOptions, measure, measure_sources
from annotator.queue.ranking import refresh_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.medicat import gold_record

OTHER = (a_subfigure(tokens=(13,)),)


def test_a_campaign_of_one_phase_is_measured_without_being_told_which(store: Store) -> None:
    put(store, *two())
    found = measure(store, options=ReportOptions(settings=QUICK))
    assert (found.iaa, found.phase) == (1, "1")


def test_of_several_phases_one_must_be_chosen(store: Store) -> None:
    put(store, *two(), *two("f2", phase="2"))
    with pytest.raises(AnnotatorError, match="holds phases 1, 2; choose one with --phase"):
        measure(store, options=ReportOptions(settings=QUICK))
    assert measure(store, options=ReportOptions(phase="2", settings=QUICK)).counts.figures == 1


def test_an_empty_campaign_has_no_agreement_and_says_so(store: Store) -> None:
    found = measure(store)
    assert (found.iaa, found.reason, found.phase) == (None, "no annotations", None)


def test_files_and_homes_are_taken_together(home: Home, store: Store, tmp_path: Path) -> None:
    put(store, two()[0])
    file = written(tmp_path / "more.jsonl", two()[1])
    problems = Problems()
    found = measure_sources([home.path, file], problems, options=ReportOptions(settings=QUICK))
    assert [person.name for person in found.annotators] == ["ann1", "ann2"]
    assert (found.iaa, problems.count) == (1, 0)


def test_no_source_means_the_campaign_s_home(home: Home, store: Store) -> None:
    put(store, *two())
    assert measure_sources([], Problems(), options=ReportOptions(settings=QUICK), home=home.path).iaa == 1


def test_the_phase_may_be_that_of_a_file_with_several(tmp_path: Path) -> None:
    file = written(tmp_path / "all.jsonl", *two(), *two("f2", phase="2"))
    with pytest.raises(AnnotatorError, match=r"all\.jsonl: holds phases 1, 2"):
        measure_sources([file], Problems())
    assert (
        measure_sources([file], Problems(), options=ReportOptions(phase="1", settings=QUICK)).counts.figures == 1
    )


def test_a_phase_that_no_source_knows_is_refused_with_those_there_are(
    home: Home, store: Store, tmp_path: Path
) -> None:
    file = written(tmp_path / "all.jsonl", *two(), *two("f2", phase="2"))
    with pytest.raises(AnnotatorError, match=r'all\.jsonl: has no phase "9"; choose one of 1, 2 with --phase'):
        measure_sources([file], Problems(), options=ReportOptions(phase="9", settings=QUICK))
    with pytest.raises(AnnotatorError, match='has no phase "9"; choose 1 with --phase'):
        measure_sources([home.path], Problems(), options=ReportOptions(phase="9", settings=QUICK))
    assert (
        measure_sources([home.path], Problems(), options=ReportOptions(phase="1", settings=QUICK)).reason
        == "no annotations"
    )
    (tmp_path / "empty.jsonl").touch()
    assert (
        measure_sources([tmp_path / "empty.jsonl"], Problems(), options=ReportOptions(phase="9")).reason
        == "no annotations"
    )
    put(store, *two())
    with pytest.raises(AnnotatorError, match='has no phase "9"; choose 1 with --phase'):
        measure(store, options=ReportOptions(phase="9", settings=QUICK))


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        ({"phase": "9"}, r'work\.jsonl: has no phase "9"; choose 1 with --phase'),
        (
            {"annotators": ["anne"]},
            r'work\.jsonl: has no annotator "anne"; choose one of ann1, ann2 with --annotator',
        ),
        ({"gold_phase": "9"}, r'gold\.jsonl: has no phase "9"; choose 1 with --gold-phase'),
        ({"gold_annotator": "anne"}, r"gold\.jsonl: .*; choose ann1 with --gold-annotator"),
    ],
)
def test_a_choice_that_a_side_of_a_comparison_does_not_know_is_refused(
    tmp_path: Path, choice: dict[str, Any], complaint: str
) -> None:
    gold, work = written(tmp_path / "gold.jsonl", two()[0]), written(tmp_path / "work.jsonl", *two())
    with pytest.raises(AnnotatorError, match=complaint):
        compare_sources(gold, [work], Problems(), ComparisonOptions(settings=QUICK, **choice))


def test_more_phases_than_fit_a_line_are_counted(tmp_path: Path) -> None:
    file = written(tmp_path / "all.jsonl", *(an_annotation(phase=f"p{n:02}") for n in range(11)))
    with pytest.raises(AnnotatorError, match="p07 and 3 more; choose"):
        measure_sources([file], Problems())


def test_a_folder_that_is_no_home_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no campaign here"):
        measure_sources([tmp_path], Problems())


def test_an_empty_file_has_no_annotations(tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.touch()
    assert measure_sources([file], Problems()).reason == "no annotations"


def test_two_files_of_the_medicat_layout_are_two_annotators(tmp_path: Path) -> None:
    work = an_annotation()
    provenance = Provenance(GoldSource.SINGLE, "", ("ann1",), work.saved_at)
    for name in ("one", "two"):
        gold = Gold(work.figure, Status.ACCEPTED, work.subfigures, provenance)
        write_lines(tmp_path / f"{name}.jsonl", [gold_record(gold)])
    found = measure_sources(
        [tmp_path / "one.jsonl", tmp_path / "two.jsonl"], Problems(), options=ReportOptions(settings=QUICK)
    )
    assert [(pair.gold, pair.predicted, pair.score) for pair in found.pairs] == [
        ("one", "two", 1),
        ("two", "one", 1),
    ]


def test_the_gold_of_a_home_is_what_reviewers_decided(home: Home, store: Store, tmp_path: Path) -> None:
    put(store, an_annotation(annotator="ann1"), an_annotation(a_figure("f2"), annotator="ann1"))
    with store.transaction() as tx:
        tx.decisions.add(a_decision())
        tx.decisions.add(a_decision(a_figure("f2"), status=Status.REJECTED))
    found = compare_sources(home.path, [home.path], Problems(), ComparisonOptions(settings=QUICK))
    assert [(pair.gold, pair.predicted, pair.score) for pair in found.pairs] == [("gold", "ann1", 1)]
    assert found.counted == 2


def test_predictions_are_read_as_a_model_s_work(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.jsonl", an_annotation(annotator="gold"))
    record = prediction_record(a_prediction())
    for key, value in (("phase", "prediction"), ("phase", None), ("phase", "1")):
        path = tmp_path / "predictions.jsonl"
        write_lines(path, [{**record, key: value}])
        problems = Problems()
        found = compare_sources(gold, [path], problems, ComparisonOptions(settings=QUICK))
        assert (found.pairs[0].predicted, found.score, problems.count) == ("classic-1", 1, 0)


def test_an_undated_annotation_is_a_fault_and_no_prediction(tmp_path: Path) -> None:
    record = annotation_record(an_annotation())
    del record["saved_at"]
    write_lines(tmp_path / "undated.jsonl", [{**record, "subfigures": "none"}, annotation_record(two("f2")[0])])
    problems = Problems()
    found = measure_sources([tmp_path / "undated.jsonl"], problems, options=ReportOptions(settings=QUICK))
    assert found.counts.annotations == 1
    assert problems.count == 1
    assert "undated.jsonl:1" in problems.lines[0]


def test_whose_work_is_gold_must_be_chosen_and_the_phase_too(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.jsonl", *two(), *two("f2", phase="2"))
    with pytest.raises(AnnotatorError, match=r"gold\.jsonl: holds phases 1, 2; choose one with --gold-phase"):
        compare_sources(gold, [gold], Problems())
    with pytest.raises(AnnotatorError, match="holds phases 1, 2; choose one with --phase"):
        compare_sources(gold, [gold], Problems(), ComparisonOptions(gold_phase="1"))
    with pytest.raises(AnnotatorError, match="gold by ann1, ann2; choose one with --gold-annotator"):
        compare_sources(gold, [gold], Problems(), ComparisonOptions(gold_phase="1", phase="1"))
    found = compare_sources(
        gold,
        [gold],
        Problems(),
        ComparisonOptions(gold_phase="1", phase="1", gold_annotator="ann1", annotators=["ann2"], settings=QUICK),
    )
    assert [(pair.gold, pair.predicted) for pair in found.pairs] == [("ann1", "ann2")]


def test_a_fault_in_line_1_does_not_make_an_annotations_file_predictions(tmp_path: Path) -> None:
    first, *others = map(annotation_record, (*two(), *two("f2")))
    del first["figure_id"]
    write_lines(tmp_path / "a.jsonl", [first, *others])
    problems = Problems()
    found = measure_sources([tmp_path / "a.jsonl"], problems, options=ReportOptions(settings=QUICK))
    assert (found.phase, found.counts.annotations, found.iaa) == ("1", 3, 1)
    (line,) = problems.lines
    assert line.startswith(f"{tmp_path / 'a.jsonl'}:1: ")
    write_lines(tmp_path / "a.jsonl", [first])
    assert (
        measure_sources([tmp_path / "a.jsonl"], problems, options=ReportOptions(settings=QUICK)).reason
        == "no annotations"
    )
    assert problems.count == 2


@pytest.mark.parametrize("dated", [(0,), (1,), (0, 1)])
def test_a_dated_record_among_predictions_is_a_problem(tmp_path: Path, dated: tuple[int, ...]) -> None:
    records = [prediction_record(a_prediction(a_figure(f"f{n}"))) for n in range(2)]
    for n in dated:
        records[n]["saved_at"] = "2026-11-21T10:00:00Z"
    write_lines(tmp_path / "p.jsonl", records)
    problems = Problems()
    found = measure_sources([tmp_path / "p.jsonl"], problems, options=ReportOptions(settings=QUICK))
    assert found.counts.annotations == 2 - len(dated)
    assert [line.split(" ")[0] for line in problems.lines] == [f"{tmp_path / 'p.jsonl'}:{n + 1}:" for n in dated]


# ---- official-code ------------------------------------------------------------------------------

OFFICIAL = Settings(mode=Mode.OFFICIAL, common=Common.NONE, resamples=10)


def medicat(path: Path, **change: Any) -> Path:
    work = an_annotation()
    provenance = Provenance(GoldSource.SINGLE, "", ("ann1",), work.saved_at)
    record = gold_record(Gold(work.figure, Status.ACCEPTED, work.subfigures, provenance))
    write_lines(path, [{**record, **change}])
    return path


def test_official_code_counts_a_box_without_area(tmp_path: Path) -> None:
    good, empty = annotation_record(an_annotation())["subfigures"]
    record = annotation_record(an_annotation(annotator="gold"))
    write_lines(tmp_path / "gold.jsonl", [{**record, "subfigures": [good, {**empty, "box": [400, 0, 400, 600]}]}])
    points = [{"label": "A", "points": [[0, 0], [400, 600]]}, {"label": "B", "points": [[400, 0], [400, 600]]}]
    medicat(tmp_path / "medicat.jsonl", subfigures=points)
    predictions = tmp_path / "p.jsonl"
    write_lines(predictions, [prediction_record(a_prediction())])
    for name in ("gold", "medicat"):
        for settings in (OFFICIAL, replace(OFFICIAL, common=None)):
            problems = Problems()
            found = compare_sources(
                tmp_path / f"{name}.jsonl", [predictions], problems, ComparisonOptions(settings=settings)
            )
            assert (found.score, found.counted, problems.count) == (0.5, 2, 0)
        found = compare_sources(
            tmp_path / f"{name}.jsonl", [predictions], problems, ComparisonOptions(settings=QUICK)
        )
        assert (found.score, found.counted, problems.count) == (1, 1, 1)


def test_official_code_counts_a_token_as_often_as_it_is_listed(tmp_path: Path) -> None:
    gold = medicat(tmp_path / "gold.jsonl", subcaptions={"A": [0, 0, 1]})
    other = medicat(tmp_path / "other.jsonl", subcaptions={"A": [0, 1]})
    assert compare_sources(gold, [other], Problems(), ComparisonOptions(settings=OFFICIAL)).score == pytest.approx(
        0.8
    )
    assert compare_sources(gold, [other], Problems(), ComparisonOptions(settings=QUICK)).score == 1
    found = measure_sources([gold, other], Problems(), options=ReportOptions(settings=OFFICIAL))
    assert [pair.score for pair in found.pairs] == pytest.approx([0.8, 0.8])


def test_official_code_takes_an_empty_list_for_a_subcaption(tmp_path: Path) -> None:
    """Then no token is in all of them; of the one subcaption that is left otherwise every token would be."""
    settings = replace(OFFICIAL, common=None)
    other = medicat(tmp_path / "other.jsonl")
    alone = medicat(tmp_path / "alone.jsonl", subcaptions={"A": [4, 6, 7]})
    assert compare_sources(alone, [other], Problems(), ComparisonOptions(settings=settings)).counted == 0
    beside = medicat(tmp_path / "beside.jsonl", subcaptions={"A": [4, 6, 7], "B": []})
    assert compare_sources(beside, [other], Problems(), ComparisonOptions(settings=settings)).score == 1


def test_of_a_home_official_code_says_that_its_values_are_not_raw(home: Home, store: Store) -> None:
    put(store, *two())
    told: list[str] = []
    assert (
        measure_sources([home.path], Problems(), options=ReportOptions(settings=OFFICIAL), warn=told.append).iaa
        == 1
    )
    (line,) = told
    assert line.startswith(f"{home.path}: a campaign keeps no zero-area box and no repeated token id")
    assert measure_sources([home.path], Problems(), options=ReportOptions(settings=OFFICIAL)).iaa == 1
    measure_sources([home.path], Problems(), options=ReportOptions(settings=QUICK), warn=told.append)
    assert len(told) == 1


# ---- the queue ----------------------------------------------------------------------------------


def test_the_queue_puts_the_worst_disagreement_first(store: Store) -> None:
    agreed, differing, split = two("agreed"), two("differing"), two("split")
    differing[1] = replace(differing[1], subfigures=(*OTHER, agreed[0].subfigures[1]))
    split[1] = replace(split[1], status=Status.REJECTED)
    put(store, *agreed, *differing, *split)
    refresh_disagreement(store)
    with store.read() as tx:
        assert [(entry.figure_id, entry.annotators) for entry in tx.queue.page()] == [
            ("split", 2),
            ("differing", 2),
            ("agreed", 2),
        ]
        assert [entry.agreement for entry in tx.queue.page()] == [0, 0.5, 1]


def test_refreshing_twice_changes_nothing(store: Store) -> None:
    put(store, *two())
    refresh_disagreement(store)
    with store.read() as tx:
        before = tx.queue.page()
    refresh_disagreement(store)
    with store.read() as tx:
        assert tx.queue.page() == before


def test_only_the_figures_of_the_phase_named_are_scored_again(store: Store) -> None:
    put(store, *two("f1"), *two("f2", phase="2"))
    refresh_disagreement(store, phase="2")
    with store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f2"]


def test_figures_of_human_evaluation_alone_stay_out_of_the_queue(store: Store) -> None:
    put(store, *two("f1"), *two("f2", phase="human"))
    campaign = Campaign("c", (Phase("1"), Phase("human", TaskType.HUMAN_EVAL)), ("A",))
    refresh_disagreement(store, campaign=campaign)
    with store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f1"]


def test_a_file_of_another_layout_is_refused_in_a_line(tmp_path: Path) -> None:
    write_lines(tmp_path / "f.jsonl", [{"figure_id": "f1", "image": "f.png", "caption": "Fig. 1"}] * 3)
    with pytest.raises(FormatError, match="no record has subfigures; give MedICaT's annotations"):
        measure_sources([tmp_path / "f.jsonl"], Problems(), options=ReportOptions(settings=QUICK))


def test_one_persons_work_that_differs_between_files_is_named_and_the_first_counts(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.jsonl", *two())
    again = written(tmp_path / "b.jsonl", replace(two()[0], subfigures=OTHER))
    for sources, lines in (([whole, whole], 0), ([whole, again], 1)):
        problems = Problems()
        found = measure_sources(sources, problems, options=ReportOptions(settings=QUICK))
        assert (found.iaa, problems.count) == (1, lines)
        problems = Problems()
        merged = merge_sources(sources, problems, options=MergeOptions(quorum=2))
        assert ([len(each["subfigures"]) for each in merged.records()], problems.count) == ([2], lines)
    assert 'figure "f1" by "ann1" in phase "1" differs between the sources' in problems.lines[0]
