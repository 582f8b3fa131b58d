"""An unreadable value is named and costs itself; a record of which nothing was read is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, an_annotation

from agreement.reading.raw_panels import read_raw_annotations, read_raw_medicat
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.caption import Span
from panelwise.domain.errors import FormatError, InvalidAnnotation
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import (
    annotation_record,
    fitted,
    prediction_record,
    read_annotations,
    read_predictions,
)
from panelwise.formats.content import put_right_box, put_right_label, put_right_score, put_right_span
from panelwise.formats.medicat import read_gold, read_medicat

FIGURE = a_figure()
CAPTION = FIGURE.caption.text
TOKENS = [
    {"text": CAPTION[start:end], "start": start, "end": end, "id": place}
    for place, (start, end) in enumerate(FIGURE.caption.ranges)
]


def ours(*subfigures: Any, **more: Any) -> dict[str, Any]:
    return {**annotation_record(an_annotation()), "subfigures": list(subfigures), **more}


def part(label: Any = "A", box: Any = (0, 0, 400, 600), subcaption: Any = ((7, 21),), **more: Any) -> Any:
    return {"label": label, "box": box, "subcaption": subcaption, **more}


def theirs(*boxes: Any, **more: Any) -> dict[str, Any]:
    """A record of MedICaT's layout."""
    rectangles = [
        {"label": label, "type": "rect", "points": [[x0, y0], [x0, y1], [x1, y1], [x1, y0]]}
        for label, (x0, y0, x1, y1) in boxes
    ]
    head = {"pdf_hash": "d", "fig_uri": "f1.png", "figure_id": "f1", "width": 800, "height": 600, "text": CAPTION}
    return {**head, "tokens": TOKENS, "spans": rectangles, "subcaptions": None, "answer": "accept", **more}


Read = Callable[[Path, Problems], Any]


def read(path: Path, reader: Read, *records: dict[str, Any]) -> tuple[list[Any], Problems]:
    write_lines(path, records)
    problems = Problems()
    return list(reader(path, problems)), problems


FLAT, BEYOND = [5, 5, 5, 9], [0, 0, 900, 600]
VERDICT = {"instance_id": "q1", "verdict": "Correct", "edited": None, "note": ""}
ANSWER = {"instance_id": "q1", "answer": "4", "note": ""}
#: Records of which nothing of a kind can be read.
LOST: dict[str, tuple[Read, dict[str, Any]]] = {
    "boxes without area": (read_annotations, ours(part(box=FLAT), part("B", box=FLAT))),
    "boxes beyond the image": (read_annotations, ours(part(box=BEYOND))),
    "boxes of other numbers": (read_annotations, ours(part(box={"x": 0, "y": 0}), part(box=None))),
    "no objects": (read_annotations, ours("A", None)),
    "all text beyond the caption": (
        read_annotations,
        ours(part(subcaption=[[0, 9999]]), part("B", subcaption=[])),
    ),
    "null": (read_annotations, ours(subfigures=None)),
    "another key": (read_annotations, {**ours(panels=[part()]), "subfigures": None}),
    "verdicts of other words": (read_annotations, ours(verdicts=[{**VERDICT, "verdict": "fine"}] * 2)),
    "verdicts that are texts": (read_annotations, ours(verdicts=["Correct"])),
    "answers without ids": (read_annotations, ours(answers=[{"answer": "4"}])),
    "an answer of a list": (read_annotations, ours(answers=[{**ANSWER, "answer": ["4"]}])),
    "a type of another shape": (read_annotations, ours(kind={"types": "tree"})),
    "a negative count": (read_annotations, ours(kind={"count": -1})),
    "a prediction's boxes": (
        read_predictions,
        {**prediction_record(a_prediction()), "subfigures": [part(score=2)]},
    ),
    "their boxes without area": (read_medicat, theirs(("A", FLAT))),
    "their boxes beyond the image": (read_medicat, theirs(("A", BEYOND), ("B", BEYOND))),
    "their null lists": (read_medicat, theirs(spans=None, subfigures=None)),
    "their text without a box": (read_medicat, theirs(subcaptions={"A": [1], "B": [2]})),
    "their tokens unknown": (read_medicat, theirs(("A", (0, 0, 9, 9)), subcaptions={"A": [999]})),
    "their gold": (read_gold, theirs(("A", FLAT))),
    "as listed, beyond the image": (read_raw_annotations, ours(part(box=BEYOND))),
    "as listed, their tokens unknown": (read_raw_medicat, theirs(("A", FLAT), subcaptions={"A": [999]})),
}


