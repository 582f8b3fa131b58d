"""The commands on phases of docs/how-to/run-a-campaign.md run as they stand there, but for the servers."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from builders import a_figure, an_annotation
from conftest import REPOSITORY
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group

#: They need Label Studio.
ELSEWHERE = ("push", "pull")


def section() -> str:
    page = (REPOSITORY / "docs" / "how-to" / "run-a-campaign.md").read_text(encoding="utf-8")
    return page.split("## Phases, batches, deadlines", 1)[1]


def commands() -> list[list[str]]:
    text = section()
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    found = [shlex.split(line) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in found if words[0] == "annotator" and words[1] not in ELSEWHERE]


@pytest.mark.slow
def test_the_commands_of_the_page_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = commands()
    assert asked[0][:2] == ["init", "charts"]
    assert run_command(group, "annotator", *asked[0]).returncode == 0
    monkeypatch.chdir(tmp_path / "charts")
    store = Home.find().open_store()
    with store.transaction() as tx:
        tx.figures.add_many([a_figure(f"f{number:04}", document="", source={}) for number in range(2000)])
    shown = []
    for words in asked[1:]:
        if words[-1] == "--top-up":
            with store.transaction() as tx:
                for task in tx.tasks.all(phase="train", annotator="ann", released=True):
                    done = an_annotation(
                        tx.figures.get(task.figure), annotator="ann", phase="train", subfigures=()
                    )
                    tx.annotations.add(done)
        done = run_command(group, "annotator", *words)
        assert done.returncode == 0, (words, done.stderr)
        assert "not reassigned" not in done.stderr, (words, done.stderr)
        shown.append(done.stdout)
    store.close()
    table = section().split("```\ndry run", 1)[1].split("...", 1)[0].splitlines()
    # All but the hours, which depend on the captions.
    for promised, line in zip(table[1:], shown[0].splitlines()[1:], strict=False):
        assert [*promised.split()[:3], *promised.split()[4:]] == [*line.split()[:3], *line.split()[4:]]
    assert any("ann: 76 tasks of batch 3 of phase train released" in each for each in shown)
    assert any("taken over from ben" in each for each in shown)
