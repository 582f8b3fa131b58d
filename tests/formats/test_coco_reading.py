from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from builders import a_decision, a_figure, a_subfigure, golds
from hypothesis import given
from hypothesis import strategies as st

from annotator.consensus.gold_rule import from_decision
from panelwise.domain.annotation import Annotation
from panelwise.domain.decision import Gold
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.coco import Categories, write_coco
from panelwise.formats.coco_reading import read_coco
from panelwise.formats.losses import Losses

FIGURE = a_figure()


def read(path: Path, figure: Figure = FIGURE, **more: Any) -> tuple[list[Annotation], Problems]:
    def figure_of(figure_id: str, file_name: str) -> Figure:
        if figure.id not in (figure_id, Path(file_name).stem):
            raise FormatError(f'image "{file_name}" is of no figure')
        return figure

    problems = Problems()
    return list(read_coco(path, problems, figure_of, annotator="a", **more)), problems


@given(golds(), st.sampled_from(Categories))
def test_boxes_labels_and_tokens_of_gold_read_back(gold: Gold, categories: Categories) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "coco.json"
        write_coco(file, [gold], Losses("COCO"), categories=categories)
        (back,), problems = read(file, gold.figure)
    assert problems.lines == []
    assert (back.status, back.items, back.saved_at) == (gold.status, gold.items, gold.provenance.decided_at)
    for ours, theirs in zip(gold.subfigures, back.subfigures, strict=True):
        assert (ours.label, ours.subcaption) == (theirs.label, theirs.subcaption)
        assert ours.box.as_list() == pytest.approx(theirs.box.as_list(), abs=1e-6)


def a_file(tmp_path: Path, **change: Any) -> Path:
    whole = {
        "images": [{"id": 7, "file_name": "f1.png", "width": 800, "height": 600}],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 3, "bbox": [400, 0, 400, 600]},
            {"id": 2, "image_id": 7, "category_id": 3, "bbox": [0, 0, 400, 600]},
        ],
        "categories": [{"id": 3, "name": "panel"}],
        **change,
    }
    (tmp_path / "c.json").write_text(json.dumps(whole, indent=1))
    return tmp_path / "c.json"


def test_boxes_of_others_get_letters_in_reading_order(tmp_path: Path) -> None:
    (found,), problems = read(a_file(tmp_path))
    assert [(each.label, each.box.x0) for each in found.subfigures] == [("B", 400), ("A", 0)]
    assert problems.lines == []
    assert "without a label: 2 boxes" in problems.notes[0]


def test_categories_that_name_panels_are_labels_wherever_they_stand(tmp_path: Path) -> None:
    file = a_file(tmp_path)
    whole = json.loads(file.read_text())
    whole["categories"] = [{"id": 3, "name": "C"}]
    file.write_text(json.dumps(dict(reversed(whole.items()))))
    (found,), problems = read(file)
    assert [each.label for each in found.subfigures] == ["C", "C"]
    assert problems.lines == []
    assert "one label on several boxes in 1 figure" in problems.notes[0]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ({"bbox": [0, 0, 0, 5]}, "has no area"),
        ({"bbox": [0, 5, 3, -0.0]}, "has no area"),
        ({"bbox": [0, 0, 5]}, "not a list of 4 numbers"),
        ({"bbox": [0, 0, 5, "x"]}, "not a list of 4 numbers"),
        ({"image_id": 8}, "which no image has"),
        ({"image_id": None}, "is no whole number"),
        ({"iscrowd": 1}, "a crowd"),
    ],
)
def test_a_bad_box_costs_only_itself(tmp_path: Path, bad: dict[str, Any], complaint: str) -> None:
    good = {"image_id": 7, "category_id": 3, "bbox": [0, 0, 400, 600]}
    (found,), problems = read(a_file(tmp_path, annotations=[{**good, **bad}, good]))
    assert len(found.subfigures) == 1
    assert len(problems.lines) == 1
    assert complaint in problems.lines[0]
    assert problems.lines[0].startswith(f"{tmp_path / 'c.json'}:")


