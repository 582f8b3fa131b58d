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
    page = (REPOSITORY / "docs" / "reference" / "training.md").read_text(encoding="utf-8")
    text = page.split("## Settings")[1].split("## The folder")[0]
    entries = {
        name.strip("`"): re.sub(r"\s+", " ", rest)
        for name, rest in re.findall(r"^- \*\*(.*?)\*\*(.*?)(?=^- |^$)", text, re.MULTILINE | re.DOTALL)
    }
    for name, entry in entries.items():
        tiny = name == "--encoder tiny"
        recipe = recipe_for("box-crf", Options(encoder=TINY)) if tiny else RECIPES[name]
        assert number("`--lr`", entry) == recipe.lr
        assert number("`--weight-decay`", entry) == recipe.weight_decay
        assert number("`--dropout`", entry) == recipe.dropout
        assert number("`--batch`", entry) == recipe.batch
        if "`tune` as text-crf" not in entry:
            assert f" {COUNTS['box-crf' if tiny else name]} trials " in entry
    assert COUNTS["box-crf"] == COUNTS["text-crf"]
    assert entries.keys() == {"detector", "text-crf", "box-crf", "matcher", "classifier", "--encoder tiny"}
    random = RECIPES["text-crf random"]
    found = re.search(r"with `--random-weights` (\S+), (\S+), (\S+);", entries["text-crf"])
    assert found is not None
    assert [float(each) for each in found.groups()] == [random.lr, random.weight_decay, random.dropout]


def number(option: str, entry: str) -> float:
    """Return the number after an option, 0 where the entry does not name it."""
    found = re.search(rf"{option} ([\d.e-]*\d)", entry)
    return float(found[1]) if found else 0.0
