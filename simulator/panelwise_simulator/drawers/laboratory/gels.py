"""Blots and gels: bands in lanes, and rows of dots, with the names their authors set round them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from panelwise_simulator.drawers.raster.marks import BLACK, WHITE, face
from panelwise_simulator.drawers.raster.shapes import Sketch
from panelwise_simulator.drawers.raster.textures import Field, chance, grain, grey, haze, pick, streams, values
from panelwise_simulator.kinds import Draw, Drawer, Generator, Kind

INK = (25, 25, 25)


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, mass) for name, _, mass in (entry.partition(":") for entry in text.split("|")))


#: Proteins with their masses (kDa); those that serve as loading controls; what lanes are called.
PROTEINS = _pairs(
    "p-AKT:60|AKT:60|p-ERK1/2:44|ERK1/2:44|Caspase-3:35|PARP:116|p53:53|Bcl-2:26|LC3-II:16|E-cadherin:120|"
    "Vimentin:57|STAT3:88|p-STAT3:88|Cyclin D1:36|HIF-1a:110|TET1:235|p65:65|p21:21"
)
LOADING = _pairs("b-Actin:42|GAPDH:37|a-Tubulin:55|Actin:42|Lamin B1:66")
LANES = tuple(
    tuple(names.split("|"))
    for names in (
        "Ctrl|si-1|si-2|si-3|Resc.",
        "NC|KD1|KD2",
        "0|1|3|6|12|24",
        "WT|KO",
        "-|+|-|+",
        "Mock|WT|Mut",
        "1|2|3|4|5|6",
        "Veh|Low|Mid|High",
        "N1|T1|N2|T2|N3|T3",
        "WT|WT|WT|KO|KO|KO",
        "1|2|3|4|5|6|7|8",
    )
)


def _bands(
    rng: Generator, width: int, height: int, bands: Sequence[tuple[float, float, float, float, float]]
) -> Field:
    """Darkness, 0 to 255, of bands: (x, y, half width, half height, strength 0 to 1) each, in pixels."""
    sketch = Sketch(width, height, fine=2)
    smile = pick(rng, -0.4, 0.9)
    for x, y, wide, high, strength in sorted(bands, key=lambda band: band[4]):
        if strength <= 0.02:
            continue
        high = high * (0.6 + 0.5 * strength)
        angle = np.linspace(0, 2 * np.pi, 26)
        xs = np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** 0.55
        bow = smile * high * (xs * xs - 0.3) + pick(rng, -0.3, 0.3) * high * xs
        ys = y - bow + high * np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** 0.8 * (1 + 0.25 * np.abs(xs))
        tone = round(255 * min(1.0, strength))
        sketch.polygon(zip((x + wide * xs).tolist(), ys.tolist(), strict=True), tone)
    soft = max(0.6, min(height * 0.05, width * 0.008))
    return values(sketch.done().filter(ImageFilter.BoxBlur(soft)))


def _film(
    rng: Generator,
    width: int,
    height: int,
    bands: Sequence[tuple[float, float, float, float, float]],
    paper: float,
) -> Image.Image:
    """A strip of film: bands on ground of the grey `paper`."""
    dark = _bands(rng, width, height, bands)
    cloudy = values(haze(rng, width, height, max(6.0, height * 0.5))) - 128
    light = paper + cloudy * 0.06 + grain(rng, width, height) * pick(rng, 0.8, 3) - dark * (paper / 255) * 0.97
    return grey(light).convert("RGB")


def immunoblot(
    rng: Generator,
    width: int,
    height: int,
    *,
    lanes: Sequence[str] | None = None,
    rows: Sequence[tuple[str, str]] | None = None,
) -> Image.Image:
    """Strips of a blot, one a protein, lanes named above, proteins on the left, masses (kDa) on the right.

    lanes: their names; rows: protein and mass each, the last one the loading control; by chance where None. Where
    the panel is too small for words it shows the strips alone.
    """
    subject, look = streams(rng, 2)
    names = tuple(lanes) if lanes is not None else LANES[int(subject.integers(len(LANES)))]
    count = int(subject.integers(1, 5))
    order = subject.permutation(len(PROTEINS))[:count].tolist()
    loading = LOADING[int(subject.integers(len(LOADING)))]
    strips = tuple(rows) if rows is not None else (*(PROTEINS[place] for place in order), loading)
    canvas = Image.new("RGB", (width, height), WHITE)
    draw = ImageDraw.Draw(canvas)
    worded = min(width, height) >= 110
    masses, framed, paper = chance(look, 0.7), chance(look, 0.65), pick(look, 205, 243)
    size = max(8, min(14, round(min(width / 26, height / (2.2 * len(strips) + 3)))))
    font = face(size)
    left = round(max(font.getlength(protein) for protein, _ in strips)) + 10 if worded else 1
    right = width - (round(font.getlength("250")) + 10 if worded and masses else 2)
    top, gap = (size + 8 if worded else 1), max(3, round(height * 0.02))
    high = max(6, min((height - top - gap * (len(strips) - 1) - 2) // len(strips), round((right - left) * 0.3)))
    across = (right - left) / len(names)
    if worded:
        for lane, name in enumerate(names):
            draw.text((left + (lane + 0.5) * across, top - 4), name, fill=INK, font=font, anchor="mb")
        if masses:
            draw.text((right + 5, top - 4), "kDa", fill=INK, font=face(max(7, size - 2)), anchor="lb")
    for row, (protein, mass) in enumerate(strips):
        y0 = top + row * (high + gap)
        last = row == len(strips) - 1
        trend = pick(subject, -1, 1)
        depth, thick, twin = (
            pick(subject, 0.55, 1.0),
            pick(subject, 0.13, 0.22),
            chance(subject, 0.25) and not last,
        )
        bands = []
        for lane in range(len(names)):
            ramp = 0.5 + trend * (lane / max(1, len(names) - 1) - 0.5)
            strength = 0.92 if last else depth * min(1.0, max(0.05, ramp + pick(subject, -0.3, 0.3)))
            x, y = (lane + 0.5) * across, high * (0.5 + pick(subject, -0.04, 0.04))
            wide = across * (0.34 + 0.08 * strength)
            bands.append((x, y, wide, high * thick, strength))
            if twin:
                bands.append((x, y + high * 0.27, wide, high * thick * 0.7, strength * 0.7))
        canvas.paste(_film(look, right - left, high, bands, paper), (left, y0))
        if framed:
            draw.rectangle([left - 1, y0 - 1, right, y0 + high], outline=INK)
        if worded:
            draw.text((left - 6, y0 + high / 2), protein, fill=INK, font=font, anchor="rm")
            if masses:
                draw.text((right + 5, y0 + high / 2), mass, fill=INK, font=font, anchor="lm")
    return canvas


LADDER = (0.10, 0.16, 0.22, 0.29, 0.36, 0.45, 0.55, 0.66, 0.78, 0.88)


def dna_gel(rng: Generator, width: int, height: int, *, lanes: int | None = None) -> Image.Image:
    """A gel in ultraviolet light: bright bands on black, a ladder in the first lane. lanes: how many."""
    subject, look = streams(rng, 2)
    drawn = int(subject.integers(5, 13))
    count = max(2, min(lanes or drawn, width // 10))
    header = 0.09 if min(width, height) >= 90 else 0.0
    across = width / (count + 0.6)
    bands = []
    common = [pick(subject, 0.2, 0.9) for _ in range(int(subject.integers(1, 4)))]
    for lane in range(count):
        x = (lane + 0.8) * across
        ladder = lane == 0 or (lane == count - 1 and count > 8)
        for place in LADDER if ladder else common:
            strength = pick(subject, 0.3, 0.6) if ladder else pick(subject, 0.0, 1.0)
            y = (header + 0.04 + place * (0.94 - header)) * height
            bands.append((x, y, across * 0.36, max(1.0, height * (0.006 if ladder else 0.011)), strength))
        if chance(subject, 0.4):
            bands.append((x, (header + 0.05) * height, across * 0.36, max(1.0, height * 0.006), 0.35))
    light = _bands(look, width, height, bands)
    smear = values(haze(look, width, height, max(8.0, across)))
    ground = pick(look, 14, 42)
    image = grey(
        ground
        + (smear - 128) * 0.07
        + light * pick(look, 0.75, 0.95)
        + grain(look, width, height) * pick(look, 1, 3)
    )
    result = image.convert("RGB")
    if header:
        draw = ImageDraw.Draw(result)
        font = face(max(8, min(14, round(across * 0.5))))
        for lane in range(count):
            text = "M" if lane == 0 else str(lane)
            draw.text(((lane + 0.8) * across, height * 0.05), text, fill=WHITE, font=font, anchor="mm")
        if chance(look, 0.5):
            for place, text in ((LADDER[2], "1000"), (LADDER[5], "500"), (LADDER[8], "100")):
                y = (header + 0.04 + place * (0.94 - header)) * height
                draw.text((1, y), text, fill=WHITE, font=face(8), anchor="lm")
    return result


def dot_blot(rng: Generator, width: int, height: int) -> Image.Image:
    """Rows of round spots of falling strength on a membrane, with the rows' names."""
    subject, look = streams(rng, 2)
    rows, columns = int(subject.integers(2, 7)), int(subject.integers(4, 11))
    worded = min(width, height) >= 110
    size = max(8, min(14, round(height / (rows * 2.4))))
    font = face(size)
    words = [PROTEINS[place][0] for place in subject.permutation(len(PROTEINS))[:rows].tolist()]
    left = round(max(font.getlength(word) for word in words)) + 8 if worded else 0
    top = size + 8 if worded else 0
    canvas = Image.new("RGB", (width, height), WHITE)
    w, h = width - left, height - top
    radius = 0.36 * min(w / columns, h / rows)
    sketch = Sketch(w, h)
    for row in range(rows):
        fall = pick(subject, 0.55, 0.95)
        for column in range(columns):
            x, y = (
                (column + 0.5) * w / columns + pick(subject, -1, 1),
                (row + 0.5) * h / rows + pick(subject, -1, 1),
            )
            strength = max(0.0, min(1.0, 1.05 * fall**column + pick(subject, -0.12, 0.1)))
            r = radius * (0.75 + 0.3 * strength)
            sketch.disc(x, y, r, r, round(215 * strength))
            sketch.disc(x, y, r * 0.7, r * 0.7, round(245 * strength))
    dark = values(sketch.done().filter(ImageFilter.BoxBlur(max(0.8, radius * 0.16))))
    paper = pick(look, 200, 240)
    cloudy = values(haze(look, w, h, max(6.0, radius * 2)))
    film = grey(paper + (cloudy - 128) * 0.07 + grain(look, w, h) * 2 - dark * (paper / 255) * 0.95)
    canvas.paste(film.convert("RGB"), (left, top))
    draw = ImageDraw.Draw(canvas)
    draw.rectangle([left, top, width - 1, height - 1], outline=INK)
    if worded:
        for row, word in enumerate(words):
            draw.text((left - 5, top + (row + 0.5) * h / rows), word, fill=INK, font=font, anchor="rm")
        for column in range(columns):
            text = str(column + 1)
            draw.text((left + (column + 0.5) * w / columns, top - 4), text, fill=BLACK, font=font, anchor="mb")
    return canvas


DRAWERS: tuple[Drawer, ...] = (
    Drawer("immunoblot", Kind.GEL, immunoblot, (0.9, 2.4), paper=True),
    Drawer("dna_gel", Kind.GEL, dna_gel, (0.7, 1.6), dark=True),
    Drawer("dot_blot", Kind.GEL, dot_blot, (0.9, 2.2), paper=True),
)

#: Sets of drawings that show one subject in variants when each starts from the same state, by drawer.
SERIES: Mapping[str, tuple[tuple[Draw, ...], ...]] = {
    "immunoblot": tuple(
        tuple(partial(immunoblot, rows=rows) for rows in pair)
        for pair in (((PROTEINS[0], PROTEINS[1], LOADING[1]), (PROTEINS[2], PROTEINS[3], LOADING[1])),)
    ),
    "dna_gel": (tuple(partial(dna_gel, lanes=lanes) for lanes in (6, 9)),),
}
