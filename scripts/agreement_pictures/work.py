"""Small made-up work for the worked examples: one caption, whole numbers for boxes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure

#: Words 0 to 13; the colon and the brackets are no words that count.
CAPTION = "Fig 1 : ( a ) left lung lesion ( b ) right lung"
WORDS = tuple(CAPTION.split())
#: Thirty words that all count.
LONG = " ".join(f"w{number}" for number in range(30))
#: A Monday.
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
#: Left, middle and right of three panels in a row.
LEFT, MIDDLE, RIGHT = (0, 0, 100, 100), (100, 0, 200, 100), (200, 0, 300, 100)

Edges = tuple[float, float, float, float]


def figure(name: str = "f1", caption: str = CAPTION) -> Figure:
    """A figure of 300 x 100 pixels."""
    return Figure(name, f"{name}.png", 300, 100, Caption.cut(caption))


def panel(box: Edges, tokens: Sequence[int], label: str = "A") -> Subfigure:
    """A subfigure with these words."""
    return Subfigure(label, Box(*box), frozenset(tokens))


def work(
    who: str,
    of: Figure,
    *panels: Subfigure,
    day: float = 0,
    phase: str = "1",
    status: Status = Status.ACCEPTED,
    seeded_by: str | None = None,
) -> Annotation:
    """Return the work that `who` submitted on this figure, `day` days after START. Panels are A, B, C in order."""
    named = tuple(Subfigure("ABCDEFGH"[place], each.box, each.subcaption) for place, each in enumerate(panels))
    saved_at = START + timedelta(days=day)
    return Annotation(of, who, phase, status, named, saved_at, seeded_by=seeded_by)


def sharing(of: Figure, words: int, *, who: tuple[str, str] = ("ann", "ben"), **more: Any) -> list[Annotation]:
    """Two annotators' work on one panel, ten words each of which `words` are the same: an F1 of words / 10."""
    one, other = who
    return [
        work(one, of, panel(LEFT, range(10)), **more),
        work(other, of, panel(LEFT, range(10 - words, 20 - words)), **more),
    ]


def corpus(words: Sequence[int], prefix: str = "f", **more: Any) -> list[Annotation]:
    """Two annotators' work on as many figures, sharing so many of ten words on each."""
    return [
        each
        for number, shared in enumerate(words, 1)
        for each in sharing(figure(f"{prefix}{number:02}", LONG), shared, **more)
    ]
