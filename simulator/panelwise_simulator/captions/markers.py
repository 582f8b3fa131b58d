"""Markers of panels in captions: "(A)", "B)", "c ", "(a, b)", "(D–F)", "((b) and (c))"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from panelwise_simulator.captions.phrases.language import Dice

_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_PARTS = re.compile(r"([A-Za-z]?)(\d+|[ivx]+)?$")

#: Markers before their text, by the style of captions with upper-case labels, as measured on 5,000 real captions.
_UPPER = {
    "(A)": 0.825, "A)": 0.020, "A:": 0.025, "A,": 0.022, "A.": 0.022, "(A):": 0.018, "(A),": 0.006, "(A).": 0.014,
    "Panel A:": 0.010, "[A]": 0.004, "A ": 0.006, "(Panel A)": 0.004, "A –": 0.004,
}  # fmt: skip
_LOWER = {
    "(A)": 0.570, "A ": 0.360, "A)": 0.020, "A.": 0.010, "A,": 0.010, "A:": 0.008, "(A):": 0.006, "(A).": 0.008,
    "Panel A:": 0.004, "(Panel A)": 0.002, "A –": 0.002,
}  # fmt: skip
_PRINTED = {"(A)": 0.93, "A)": 0.05, "(A):": 0.02}
_NUMBERS = {"(A)": 0.8, "A)": 0.2}


@dataclass(frozen=True, slots=True)
class Markers:
    """One caption's way of writing markers.

    style: the marker before its text with "A" as its label, as in "(A):" or "A, "; after: whether it follows its
    text instead; dash, comma, last: how ranges and lists are joined ("–", ", ", " and "); coupled: whether several
    are written as "((b) and (c))".
    """

    style: str
    after: bool
    dash: str
    comma: str
    last: str
    coupled: bool

    @property
    def bare(self) -> bool:
        """Return whether nothing but a blank ends the marker: "a Cells"."""
        return self.style == "A "

    def before(self, labels: Sequence[str]) -> str:
        """The marker at the start of what it names, without the blank that follows."""
        if self.coupled and len(labels) > 1:
            return self._coupled(labels)
        return self.style.strip().replace("A", self.joined(labels), 1)

    def within(self, labels: Sequence[str]) -> str:
        """The marker in a running sentence: always in parentheses, but square where the style is."""
        if self.coupled and len(labels) > 1:
            return self._coupled(labels)
        return f"[{self.joined(labels)}]" if self.style == "[A]" else f"({self.joined(labels)})"

    def mention(self, labels: Sequence[str]) -> str:
        """Return another panel's reference to panels: "(B)", or "b" where markers are bare."""
        return self.joined(labels) if self.bare or self.style in {"A,", "A."} else self.within(labels)

    def joined(self, labels: Sequence[str]) -> str:
        """Labels as a list with ranges: "A–C, E". Labels are in the figure's order."""
        parts: list[str] = []
        for first, last, count in _runs(labels):
            parts.extend(
                [first] if count == 1 else [first, last] if count == 2 else [_range(first, last, self.dash)]
            )
        if len(parts) == 2 and not any(self.dash in part for part in parts):
            return self.last.join(parts)
        return self.comma.join(parts)

    def _coupled(self, labels: Sequence[str]) -> str:
        parts = [(first, last, count) for first, last, count in _runs(labels)]
        if len(parts) == 1 and parts[0][2] > 2:
            return f"(({parts[0][0]}){self.dash}({parts[0][1]}))"
        return "(" + " and ".join(f"({label})" for label in labels) + ")"


def draw_markers(dice: Dice, labels: Sequence[str], *, parentheses: bool, difficulty: str) -> Markers:
    """A way of writing markers that suits the labels as they are printed."""
    first = labels[0]
    if first.isdigit() or len(first) > 1 or first in {"i", "I"}:
        weights = _NUMBERS
    elif parentheses:
        weights = _PRINTED
    else:
        weights = _UPPER if first.isupper() else _LOWER
    if difficulty == "easy":
        weights = {"(A)": 1.0}
    style = dice.weighted(weights)
    after = difficulty != "easy" and style == "(A)" and dice.chance(0.16 if difficulty == "medium" else 0.3)
    return Markers(
        style=style,
        after=after,
        dash=dice.weighted({"–": 0.75, "-": 0.2, " to ": 0.05, "‐": 0.0 if difficulty == "easy" else 0.02}),
        comma=dice.weighted({", ": 0.7, ",": 0.3}),
        last=dice.weighted({", ": 0.5, ",": 0.25, " and ": 0.22, " & ": 0.03}),
        coupled=style == "(A)" and difficulty == "hard" and dice.chance(0.03),
    )


def _runs(labels: Sequence[str]) -> list[tuple[str, str, int]]:
    """First label, last label and length of each run without a gap."""
    runs: list[tuple[str, str, int]] = []
    for label in labels:
        if runs and _follows(runs[-1][1], label):
            runs[-1] = (runs[-1][0], label, runs[-1][2] + 1)
        else:
            runs.append((label, label, 1))
    return runs


def _follows(label: str, other: str) -> bool:
    """Return whether `other` is what one counts to after `label`: A B, i ii, A1 A2, Ai Aii, 9 10."""
    if len(label) == len(other) == 1 and label.isalpha() and label not in {"i", "v", "x"}:
        return ord(other) == ord(label) + 1 and other.isalpha()
    if label in _ROMAN[:-1]:
        return other == _ROMAN[_ROMAN.index(label) + 1] or (label == "i" and other == "j")
    one, two = _PARTS.match(label), _PARTS.match(other)
    if one is None or two is None or one.group(1) != two.group(1) or not one.group(2) or not two.group(2):
        return False
    if one.group(2).isdigit() and two.group(2).isdigit():
        return int(two.group(2)) == int(one.group(2)) + 1
    return one.group(2) in _ROMAN[:-1] and two.group(2) == _ROMAN[_ROMAN.index(one.group(2)) + 1]


def _range(first: str, last: str, dash: str) -> str:
    """ "A–C"; "Ai–iii" where both begin with one letter."""
    if len(first) > 1 and first[0] == last[0] and first[0].isupper() and not first[1:].isdigit():
        return f"{first}{dash}{last[1:]}"
    return f"{first}{dash}{last}"
