"""Faults of the program on one of many items, which must not stop the others."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

from panelwise.domain.errors import one_line

#: The log of faults, with their tracebacks. Commands have no log; servers write it to theirs.
FAULTS_LOGGER = "panelwise.faults"
_logger = logging.getLogger(FAULTS_LOGGER)
_logger.addHandler(logging.NullHandler())


def record_fault(error: Exception) -> str:
    """Log an unexpected error with its traceback; return its kind, message and place for the line on its item."""
    _logger.error("an item was left out by a fault of the program", exc_info=error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f", at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return one_line(f"{type(error).__name__}: {error}{place}")
