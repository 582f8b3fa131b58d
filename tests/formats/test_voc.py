"""Pascal VOC: people's boxes become work, a detector's with scores predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.detect import check_layout
from panelwise.formats.layout import Reading, read_work
from panelwise.formats.registry import VOC

FIGURE = Figure("rat", "rat.png", 200, 100, Caption.cut("Two panels."))


def an_object(sides: str = "10 10 60 50", more: str = "", name: str = "panel") -> str:
    named = zip(("xmin", "ymin", "xmax", "ymax"), sides.split(), strict=False)
    box = "".join(f"<{side}>{value}</{side}>" for side, value in named)
    return f"<object><name>{name}</name>{more}<bndbox>{box}</bndbox></object>\n"


def a_file(*objects: str, width: object = 200, height: object = 100, name: str = "rat.png") -> str:
    size = f"<size><width>{width}</width><height>{height}</height><depth>3</depth></size>"
    return f"<annotation>\n<filename>{name}</filename>{size}\n{''.join(objects)}</annotation>\n"


def read(folder: Path, *files: str, known: Figure | None = FIGURE, **more: Any) -> tuple[list[Any], Problems]:
    for number, text in enumerate(files):
        (folder / f"{number}.xml").write_text(text)
    problems = Problems()
    how = Reading("ann", "2", image=lambda _id, name: known if Path(name).stem == "rat" else None, **more)
    return list(read_work(VOC, folder, problems, how)), problems


def test_boxes_are_work_of_the_named_annotator_with_letters_for_generic_names(tmp_path: Path) -> None:
    (work,), problems = read(tmp_path, a_file(an_object("110 10 160 50"), an_object(), an_object(name="C")))
    assert isinstance(work, Annotation)
    assert (work.figure, work.annotator, work.phase, work.partly_read) == (FIGURE, "ann", "2", False)
    assert [(part.label, part.box.as_list()) for part in work.subfigures] == [
        ("B", [110, 10, 160, 50]),
        ("A", [10, 10, 60, 50]),
        ("C", [10, 10, 60, 50]),
    ]
    assert problems.lines == []


@pytest.mark.parametrize("key", ["score", "confidence"])
def test_boxes_with_scores_are_predictions(tmp_path: Path, key: str) -> None:
    objects = [an_object(more=f"<{key}>{score}</{key}>") for score in (0.25, 0.75)]
    (work, empty), problems = read(tmp_path, a_file(*objects), a_file(name="mouse.png"), least_score=0.5)
    assert isinstance(work, Prediction)
    assert (work.model_version, work.scores) == ("ann", (0.75,))
    assert isinstance(empty, Prediction)
    assert problems.lines == []


def test_an_object_without_a_score_beside_others_is_named_and_left_out(tmp_path: Path) -> None:
    (work,), problems = read(tmp_path, a_file(an_object(), an_object(more="<score>0.5</score>")))
    assert work.scores == (0.5,)
    assert problems.lines == [
        f"{tmp_path / '0.xml'}:3: the object has no score, as others have; left this box out"
    ]


def test_a_figure_that_is_not_known_is_as_the_file_describes_it(tmp_path: Path) -> None:
    (work,), _ = read(tmp_path, a_file(an_object(), name="deep/mouse.jpg"))
    assert (work.figure.id, work.figure.width, work.figure.height) == ("deep/mouse", 200, 100)


@pytest.mark.parametrize(
    ("objects", "complaint"),
    [
        (an_object("10 10 60"), '"bndbox.ymax" is missing'),
        (an_object("10 10 nan 50"), '"bndbox.xmax" is missing'),
        (an_object("10 10 260 50"), "leaves the image"),
        (an_object("10 10 10 50"), "area"),
        (an_object(more="<score>7</score>"), "outside [0, 1]"),
        ("<object><name>x</name><polygon/></object>\n", '"bndbox.xmin" is missing'),
    ],
)
def test_a_bad_box_is_named_and_the_image_is_partly_read(tmp_path: Path, objects: str, complaint: str) -> None:
    (work,), problems = read(tmp_path, a_file(an_object(), objects))
    assert (len(work.subfigures), work.partly_read) == (1, True)
    (line,) = problems.lines
    assert complaint in line
    assert line.startswith(f"{tmp_path / '0.xml'}:")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<annotation><object>", "not valid XML"),
        ("", "not valid XML"),
        ("<article/>", "XML of another kind"),
        (
            '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><annotation><filename>&x;</filename>',
            "not valid XML",
        ),
        (a_file(an_object(), width=100), "scale the boxes to it"),
        (a_file(an_object("0.1 0.1 0.5 0.5")), "look like fractions"),
        (a_file(an_object("1 2 3")), "none of this image's boxes could be read"),
        (a_file(an_object(), name="mouse.png", width=0), '"images.width" is missing'),
    ],
)
def test_a_bad_file_is_named_and_costs_no_other(tmp_path: Path, text: str, complaint: str) -> None:
    (work,), problems = read(tmp_path, a_file(an_object()), text)
    assert work.figure.id == "rat"
    assert complaint in problems.lines[-1]
    assert all(line.startswith(f"{tmp_path / '1.xml'}") for line in problems.lines)


def test_parts_of_objects_are_named_and_are_no_boxes(tmp_path: Path) -> None:
    head = (
        "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></part>"
    )
    (work,), problems = read(tmp_path, a_file(an_object(more=head), an_object("110 10 160 50")))
    assert [part.box.as_list() for part in work.subfigures] == [[10, 10, 60, 50], [110, 10, 160, 50]]
    assert f"{tmp_path / '0.xml'}: left out 1 part of objects, which are no objects themselves" in problems.notes
    assert problems.lines == []


def test_objects_within_another_element_are_read_and_boxes_of_no_object_are_named(tmp_path: Path) -> None:
    loose = "<item><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></item>\n"
    (work,), problems = read(tmp_path, a_file(f"<objects>{an_object()}</objects>\n", loose))
    assert [part.box.as_list() for part in work.subfigures] == [[10, 10, 60, 50]]
    assert work.partly_read
    (line,) = problems.lines
    assert line.endswith("a bndbox stands in no object; left this box out")
    works, problems = read(tmp_path, a_file(loose))
    assert (works, len(problems.lines)) == ([], 2)


def by(name: str, sides: str = "10 10 60 50") -> str:
    return an_object(sides, more=f"<annotator>{name}</annotator>")


def test_boxes_of_several_authors_are_no_one_persons_work(tmp_path: Path) -> None:
    files = a_file(by("ann"), by("ben", "110 10 160 50")), a_file(by("ben"))
    with pytest.raises(FormatError, match=r"work of 2 annotators \(ann, ben\).*choose one with --account"):
        read(tmp_path, *files)
    problems = Problems()
    works = list(read_work(VOC, tmp_path, problems, Reading("a", account="ann", image=lambda *_: FIGURE)))
    assert [[part.box.as_list() for part in work.subfigures] for work in works] == [[[10, 10, 60, 50]]]
    alone, problems = read(tmp_path, a_file(by("ann")), a_file(an_object()))
    assert (len(alone), problems.lines) == (2, [])


def test_a_size_of_zero_is_an_unknown_one(tmp_path: Path) -> None:
    (work,), problems = read(tmp_path, a_file(an_object(), width=0, height=0))
    assert (work.figure, problems.lines) == (FIGURE, [])


def test_images_without_boxes_and_boxes_without_labels_are_noted_once_for_a_folder(tmp_path: Path) -> None:
    works, problems = read(tmp_path, a_file(), a_file(an_object(), an_object("110 10 160 50")), a_file())
    assert [len(work.subfigures) for work in works] == [0, 2, 0]
    assert problems.lines == []
    assert problems.notes == [
        f"{tmp_path}: without a label: 2 boxes; gave letters in reading order",
        f"{tmp_path}: without a box: 2 images; came in as figures without subfigures",
    ]


@pytest.mark.parametrize("name", ["other.txt", "train/0.xml"])
def test_a_folder_without_files_of_this_layout_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / name).write_text(a_file(an_object()))
    with pytest.raises(FormatError, match="holds no file of Pascal VOC; name the folder that these are in"):
        check_layout(tmp_path, VOC)
