"""Parts and the panel letters in them: cuts along gutters give way to cuts along letters that fit better."""

from __future__ import annotations

from collections.abc import Sequence

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.layout import Cutter, Part
from prelabel.panels.letters.anchors import Anchored, anchored_split
from prelabel.panels.letters.find import Letter, find_row

#: By so much must letters stand better in a split along them for it to replace parts that hold one letter each.
BETTER = 0.08

#: What a letter's distance from the left, and ink cut through, count beside its distance from the top.
ASIDE, CROSSED = 0.5, 5.0

#: A part that letters bound: how sure it is, what ink cut through takes from that, and the least.
SURE, PER_CROSSED, LEAST = 0.95, 3.0, 0.1

#: How much likelier a missing panel is in the part of the label before or after it than in another.
NEIGHBOUR_WEIGHT = 2.0

#: Parts that share so much of their height are in one row, of their width in one column.
SHARED = 0.5

#: A part and the letter in it; None without a letter.
Lettered = tuple[Part, str | None]


def lettered(
    canvas: Canvas, parts: list[Part], letters: tuple[Letter, ...], labels: tuple[str, ...]
) -> list[Lettered]:
    """Each part with its letter; parts give way to a split along the letters where these stand better in that.

    labels: all that the caption names, those among them whose letter was not found; more parts than that stay.
    """
    owners = [[each for each in letters if _holds(part.rect, each.rect)] for part in parts]
    alone = [found[0] if len(found) == 1 else None for found in owners]
    plain = [(part, letter.label if letter else None) for part, letter in zip(parts, alone, strict=True)]
    if not letters or len(parts) > len(labels):
        return plain
    as_found = tuple(Anchored(part.rect, one, 0.0) for part, one in zip(parts, alone, strict=True) if one)
    whole = len(as_found) == len(letters) == len(parts) - (len(labels) - len(letters))
    if whole and min(_misfit(as_found, False), _misfit(as_found, True)) <= BETTER:
        return plain
    splits: list[tuple[float, bool, tuple[Anchored, ...]]] = []
    for below in (False, True):
        split = anchored_split(canvas, letters, below=below, missing=len(labels) - len(letters))
        if split:
            splits.append((_misfit(split, below), below, split))
            if splits[-1][0] <= BETTER:
                break
    if not splits:
        return plain
    misfit, below, split = min(splits, key=lambda option: option[0])
    if whole and _misfit(as_found, below) <= misfit + BETTER:
        return plain
    found: list[Lettered] = [
        (
            Part(each.rect, max(LEAST, SURE - PER_CROSSED * each.crossed), "letter"),
            each.letter.label if each.letter is not None else None,
        )
        for each in split
    ]
    return _completed(canvas, found, labels)


def row_of(canvas: Canvas, rects: Sequence[Rect]) -> tuple[str, ...]:
    """The letters printed in panels that no caption names, one in each, from A or a on; empty if one lacks."""
    # By rows or by columns, the first is the one nearest to the upper left.
    letters = find_row(canvas, len(rects), min(rects, key=lambda rect: rect[0] + rect[1]))
    owned = [[each.label for each in letters if _holds(rect, each.rect)] for rect in rects]
    return tuple(found[0] for found in owned) if all(len(found) == 1 for found in owned) else ()


def _completed(canvas: Canvas, found: list[Lettered], labels: tuple[str, ...]) -> list[Lettered]:
    """Parts with their letters; panels whose letter was not found are cut off where reading order has them."""
    parts = list(found)
    cutter = Cutter(canvas, len(labels))
    known = {label for _, label in found}
    for place, label in enumerate(labels):
        if label in known or len(parts) == len(labels):
            continue
        begins = {name: part.rect for part, name in parts if name is not None}
        named = [each for each in labels if each in begins]
        at = sum(each in begins for each in labels[:place])
        beside = named[max(0, at - 1) : at + 1]
        before = [begins[each] for each in labels[:place] if each in begins]
        after = [begins[each] for each in labels[place:] if each in begins]
        options: list[tuple[tuple[bool, bool, float], Lettered, Part, Part]] = []
        for owner in parts:
            halves = cutter.halved(owner[0])
            if halves is None:
                continue
            merit, one, other = halves
            # A letter begins its panel, so the second piece is the one without.
            ordered = not any(_precedes(other.rect, each) for each in before)
            ordered &= not any(_precedes(each, other.rect) for each in after)
            likely = merit * (NEIGHBOUR_WEIGHT if owner[1] in beside else 1.0)
            options.append(((ordered, one.kind == "gutter", likely), owner, one, other))
        if options:
            _, owner, one, other = max(options, key=lambda option: option[0])
            parts.remove(owner)
            parts += [(one, owner[1]), (other, None)]
    return parts


def _precedes(one: Rect, other: Rect) -> bool:
    """Return whether a part is read before another: left of it in its row, above it in its column, or both."""
    right, down = one[0] - other[0], one[1] - other[1]
    in_row = _shared(one[1::2], other[1::2]) > SHARED
    in_column = _shared(one[::2], other[::2]) > SHARED
    return (in_row and right < 0) or (in_column and down < 0) or (right < 0 and down < 0)


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The share of the shorter of two stretches that is also of the other."""
    shorter = min(one[1] - one[0], other[1] - other[0])
    return (min(one[1], other[1]) - max(one[0], other[0])) / max(1, shorter)


def _misfit(split: tuple[Anchored, ...], below: bool) -> float:
    """Return the misfit of letters to their parts, with the share of ink that is cut through: 0 is best."""
    held = [(each.rect, each.letter.rect, each.crossed) for each in split if each.letter is not None]
    total = 0.0
    for (x0, y0, x1, y1), letter, crossed in held:
        away = max(0, y1 - letter[3] if below else letter[1] - y0) / (y1 - y0)
        aside = 0.0 if below else max(0, letter[0] - x0) / (x1 - x0)
        total += away + ASIDE * aside + CROSSED * crossed
    return total / len(held)


def _holds(rect: Rect, letter: Rect) -> bool:
    """Return whether a rectangle holds the middle of a letter."""
    x, y = (letter[0] + letter[2]) / 2, (letter[1] + letter[3]) / 2
    return rect[0] <= x <= rect[2] and rect[1] <= y <= rect[3]
