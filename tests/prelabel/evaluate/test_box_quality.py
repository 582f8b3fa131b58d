"""`benchmarks/box_quality.py`: hand boxes are read with their pictures, and a pre-labeller is measured on them."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PIL import Image, ImageDraw

from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise_simulator.composer.pictures import Picture

REPOSITORY = Path(__file__).parents[3]
#: Two panels on white, and where they are.
LEFT, RIGHT = (20, 20, 140, 180), (180, 20, 300, 180)


@pytest.fixture
def quality(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    return importlib.import_module("box_quality")


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with one picture of two panels, and one of a single panel."""
    records = []
    for name, boxes in (("pair", (LEFT, RIGHT)), ("alone", (LEFT,))):
        image = Image.new("RGB", (320, 200), "white")
        drawing = ImageDraw.Draw(image)
        for x0, y0, x1, y1 in boxes:
            drawing.rectangle((x0, y0, x1 - 1, y1 - 1), fill=(30, 60, 90))
        image.save(tmp_path / f"{name}.png")
        records.append(
            {
                "picture_id": name,
                "image": f"{name}.png",
                "kind": "plot" if name == "pair" else "drawing",
                "source": f"maker/{name}@1:{name}.png",
                "licence": "CC0-1.0",
                "caption": "Two fields side by side." if name == "pair" else "",
            }
        )
    write(tmp_path / "pictures.jsonl", records)
    return tmp_path


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    return path


def boxed(name: str, *boxes: tuple[int, int, int, int], **changed: Any) -> dict[str, Any]:
    return {
        "picture_id": name,
        "source": f"maker/{name}@1:{name}.png",
        "width": 320,
        "height": 200,
        "part": "choose",
        "labels": [str(number + 1) for number in range(len(boxes))],
        "boxes": [list(box) for box in boxes],
        "how": "new",
        "doubts": "",
        "remarks": "",
    } | changed


def run(quality: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["box_quality.py", *map(str, arguments)])
    quality.main()


def test_the_table_scores_boxes_by_kind_and_counts_singles_left_whole(
    quality: ModuleType, pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    far = (0, 0, 20, 20)
    lines = [boxed("pair", LEFT, RIGHT), boxed("alone", far, doubts="a field in a corner")]
    monkeypatch.setattr(quality, "BOXES", write(pictures / "boxes.jsonl", lines))
    run(quality, monkeypatch, pictures, "--worst", 1)
    shown = capsys.readouterr().out.splitlines()
    assert any("2 sources" in line for line in shown)
    # Of three boxes two are found, and one that is none: 2 * 2 / (3 + 3).
    assert "| all | 2 | 3 | 0.667 | 0.667 | 0.667 | 0.667 |" in shown
    assert "| plot | 1 | 2 | 1.000 | 1.000 | 1.000 | 1.000 |" in shown
    assert "| drawing | 1 | 1 | 0.000 | 0.000 | 0.000 | 0.000 |" in shown
    assert "| without doubts | 1 | 2 | 1.000 | 1.000 | 1.000 | 1.000 |" in shown
    assert "| of one panel, left whole |  |  | 1 of 1 |  | 1 of 1 |  |" in shown
    assert shown.count("  alone (drawing): 0 of 1, 1 found") == 2


def test_only_the_part_asked_for_is_measured(
    quality: ModuleType, pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [boxed("pair", LEFT, RIGHT), boxed("alone", LEFT, part="apart")]
    monkeypatch.setattr(quality, "BOXES", write(pictures / "boxes.jsonl", lines))
    run(quality, monkeypatch, pictures, "--part", "apart")
    shown = capsys.readouterr().out
    assert "| all | 1 | 1 |" in shown
    assert "drawing" in shown
    assert "plot" not in shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (boxed("pair", LEFT, RIGHT, source="other/pair@1:pair.png"), r'"pair" is of maker/pair@1:pair\.png in .*'),
        (boxed("gone", LEFT), r'"gone" is missing in .*pictures\.jsonl'),
        (boxed("pair", LEFT, RIGHT, width=640), "has 320 x 200 pixels, and was boxed at 640 x 200"),
        (boxed("pair", LEFT, RIGHT, labels=["1"]), "has 2 boxes and 1 labels; give one label a box"),
        (boxed("pair"), "has 0 boxes and 0 labels"),
        (boxed("pair", (300, 20, 400, 90)), "leaves the image"),
        (boxed("pair", (30, 20, 10, 90)), "30"),
        (boxed("pair", LEFT, RIGHT, part="both"), "part"),
    ],
)
def test_a_bad_line_is_one_problem_and_the_others_are_read(
    quality: ModuleType, pictures: Path, line: dict[str, Any], message: str
) -> None:
    problems = Problems()
    path = write(pictures / "boxes.jsonl", [line, boxed("alone", LEFT)])
    assert [each.figure.id for each in quality.read_hand_boxed(path, pictures, problems)] == ["alone"]
    (problem,) = problems.lines
    assert problem.startswith(f"{path}:1: ")
    assert re.search(message, problem)


