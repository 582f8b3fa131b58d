"""Boxes with quoted words of the caption: keys and forms of several programs, and words that are no quotes."""

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
from panelwise.formats.detect import looks_of
from panelwise.formats.layout import Reading, read_work
from panelwise.formats.registry import QUOTED_BOXES

TEXT = "Rats in a maze. (A) The maze seen\nfrom above. (B) Time in the maze, mean of nine rats."
FIGURE = Figure("rat", "rat.png", 800, 400, Caption.cut(TEXT))
A, B = "The maze seen from above.", "Time in the maze, mean of nine rats."
LEFT, RIGHT = [0, 0, 400, 400], [400, 0, 800, 400]


def a_panel(label: str, box: Any, text: str = "", **more: Any) -> dict[str, Any]:
    return {"label": label, "bbox": box, **({"text": text} if text else {}), **more}


def a_record(*panels: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"image": "rat.png", "panels": panels or [a_panel("A", LEFT, A), a_panel("B", RIGHT, B)], **more}


def read(
    folder: Path, content: Any, known: Figure | None = FIGURE, **more: Any
) -> tuple[list[Prediction], Problems]:
    path = folder / "model.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))

    def lookup(figure_id: str, name: str) -> Figure | None:
        if known is None:
            return None
        if "rat" not in (figure_id, Path(name).stem):
            raise FormatError(f'image "{name}" matches no stored figure')
        return known

    problems = Problems()
    work = list(read_work(QUOTED_BOXES, path, problems, Reading(image=lookup, **more)))
    assert all(isinstance(each, Prediction) for each in work)
    return [each for each in work if isinstance(each, Prediction)], problems


def panels(work: Prediction) -> list[tuple[str, list[float], str]]:
    return [(part.label, part.box.as_list(), FIGURE.caption.text_of(part.subcaption)) for part in work.subfigures]


BOTH = [("A", LEFT, "The maze seen\nfrom above."), ("B", RIGHT, B)]
SODA = {
    "manuscript_id": "m",
    "figures": [
        {
            "figure_label": "Figure 1",
            "img_files": ["graphic/rat.png"],
            "panels": [
                {"panel_label": "A", "panel_caption": A, "panel_bbox": [0, 0, 0.5, 1], "confidence": 0.75},
                {"panel_label": "B", "panel_caption": B, "panel_bbox": [0.5, 0, 1, 1], "confidence": 0.5},
            ],
        }
    ],
}


def corners(box: list[int]) -> list[dict[str, int]]:
    x0, y0, x1, y1 = box
    return [{"x": x, "y": y} for x, y in ((x0, y0), (x0, y1), (x1, y0), (x1, y1))]


EXSCLAIM = {
    "rat.png": {
        "figure_name": "rat.png",
        "full_caption": TEXT,
        "master_images": [
            {
                "classification": "photo",
                "geometry": corners(LEFT),
                "subfigure_label": {"text": "(A)"},
                "caption": [A],
            },
            {
                "classification": "graph",
                "geometry": corners(RIGHT),
                "subfigure_label": {"text": "B"},
                "caption": [B],
            },
        ],
        "unassigned": {"captions": []},
    }
}
GEMINI = [
    {
        "image": "rat.png",
        "panels": [
            {"label": "A", "box_2d": [0, 0, 1000, 500], "text": A},
            {"label": "B", "box_2d": [0, 500, 1000, 1000], "text": B},
        ],
    }
]
NAMED = a_record(
    {"label": "A", "box": {"x": 0, "y": 0, "width": 400, "height": 400}, "quote": A},
    {"label": "B", "box": {"x": 400, "y": 0, "width": 400, "height": 400}, "quote": B},
)