@pytest.mark.parametrize(
    ("other", "key"),
    [
        ({"panels": [part()]}, "subfigures"),
        ({"kinds": {"types": ["tree"]}}, "kind"),
        ({"judgements": [VERDICT]}, "verdicts"),
        ({"human_answers": [ANSWER]}, "answers"),
        ({"subfigures": [{"label": "A", "box": [0, 0, 9, 9], "spans": [[0, 3]]}]}, "subcaption"),
        (
            {"subfigures": [{"label": "A", "box": [0, 0, 9, 9], "text": "left lung", "subcaption": []}]},
            "subcaption",
        ),
    ],
)
@pytest.mark.parametrize("reader", [read_annotations, read_raw_annotations])
def test_content_under_another_name_is_no_work_without_it(
    reader: Read, other: dict[str, Any], key: str, tmp_path: Path
) -> None:
    found, problems = read(tmp_path / "a.jsonl", reader, {**ours(), **other})
    assert found == []
    (line,) = problems.lines
    assert f'is not read; name it "{key}"; left the annotation out' in line


def test_words_under_another_name_cost_themselves_where_others_are_read(tmp_path: Path) -> None:
    record = ours(
        part("A", [0, 0, 400, 600], [[7, 21]]), {"label": "B", "box": [400, 0, 800, 600], "spans": [[0, 3]]}
    )
    (found,), problems = read(tmp_path / "a.jsonl", read_annotations, record)
    assert [bool(each.subcaption) for each in found.subfigures] == [True, False]
    assert found.partly_read
    assert problems.lines == [
        f'{tmp_path / "a.jsonl"}:1: "subfigures[1].spans" is not read; name it "subcaption"; left this span out'
    ]


def test_other_names_beside_the_right_one_are_no_fault(tmp_path: Path) -> None:
    record = ours({**part("A", [0, 0, 400, 600], [[7, 21]]), "text": "left lung", "votes": 2}, panels=[1])
    found, problems = read(tmp_path / "a.jsonl", read_annotations, record)
    assert (len(found), problems.lines) == (1, [])


@pytest.mark.parametrize("what", LOST)
def test_a_record_of_which_nothing_could_be_read_is_no_work_without_content(what: str, tmp_path: Path) -> None:
    reader, record = LOST[what]
    found, problems = read(tmp_path / "a.jsonl", reader, record)
    assert found == []
    assert problems.count >= 1
    assert all(line.startswith(f"{tmp_path / 'a.jsonl'}:1: ") for line in problems.lines)


@pytest.mark.parametrize(
    ("reader", "record"),
    [
        (read_annotations, ours()),
        (read_annotations, ours(kind=None, verdicts=[], answers=[])),
        (read_medicat, theirs()),
        (read_medicat, theirs(subcaptions={"A": [], "B": None})),
        (read_predictions, {**prediction_record(a_prediction()), "subfigures": []}),
    ],
)
def test_an_accepted_figure_that_lists_nothing_is_work_without_content(
    reader: Read, record: dict[str, Any], tmp_path: Path
) -> None:
    found, problems = read(tmp_path / "a.jsonl", reader, record)
    assert [len(each.subfigures) for each in found] == [0]
    assert (problems.lines, problems.notes) == ([], [])