def test_a_figure_that_the_pre_labeller_fails_on_counts_as_one_without_boxes(
    quality: ModuleType, pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(quality, "BOXES", write(pictures / "boxes.jsonl", [boxed("pair", LEFT, RIGHT)]))
    whole = (pictures / "pair.png").read_bytes()
    (pictures / "pair.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SystemExit):
        run(quality, monkeypatch, pictures)
    shown = capsys.readouterr()
    assert "| all | 1 | 2 | 0.000 | 0.000 | 0.000 | 0.000 |" in shown.out
    assert 'figure "pair"' in shown.err


def test_bad_lines_end_with_exit_status_1(
    quality: ModuleType, pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [boxed("gone", LEFT), boxed("alone", LEFT)]
    monkeypatch.setattr(quality, "BOXES", write(pictures / "boxes.jsonl", lines))
    with pytest.raises(SystemExit) as ended:
        run(quality, monkeypatch, pictures)
    assert ended.value.code == "1 problems; see above"
    assert '"gone" is missing' in capsys.readouterr().err


def test_without_the_pictures_it_is_skipped_with_the_reason(
    quality: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(quality, monkeypatch, tmp_path / "none")
    assert capsys.readouterr().out.startswith(f"skipped: no pictures.jsonl in {tmp_path / 'none'}")


def test_the_part_can_be_written_as_gold_for_other_commands(
    quality: ModuleType, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [boxed("pair", LEFT, RIGHT, labels=["a", "b"]), boxed("alone", LEFT, part="apart")]
    monkeypatch.setattr(quality, "BOXES", write(pictures / "boxes.jsonl", lines))
    run(quality, monkeypatch, pictures, "--write", pictures / "out")
    (gold,) = read_annotations(pictures / "out" / "gold.jsonl", Problems())
    assert [(each.label, each.box.as_list()) for each in gold.subfigures] == [
        ("a", list(map(float, LEFT))),
        ("b", list(map(float, RIGHT))),
    ]
    (figure,) = map(json.loads, (pictures / "out" / "figures.jsonl").read_text("utf-8").splitlines())
    assert figure["image"] == "pair.png"
    assert figure["source"]["document"] == "maker/pair"


def test_each_source_of_the_hand_boxes_is_in_one_part() -> None:
    parts: dict[str, set[str]] = defaultdict(set)
    lines = [
        json.loads(line)
        for line in (REPOSITORY / "benchmarks" / "hand_boxes.jsonl").read_text("utf-8").splitlines()
    ]
    assert len({line["picture_id"] for line in lines}) == len(lines)
    for line in lines:
        parts[Picture(line["picture_id"], "", "", line["source"], "").origin].add(line["part"])
        assert len(set(line["labels"])) == len(line["labels"]) == len(line["boxes"])
    assert set(map(len, parts.values())) == {1}
    assert set.union(*parts.values()) == {"choose", "apart"}


def test_the_hand_boxes_fit_the_pictures(quality: ModuleType, shared_data: Path) -> None:
    if not (shared_data / "pictures").is_dir():
        pytest.skip(f"no pictures in {shared_data}")
    problems = Problems()
    read = quality.read_hand_boxed(quality.BOXES, shared_data / "pictures", problems)
    assert problems.lines == []
    assert len(read) == len(quality.BOXES.read_text("utf-8").splitlines())
