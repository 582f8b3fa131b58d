"""`agreement report` on large files, as a user meets it: Ctrl-C, exit codes, the same output as for small ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from builders import a_figure, an_annotation
from running import Done, run_command

from annotator.cli.agreement.main import group
from annotator.measurement import columns
from panelwise.files.jsonl import encode_line
from panelwise.formats.annotations import annotation_record

NEVER = 1 << 60
LINES = b"".join(
    encode_line(annotation_record(an_annotation(a_figure(f"f{number}"), annotator=name, minutes=minutes)))
    for number in range(100)
    for minutes, name in enumerate(("ann1", "ann2", "ann3"))
)
COMMAND = "from annotator.cli.agreement.main import main; main()"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc here, which says which files are open")
def test_ctrl_c_on_a_large_file_says_stopped_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(LINES * ((1 << 27) // len(LINES)))
    command = [sys.executable, "-c", COMMAND, "report", str(file)]
    # What a terminal does: the signal goes to the whole group.
    done = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 300
        while done.poll() is None and not _is_open(file, done.pid):
            assert time.monotonic() < until, "the file is not read"
            time.sleep(0.01)
        os.killpg(done.pid, signal.SIGINT)
        out, err = done.communicate(timeout=240)
    finally:
        done.kill()
    # The first line ends that on which the terminal shows ^C.
    assert (out, err, done.returncode) == ("", "\nstopped\n", 130)


def _is_open(file: Path, process: int) -> bool:
    return any(each.resolve() == file for each in Path(f"/proc/{process}/fd").iterdir())


def _both(file: Path, *options: str) -> list[Done]:
    found = []
    for size in (NEVER, 0):
        with patch.object(columns, "COLUMNS_FROM", size):
            found.append(run_command(group, "agreement", "report", file, "--bootstrap", 20, *options))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["paper", "official-code"])
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (LINES, 0),
        (LINES + b"{\n", 1),
        (LINES.replace(b'"status":', b'"status" :"accepted","status":', 1), 1),
        (LINES + LINES.replace(b'"phase":"1"', b'"phase":"2"'), 1),
        (b"\n\n", 1),
        (b"x" * 100, 1),
    ],
)
def test_exit_code_and_every_word_are_those_of_a_small_file(
    tmp_path: Path, content: bytes, code: int, mode: str
) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(content)
    for layout in ("json", "text"):
        small, large = _both(file, "--mode", mode, "--format", layout)
        assert small == large
        assert small.returncode == code
        assert "Traceback" not in small.stderr
