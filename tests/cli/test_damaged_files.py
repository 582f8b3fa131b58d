"""The commands on damaged files: exit 0 or 1, a line for each fault, never a traceback."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec
import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from damage import Damaged, Reader, damaged
from hypothesis import HealthCheck, given, settings
from PIL import Image
from running import run_command

import annotator.cli.agreement.main
import annotator.cli.campaign.main
import annotator.cli.prelabel
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import from_decision
from annotator.label_studio.payload.figures import annotation_payload, task_data
from panelwise.domain.errors import LONGEST
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.figures import read_figures
from panelwise.formats.label_studio_export import task_record
from panelwise.formats.medicat import gold_record

FIGURES = [a_figure(f"f{number}", image="images/f.png") for number in range(3)]
GROUPS: dict[str, click.Command] = {
    "annotator": annotator.cli.campaign.main.group,
    "agreement": annotator.cli.agreement.main.group,
    "prelabel": annotator.cli.prelabel.group,
}
RECORDS = {
    "figures": [
        {"figure_id": each.id, "image": each.image, "caption": each.caption.text, "references": ["Fig. 1."]}
        for each in FIGURES
    ],
    "annotations": [annotation_record(an_annotation(each)) for each in FIGURES],
    "predictions": [prediction_record(a_prediction(each)) for each in FIGURES],
    "gold": [
        msgspec.to_builtins(
            gold_record(from_decision(a_decision(each, subfigures=an_annotation(each).subfigures)))
        )
        for each in FIGURES
    ],
    "captions": [{"caption_id": each.id, "caption": each.caption.text} for each in FIGURES],
    "tasks": [
        task_record(task_data(each.figure), annotation_payload(each), each)
        for each in (an_annotation(figure) for figure in FIGURES)
    ],
    "boxes": [{"image_id": number, "category_id": 1, "bbox": [0, 0, 40, 50]} for number in range(len(FIGURES))],
}
IMAGES = [{"id": number, "figure_id": each.id} for number, each in enumerate(FIGURES)]
#: How the records stand in files that are no JSON lines.
WRAPS: dict[str, Callable[[Sequence[str]], str]] = {
    "tasks": lambda texts: f"[{', '.join(texts)}]",
    "boxes": lambda texts: f'{{"images": {json.dumps(IMAGES)}, "annotations": [{", ".join(texts)}]}}',
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("records", "command"),
    [
        ("figures", ["annotator", "import", "figures", "FILE", "--home", "HOME"]),
        ("annotations", ["annotator", "import", "annotations", "FILE", "--home", "HOME"]),
        ("predictions", ["annotator", "import", "predictions", "FILE", "--home", "HOME"]),
        ("annotations", ["agreement", "report", "FILE", "--format", "json"]),
        ("annotations", ["agreement", "compare", "GOOD", "FILE"]),
        ("annotations", ["agreement", "consensus", "FILE", "--keep-all"]),
        ("predictions", ["agreement", "compare", "GOOD", "FILE"]),
        ("tasks", ["annotator", "import", "annotations", "FILE", "--from", "label-studio", "--home", "HOME"]),
        ("tasks", ["agreement", "report", "FILE", "--format", "json"]),
        (
            "boxes",
            ["annotator", "import", "annotations", "FILE", "--from", "coco", "--annotator", "a", "--home", "HOME"],
        ),
        ("gold", ["annotator", "import", "annotations", "FILE", "--from", "medicat", "--home", "HOME"]),
        ("gold", ["annotator", "import", "figures", "FILE", "--no-images", "--home", "HOME"]),
        ("gold", ["agreement", "report", "FILE", "--format", "json"]),
        ("annotations", ["agreement", "report", "FILE", "--mode", "official-code", "--format", "json"]),
        ("annotations", ["prelabel", "statistics", "FILE"]),
        ("captions", ["prelabel", "captions", "FILE", "--out", "OUT"]),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_no_damage_makes_a_command_fall_over(records: str, command: Sequence[str]) -> None:
    reader = Reader(records, RECORDS[records], read_figures, WRAPS.get(records))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "images").mkdir()
        Image.new("RGB", (800, 600), "white").save(folder / "images" / "f.png")
        home = Home.create(folder / "home")
        with home.open_store() as store, store.transaction() as tx:
            for figure in FIGURES if records != "figures" else []:
                tx.figures.add(figure)
        write_lines(folder / "good.jsonl", RECORDS["annotations"])
        file = folder / "file.jsonl"
        places = {"FILE": file, "HOME": home.path, "OUT": folder / "out.jsonl", "GOOD": folder / "good.jsonl"}

        @given(damaged(reader))
        @settings(suppress_health_check=list(HealthCheck), max_examples=settings().max_examples // 3 + 1)
        def survives(case: Damaged) -> None:
            if file.is_dir():
                file.rmdir()
            if case.content is None:
                file.unlink(missing_ok=True)
                file.mkdir()
            else:
                file.write_bytes(case.content)
            done = run_command(GROUPS[command[0]], command[0], *(places.get(each, each) for each in command[1:]))
            assert done.returncode in (0, 1), done.stderr
            assert done.returncode == 0 or done.stderr, done.stdout
            assert "Traceback" not in done.stderr
            assert all(len(line) <= LONGEST + 10 for line in done.stderr.splitlines()), done.stderr

        survives()
