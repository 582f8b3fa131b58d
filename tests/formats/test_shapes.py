"""Records as typed structs: plainly written ones, and the same values as other libraries write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, an_annotation

from panelwise.domain.annotation import Annotation
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import annotation_record, prediction_record, read_annotations, read_predictions
from panelwise.formats.shapes import plain_record

PAIR = QAItem("q1", "How many?", QAKind.INFINITE_VISUAL, ("1", "2"), "2", frozenset({"A"}))
JUDGED = Items(
    FigureKind(True, 2, frozenset({"tree"}), "two trees"),
    (QAVerdict("q1", Verdict.INCORRECT, PAIR, "counted"), QAVerdict("q2", Verdict.CORRECT)),
    (HumanAnswer("q1", "2"), HumanAnswer("q2", "none of them", "sure")),
)
PLAIN: dict[str, Any] = annotation_record(an_annotation(a_figure(), items=JUDGED, seconds=3.0, unchanged=True))


def read(folder: Path, *lines: bytes) -> tuple[list[Annotation], Problems]:
    (folder / "a.jsonl").write_bytes(b"\n".join(lines))
    problems = Problems()
    return list(read_annotations(folder / "a.jsonl", problems)), problems


def annotation_line() -> bytes:
    return json.dumps(annotation_record(an_annotation())).encode()


def line(**changed: Any) -> bytes:
    return json.dumps({**PLAIN, **changed}).encode()


@pytest.mark.parametrize(
    "changed",
    [
        {"width": "800", "height": 600.0, "seconds": "np.float64(3.0)", "unchanged": "yes"},
        {"revision": "1.0", "status": "", "phase": 1, "document": None, "seeded_by": ""},
        {"tokens": [[float(start), str(end)] for start, end in PLAIN["tokens"]]},
        {"subfigures": [{**part, "box": [str(edge) for edge in part["box"]]} for part in PLAIN["subfigures"]]},
        {"kind": {**PLAIN["kind"], "compound": "True", "count": 2.0, "types": ["tree", None, " "]}},
        {"batch": 7, "reason": None},
    ],
)
def test_values_as_other_libraries_write_them_give_the_same_annotation(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    assert plain_record(annotation_line()) is not None
    assert plain_record(line(**changed)) is None
    (plain, odd), problems = read(tmp_path, line(), line(**changed))
    assert odd == plain
    assert odd.figure is plain.figure
    assert plain.items == JUDGED
    assert problems.lines == problems.notes == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"phase": "1"', b'"phase": "2", "phase": "1"'),
        (b'"note": "two trees"', b'"note": "", "note" : "two trees"'),
        (b'"label": "A"', b'"label": "Z", "label": "A"'),
        (b'"answer": "none of them"', b'"answer": "all", "answer": "none of them"'),
        (b'"question": "How many?"', b'"question": "", "question": "How many?"'),
    ],
)
def test_a_repeated_key_is_named_wherever_it_is_and_the_last_counts(
    old: bytes, new: bytes, tmp_path: Path
) -> None:
    assert old in line()
    (plain, again), problems = read(tmp_path, line(), line().replace(old, new, 1))
    assert again == plain
    (told,) = problems.lines
    assert told.startswith(f"{tmp_path / 'a.jsonl'}:2: ")
    assert "stands twice in one object" in told


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"verdicts": [{"instance_id": "q", "verdict": "Correct", "edited": {"answer": "x"}}]},
            "edited.qa_pair_type",
        ),
        ({"verdicts": [*PLAIN["verdicts"], PLAIN["verdicts"][0]]}, "a pair that is judged before"),
        (
            {"answers": [*PLAIN["answers"], {"instance_id": "q3"}]},
            '"answers[2].answer" is missing; give a text, or null',
        ),
        ({"answers": [*PLAIN["answers"], 3]}, '"answers[2]" holds a number, not an object'),
        ({"kind": "tree"}, '"kind" holds a text, not an object'),
        ({"kind": {"count": -1}}, "not a whole number from 0 up"),
    ],
)
def test_a_broken_item_costs_only_itself(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    work, problems = read(tmp_path, line(**changed))
    assert any(said in told for told in problems.lines)
    assert all(annotation.partly_read and len(annotation.subfigures) == 2 for annotation in work)


def test_what_a_prediction_does_not_hold_is_not_looked_at(tmp_path: Path) -> None:
    prediction = a_prediction(scores=(0.5, 0.25))
    records = [prediction_record(prediction), {**prediction_record(prediction), "phase": 1.5, "seconds": "x"}]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, records)))
    problems = Problems()
    plain, odd = read_predictions(tmp_path / "p.jsonl", problems)
    assert plain == odd
    assert problems.lines == []


def test_tokens_that_are_not_text_in_utf_8_cost_their_line(tmp_path: Path) -> None:
    bad = line().replace(b'"tokens": [[0, 3]', b'"tokens": [["\xff", 3]')
    work, problems = read(tmp_path, line(), bad)
    assert len(work) == 1
    (told,) = problems.lines
    assert told.startswith(f"{tmp_path / 'a.jsonl'}:2: ")
