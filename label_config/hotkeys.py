"""A key for each label: its own letter where that is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase, digits

#: Letters that the editor has given to its tools and regions: pan, rectangle, unselect, move.
RESERVED = frozenset("hruv")


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
