"""A campaign whose phases are all annotated in Panelwise never makes the environment of Label Studio."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import a_figure
from PIL import Image
from running import Done, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign import running
from annotator.cli.campaign.main import group
from annotator.label_studio.embedded import environment

SETTINGS = 'name = "own"\nlabels = ["A"]\n[[phases]]\nname = "1"\nannotate_in = "panelwise"\n'


@pytest.fixture
def camp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def refuse(*_: object) -> None:
        raise AssertionError("the environment of Label Studio is made")

    monkeypatch.setattr(environment, "ensure", refuse)
    camp = tmp_path / "camp"
    assert run("init", camp).returncode == 0
    (camp / "campaign.toml").write_text(SETTINGS, encoding="utf-8")
    return camp


def run(*arguments: object) -> Done:
    return run_command(group, "annotator", *arguments)


def needed(camp: Path) -> dict[str, bool]:
    home = Home.find(camp)
    with home.open_store() as store:
        return {part.name: part.needed() for part in running._parts(home, store, home.settings.view, lambda: True)}


def test_from_figures_to_gold_no_command_makes_it(camp: Path) -> None:
    Image.new("RGB", (80, 60), "white").save(camp / "f1.png")
    figures = camp / "figures.jsonl"
    figures.write_text(json.dumps({"figure_id": "f1", "image": "f1.png", "caption": "A: x"}), encoding="utf-8")
    for command in (
        ("import", "figures", figures),
        ("assign", "--annotators", "ada", "--phase", "1"),
        ("status",),
        ("export", "gold", "--out", camp / "gold.jsonl"),
    ):
        done = run(*command, "--home", camp)
        assert done.returncode == 0, (command, done.stderr)
    refused = run("push", "--home", camp)
    assert (refused.returncode, "is annotated in Panelwise" in refused.stderr) == (1, True)
    assert needed(camp) == {running.VIEW: True, running.STUDIO: False, running.SYNC: False}


def test_one_phase_in_label_studio_needs_it(camp: Path) -> None:
    (camp / "campaign.toml").write_text(SETTINGS + '[[phases]]\nname = "2"\n', encoding="utf-8")
    # Not before there is anything to annotate: a new campaign is set up in the browser first.
    assert not needed(camp)[running.STUDIO]
    home = Home.find(camp)
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    assert needed(camp)[running.STUDIO]
