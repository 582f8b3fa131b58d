"""Evaluate the panel labels read from captions: as a set, and in their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PARTS = re.compile(r"\d+|\D")


@dataclass(frozen=True, slots=True)
class LabelledCaption:
    """A caption with known panel labels. article: the cluster for intervals, "" for one of its own."""

    caption_id: str
    text: str
    labels: tuple[str, ...]
    article: str


@dataclass(frozen=True, slots=True)
class LabelOutcome:
    """The labels found in one caption, with the right ones."""

    caption: LabelledCaption
    found: tuple[str, ...]

    @property
    def same_set(self) -> bool:
        """True if exactly the right labels were found, in any order."""
        return set(self.found) == set(self.caption.labels)

    @property
    def same_sequence(self) -> bool:
        """True if they were found in the right order, with ranges sorted on both sides."""
        return ranges_in_order(self.found) == ranges_in_order(self.caption.labels)


def ranges_in_order(labels: Iterable[str]) -> list[str]:
    """Return the distinct labels, with a label after the pair it lies between moved inside: "b, d, c" is b, c, d.

    So a range, of which articles' markup has the ends only ("(b-d) ... (c)"), equals its labels in full. Other
    labels out of order stay: "b, a" is b, a.
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
    """Sort numbers in a label by value: "a2" before "a10"; case is ignored."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _PARTS.findall(label.casefold())]
