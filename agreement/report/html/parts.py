"""Shared by the HTML of reports and comparisons: values prepared for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from agreement.pairs.figure_scores import FigureMean, worst_first
from agreement.pairs.pairwise import PairScore, mean_losses
from agreement.pairs.worst import WorstFigure
from agreement.primitives.settings import Settings
from agreement.report.html.charts import bar_scale, heat_step, plot
from agreement.report.html.wording import COMMON_WORDS, LOSS_WORDS, MODE_WORDS
from agreement.report.html.worst import Pictures, card
from agreement.resampling.bootstrap import Interval
from agreement.score.detection import IOU_THRESHOLDS, Detection
from agreement.score.losses import Loss
from panelwise.domain import Figure, figure_segment

#: Ids named of a kind of figures that were left out; JSON names all.
NAMED = 10
#: Up to this many rows a table stands open; a longer one is folded away.
UNFOLDED = 12


def no_pictures(_figure: Figure) -> bytes | None:
    """Return no image: boxes are drawn on a blank canvas of the figure's size."""
    return None


@dataclass(frozen=True, slots=True)
class PairRow:
    """An ordered pair. step: of its colour, 0 for full agreement; step and losses are None if undefined.

    both: whether the reverse is the same, and left out.
    """

    pair: PairScore
    interval: Interval | None
    step: int | None
    losses: Mapping[Loss, float] | None
    link: str | None
    both: bool = False


@dataclass(frozen=True, slots=True)
class LossRow:
    """One cause of loss. share: of the whole loss, or 0. length: of its bar, 1 at the end of the scale."""

    cause: Loss
    words: str
    lost: float
    share: float
    length: float


def pair_rows(
    pairs: Sequence[PairScore], intervals: Sequence[Interval | None], links: Links
) -> tuple[PairRow, ...]:
    """Return the pairs in their order."""
    return tuple(
        PairRow(
            pair,
            interval,
            None if pair.score is None else heat_step(pair.score),
            mean_losses([pair]),
            links.pair(pair.gold, pair.predicted),
        )
        for pair, interval in zip(pairs, intervals, strict=True)
    )


def one_way(rows: Sequence[PairRow]) -> tuple[PairRow, ...]:
    """Return the rows without those that say the same as their reverse, which comes first and is `both`."""
    found: dict[tuple[str, str], PairRow] = {}
    for row in rows:
        pair = row.pair
        back = found.get((pair.predicted, pair.gold))
        if back is not None and (back.pair.score, back.pair.counted, back.interval) == (
            *(pair.score, pair.counted),
            row.interval,
        ):
            found[pair.predicted, pair.gold] = replace(back, both=True)
        else:
            found[pair.gold, pair.predicted] = row
    return tuple(found.values())


def loss_rows(losses: Mapping[Loss, float] | None, scale: float) -> tuple[LossRow, ...]:
    """Return the causes, largest first; causes without loss are left out. scale: the score at the end of a bar."""
    found = sorted(((lost, cause) for cause, lost in (losses or {}).items() if lost), key=lambda each: -each[0])
    whole = sum(lost for lost, _ in found)
    return tuple(LossRow(cause, LOSS_WORDS[cause], lost, lost / whole, lost / scale) for lost, cause in found)


def shared_values(
    settings: Settings,
    pairs: Sequence[PairRow],
    losses: Mapping[Loss, float] | None,
    boxes: Detection,
    worst: Sequence[WorstFigure],
    figures: Sequence[FigureMean],
    pictures: Pictures,
    links: Links,
    sources: Sequence[str],
) -> dict[str, Any]:
    """Return the values that both templates use."""
    every = [lost for each in (losses, *(row.losses for row in pairs)) for lost in (each or {}).values()]
    scale = bar_scale(every)
    met = {cause for row in pairs for cause, lost in (row.losses or {}).items() if lost}
    return {
        "settings": settings,
        "mode_words": MODE_WORDS[settings.mode],
        "common_words": COMMON_WORDS[settings.common_used],
        "pairs": pairs,
        "once": one_way(pairs),
        "bar_scale": scale,
        "losses": loss_rows(losses, scale),
        "causes": [cause for cause in Loss if cause in met],
        "boxes": boxes,
        "thresholds": IOU_THRESHOLDS,
        "boxes_plot": plot(
            [f"{threshold:.2f}" for threshold in IOU_THRESHOLDS],
            [boxes.f1(threshold) for threshold in IOU_THRESHOLDS],
        ),
        "cards": [card(each, pictures) for each in worst],
        "below": len(worst_first(figures)),
        "links": links,
        "sources": sources,
        "NAMED": NAMED,
        "UNFOLDED": UNFOLDED,
        "Loss": Loss,
    }


@dataclass(frozen=True, slots=True)
class Links:
    """Links into the adjudication view. view: its address; without it every link is None.

    slices: whether pairs of annotators have links, by their names.
    """

    view: str | None
    phase: str | None
    slices: bool = True

    def figure(self, figure_id: str) -> str | None:
        """Return the address of a figure's screen."""
        return None if self.view is None else f"{self._base}/figures/{figure_segment(figure_id)}"

    def pair(self, gold: str, predicted: str) -> str | None:
        """Return the address of an ordered pair's part of the queue."""
        if self.view is None or not self.slices:
            return None
        asked = {"gold": gold, "predicted": predicted}
        if self.phase is not None:
            asked["phase"] = self.phase
        return f"{self._base}/?{urlencode(asked)}"

    @property
    def _base(self) -> str:
        return (self.view or "").rstrip("/")
