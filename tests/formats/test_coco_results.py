"""The boxes of a detector in COCO's results array become predictions of the figures they were made on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.image_names import ImageNames
from panelwise.formats.layout import Reading, read_work
from panelwise.formats.registry import COCO_RESULTS

FIGURES = {
    name: Figure(name, f"images/{name}.png", 200, 100, Caption.cut("Two panels."))
    for name in ("17", "000000000139", "rat-liver")
}


def shown(figure_id: str, file_name: str) -> Figure | None:
    ids = (figure_id,) if figure_id in FIGURES else ImageNames(FIGURES.values()).figures_of(file_name)
    return FIGURES[ids[0]] if ids else None


def box(image: Any, bbox: Any = (10, 10, 50, 40), score: Any = 0.75, category: Any = 1) -> dict[str, Any]:
    return {"image_id": image, "category_id": category, "bbox": bbox, "score": score}


def read(tmp_path: Path, *boxes: Any, **reading: Any) -> tuple[dict[str, Prediction], Problems]:
    path, problems = tmp_path / "yolo.json", Problems()
    path.write_text(json.dumps(boxes))
    how = Reading(**{"image": shown, "annotator": "yolo", **reading})
    work = list(read_work(COCO_RESULTS, path, problems, how))
    assert all(isinstance(each, Prediction) for each in work)
    return {each.figure.id: each for each in work if isinstance(each, Prediction)}, problems


def numbering(tmp_path: Path, **change: Any) -> Path:
    file = tmp_path / "val.json"
    image = {"id": 17, "file_name": "rat-liver.png", "width": 200, "height": 100, **change}
    categories = [{"id": 1, "name": "panel"}, {"id": 2, "name": "B"}]
    file.write_text(json.dumps({"images": [image], "annotations": [], "categories": categories}))
    return file


def test_boxes_are_pixels_from_corner_and_size_with_their_scores(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box("rat-liver", [100.5, 0, 60, 100], 0.25))
    (part,) = found["rat-liver"].subfigures
    assert part.box.as_list() == [100.5, 0, 160.5, 100]
    assert found["rat-liver"].scores == (0.25,)
    assert found["rat-liver"].model_version == "yolo"
    assert problems.count == 0


def test_images_are_matched_by_id_by_name_and_by_the_digits_of_the_dataset(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box(17), box("images/rat-liver.png"), box(139))
    assert sorted(found) == ["000000000139", "17", "rat-liver"]
    assert problems.count == 0
    assert any("name it with --coco" in note for note in problems.notes)


def test_ids_of_a_coco_file_are_its_images_whatever_figures_are_called(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box(17), box(17, [60, 10, 50, 40], category=2), numbered=numbering(tmp_path))
    assert list(found) == ["rat-liver"]
    assert [part.label for part in found["rat-liver"].subfigures] == ["A", "B"]
    assert problems.lines == problems.notes == []


def test_names_are_figures_beside_a_coco_file_that_numbers_its_images(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box(17), box("000000000139"), box(139), numbered=numbering(tmp_path))
    assert list(found) == ["rat-liver", "000000000139"]
    assert "1 image id of 3 match no figure: 139; left out 1 box; import the figures" in problems.lines[0]


def test_boxes_made_on_a_smaller_copy_of_the_image_are_refused(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box(17), numbered=numbering(tmp_path, width=100))
    assert found == {}
    assert "scale the boxes to it" in problems.lines[0]


def test_unmatched_images_are_named_in_one_line_with_their_boxes(tmp_path: Path) -> None:
    found, problems = read(
        tmp_path, box(17), *(box(number, [1, number, 9, 9]) for number in range(20, 27)), box(20)
    )
    assert list(found) == ["17"]
    assert problems.lines == [
        f"{tmp_path / 'yolo.json'}: 7 image ids of 8 match no figure: 20, 21, 22, 23, 24, ...; left out 8 boxes; "
        "import the figures, or name the COCO file of these ids with --coco"
    ]


def test_boxes_below_the_least_score_are_left_out_and_counted(tmp_path: Path) -> None:
    boxes = [box(17, [1, place, 9, 9], place / 10) for place in range(1, 6)]
    found, problems = read(tmp_path, *boxes, least_score=0.3)
    assert found["17"].scores == (0.3, 0.4, 0.5)
    assert f"{tmp_path / 'yolo.json'}: left out 2 of 5 boxes, with a score below 0.3" in problems.notes


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (box(17, [150, 10, 90, 40]), "leaves the image"),
        (box(17, [10, 10, 0, 40]), "has no area"),
        (box(17, [10, 10, 40]), "is not a list of 4 numbers"),
        (box(17, [10, 10, 40, float("nan")]), "is not a list of 4 numbers"),
        (box(17, score=float("nan")), '"score" is missing'),
        (box(17, score=7.5), "outside [0, 1]"),
        (box(17, score="high"), "holds a text, not a number"),
        (box(17.5), "not a whole number"),
        (box(17, category="panel"), '"category_id" holds a text'),
        ({"image_id": 17, "score": 0.5, "bbox": None}, '"bbox" is missing'),
        (17, "not an object"),
    ],
)
def test_a_bad_box_is_named_by_line_and_costs_no_other(tmp_path: Path, bad: Any, complaint: str) -> None:
    found, problems = read(tmp_path, box(17, [1, 1, 30, 30]), bad, box("rat-liver"))
    assert [len(found[name].subfigures) for name in ("17", "rat-liver")] == [1, 1]
    assert len(problems.lines) == 1
    assert complaint in problems.lines[0]
    assert problems.lines[0].startswith(f"{tmp_path / 'yolo.json'}:1: ")


def test_the_same_box_twice_counts_once_and_is_named(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box(17), box(17), box(17, score=0.5))
    assert len(found["17"].subfigures) == 2
    assert "1 box there before" in problems.lines[0]


def test_boxes_in_fractions_of_the_image_are_refused_with_the_cause(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box(17, [0.1, 0.1, 0.5, 0.5]), box("rat-liver"))
    assert list(found) == ["rat-liver"]
    assert "look like fractions of the image" in problems.lines[0]


def test_categories_without_names_are_noted(tmp_path: Path) -> None:
    found, problems = read(tmp_path, box("rat-liver"), box("rat-liver", [70, 10, 50, 40], category=9))
    assert [part.label for part in found["rat-liver"].subfigures] == ["A", "B"]
    assert any("2 categories without a name (1, 9)" in note for note in problems.notes)


def test_a_file_that_is_cut_off_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([box(17), box(139)])[:-20])
    with pytest.raises(FormatError, match="cut off"):
        list(read_work(COCO_RESULTS, path, Problems(), Reading(image=shown)))


@pytest.mark.parametrize(("there", "here"), [(17, "17"), ("17", 17), (17.0, "17"), ("a.png", "a.png")])
def test_an_id_is_the_same_as_a_text_or_a_number(tmp_path: Path, there: Any, here: Any) -> None:
    found, problems = read(tmp_path, box(here), numbered=numbering(tmp_path, id=there))
    assert (list(found), problems.lines) == (["rat-liver"], [])


def test_repeated_ids_of_a_coco_file_are_named_and_the_first_counts(tmp_path: Path) -> None:
    file = numbering(tmp_path)
    whole = json.loads(file.read_text())
    whole["images"].append({**whole["images"][0], "file_name": "17.png"})
    whole["categories"] = [{"id": 2, "name": "B"}, {"id": 2, "name": "C"}]
    file.write_text(json.dumps(whole))
    found, problems = read(tmp_path, box(17, category=2), numbered=file)
    assert [part.label for part in found["rat-liver"].subfigures] == ["B"]
    assert problems.lines == [
        f'{file}:1: object 2: "images.id" is 17, as of an earlier one; kept the first',
        f'{file}:1: object 2: "categories.id" is 2, as of an earlier one; kept the first',
    ]


def test_categories_counted_otherwise_than_in_the_coco_file_are_refused(tmp_path: Path) -> None:
    file = numbering(tmp_path)
    whole = json.loads(file.read_text())
    whole["categories"] = [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]
    file.write_text(json.dumps(whole))
    with pytest.raises(FormatError, match=r"categories 0 to 1, and 1 to 2 are listed \(1 is \"A\"\)"):
        read(tmp_path, box(17, category=0), box(17, [50, 0, 20, 40], category=1), numbered=file)


def test_a_box_that_names_its_category_needs_no_coco_file(tmp_path: Path) -> None:
    boxes = [{**box("17", [at, 0, 20, 40]), "category_name": name} for at, name in ((0, "C"), (50, "panel"))]
    found, problems = read(tmp_path, *boxes)
    assert [part.label for part in found["17"].subfigures] == ["C", "A"]
    assert problems.lines == []