@pytest.mark.parametrize(
    ("image", "complaint"),
    [
        ({"id": 7, "file_name": "other.png"}, "of no figure"),
        ({"id": 7, "file_name": "f1.png", "width": 400}, "scale the boxes"),
        ({"id": "seven", "file_name": "f1.png"}, '"images.id" holds a text'),
        ({"id": 7, "file_name": "f1.png", "width": 800}, None),
        ({"id": 7, "file_name": "f1.png", "width": 0, "height": 0}, None),
        ({"id": 7, "figure_id": "f1", "panelwise": {"text": "x", "tokens": [{"start": 0, "end": 1}]}}, "differs"),
    ],
)
def test_a_bad_image_is_named(tmp_path: Path, image: dict[str, Any], complaint: str | None) -> None:
    found, problems = read(a_file(tmp_path, images=[image]))
    assert bool(found) is (complaint is None)
    assert complaint is None or complaint in problems.lines[0]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ({"bbox": [700, 0, 400, 600]}, "leaves the image"),
        ({"panelwise": {"subcaption": [9]}}, "are 0, a subcaption names number 9"),
    ],
)
def test_a_box_that_does_not_fit_its_figure_costs_only_itself(
    tmp_path: Path, bad: dict[str, Any], complaint: str
) -> None:
    good = {"image_id": 7, "category_id": 3, "bbox": [0, 0, 400, 600]}
    (found,), problems = read(a_file(tmp_path, annotations=[{**good, **bad}, good]))
    assert [each.label for each in found.subfigures] == ["A"]
    (line,) = problems.lines
    assert complaint in line
    assert line.endswith("left this box out")


@pytest.mark.parametrize("bbox", [[700, 0, 400, 600], [0, 0, 0, 0]])
def test_an_image_that_lost_all_its_boxes_does_not_pass_for_one_without_any(
    tmp_path: Path, bbox: list[int]
) -> None:
    found, problems = read(a_file(tmp_path, annotations=[{"image_id": 7, "category_id": 3, "bbox": bbox}]))
    assert found == []
    assert "none of this image's boxes" in problems.lines[1]
    assert problems.count == 2


def test_a_file_cut_off_before_an_images_boxes_is_refused(tmp_path: Path) -> None:
    file = a_file(tmp_path)
    file.write_text(file.read_text().split('"annotations"')[0])
    with pytest.raises(FormatError, match="the file is cut off: get a whole copy"):
        read(file)


def test_an_image_without_boxes_in_a_sound_file_is_work_without_boxes(tmp_path: Path) -> None:
    (found,), problems = read(a_file(tmp_path, annotations=[]))
    assert found.subfigures == ()
    assert problems.count == 0
    assert "without a box: 1 image" in problems.notes[0]


def test_a_second_image_of_a_figure_is_told_and_the_first_kept(tmp_path: Path) -> None:
    images = [{"id": number, "file_name": "f1.png"} for number in (7, 8)]
    (found,), problems = read(a_file(tmp_path, images=images))
    assert len(found.subfigures) == 2
    assert 'figure "f1" was given before' in problems.lines[0]


def test_categories_that_are_listed_twice_or_not_at_all_are_told(tmp_path: Path) -> None:
    boxes = [{"image_id": 7, "category_id": number, "bbox": [0, 0, 400, 600]} for number in (3, 4)]
    file = a_file(tmp_path, annotations=boxes, categories=[{"id": 3, "name": "K"}, {"id": 3, "name": "L"}])
    (found,), problems = read(file)
    assert [each.label for each in found.subfigures] == ["K", "A"]
    assert "kept the first" in problems.lines[0]
    assert "the file does not list category 4, of 1 box" in problems.notes[0]


def test_what_is_no_coco_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"a": 1}')
    found, problems = read(tmp_path / "c.json")
    assert found == []
    assert 'has no list "annotations"; is it a file of another layout?' in problems.lines[0]
    assert 'has no list "images"' in problems.lines[1]


