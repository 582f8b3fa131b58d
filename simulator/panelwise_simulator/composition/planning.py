"""The plan of a simulated compound figure before it is drawn: theme, layout, letters, looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from panelwise_simulator.composition.layouts import Layout, Leaf, a_layout, grid, justified
from panelwise_simulator.composition.lettering import (
    WHITE,
    Colour,
    Lettering,
    Position,
    Scheme,
    a_lettering,
    a_scheme,
    labels_of,
)
from panelwise_simulator.composition.themes import Subject, Theme, a_theme, subjects
from panelwise_simulator.drawers.vector.styles import Style, a_style
from panelwise_simulator.kinds import Generator

#: How hard a figure is to take apart.
DIFFICULTIES = ("easy", "medium", "hard")

#: Panels of a figure and how often: 5,000 captions of real figures with several panels, and one in eight with one.
PANELS: Mapping[str, Mapping[int, float]] = {
    "easy": {1: 10, 2: 30, 3: 20, 4: 25, 5: 4, 6: 11},
    "medium": {1: 12, 2: 33, 3: 18.5, 4: 17, 5: 5.5, 6: 6.2, 7: 1.8, 8: 2.1, 9: 1.4, 10: 0.8, 11: 0.4, 12: 0.8,
               13: 0.1, 14: 0.1, 16: 0.2, 18: 0.1},
    "hard": {1: 4, 2: 16, 3: 16, 4: 18, 5: 9, 6: 11, 7: 5, 8: 7, 9: 5, 10: 3, 12: 4, 14: 0.7, 16: 1, 20: 0.3},
}  # fmt: skip

#: Which layouts are met, by number of panels (the last holds for more).
LAYOUTS: dict[str, dict[int, dict[str, float]]] = {
    "easy": {2: {"row": 6, "column": 3}, 3: {"row": 5, "column": 2, "grid": 2},
             4: {"grid": 8, "row": 1, "rows": 1}, 5: {"grid": 6, "rows": 3}},
    "medium": {2: {"row": 6, "column": 3.5},
               3: {"row": 4, "column": 1.5, "grid": 1.6, "spanning": 1.6, "rows": 1.3},
               4: {"grid": 6, "row": 1.2, "column": 0.5, "rows": 1.2, "spanning": 0.8, "columns": 0.6},
               5: {"grid": 4, "rows": 3, "columns": 1, "spanning": 1, "nested": 1}},
    "hard": {2: {"row": 5, "column": 4}, 3: {"row": 2, "column": 1, "spanning": 3, "rows": 2, "grid": 0.6},
             4: {"grid": 3, "rows": 2, "spanning": 2, "columns": 1.5, "nested": 2, "row": 0.6},
             5: {"grid": 2, "rows": 2, "columns": 2, "spanning": 1.5, "nested": 4}},
}  # fmt: skip

#: Names tried after the one drawn, where it gives no fair figure.
_FALLBACKS = ("rows", "grid", "row", "column")

#: How often a figure, or where it says so a panel, has something: easy figures have nothing of this.
RATES = {
    "ground": {"easy": 0.0, "medium": 0.05, "hard": 0.25},
    "cards": {"easy": 0.0, "medium": 0.03, "hard": 0.08},
    "border": {"easy": 0.1, "medium": 0.1, "hard": 0.1},
    "inset": {"easy": 0.0, "medium": 0.03, "hard": 0.1},  # a panel
    "double": {"easy": 0.0, "medium": 0.02, "hard": 0.09},  # a panel
    "headings": {"easy": 0.0, "medium": 0.15, "hard": 0.3},
    "legend": {"easy": 0.0, "medium": 0.07, "hard": 0.2},
    "bar": {"easy": 0.0, "medium": 0.08, "hard": 0.2},
    "strip": {"easy": 0.0, "medium": 0.03, "hard": 0.2},
    "head": {"easy": 0.0, "medium": 0.015, "hard": 0.08},
    "frame": {"easy": 0.02, "medium": 0.03, "hard": 0.06},
    "aged": {"easy": 0.0, "medium": 0.06, "hard": 0.2},
    "stitched": {"easy": 0.0, "medium": 0.8, "hard": 2.2},  # times that of the theme
}


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is settled before anything is drawn. letterings: one a panel."""

    theme: Theme
    style: Style
    subjects: tuple[Subject, ...]
    layout: Layout
    labels: tuple[str, ...]
    letterings: tuple[Lettering, ...]
    ground: Colour
    margin: int
    cards: bool

    @property
    def lettering(self) -> Lettering:
        """The style of the first panel's letter."""
        return self.letterings[0]


def chance(rng: Generator, what: str, difficulty: str) -> bool:
    """True as often as `RATES` says for figures of that difficulty."""
    return bool(rng.random() < RATES[what][difficulty])


def _weighted(rng: Generator, weights: dict[str, float]) -> str:
    names, total = list(weights), sum(weights.values())
    return names[int(rng.choice(len(names), p=[weight / total for weight in weights.values()]))]


