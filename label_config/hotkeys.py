"""Assign a key to each label: its own letter where that is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from string import ascii_lowercase, digits

#: Letters that the editor uses for its tools and regions: pan, rectangle, unselect, move.
RESERVED = frozenset("hruv")

#: Letters that AltGr leaves alone on Western European keyboards.
ALTGR_FREE = ("f", "g", "h", "j", "k", "v", "b")

_SPARE = (
    *("ctrl+alt+shift+command+", "ctrl+alt+command+"),
    *("ctrl+shift+command+", "alt+shift+command+"),
)


def hotkeys(labels: Sequence[str]) -> dict[str, str]:
    """Map labels to different keys in the editor's notation ("a", "shift+h"); some labels may get none.

    A label of one letter or digit gets that key, with shift for "H", "R", "U" and "V", which the editor uses
    itself. The others get a letter with shift, then one with alt and shift, the label's first letter first.
    """
    taken: set[str] = set()
    keys: dict[str, str] = {}
    for wanted in (_own, _spare):
        for label in labels:
            if label in keys:
                continue
            key = next((key for key in wanted(label) if key not in taken), None)
            if key is not None:
                keys[label] = key
                taken.add(key)
    return {label: keys[label] for label in labels if label in keys}


class ChoiceKeys:
    """Assign keys to a config's choices, each key once.

    The editor gives a choice without a key a plain letter, and typing while no field has the focus then ticks it.
    Ctrl+alt is AltGr on many keyboards and types characters too: `main` keys are those that type none on Western
    European keyboards. `spare` keys, with the command key, are for choices without a shortcut.
    """

    def __init__(self) -> None:
        self._main = iter([f"ctrl+alt+{shift}{letter}" for shift in ("", "shift+") for letter in ALTGR_FREE])
        self._spare = iter([prefix + letter for prefix in _SPARE for letter in ascii_lowercase])

    def main(self, count: int) -> tuple[str, ...]:
        """Return the next keys to press; the second seven are the first with shift.

        Raises ValueError beyond 14.
        """
        return _next_keys(self._main, count)

    def spare(self, count: int) -> tuple[str, ...]:
        """Return the next keys that are out of the way. Raises ValueError beyond 104."""
        return _next_keys(self._spare, count)


def _next_keys(keys: Iterator[str], count: int) -> tuple[str, ...]:
    found = tuple(islice(keys, count))
    if len(found) < count:
        raise ValueError(f"no keys are left for {count} more choices; use fewer choices")
    return found


def _own(label: str) -> Iterator[str]:
    letter = label.lower()
    if len(letter) == 1 and letter in ascii_lowercase + digits:
        yield f"shift+{letter}" if letter in RESERVED else letter


def _spare(label: str) -> Iterator[str]:
    first = label[0].lower()
    letters = (first if first in ascii_lowercase else "") + ascii_lowercase
    for prefix in ("shift+", "alt+shift+"):
        for letter in letters:
            yield prefix + letter
