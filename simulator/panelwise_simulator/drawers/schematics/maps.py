"""Maps: sites on a coast, and regions shaded by a value."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw
from scipy.spatial import Voronoi

from panelwise_simulator.drawers.vector.axes import Region, begin, text_scale
from panelwise_simulator.drawers.vector.colours import BLUES, GREENS, HEAT, REDS, TERRAIN, VIRIDIS, colour_map
from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour, Point, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import FINE, Face, measure
from panelwise_simulator.kinds import Drawer, Generator, Kind


def _relief(rng: Generator, rows: int, columns: int) -> Array:
    """Heights of a land, 0 at its coast, as noise of several sizes zoomed up."""
    total = np.zeros((rows, columns), np.float32)
    for cells, weight in ((3, 1.0), (6, 0.5), (13, 0.25), (28, 0.12), (60, 0.05)):
        small = rng.standard_normal((cells, max(2, round(cells * columns / rows)))).astype(np.float32)
        total += weight * np.asarray(Image.fromarray(small).resize((columns, rows), Image.Resampling.BICUBIC))
    return total


def _frame(rng: Generator, sheet: Sheet, region: Region, face: Face, texts: bool) -> Region:
    """Room for degrees along the edges, or none; returns where the map lies."""
    x0, y0, x1, y1 = region
    if not texts or chance(rng, 0.35):
        return region
    left = x0 + (measure("00°S", face) + 5)
    low = y1 - face.size * 1.35
    west, south = int(rng.integers(-120, 150)), int(rng.integers(-40, 60))
    step = pick(rng, (1, 2, 5))
    for place in range(3):
        x, y = left + (x1 - left) * (place + 0.5) / 3, low - (low - y0) * (place + 0.5) / 3
        east, north = west + step * place, south + step * place
        sheet.text(x, low + 4, f"{abs(east)}°{'E' if east >= 0 else 'W'}", face, BLACK, "mt")
        sheet.text(left - 5, y, f"{abs(north)}°{'N' if north >= 0 else 'S'}", face, BLACK, "rm")
        sheet.rule(x, low, x, low + 3, BLACK, 1.0)
        sheet.rule(left - 3, y, left, y, BLACK, 1.0)
    return left, y0, x1, low


def _extras(rng: Generator, sheet: Sheet, area: Region, face: Face, texts: bool) -> None:
    """A scale bar and an arrow to the north."""
    x0, y0, x1, y1 = area
    wide = (x1 - x0) * float(rng.uniform(0.16, 0.26))
    left = x0 + 8 if chance(rng, 0.5) else x1 - wide - 10
    if min(x1 - x0, y1 - y0) > 60:
        row = y1 - 8
        sheet.rectangle(left, row - 3, left + wide / 2, row, BLACK, BLACK, 0.7)
        sheet.rectangle(left + wide / 2, row - 3, left + wide, row, WHITE, BLACK, 0.7)
        if texts:
            sheet.text(
                left + wide / 2,
                row - 5,
                pick(rng, ("50 km", "100 km", "5 km", "0   250   500 km", "1 km")),
                face,
                BLACK,
                "mb",
            )
    if texts and chance(rng, 0.75):
        x, y = (x1 - 14, y0 + 26) if chance(rng, 0.6) else (x0 + 14, y0 + 26)
        sheet.polygon([(x, y - 12), (x + 5, y + 4), (x, y), (x - 5, y + 4)], BLACK)
        sheet.text(x, y - 13, "N", face, BLACK, "mb")


_LAND_AND_SEA: tuple[tuple[Colour, Colour], ...] = (
    ((190, 220, 240), (235, 230, 205)),
    ((170, 211, 223), (242, 239, 233)),
    (WHITE, (205, 225, 190)),
    ((214, 234, 248), (222, 222, 222)),
)


#: Heights and lights told apart where a land is shaded; 8 + height * _LIGHTS + light is the colour's place.
_HEIGHTS, _LIGHTS = 31, 8


def _shaded_tones() -> Array:
    """Colours of a shaded land, (248, 3)."""
    tones = colour_map(TERRAIN, np.linspace(0.42, 0.95, _HEIGHTS))[:, None, :]
    lit = tones * np.linspace(0.72, 1.2, _LIGHTS)[None, :, None]
    return np.asarray(np.clip(lit, 0, 255).reshape(-1, 3))


def _shaded(heights: Array, level: float) -> Array:
    """Places of colours in `_shaded_tones` by height, lit from the north-west; twice the size of the heights."""
    grown = np.asarray(
        Image.fromarray(heights).resize((heights.shape[1] * 2, heights.shape[0] * 2), Image.Resampling.BILINEAR)
    )
    share = np.clip((grown - level) / max(float(grown.max()) - level, 1e-6), 0, 0.999)
    slope = np.zeros_like(grown)
    slope[1:, 1:] = grown[1:, 1:] - grown[:-1, :-1]
    light = np.clip((slope * 12 + 0.28) / 0.48, 0, 0.999)
    return (8 + (share * _HEIGHTS).astype(np.uint8) * _LIGHTS + (light * _LIGHTS).astype(np.uint8)).astype(
        np.uint8
    )


def site_map(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Land and sea with sampling sites, degrees along the frame, a scale, and a small overview at times."""
    sheet, style, region = begin(rng, width, height, style)
    face = style.tick_face(text_scale(region) * 0.92)
    texts = min(width, height) >= 95
    area = _frame(rng, sheet, region, face, texts)
    x0, y0, x1, y1 = area
    left, top = round(x0) * FINE, round(y0) * FINE
    size = (round(x1) * FINE - left, round(y1) * FINE - top)
    heights = _relief(rng, max(20, size[1] // 4), max(20, size[0] // 4))
    level = float(np.quantile(heights[::3, ::3], float(rng.uniform(0.3, 0.62))))
    look = pick(rng, ("plain", "plain", "relief", "grey", "white"))
    sea, ground = {
        "plain": pick(rng, _LAND_AND_SEA),
        "relief": ((150, 195, 225), (200, 200, 160)),
        "grey": (WHITE, (205, 205, 205)),
        "white": ((225, 225, 225), WHITE),
    }[look]
    fine = np.asarray(Image.fromarray(heights).resize(size, Image.Resampling.BILINEAR)) > level
    table = np.zeros((256, 3))
    table[0], table[1], table[2] = sea, ground, pick(rng, ((90, 90, 90), (110, 140, 170), (60, 60, 60)))
    indices = fine.view(np.uint8)
    if look == "relief":
        table[8:] = _shaded_tones()
        indices = np.where(fine, np.asarray(Image.fromarray(_shaded(heights, level)).resize(size)), np.uint8(0))
    coast = np.zeros(fine.shape, bool)
    coast[1:] |= fine[1:] != fine[:-1]
    coast[:, 1:] |= fine[:, 1:] != fine[:, :-1]
    coast[:-1] |= coast[1:]
    indices[coast] = 2
    sheet.indexed(indices, table, left, top)
    land = heights > level
    rows, columns = land.shape
    if chance(rng, 0.3):
        for place in range(1, 4):
            sheet.line(
                [(x0 + (x1 - x0) * place / 4, y0), (x0 + (x1 - x0) * place / 4, y1)], (150, 150, 150), 0.6, 3.0
            )
            sheet.line(
                [(x0, y0 + (y1 - y0) * place / 4), (x1, y0 + (y1 - y0) * place / 4)], (150, 150, 150), 0.6, 3.0
            )
    places = np.argwhere(land[2:-2, 2:-2]) + 2
    sites = int(rng.integers(3, 26))
    stem = pick(rng, ("S", "P", "", "St. "))
    coloured = chance(rng, 0.5)
    for place in range(sites if len(places) else 0):
        row, column = places[int(rng.integers(len(places)))].tolist()
        x, y = x0 + column * (x1 - x0) / columns, y0 + row * (y1 - y0) / rows
        group = int(rng.integers(3)) if coloured else 0
        sheet.marker(
            x,
            y,
            3.0 * text_scale(region),
            style.stroke(group) if look != "grey" or coloured else BLACK,
            BLACK,
            style.mark(group),
        )
        if texts and sites < 15:
            sheet.text(x + 5, y - 4, f"{stem}{place + 1}", face, BLACK, "lb")
    if texts and chance(rng, 0.7):
        wet = np.argwhere(~land)
        if len(wet):
            row, column = wet[len(wet) // 3].tolist()
            sheet.text(x0 + column * (x1 - x0) / columns, y0 + row * (y1 - y0) / rows,
                       pick(rng, ("North Sea", "Bay of Lune", "Gulf", "Lake", "Ocean", "Strait")),
                       Face(face.size * 1.1, slant=True), (40, 80, 140))  # fmt: skip
    _extras(rng, sheet, area, face, texts)
    if chance(rng, 0.4) and min(x1 - x0, y1 - y0) > 150:
        side = min(x1 - x0, y1 - y0) * 0.28
        a, b = (x0 + 3, y0 + 3)
        small = Image.fromarray(
            np.where(_relief(rng, 40, 40)[:, :, None] > 0, np.uint8(170), np.uint8(240))
            .repeat(3, axis=2)
            .astype(np.uint8)
        )
        sheet.picture(np.asarray(small), a, b, a + side, b + side)
        sheet.rectangle(a, b, a + side, b + side, None, BLACK, 1.0)
        sheet.rectangle(a + side * 0.4, b + side * 0.35, a + side * 0.6, b + side * 0.55, None, (220, 30, 30), 1.2)
    if chance(rng, 0.85) or area != region:
        sheet.rectangle(x0, y0, x1, y1, None, BLACK, 1.0)
    return sheet.done()


def _wiggle(rng: Generator, a: Point, b: Point, rounds: int) -> list[Point]:
    """A bent line from a to b: its middles are moved aside, again and again."""
    line = [a, b]
    shifts = iter(rng.uniform(-0.16, 0.16, 2**rounds - 1).tolist())
    for _ in range(rounds):
        bent = [line[0]]
        for ((xa, ya), (xb, yb)), shift in zip(pairwise(line), shifts, strict=False):
            bent += [((xa + xb) / 2 - (yb - ya) * shift, (ya + yb) / 2 + (xb - xa) * shift), (xb, yb)]
        line = bent
    return line


def _outline(rng: Generator, x0: float, y0: float, x1: float, y1: float) -> list[Point]:
    """A coast that fills the rectangle and touches each of its sides."""
    turns = np.linspace(0, 2 * math.pi, int(rng.integers(9, 17)), endpoint=False)
    reach = rng.uniform(0.62, 1.0, len(turns))
    corners = list(zip((np.cos(turns) * reach).tolist(), (np.sin(turns) * reach).tolist(), strict=True))
    coast: list[Point] = []
    for place, corner in enumerate(corners):
        coast += _wiggle(rng, corner, corners[(place + 1) % len(corners)], 4)[:-1]
    points = np.asarray(coast)
    points = (points - points.min(axis=0)) / np.ptp(points, axis=0) * (x1 - x0 - 3, y1 - y0 - 3) + (x0 + 1, y0 + 1)
    return [(float(x), float(y)) for x, y in points]


def _regions(rng: Generator, sheet: Sheet, seeds: Array, tones: list[Colour], line: Colour) -> None:
    """The regions nearest to each seed, with bent borders."""
    far = 3.0 * max(sheet.width, sheet.height)
    around = np.array([(-far, -far), (-far, 2 * far), (2 * far, -far), (2 * far, 2 * far)])
    cells = Voronoi(np.concatenate([seeds, around]))
    corners = [(float(x), float(y)) for x, y in cells.vertices]
    borders: dict[tuple[int, int], list[Point]] = {}
    for a, b in cells.ridge_vertices:
        if a >= 0 and b >= 0:
            low, high = min(a, b), max(a, b)
            long = math.hypot(corners[a][0] - corners[b][0], corners[a][1] - corners[b][1])
            borders[low, high] = _wiggle(
                rng, corners[low], corners[high], 1 if long < 12 else 3 if long < 80 else 4
            )
    for place, tone in enumerate(tones):
        x, y = seeds[place].tolist()
        region = sorted(
            (corner for corner in cells.regions[cells.point_region[place]] if corner >= 0),
            key=lambda corner: math.atan2(corners[corner][1] - y, corners[corner][0] - x),
        )
        ring: list[Point] = []
        for a, b in zip(region, region[1:] + region[:1], strict=True):
            border = borders.get((min(a, b), max(a, b)), [corners[a], corners[b]])
            ring += border[:-1] if a < b else border[:0:-1]
        if len(ring) > 2:
            sheet.polygon(ring, tone)
    for border in borders.values():
        sheet.line(border, line, 0.8)


def choropleth(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Regions of a country shaded by a value, with a key."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    face = style.tick_face(text_scale(region) * 0.92)
    texts = min(width, height) >= 95
    room = face.size * 5.5 if texts and width > 200 else 0.0
    right = x1 - room
    count = int(rng.integers(9, 60))
    seeds = rng.uniform(0, 1, (count, 2)) * (right - x0, y1 - y0) + (x0, y0)
    table = pick(rng, (BLUES, REDS, GREENS, HEAT, VIRIDIS))
    classes = int(rng.integers(4, 7))
    wave = np.sin((seeds[:, 1] - y0) / (y1 - y0) * 4 + float(rng.uniform(0, 6)))
    values = np.clip(0.5 + 0.28 * wave + rng.normal(0, 0.17, count), 0.02, 0.98)
    colours = colour_map(table, (np.floor(values * classes) + 0.5) / classes)
    if chance(rng, 0.2):
        colours[rng.random(count) < 0.2] = (200, 200, 200)
    tones = [(int(red), int(green), int(blue)) for red, green, blue in colours]
    line = pick(rng, (WHITE, (90, 90, 90), (60, 60, 60)))
    outline = _outline(rng, x0, y0, right, y1)
    land = Sheet(width, height)
    _regions(rng, land, seeds, tones, line)
    mask = Image.new("L", land.image.size)
    ImageDraw.Draw(mask).polygon([(x * FINE, y * FINE) for x, y in outline], fill=255)
    sheet.image.paste(land.image, (0, 0), mask)
    sheet.line([*outline, outline[0]], (70, 70, 70), 1.0)
    title = pick(
        rng, ("Cases per 100,000", "Incidence", "Prevalence (%)", "Density", "Income", "Rainfall (mm)", "Deaths")
    )
    if room:
        left = x1 - room + 4
        top = y0 + (y1 - y0) * float(rng.uniform(0.1, 0.45))
        lines = title.replace(" ", "\n", 1)
        sheet.text(left, top, lines, face, BLACK, "lt")
        top += face.size * (2.8 if "\n" in lines else 1.6)
        step = pick(rng, (5, 10, 20, 100))
        for place in range(classes):
            row = top + place * face.size * 1.3
            tone = tuple(int(part) for part in table[int((place + 0.5) / classes * 255)])
            sheet.rectangle(
                left, row, left + face.size * 1.1, row + face.size, (tone[0], tone[1], tone[2]), (90, 90, 90), 0.6
            )
            sheet.text(
                left + face.size * 1.5,
                row + face.size / 2,
                f"{place * step}–{(place + 1) * step}",
                face,
                BLACK,
                "lm",
            )
    if texts and chance(rng, 0.5):
        _extras(rng, sheet, (x0, y0, right, y1), face, texts)
    if chance(rng, 0.4):
        sheet.rectangle(x0, y0, x1, y1, None, BLACK, 1.0)
    return sheet.done()


DRAWERS: tuple[Drawer, ...] = (
    Drawer("site_map", Kind.MAP, site_map, (0.7, 1.8), paper=False),
    Drawer("choropleth", Kind.MAP, choropleth, (0.8, 1.7), paper=True),
)