def make_plan(rng: Generator, house: Generator, difficulty: str) -> Plan:
    """A figure by chance. house: what the figures of one article share: letters, and the look of plots."""
    counts = PANELS[difficulty]
    count = list(counts)[int(rng.choice(len(counts), p=[each / sum(counts.values()) for each in counts.values()]))]
    theme = a_theme(rng, count)
    style = a_style(house)
    shown = subjects(rng, theme, count, style)
    paper = [subject.drawer.paper for subject in shown]
    stitched = not any(paper) and rng.random() < theme.stitched * RATES["stitched"][difficulty]
    scheme = a_scheme(house, difficulty)
    lettering = a_lettering(house, difficulty, paper=sum(paper) * 2 > count, stitched=bool(stitched))
    if count == 1:
        lettering = Lettering(Position.NONE)
    if lettering.position is Position.NONE:
        scheme = Scheme.UPPER
    letterings = [_on_panel(lettering, white) for white in paper]
    cards = count > 1 and chance(rng, "cards", difficulty) and not stitched
    gutter = _gutter(rng, difficulty, stitched=bool(stitched), paper=any(paper))
    ground = _ground(rng, difficulty, any(paper)) if cards or chance(rng, "ground", difficulty) else WHITE
    if sum(ground) < 380 and (any(paper) or cards):
        ground = (228, 232, 238)
    margin = int(rng.choice([0, 2, 6, 10, 14]))
    layout = _layout(rng, difficulty, theme, shown, letterings, scheme, gutter, pad=14 if cards else 0)
    labels = tuple(labels_of(scheme, layout.places))
    if len(set(labels)) < count:
        labels = tuple(labels_of(Scheme.UPPER, layout.places))
    return Plan(
        theme,
        style,
        tuple(shown),
        layout,
        labels,
        tuple(letterings),
        ground,
        max(margin, 8) if cards else margin,
        cards,
    )


def _on_panel(lettering: Lettering, paper: bool) -> Lettering:
    """A letter never lies on a plot: there it stands above."""
    if paper and lettering.position is Position.INSIDE:
        return replace(lettering, position=Position.ABOVE, plate=None, colour=None, align=-1, up=True)
    return lettering


def _gutter(rng: Generator, difficulty: str, *, stitched: bool, paper: bool) -> tuple[int, int]:
    if stitched:
        seam = int(rng.choice([0, 0, 1, 2, 2]))
        return seam, seam
    if difficulty == "easy":
        low, high = 16, 38
    elif difficulty == "hard":
        low, high = (1, 12) if paper else (2, 9)
    elif paper:
        low, high = 8, 34
    else:
        low, high = ((3, 9), (9, 20), (20, 36))[int(rng.choice(3, p=(0.35, 0.3, 0.35)))]
    first = int(rng.integers(low, high))
    return first, first if rng.random() < 0.6 else int(rng.integers(low, high))


def _ground(rng: Generator, difficulty: str, paper: bool) -> Colour:
    pale = ((236, 240, 246), (247, 243, 232), (233, 233, 233), (226, 238, 245), (243, 236, 244), (212, 212, 212))
    dark = ((0, 0, 0), (0, 0, 0), (24, 24, 24), (64, 64, 64), (12, 22, 52))
    if not paper and rng.random() < (0.7 if difficulty == "hard" else 0.55):
        return dark[int(rng.integers(len(dark)))]
    return pale[int(rng.integers(len(pale)))]


_WIDEST_LABEL = {
    Scheme.ROMAN: "viii",
    Scheme.NUMBERED: "B2",
    Scheme.NUMBERED_LOWER: "b2",
    Scheme.ROMAN_PARTS: "Biii",
}


def _layout(
    rng: Generator,
    difficulty: str,
    theme: Theme,
    shown: Sequence[Subject],
    letterings: Sequence[Lettering],
    scheme: Scheme,
    gutter: tuple[int, int],
    *,
    pad: int,
) -> Layout:
    """pad: pixels taken from each cell across and down, for cards."""
    count = len(shown)
    common = float(rng.uniform(*theme.shape))
    leaves, same = [], []
    low = max(subject.drawer.aspect[0] for subject in shown)
    high = min(subject.drawer.aspect[1] for subject in shown)
    even = min(max(common, low), max(low, high))
    for place, (subject, lettering) in enumerate(zip(shown, letterings, strict=True)):
        beside, above = lettering.room(_WIDEST_LABEL.get(scheme, "W" if count < 3 else "M"))
        own = min(max(common * float(rng.lognormal(0, 0.16)), subject.drawer.aspect[0]), subject.drawer.aspect[1])
        leaves.append(Leaf(place, own, beside + pad, above + pad))
        same.append(Leaf(place, even, beside + pad, above + pad))
    width = _width(rng, count)
    if count == 1:
        return justified("single", leaves[0], width=min(width, 900), gutter=gutter)
    tallest = round(min(1500, width * 1.75))
    choices = LAYOUTS[difficulty][min(count, 5)]
    for name in (_weighted(rng, choices), _weighted(rng, choices), *_FALLBACKS):
        used = same if name == "grid" or rng.random() < 0.35 else leaves
        if name in ("rows", "columns", "spanning", "nested") and count < 3:
            continue
        made = a_layout(rng, used, name, width=width, tallest=tallest, gutter=gutter)
        if made is not None:
            return made
    return grid(same, max(1, round(count**0.5)), width=width, gutter=gutter)


def _width(rng: Generator, count: int) -> int:
    """Widths as journals give figures out."""
    kind = rng.random()
    if kind < 0.28 and count < 9:
        return 600
    if kind < 0.34:
        return 685
    if kind < 0.6:
        return int(rng.integers(640, 960)) + (160 if count > 8 else 0)
    return int(rng.integers(960, 1300)) if kind < 0.88 else int(rng.integers(1300, 1560))
