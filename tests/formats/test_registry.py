"""Tests that run for every layout of the registry. A new layout needs one sample here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import msgspec
import pytest
from builders import a_figure, a_prediction, an_annotation
from PIL import Image

from annotator.gold.exports.registry import EXPORTS
from annotator.imports.exports_of_others import read_any
from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.measurement.compare import compare_sources
from annotator.measurement.sources import layout_of
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.coco import to_xywh, write_coco
from panelwise.formats.detect import looks_of
from panelwise.formats.figures import figure_record
from panelwise.formats.label_studio_export import task_record
from panelwise.formats.layout import Contents, Form, Layout, Reading
from panelwise.formats.losses import Losses
from panelwise.formats.medicat import gold_record
from panelwise.formats.registry import LAYOUTS
from panelwise.formats.yolo import yolo_line
from prelabel.training.data.gold_files import EVERYBODY, read_gold_figures

SOME = [a_figure(f"f{number}") for number in range(3)]
WORK = [an_annotation(figure) for figure in SOME]
PREDICTED = [a_prediction(figure) for figure in SOME]
GOLD = [
    Gold(each.figure, each.status, each.subfigures, Provenance(GoldSource.SINGLE, "", ("a",), each.saved_at))
    for each in WORK
]


def as_lines(records: Iterator[Any]) -> bytes:
    return b"".join(msgspec.json.encode(each) + b"\n" for each in records)


def as_coco(path: Path) -> None:
    write_coco(path, GOLD, Losses("COCO"))


def results() -> Iterator[dict[str, Any]]:
    for each in PREDICTED:
        for part, score in zip(each.subfigures, each.scores, strict=True):
            yield {"image_id": each.figure.id, "category_id": 1, "bbox": to_xywh(part.box), "score": score}


def quoted() -> Iterator[dict[str, Any]]:
    for each in PREDICTED:
        panels = [
            {
                "label": part.label,
                "bbox": part.box.as_list(),
                "text": " ... ".join(
                    each.figure.caption.text[span.start : span.end]
                    for span in each.figure.caption.spans_of(part.subcaption)
                ),
                "score": score,
            }
            for part, score in zip(each.subfigures, each.scores, strict=True)
        ]
        yield {"figure_id": each.figure.id, "panels": panels}


def tasks() -> list[dict[str, Any]]:
    return [task_record(task_data(each.figure), annotation_payload(each), each) for each in WORK]


def as_voc(folder: Path) -> None:
    folder.mkdir()
    for each in WORK:
        objects = "".join(
            f"<object><name>{part.label}</name><bndbox><xmin>{part.box.x0}</xmin><ymin>{part.box.y0}</ymin>"
            f"<xmax>{part.box.x1}</xmax><ymax>{part.box.y1}</ymax></bndbox></object>\n"
            for part in each.subfigures
        )
        (folder / f"{each.figure.id}.xml").write_text(
            f"<annotation>\n<filename>{each.figure.id}.png</filename><size><width>{each.figure.width}</width>"
            f"<height>{each.figure.height}</height></size>\n{objects}</annotation>"
        )


def as_yolo(folder: Path) -> None:
    folder.mkdir()
    (folder / "classes.txt").write_text("\n".join(ascii_uppercase))
    for each in WORK:
        width, height = each.figure.width, each.figure.height
        Image.new("RGB", (width, height)).save(folder / f"{each.figure.id}.png")
        lines = [
            yolo_line(ascii_uppercase.index(part.label), part.box, (width, height)) for part in each.subfigures
        ]
        (folder / f"{each.figure.id}.txt").write_text("".join(lines))


#: By name, what writes a file of each layout, with the work of WORK, of PREDICTED, or with SOME.
SAMPLES: dict[str, Callable[[Path], object]] = {
    "jsonl": lambda path: path.write_bytes(as_lines(map(annotation_record, WORK))),
    "medicat": lambda path: path.write_bytes(as_lines(map(gold_record, GOLD))),
    "label-studio": lambda path: path.write_bytes(msgspec.json.encode(tasks())),
    "coco": as_coco,
    "voc": as_voc,
    "yolo": as_yolo,
    "predictions": lambda path: path.write_bytes(as_lines(map(prediction_record, PREDICTED))),
    "coco-results": lambda path: path.write_text(json.dumps(list(results()))),
    "quoted-boxes": lambda path: path.write_text(json.dumps(list(quoted()))),
    "figures": lambda path: path.write_bytes(as_lines(map(figure_record, SOME))),
}
OF_WORK = [layout for layout in LAYOUTS if layout.has_work]
OF_JSON = [layout for layout in OF_WORK if layout.form not in (Form.XML, Form.TEXT)]
OF_PEOPLE = [layout for layout in LAYOUTS if Contents.ANNOTATIONS in layout.contents]
#: Layouts whose boxes come back with the words of the caption.
WORDED = {"jsonl", "medicat", "label-studio", "coco", "predictions"}


def a_file(folder: Path, layout: Layout) -> Path:
    path = folder / f"{layout.name}.json"
    SAMPLES[layout.name](path)
    return path


def read(path: Path, layout: Layout) -> tuple[list[Annotation | Prediction], Problems]:
    problems = Problems()
    figures = {figure.id: figure for figure in SOME}
    reading = Reading(
        "a",
        lookup=lambda figure_id, _revision: figures.get(figure_id),
        image=lambda figure_id, name: figures.get(figure_id) or figures.get(Path(name).stem),
    )
    return list(read_any(layout, path, problems, reading)), problems


def test_every_layout_has_a_sample_and_a_name_of_its_own() -> None:
    assert [layout.name for layout in LAYOUTS] == list(dict.fromkeys(layout.name for layout in LAYOUTS))
    assert set(SAMPLES) == {layout.name for layout in LAYOUTS}


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_file_is_recognised_as_its_own_layout_and_no_other(layout: Layout, tmp_path: Path) -> None:
    looks = looks_of(a_file(tmp_path, layout))
    assert (looks.form, looks.layouts, looks.unclear) == (layout.form, {layout}, False)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_layout_has_one_way_to_be_recognised_and_a_command_that_imports_it(layout: Layout) -> None:
    assert (layout.recognise is None) is not (layout.looks_like is None)
    words = layout.command.split()
    assert words[:2] == ["annotator", "import"]
    assert words[2] in layout.contents
    assert set(layout.written_by) <= {export.name for export in EXPORTS}


@pytest.mark.parametrize("layout", OF_WORK, ids=str)
def test_work_reads_back_with_its_boxes_and_words(layout: Layout, tmp_path: Path) -> None:
    work, problems = read(a_file(tmp_path, layout), layout)
    assert problems.lines == []
    written = WORK if Contents.ANNOTATIONS in layout.contents else PREDICTED
    for ours, theirs in zip(written, work, strict=True):
        assert ours.figure.id == theirs.figure.id
        for part, again in zip(ours.subfigures, theirs.subfigures, strict=True):
            assert again.box.as_list() == pytest.approx(part.box.as_list(), abs=1e-3)
            assert layout.name not in WORDED or (again.label, again.subcaption) == (part.label, part.subcaption)
        if isinstance(ours, Prediction):
            assert isinstance(theirs, Prediction)
            assert theirs.scores == ours.scores


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\0" * 64, b"\xff\xfe{}", b"[]", b"{}", b"null", b"<a/>", b"{" * 5000]
)
@pytest.mark.parametrize("layout", OF_WORK, ids=str)
def test_a_file_of_nothing_known_is_named_and_holds_no_work(
    layout: Layout, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    assert layout not in looks(path)
    work, lines = tried(path, layout)
    assert work == []
    assert all(str(path) in line for line in lines)
    assert lines or content == b"[]"


def tried(path: Path, layout: Layout) -> tuple[list[Annotation | Prediction], list[str]]:
    """Read a file; return its work, all messages, and the error that stopped the reading."""
    try:
        work, problems = read(path, layout)
    except AnnotatorError as error:
        return [], [str(error)]
    return work, problems.lines


def looks(path: Path) -> frozenset[Layout]:
    try:
        return looks_of(path).layouts
    except AnnotatorError:
        return frozenset()


@pytest.mark.parametrize("layout", OF_WORK, ids=str)
def test_a_damaged_file_costs_what_is_damaged_and_never_falls_over(layout: Layout, tmp_path: Path) -> None:
    path = a_file(tmp_path, layout)
    file = path if path.is_file() else min(path.iterdir())
    whole = file.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 40)):
        for damaged in (
            whole[:place],
            whole[:place] + b"\xff" + whole[place:],
            whole[:place] + whole[place + 1 :],
        ):
            file.write_bytes(damaged)
            work, lines = tried(path, layout)
            assert len(work) <= 3
            assert all("\n" not in line for line in lines)


#: What stands before a number of the first box in JSON.
_OF_A_BOX = re.compile(r'("subfigures":\[\{[^\[]*\[{1,2}|"bbox": ?\[|"x":)[\d.]+')


@pytest.mark.parametrize("odd", ["Infinity", "-Infinity", "NaN"])
@pytest.mark.parametrize(
    "layout", [layout for layout in OF_WORK if layout.form not in (Form.XML, Form.TEXT)], ids=str
)
def test_a_number_that_json_lacks_costs_its_box_and_nothing_else(layout: Layout, odd: str, tmp_path: Path) -> None:
    path = a_file(tmp_path, layout)
    path.write_text(_OF_A_BOX.sub(rf"\g<1>{odd}", path.read_text("utf-8"), count=1), "utf-8")
    work, problems = read(path, layout)
    assert [each.figure.id for each in work] == ["f0", "f1", "f2"]
    assert [len(each.subfigures) for each in work] == [len(WORK[0].subfigures) - 1, *[len(WORK[0].subfigures)] * 2]
    assert len(problems.lines) == (2 if layout.name == "label-studio" else 1)  # whose words lost their box
    assert any(f"holds {odd}, which is no number in JSON" in note for note in problems.notes)


@pytest.mark.parametrize("predicted", OF_WORK, ids=str)
@pytest.mark.parametrize("gold", OF_PEOPLE, ids=str)
def test_agreement_compares_every_layout_with_every_gold(gold: Layout, predicted: Layout, tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    problems = Problems()
    found = compare_sources(a_file(tmp_path / "gold", gold), [a_file(tmp_path, predicted)], problems)
    if gold.name not in WORDED and predicted.name in WORDED:
        # Their captions differ, so that words can't be compared: left out, and said so.
        assert found.boxes.gold == 0
        return
    assert problems.lines == []
    assert (found.gold_figures, found.missing, found.surplus) == (3, (), ())
    assert found.boxes.matched(0.99) == found.boxes.gold == sum(len(each.subfigures) for each in WORK)


@pytest.mark.parametrize("layout", OF_PEOPLE, ids=str)
def test_models_are_trained_on_every_layout_of_annotations(layout: Layout, tmp_path: Path) -> None:
    problems = Problems()
    path = a_file(tmp_path, layout)
    gold = list(read_gold_figures(path, problems, figures=None, images=None, chosen=EVERYBODY, read=read_any))
    assert problems.lines == []
    assert [each.figure.id for each in gold] == ["f0", "f1", "f2"]
    assert [len(each.subfigures) for each in gold] == [len(each.subfigures) for each in WORK]


@pytest.mark.parametrize("layout", OF_WORK, ids=str)
def test_agreement_chooses_the_layout_by_the_registry(layout: Layout, tmp_path: Path) -> None:
    assert layout_of(a_file(tmp_path, layout)) is layout


@pytest.mark.parametrize("content", ['{"a": 1}', '{"a": 1}\n{"b": 2}'])
def test_agreement_names_the_layouts_that_it_knows(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(AnnotatorError) as refused:
        layout_of(path)
    assert all(layout.title in str(refused.value) for layout in OF_WORK)
