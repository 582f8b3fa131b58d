"""Folders that commands prepare things in, and those that killed commands left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from panelwise.runtime.atomic_write import BACKUP, MAKING, UNPACKED, is_unfinished, restoring, scratch_folder

KILLED = """
import os, sys
from pathlib import Path
from panelwise.runtime.atomic_write import scratch_folder
with scratch_folder(Path(sys.argv[1]), sys.argv[2]) as folder:
    (folder / "half.png").write_bytes(b"half")
    if sys.argv[3] == "killed":
        os.kill(os.getpid(), 9)
    print(folder.name, flush=True)
    sys.stdin.read()
"""


def start(place: Path, beginning: str, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(place), beginning, how],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("beginning", [UNPACKED, BACKUP, MAKING, restoring(Path("mice [1]"))])
def test_the_next_command_removes_what_a_killed_one_left(tmp_path: Path, beginning: str) -> None:
    with start(tmp_path, beginning, "killed") as killed:
        killed.wait()
    (left,) = tmp_path.iterdir()
    assert is_unfinished(left.name)
    with scratch_folder(tmp_path, beginning) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_still_runs_keeps_its_folder_and_so_do_others(tmp_path: Path) -> None:
    beginning = restoring(Path("mice"))
    (tmp_path / ".mice.restoring-file").write_text("a file of somebody")
    (tmp_path / ".rats.restoring-x").mkdir()
    (tmp_path / ".rats.restoring-x" / "half.png").write_bytes(b"half")
    with start(tmp_path, beginning, "runs") as running:
        assert running.stdout is not None
        name = running.stdout.readline().strip()
        with scratch_folder(tmp_path, beginning):
            assert (tmp_path / name / "half.png").is_file()
        running.communicate("")
    assert {each.name for each in tmp_path.iterdir()} == {".mice.restoring-file", ".rats.restoring-x"}


def test_a_folder_that_became_the_result_stays(tmp_path: Path) -> None:
    with scratch_folder(tmp_path, restoring(tmp_path / "mice")) as folder:
        (folder / "campaign.toml").write_text("")
        folder.rename(tmp_path / "mice")
    assert (tmp_path / "mice" / "campaign.toml").is_file()


@pytest.mark.parametrize("name", [".thumbnails", "mice.restoring-x", "unpacked-x", ".git", "store.sqlite-wal"])
def test_other_names_are_no_leftovers(name: str) -> None:
    assert not is_unfinished(name)
