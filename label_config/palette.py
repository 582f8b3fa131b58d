"""Labels of subfigures and their colours, one palette for boxes, caption spans and the adjudication view."""

from __future__ import annotations

from collections.abc import Sequence

#: Okabe and Ito's colours, told apart by people of every kind of colour vision; black and yellow moved or left
#: out: a black or pale box is lost on many figures.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D00", "#5D3A9B")

#: How a later round of labels differs from the first: towards white (positive) or black (negative), by this share.
_ROUNDS = (0.0, -0.38, 0.42, -0.58, 0.22, -0.20, 0.58, -0.70)

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _mixed(colour_text: str, share: float) -> str:
    """The colour moved towards white (share > 0) or black (share < 0)."""
    target = 255 if share > 0 else 0
    channels = (int(colour_text[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(value + (target - value) * abs(share)):02X}" for value in channels)


def colour(index: int) -> str:
    """The colour of the label at `index` of the palette, as "#RRGGBB".

    The first 64 differ from one another; then they come round again. Raises ValueError for a negative index.
    """
    if index < 0:
        raise ValueError(f"no label has the index {index}")
    turn, hue = divmod(index, len(OKABE_ITO))
    return _mixed(OKABE_ITO[hue], _ROUNDS[turn % len(_ROUNDS)])


def colours(labels: Sequence[str]) -> dict[str, str]:
    """Each label with its colour, in the palette's order."""
    return {label: colour(index) for index, label in enumerate(labels)}


def default_labels(count: int) -> tuple[str, ...]:
    """The first `count` of A, B, ..., Z, AA, AB, ..., ZZ, AAA, ...

    Raises ValueError for a negative count.
    """
    if count < 0:
        raise ValueError(f"{count} labels cannot be")
    return tuple(_letters(position) for position in range(1, count + 1))


def _letters(position: int) -> str:
    """Spreadsheet column name of a position that counts from 1."""
    name = ""
    while position:
        position, letter = divmod(position - 1, len(_LETTERS))
        name = _LETTERS[letter] + name
    return name
