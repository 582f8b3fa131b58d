"""A key for each label: its own letter where that is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from string import ascii_lowercase, digits

#: Letters that the editor has given to its tools and regions: pan, rectangle, unselect, move.
RESERVED = frozenset("hruv")

#: Letters that AltGr leaves alone on Western European keyboards.
ALTGR_FREE = ("f", "g", "h", "j", "k", "v", "b")

_SPARE = (
    *("ctrl+alt+shift+command+", "ctrl+alt+command+"),
    *("ctrl+shift+command+", "alt+shift+command+"),
)


def hotkeys(labels: Sequence[str]) -> dict[str, str]:
    """Label -> key, all different, in the editor's way of writing ("a", "shift+h"); some labels may have none.

    A label of one letter or digit gets that key; "H", "R", "U" and "V", which the editor uses itself, get it with
    shift. The others get a letter with shift, then one with alt and shift, the label's first letter first.
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
    """Hands out keys for a config's choices, each once.

    The editor gives a choice without a key of its own a plain letter, and typing while no field has the focus then
    ticks it. Ctrl+alt is AltGr on many keyboards and types characters too: `main` keys are those with which it
    types nothing on Western European ones. `spare` keys are for what nobody is to press: with the command key they
    type nothing anywhere.
    """

    def __init__(self) -> None:
        self._main = iter([f"ctrl+alt+{shift}{letter}" for shift in ("", "shift+") for letter in ALTGR_FREE])
        self._spare = iter([prefix + letter for prefix in _SPARE for letter in ascii_lowercase])

    def main(self, count: int) -> tuple[str, ...]:
        """The next keys to press; the second seven are the first with shift. Raises ValueError beyond 14."""
        return _taken(self._main, count)

    def spare(self, count: int) -> tuple[str, ...]:
        """The next keys that are not to be pressed. Raises ValueError beyond 104."""
        return _taken(self._spare, count)


def _taken(keys: Iterator[str], count: int) -> tuple[str, ...]:
    found = tuple(islice(keys, count))
    if len(found) < count:
        raise ValueError(f"{count} more choices are more than there are keys for")
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
