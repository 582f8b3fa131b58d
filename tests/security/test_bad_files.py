"""Every reader of files, whatever it is given: what it reads is sound, or one line says why not."""

from __future__ import annotations

import ast
import copy
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, an_annotation
from conftest import REPOSITORY
from damage import ODD_VALUES, dumps, odd_record
from formats.test_damaged_exports import FLAT, GOLDS, MINIMAL, SCIVQA, TASKS, stored
from formats.test_damaged_input import ANNOTATIONS, FIGURES, RELEASE
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from items_cases import TOML

from agreement.reading import raw_panels
from annotator.label_studio.payload import reading
from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.measurement import batches
from annotator.operations import backup_file
from panelwise.domain.campaign import Phase as CampaignPhase
from panelwise.domain.campaign import TaskType
from panelwise.domain.errors import LONGEST, AnnotatorError, one_line
from panelwise.domain.items import QAItem, QAKind
from panelwise.files import image_folders, json_arrays, jsonl, parquet, tables
from panelwise.files.jsonl import Problems
from panelwise.formats import (
    annotations,
    coco_reading,
    detect,
    figures,
    label_studio_export,
    medicat,
    pair_answers,
    scivqa,
)
from panelwise.formats.label_studio_export import ExportCounts
from panelwise.formats.layout import Contents, Reading, read_work
from panelwise.formats.registry import JSONL, LAYOUTS
from panelwise.images import decode
from panelwise.settings import campaign_toml

PAIR = QAItem("q1", "Which?", QAKind.CHOICE_VISUAL, ("a", "b"), "B")

Read = Callable[[Path, Problems], object]


def backed_up(path: Path) -> None:
    """Read a backup to its end."""
    with backup_file.open_backup(path) as backup:
        for name in backup.files:
            for _ in backup.read(name):
                pass


