"""The parts that `annotator up` runs, as a file in the home for the dashboard and for a second start."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from panelwise.runtime import PartReport, PartState, describe_exit, write_whole

FILE_NAME = "up.json"


class RunningParts(msgspec.Struct, frozen=True):
    """The running parts. pid: of `annotator up`. url: of the adjudication view."""

    pid: int
    url: str
    parts: tuple[PartReport, ...]

    @property
    def alive(self) -> bool:
        """Return whether `annotator up` runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


def write_parts(home: Path, running: RunningParts) -> None:
    """Replace the file."""
    write_whole(home / FILE_NAME, msgspec.json.encode(running), lasting=False, mode=0o600)


def read_parts(home: Path) -> RunningParts | None:
    """Return what runs; None if nothing is known of it."""
    try:
        return msgspec.json.decode((home / FILE_NAME).read_bytes(), type=RunningParts)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def remove_parts(home: Path) -> None:
    """Remove the file: everything was stopped."""
    with suppress(OSError):
        (home / FILE_NAME).unlink()


def problems_of(running: RunningParts | None, now: datetime) -> list[str]:
    """Describe what does not run as it should, one sentence each: parts that are down or ended within a day."""
    if running is None:
        return []
    if not running.alive:
        return ["`annotator up` was killed: nothing is synchronized. Start it again."]
    return [describe_end(part) for part in running.parts if _is_a_problem(part, now)]


def describe_end(part: PartReport) -> str:
    """Describe how a part ended last, in sentences."""
    how = "" if part.exit is None else f" ({describe_exit(part.exit)})"
    at = "" if part.ended_at is None else f" at {part.ended_at:%Y-%m-%d %H:%M} UTC"
    then = "It is started again." if part.state is PartState.DOWN else "It was started again."
    last = f" Its last line: {part.error}" if part.error else ""
    return f"{part.name} ended{at}{how}. {then}{last}"


def _is_a_problem(part: PartReport, now: datetime) -> bool:
    if part.state is PartState.DOWN:
        return True
    return part.ended_at is not None and (now - part.ended_at).total_seconds() < 24 * 3600
