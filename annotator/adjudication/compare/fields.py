"""One field of two decisions, merged against what both started from.

Where only one of the two changed something, it is taken from that one; what both changed alike is that; where they
changed it differently, `mine` stands and it is a clash.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One field of two decisions. clash: both changed it, each otherwise."""

    mine: T
    theirs: T
    merged: T
    clash: bool


def choice(mine: T, theirs: T, base: T | None) -> Choice[T]:
    """One field of two decisions, merged against what both started from."""
    if mine == theirs or theirs == base:
        return Choice(mine, theirs, mine, clash=False)
    if mine == base:
        return Choice(mine, theirs, theirs, clash=False)
    return Choice(mine, theirs, mine, clash=True)


def text_choice(mine: str, theirs: str, base: str) -> Choice[str]:
    """Two texts are one below the other where both were changed: neither is lost."""
    found = choice(mine, theirs, base)
    if not found.clash:
        return found
    if not mine or not theirs:
        return Choice(mine, theirs, mine or theirs, clash=True)
    return Choice(mine, theirs, f"{theirs}\n{mine}", clash=True)
