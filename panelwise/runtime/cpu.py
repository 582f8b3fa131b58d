"""CPU cores available to this process."""

from __future__ import annotations

import os


def cores() -> int:
    """Return the number of usable cores; a batch system may grant fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
