"""Known mistakes of an annotator, by kind and strength: what a measure of agreement has to notice."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from panelwise.domain import Annotation, Box, Figure, Subfigure
from panelwise_simulator.kinds import Generator

#: Strengths from slight to gross; see `Noise`.
STRENGTHS = (0.1, 0.25, 0.4, 0.6, 0.8)
#: The shortest side of a box that was moved to the edge of its figure, in pixels.
_SHORTEST = 1.0


class Noise(StrEnum):
    """A kind of mistake. Its strength is a probability for each panel, or a share of its side or of its tokens.

    MISSED: a panel is left out. EXTRA: a box that is no panel is drawn. SHIFTED: each box is moved by a share of
    its side. BORDER: a share of each panel's tokens goes to the next one. SWAPPED: two panels change their texts.
    """

    MISSED = "missed"
    EXTRA = "extra"
    SHIFTED = "shifted"
    BORDER = "border moved"
    SWAPPED = "texts swapped"


def noisy(work: Annotation, noise: Noise, strength: float, *, annotator: str, seed: int = 0) -> Annotation:
    """Return the work of another annotator who makes mistakes. strength: in [0, 1].

    The mistakes hang on the seed and the figure; those of a greater strength include those of a lesser one.
    """
    rng = np.random.default_rng([seed, *work.figure.id.encode()])
    made = {
        Noise.MISSED: _missed,
        Noise.EXTRA: _extra,
        Noise.SHIFTED: _shifted,
        Noise.BORDER: _border_moved,
        Noise.SWAPPED: _swapped,
    }[noise](work.figure, work.subfigures, strength, rng)
    return replace(work, annotator=annotator, subfigures=tuple(made))


Panels = tuple[Subfigure, ...]


def _missed(_: Figure, panels: Panels, strength: float, rng: Generator) -> list[Subfigure]:
    return [panel for panel, chance in zip(panels, rng.random(len(panels)), strict=True) if chance >= strength]


def _extra(figure: Figure, panels: Panels, strength: float, rng: Generator) -> list[Subfigure]:
    made = list(panels)
    for panel, chance in zip(panels, rng.random(len(panels)), strict=True):
        x, y = rng.random(2)
        box, start = panel.box, int(rng.integers(max(1, len(figure.caption.ranges))))
        left, top = x * (figure.width - (box.x1 - box.x0)), y * (figure.height - (box.y1 - box.y0))
        words = frozenset(range(start, min(start + len(panel.subcaption), len(figure.caption.ranges))))
        if chance < strength:
            moved = Box(left, top, left + box.x1 - box.x0, top + box.y1 - box.y0)
            made.append(Subfigure(f"extra {panel.label}", moved, words))
    return made


def _shifted(figure: Figure, panels: Panels, strength: float, rng: Generator) -> list[Subfigure]:
    ways = rng.choice([(1, 0), (-1, 0), (0, 1), (0, -1)], len(panels))
    made = []
    for panel, (across, down) in zip(panels, ways.tolist(), strict=True):
        box = panel.box
        dx, dy = across * strength * (box.x1 - box.x0), down * strength * (box.y1 - box.y0)
        left, top = min(max(box.x0 + dx, 0.0), figure.width - _SHORTEST), max(box.y0 + dy, 0.0)
        top = min(top, figure.height - _SHORTEST)
        right = max(min(box.x1 + dx, float(figure.width)), left + _SHORTEST)
        bottom = max(min(box.y1 + dy, float(figure.height)), top + _SHORTEST)
        made.append(replace(panel, box=Box(left, top, right, bottom)))
    return made


def _border_moved(_: Figure, panels: Panels, strength: float, __: Generator) -> list[Subfigure]:
    made, over = [], frozenset[int]()
    with_text = [place for place, panel in enumerate(panels) if panel.subcaption]
    for place, panel in enumerate(panels):
        tokens = sorted(panel.subcaption)
        last = not with_text or place == with_text[-1]
        lost = (
            frozenset() if last or not tokens else frozenset(tokens[len(tokens) - round(strength * len(tokens)) :])
        )
        made.append(replace(panel, subcaption=(panel.subcaption - lost) | (over if tokens else frozenset())))
        over = lost if tokens else over
    return made


def _swapped(_: Figure, panels: Panels, strength: float, rng: Generator) -> list[Subfigure]:
    made = list(panels)
    order, chances = rng.permutation(len(panels)), rng.random(len(panels) // 2)
    for one, other, chance in zip(order[::2].tolist(), order[1::2].tolist(), chances, strict=False):
        if chance < strength:
            ours, theirs = panels[one].subcaption, panels[other].subcaption
            made[one] = replace(panels[one], subcaption=theirs)
            made[other] = replace(panels[other], subcaption=ours)
    return made
