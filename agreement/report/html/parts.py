"""Shared by the HTML of reports and comparisons: values prepared for the templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from agreement.models.comparison import Comparison
from agreement.pairs.figure_scores import worst_first
from agreement.report.html.charts import bar_scale, plot
from agreement.report.html.wording import COMMON_WORDS, MODE_WORDS
from agreement.report.html.worst import Pictures, card
from agreement.report.sections.people import PairRow, loss_rows
from agreement.report.summary import Report
from agreement.resampling.bootstrap import Interval
from agreement.score.detection import IOU_THRESHOLDS
from agreement.score.losses import Loss
from panelwise.domain import Figure, figure_segment

#: Ids named of a kind of figures that were left out; JSON names all.
NAMED = 10
#: Up to this many rows a table stands open; a longer one is folded away.
UNFOLDED = 12


def no_pictures(_figure: Figure) -> bytes | None:
    """Return no image: boxes are drawn on a blank canvas of the figure's size."""
    return None


def one_way(rows: Sequence[PairRow]) -> tuple[list[PairRow], frozenset[tuple[str, str]]]:
    """Return the rows without those that say the same as their reverse, and the names of the reverses."""
    found: dict[tuple[str, str], PairRow] = {}
    both = set()
    for row in rows:
        pair = row.pair
        back = found.get((pair.predicted, pair.gold))
        if back is not None and _numbers(back) == _numbers(row):
            both.add((pair.predicted, pair.gold))
        else:
            found[pair.gold, pair.predicted] = row
    return list(found.values()), frozenset(both)


def _numbers(row: PairRow) -> tuple[float | None, int, Interval | None]:
    return row.pair.score, row.pair.counted, row.interval


def shared_values(
    of: Report | Comparison, rows: Sequence[PairRow], pictures: Pictures, links: Links, sources: Sequence[str]
) -> dict[str, Any]:
    """Return the values that both templates use. rows: the pairs to show."""
    settings, boxes, own = of.settings, of.boxes, [row.losses or {} for row in rows]
    scale = bar_scale(lost for losses in (of.losses or {}, *own) for lost in losses.values())
    met = {cause for losses in own for cause, lost in losses.items() if lost}
    once, both = one_way(rows)
    return {
        "settings": settings,
        "mode_words": MODE_WORDS[settings.mode],
        "common_words": COMMON_WORDS[settings.common_used],
        "pairs": rows,
        "once": once,
        "both": both,
        "bar_scale": scale,
        "losses": loss_rows(of.losses),
        "causes": [cause for cause in Loss if cause in met],
        "boxes": boxes,
        "thresholds": IOU_THRESHOLDS,
        "boxes_plot": plot(
            [f"{threshold:.2f}" for threshold in IOU_THRESHOLDS],
            [boxes.f1(threshold) for threshold in IOU_THRESHOLDS],
        ),
        "cards": [card(each, pictures) for each in of.worst],
        "below": len(worst_first(of.figures)),
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