@pytest.mark.parametrize(
    ("reader", "record"),
    [
        (read_annotations, ours(part(box=FLAT), status="rejected")),
        (read_medicat, theirs(("A", FLAT), answer="reject")),
    ],
)
def test_a_rejected_figure_is_rejected_whatever_its_boxes(
    reader: Read, record: dict[str, Any], tmp_path: Path
) -> None:
    (found,), problems = read(tmp_path / "a.jsonl", reader, record)
    assert (found.status, found.subfigures) == (Status.REJECTED, ())
    assert "zero area; left this subfigure out" in problems.lines[0]


def test_each_bad_part_costs_itself_and_is_named_with_its_place(tmp_path: Path) -> None:
    bad = [
        part("B", box=FLAT),
        part("C", box=BEYOND),
        part(3),
        "D",
        part("E", box=[0, 0, 9]),
    ]
    spans = part("F", box=[400, 0, 800, 600], subcaption=[[22, 40], [0, 9999], "x", [3.5, 7]])
    items = {"verdicts": [VERDICT, {**VERDICT, "verdict": "fine"}, VERDICT], "answers": [{"answer": 1}, ANSWER]}
    record = ours(part(), *bad, spans, **items)
    (found,), problems = read(tmp_path / "a.jsonl", read_annotations, record)
    assert [each.label for each in found.subfigures] == ["A", "F"]
    assert found.subfigures[1].subcaption == FIGURE.caption.tokens_in([Span(22, 40)])
    assert [each.item for each in (*found.items.verdicts, *found.items.answers)] == ["q1", "q1"]
    kinds = [line.rsplit("left this ", 1)[1] for line in problems.lines]
    assert sorted(kinds) == sorted(["subfigure out"] * 5 + ["span out"] * 3 + ["verdict out"] * 2 + ["answer out"])
    assert any("a pair that is judged before" in line for line in problems.lines)
    raw, told = read(tmp_path / "a.jsonl", read_raw_annotations, record)
    assert [panel.box for panel in raw[0].subfigures] == [(0, 0, 400, 600), (5, 5, 5, 9), (400, 0, 800, 600)]
    assert told.count == problems.count - 1  # The box without area stays, and is not named.


def test_overlapping_spans_of_one_subcaption_count_a_token_once_in_every_reader(tmp_path: Path) -> None:
    """As the reader of the MedICaT paper's authors makes sets; only ids that a record lists itself may repeat."""
    overlapping = ours(part("A", [0, 0, 400, 600], [[7, 21], [7, 12], [10, 21]]))
    once = ours(part("A", [0, 0, 400, 600], [[7, 21]]))
    (expected,), _ = read(tmp_path / "a.jsonl", read_raw_annotations, once)
    (found,), problems = read(tmp_path / "b.jsonl", read_raw_annotations, overlapping)
    assert [panel.tokens for panel in found.subfigures] == [panel.tokens for panel in expected.subfigures]
    assert list(found.subfigures[0].tokens) == sorted(set(found.subfigures[0].tokens))
    assert problems.lines == []


def test_what_is_harmless_is_put_right_with_a_note_in_every_reader(tmp_path: Path) -> None:
    whole = ours(part("A", [0, 0, 400, 600], [[7, 21]]), part("B", [400, 0, 800, 600], [[24, len(CAPTION)]]))
    odd = ours(
        part(" A\t", [400, 600, 0, 0], [[21, 7]]),
        part("B", [400, -0.9, 800.8, 600], [[24, len(CAPTION) + 1]]),
    )
    for reader in (read_annotations, read_raw_annotations):
        (expected,), _ = read(tmp_path / "a.jsonl", reader, whole)
        (found,), problems = read(tmp_path / "b.jsonl", reader, odd)
        assert found.subfigures == expected.subfigures
        assert problems.lines == []
        assert len(problems.notes) == 5
        assert all(line.startswith(f"{tmp_path / 'b.jsonl'}:1: ") for line in problems.notes)
    (medicat,), problems = read(
        tmp_path / "m.jsonl", read_medicat, theirs((" A", (0, 0, 800.6, 600)), subcaptions={"A ": [4]})
    )
    assert [(each.label, each.box.x1, each.subcaption) for each in medicat.subfigures] == [("A", 800, {4})]
    assert (len(problems.notes), problems.count) == (2, 0)


