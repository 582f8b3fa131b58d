"""What `annotator doctor` finds: one line about one thing, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a check came out. Only WRONG keeps something from working."""

    GOOD = "good"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was looked at, what is so, and what to do where that is not good."""

    about: str
    state: State
    told: str
    mend: str = ""

    def __str__(self) -> str:
        return f"{self.state.value:<5}  {self.about}: {self.told}{f'; {self.mend}' if self.mend else ''}"


def good(about: str, told: str) -> Finding:
    """All is well."""
    return Finding(about, State.GOOD, told)


def note(about: str, told: str, mend: str) -> Finding:
    """Works, but somebody should look."""
    return Finding(about, State.NOTE, told, mend)


def wrong(about: str, told: str, mend: str) -> Finding:
    """Something does not work."""
    return Finding(about, State.WRONG, told, mend)