#: Each reader by its name, read to its end.
READERS: dict[str, Read] = {
    "annotations.read_annotations": lambda path, problems: list(annotations.read_annotations(path, problems)),
    "annotations.read_predictions": lambda path, problems: list(annotations.read_predictions(path, problems)),
    "annotations.revisions_alike": lambda path, problems: annotations.revisions_alike(path),
    "backups.open_backup": lambda path, problems: backed_up(path),
    "campaign_toml.campaign_bytes": lambda path, problems: campaign_toml.campaign_bytes(path),
    "campaign_toml.read_campaign": lambda path, problems: campaign_toml.read_campaign(path),
    "coco_reading.read_coco": lambda path, problems: list(
        coco_reading.read_coco(path, problems, stored(problems), annotator="a")
    ),
    "coco_reading.figure_lines": lambda path, problems: list(coco_reading.figure_lines(path, problems)),
    "json_arrays.first_lines": lambda path, problems: json_arrays.first_lines(path),
    "json_arrays.whole_object": lambda path, problems: json_arrays.whole_object(path),
    "detect.recognised": lambda path, problems: detect.recognised(path, Contents.PREDICTIONS),
    **{
        f"layout {layout.name}": lambda path, problems, layout=layout: list(
            read_work(layout, path, problems, Reading("a"))
        )
        for layout in LAYOUTS
        if layout.read is not None
    },
    "figure_batches.batches_in": lambda path, problems: batches.batches_in(path),
    "figures.read_figures": lambda path, problems: list(figures.read_figures(path, problems)),
    "parquet.parquet_records": lambda path, problems: list(parquet.parquet_records(path)),
    "image_folders.folder_lines": lambda path, problems: list(image_folders.folder_lines(path, problems)),
    "image_folders.table_lines": lambda path, problems: list(image_folders.table_lines(path, problems)),
    "json_arrays.read_records": lambda path, problems: list(json_arrays.read_records(path, problems)),
    "json_arrays.read_array": lambda path, problems: list(json_arrays.read_array(path, problems)),
    "json_arrays.read_arrays": lambda path, problems: list(
        json_arrays.read_arrays(path, problems, ("images", "annotations"))
    ),
    "json_arrays.starts_with": lambda path, problems: json_arrays.starts_with(path),
    "jsonl.open_input": lambda path, problems: jsonl.open_input(path).close(),
    "jsonl.read_lines": lambda path, problems: list(jsonl.read_lines(path, problems)),
    "jsonl.raw_lines": lambda path, problems: list(jsonl.raw_lines(path, problems)),
    "jsonl.typed_lines": lambda path, problems: list(jsonl.typed_lines(path, dict[str, object])),
    "label_studio_export.read_export": lambda path, problems: list(
        label_studio_export.read_export(path, problems, ExportCounts())
    ),
    "detect.check_layout": lambda path, problems: detect.check_layout(path, JSONL),
    "detect.check_figures": lambda path, problems: detect.check_figures(path),
    "detect.looks_of": lambda path, problems: detect.looks_of(path),
    "medicat.read_gold": lambda path, problems: list(medicat.read_gold(path, problems)),
    "medicat.read_medicat": lambda path, problems: list(medicat.read_medicat(path, problems)),
    "pair_answers.is_pair_file": lambda path, problems: pair_answers.is_pair_file(path),
    "pair_answers.read_pairs_by_key": lambda path, problems: pair_answers.read_pairs_by_key(path, problems),
    "pair_answers.articles_of_pairs": lambda path, problems: pair_answers.articles_of_pairs(path),
    "pair_answers.answers_in_pairs": lambda path, problems: list(pair_answers.answers_in_pairs(path, problems)),
    "pair_answers.answers_in_table": lambda path, problems: list(
        pair_answers.answers_in_table(path, {("f1", "q1"): PAIR}, problems)
    ),
    "pictures.read_bytes": lambda path, problems: decode.read_bytes(path),
    "pictures.picture_size": lambda path, problems: decode.picture_size(path),
    "pictures.read_picture": lambda path, problems: decode.read_picture(path.read_bytes(), path),
    "raw_panels.read_raw_annotations": lambda path, problems: list(
        raw_panels.read_raw_annotations(path, problems)
    ),
    "raw_panels.read_raw_predictions": lambda path, problems: list(
        raw_panels.read_raw_predictions(path, problems)
    ),
    "raw_panels.read_raw_medicat": lambda path, problems: list(raw_panels.read_raw_medicat(path, problems)),
    "scivqa.is_pairs": lambda path, problems: scivqa.is_pairs(path),
    "scivqa.is_flat": lambda path, problems: scivqa.is_flat(path),
    "scivqa.read_pairs": lambda path, problems: scivqa.read_pairs(path, problems),
    "tables.read_table": lambda path, problems: list(tables.read_table(path, problems).rows),
}
#: Functions of a path that read no file of anybody else's, and why.
NO_READERS = {
    "jsonl.is_empty": "makes a message",
    "jsonl.write_lines": "writes",
    "jsonl.read_each": "what the readers of JSON lines are made of",
    "json_arrays.write_records": "writes",
    "annotations.read_numbered": "what read_annotations is made of",
    "annotations.read_works": "what the readers of annotations and predictions are made of",
    "figures.image_folder": "looks at the name only",
    "parquet.is_parquet": "looks at the first bytes only",
    "parquet.open_parquet": "what parquet_records begins with",
    "parquet.write_parquet": "writes",
    "whole_files.whole_file": "writes",
    "whole_files.write_whole": "writes",
    "whole_files.put_folder": "writes",
    "whole_files.sync_folder": "writes",
    "authors.check_one_author": "puts the name of the file into its message",
    "coco_reading.note_gaps": "makes notes",
    "image_boxes.work_on_images": "puts the name of the file into its messages",
    "coco_reading.check_numbering": "puts the name of the file into its message",
    "pair_answers.check_table": "what answers_in_table's callers begin with",
    "coco.write_coco": "writes",
    "coco.write_coco_raters": "writes",
    "tables.is_table": "looks at the name only",
    "file_names.image_path": "looks at the names in a folder only",
    "file_names.pixel_size": "returns 0 for a file that is no image",
    "image_folders.list_in": "looks at the names in a folder only",
}
#: What looks into a file beside its reader, which tells what is wrong with it.
SILENT = (
    *("figure_batches.batches_in", "annotations.revisions_alike", "detect.check_figures"),
    *("pair_answers.articles_of_pairs", "jsonl.typed_lines"),
)
#: Records of every layout: each reader is given those of all others too.
RECORDS: tuple[Mapping[str, Any], ...] = (
    *(figures.figure_record(FIGURES[0]), RELEASE[0]),
    *(annotations.annotation_record(ANNOTATIONS[0]), annotations.prediction_record(a_prediction(FIGURES[0]))),
    *(TASKS[0], MINIMAL[0], SCIVQA[0], FLAT[0]),
    json.loads(dumps(medicat.gold_record(GOLDS[0]))),
    {
        "images": [{"id": 1, "file_name": "f.png", "width": 800, "height": 600}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "caption": "x"}],
        "categories": [{"id": 1, "name": "A"}],
    },
)
TABLE = "instance_id,answer,human_answer\nq1,B,A\nq2,x,y\n"


def messages(read: Read, path: Path) -> list[str]:
    """All that was told; fails on whatever is no error of ours."""
    problems = Problems()
    refused = []
    try:
        read(path, problems)
    except AnnotatorError as error:
        refused = [one_line(error)]
    return [*problems.lines, *refused]


