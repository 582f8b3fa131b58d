"""Words for where a panel stands, for figures without letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from panelwise_simulator.captions.phrases.language import Dice

_COUNT = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, slots=True)
class Positions:
    """One caption's words for places: "upper" or "top", "middle" or "centre"."""

    upper: str
    lower: str
    middle: str

    def of(self, row: int, column: int, rows: int, columns: int) -> str:
        """The place of one panel: "left", "upper right", "second row, third from left"; "" of a lone panel."""
        across = self.across(column, columns)
        down = self.down(row, rows)
        if rows <= 3 and columns <= 3:
            return f"{down} {across}".strip()
        if not down:
            return across
        row_words = f"{down} row"
        return f"{row_words}, {across}" if across else row_words

    def across(self, column: int, columns: int) -> str:
        """The place within a row: "left", "middle", "third from left"; "" in a row of one."""
        if columns == 1:
            return ""
        if column == 0:
            return "left" if columns < 4 else "far left"
        if column == columns - 1:
            return "right" if columns < 4 else "far right"
        return self.middle if columns == 3 else f"{_counted(column)} from left"

    def down(self, row: int, rows: int) -> str:
        """The place of a row: "upper", "middle", "third"; "" where there is one."""
        if rows == 1:
            return ""
        if row == 0:
            return self.upper
        if row == rows - 1:
            return self.lower
        return self.middle if rows == 3 else _counted(row)


def draw_positions(dice: Dice) -> Positions:
    """Words for one caption."""
    upper, lower = dice.pick((("upper", "lower"), ("top", "bottom"), ("upper", "lower"), ("top", "bottom")))
    return Positions(upper, lower, dice.pick(("middle", "middle", "centre")))


def clockwise(places: Sequence[tuple[int, int]]) -> list[int] | None:
    """The order of a 2 x 2 figure's panels, clockwise from the upper left; None of other layouts."""
    wanted = [(0, 0), (0, 1), (1, 1), (1, 0)]
    if sorted(places) != sorted(wanted):
        return None
    return [list(places).index(place) for place in wanted]


def _counted(place: int) -> str:
    return _COUNT[place] if place < len(_COUNT) else f"{place + 1}th"
