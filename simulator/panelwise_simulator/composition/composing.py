"""Compound figures put together: panels in their cells, letters, what stands around them, and the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from panelwise_simulator.captions.grammar import CaptionRequest, PanelFacts, WrittenCaption, write_caption
from panelwise_simulator.composition import surroundings
from panelwise_simulator.composition.layouts import Cell
from panelwise_simulator.composition.lettering import BLACK, WHITE, Colour, Position, picture_area, put_letter
from panelwise_simulator.composition.planning import Plan, chance, make_plan
from panelwise_simulator.composition.themes import Subject
from panelwise_simulator.kinds import Generator, Kind


@dataclass(frozen=True, slots=True)
class Composition:
    """A figure as drawn: labels and boxes in the order of the labels, the caption, and how it was made.

    photographic: mostly pictures rather than line drawings. position: of the letters. theme, layout: names.
    """

    image: Image.Image
    labels: tuple[str, ...]
    boxes: tuple[Cell, ...]
    caption: WrittenCaption
    photographic: bool
    position: Position
    theme: str
    layout: str


def compose(seed: tuple[int, int], house: Generator, difficulty: str, number: int) -> Composition:
    """The figure of that seed. house: what the figures of one article share. number: of the figure there, from 1.

    difficulty: "easy", "medium" or "hard".
    """
    rng = np.random.default_rng([*seed, 0])
    plan = make_plan(rng, house, difficulty)
    caption = write_caption(rng, _request(plan, difficulty, number))
    drawn = _draw(rng, plan, seed, difficulty)
    image = drawn.canvas
    if chance(rng, "strip", difficulty):
        image = surroundings.with_caption_strip(rng, image, caption.text, number, plan.ground)
    if chance(rng, "aged", difficulty):
        image = surroundings.aged(rng, image)
    boxes = tuple(drawn.boxes)
    if len(boxes) == 1:
        # A figure that is not compound is one box over the whole image.
        boxes = ((0, 0, *image.size),)
    photographic = sum(not subject.drawer.paper for subject in plan.subjects) * 3 >= len(plan.subjects)
    return Composition(
        image,
        plan.labels,
        boxes,
        caption,
        photographic,
        plan.lettering.position,
        plan.theme.name,
        plan.layout.name,
    )


def _request(plan: Plan, difficulty: str, number: int) -> CaptionRequest:
    facts = tuple(
        PanelFacts(
            label, subject.drawer.name, place.row, place.column, plan.layout.rows, place.columns, subject.group
        )
        for label, subject, place in zip(plan.labels, plan.subjects, plan.layout.places, strict=True)
    )
    lettered = plan.lettering.position is not Position.NONE
    return CaptionRequest(facts, lettered, plan.lettering.form == "({})", number, difficulty)


# ---- drawing --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Drawn:
    canvas: Image.Image
    boxes: list[Cell]


def _draw(rng: Generator, plan: Plan, seed: tuple[int, int], difficulty: str) -> _Drawn:
    layout, ink = plan.layout, (BLACK if sum(plan.ground) > 380 else WHITE)
    compound = len(plan.labels) > 1
    plots = [subject.drawer.kind is Kind.PLOT for subject in plan.subjects]
    full_grid = layout.name == "grid" and len({place.columns for place in layout.places}) == 1
    headed = full_grid and layout.rows > 1 and chance(rng, "headings", difficulty)
    beside = headed and rng.random() < 0.5
    legend = compound and sum(plots) >= 2 and chance(rng, "legend", difficulty)
    bar = plan.theme.coloured and compound and not legend and chance(rng, "bar", difficulty)
    head = chance(rng, "head", difficulty)
    size = int(rng.integers(13, 18))
    left, top = plan.margin + (size + 6 if beside else 0), plan.margin + (size + 6 if headed else 0) + 26 * head
    right, bottom = plan.margin + (66 if bar else 0), plan.margin + (34 if legend else 0)
    canvas = Image.new("RGB", (left + layout.width + right, top + layout.height + bottom), plan.ground)
    border = ink if chance(rng, "border", difficulty) else None
    boxes = []
    for number, place in enumerate(layout.places):
        x0, y0, x1, y1 = place.cell
        cell = (x0 + left, y0 + top, x1 + left, y1 + top)
        boxes.append(_panel(rng, canvas, plan, number, cell, seed, difficulty, border))
    area = (left, top, left + layout.width, top + layout.height)
    if headed:
        firsts = layout.places[: layout.places[0].columns]
        spans = [(place.cell[0] + left, place.cell[2] + left) for place in firsts]
        bold = bool(rng.random() < 0.5)
        surroundings.put_headings(
            canvas, surroundings.headings(rng, len(spans)), spans, across=True, edge=area[1] - 5, size=size,
            ink=ink, bold=bold,
        )  # fmt: skip
        if beside:
            starts = [place for place in layout.places if place.column == 0]
            spans = [(place.cell[1] + top, place.cell[3] + top) for place in starts]
            surroundings.put_headings(
                canvas, surroundings.headings(rng, len(spans)), spans, across=False, edge=area[0] - 5, size=size,
                ink=ink, bold=bold,
            )  # fmt: skip
    if legend:
        surroundings.put_legend(rng, canvas, (area[0], area[3], area[2], area[3] + 34), plan.style, ink)
    if bar:
        surroundings.put_colour_bar(rng, canvas, (area[2] + 6, area[1], area[2] + 66, area[3]), ink)
    if head:
        surroundings.put_running_head(rng, canvas, (left, 2, area[2], 24), plan.ground)
    if compound and chance(rng, "frame", difficulty) and plan.margin >= 2:
        ImageDraw.Draw(canvas).rectangle((0, 0, canvas.width - 1, canvas.height - 1), outline=ink)
    return _Drawn(canvas, boxes)


def _panel(
    rng: Generator,
    canvas: Image.Image,
    plan: Plan,
    number: int,
    cell: Cell,
    seed: tuple[int, int],
    difficulty: str,
    border: Colour | None,
) -> Cell:
    """Draw one panel with its letter; returns the tight box around both."""
    subject, lettering, label = plan.subjects[number], plan.letterings[number], plan.labels[number]
    outer = cell
    if plan.cards:
        ImageDraw.Draw(canvas).rectangle(
            (cell[0], cell[1], cell[2] - 1, cell[3] - 1), fill=WHITE, outline=(200, 200, 200)
        )
        cell = (cell[0] + 7, cell[1] + 7, cell[2] - 7, cell[3] - 7)
    area = picture_area(cell, lettering, lettering.room(label))
    picture = _picture(rng, subject, (area[2] - area[0], area[3] - area[1]), seed, difficulty)
    shown = area
    if subject.drawer.paper:
        ink = ImageChops.invert(picture).convert("L").point(_INK).getbbox()
        if ink is not None:
            shown = (area[0] + ink[0], area[1] + ink[1], area[0] + ink[2], area[1] + ink[3])
        if plan.ground != WHITE and not plan.cards:
            picture = ImageChops.multiply(picture, Image.new("RGB", picture.size, plan.ground))
    canvas.paste(picture, area[:2])
    if border is not None and not subject.drawer.paper:
        ImageDraw.Draw(canvas).rectangle((area[0], area[1], area[2] - 1, area[3] - 1), outline=border)
    if lettering.position is not Position.NONE:
        # Beside and above, a letter keeps to the cell's corner; under a panel, to what is seen of it.
        frame = shown if lettering.position is Position.BELOW else area
        letter = put_letter(canvas, label, lettering, cell, frame)
        shown = (
            min(shown[0], letter[0]), min(shown[1], letter[1]), max(shown[2], letter[2]), max(shown[3], letter[3])
        )  # fmt: skip
    return outer if plan.cards else shown


#: What differs less than this from the paper is not seen.
_INK = [0] * 6 + [255] * 250


def _picture(
    rng: Generator, subject: Subject, size: tuple[int, int], seed: tuple[int, int], difficulty: str
) -> Image.Image:
    own = np.random.default_rng([*seed, 1 + subject.stream])
    double, inset = chance(rng, "double", difficulty), chance(rng, "inset", difficulty)
    if subject.drawer.paper:
        return subject.draw(own, *size)
    if double and max(size) > 1.25 * min(size) and min(size) >= 100:
        return _two(own, subject, size, int(rng.choice([2, 4, 8, 14])))
    picture = subject.draw(own, *size)
    if inset and min(size) >= 180:
        _put_inset(rng, picture)
    return picture


def _two(own: Generator, subject: Subject, size: tuple[int, int], gap: int) -> Image.Image:
    """One panel of two pictures with white between them."""
    width, height = size
    result = Image.new("RGB", size, WHITE)
    if width > height:
        half = (width - gap) // 2
        result.paste(subject.draw(own, half, height), (0, 0))
        result.paste(subject.draw(own, width - gap - half, height), (half + gap, 0))
    else:
        half = (height - gap) // 2
        result.paste(subject.draw(own, width, half), (0, 0))
        result.paste(subject.draw(own, width, height - gap - half), (0, half + gap))
    return result


def _put_inset(rng: Generator, picture: Image.Image) -> None:
    """A part of the picture enlarged in a corner, framed, with its place marked."""
    width, height = picture.size
    side = round(min(width, height) * float(rng.uniform(0.3, 0.42)))
    part = max(12, round(side / float(rng.uniform(1.8, 3.2))))
    x, y = (int(rng.integers(round(reach * 0.25), round(reach * 0.55))) for reach in (width, height))
    detail = picture.crop((x, y, x + part, y + part)).resize((side, side), Image.Resampling.BICUBIC)
    left = width - side if rng.random() < 0.7 else 0
    top = height - side if rng.random() < 0.6 else 0
    colour = WHITE if rng.random() < 0.7 else BLACK
    draw = ImageDraw.Draw(picture)
    draw.rectangle((x, y, x + part, y + part), outline=colour)
    picture.paste(detail, (left, top))
    draw.rectangle((left, top, left + side - 1, top + side - 1), outline=colour, width=2)
