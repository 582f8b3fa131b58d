"""Categories of wrong subcaptions: the paper's error analysis (section 3.4), computed from tokens.

The paper's authors judged 50 by eye. Rules on tokens allow judging every subfigure; a category that needs a second
annotator is only used if there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agreement import token_f1

#: A gold subfigure below this F1 is an error, as in the paper.
WRONG_BELOW = 0.5


class Category(StrEnum):
    """A category of error in a subcaption; only the first two exclude the others.

    NO_BOX: no predicted box matches. EMPTY: a box without text. OTHER_PANEL: most tokens are not the panel's, and
    most of those are another panel's. SURPLUS: likewise, but most of those are no panel's. MISSING: some of the
    panel's tokens, and less than half of them. ANNOTATION: another annotator's subcaption of the same box agrees
    with the model's: the gold may be wrong.
    """

    OTHER_PANEL = "another panel's subcaption"
    EMPTY = "empty"
    MISSING = "missing words"
    ANNOTATION = "annotation"
    SURPLUS = "words of no panel"
    NO_BOX = "no box"


#: The paper's categories and shares (box CRF, gold subfigures, 50 of the validation set).
PAPER_SHARES = {
    Category.OTHER_PANEL: 0.46,
    Category.EMPTY: 0.22,
    Category.MISSING: 0.14,
    Category.ANNOTATION: 0.06,
}


@dataclass(frozen=True, slots=True)
class WrongSubcaption:
    """One gold subfigure with a wrong subcaption.

    judged: another annotator drew this box, so that ANNOTATION could be decided.
    """

    figure_id: str
    label: str
    f1: float
    categories: frozenset[Category]
    judged: bool


@dataclass(frozen=True, slots=True)
class Errors:
    """All errors of one model on one split. counted: gold subfigures that count."""

    wrong: tuple[WrongSubcaption, ...]
    counted: int

    def number(self, category: Category) -> int | None:
        """Return the number of errors of that category; None for ANNOTATION without other annotators' boxes."""
        if category is Category.ANNOTATION and self.wrong and not self.judged:
            return None
        return sum(category in each.categories for each in self.wrong)

    @property
    def judged(self) -> int:
        """Number of errors with another annotator's box."""
        return sum(each.judged for each in self.wrong)

    def share(self, category: Category) -> float | None:
        """Return the share among errors that could be judged; None without any."""
        of = self.judged if category is Category.ANNOTATION else len(self.wrong)
        number = self.number(category)
        return number / of if of and number is not None else None


def categories(
    own: Collection[int],
    found: Collection[int] | None,
    others: Iterable[Collection[int]],
    second: Sequence[Collection[int]] = (),
) -> frozenset[Category]:
    """Return why `found` is wrong for a panel with tokens `own`, given that its F1 is below `WRONG_BELOW`.

    All are ids of tokens that count. found: None without a matching box. others: tokens of the figure's other
    panels. second: other annotators' tokens for the same box.
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
    """Return True if both agree; two empty subcaptions do."""
    score = token_f1(found, other)
    return score is None or score >= WRONG_BELOW