def test_a_figure_with_overlapping_and_equal_subcaptions_reads_back(tmp_path: Path) -> None:
    parts = (a_subfigure("A", tokens=(4, 6)), a_subfigure("B", tokens=(4, 6)), a_subfigure("C", tokens=(6, 20)))
    gold = from_decision(a_decision(FIGURE, subfigures=parts))
    write_coco(tmp_path / "c.json", [gold], Losses("COCO"))
    (found,), _ = read(tmp_path / "c.json")
    assert found.subfigures == parts


def one_line(tmp_path: Path, **change: Any) -> Path:
    file = a_file(tmp_path, **change)
    file.write_text(json.dumps(json.loads(file.read_text())))
    return file


@pytest.mark.parametrize("make", [a_file, one_line])
def test_a_repeated_id_is_named_whatever_the_lines_of_the_file(tmp_path: Path, make: Any) -> None:
    images = [{"id": 7, "file_name": name} for name in ("f1.png", "f2.png")]
    found, problems = read(make(tmp_path, images=images))
    assert [(each.figure.id, len(each.subfigures)) for each in found] == [("f1", 2)]
    assert '"images.id" is 7, as of' in problems.lines[0]
    assert problems.lines[0].endswith("left this image out")
    found, problems = read(make(tmp_path, categories=[{"id": 3, "name": name} for name in ("K", "L")]))
    assert '"categories.id" is 3, as of' in problems.lines[0]


def test_a_box_that_is_there_twice_is_one_and_another_under_its_id_is_named_too(tmp_path: Path) -> None:
    box = {"id": 1, "image_id": 7, "category_id": 3, "bbox": [0, 0, 400, 600], "label": "A"}
    other = {**box, "bbox": [400, 0, 400, 600], "label": "B"}
    unnumbered = {**box, "id": None, "label": "C"}
    (found,), problems = read(one_line(tmp_path, annotations=[box, box, other, unnumbered]))
    assert [each.label for each in found.subfigures] == ["A", "B", "C"]
    [line] = problems.lines
    assert '"annotations.id" of 2 boxes is an earlier one\'s' in line


def test_harmless_deviations_of_a_box_are_put_right_with_a_note(tmp_path: Path) -> None:
    boxes = [
        {"image_id": 7, "bbox": [400, 600, -400, -600], "label": " A"},
        {"image_id": 7, "bbox": [1, 0, 800, 600]},
    ]
    (found,), problems = read(a_file(tmp_path, annotations=boxes))
    assert [(each.label, each.box.as_list()) for each in found.subfigures] == [
        ("A", [0, 0, 400, 600]),
        ("B", [1, 0, 800, 600]),
    ]
    assert problems.lines == []
    assert sum("read as" in note for note in problems.notes) == 3


def test_a_file_whose_boxes_are_under_another_key_has_no_images_without_boxes(tmp_path: Path) -> None:
    file = a_file(tmp_path)
    whole = json.loads(file.read_text())
    file.write_text(json.dumps({("objects" if key == "annotations" else key): whole[key] for key in whole}))
    found, problems = read(file)
    assert found == []
    assert 'has no list "annotations"' in problems.lines[0]


@pytest.mark.parametrize("bad", [{"iscrowd": 1}, {"bbox": [], "segmentation": [[0, 0, 5, 0, 5, 5]]}])
def test_an_image_of_crowds_and_outlines_alone_is_none_without_boxes(tmp_path: Path, bad: dict[str, Any]) -> None:
    boxes = [{"image_id": 7, "bbox": [0, 0, 4, 6], **bad}] * 2
    found, problems = read(a_file(tmp_path, annotations=boxes))
    assert found == []
    assert "none of this image's boxes could be read" in problems.lines[-1]