@pytest.mark.parametrize(
    "content",
    [
        [a_record()],
        a_record(),
        f"{json.dumps(a_record())}\n{json.dumps(a_record(image='other.png'))}\n",
        json.dumps(a_record(), indent=1),
        SODA,
        EXSCLAIM,
        GEMINI,
        [NAMED],
        [a_record(figure_id="rat", image=None)],
        [a_record(figure_id="rat.png", image=None)],
    ],
)
def test_the_keys_of_several_programs_are_read_alike(tmp_path: Path, content: Any) -> None:
    (work,), problems = read(tmp_path, content)
    assert looks_of(tmp_path / "model.json").layouts == {QUOTED_BOXES}
    assert panels(work) == BOTH
    assert work.scores == ((0.75, 0.5) if content is SODA else (1.0, 1.0))
    assert work.model_version == "model"
    assert [line for line in problems.lines if "other.png" not in line] == []


@pytest.mark.parametrize(
    ("form", "left", "right"),
    [
        ("xyxy-pixels", LEFT, RIGHT),
        ("xywh-pixels", [0, 0, 400, 400], [400, 0, 400, 400]),
        ("cxcywh-pixels", [200, 200, 400, 400], [600, 200, 400, 400]),
        ("xyxy-1", [0, 0, 0.5, 1], [0.5, 0, 1, 1]),
        ("xywh-1", [0, 0, 0.5, 1], [0.5, 0, 0.5, 1]),
        ("xyxy-100", [0, 0, 50, 100], [50, 0, 100, 100]),
        ("xyxy-1000", [0, 0, 500, 1000], [500, 0, 1000, 1000]),
        ("cxcywh-1000", [250, 500, 500, 1000], [750, 500, 500, 1000]),
    ],
)
def test_order_and_unit_of_boxes_are_those_that_fit_the_images(
    tmp_path: Path, form: str, left: list[float], right: list[float]
) -> None:
    (work,), problems = read(tmp_path, [a_record(a_panel("A", left, A), a_panel("B", right, B))])
    assert panels(work) == BOTH
    assert any(f"read boxes as {form}, the form" in note for note in problems.notes)


def test_boxes_that_fit_in_two_forms_are_refused_until_one_is_named(tmp_path: Path) -> None:
    large = Figure("rat", "rat.png", 1100, 1000, Caption.cut(TEXT))
    content = [a_record(a_panel("A", [0, 0, 500, 950], A), a_panel("B", [500, 0, 1000, 950], B))]
    with pytest.raises(FormatError, match=r"may be xyxy-pixels or xyxy-1000; say which with --boxes"):
        read(tmp_path, content, large)
    (work,), _ = read(tmp_path, content, large, boxes="xyxy-1000")
    assert [part.box.as_list() for part in work.subfigures] == [[0, 0, 550, 950], [550, 0, 1100, 950]]


@pytest.mark.parametrize("margin", [1.0, 0.85, 0.7])
@pytest.mark.parametrize("size", [(800, 600), (600, 183), (1600, 1400), (2400, 900)])
@pytest.mark.parametrize("unit", ["pixels", "1", "100", "1000"])
def test_the_unit_is_found_on_images_of_many_sizes_with_and_without_margins(
    tmp_path: Path, unit: str, size: tuple[int, int], margin: float
) -> None:
    figure = Figure("rat", "rat.png", *size, Caption.cut(TEXT))
    across, down = size if unit == "pixels" else (float(unit), float(unit))
    x, y = across * margin, down * margin
    content = [a_record(a_panel("A", [0, 0, x / 2, y]), a_panel("B", [x / 2, 0, x, y]))]
    (work,), problems = read(tmp_path, content, figure)
    assert any(f"read boxes as xyxy-{unit}," in note for note in problems.notes)
    assert work.subfigures[1].box.as_list() == pytest.approx(
        [size[0] * margin / 2, 0, size[0] * margin, size[1] * margin]
    )


def test_boxes_that_fit_in_no_form_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"in none of xyxy-pixels, .*say their form with --boxes"):
        read(tmp_path, [a_record(a_panel("A", [0, 0, 4000, 4000]))])


