"""The commands of the how-to pages on agreement and pre-labels run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documented_commands import commands_of, run_all

PAGES = ("find-out-why-agreement-is-low", "merge-annotators", "prelabel", "score-models")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_run_one_after_the_other(name: str, tmp_path: Path) -> None:
    commands = commands_of(name)
    assert len(re.findall(r"^(?:agreement|prelabel) ", commands, re.MULTILINE)) > 3
    done = run_all(commands, tmp_path)
    assert done.returncode == 0, done.stderr
    for out in re.findall(r"--out (\S+)", commands):
        made = tmp_path / out
        assert any(made.iterdir()) if made.is_dir() else made.stat().st_size, f"{out} is empty"


@pytest.mark.parametrize("failing", ["agreement report nowhere.jsonl", "cat nowhere.txt"])
def test_a_command_that_fails_ends_the_run(failing: str, tmp_path: Path) -> None:
    done = run_all(f"echo begun\n{failing}\necho ended", tmp_path)
    assert (done.returncode, done.stdout) == (1, "begun\n")
    assert "nowhere" in done.stderr
