from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from builders import a_decision, a_prediction, an_annotation, annotations
from hypothesis import given

from agreement.columns.raw import panels_of
from agreement.reading.raw_panels import read_raw_annotations, read_raw_medicat, read_raw_predictions
from agreement.score.subfigure_f1 import Panel
from annotator.consensus.gold_rule import from_decision
from panelwise.domain.annotation import Annotation
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.medicat import gold_record

EMPTY = {"label": "Z", "box": [5, 5, 5, 9], "subcaption": [[0, 3]]}


def a_medicat_record(**change: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(gold_record(from_decision(a_decision())))), **change}


@pytest.mark.slow
@given(annotations())
def test_of_what_domain_types_hold_nothing_changes(annotation: Annotation) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "a.jsonl"
        write_lines(file, [annotation_record(annotation)])
        (raw,) = read_raw_annotations(file, Problems())
    assert [(each.box, set(each.tokens), len(each.tokens)) for each in raw.subfigures] == [
        (each.box, set(each.tokens), len(each.tokens)) for each in panels_of(annotation)
    ]
    assert (raw.annotator, raw.phase, raw.status) == (annotation.annotator, annotation.phase, annotation.status)
    assert (raw.saved_at, raw.seeded_by) == (annotation.saved_at, annotation.seeded_by)


def test_boxes_without_area_are_kept_untold_and_tokens_marked_twice_count_once(tmp_path: Path) -> None:
    record = annotation_record(an_annotation())
    twice = {"label": "T", "box": [0, 0, 10, 10], "subcaption": [[0, 5], [0, 3], [16, 17], [17, 18]]}
    write_lines(tmp_path / "a.jsonl", [{**record, "subfigures": [EMPTY, twice]}])
    problems = Problems()
    (raw,) = read_raw_annotations(tmp_path / "a.jsonl", problems)
    caption = raw.figure.caption
    assert [caption.words[token] for token in (0, 1)] == ["Fig", "1"]
    lung = caption.words.index("lung")
    assert raw.subfigures == (Panel((5, 5, 5, 9), (0,)), Panel((0, 0, 10, 10), (0, 1, lung)))
    assert problems.lines == []


def test_a_record_that_the_other_readers_refuse_is_a_problem_here_too(tmp_path: Path) -> None:
    good, bad_box = annotation_record(an_annotation()), {"label": "A", "box": [0, 0, 9999, 10]}
    bad_span = {**EMPTY, "subcaption": [[0, 9999]]}
    write_lines(
        tmp_path / "a.jsonl",
        [{**good, "subfigures": [bad_box]}, {**good, "status": "done"}, {**good, "subfigures": [bad_span]}, good],
    )
    problems = Problems()
    assert len(list(read_raw_annotations(tmp_path / "a.jsonl", problems))) == 1
    assert "leaves the image" in problems.lines[0]
    assert "give accepted, rejected or ignored" in problems.lines[1]
    assert "beyond the caption" in problems.lines[2]
    assert [line.removeprefix(f"{tmp_path / 'a.jsonl'}:")[0] for line in problems.lines] == ["1", "2", "3"]


def test_predictions_are_their_models_work(tmp_path: Path) -> None:
    record = prediction_record(a_prediction())
    write_lines(tmp_path / "p.jsonl", [{**record, "subfigures": [{**EMPTY, "score": 0.5}]}])
    (raw,) = read_raw_predictions(tmp_path / "p.jsonl", Problems())
    assert (raw.annotator, raw.phase) == ("classic-1", "prediction")
    assert raw.subfigures == (Panel((5, 5, 5, 9), (0,)),)


def test_medicats_ids_are_kept_as_listed_and_so_are_its_subcaptions(tmp_path: Path) -> None:
    record = a_medicat_record(subcaptions={"A": [4, 4, 6], "B": None, "C": []})
    record["subfigures"][1]["points"] = [[5, 0], [5, 9]]
    write_lines(tmp_path / "m.jsonl", [record, a_medicat_record(subcaptions={"Z": [999]})])
    problems = Problems()
    (raw,) = read_raw_medicat(tmp_path / "m.jsonl", problems, annotator="me")
    assert raw.subfigures == (Panel((0, 0, 400, 600), (4, 4, 6)), Panel((5, 0, 5, 9), ()))
    assert raw.subcaptions == ((4, 4, 6), ())
    assert (raw.annotator, raw.phase) == ("me", "gold")
    (line,) = problems.lines
    assert 'm.jsonl:2: token 999 of 26 in subcaption "Z"' in line
