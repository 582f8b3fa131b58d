"""Running a command in this process as its console script does, and seeing what a user sees."""

from __future__ import annotations

import io
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import click
import pytest

from annotator.cli.commandline import run


def notes(stderr: str) -> str:
    """What a command wrote to stderr but for the line that says what to do next."""
    return "".join(line for line in stderr.splitlines(keepends=True) if not line.startswith("next: "))


def next_command(stderr: str) -> str:
    """The command that stderr says to run next, without the comment behind it; "" where it says none."""
    found = [line.removeprefix("next: ") for line in stderr.splitlines() if line.startswith("next: ")]
    assert len(found) < 2, found
    return found[0].partition("  # ")[0] if found else ""


@dataclass(frozen=True)
class Done:
    returncode: object
    stdout: str
    stderr: str


def run_command(group: click.Command, name: str, *arguments: object) -> Done:
    """name: the program's, as the user types it. What is no exit raises."""
    out, err = io.StringIO(), io.StringIO()
    before = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", [name, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run(group)
    signal.signal(signal.SIGTERM, before)
    return Done(ended.value.code, out.getvalue(), err.getvalue())
