"""Random work on a few figures, as raw as files may hold it: what the kernels must get right, all at once."""

from __future__ import annotations

import random

from builders import a_figure, an_annotation

from agreement.columns.raw import RawAnnotation, Submitted
from panelwise.domain.annotation import Annotation, Panel, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.figure import Figure

NAMES = "ABC"
#: Captions of no token, of few, and of as many as fill one word of bits, two, and a part of a third.
LENGTHS = (0, 1, 5, 12, 40, 63, 64, 65, 127, 128, 129, 150)


def work_on(figures: int, source: random.Random, *, raw: bool) -> list[Submitted]:
    """Up to three people's work on so many figures. raw: boxes without area, repeated ids, listed subcaptions."""
    made: list[Submitted] = []
    for number in range(figures):
        words = [source.choice(("w", "w", "w", ",")) for _ in range(source.choice(LENGTHS))]
        figure = a_figure(f"f{number}", caption=" ".join(words), width=60, height=60)
        truth = _panels(source, len(words), raw)
        for name in NAMES:
            if source.random() < 0.08:
                continue
            panels = [_changed(each, source, len(words), raw) for each in truth if source.random() > 0.1]
            if source.random() < 0.2:
                panels += _panels(source, len(words), raw)[:1]
            status = source.choice([Status.ACCEPTED] * 12 + [Status.REJECTED, Status.IGNORED])
            other = a_figure(f"f{number}", caption=" ".join(words), width=61, height=60)
            seen = other if source.random() < 0.05 else figure
            made.append((_raw if raw else _whole)(seen, name, status, panels, source))
    source.shuffle(made)
    return made


def _raw(figure: Figure, name: str, status: Status, panels: list[Panel], source: random.Random) -> RawAnnotation:
    listed = [panel.tokens for panel in panels if source.random() > 0.1]
    seeded = source.choice([None, "model-1"])
    return RawAnnotation(figure, name, "1", status, tuple(panels), tuple(listed), an_annotation().saved_at, seeded)


def _whole(figure: Figure, name: str, status: Status, panels: list[Panel], source: random.Random) -> Annotation:
    parts = tuple(Subfigure("A", Box(*panel.box), frozenset(panel.tokens)) for panel in panels)
    return an_annotation(
        figure, annotator=name, status=status, subfigures=parts, seeded_by=source.choice([None, "model-1"])
    )


def _panels(source: random.Random, tokens: int, raw: bool) -> list[Panel]:
    return [Panel(_box(source, raw), _tokens(source, tokens, raw)) for _ in range(source.randint(0, 4))]


def _box(source: random.Random, raw: bool) -> tuple[float, float, float, float]:
    x0, y0 = source.choice((0, 10, 20)), source.choice((0, 10, 20))
    sizes = (0, 10, 20, 40) if raw and source.random() < 0.1 else (10, 20, 40)
    # Halves of one another, and just under a half.
    trim = source.choice((0.0, 0.0, 0.01, 5.0))
    width, height = source.choice(sizes), source.choice(sizes)
    return float(x0), float(y0), float(x0 + width), max(y0 + height - trim, y0 + 0.0 if raw else y0 + 1.0)


def _tokens(source: random.Random, tokens: int, raw: bool) -> tuple[int, ...]:
    if not tokens or source.random() < 0.1:
        return ()
    start = source.randrange(tokens)
    found = list(range(start, min(tokens, start + source.randint(1, 40))))
    if raw and source.random() < 0.3:
        found += source.choices(found, k=source.randint(1, 3))
    return tuple(found)


def _changed(panel: Panel, source: random.Random, tokens: int, raw: bool) -> Panel:
    box = _box(source, raw) if source.random() < 0.2 else panel.box
    ids = list(panel.tokens)
    chance = source.random()
    if chance < 0.15:
        ids = list(_tokens(source, tokens, raw))
    elif chance < 0.4 and ids:
        del ids[: source.randint(1, 5)]
    elif chance < 0.6 and tokens:
        ids += [token for token in {source.randrange(tokens), *range(min(tokens, 3))} if raw or token not in ids]
    return Panel(box, tuple(ids))
