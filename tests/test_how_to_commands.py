"""The commands of the how-to pages on agreement and pre-labels run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

PAGES = ("compare-two-models", "find-out-why-agreement-is-low", "merge-annotators", "prelabel", "score-models")


def run_all(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One shell for all, which stops at the first that fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        ["sh", "-eu", "-c", commands],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def commands_of(name: str) -> str:
    text = (REPOSITORY / "docs" / "how-to" / f"{name}.md").read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_run_one_after_the_other(name: str, tmp_path: Path) -> None:
    commands = commands_of(name)
    assert len(re.findall(r"^(?:agreement|prelabel) ", commands, re.MULTILINE)) > 3
    done = run_all(commands, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    for out in re.findall(r"--out (\S+)", commands):
        made = tmp_path / out
        assert any(made.iterdir()) if made.is_dir() else made.stat().st_size, f"{out} is empty"


@pytest.mark.slow
def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    assert run_all("agreement report nowhere.jsonl\ntrue", tmp_path).returncode != 0
