"""The commands of the pages on backups and upgrades run as they stand there."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import a_decision, a_figure
from documented_commands import commands_of, run_all

from annotator.campaign.home import Home

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("page", "number"), [("back-up-and-restore", 8)])
def test_the_commands_of_a_page_run_one_after_the_other(page: str, number: int, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    home = Home.create(work / "lungs")
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure(image=""))
        tx.decisions.add(a_decision(a_figure(image="")))
    commands = commands_of(page)
    assert commands.count("annotator ") == number
    done = run_all(commands, work)
    assert done.returncode == 0, done.stderr
    assert "no faults" in done.stdout