@pytest.mark.parametrize(
    ("key", "inside"),
    [
        ("rater_id", ""),
        ("annotator", "attributes"),
        ("Annotator", "attributes"),
        ("annotated_by", ""),
        ("user_id", ""),
        ("annotator", "metadata"),
    ],
)
def test_boxes_of_several_authors_are_never_one_persons(tmp_path: Path, key: str, inside: str) -> None:
    def by(name: Any) -> dict[str, Any]:
        return {inside: {key: name, "occluded": False}} if inside else {key: name}

    boxes = [
        {"id": number, "image_id": 7, "bbox": [0, 0, 9 * number, 9], "label": "A", **by(name)}
        for number, name in enumerate(("ann", "ben", 3), start=1)
    ]
    images = [
        {"id": 7, "file_name": "f1.png", "rater_list": ["ann", "ben", "cleo"]},
        {"id": 8, "file_name": "x.png"},
    ]
    file = a_file(tmp_path, annotations=boxes, images=images)
    with pytest.raises(FormatError, match=r"work of 3 annotators \(3, ann, ben\).*choose one with --account"):
        read(file)
    (found,), problems = read(file, account="ben")
    assert [each.box.x1 for each in found.subfigures] == [18]
    assert problems.lines == []
    assert any('not worked on by "ben": 1 image' in note for note in problems.notes)
    with pytest.raises(FormatError, match='holds no work of "dora"'):
        read(file, account="dora")


def test_images_of_several_authors_are_never_one_persons(tmp_path: Path) -> None:
    images = [
        {"id": 7, "file_name": "f1.png", "annotator": "ann", "creator": "a photographer"},
        {"id": 8, "file_name": "f1.png", "annotator": "ben"},
    ]
    file = a_file(tmp_path, images=images)
    with pytest.raises(FormatError, match=r"work of 2 annotators \(ann, ben\)"):
        read(file)
    (found,), problems = read(file, account="ann")
    assert len(found.subfigures) == 2
    assert problems.lines == []


def test_a_box_that_may_be_any_images_leaves_no_image_as_work_without_boxes(tmp_path: Path) -> None:
    found, problems = read(a_file(tmp_path, annotations=[{"id": 1, "image_id": None, "bbox": [0, 0, 9, 9]}]))
    assert found == []
    assert '"annotations.image_id" is no whole number' in problems.lines[0]
    assert "none of this image's boxes could be read" in problems.lines[1]


def test_a_box_with_nan_is_left_out_and_a_nan_elsewhere_is_read_as_null(tmp_path: Path) -> None:
    boxes = [
        {"id": 1, "image_id": 7, "bbox": [0, 0, float("nan"), 9]},
        {"id": 2, "image_id": 7, "bbox": [0, 0, 9, 9], "area": float("nan"), "note": "a: NaN, b"},
    ]
    file = a_file(tmp_path, annotations=boxes)
    (found,), problems = read(file)
    assert [each.box.as_list() for each in found.subfigures] == [[0, 0, 9, 9]]
    assert "is not a list of 4 numbers" in problems.lines[0]
    assert problems.notes[0] == f"{file}: holds NaN, which is no number in JSON; read as null"


@pytest.mark.parametrize("odd", [float("inf"), float("-inf")])
def test_a_box_with_infinity_costs_itself_and_is_named_by_its_number_in_a_line(tmp_path: Path, odd: float) -> None:
    boxes = [
        {"id": 1, "image_id": 7, "bbox": [0, 0, 9, 9], "score": odd},
        {"id": 2, "image_id": 7, "bbox": [odd, 0, 9, 9]},
    ]
    file = a_file(tmp_path, annotations=boxes)
    file.write_text(json.dumps(json.loads(file.read_text())))
    (found,), problems = read(file)
    assert [each.box.as_list() for each in found.subfigures] == [[0, 0, 9, 9]]
    assert found.partly_read
    assert problems.lines == [f'{file}:1: object 2: "annotations.bbox" is not a list of 4 numbers']
    assert any("Infinity, which is no number in JSON" in note for note in problems.notes)


