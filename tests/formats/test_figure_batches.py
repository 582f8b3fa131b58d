from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import a_figure

from annotator.measurement.batches import articles_of_option, batch_of, batches_in
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems


@pytest.mark.parametrize(
    ("source", "extra", "batch"),
    [
        ({"batch": "spring"}, {}, "spring"),
        ({}, {"batch": " spring "}, "spring"),
        ({"batch": 7}, {"batch": "other"}, "7"),
        ({"batch": ["a list"]}, {"batch": True}, ""),
        ({"batch": ""}, {"batch": None}, ""),
        ({}, {}, ""),
    ],
)
def test_a_figure_names_its_batch_in_its_source_or_beside_it(
    source: dict[str, object], extra: dict[str, object], batch: str
) -> None:
    assert batch_of(a_figure(source=source, extra=extra)) == batch


def test_lines_of_figures_or_annotations_tell_batches_and_the_first_that_names_one_holds(tmp_path: Path) -> None:
    file = tmp_path / "figures.jsonl"
    records = [
        {"figure_id": "f1", "source": {"document": "d", "batch": "b1"}},
        {"figure_id": "f2", "annotator": "ann1", "batch": 2},
        {"figure_id": "f2", "annotator": "ann2", "batch": 3},
        {"figure_id": "f3", "source": "a word"},
        {"figure_id": "f4"},
        {"figure_id": "f5", "batch": "b5", "scores": [float("nan"), float("inf")]},
        {"figure_id": 5, "batch": "of no id"},
    ]
    lines = [json.dumps(record) for record in records]
    file.write_text("\n".join([*lines, "", "{cut off", "[]"]), "utf-8")
    assert batches_in(file) == {"f1": "b1", "f2": "2", "f5": "b5"}


def test_what_is_no_file_has_no_batches(tmp_path: Path) -> None:
    assert batches_in(tmp_path) == batches_in(tmp_path / "absent.jsonl") == {}


def test_a_line_of_a_list_of_articles_that_names_no_figure_is_a_problem(tmp_path: Path) -> None:
    """Without their articles, figures would be resampled one by one in silence."""
    file = tmp_path / "figures.jsonl"
    lines = ('{"figure_id": "f1", "source": {"document": "d1"}}', "{cut", '{"source": {"document": "d2"}}')
    file.write_text("\n".join((*lines, '{"figure_id": "f2", "source": {"pdf_hash": "h2"}}')))
    problems = Problems()
    assert articles_of_option(file, problems) == {"f1": "d1", "f2": "h2"}
    cut, nameless = problems.lines
    assert cut.startswith(f"{file}:2: not valid JSON")
    assert nameless == f'{file}:3: "figure_id" is missing; give a text'
    with pytest.raises(AnnotatorError, match=r"name a figures\.jsonl with --articles"):
        articles_of_option(tmp_path / "none.jsonl", problems)
