"""One composed figure: pictures chosen, arranged, lettered, surrounded, and the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageOps

from panelwise.domain import Span
from panelwise_simulator.catalogue import DRAWERS
from panelwise_simulator.composer.arrangements import RAGGED, SINGLE, TABLE, an_arrangement, arrange
from panelwise_simulator.composer.pictures import PAPER, Picture, load
from panelwise_simulator.composition import surroundings
from panelwise_simulator.composition.layouts import Cell, Layout, Leaf
from panelwise_simulator.composition.lettering import (
    BLACK,
    WHITE,
    Colour,
    Lettering,
    Position,
    Scheme,
    a_lettering,
    a_scheme,
    labels_of,
    picture_area,
    put_letter,
    written,
)
from panelwise_simulator.drawers.vector.styles import a_style
from panelwise_simulator.kinds import Generator

#: Share of compound figures in which lettered groups of pictures are panels; of their panels that are groups.
GROUPED, GROUPS_AMONG = 0.45, 0.6

#: Share of groups whose pictures lie closer together than panels do.
_CLOSER = 0.8

#: How often a figure, or where it says so a panel, has something.
RATES: Mapping[str, float] = {
    "drawn": 0.05,  # a panel, by a drawer of the simulator
    "ground": 0.3,
    "touching": 0.18,
    "heads": 0.6,  # a table
    "title": 0.07,  # a figure whose panels have titles
    "border": 0.08,
    "inset": 0.05,  # a panel
    "own bar": 0.03,  # a panel
    "note": 0.2,  # a panel: words or an arrow on it
    "legend": 0.06,
    "bar": 0.06,
    "axis": 0.05,
    "strip": 0.03,
    "head": 0.02,
    "frame": 0.03,
    "aged": 0.08,
    "no letters": 0.2,
    "no letters, table": 0.65,
}

#: Kinds that articles show less often than folders have them.
_RARER = {"table": 0.3, "screenshot": 0.4, "drawing": 0.4, "map": 0.6, "chemical": 0.6}

_DARK: tuple[Colour, ...] = (BLACK, BLACK, (24, 24, 24), (70, 70, 70))
_PALE: tuple[Colour, ...] = ((128, 128, 128), (205, 205, 205), (233, 233, 233), (236, 240, 246), (247, 243, 232))

_TITLES = ("Control", "Day 7", "Merge", "Baseline", "Case 3", "DAPI", "Input", "T2", "200 nm", "Lateral", "2019")
_NOTES = ("T1", "T2", "R", "L", "24 h", "CD3", "x40", "*", "ROI", "2.1 mm", "ADC", "WT")
_AXES = ("Time (h)", "Distance from the centre (mm)", "Frequency (Hz)", "log10 concentration", "Age (years)")
_WORDS = {
    "photograph": ("Photograph", "Photographs"),
    "micrograph": ("Micrograph", "Micrographs"),
    "radiology": ("Radiological image", "Radiological images"),
    "histology": ("Section", "Sections"),
    "plot": ("Plot", "Plots"),
    "diagram": ("Diagram", "Diagrams"),
    "screenshot": ("View of the program", "Views of the program"),
    "table": ("Table", "Tables"),
    "map": ("Map", "Maps"),
    "chemical": ("Structure", "Structures"),
    "blot": ("Gel", "Gels"),
    "drawing": ("Drawing", "Drawings"),
}


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed figure: labels and boxes in order, the caption with each label's spans, and how it was made.

    grouped: panels that are groups of several pictures. pictures: those of the folder that are in it.
    """

    image: Image.Image
    labels: tuple[str, ...]
    boxes: tuple[Cell, ...]
    caption: str
    spans: Mapping[str, tuple[Span, ...]]
    arrangement: str
    lettering: Position
    grouped: int
    pictures: tuple[Picture, ...]
    photographic: bool


@dataclass(frozen=True, slots=True)
class _Shown:
    """One picture of a panel: a picture of the folder, or one that a drawer makes. variant: 1 and more for another
    view of the same."""

    picture: Picture | None
    drawer: str = ""
    variant: int = 0

    @property
    def kind(self) -> str:
        return self.picture.kind if self.picture is not None else DRAWERS[self.drawer].kind.value

    @property
    def paper(self) -> bool:
        return self.kind in PAPER


