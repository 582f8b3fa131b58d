from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from builders import a_figure, a_prediction, an_annotation, annotations
from hypothesis import given

from panelwise.domain.annotation import Annotation
from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import (
    annotation_record,
    prediction_record,
    read_annotations,
    read_predictions,
    rebased,
    rebased_prediction,
)

GOOD = annotation_record(an_annotation())


def bare(figure: Figure) -> Figure:
    """What of a figure the annotations layout carries."""
    return Figure(figure.id, "", figure.width, figure.height, figure.caption)


@pytest.mark.slow
@given(annotations())
def test_an_annotation_reads_back_equal(annotation: Annotation) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "a.jsonl"
        write_lines(file, [annotation_record(annotation)])
        problems = Problems()
        assert list(read_annotations(file, problems)) == [replace(annotation, figure=bare(annotation.figure))]
        assert problems.count == 0


def test_a_prediction_reads_back_equal_with_its_scores(tmp_path: Path) -> None:
    prediction = a_prediction(scores=[0.25, 1.0])
    write_lines(tmp_path / "p.jsonl", [prediction_record(prediction)])
    assert list(read_predictions(tmp_path / "p.jsonl", Problems())) == [
        replace(prediction, figure=bare(prediction.figure))
    ]


def test_the_layouts_own_example_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"figure_id": "f1", "annotator": "ann1", "phase": 1, "status": "accepted", "width": 800, '
        '"height": 600, "caption": "Fig 1: (a) left lung. (b) right lung", '
        '"subfigures": [{"label": "a", "box": [0, 0, 400, 600], '
        '"subcaption": [[7, 10], [16, 20]]}], "saved_at": "2026-11-21T11:00:00+01:00"}\n'
    )
    (annotation,) = read_annotations(file, Problems())
    assert annotation.phase == "1"
    assert annotation.saved_at.isoformat() == "2026-11-21T10:00:00+00:00"
    words = annotation.figure.caption.words
    assert [words[i] for i in sorted(annotation.subfigures[0].subcaption)] == ["(", "a", ")", "lung"]


def test_annotations_of_one_figure_share_it(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [GOOD, {**GOOD, "annotator": "ann2"}])
    first, second = read_annotations(tmp_path / "a.jsonl", Problems())
    assert first.figure is second.figure


BOX = {"label": "A", "box": [0, 0, 10, 10], "subcaption": []}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"figure_id": None}, '"figure_id" is missing'),
        ({"annotator": ""}, '"annotator" is empty'),
        ({"phase": ""}, '"phase" is empty'),
        ({"status": "done"}, "give accepted, rejected or ignored"),
        ({"width": None}, '"width" is missing'),
        ({"height": -3}, "not a whole number from 1 up"),
        ({"caption": "short"}, "beyond the caption"),
        ({"tokens": [[0, 3], [2, 5]]}, "before token 0 ends"),
        ({"tokens": [[3, 3]]}, "empty or inverted"),
        ({"subfigures": None}, '"subfigures" is missing'),
        ({"subfigures": [{**BOX, "label": ""}]}, r'"subfigures\[0\].label" is empty'),
        ({"subfigures": [{**BOX, "box": [0, 0, 10]}]}, "not a list of 4 numbers"),
        ({"subfigures": [{**BOX, "box": [0, 0, 9999, 10]}]}, "leaves the image"),
        ({"subfigures": [{**BOX, "subcaption": [[0, 9999]]}]}, 'subfigure "A": span .* beyond the caption'),
        ({"subfigures": [{**BOX, "subcaption": [[5, 5]]}]}, "empty or inverted"),
        ({"subfigures": [{**BOX, "subcaption": [5]}]}, "not a pair"),
        ({"saved_at": ""}, '"saved_at" is empty'),
        ({"saved_at": "yesterday"}, "not a time"),
        ({"saved_at": "2026-11-21T10:00:00"}, "without a zone"),
        ({"saved_at": "0001-01-01T00:00:00+23:00"}, "beyond the calendar"),
        ({"verdicts": [{"instance_id": "q", "verdict": "maybe"}]}, "give Correct or Incorrect.Edit"),
        ({"kind": {"compound": "perhaps"}}, '"kind.compound" is neither'),
        ({"kind": {"count": 1.5}}, '"kind.count" holds 1.5'),
        (
            {"verdicts": [{"instance_id": "q", "verdict": "Correct", "edited": {"qa_pair_type": "x"}}]},
            "none of the seven types",
        ),
    ],
)
def test_a_bad_record_is_named_and_the_rest_is_read(
    tmp_path: Path, change: dict[str, object], complaint: str
) -> None:
    file = tmp_path / "a.jsonl"
    write_lines(file, [GOOD, {**GOOD, **change}, {**GOOD, "annotator": "ann3"}])
    problems = Problems()
    assert [each.annotator for each in read_annotations(file, problems)] == ["ann1", "ann3"]
    (line,) = problems.lines
    assert line.startswith(f"{file}:2: ")
    assert re.search(complaint, line)


