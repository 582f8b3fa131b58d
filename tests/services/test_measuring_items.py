"""Figure types, verdicts and answers of a campaign or of files, as a report finds them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from services.measured import QUICK, put

from annotator.campaign.home import Home
from annotator.measurement.answers import compare_answer_files
from annotator.measurement.items import AnswerSources
from annotator.measurement.report import ReportOptions, measure, measure_sources
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record
from panelwise.formats.scivqa import pair_record

PAIR = QAItem("p1", "How high?", QAKind.INFINITE_VISUAL, (), "20")
EDITED = replace(PAIR, answer="21")
FIGURE = a_figure(extra={"qa": [pair_record(PAIR)]})


def judged(annotator: str = "ann1", *, edited: QAItem | None = None, phase: str = "qa") -> Annotation:
    verdict = QAVerdict("p1", Verdict.CORRECT if edited is None else Verdict.INCORRECT, edited)
    return an_annotation(FIGURE, annotator=annotator, phase=phase, subfigures=(), items=Items(verdicts=(verdict,)))


def answered(answer: str | None = "21", annotator: str = "ann9", figure=FIGURE) -> Annotation:
    items = Items(answers=(HumanAnswer("p1", answer),))
    return an_annotation(figure, annotator=annotator, phase="human", subfigures=(), items=items)


def exact(found) -> float | None:
    return next(each.exact for each in found.items.answers.scores if each.annotator is each.kind is None)


def test_types_of_pairs_come_from_the_campaigns_figures(store: Store) -> None:
    put(store, judged("ann1"), judged("ann2", edited=EDITED))
    items = measure(store, options=ReportOptions(phase="qa", settings=QUICK)).items
    assert items is not None
    assert [kind for kind, _ in items.verdicts] == [QAKind.INFINITE_VISUAL, None]
    assert (items.edits[0].kind, items.edits[0].incorrect, items.edits[0].answer) == (QAKind.INFINITE_VISUAL, 1, 1)


def test_work_without_items_has_none(store: Store) -> None:
    put(store, an_annotation(FIGURE))
    assert measure(store, options=ReportOptions(settings=QUICK)).items is None


def test_answers_are_held_against_pairs_as_they_came_where_nobody_settled_them(store: Store) -> None:
    put(store, answered("20"), answered("21", "ann8"))
    assert exact(measure(store, options=ReportOptions(phase="human", settings=QUICK))) == 0.5


@pytest.mark.parametrize(
    ("others", "right"),
    [
        ([judged(edited=EDITED)], "21"),
        ([judged("ann1", edited=EDITED), judged("ann2", edited=EDITED)], "21"),
        ([judged("ann1", edited=EDITED), judged("ann2")], "20"),
        ([replace(judged(edited=EDITED), status=Status.REJECTED)], "20"),
        (
            [
                judged(edited=replace(PAIR, answer="22")),
                replace(judged(edited=EDITED), saved_at=NOON.replace(hour=14)),
            ],
            "21",
        ),
    ],
)
def test_what_all_validators_edited_alike_is_the_gold(
    store: Store, tmp_path: Path, others: list[Annotation], right: str
) -> None:
    put(store, *others, answered(right))
    assert exact(measure(store, options=ReportOptions(phase="human", settings=QUICK))) == 1
    bare = (replace(each, figure=a_figure()) for each in (*others, answered(right)))
    write_lines(tmp_path / "work.jsonl", map(annotation_record, bare))
    write_lines(tmp_path / "qa.jsonl", [{"figure_id": "f1", **pair_record(PAIR)}])
    files = {"sources": [tmp_path / "work.jsonl"], "pairs": [tmp_path / "qa.jsonl"]}
    assert (
        exact(measure_sources(options=ReportOptions(phase="human", settings=QUICK), **files, problems=Problems()))
        == 1
    )


@pytest.mark.parametrize(
    ("verdict", "status", "right"),
    [
        (QAVerdict("p1", Verdict.INCORRECT, replace(PAIR, answer="23")), Status.ACCEPTED, "23"),
        (QAVerdict("p1", Verdict.CORRECT), Status.ACCEPTED, "20"),
        (QAVerdict("p1", Verdict.INCORRECT, replace(PAIR, answer="23")), Status.REJECTED, "20"),
        (QAVerdict("p7", Verdict.CORRECT), Status.ACCEPTED, "20"),
    ],
)
def test_what_reviewers_settled_is_the_gold_before_all(
    home: Home, store: Store, verdict: QAVerdict, status: Status, right: str
) -> None:
    put(store, judged(edited=EDITED), answered(right))
    with store.transaction() as tx:
        tx.decisions.add(a_decision(FIGURE, status=status, subfigures=(), items=Items(verdicts=(verdict,))))
    assert exact(measure(store, options=ReportOptions(phase="human", settings=QUICK))) == 1
    assert (
        exact(measure_sources([home.path], Problems(), options=ReportOptions(phase="human", settings=QUICK))) == 1
    )


def test_a_later_annotation_counts_and_the_earlier_does_not(tmp_path: Path) -> None:
    bare = a_figure()
    late = replace(answered("20", figure=bare), saved_at=NOON.replace(hour=15))
    write_lines(tmp_path / "work.jsonl", map(annotation_record, [answered("9", figure=bare), late]))
    write_lines(tmp_path / "qa.jsonl", [{"figure_id": "f1", **pair_record(PAIR)}])
    found = measure_sources(
        [tmp_path / "work.jsonl"], Problems(), options=ReportOptions(settings=QUICK), pairs=[tmp_path / "qa.jsonl"]
    )
    assert exact(found) == 1
    unknown = measure_sources([tmp_path / "work.jsonl"], Problems(), options=ReportOptions(settings=QUICK)).items
    assert unknown is not None
    assert unknown.answers is not None
    assert unknown.answers.without_gold == 1


def test_tables_of_answers_and_pairs_with_answers_are_taken_together(tmp_path: Path) -> None:
    write_lines(tmp_path / "qa.jsonl", [{"figure_id": "f1", **pair_record(PAIR), "human_prediction": "20"}])
    (tmp_path / "ann7.csv").write_text("instance_id,answer_pred\np1,7\n")
    problems = Problems()
    found = measure_sources(
        [tmp_path / "ann7.csv", tmp_path / "qa.jsonl"], problems, options=ReportOptions(settings=QUICK)
    )
    assert [(each.annotator, each.kind, each.exact) for each in found.items.answers.scores] == [
        (None, QAKind.INFINITE_VISUAL, 0.5),
        (None, None, 0.5),
        ("ann7", QAKind.INFINITE_VISUAL, 0.0),
        ("ann7", None, 0.0),
        ("human", QAKind.INFINITE_VISUAL, 1.0),
        ("human", None, 1.0),
    ]
    assert problems.count == 0


def test_pairs_that_nobody_answered_serve_tables_as_well(tmp_path: Path) -> None:
    write_lines(tmp_path / "qa.jsonl", [{"figure_id": "f1", **pair_record(PAIR)}])
    (tmp_path / "ann7.csv").write_text("instance_id,answer_pred\np1,20\n")
    assert (
        exact(
            measure_sources(
                [tmp_path / "ann7.csv", tmp_path / "qa.jsonl"], Problems(), options=ReportOptions(settings=QUICK)
            )
        )
        == 1
    )


def test_answers_and_annotations_are_measured_side_by_side(tmp_path: Path) -> None:
    write_lines(tmp_path / "qa.jsonl", [{"figure_id": "f1", **pair_record(PAIR), "human_prediction": "20"}])
    bare = replace(answered("21", figure=a_figure()), phase="human-eval")
    write_lines(tmp_path / "work.jsonl", [annotation_record(bare)])
    found = measure_sources(
        [tmp_path / "work.jsonl", tmp_path / "qa.jsonl"], Problems(), options=ReportOptions(settings=QUICK)
    )
    assert exact(found) == 0.5


def test_a_table_without_its_pairs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ann7.csv").write_text("instance_id,answer_pred\np1,7\n")
    with pytest.raises(AnnotatorError, match="name the file of the pairs with --pairs"):
        measure_sources([tmp_path / "ann7.csv"], Problems(), options=ReportOptions(settings=QUICK))
    with pytest.raises(AnnotatorError, match="no such file; name a file of pairs"):
        measure_sources(
            [tmp_path / "ann7.csv"],
            Problems(),
            options=ReportOptions(settings=QUICK),
            pairs=[tmp_path / "none.jsonl"],
        )


def test_answers_of_which_none_can_be_read_are_named_beside_a_table_too(tmp_path: Path) -> None:
    keys = {"qa_pair_type": "unanswerable", "question": "Why?", "answer": "So."}
    pairs = [{"figure_id": "f1", "instance_id": f"q{number}", **keys} for number in range(2)]
    write_lines(tmp_path / "pairs.jsonl", pairs)
    write_lines(tmp_path / "ben.jsonl", [{**pair, "human_prediction": ["So."]} for pair in pairs])
    write_lines(tmp_path / "filled.jsonl", [{**pair, "human_prediction": None} for pair in pairs])
    (tmp_path / "ann.csv").write_text("instance_id,answer_pred\nq0,So.\nq1,No.\n")
    problems = Problems()
    files = [tmp_path / name for name in ("ann.csv", "ben.jsonl", "filled.jsonl")]
    found = AnswerSources(files, [tmp_path / "pairs.jsonl"], problems)
    assert [(work.annotator, len(work.items.answers)) for work in found.work()] == [("ann", 2)]
    assert problems.lines == [
        f'{tmp_path / "ben.jsonl"}:{line}: "human_prediction" holds a list, not a text; left this answer out'
        for line in (1, 2)
    ]


def test_what_cannot_be_read_of_each_system_is_named_and_the_questions_faults_once(tmp_path: Path) -> None:
    keys = {"figure_id": "f1", "question": "Why?", "answer": "So."}
    pairs = [{**keys, "instance_id": f"q{number}", "qa_pair_type": "unanswerable"} for number in range(2)]
    write_lines(tmp_path / "gold.jsonl", [*pairs, {**keys, "instance_id": "q2", "qa_pair_type": "riddle"}])
    whole = "instance_id,answer_pred\nq0,So.\n"
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.csv").write_text(f"{whole}q1,So.{',x' if name != 'one' else ''}\n")
    problems = Problems()
    systems = [tmp_path / f"{name}.csv" for name in ("one", "two", "three")]
    compare_answer_files(tmp_path / "gold.jsonl", systems, problems, resamples=0)
    assert [line.partition(": ")[0] for line in problems.lines] == [
        f"{tmp_path / 'gold.jsonl'}:3",
        f"{tmp_path / 'two.csv'}:3",
        f"{tmp_path / 'three.csv'}:3",
    ]