@dataclass(frozen=True, slots=True)
class _Panel:
    """The content of a panel: one picture, or a group in rows and columns with `gap` pixels between. heads: over
    its columns."""

    shown: tuple[_Shown, ...]
    columns: int
    aspect: float
    gap: int = 0
    heads: tuple[str, ...] = ()
    title: str = ""

    @property
    def rows(self) -> int:
        return -(-len(self.shown) // self.columns)

    @property
    def paper(self) -> bool:
        return sum(each.paper for each in self.shown) * 2 > len(self.shown)


def compose_pictures(seed: tuple[int, int], pictures: Sequence[Picture]) -> Composed:
    """The figure of that seed, of these pictures. Raises AnnotatorError if one cannot be decoded."""
    rng = np.random.default_rng([*seed, 3])
    name, count = an_arrangement(rng)
    gutter = _gutter(rng)
    panels = _panels(rng, name, count, pictures, min(gutter))
    if count == 1:
        return _single(rng, panels[0])
    paper = sum(panel.paper for panel in panels) * 2 > count
    scheme, lettering = _lettering(rng, name, panels, paper=paper, touching=max(gutter) < 4)
    letterings = [_on(lettering, panel) for panel in panels]
    width = int(rng.integers(430, 820)) + min(count, 12) * int(rng.integers(10, 45))
    leaves = [
        Leaf(number, panel.aspect, *_room(panel, letters))
        for number, (panel, letters) in enumerate(zip(panels, letterings, strict=True))
    ]
    layout = arrange(rng, name, leaves, width, gutter)
    labels = labels_of(scheme, layout.places)
    if len(set(labels)) < count:
        labels = labels_of(Scheme.UPPER, layout.places)
    canvas, boxes = _drawn(rng, layout, panels, letterings, labels, gutter)
    caption, spans = _caption(rng, panels, labels, lettering)
    if rng.random() < RATES["strip"]:
        canvas = surroundings.with_caption_strip(rng, canvas, caption or "Composed figure.", 1, WHITE)
    return Composed(
        _aged(rng, canvas),
        tuple(labels),
        tuple(boxes),
        caption,
        spans,
        layout.name if name != TABLE else TABLE,
        lettering.position,
        sum(len(panel.shown) > 1 for panel in panels),
        _used(panels),
        not paper,
    )


def _single(rng: Generator, panel: _Panel) -> Composed:
    """One picture, left whole: its box is the whole image."""
    margin = int(rng.choice([0, 0, 0, 4, 10, 24]))
    width = int(rng.integers(380, 820))
    area = (margin, margin, margin + width, margin + round(width / panel.aspect))
    above = 26 if rng.random() < 0.15 else 0
    canvas = Image.new("RGB", (area[2] + margin, area[3] + margin + above), WHITE)
    _put(rng, canvas, panel.shown[0], (area[0], area[1] + above, area[2], area[3] + above))
    if above:
        title = written(_choice(rng, _TITLES), 16, bold=True)
        canvas.paste(BLACK, ((canvas.width - title.width) // 2, margin + 4), title)
    words = f"{_WORDS.get(panel.shown[0].kind, ('Image', 'Images'))[0]} of one case."
    caption = "" if rng.random() < 0.2 else words
    return Composed(
        _aged(rng, canvas), ("A",), ((0, 0, *canvas.size),), caption, {}, SINGLE, Position.NONE, 0,
        _used([panel]), not panel.paper,
    )  # fmt: skip


def _used(panels: Sequence[_Panel]) -> tuple[Picture, ...]:
    shown = (each.picture for panel in panels for each in panel.shown)
    return tuple(dict.fromkeys(picture for picture in shown if picture is not None))


def _aged(rng: Generator, image: Image.Image) -> Image.Image:
    return surroundings.aged(rng, image) if rng.random() < RATES["aged"] else image


def _choice(rng: Generator, of: Sequence[str]) -> str:
    return of[int(rng.integers(len(of)))]


# ---- what the panels show -------------------------------------------------------------------------


def _panels(rng: Generator, name: str, count: int, pictures: Sequence[Picture], gutter: int) -> list[_Panel]:
    """The panels of a figure: mostly of one kind, often of one source, at times groups with a letter each."""
    likely = _alike(rng, pictures)
    grouped = count > 1 and count <= 10 and rng.random() < GROUPED
    everywhere = grouped and rng.random() < 0.4
    titled = rng.random() < RATES["title"]
    same = _shape(rng, _shown(rng, likely, pictures)) if name in (TABLE, "grid") else 0.0
    strips = (int(rng.integers(2, 7)), 0.8 + 0.5 * float(rng.random())) if name == "column" and grouped else None
    panels = []
    for _ in range(count):
        title = _choice(rng, _TITLES) if titled else ""
        if strips is not None:
            panels.append(_group(rng, likely, pictures, gutter, columns=strips[0], rows=1, cell=strips[1]))
        elif everywhere or (grouped and rng.random() < GROUPS_AMONG):
            panels.append(_group(rng, likely, pictures, gutter))
        else:
            shown = _shown(rng, likely, pictures)
            panels.append(_Panel((shown,), 1, same or _shape(rng, shown), title=title))
    if grouped and all(len(panel.shown) == 1 for panel in panels):
        panels[int(rng.integers(count))] = _group(rng, likely, pictures, gutter)
    return panels


def _alike(rng: Generator, pictures: Sequence[Picture]) -> list[Picture]:
    """Pictures of one kind, drawn so that no kind is rare; often of one source."""
    kinds = sorted({each.kind for each in pictures})
    weights = [sum(each.kind == kind for each in pictures) ** 0.5 * _RARER.get(kind, 1.0) for kind in kinds]
    kind = kinds[int(rng.choice(len(kinds), p=[weight / sum(weights) for weight in weights]))]
    of_kind = [each for each in pictures if each.kind == kind]
    if rng.random() < 0.5:
        origin = of_kind[int(rng.integers(len(of_kind)))].origin
        return [each for each in of_kind if each.origin == origin]
    return of_kind


def _shown(rng: Generator, likely: Sequence[Picture], pictures: Sequence[Picture]) -> _Shown:
    if rng.random() < RATES["drawn"]:
        return _Shown(None, _choice(rng, sorted(DRAWERS)), int(rng.integers(1, 1 << 30)))
    among = likely if rng.random() < 0.85 else pictures
    return _Shown(among[int(rng.integers(len(among)))])


def _group(
    rng: Generator,
    likely: Sequence[Picture],
    pictures: Sequence[Picture],
    gutter: int,
    *,
    columns: int = 0,
    rows: int = 0,
    cell: float = 0.0,
) -> _Panel:
    """A group of 2 to 12 pictures: different ones, views of one, or pictures with a plot of what they show."""
    columns = columns or int(rng.choice([1, 2, 2, 3, 3, 4, 5, 6]))
    rows = rows or (1 if columns > 4 else int(rng.choice([1, 1, 2, 2, 3] if columns > 1 else [2, 2, 3, 4])))
    count = min(12, rows * columns)
    first = _shown(rng, likely, pictures)
    views = not first.paper and rng.random() < 0.35
    shown = [
        replace(first, variant=first.variant + number) if views else _shown(rng, likely, pictures)
        for number in range(count)
    ]
    plots = [each for each in pictures if each.kind == "plot"]
    if plots and rows == 1 and columns > 1 and rng.random() < 0.25:
        shown[-1] = _Shown(plots[int(rng.integers(len(plots)))])
    cell = cell or min(1.7, max(0.6, _shape(rng, first)))
    heads = tuple(surroundings.headings(rng, columns)) if columns > 1 and rng.random() < 0.3 else ()
    gap = int(rng.choice([0, 1, 2, 2, 3, 4, 6, 10]))
    if rng.random() < _CLOSER:
        gap = min(gap, max(1, gutter // 2))
    return _Panel(tuple(shown), columns, cell * columns / rows, gap, heads)


def _shape(rng: Generator, shown: _Shown) -> float:
    """The width / height in which a picture is shown: about its own."""
    if shown.picture is None:
        low, high = DRAWERS[shown.drawer].aspect
        return float(rng.uniform(low, high))
    own = load(shown.picture.image, shown.paper)
    aspect = own.width / own.height
    if not shown.paper:
        aspect *= float(rng.uniform(0.8, 1.25))
    return min(2.4, max(0.45, aspect))


# ---- letters, gutters, ground ---------------------------------------------------------------------


def _gutter(rng: Generator) -> tuple[int, int]:
    if rng.random() < RATES["touching"]:
        seam = int(rng.choice([0, 0, 1, 1, 2, 3]))
        return seam, seam
    low, high = ((4, 9), (9, 20), (20, 40))[int(rng.choice(3, p=(0.35, 0.4, 0.25)))]
    first = int(rng.integers(low, high))
    return first, first if rng.random() < 0.6 else int(rng.integers(low, high))


def _lettering(
    rng: Generator, name: str, panels: Sequence[_Panel], *, paper: bool, touching: bool
) -> tuple[Scheme, Lettering]:
    """Letters, or none; a figure with groups always has them, since nothing else says what its panels are."""
    bare = RATES["no letters, table" if name == TABLE else "no letters"]
    if all(len(panel.shown) == 1 for panel in panels) and rng.random() < bare:
        return Scheme.UPPER, Lettering(Position.NONE)
    difficulty = _choice(rng, ("easy", "medium", "medium", "hard"))
    while (lettering := a_lettering(rng, difficulty, paper=paper, stitched=touching)).position is Position.NONE:
        pass
    scheme = a_scheme(rng, difficulty)
    return (Scheme.UPPER if len(panels) > 9 and scheme is Scheme.ROMAN else scheme), lettering


def _on(lettering: Lettering, panel: _Panel) -> Lettering:
    """A letter never lies on a plot: there it stands above."""
    if panel.shown[0].paper and lettering.position is Position.INSIDE:
        return replace(lettering, position=Position.ABOVE, plate=None, colour=None, align=-1, up=True)
    return lettering


def _room(panel: _Panel, lettering: Lettering) -> tuple[int, int]:
    beside, above = lettering.room("W")
    return beside, above + _over(panel)


#: Pixels over a panel for its title or its columns' heads.
_OVER = 18


def _over(panel: _Panel) -> int:
    return _OVER if panel.title or panel.heads else 0


def _ground(rng: Generator) -> Colour:
    if rng.random() >= RATES["ground"]:
        return WHITE
    grounds = _DARK if rng.random() < 0.5 else _PALE
    return grounds[int(rng.integers(len(grounds)))]


# ---- drawing --------------------------------------------------------------------------------------


def _drawn(
    rng: Generator,
    layout: Layout,
    panels: Sequence[_Panel],
    letterings: Sequence[Lettering],
    labels: Sequence[str],
    gutter: tuple[int, int],
) -> tuple[Image.Image, list[Cell]]:
    ground, margin = _ground(rng), int(rng.choice([0, 2, 6, 10, 16, 30]))
    ink: Colour = BLACK if sum(ground) > 380 else WHITE
    square = len({place.columns for place in layout.places}) == 1 and layout.rows > 1 and layout.name != RAGGED
    headed = square and rng.random() < (RATES["heads"] if layout.name == "grid" else 0.15)
    beside = headed and rng.random() < 0.7
    legend, bar = rng.random() < RATES["legend"], rng.random() < RATES["bar"]
    axis, page = rng.random() < RATES["axis"], rng.random() < RATES["head"]
    size = int(rng.integers(11, 17))
    left, top = margin + (size + 8) * beside, margin + (size + 8) * headed + 26 * page
    right, bottom = margin + 66 * bar, margin + 34 * legend + 24 * axis
    canvas = Image.new("RGB", (left + layout.width + right, top + layout.height + bottom), ground)
    area = (left, top, left + layout.width, top + layout.height)
    border = ink if rng.random() < RATES["border"] else None
    boxes = []
    for place, panel, lettering, label in zip(layout.places, panels, letterings, labels, strict=True):
        x0, y0, x1, y1 = place.cell
        cell = (x0 + left, y0 + top, x1 + left, y1 + top)
        boxes.append(_put_panel(rng, canvas, panel, lettering, label, cell, ink, border))
    if headed:
        _put_heads(rng, canvas, layout, area, size, ink, beside=beside)
    if axis:
        text = written(_choice(rng, _AXES), size)
        canvas.paste(ink, ((area[0] + area[2] - text.width) // 2, area[3] + 6), text)
    if legend:
        below = (area[0], area[3] + 24 * axis, area[2], area[3] + 24 * axis + 34)
        surroundings.put_legend(rng, canvas, below, a_style(rng), ink)
    if bar:
        surroundings.put_colour_bar(rng, canvas, (area[2] + 6, area[1], area[2] + 66, area[3]), ink)
    if page:
        surroundings.put_running_head(rng, canvas, (left, 2, area[2], 24), ground)
    if rng.random() < RATES["frame"] and margin >= 2:
        ImageDraw.Draw(canvas).rectangle((0, 0, canvas.width - 1, canvas.height - 1), outline=ink)
    return canvas, boxes


def _put_heads(
    rng: Generator, canvas: Image.Image, layout: Layout, area: Cell, size: int, ink: Colour, *, beside: bool
) -> None:
    """Heads over the columns of a table, and beside its rows: of no panel."""
    bold = bool(rng.random() < 0.5)
    columns = [place.cell for place in layout.places if place.row == 0]
    spans = [(area[0] + x0, area[0] + x1) for x0, _, x1, _ in columns]
    surroundings.put_headings(
        canvas, surroundings.headings(rng, len(spans)), spans, across=True, edge=area[1] - 5, size=size,
        ink=ink, bold=bold,
    )  # fmt: skip
    if beside:
        rows = [place.cell for place in layout.places if place.column == 0]
        spans = [(area[1] + y0, area[1] + y1) for _, y0, _, y1 in rows]
        surroundings.put_headings(
            canvas, surroundings.headings(rng, len(spans)), spans, across=False, edge=area[0] - 5, size=size,
            ink=ink, bold=bold,
        )  # fmt: skip


def _put_panel(
    rng: Generator,
    canvas: Image.Image,
    panel: _Panel,
    lettering: Lettering,
    label: str,
    cell: Cell,
    ink: Colour,
    border: Colour | None,
) -> Cell:
    """Draw one panel with its letter, title and heads; returns the tight box around all of them."""
    room = lettering.room(label)
    x0, y0, x1, y1 = picture_area(cell, lettering, (_room(panel, lettering)[0], room[1]))
    area = (x0, y0 + _over(panel), x1, y1)
    columns = _lines(area[0], area[2], panel.columns, panel.gap)
    rows = _lines(area[1], area[3], panel.rows, panel.gap)
    taken = []
    for number, shown in enumerate(panel.shown):
        row, column = divmod(number, panel.columns)
        spot = (columns[column][0], rows[row][0], columns[column][1], rows[row][1])
        taken.append(_put(rng, canvas, shown, spot))
        if border is not None and not shown.paper:
            ImageDraw.Draw(canvas).rectangle((*taken[-1][:2], taken[-1][2] - 1, taken[-1][3] - 1), outline=border)
    for text, (low, high) in zip(panel.heads or ((panel.title,) if panel.title else ()), columns, strict=False):
        mask = written(text, 12)
        if mask.width <= high - low:
            left, top = (low + high - mask.width) // 2, area[1] - 4 - mask.height
            canvas.paste(ink, (left, top), mask)
            taken.append((left, top, left + mask.width, top + mask.height))
    if lettering.position is not Position.NONE:
        seen = _around(taken)
        frame = (
            seen if lettering.position is Position.BELOW else (area[0], min(area[1], seen[1]), area[2], area[3])
        )
        taken.append(put_letter(canvas, label, lettering, cell, frame))
    return _around(taken)


def _around(boxes: Sequence[Cell]) -> Cell:
    sides = list(zip(*boxes, strict=True))
    return min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3])


def _lines(low: int, high: int, count: int, gap: int) -> list[tuple[int, int]]:
    step = (high - low + gap) / count
    return [(low + round(step * number), low + round(step * (number + 1)) - gap) for number in range(count)]


def _put(rng: Generator, canvas: Image.Image, shown: _Shown, spot: Cell) -> Cell:
    """Put one picture into a place: a photograph fills it, a plot keeps its shape; returns the pixels it takes."""
    size = max(1, spot[2] - spot[0]), max(1, spot[3] - spot[1])
    if shown.picture is None:
        drawn = (max(SMALL, size[0]), max(SMALL, size[1]))
        made = DRAWERS[shown.drawer].draw(np.random.default_rng(shown.variant), *drawn)
        image = made if drawn == size else made.resize(size)
    elif shown.paper:
        image = ImageOps.contain(load(shown.picture.image, True), size, Image.Resampling.BILINEAR)
    else:
        image = _view(rng, load(shown.picture.image, False), shown.variant, size)
        _put_on(rng, image)
    left = spot[0] + (size[0] - image.width) // 2
    top = spot[1] + (size[1] - image.height) // 2
    canvas.paste(image, (left, top))
    return left, top, left + image.width, top + image.height


#: Drawers work from so many pixels on.
SMALL = 48


def _view(rng: Generator, image: Image.Image, variant: int, size: tuple[int, int]) -> Image.Image:
    """A photograph cut to a shape; as a variant another part of it, in one colour or in another tone."""
    x, y = (0.5, 0.5) if not variant else (float(rng.random()), float(rng.random()))
    wide = min(image.width, image.height * size[0] / size[1])
    high = min(image.height, image.width * size[1] / size[0])
    share = 1.0 if not variant else float(rng.uniform(0.6, 1.0))
    wide, high = max(1.0, wide * share), max(1.0, high * share)
    left, top = x * (image.width - wide), y * (image.height - high)
    part = image.resize(size, Image.Resampling.BILINEAR, (left, top, left + wide, top + high), reducing_gap=2.0)
    if variant and rng.random() < 0.5:
        tint = [(255, 60, 60), (60, 255, 60), (90, 90, 255), (255, 255, 255)][int(rng.integers(4))]
        part = ImageChops.multiply(part.convert("L").convert("RGB"), Image.new("RGB", size, tint))
    if rng.random() < 0.1:
        part = ImageOps.mirror(part)
    return part


def _put_on(rng: Generator, image: Image.Image) -> None:
    """An inset, a bar of colours at its side, words or an arrow: all belong to the picture."""
    width, height = image.size
    if min(width, height) < 90:
        return
    draw = ImageDraw.Draw(image)
    if rng.random() < RATES["inset"]:
        side = round(min(width, height) * float(rng.uniform(0.28, 0.42)))
        x, y = int(rng.integers(width - side)), int(rng.integers(height - side))
        detail = image.crop((x, y, x + side // 2, y + side // 2)).resize((side, side))
        spot = (width - side if rng.random() < 0.7 else 0, height - side if rng.random() < 0.6 else 0)
        draw.rectangle((x, y, x + side // 2, y + side // 2), outline=WHITE)
        image.paste(detail, spot)
        draw.rectangle((*spot, spot[0] + side - 1, spot[1] + side - 1), outline=WHITE, width=2)
    if rng.random() < RATES["own bar"]:
        bar = Image.linear_gradient("L").resize((12, height // 2)).convert("RGB")
        image.paste(bar, (width - 20, height // 4))
    if rng.random() < RATES["note"]:
        mask = written(_choice(rng, _NOTES), int(rng.integers(11, 16)))
        if mask.width < width - 12:
            spot = (int(rng.integers(3, width - mask.width - 3)), int(rng.choice([4, height - mask.height - 4])))
            image.paste(WHITE if rng.random() < 0.7 else BLACK, spot, mask)
        else:
            draw.line((6, height - 8, 6 + width // 5, height - 8), fill=WHITE, width=3)


# ---- caption --------------------------------------------------------------------------------------


def _caption(
    rng: Generator, panels: Sequence[_Panel], labels: Sequence[str], lettering: Lettering
) -> tuple[str, dict[str, tuple[Span, ...]]]:
    """A plain caption that names the panels where they have letters; at times none."""
    if rng.random() < 0.1:
        return "", {}
    text, spans = "Pictures of several sources.", dict[str, tuple[Span, ...]]()
    if lettering.position is Position.NONE:
        return text, {}
    form = "({})" if lettering.form == "{}" or rng.random() < 0.5 else lettering.form
    for panel, label in zip(panels, labels, strict=True):
        one, several = _WORDS.get(panel.shown[0].kind, ("Image", "Images"))
        words = f"{one} of one case" if len(panel.shown) == 1 else f"{several} of {len(panel.shown)} cases"
        start = len(text) + 1
        text += f" {form.format(label)} {words}."
        spans[label] = (Span(start, len(text)),)
    return text, spans