def test_a_box_that_does_not_fit_costs_itself(tmp_path: Path) -> None:
    fine = [a_panel("", [x, 0, x + 30, 400]) for x in range(0, 770, 35)]
    (work,), problems = read(tmp_path, [a_record(*fine, a_panel("", [700, 0, 900, 400]))])
    assert len(work.subfigures) == len(fine)
    assert any("leaves the image" in line for line in problems.lines)


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        (A, "The maze seen\nfrom above."),
        ("(A) The maze seen from above.", "(A) The maze seen\nfrom above."),
        ("a) The maze seen from above.", "The maze seen\nfrom above."),
        ("Rats in a maze ... from above", "Rats in a maze from above"),
        ("a view of the maze", ""),
        ("maze", ""),
        ("Time in the maz", ""),
        ("Rats in a maze ... of ten rats", ""),
    ],
)
def test_a_quote_counts_only_word_for_word_and_once(tmp_path: Path, quote: str, words: str) -> None:
    (work,), problems = read(tmp_path, [a_record(a_panel("A", LEFT, quote), a_panel("B", RIGHT, B))])
    counted = FIGURE.caption.tokens_in([])
    (first, second) = work.subfigures
    assert FIGURE.caption.text_of(first.subcaption).replace("\n", " ") == words.replace("\n", " ")
    assert second.subcaption > counted
    lost = [line for line in problems.lines if "the words of 1 panel do not stand in the caption" in line]
    assert bool(lost) is not bool(words)


def test_scores_are_read_and_missing_ones_given(tmp_path: Path) -> None:
    content = [a_record(a_panel("A", LEFT, confidence=0.25), a_panel("B", RIGHT))]
    (work,), problems = read(tmp_path, content)
    assert work.scores == (0.25, 1.0)
    assert any("without a score: 1 box; gave each 1" in note for note in problems.notes)
    (work,), problems = read(tmp_path, content, score=0.5)
    assert work.scores == (0.25, 0.5)


@pytest.mark.parametrize(
    ("panel", "complaint"),
    [
        (a_panel("C", [0, 0, 10]), "bbox"),
        (a_panel("C", [0, 0, "x", 10]), "bbox"),
        (a_panel("C", {"a": 1}), "has none of x0/y0/x1/y1"),
        (a_panel("C", LEFT, score=7), "outside [0, 1]"),
        (a_panel("C", [5, 5, 5, 9]), "area"),
        ({"label": "C"}, "is missing; give a box of four numbers"),
        ("C", "not an object"),
    ],
)
def test_a_bad_panel_is_named_and_costs_no_other(tmp_path: Path, panel: Any, complaint: str) -> None:
    fine = [a_panel("", [x, 0, x + 30, 400]) for x in range(0, 770, 35)]
    (work,), problems = read(tmp_path, [a_record(*fine, panel)])
    assert len(work.subfigures) == len(fine)
    (line,) = problems.lines
    assert complaint in line
    assert line.startswith(f"{tmp_path / 'model.json'}:")


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({"panels": [a_panel("A", LEFT)]}, 'neither "figure_id" nor "image" names the figure'),
        (a_record(image=7), "is no text"),
        (a_record(image="cat.png"), "matches no stored figure"),
        (a_record(width=400, height=200), "scale the boxes to it"),
        (a_record({"label": "A", "bbox": "x"}), "panels could be read; left the figure out"),
    ],
)
def test_a_bad_figure_is_named_and_costs_no_other(tmp_path: Path, record: Any, complaint: str) -> None:
    work, problems = read(tmp_path, [a_record(), record])
    assert [panels(each) for each in work] == [BOTH]
    assert complaint in problems.lines[-1]


def test_figures_that_nobody_knows_are_as_the_file_describes_them(tmp_path: Path) -> None:
    (work,), problems = read(tmp_path, [a_record(width=800, height=400, caption=TEXT)], None)
    assert (work.figure.id, work.figure.width, work.figure.height) == ("rat", 800, 400)
    assert panels(work) == BOTH
    assert problems.lines == []


def test_our_own_records_are_not_taken_for_these(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    path.write_text(json.dumps({"figure_id": "f", "annotator": "a", "subfigures": [{"label": "A", "box": LEFT}]}))
    assert QUOTED_BOXES not in looks_of(path).layouts
