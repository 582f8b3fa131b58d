"""The commands of a documentation page, and running them as they stand there.

Ours run in this process, for to start one takes longer than what most of them do; a shell runs the others.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import REPOSITORY
from running import Done, run_command

from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel

PROGRAMS = {"agreement": agreement, "annotator": annotator, "prelabel": prelabel}


def commands_of(page: str) -> str:
    """The shell blocks of docs/how-to/PAGE.md, each command on one line."""
    text = (REPOSITORY / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).replace("\\\n", " ")


def run_all(commands: str, folder: Path) -> Done:
    """Run commands in a folder until one fails. Returns its status, and all that was printed."""
    status, stdout, stderr = 0, "", ""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for part in _parts(commands):
            done = _run(part)
            status, stdout, stderr = done.returncode, stdout + done.stdout, stderr + done.stderr
            if status:
                break
    return Done(status, stdout, stderr)


def _parts(commands: str) -> list[str]:
    """The commands of ours by themselves, the lines between them together."""
    ours = rf"^(?:{'|'.join(PROGRAMS)}) .*$"
    return [part for part in re.split(rf"({ours})", commands, flags=re.MULTILINE) if part.strip()]


def _run(part: str) -> Done:
    program, *arguments = shlex.split(part, comments=True)
    if program in PROGRAMS:
        return run_command(PROGRAMS[program], program, *arguments)
    done = subprocess.run(["sh", "-eu", "-c", part], capture_output=True, text=True, timeout=300, check=False)
    return Done(done.returncode, done.stdout, done.stderr)
