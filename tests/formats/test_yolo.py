"""YOLO's text: boxes as fractions of the images of known figures, with and without scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.detect import looks_of
from panelwise.formats.layout import Reading, read_work
from panelwise.formats.registry import YOLO

FIGURES = {name: Figure(name, f"{name}.png", 200, 100, Caption.cut("Two panels.")) for name in ("rat", "mouse")}
LEFT, RIGHT = "0 0.25 0.5 0.5 1", "1 0.75 0.5 0.5 1"


def read(folder: Path, *texts: str, within: str = "", **more: Any) -> tuple[list[Any], Problems]:
    labels = folder / within
    labels.mkdir(parents=True, exist_ok=True)
    for name, text in zip(FIGURES, texts, strict=False):
        (labels / f"{name}.txt").write_text(text)
    problems = Problems()
    reading = Reading("ann", "2", image=lambda _id, name: FIGURES.get(Path(name).stem), **more)
    return list(read_work(YOLO, folder, problems, reading)), problems


def test_boxes_without_scores_are_work_in_pixels_with_letters_in_reading_order(tmp_path: Path) -> None:
    (work,), problems = read(tmp_path, f"0 0.75 0.5 0.5 1\n{LEFT}\n")
    assert isinstance(work, Annotation)
    assert (work.figure, work.annotator, work.phase, work.partly_read) == (FIGURES["rat"], "ann", "2", False)
    assert [(part.label, part.box.as_list()) for part in work.subfigures] == [
        ("B", [100, 0, 200, 100]),
        ("A", [0, 0, 100, 100]),
    ]
    assert problems.lines == []


@pytest.mark.parametrize("within", ["", "labels", "labels/train", "val/labels"])
def test_boxes_with_scores_are_predictions_wherever_tools_put_them(tmp_path: Path, within: str) -> None:
    texts = f"{LEFT} 0.25\n{RIGHT} 0.75", ""
    work, problems = read(tmp_path, *texts, within=within, least_score=0.5)
    assert [(each.figure.id, each.scores) for each in work] == [("mouse", ()), ("rat", (0.75,))]
    assert all(isinstance(each, Prediction) and each.model_version == "ann" for each in work)
    assert problems.lines == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.yaml", "path: ../x\nnames:\n  0: C\n  1: D\n"),
        ("data.yml", "nc: 2\nnames: [C, D]\n"),
        ("classes.txt", "C\nD\n"),
        ("obj.names", "C\nD\n"),
    ],
)
@pytest.mark.parametrize("within", ["", "labels", "labels/train"])
def test_classes_are_named_by_the_data_set_beside_or_above(
    tmp_path: Path, within: str, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    (work,), problems = read(tmp_path, f"{LEFT}\n{RIGHT}", within=within)
    assert [part.label for part in work.subfigures] == ["C", "D"]
    assert (problems.lines, problems.notes) == ([], [])


def test_classes_without_names_are_noted_once(tmp_path: Path) -> None:
    (work,), problems = read(tmp_path, f"{LEFT}\n{RIGHT}")
    assert [part.label for part in work.subfigures] == ["A", "B"]
    assert [note for note in problems.notes if "data.yaml" in note] == [
        f"{tmp_path}: 2 classes without a name (0, 1); gave letters in reading order; put data.yaml or "
        "classes.txt beside the files"
    ]


def test_classes_counted_from_one_are_refused_where_names_count_from_zero(tmp_path: Path) -> None:
    (tmp_path / "classes.txt").write_text("A\nB")
    with pytest.raises(FormatError, match="off by one"):
        read(tmp_path, f"{RIGHT}\n2 0.25 0.5 0.5 1")


@pytest.mark.parametrize(
    ("outline", "score"), [("0 0 0 0.5 0 0.5 1 0 1", None), ("0 0 0.1 0.5 0 0.25 1 0.8", 0.8), (LEFT, None)]
)
def test_outlines_are_read_as_the_rectangle_around_them(tmp_path: Path, outline: str, score: float | None) -> None:
    (work,), problems = read(tmp_path, outline)
    assert [part.box.as_list() for part in work.subfigures] == [[0, 0, 100, 100]]
    assert isinstance(work, Prediction) is (score is not None)
    assert score is None or work.scores == (score,)
    assert any("1 outline, read as" in note for note in problems.notes) is (outline != LEFT)


def test_of_a_pose_the_box_is_read(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("kpt_shape: [2, 3]\nnames: [A]\n")
    (work,), problems = read(tmp_path, f"{LEFT} 0.1 0.1 2 0.3 0.3 2")
    assert [part.box.as_list() for part in work.subfigures] == [[0, 0, 100, 100]]
    assert problems.lines == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1 0.25 0.5 0.5", "is no class with a box"),
        ("1 0.25 0.5 0.5 nan", "is no class with a box"),
        ("panel 0.25 0.5 0.5 1", "is no class with a box"),
        ("1 50 50 100 100", "leaves the image, which is 0 to 1"),
        ("1 0.9 0.5 0.5 1", "leaves the image"),
        ("1 0.5 0.5 0 1", "area"),
        (LEFT, "is the box of"),
    ],
)
def test_a_bad_line_is_named_and_costs_no_other(tmp_path: Path, line: str, complaint: str) -> None:
    works, problems = read(tmp_path, f"{LEFT}\n{line}\n", RIGHT)
    assert [len(work.subfigures) for work in works] == [1, 1]
    assert works[1].partly_read is (complaint != "is the box of")
    assert len(problems.lines) == 1
    assert complaint in problems.lines[0]
    assert problems.lines[0].startswith(f"{tmp_path / 'rat.txt'}:2")


def test_scores_before_the_boxes_are_refused_where_only_these_fit(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="unless the score stands before the box"):
        read(tmp_path, "0 0.9 0.25 0.5 0.5 1\n0 0.8 0.75 0.5 0.5 1")


@pytest.mark.parametrize("yaml", ["names: [", "names: [A]\n---\nnames: [B]"])
def test_a_broken_list_of_classes_is_named(tmp_path: Path, yaml: str) -> None:
    (tmp_path / "data.yaml").write_text(yaml)
    with pytest.raises(FormatError, match="not valid YAML"):
        read(tmp_path, LEFT)


def test_lists_of_classes_that_differ_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("names: [A]")
    (tmp_path / "b.yaml").write_text("names: [B]")
    with pytest.raises(FormatError, match="name classes differently"):
        read(tmp_path, LEFT)


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("rat.txt", "rat.png"),
        ("labels/rat.txt", "images/rat.JPG"),
        ("labels/val/rat.txt", "images/val/rat.png"),
    ],
)
def test_without_figures_the_images_beside_give_the_sizes(tmp_path: Path, text: str, image: str) -> None:
    for name in (text, image):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / text).write_text(LEFT)
    Image.new("RGB", (40, 20)).save(tmp_path / image)
    problems = Problems()
    (work,) = read_work(YOLO, tmp_path, problems, Reading())
    assert (work.figure.id, work.figure.width, work.figure.height) == ("rat", 40, 20)
    assert [part.box.as_list() for part in work.subfigures] == [[0, 0, 20, 20]]
    assert problems.lines == []


def test_images_of_unknown_size_are_named(tmp_path: Path) -> None:
    (tmp_path / "cat.txt").write_text(LEFT)
    problems = Problems()
    assert list(read_work(YOLO, tmp_path, problems, Reading())) == []
    (line,) = problems.lines
    assert line.startswith(f"{tmp_path / 'cat.txt'}: its image is neither beside it nor in the folder images")


def test_a_text_or_folder_of_other_texts_is_not_of_this_layout(tmp_path: Path) -> None:
    (tmp_path / "rat.txt").write_text("3 of 5 mice, 0.5 s")
    assert not looks_of(tmp_path / "rat.txt").layouts
    with pytest.raises(FormatError, match="is a directory"):
        looks_of(tmp_path)
    assert read(tmp_path / "empty")[1].lines == [
        f"{tmp_path / 'empty'}: holds no text of YOLO; name the folder of labels"
    ]
