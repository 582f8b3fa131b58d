"""Damage to files that are one JSON value: told in a line, and every whole element read all the same."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation
from damage import Reader, check, damaged, dumps
from hypothesis import HealthCheck, given, settings

from annotator.imports.exports_of_others import read_label_studio
from annotator.label_studio.payload.figures import annotation_payload, task_data
from label_config import names
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.json_arrays import read_array
from panelwise.files.jsonl import Problems
from panelwise.formats.coco import write_coco
from panelwise.formats.coco_reading import read_coco
from panelwise.formats.figures import figure_record, read_figures
from panelwise.formats.label_studio_export import ExportCounts, read_export, task_record
from panelwise.formats.losses import Losses
from panelwise.formats.scivqa import read_pairs

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


GOLDS = [
    Gold(
        figure,
        Status.ACCEPTED,
        (a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))),
        Provenance(GoldSource.ADJUDICATED, "rev1", ("ann1",), WORK[0].saved_at, "note"),
    )
    for figure in FIGURES
]
TASKS = [task_record(task_data(each.figure), annotation_payload(each), each) for each in WORK]
#: As the minimal export has them: the regions' values by control, all else beside them.
MINIMAL = [
    {
        **task["data"],
        "id": number,
        names.SUBFIGURE: [
            {**region["value"], "original_width": 800, "original_height": 600}
            for region in task["annotations"][0]["result"]
            if region["from_name"] == names.SUBFIGURE
        ],
        names.SUBCAPTION: [
            region["value"]
            for region in task["annotations"][0]["result"]
            if region["from_name"] == names.SUBCAPTION
        ],
        names.STATUS: names.STATUS_ACCEPT,
        "annotator": "ann1@example.org",
        "annotation_id": number,
        "created_at": "2026-11-21T10:00:00Z",
        "updated_at": "2026-11-21T10:00:00Z",
        "lead_time": 12.5,
    }
    for number, task in enumerate(TASKS, start=1)
]
SCIVQA = [
    {"figure_id": f"f{number}", "image_file": "f.png", "caption": "Fig. 1", "paper_id": "p", "qa": [PAIRS[number]]}
    for number in range(4)
]


FLAT = [
    {**pair, "figure_id": f"f{number}", "image_file": "f.png", "caption": "Fig. 1", "paper_id": "p"}
    for number, pair in enumerate(PAIRS)
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


def coco() -> dict[str, Any]:
    """The gold as a COCO file."""
    with tempfile.TemporaryDirectory() as folder:
        write_coco(Path(folder) / "coco.json", GOLDS, Losses("COCO"))
        found: dict[str, Any] = json.loads((Path(folder) / "coco.json").read_text())
        return found


COCO = coco()


def with_images(texts: Sequence[str]) -> str:
    """The COCO file with these images."""
    rest = f'"annotations": {dumps(COCO["annotations"])}, "categories": {dumps(COCO["categories"])}'
    return f'{{{rest}, "images": {array(texts)}}}'


def with_boxes(texts: Sequence[str]) -> str:
    """The COCO file with these boxes."""
    rest = f'"images": {dumps(COCO["images"])}, "categories": {dumps(COCO["categories"])}'
    return f'{{{rest}, "annotations": {array(texts)}}}'


def stored(problems: Problems) -> Callable[[str, str], Figure]:
    """Finds figures as the command does: one that is not there is told with the place of its image."""

    def figure_of(figure_id: str, file_name: str) -> Figure:
        found = next((each for each in FIGURES if each.id == figure_id), None)
        if found is None:
            raise FormatError(f'{problems.where}: image "{file_name}" is of no figure')
        return found

    return figure_of


def images(path: Path, problems: Problems) -> Iterator[Any]:
    return read_coco(path, problems, stored(problems), annotator="a")


def boxes(path: Path, problems: Problems) -> Iterator[Any]:
    for annotation in read_coco(path, problems, stored(problems), annotator="a"):
        for subfigure in annotation.subfigures:
            yield annotation.figure.id, subfigure


READERS = [
    Reader("array", [{"a": 1, "b": ["é😀", None]}, {"a": {"b": 2.5}}, {"a": "]}"}], elements, array, ".json"),
    Reader("figures", [figure_record(each) for each in FIGURES], read_figures, array, ".json"),
    Reader("label studio", TASKS, tasks, array, ".json"),
    Reader("label studio's work", TASKS, read_label_studio, array, ".json"),
    Reader("label studio's minimal work", MINIMAL, read_label_studio, array, ".json"),
    Reader("coco's images", COCO["images"], images, with_images, ".json"),
    Reader("coco's boxes", COCO["annotations"], boxes, with_boxes, ".json"),
    Reader("scivqa", SCIVQA, read_figures, array, ".json"),
    Reader("scivqa's flat table", FLAT, read_figures, array, ".json"),
    Reader("pairs", PAIRS, pairs, array, ".json"),
]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damage_is_told_and_costs_nothing_good(reader: Reader) -> None:
    with tempfile.TemporaryDirectory() as folder:

        @given(damaged(reader))
        @settings(suppress_health_check=list(HealthCheck))
        def survives(case: Any) -> None:
            check(reader, case, Path(folder))

        survives()