def test_verdicts_of_which_none_can_be_read_refuse_the_image(tmp_path: Path) -> None:
    image = {"id": 7, "file_name": "f1.png", "panelwise": {"verdicts": [{"instance_id": "q", "verdict": "no"}]}}
    found, problems = read(a_file(tmp_path, images=[image]))
    assert found == []
    assert "give Correct or Incorrect.Edit; left the annotation out" in problems.lines[0]


@pytest.mark.parametrize("crowd", ["false", "0", 0, 0.0, False, None, "", "no"])
def test_a_box_that_is_no_crowd_in_any_spelling_is_read(tmp_path: Path, crowd: object) -> None:
    box = {"id": "1", "image_id": 7.0, "category_id": "3", "bbox": ["0", "0.0", 400, "600"], "iscrowd": crowd}
    (found,), problems = read(a_file(tmp_path, annotations=[box]))
    assert [each.box.as_list() for each in found.subfigures] == [[0, 0, 400, 600]]
    assert problems.lines == []


@pytest.mark.parametrize(
    ("crowd", "complaint"), [("true", "a crowd"), (1, "a crowd"), ("perhaps", "neither true nor")]
)
def test_a_crowd_in_any_spelling_is_left_out_and_named(tmp_path: Path, crowd: object, complaint: str) -> None:
    box = {"id": 1, "image_id": 7, "category_id": 3, "bbox": [0, 0, 400, 600], "iscrowd": crowd}
    found, problems = read(a_file(tmp_path, annotations=[box]))
    assert found == []
    assert complaint in problems.lines[0]


@pytest.mark.parametrize("where", ["attributes", ""])
def test_a_rotated_box_is_read_as_the_upright_one_around_it_with_a_note(tmp_path: Path, where: str) -> None:
    turned = {"rotation": 90.0}
    boxes = [
        {"id": 1, "image_id": 7, "bbox": [100, 200, 40, 20], **({where: turned} if where else turned)},
        {"id": 2, "image_id": 7, "bbox": [0, 0, 40, 20], "attributes": {"rotation": 180}},
        {"id": 3, "image_id": 7, "bbox": [0, 50, 40, 20], "attributes": ["rotated"]},
    ]
    (found,), problems = read(a_file(tmp_path, annotations=boxes))
    assert found.subfigures[0].box.as_list() == pytest.approx([110, 190, 130, 230])
    assert [each.box.as_list() for each in found.subfigures[1:]] == [[0, 0, 40, 20], [0, 50, 40, 70]]
    (line,) = [note for note in problems.notes if "is rotated by" in note]
    assert line.endswith("a box is rotated by 90 degrees; read as the upright rectangle around it")


def test_boxes_without_an_author_among_those_of_one_are_named(tmp_path: Path) -> None:
    boxes = [
        {"id": 1, "image_id": 7, "bbox": [0, 0, 40, 20], "annotator": "x"},
        {"id": 2, "image_id": 7, "bbox": [0, 50, 40, 20]},
    ]
    (found,), problems = read(a_file(tmp_path, annotations=boxes))
    assert len(found.subfigures) == len(boxes)
    assert any("without an author: 1 box; came in as a's, as the others did" in note for note in problems.notes)
    (found,), problems = read(a_file(tmp_path, annotations=boxes), account="x")
    assert len(found.subfigures) == 1
    assert any("without an author: 1 box; left out" in note for note in problems.notes)


def test_boxes_in_fractions_of_the_image_are_refused_with_the_cause(tmp_path: Path) -> None:
    boxes = [{"id": at, "image_id": 7, "bbox": [at / 2, 0, 0.5, 1]} for at in (0, 1)]
    found, problems = read(a_file(tmp_path, annotations=boxes))
    assert found == []
    (line,) = problems.lines
    assert "look like fractions of the image; give pixels (800 x 600)" in line


def numbered(*numbers: int, at: int = 0) -> list[dict[str, Any]]:
    """Boxes from the right to the left, of these categories."""
    places = range(len(numbers), 0, -1)
    return [
        {"id": place, "image_id": 7, "category_id": number, "bbox": [place * 90, at, 80, 80]}
        for place, number in zip(places, numbers, strict=True)
    ]


