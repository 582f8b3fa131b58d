"""A campaign's gold as figures to learn from, with images and phases."""

from __future__ import annotations

from dataclasses import replace

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.gold.dataset.splits import earlier_splits, split_articles
from annotator.gold.releases import releases
from panelwise.domain.decision import GoldSource
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from prelabel.training.data.gold_files import AGREEMENT_PHASE, GoldFigure, gold_figure_of


def adjudicated_figures(
    home: Home, problems: Problems, *, agreement_phase: str = AGREEMENT_PHASE
) -> list[GoldFigure]:
    """The gold, single too, by figure id. An image that is nowhere is a problem, and its figure left out.

    agreement_phase: figures that two annotators or more did in it are of the agreement study, and kept for the
    test; a campaign need not have such a phase. Once there is a release, articles are in its splits, and new ones
    in those that the next release will give them.
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
    return _as_released(home, found, problems)


def _as_released(home: Home, figures: list[GoldFigure], problems: Problems) -> list[GoldFigure]:
    frozen = earlier_splits(releases(home))
    if not frozen:
        return figures
    documents = [each.figure.document or each.figure.id for each in figures]
    marked = [(document, each.split) for document, each in zip(documents, figures, strict=True)]
    splits, warnings = split_articles(marked, frozen)
    for warning in warnings:
        problems.note(warning)
    return [replace(each, split=splits[name]) for each, name in zip(figures, documents, strict=True)]
