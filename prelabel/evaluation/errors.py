"""Why a model's subcaption is wrong: the categories of the paper's error analysis (section 3.4), told by words.

The paper's authors judged 50 by eye. Here the words decide, so that every subfigure is judged and the rules can be
read; a category that needs another person's eyes is given only where another person's work is at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agreement.primitives.token_f1 import token_f1

#: A gold subfigure below this F1 is an error, as in the paper.
WRONG_BELOW = 0.5


class Category(StrEnum):
    """What is wrong with a subcaption; they do not exclude each other, but for the first two.

    NO_BOX: no box answers, of predicted subfigures. EMPTY: a box without a word. OTHER_PANEL: most words are not
    the panel's, and most of those are another panel's. SURPLUS: the same, but most of those are no panel's.
    MISSING: some of the panel's words, and less than half of them. ANNOTATION: another annotator's subcaption of
    the same box agrees with the model's: the gold may be at fault.
    """

    OTHER_PANEL = "another panel's subcaption"
    EMPTY = "empty"
    MISSING = "missing words"
    ANNOTATION = "annotation"
    SURPLUS = "words of no panel"
    NO_BOX = "no box"


#: Those of the paper, with its shares (box CRF, gold subfigures, 50 of the validation set).
PAPER_SHARES = {
    Category.OTHER_PANEL: 0.46,
    Category.EMPTY: 0.22,
    Category.MISSING: 0.14,
    Category.ANNOTATION: 0.06,
}


@dataclass(frozen=True, slots=True)
class WrongSubcaption:
    """One gold subfigure whose subcaption the model has wrong.

    judged: whether another annotator drew this box, so that ANNOTATION could be told.
    """

    figure_id: str
    label: str
    f1: float
    categories: frozenset[Category]
    judged: bool


@dataclass(frozen=True, slots=True)
class Errors:
    """All of one model's on one split. counted: gold subfigures that count."""

    wrong: tuple[WrongSubcaption, ...]
    counted: int

    def number(self, category: Category) -> int | None:
        """How many are of that category; None for ANNOTATION where nobody else drew any of these boxes."""
        if category is Category.ANNOTATION and self.wrong and not self.judged:
            return None
        return sum(category in each.categories for each in self.wrong)

    @property
    def judged(self) -> int:
        """Those of which another annotator's work is at hand."""
        return sum(each.judged for each in self.wrong)

    def share(self, category: Category) -> float | None:
        """The share of those that could be judged; None where there are none."""
        of = self.judged if category is Category.ANNOTATION else len(self.wrong)
        number = self.number(category)
        return number / of if of and number is not None else None


def categories(
    own: Collection[int],
    found: Collection[int] | None,
    others: Iterable[Collection[int]],
    second: Sequence[Collection[int]] = (),
) -> frozenset[Category]:
    """Why `found` is wrong for a panel whose words are `own`, given that its F1 is below `WRONG_BELOW`.

    All are ids of words that count. found: None where no box answers. others: the words of the figure's other
    panels. second: what other annotators gave to the same box.
    """
    if found is None:
        return frozenset({Category.NO_BOX})
    mine, theirs = frozenset(own), frozenset(found)
    seen = {Category.ANNOTATION} if any(_agree(theirs, each) for each in second) else set()
    if not theirs:
        return frozenset({Category.EMPTY, *seen})
    stray, right = theirs - mine, theirs & mine
    if 2 * len(stray) > len(theirs):
        elsewhere = stray & frozenset().union(*others)
        seen.add(Category.OTHER_PANEL if 2 * len(elsewhere) >= len(stray) else Category.SURPLUS)
    if right and 2 * len(right) < len(mine):
        seen.add(Category.MISSING)
    return frozenset(seen)


def _agree(found: Collection[int], other: Collection[int]) -> bool:
    """Two people who both leave a box empty agree."""
    score = token_f1(found, other)
    return score is None or score >= WRONG_BELOW