@pytest.mark.parametrize(("listed", "used"), [((1, 2, 3), (0, 1, 2)), ((0, 1, 2), (3, 1)), ((1, 2), (0,))])
def test_categories_counted_from_0_and_listed_from_1_are_refused_not_read_off_by_one(
    tmp_path: Path, listed: tuple[int, ...], used: tuple[int, ...]
) -> None:
    categories = [{"id": number, "name": name} for number, name in zip(listed, "ABC", strict=False)]
    file = a_file(tmp_path, annotations=numbered(*used), categories=categories)
    with pytest.raises(FormatError, match="so that labels may be off by one; give both the same numbers"):
        read(file)


@pytest.mark.parametrize(
    ("categories", "used", "labels"),
    [
        ([], (0, 1), ["B", "A"]),
        ([{"id": 1, "name": "panel"}, {"id": 2, "name": "Subfigure"}], (0, 1), ["B", "A"]),
        ([{"id": 1, "name": "C"}, {"id": 2, "name": "D"}], (9, 2), ["A", "D"]),
        ([{"id": 0, "name": "C"}, {"id": 1, "name": "D"}], (0, 1), ["C", "D"]),
    ],
    ids=["no list", "generic names", "one unknown", "from 0"],
)
def test_boxes_whose_category_has_no_name_get_letters_in_reading_order_with_a_note(
    tmp_path: Path, categories: list[dict[str, Any]], used: tuple[int, ...], labels: list[str]
) -> None:
    (found,), problems = read(a_file(tmp_path, annotations=numbered(*used), categories=categories))
    assert [each.label for each in found.subfigures] == labels
    assert problems.lines == []
    assert any("gave letters in reading order" in note for note in problems.notes) == ("A" in labels)


def test_a_small_box_beside_pixels_and_one_on_a_tiny_image_are_read(tmp_path: Path) -> None:
    boxes = [{"id": at, "image_id": 7, "bbox": box} for at, box in enumerate(([0, 0, 0.5, 1], [9, 9, 9, 9]))]
    (found,), _ = read(a_file(tmp_path, annotations=boxes))
    assert len(found.subfigures) == 2
    images = [{"id": 7, "file_name": "f1.png", "width": 4, "height": 3}]
    tiny = a_file(tmp_path, annotations=boxes[:1], images=images)
    (found,), _ = read(tiny, a_figure(width=4, height=3))
    assert len(found.subfigures) == 1


@pytest.mark.parametrize(("bbox", "partly"), [([5, 5, 0, 9], False), ([5, 5, 9000, 9], True)])
def test_a_box_without_area_is_named_and_nothing_is_missing_without_it(
    tmp_path: Path, bbox: list[int], partly: bool
) -> None:
    good = {"id": 1, "image_id": 7, "category_id": 3, "bbox": [0, 0, 400, 600]}
    path = a_file(tmp_path, annotations=[good, {**good, "id": 2, "bbox": bbox}])
    (work,), problems = read(path)
    assert (len(work.subfigures), work.partly_read, problems.count) == (1, partly, 1)


@pytest.mark.parametrize(
    ("more", "label"),
    [
        ({"category_name": "C"}, "C"),
        ({"category_name": "C", "category_id": 3}, "A"),
        ({"category_name": "C", "label": "D"}, "D"),
        ({"category_name": "panel"}, "A"),
        ({"category_name": None}, "A"),
    ],
)
def test_a_box_that_names_its_category_itself_has_its_label(
    tmp_path: Path, more: dict[str, Any], label: str
) -> None:
    box = {"id": 1, "image_id": 7, "bbox": [0, 0, 400, 600], **more}
    (found,), problems = read(a_file(tmp_path, annotations=[box]))
    assert ([part.label for part in found.subfigures], problems.lines) == ([label], [])
