"""Preview a release of the present gold: what it would hold and leave out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.gold.dataset.licences import licence_of, may_copy
from annotator.store.store import Store
from panelwise.domain import FigureState


@dataclass(frozen=True, slots=True)
class ReleasePreview:
    """Counts of figures.

    figures: in the gold. left_out: state -> those that a release leaves out. licences: licence -> figures of the
    gold, "" if none is stated; those of `figure_licence` count as stated. images: figures whose licence allows a
    copy of the image. without_document: figures that name no article.
    """

    figures: int
    left_out: dict[FigureState, int]
    licences: dict[str, int]
    images: int
    without_document: int


def preview_release(home: Home, store: Store) -> ReleasePreview:
    """Compute the present gold and count what a release of it would hold."""
    settings = home.settings.release
    left_out: dict[str, FigureState] = {}
    licences: Counter[str] = Counter()
    images = without_document = 0
    with store.read() as tx:
        for gold in gold_in(tx, home.campaign, GoldTally(), left_out):
            figure = gold.figure
            licence = licence_of({**figure.extra, "source": figure.source}, otherwise=settings.figure_licence)
            licences[licence] += 1
            images += bool(figure.image) and may_copy(licence, settings.image_licences)
            without_document += not figure.document
    states = Counter(left_out.values())
    return ReleasePreview(
        licences.total(),
        {state: states[state] for state in FigureState if states[state]},
        dict(sorted(licences.items())),
        images,
        without_document,
    )
