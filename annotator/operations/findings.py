"""Findings of `annotator doctor`: the result of one check each, and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The result of a check. Only WRONG means that something does not work."""

    GOOD = "good"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. about: what was checked. message: the result. fix: what to do, or ""."""

    about: str
    state: State
    message: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.state.value:<5}  {self.about}: {self.message}{f'; {self.fix}' if self.fix else ''}"


def good(about: str, message: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding(about, State.GOOD, message)


def note(about: str, message: str, fix: str) -> Finding:
    """Return a finding that works but should be looked at."""
    return Finding(about, State.NOTE, message, fix)


def wrong(about: str, message: str, fix: str) -> Finding:
    """Return a finding that something does not work."""
    return Finding(about, State.WRONG, message, fix)