def test_a_box_of_zero_area_costs_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    write_lines(file, [{**GOOD, "subfigures": [*GOOD["subfigures"], {**BOX, "label": "Z", "box": [5, 5, 5, 9]}]}])
    problems = Problems()
    (annotation,) = read_annotations(file, problems)
    assert [each.label for each in annotation.subfigures] == ["A", "B"]
    assert problems.lines == [
        f'{file}:1: "subfigures[2].box" of subfigure "Z" has zero area; left this subfigure out'
    ]


def test_bad_predictions_are_named(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    record = prediction_record(a_prediction())
    out_of_range = json.loads(json.dumps(record))
    out_of_range["subfigures"][0]["score"] = 3
    write_lines(file, [record, out_of_range, {**record, "annotator": None}])
    problems = Problems()
    whole, rest = read_predictions(file, problems)
    assert (len(whole.subfigures), len(rest.subfigures)) == (2, 1)
    assert "outside [0, 1]" in problems.lines[0]
    assert '"annotator" is missing' in problems.lines[1]


def test_people_s_annotations_are_no_predictions(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    record = prediction_record(a_prediction())
    undated = {key: value for key, value in GOOD.items() if key != "saved_at"}
    half = json.loads(json.dumps(record))
    half["subfigures"][1]["score"] = None
    write_lines(
        file, [GOOD, undated, half, {**record, "saved_at": GOOD["saved_at"]}, record, {**record, "saved_at": None}]
    )
    problems = Problems()
    assert len(list(read_predictions(file, problems))) == 2
    assert [line.split(" ")[0] for line in problems.lines] == [f"{file}:{number}:" for number in (1, 2, 3, 4)]
    dated, unscored, partly, dated_too = problems.lines
    assert '"saved_at" is of people\'s annotations' in dated
    assert '"saved_at" is of people\'s annotations' in dated_too
    assert '"subfigures" lack a score' in unscored
    assert '"subfigures" lack a score' in partly


def test_rebasing_follows_the_stores_tokens_by_their_spans() -> None:
    annotation = an_annotation()
    words = tuple(
        token
        for token in annotation.figure.caption.tokens
        if annotation.figure.caption.text[token.start].isalnum()
    )
    stored = replace(a_figure(), caption=Caption(annotation.figure.caption.text, words))
    moved = rebased(annotation, stored)
    assert moved.figure is stored
    spans = annotation.figure.caption.spans_of(annotation.subfigures[0].subcaption)
    assert moved.subfigures[0].subcaption == stored.caption.tokens_in(spans)
    assert rebased_prediction(a_prediction(annotation.figure), stored).subfigures == moved.subfigures


@pytest.mark.parametrize(
    ("stored", "complaint"),
    [
        (a_figure(caption="Another"), "caption differs"),
        (a_figure(width=801), "800 x 600 pixels, the stored one has 801"),
    ],
)
def test_an_annotation_of_another_caption_or_size_is_refused(stored: Figure, complaint: str) -> None:
    with pytest.raises(InvalidAnnotation, match=complaint):
        rebased(an_annotation(), stored)


def test_rebasing_onto_equal_tokens_changes_nothing() -> None:
    annotation = an_annotation()
    assert rebased(annotation, a_figure(caption=annotation.figure.caption.text)) == annotation
    assert Span(0, 3) in annotation.figure.caption.tokens


def test_the_real_annotations_are_read_without_a_problem(shared_data: Path) -> None:
    problems = Problems()
    for name, count in (("annotations", 57), ("gold_annotations", 32)):
        assert len(list(read_annotations(shared_data / f"{name}.jsonl", problems))) == count
    assert problems.lines == []


@pytest.mark.parametrize(
    ("phase", "name"), [(1.0, "1"), (0, "0"), (0.0, "0"), (12, "12"), ("1.0", "1.0"), ("01", "01")]
)
def test_a_phase_that_is_a_whole_number_in_any_form_is_its_name(tmp_path: Path, phase: object, name: str) -> None:
    write_lines(tmp_path / "a.jsonl", [{"figure_id": "f", "annotator": "a", "phase": phase, "subfigures": []}])
    problems = Problems()
    assert [each.phase for each in read_annotations(tmp_path / "a.jsonl", problems)] == [name]
    assert problems.lines == []


@pytest.mark.parametrize("phase", [1.5, True, ["1"]])
def test_a_phase_that_is_no_name_is_refused(tmp_path: Path, phase: object) -> None:
    write_lines(tmp_path / "a.jsonl", [{"figure_id": "f", "annotator": "a", "phase": phase, "subfigures": []}])
    problems = Problems()
    assert list(read_annotations(tmp_path / "a.jsonl", problems)) == []
    assert '"phase" holds' in problems.lines[0]


def test_a_time_below_zero_is_unknown_with_a_note(tmp_path: Path) -> None:
    record = {"figure_id": "f", "annotator": "a", "subfigures": []}
    write_lines(tmp_path / "a.jsonl", [{**record, "seconds": seconds} for seconds in (-5, 0, "2.5")])
    problems = Problems()
    assert [each.seconds for each in read_annotations(tmp_path / "a.jsonl", problems)] == [None, 0, 2.5]
    assert problems.lines == []
    assert problems.notes == [f'{tmp_path / "a.jsonl"}:1: "seconds" is -5, which is no time; read as unknown']
