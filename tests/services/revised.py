"""Figures to be revised, and work on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from builders import a_subfigure, an_annotation

from annotator.campaign.home import Home
from annotator.imports.replace import RevisionTally, revise_figures
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems, write_lines

FIRST = {"figure_id": "f1", "image": "a.png", "caption": "(A) left. (B) right.", "references": ["See."]}
SECOND = {"figure_id": "f2", "image": "b.png", "caption": "Two."}
CAMPAIGN = Campaign("c", (Phase("1"),), ("A", "B"))


def revise(home: Home, store: Store, folder: Path, *records: Any) -> tuple[RevisionTally, list[str]]:
    write_lines(folder / "figures.jsonl", records)
    problems = Problems()
    tally = RevisionTally()
    *_, tally = (tally, *revise_figures(home, store, folder / "figures.jsonl", problems))
    return tally, problems.lines


def present(store: Store, figure_id: str = "f1") -> Figure:
    with store.read() as tx:
        return tx.figures.get(figure_id)


def work_on(figure: Figure, name: str = "ann1", **more: Any) -> Annotation:
    return an_annotation(
        figure, annotator=name, subfigures=(a_subfigure("A", box=(0, 0, 40, 60), tokens=(1,)),), **more
    )


def keep(store: Store, *work: Annotation) -> None:
    with store.transaction() as tx:
        for each in work:
            assert tx.annotations.add(each)
