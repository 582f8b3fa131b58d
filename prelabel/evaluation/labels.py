"""Whether a caption's panel labels were read right: as a set, and in their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PARTS = re.compile(r"\d+|\D")


@dataclass(frozen=True, slots=True)
class LabelledCaption:
    """A caption whose panel labels are known. article: what intervals are drawn by, "" for one of its own."""

    caption_id: str
    text: str
    labels: tuple[str, ...]
    article: str


@dataclass(frozen=True, slots=True)
class LabelOutcome:
    """The labels found in one caption, beside those that are right."""

    caption: LabelledCaption
    found: tuple[str, ...]

    @property
    def same_set(self) -> bool:
        """Whether just these labels were found, in whatever order."""
        return set(self.found) == set(self.caption.labels)

    @property
    def same_sequence(self) -> bool:
        """Whether they were found in the order given, ranges put in order on both sides."""
        return ranges_in_order(self.found) == ranges_in_order(self.caption.labels)


def ranges_in_order(labels: Iterable[str]) -> list[str]:
    """The labels, each once; one that follows a pair which it lies between is put there: "b, d, c" is b, c, d.

    So a range, of which articles' markup keeps the ends only ("(b-d) ... (c)"), is the same as its labels written
    out. What is out of order otherwise stays so: "b, a" is b, a.
    """
    ordered: list[str] = []
    for label in dict.fromkeys(labels):
        place = len(ordered)
        for position in range(len(ordered) - 1):
            if _key(ordered[position]) < _key(label) < _key(ordered[position + 1]):
                place = position + 1
                break
        ordered.insert(place, label)
    return ordered


def _key(label: str) -> list[tuple[int, int, str]]:
    """Numbers in a label by their value: "a2" before "a10"; capitals as small letters."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _PARTS.findall(label.casefold())]
