"""Run one job's command in a process of its own: `python -m annotator.jobs.runner FOLDER`.

The folder's lock file is inherited locked, so that everybody can see whether the job still runs, however it ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from annotator.jobs.folders import CANCEL, LOG, Result, read_request, write_result
from panelwise.runtime import PROGRESS_LINES

#: Seconds between two looks at the command, and those that it gets to stop before it is killed.
TICK, STOP_TIMEOUT = 0.2, 20.0
#: Seconds between two tries to write the result to a full disk, and those for which it is tried.
AGAIN, PATIENCE = 2.0, 3600.0


def main(folder: Path) -> int:
    """Run the command of the job in `folder` until it ends, or the job is cancelled; returns its exit status."""
    request = read_request(folder)
    signal.signal(signal.SIGTERM, lambda _signal, _frame: (folder / CANCEL).touch())
    signal.signal(signal.SIGINT, _ignore)
    exits, cancelled = [], False
    with (folder / LOG).open("ab") as log:
        for words in (request.words, *request.then):
            status, cancelled = _run(folder, words, log)
            exits.append(status)
            if cancelled:
                break
    status = next((status for status in exits if status), 0)
    _write(folder, Result(status, cancelled))
    return status


def _write(folder: Path, result: Result) -> None:
    """Write the result, again and again while the disk has no room for it. Raises OSError after PATIENCE."""
    begun = time.monotonic()
    while True:
        try:
            return write_result(folder, result)
        except OSError:
            if time.monotonic() - begun > PATIENCE:
                raise
            time.sleep(AGAIN)


def _run(folder: Path, words: Sequence[str], log: BinaryIO) -> tuple[int, bool]:
    """Run one command; returns its exit status, and whether it was stopped because the job is cancelled."""
    child = subprocess.Popen(
        list(words),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        process_group=0,
        env={**os.environ, PROGRESS_LINES: "1", "PYTHONUNBUFFERED": "1"},
    )
    cancelled = False
    while child.poll() is None:
        time.sleep(TICK)
        if not cancelled and (folder / CANCEL).exists():
            cancelled = True
            _stop(child)
    return child.returncode, cancelled


def _stop(child: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, how)
        with suppress(subprocess.TimeoutExpired):
            child.wait(STOP_TIMEOUT)
            return


def _ignore(_signal: int, _frame: FrameType | None) -> None:
    """Ctrl-C in the terminal of the server is not for the job."""


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
