"""The rules that a score goes by, and the raw values that it is made from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

#: A box answers to a gold box from this IoU on.
MIN_IOU = 0.5
#: How often figures are drawn anew for an interval.
RESAMPLES = 10_000


class Mode(StrEnum):
    """Whose rules hold where the paper and its authors' code differ."""

    PAPER = "paper"
    OFFICIAL = "official-code"

    @property
    def tokens(self) -> str:
        """Which tokens count, for reports."""
        return "alphanumeric, each once" if self is Mode.PAPER else "alphanumeric, as often as listed"


class Common(StrEnum):
    """From whose subcaptions the common tokens of a figure go: no one's, the gold's, or each from their own."""

    NONE = "none"
    GOLD = "gold"
    BOTH = "both"

    @classmethod
    def default(cls, mode: Mode) -> Common:
        """What each mode does where nothing is said: `none` for paper, `gold` for official-code."""
        return cls.NONE if mode is Mode.PAPER else cls.GOLD


class LeftOut(StrEnum):
    """Why a gold subfigure has no score."""

    NO_SUBCAPTION = "no subcaption"
    ONLY_COMMON_TOKENS = "only common tokens"
    NO_COUNTED_TOKEN = "no counted token"
    NO_AREA = "a box without area"


@dataclass(frozen=True, slots=True)
class Panel:
    """One subfigure as raw values. box: pixels x0 y0 x1 y1, may lack area. tokens: ids, may repeat."""

    box: tuple[float, float, float, float]
    tokens: Collection[int]


def nothing_to_count(mode: Mode) -> float | None:
    """The score where no gold subfigure counts: undefined in the paper, 0.0 in the authors' code."""
    return None if mode is Mode.PAPER else 0.0
