"""The commands of the how-to page on training run as they stand there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import REPOSITORY
from documented_commands import commands_of, run_all

from prelabel.models.checkpoints import read_about
from prelabel.training.loop.options import RECIPES, TINY, Options, recipe_for
from prelabel.training.tuning import COUNTS


@pytest.mark.slow
def test_the_commands_of_the_page_run_one_after_the_other(tmp_path: Path) -> None:
    commands = commands_of("train-models")
    assert re.findall(r"^prelabel (\w+)", commands, re.MULTILINE) == [
        "synth",
        "train",
        "train",
        "tune",
        "train",
        "train",
    ]
    done = run_all(commands, tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("models/tiny", "models/tuned", "models/next", "search"):
        assert read_about(tmp_path / name).kind == "box-crf"
    assert len((tmp_path / "models" / "tiny" / "log.jsonl").read_text().splitlines()) == 3
    chosen = json.loads((tmp_path / "search" / "best.json").read_text())
    assert read_about(tmp_path / "models" / "tuned").settings["lr"] == chosen["settings"]["lr"]


def test_the_reference_tells_the_settings_that_there_are() -> None:
    text = (REPOSITORY / "docs" / "reference" / "training.md").read_text(encoding="utf-8")
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    rows = {line[0].strip(" `"): [each.strip() for each in line[1:]] for line in lines}
    recipes = [
        *(RECIPES[kind] for kind in ("detector", "text-crf", "text-crf random", "box-crf")),
        *(RECIPES[kind] for kind in ("matcher", "classifier")),
        recipe_for("box-crf", Options(encoder=TINY)),
    ]
    assert [float(each) for each in rows["--lr"]] == [each.lr for each in recipes]
    assert [float(each) for each in rows["--weight-decay"]] == [each.weight_decay for each in recipes]
    assert [float(each or 0) for each in rows["--dropout"]] == [each.dropout for each in recipes]
    assert [int(each.split()[0]) for each in rows["--batch"]] == [each.batch for each in recipes]
    kinds = ("detector", "text-crf", "text-crf", "box-crf", "matcher", "classifier", "box-crf")
    counts = [COUNTS[kind] for kind in kinds]
    assert [int(each.split()[0]) for each in rows["trials"]] == counts