@st.composite
def content(draw: st.DrawFn) -> bytes:
    """A file's bytes: any layout, spoilt; odd JSON; a spoilt table; settings; or nothing of the kind."""
    kind = draw(st.sampled_from(["record", "record", "record", "json", "table", "toml", "bytes"]))
    if kind == "bytes":
        return draw(st.binary(max_size=200))
    if kind == "json":
        return draw(st.sampled_from(ODD_VALUES)).encode("utf-8", "surrogatepass")
    if kind in ("table", "toml"):
        raw = (TABLE if kind == "table" else TOML).encode()
        at = draw(st.integers(0, len(raw)))
        added = draw(st.sampled_from([b'"', b"\0", b"\r", b",,,", b"\xff", b"[", b"\n\n", b"x" * 200_000]))
        return raw[:at] + added + raw[at + draw(st.integers(0, 3)) :]
    record = draw(st.sampled_from(RECORDS))
    texts = [draw(odd_record(record)), dumps(record)]
    form = draw(st.sampled_from(["lines", "lines", "array", "object"]))
    text = "\n".join(texts) + "\n" if form == "lines" else f"[{','.join(texts)}]" if form == "array" else texts[0]
    raw = text.encode("utf-8", "surrogatepass")
    return raw[: draw(st.integers(0, len(raw)))] if draw(st.integers(0, 5)) == 0 else raw


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_no_file_makes_a_reader_fall_over(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"

        @given(content())
        @settings(
            max_examples=max(8, settings.default.max_examples * 2 // 5),
            phases=[Phase.generate],
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def survives(data: bytes) -> None:
            path.write_bytes(data)
            for line in messages(READERS[name], path):
                assert "\n" not in line
                assert len(line) <= LONGEST

        survives()


#: These are given what was read, or a file that was found.
GIVEN = ("pictures.read_picture", "campaign_toml.read_campaign")


@pytest.mark.parametrize("name", [name for name in READERS if name not in GIVEN])
def test_what_is_no_file_is_told(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    for path in (tmp_path / "missing.csv", folder):
        told = messages(READERS[name], path)
        assert all(str(path) in line and "\n" not in line for line in told), told
        assert told or name in SILENT, name


def test_no_reader_of_files_is_left_out() -> None:
    there = set()
    rooms = [REPOSITORY / "panelwise" / room for room in ("formats", "files")]
    for module in sorted(path for room in rooms for path in room.glob("*.py")):
        for each in ast.parse(module.read_text(encoding="utf-8")).body:
            if not isinstance(each, ast.FunctionDef) or each.name.startswith("_") or not each.args.args:
                continue
            first = each.args.args[0]
            if first.annotation is not None and ast.unparse(first.annotation) == "Path":
                there.add(f"{module.stem}.{each.name}")
    of_rows = {each for row in LAYOUTS for each in (row.read, row.recognise) if each is not None}
    there -= {f"{each.__module__.rpartition('.')[2]}.{each.__name__}" for each in of_rows}
    assert there - set(NO_READERS) <= set(READERS), "give each its line in READERS, or its reason in NO_READERS"


FIGURE = a_figure()
TASK = {"id": 7, "data": task_data(FIGURE), "predictions": [{"id": 3, "model_version": "classic-1"}]}
RECORD = {
    "id": 9,
    "updated_at": "2026-11-21T10:00:00.123456Z",
    "created_at": "2026-11-21T10:00:00.123456Z",
    "lead_time": 12.5,
    "was_cancelled": False,
    "completed_by": {"id": 2, "email": "ann@example.org"},
    "parent_prediction": 3,
    **copy.deepcopy(annotation_payload(an_annotation(FIGURE))),
}
PHASES = [CampaignPhase(kind.value, kind) for kind in TaskType]


@pytest.mark.slow
@given(odd_record({"task": TASK, "record": RECORD}), st.sampled_from(PHASES))
@settings(suppress_health_check=list(HealthCheck))
def test_nothing_that_label_studio_may_answer_makes_a_pull_fall_over(text: str, phase: CampaignPhase) -> None:
    try:
        said = json.loads(text)
        task, record = said["task"], said["record"]
    except (ValueError, KeyError, RecursionError):
        return
    if not isinstance(task, dict) or not isinstance(record, dict):
        return
    try:
        reading.submitted({**task, "annotations": [record]}, owner=2)
        reading.pulled(task, record, FIGURE, annotator="ann1", phase=phase)
    except AnnotatorError as error:
        told = one_line(error)
    else:
        return
    assert "\n" not in told
