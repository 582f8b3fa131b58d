"""Which processes run, by their ids."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(pid: int) -> set[int]:
    """The processes that any of its threads has started. Raises NotADirectoryError where there is no /proc."""
    threads = Path(f"/proc/{pid}/task")
    if not threads.is_dir():
        raise NotADirectoryError(threads)
    found: set[int] = set()
    for thread in threads.glob("*/children"):
        with suppress(OSError):  # A thread that has ended.
            found |= set(map(int, thread.read_text().split()))
    return found


def gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not alive(pid):
            return True
        time.sleep(0.1)
    return False
