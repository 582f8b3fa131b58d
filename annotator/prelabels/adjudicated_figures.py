"""A campaign's gold as figures to learn from, with images and phases."""

from __future__ import annotations

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from panelwise.domain.decision import GoldSource
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from prelabel.training.data.gold_files import AGREEMENT_PHASE, GoldFigure, gold_figure_of


def adjudicated_figures(
    home: Home, problems: Problems, *, agreement_phase: str = AGREEMENT_PHASE
) -> list[GoldFigure]:
    """The gold, single too, by figure id. An image that is nowhere is a problem, and its figure left out.

    agreement_phase: figures that two annotators or more did in it are of the agreement study, and kept for the
    test; a campaign need not have such a phase.
    """
    with home.open_store() as store:
        people: dict[str, set[str]] = {}
        with store.read() as tx:
            for each in tx.annotations.all(phase=agreement_phase):
                people.setdefault(each.figure.id, set()).add(each.annotator)
        found = []
        for record in gold(store, home.campaign, GoldTally(), include=tuple(GoldSource)):
            try:
                image = home.image_path(record.figure)
            except AnnotatorError as error:
                problems.add(error)
                continue
            together = len(people.get(record.figure.id, ())) > 1
            source = record.provenance.source
            found.append(
                gold_figure_of(
                    record.figure, image, record.subfigures, record.items, agreement=together, source=source
                )
            )
        return found
