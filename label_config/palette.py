"""Labels of subfigures and their colours: one palette for boxes, caption spans and the adjudication view."""

from __future__ import annotations

from collections.abc import Sequence

#: Okabe and Ito's colours, distinct for every kind of colour vision; black and yellow moved or left
#: out: a black or pale box is lost on many figures.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D00", "#5D3A9B")

#: How a later round of labels differs from the first: towards white (positive) or black (negative), by this share.
_ROUNDS = (0.0, -0.38, 0.42, -0.58, 0.22, -0.20, 0.58, -0.70)

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _mixed(colour_text: str, share: float) -> str:
    """Mix the colour with white (share > 0) or black (share < 0)."""
    target = 255 if share > 0 else 0
    channels = (int(colour_text[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(value + (target - value) * abs(share)):02X}" for value in channels)


def colour(index: int) -> str:
    """Return the colour of the label at `index` of the palette, as "#RRGGBB".

    The first 64 differ; then they repeat. Raises ValueError for a negative index.
    """
    if index < 0:
        raise ValueError(f"the index of a label must be 0 or more, not {index}")
    turn, hue = divmod(index, len(OKABE_ITO))
    return _mixed(OKABE_ITO[hue], _ROUNDS[turn % len(_ROUNDS)])


def colours(labels: Sequence[str]) -> dict[str, str]:
    """Map each label to its colour, in the palette's order."""
    return {label: colour(index) for index, label in enumerate(labels)}


def default_labels(count: int) -> tuple[str, ...]:
    """Return the first `count` of A, B, ..., Z, AA, AB, ..., ZZ, AAA, ...

    Raises ValueError for a negative count.
    """
    if count < 0:
        raise ValueError(f"the number of labels must be 0 or more, not {count}")
    return tuple(_letters(position) for position in range(1, count + 1))


def _letters(position: int) -> str:
    """Return the spreadsheet column name of a position, from 1."""
    name = ""
    while position:
        position, letter = divmod(position - 1, len(_LETTERS))
        name = _LETTERS[letter] + name
    return name
