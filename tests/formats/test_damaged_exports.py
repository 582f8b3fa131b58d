"""Damage to files that are one JSON value: told in a line, and every whole element read all the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, an_annotation
from damage import Reader, check, damaged
from hypothesis import HealthCheck, given, settings

from annotator.formats.figures import figure_record, read_figures
from annotator.formats.json_stream import read_array
from annotator.formats.jsonl import Problems
from annotator.formats.label_studio_export import ExportCounts, read_export, task_record
from annotator.formats.scivqa import read_pairs
from annotator.label_studio.payload import annotation_payload, task_data

FIGURES = [a_figure(f"f{number}") for number in range(4)]
WORK = [an_annotation(figure) for figure in FIGURES]
PAIRS = [
    {
        "instance_id": f"q{number}",
        "figure_id": "f1",
        "qa_pair_type": "closed-ended finite answer set non-binary visual",
        "question": "Which?",
        "answer_options": [{"A": "é😀"}, {"B": "right"}],
        "answer": "B",
    }
    for number in range(4)
]


def array(texts: Sequence[str]) -> str:
    return "[" + ",\n".join(texts) + "]"


def elements(path: Path, problems: Problems) -> Iterator[Any]:
    for line in read_array(path, problems):
        yield dict(line.record)


def tasks(path: Path, problems: Problems) -> Iterator[Any]:
    return read_export(path, problems, ExportCounts())


def pairs(path: Path, problems: Problems) -> Iterator[Any]:
    for listed in read_pairs(path, problems).values():
        yield from listed


READERS = [
    Reader("array", [{"a": 1, "b": ["é😀", None]}, {"a": {"b": 2.5}}, {"a": "]}"}], elements, array, ".json"),
    Reader("figures", [figure_record(each) for each in FIGURES], read_figures, array, ".json"),
    Reader(
        "label studio",
        [task_record(task_data(each.figure), annotation_payload(each), each) for each in WORK],
        tasks,
        array,
        ".json",
    ),
    Reader("pairs", PAIRS, pairs, array, ".json"),
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damage_is_told_and_costs_nothing_good(reader: Reader) -> None:
    with tempfile.TemporaryDirectory() as folder:

        @given(damaged(reader))
        @settings(suppress_health_check=list(HealthCheck))
        def survives(case: Any) -> None:
            check(reader, case, Path(folder))

        survives()