def test_text_of_no_box_is_named_beside_boxes(tmp_path: Path) -> None:
    record = theirs(("A", (0, 0, 9, 9)), ("B", FLAT), subcaptions={"A": [1], "B": [2], "C": [3]})
    (found,), problems = read(tmp_path / "m.jsonl", read_medicat, record)
    assert [each.label for each in found.subfigures] == ["A"]
    assert [line.split(": ", 1)[1] for line in problems.lines] == [
        '"spans[1].points" of subfigure "B" have zero area; left this subfigure out',
        '"subcaptions.C" has no box; draw it, or remove the words; left this subcaption out',
    ]


@pytest.mark.parametrize(("score", "kept"), [(1.0000001, 1.0), (-1e-9, 0.0), (0.5, 0.5)])
def test_a_score_beyond_one_by_a_rounding_is_one(score: float, kept: float) -> None:
    notes: list[str] = []
    assert put_right_score(score, notes.append) == kept
    assert len(notes) == (score != kept)
    with pytest.raises(InvalidAnnotation, match="outside"):
        put_right_score(1.1, notes.append)


@pytest.mark.parametrize(
    ("corners", "right"),
    [
        ((9, 9, 0, 0), (0, 0, 9, 9)),
        ((0, 0, 800.5, 600.5), (0, 0, 800.5, 600.5)),
        ((0, 0, 801, 600), (0, 0, 800, 600)),
        ((800.2, 0, 801, 600), (800, 0, 800, 600)),
        ((0, 0, 801.1, 600), (0, 0, 801.1, 600)),
    ],
)
def test_a_box_is_put_in_order_and_into_the_image_by_a_rounding(corners: Any, right: Any) -> None:
    notes: list[str] = []
    assert put_right_box(corners, FIGURE, notes.append) == right
    assert len(notes) == (corners != right)


@pytest.mark.parametrize("ends", [(3, 3), (-1, 4), (4, -1), (0, 12), (11, 12), (10, 11)])
def test_a_span_that_no_rounding_explains_is_refused(ends: tuple[int, int]) -> None:
    with pytest.raises(InvalidAnnotation):
        put_right_span(*ends, 10, str)


def test_a_label_of_blanks_alone_is_left_as_it_is() -> None:
    assert put_right_label("  ", str) == "  "
    assert put_right_label("A", str) == "A"


def work(subfigures: Any, reader: Read, path: Path, **more: Any) -> Any:
    (found,), _ = read(path, reader, {**ours(*subfigures), "width": None, "height": None, **more})
    return found


def test_work_without_a_size_loses_what_leaves_the_stored_image_alone(tmp_path: Path) -> None:
    boxes = [part(), part("B", BEYOND), part("C", [400, 0, 800.9, 600]), part("D", [800.1, 0, 800.9, 600])]
    for reader, more in ((read_annotations, {}), (read_predictions, {"saved_at": None})):
        scored = [{**each, "score": place / 4} for place, each in enumerate(boxes)]
        found = work(scored, reader, tmp_path / "a.jsonl", **more)
        problems = Problems()
        kept = fitted(found, FIGURE, "a.jsonl:1", problems)
        assert [(each.label, each.box.x1) for each in kept.subfigures] == [("A", 400), ("C", 800)]
        assert getattr(kept, "scores", (0, 0.5)) == (0, 0.5)
        assert [line.startswith("a.jsonl:1: ") for line in problems.lines] == [True, True]
        assert fitted(replaced(found), FIGURE, "", Problems()) == replaced(found)
    with pytest.raises(FormatError, match="leaves the image"):
        fitted(work([part("B", BEYOND)], read_annotations, tmp_path / "a.jsonl"), FIGURE, "a:1", Problems())


def replaced(found: Any) -> Any:
    """The work on the sized figure, with one box."""
    scores = {} if isinstance(found, Annotation) else {"scores": found.scores[:1]}
    return replace(found, figure=FIGURE, subfigures=found.subfigures[:1], **scores)
