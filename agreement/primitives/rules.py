"""The rules of a score, and the raw values it is computed from."""

from __future__ import annotations

from enum import StrEnum

#: The default box match threshold: a box matches from this IoU on.
MIN_IOU = 0.5
#: Bootstrap resamples of a confidence interval.
RESAMPLES = 10_000
#: The most of these for agreement on spans and on boxes with text: more cost as much as the rest of a report.
FEWER_RESAMPLES = 1_000


class Mode(StrEnum):
    """The rules to apply where the paper and its authors' code differ."""

    PAPER = "paper"
    OFFICIAL = "official-code"

    @property
    def tokens(self) -> str:
        """Describe which tokens count, for reports."""
        return "alphanumeric, each once" if self is Mode.PAPER else "alphanumeric, as often as listed"


class Common(StrEnum):
    """The subcaptions that common tokens are removed from: none, the gold's, or both sides'."""

    NONE = "none"
    GOLD = "gold"
    BOTH = "both"

    @classmethod
    def default(cls, mode: Mode) -> Common:
        """Return a mode's default: `none` for paper, `gold` for official-code."""
        return cls.NONE if mode is Mode.PAPER else cls.GOLD


class LeftOut(StrEnum):
    """The reason why a gold subfigure has no score."""

    NO_SUBCAPTION = "no subcaption"
    ONLY_COMMON_TOKENS = "only common tokens"
    NO_COUNTED_TOKEN = "no counted token"
    NO_AREA = "a box without area"


def nothing_to_count(mode: Mode) -> float | None:
    """Return the score without any gold subfigure that counts: None in paper mode, 0.0 in official-code."""
    return None if mode is Mode.PAPER else 0.0
