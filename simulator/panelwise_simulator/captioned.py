"""Simulated captions with the boxes of their panels and the exact truth, without drawing anything: for taggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from panelwise.domain import Annotation, Box, Caption, Figure, Status, Subfigure
from panelwise_simulator.captions.grammar import CaptionRequest, PanelFacts, WrittenCaption, write_caption
from panelwise_simulator.captions.phrases.catalogue import PHRASES
from panelwise_simulator.kinds import Generator
from panelwise_simulator.simulated import TRUTH_TIME

#: Rows and columns of the grids that panels stand in.
LAYOUTS = ((1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1))

#: Pixels of every figure, and between a panel and its cell.
WIDTH, HEIGHT, GAP = 900, 600, 4

#: Kinds of panels, all that have phrases of their own.
DRAWERS = tuple(sorted(PHRASES))


def captioned_figures(
    count: int,
    *,
    seed: int = 0,
    difficulty: str = "medium",
    lettered: bool = True,
    longest: int = 120,
    drawers: Sequence[str] = DRAWERS,
) -> Iterator[Annotation]:
    """Figures whose caption says something of single panels, by annotator "truth"; they have no image file.

    difficulty: "easy", "medium" or "hard". lettered: panels have letters; else captions name places ("upper
    left"). longest: most tokens of a caption; longer ones are skipped. drawers: kinds of panels. The same for
    the same arguments.
    """
    found = number = 0
    while found < count:
        number += 1
        rng = np.random.default_rng([seed, number])
        drawer = drawers[int(rng.integers(len(drawers)))]
        made = _made(rng, f"captioned-{seed}-{number}", drawer, difficulty, lettered)
        tokens = len(made.figure.caption.ranges)
        if tokens <= longest and any(each.subcaption for each in made.subfigures):
            found += 1
            yield made


def _made(rng: Generator, name: str, drawer: str, difficulty: str, lettered: bool) -> Annotation:
    rows, columns = LAYOUTS[int(rng.integers(len(LAYOUTS)))]
    places = [(row, column) for row in range(rows) for column in range(columns)]
    labels = "ABCDEF"[: len(places)]
    facts = tuple(
        PanelFacts(label, drawer, row, column, rows, columns, 0)
        for label, (row, column) in zip(labels, places, strict=True)
    )
    written = write_caption(rng, CaptionRequest(facts, lettered, True, 1, difficulty))
    caption = Caption.cut(written.text)
    source = {"document": name, "simulated": True, "difficulty": difficulty, "markers": written.style}
    figure = Figure(name, "", WIDTH, HEIGHT, caption, document=name, source=source)
    across, down = WIDTH / columns, HEIGHT / rows
    subfigures = tuple(
        _subfigure(label, (column * across, row * down, across, down), caption, written)
        for label, (row, column) in zip(labels, places, strict=True)
    )
    return Annotation(figure, "truth", "1", Status.ACCEPTED, subfigures, TRUTH_TIME)


def _subfigure(
    label: str, cell: tuple[float, float, float, float], caption: Caption, written: WrittenCaption
) -> Subfigure:
    left, top, across, down = cell
    box = Box(left + GAP, top + GAP, left + across - GAP, top + down - GAP)
    return Subfigure(label, box, caption.tokens_in(written.spans.get(label, ())))
