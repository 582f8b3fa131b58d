"""Imports, releases, exports, reports and synchronisation on a disk that is full, or becomes full on the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
#: Bytes of room by command: too little to begin, and too little to end.
ROOMS = {
    "import figures": (0, 65536, 262144),
    "import annotations": (0, 65536),
    "release": (0, 65536, 131072),
    "export gold": (0, 8192),
    "push": (0, 32768, 65536),
    "pull": (0, 65536, 131072),
    "sync": (0, 65536),
    "backup": (0, 65536),
    "prelabel": (0, 4096),
    "report text": (0,),
    "report json": (0, 4096),
    "report csv": (0, 4096, 16384),
    "report html": (0, 16384),
    "report latex": (0, 16384),
}
#: The soak has all of them; other runs those that end on the way.
CASES = [
    pytest.param(command, room, marks=() if room == rooms[-1] else pytest.mark.soak)
    for command, rooms in ROOMS.items()
    for room in rooms
]


def run_on(folder: Path, command: str, room: int) -> dict[str, Any]:
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode
    ):
        pytest.skip("this user may not mount a file system of their own (unshare -rm)")
    (folder / "disk").mkdir()
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-m", "cli.on_small_disk", folder / "disk", str(room), command],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "room"), CASES)
def test_a_full_disk_is_one_line_that_leaves_nothing_in_part_and_loses_nothing(
    tmp_path: Path, command: str, room: int
) -> None:
    """With room again the same command does all of it."""
    found = run_on(tmp_path, command, room)
    code, _, stderr = found["full"]
    assert code == 1, stderr
    (line,) = stderr.splitlines()
    assert line.startswith(f"error: {tmp_path / 'disk'}"), line
    assert "/.making" not in line
    assert "disk is full" in line or "No space left on device" in line or "check the disk" in line
    assert found["lost"] == []
    # Images come before the figures' rows, each whole; the next import finds them there.
    before = ("home/images/", "home/releases/.lock", "home/label-studio/", "out/predictions.jsonl")
    assert [path for path in found["new"] if not path.startswith(before)] == []
    code, _, stderr = found["again"]
    assert code == 0, stderr
    assert not any(Path(path).name.startswith(".making") for path in found["made"])
    (figures, annotations), after = found["counts"]
    work = ("import annotations", "pull", "sync")
    assert after == [figures + 12 * (command == "import figures"), annotations + 120 * (command in work)]
    # A task that Label Studio has, and the store does not know yet, is found there and not made twice.
    assert found["tasks"] == ([60, 60] if command in ("push", "pull", "sync") else [])
    if command not in work:
        assert found["made"]


@pytest.mark.slow
@pytest.mark.parametrize("room", [pytest.param(0, marks=pytest.mark.soak), 8192, 32768, 65536])
def test_a_watch_goes_on_once_there_is_room_on_the_disk_again(tmp_path: Path, room: int) -> None:
    found = run_on(tmp_path, "sync --watch", room)
    code, _, stderr = found["full"]
    assert code == 0, stderr
    trouble = [line for line in stderr.splitlines() if "trying again" in line]
    (line,) = trouble
    assert str(tmp_path / "disk") in line
    assert "disk is full" in line or "No space left on device" in line or "check the disk" in line
    assert "reconnected" in stderr
    (figures, annotations), after = found["counts"]
    assert after == [figures, annotations + 120]
    assert found["tasks"] == [60, 60]
    assert found["lost"] == []
