"""`annotator withdraw`: figures leave the campaign and its exports, with a reason, and come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import a_figure
from running import Done, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.create(tmp_path / "home")
    with home.open_store() as store, store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
    return home


def annotator(home: Home, *arguments: object) -> Done:
    return run_command(group, "annotator", *arguments, "--home", home.path)


def exported(home: Home) -> list[str]:
    out = home.path / "out.jsonl"
    assert annotator(home, "export", "figures", "--out", out).returncode == 0
    return [json.loads(line)["figure_id"] for line in out.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_a_figure_leaves_the_exports_and_comes_back(home: Home) -> None:
    done = annotator(home, "withdraw", "f1", "--reason", "the licence forbids it", "--by", "ruth")
    assert (done.returncode, done.stdout) == (0, "1 figure withdrawn\n")
    assert exported(home) == ["f2"]
    assert annotator(home, "withdraw", "--list").stdout.startswith("f1: the licence forbids it (ruth, 20")
    assert "1 figure withdrawn, and not counted: f1" in annotator(home, "status").stdout
    assert json.loads(annotator(home, "status", "--json").stdout)["withdrawn"] == ["f1"]
    assert annotator(home, "withdraw", "f1", "--restore").stdout == "1 figure restored\n"
    assert exported(home) == ["f1", "f2"]
    assert annotator(home, "withdraw", "--list").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the figures to withdraw or restore, or give --list alone"),
        (("f1",), "give --reason"),
        (("f1", "--restore", "--reason", "x"), "--reason can't be combined with --restore"),
        (("f1", "--restore"), "1 figure not withdrawn: f1"),
        (("f9", "--reason", "x"), 'figure "f9" is not in the store'),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(home: Home, arguments: tuple[str, ...], message: str) -> None:
    done = annotator(home, "withdraw", *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert exported(home) == ["f1", "f2"]
