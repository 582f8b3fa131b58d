"""Cells under other light than a lamp's: fluorescence, electrons, phase contrast."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from math import cos, sin

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.laboratory.histology import nuclei, tissue
from panelwise_simulator.drawers.raster.marks import (
    BLACK,
    WHITE,
    YELLOW,
    dashed_box,
    pointers,
    scaled,
    unit,
    write,
)
from panelwise_simulator.drawers.raster.shapes import Sketch, ring
from panelwise_simulator.drawers.raster.textures import (
    Colour,
    Field,
    blurred,
    chance,
    cloud,
    enlarged,
    fibres,
    grain,
    grey,
    lit,
    palette,
    pick,
    reduced,
    scatter,
    speckle,
    spread,
    stamps,
    streams,
    thinned,
    values,
)
from panelwise_simulator.kinds import Draw, Drawer, Generator, Kind

#: Colours of the three channels: blue, green, red as named; other sets authors like.
LIGHTS: tuple[Mapping[str, Colour], ...] = (
    {"b": (40, 70, 255), "g": (30, 255, 60), "r": (255, 40, 40)},
    {"b": (60, 90, 255), "g": (40, 240, 80), "r": (255, 40, 40)},
    {"b": (30, 60, 235), "g": (80, 255, 40), "r": (255, 60, 20)},
    {"b": (70, 110, 255), "g": (0, 230, 230), "r": (255, 40, 235)},
    {"b": (200, 200, 200), "g": (40, 255, 60), "r": (255, 40, 220)},
)
NAMES = {
    "b": ("DAPI", "DAPI", "Hoechst", "Nuclei"),
    "g": ("GFP", "Actin", "Tubulin", "CD31", "NeuN", "Ki67", "a-SMA", "FITC"),
    "r": ("mCherry", "GFAP", "Iba1", "LAMP1", "CD8", "Mito", "tdTomato", "V5"),
}


@lru_cache(maxsize=64)
def _light(colour: Colour) -> bytes:
    return palette((0.0, (0, 0, 0)), (0.85, colour), (1.0, tuple(min(255, part + 60) for part in colour)))


def _cells(rng: Generator, width: int, height: int) -> dict[str, Field]:
    """Nuclei, fibres and spots of one field of view of cells in culture, 0 to 255 each."""
    radius = pick(rng, 0.025, 0.075) * max(40, min(width, height))
    crowd = pick(rng, 2.5, 5.5)
    inner, outer = (np.zeros((height, width), dtype=np.float32) for _ in range(2))
    places = spread(rng, width, height, radius * crowd, jitter=pick(rng, 0.15, 0.4))
    places = places[:, rng.random(places.shape[1]) < pick(rng, 0.6, 1.0)]
    scatter(inner, stamps(rng, radius, count=8, stretch=0.6, mottle=0.25), places, rng, least=0.5)
    long = pick(rng, 1.5, 2.6)
    slim = chance(rng, 0.35)
    shapes = stamps(rng, radius * long, count=8, stretch=0.28 if slim else 0.6, rough=0.35, mottle=0.0)
    scatter(outer, shapes, places, rng, least=0.35)
    soft = values(blurred(grey(outer * 255), max(1.5, radius * 0.6)))
    waves = cloud(rng, width, height, radius * 2.6)
    texture = pick(rng, 0, 1)
    if texture < 0.4:
        pitch = max(2.0, radius * pick(rng, 0.25, 0.5))
        threads = fibres(rng, width, height, pitch, 1.5 * waves)
        if chance(rng, 0.6):
            threads = 0.7 * np.maximum(threads, fibres(rng, width, height, pitch, -1.5 * waves))
        strands = soft * (0.15 + 0.85 * threads * np.clip(0.75 + 0.35 * waves, 0, 1.2))
    elif texture < 0.75:
        strands = soft * (0.42 + 0.22 * speckle(rng, width, height, max(1.5, radius * 0.12)))
    else:
        strands = 1.5 * np.clip(soft - 0.55 * values(blurred(grey(soft), max(2.0, radius))), 0, 255)
    strands = strands * (1 - 0.55 * inner)
    spots: Field = np.zeros_like(inner)
    dots = rng.random((2, int(width * height / 60))) * np.array([[width], [height]])
    grains = stamps(rng, max(0.9, radius * pick(rng, 0.06, 0.14)), count=5, stretch=0.8, mottle=0)
    some = np.clip((soft / 255) * (0.2 + 0.5 * np.clip(waves + 0.4, 0, 1)) * (1 - 0.8 * inner), 0, 1)
    scatter(spots, grains, thinned(dots, some, rng), rng, least=0.25)
    if chance(rng, 0.4):
        spots = np.maximum(spots, soft / 255 * 0.5 * np.clip(0.3 + waves * 0.4, 0, 1))
    return {"b": inner * 235, "g": strands, "r": spots * 250}


def _glow(
    rng: Generator, layers: Mapping[str, Field], size: tuple[int, int], shown: str, lights: Mapping[str, Colour]
) -> Image.Image:
    """The layers lit in their colours; drawn smaller, shown at `size`."""
    height, width = layers["b"].shape
    noise = np.abs(grain(rng, width, height)) * pick(rng, 1, 7)
    gains = {name: pick(rng, 0.75, 1.15) for name in "bgr"}
    parts = [(grey(layers[name] * gains[name] + noise), _light(lights[name])) for name in "bgr" if name in shown]
    return enlarged(lit(*parts), size)


def _named(
    rng: Generator, image: Image.Image, shown: str, lights: Mapping[str, Colour], *, share: float = 0.35
) -> None:
    """The name of the stain, or "Merge", in its colour, in a corner that leaves the panel's letter free."""
    wanted = chance(rng, share)
    names = {channel: NAMES[channel][int(rng.integers(len(NAMES[channel])))] for channel in "bgr"}
    place = ((0.97, 0.03, "ra"), (0.03, 0.97, "ld"))[int(rng.integers(2))]
    white = chance(rng, 0.5)
    if not wanted or min(image.size) < 80:
        return
    text = names[shown] if len(shown) == 1 else "Merge"
    colour = WHITE if white or len(shown) > 1 else lights[shown]
    write(image, place[:2], text, fill=colour, size=max(10.0, 6 * unit(image)), anchor=place[2])


def fluorescence(rng: Generator, width: int, height: int, *, channels: str | None = None) -> Image.Image:
    """Cells in culture lit by their stains. channels: any of "b" (nuclei), "g" (fibres), "r" (spots), one by
    chance where None; the same state gives the same cells, so that a merge fits its channels."""
    field, look, author = streams(rng, 3)
    drawn = "bgr"[int(look.integers(3))]
    lights = LIGHTS[int(look.integers(len(LIGHTS)))]
    shown = drawn if channels is None else channels
    layers = _cells(field, *reduced(width, height, 0.5))
    image = _glow(look, layers, (width, height), shown, lights)
    return _labelled(author, image, shown, lights)


def _labelled(rng: Generator, image: Image.Image, shown: str, lights: Mapping[str, Colour]) -> Image.Image:
    _named(rng, image, shown, lights)
    framed, pointed = chance(rng, 0.12), chance(rng, 0.25)
    spots = [(pick(rng, 0.25, 0.75), pick(rng, 0.25, 0.75)) for _ in range(3)]
    if framed and min(image.size) >= 90:
        x, y = spots[0]
        dashed_box(image, (x - 0.14, y - 0.14, x + 0.14, y + 0.14), WHITE, dash=4 * int(rng.integers(2)), width=1)
    elif pointed:
        pointers(rng, image, spots[: 1 + int(rng.integers(3))], (WHITE, WHITE, YELLOW))
    scaled(rng, image, (WHITE,), share=0.7)
    return image


def fluorescence_merge(rng: Generator, width: int, height: int) -> Image.Image:
    """All channels of `fluorescence` at once."""
    return fluorescence(rng, width, height, channels="bgr")


def tissue_fluorescence(rng: Generator, width: int, height: int, *, channels: str | None = None) -> Image.Image:
    """A section of tissue lit by its stains; channels as of `fluorescence`, all of them where None."""
    field, look, author = streams(rng, 3)
    lights = LIGHTS[int(look.integers(len(LIGHTS)))]
    shown = channels or ("bgr", "bg", "br")[int(look.integers(3))]
    w, h = reduced(width, height, 0.7)
    radius = max(1.2, pick(field, 0.006, 0.02) * min(w, h))
    section = tissue(
        field, w, h, radius, ("glands", "surface", "muscle", "sheet", "stroma")[int(field.integers(5))]
    )
    bodies = nuclei(field, section, radius, share=0.9)
    lining = np.clip(section.rim - 0.2, 0, 1) * np.clip(section.ground, 0, 130) * pick(field, 1.0, 1.9)
    patches = np.clip(cloud(field, w, h, radius * 12) * 0.8, 0, 1)
    positive = np.zeros_like(bodies)
    places = spread(field, w, h, radius * 3.4)
    scatter(
        positive,
        stamps(field, radius * 1.3, count=8, rough=0.35),
        thinned(places, section.density * patches, field),
        field,
        least=0.3,
    )
    layers = {"b": bodies * 190 + 6, "g": lining * (1 - 0.6 * bodies) + 5, "r": positive * 240 + 4}
    image = _glow(look, layers, (width, height), shown, lights)
    return _labelled(author, image, shown, lights)


# ---- electrons ------------------------------------------------------------------------------------


def _cell_interior(rng: Generator, width: int, height: int) -> Field:
    """Membranes, mitochondria, vesicles and a nucleus of a thin section, greys."""
    u = min(width, height)
    waves = cloud(rng, width, height, u * pick(rng, 0.25, 0.5))
    ground = 176 + 9 * cloud(rng, width, height, u * 0.05) + 11 * speckle(rng, width, height, max(1.3, u / 160))
    sketch = Sketch(width, height, 128)
    for _ in range(int(rng.integers(5, 14))):
        x, y, long = pick(rng, 0, width), pick(rng, 0, height), pick(rng, 0.05, 0.13) * u
        short, turn = long * pick(rng, 0.4, 0.75), pick(rng, 0, 3.1)
        sketch.polygon(ring(x, y, long, short, turn=turn, rng=rng, wobble=0.06), 20)
        sketch.polygon(ring(x, y, long * 0.92, short * 0.86, turn=turn), 78)
        for step in np.linspace(-0.7, 0.7, 7).tolist():
            cx, cy = x + long * step * cos(turn), y + long * step * sin(turn)
            reach = short * 0.7 * (1 - step * step) ** 0.5
            dx, dy = -sin(turn) * reach, cos(turn) * reach
            sketch.line([(cx - dx, cy - dy), (cx + dx * 0.6, cy + dy * 0.6)], 34, max(0.7, u / 220))
    for _ in range(int(rng.integers(0, 3))):
        x, y, size = pick(rng, 0, width), pick(rng, 0, height), pick(rng, 0.03, 0.08) * u
        sketch.disc(x, y, size, size, 22)
    if chance(rng, 0.5):
        x, y, size = pick(rng, 0, width), pick(rng, 0.2, 1) * height, pick(rng, 0.25, 0.45) * u
        sketch.polygon(ring(x, y, size, size * 0.8, rng=rng, wobble=0.06, points=48), 30)
        sketch.polygon(ring(x, y, size * 0.965, size * 0.765, rng=rng, wobble=0.01, points=48), 112)
        sketch.polygon(ring(x + size * 0.2, y, size * 0.25, size * 0.22, rng=rng, wobble=0.2), 60)
    vesicles = np.zeros_like(ground)
    rings = stamps(rng, max(1.6, u * 0.012), count=6, stretch=0.85, mottle=0)
    dots = rng.random((2, int(rng.integers(20, 200)))) * np.array([[width], [height]])
    scatter(vesicles, rings, thinned(dots, np.clip(waves, 0, 1), rng), rng)
    membrane = np.clip(1.6 - np.abs(np.abs(waves) - 0.5) * u * 0.11, 0, 1)
    membrane = np.maximum(membrane, np.clip(1.0 - np.abs(np.abs(waves - 0.9) - 0.05) * u * 0.2, 0, 1) * 0.7)
    light: Field = (ground - 95 * membrane) * (values(sketch.done()) / 128) - 70 * vesicles * (1 - vesicles) * 3
    return light


def _particles(rng: Generator, width: int, height: int) -> Field:
    """Dark particles on a pale film."""
    u = min(width, height)
    field = np.zeros((height, width), dtype=np.float32)
    radius = pick(rng, 0.012, 0.05) * u
    places = spread(rng, width, height, radius * pick(rng, 2.4, 5), jitter=0.5)
    clumps = np.clip(cloud(rng, width, height, u * 0.3) * 0.6 + 0.55, 0, 1)
    scatter(
        field,
        stamps(rng, radius, count=10, stretch=pick(rng, 0.4, 0.9), rough=0.2, mottle=0.15),
        thinned(places, clumps, rng),
        rng,
    )
    ground = 196 + 8 * cloud(rng, width, height, u * 0.3) + 9 * grain(rng, width, height)
    return ground - field * pick(rng, 90, 150)


def _relief(rng: Generator, width: int, height: int) -> Field:
    """A surface as the scanning instrument sees it: edges bright, hollows dark."""
    u = min(width, height)
    bumps = np.zeros((height, width), dtype=np.float32)
    size = pick(rng, 0.03, 0.1) * u
    heights = cloud(rng, width, height, size * pick(rng, 1, 3), octaves=3) * 26
    if chance(rng, 0.6):
        shapes = stamps(rng, size, count=10, stretch=0.55, rough=0.35, mottle=0)
        scatter(bumps, shapes, spread(rng, width, height, size * 1.5, jitter=0.5), rng, least=0.35)
        soft = values(blurred(grey(bumps * 255), size * 0.5)) / 255
        bumps = soft * (0.55 + 0.45 * bumps)
        heights = heights * 0.3 + bumps * size * 5
    slope = np.zeros_like(heights)
    slope[:, 1:] = heights[:, 1:] - heights[:, :-1]
    slope[1:] += heights[1:] - heights[:-1]
    light = 128 + slope * pick(rng, 6, 11) + heights * 0.5
    edges: Field = light + np.abs(slope) * 3 + 7 * grain(rng, width, height)
    return edges


def _lattice(rng: Generator, width: int, height: int) -> Field:
    """Rows of atoms, in grains of different direction."""
    ys, xs = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
    pitch, turn = max(3.2, min(width, height) * pick(rng, 0.012, 0.03)), pick(rng, 0, 3.1)
    phase = cloud(rng, width, height, min(width, height) * 0.35) * pick(rng, 0.2, 2.5)
    wave = np.sin((xs * cos(turn) + ys * sin(turn)) * (6.28 / pitch) + phase)
    if chance(rng, 0.5):
        wave = 0.6 * wave + 0.6 * np.sin((ys * cos(turn + 0.5) - xs * sin(turn + 0.5)) * (6.28 / pitch) + phase)
    broad = cloud(rng, width, height, min(width, height) * 0.3)
    rows = 34 * wave * np.clip(0.7 + broad * 0.4, 0, 1.2)
    light: Field = 150 + 14 * broad + rows + 12 * grain(rng, width, height)
    return light


def electron_micrograph(rng: Generator, width: int, height: int, *, subject: str | None = None) -> Image.Image:
    """Seen by electrons. subject: "cell", "particles", "relief", "lattice", by chance where None."""
    size = (width, height)
    width, height = reduced(width, height, 0.75)
    field, look, author = streams(rng, 3)
    subjects = {"cell": _cell_interior, "particles": _particles, "relief": _relief, "lattice": _lattice}
    drawn = ("cell", "cell", "particles", "relief", "relief", "lattice")[int(field.integers(6))]
    light = subjects[subject or drawn](field, width, height)
    gain, shift = pick(look, 0.85, 1.2), pick(look, -12, 12)
    image = enlarged(grey((light - 140) * gain + 140 + shift), size).convert("RGB")
    strip = chance(author, 0.55)
    if (subject or drawn) == "relief" and strip and min(size) >= 100:
        _data_strip(author, image)
        return image
    if chance(author, 0.35):
        spots = [(pick(author, 0.25, 0.75), pick(author, 0.25, 0.75)) for _ in range(2)]
        pointers(author, image, spots, (BLACK, WHITE, (230, 30, 30), YELLOW))
    scaled(
        author,
        image,
        (BLACK, WHITE),
        share=0.75,
        texts=("100 nm", "200 nm", "500 nm", "1 um", "2 um", "50 nm", "5 nm"),
    )
    return image


def _data_strip(rng: Generator, image: Image.Image) -> None:
    """The line of settings that the instrument writes below its picture."""
    width, height = image.size
    high = max(12, round(height * 0.065))
    image.paste(BLACK, (0, height - high, width, height))
    volts, power = (
        ("5.0kV", "10.0kV", "15.0kV", "20kV")[int(rng.integers(4))],
        ("x500", "x2,000", "x5,000", "x20.0k")[int(rng.integers(4))],
    )
    middle = 1 - high / 2 / height
    write(image, (0.02, middle), f"{volts}  {power}  SE", size=high * 0.62, anchor="lm")
    write(
        image,
        (0.98, middle),
        ("10um", "5.00um", "1um", "50 um")[int(rng.integers(4))],
        size=high * 0.62,
        anchor="rm",
    )
    image.paste(WHITE, (round(width * 0.66), height - high // 2 - 1, round(width * 0.8), height - high // 2 + 1))


# ---- living cells ---------------------------------------------------------------------------------


def phase_contrast(rng: Generator, width: int, height: int, *, confluence: float | None = None) -> Image.Image:
    """Living cells by phase contrast, bright round their edges. confluence: share of the ground they cover, by
    chance where None; the same state shows the same kind of cells."""
    subject, field, author = streams(rng, 3)
    drawn = pick(subject, 0.15, 0.95)
    cover = drawn if confluence is None else confluence
    w, h = reduced(width, height, 0.6)
    radius = pick(subject, 0.02, 0.045) * min(w, h)
    spindle = chance(subject, 0.5)
    bodies = np.zeros((h, w), dtype=np.float32)
    places = spread(field, w, h, radius * 2.3, jitter=0.45)
    shapes = stamps(field, radius * 1.5, count=14, stretch=0.22 if spindle else 0.6, rough=0.35, mottle=0)
    patches = np.clip(cloud(field, w, h, radius * 7) * 0.4 + cover, 0, 1)
    scatter(bodies, shapes, thinned(places, patches, field), field, least=0.55)
    broad = values(blurred(grey(bodies * 255), max(2.0, radius * 0.8)))
    rough = speckle(field, w, h, max(1.4, radius * 0.3))
    light = 150 + (broad - 255 * bodies) * 0.5 + bodies * rough * 24 + 5 * cloud(field, w, h, min(w, h) * 0.4)
    if chance(subject, 0.6):
        bright = np.zeros_like(bodies)
        dots = spread(field, w, h, radius * 9, jitter=0.6)
        scatter(bright, stamps(field, radius * 0.8, count=6, stretch=0.85, mottle=0.1), dots, field)
        light += bright * 95
    image = grey(light).resize((width, height), Image.Resampling.BICUBIC)
    image = grey(values(image) + 3 * grain(field, width, height))
    tint = pick(subject, 0, 1)
    if tint < 0.2:
        result = Image.merge(
            "RGB", [image.point([round(v * part) for v in range(256)]) for part in (0.98, 0.97, 0.86)]
        )
    elif tint < 0.3:
        result = Image.merge(
            "RGB", [image.point([round(v * part) for v in range(256)]) for part in (0.88, 0.98, 0.96)]
        )
    else:
        result = image.convert("RGB")
    if chance(author, 0.3):
        spots = [(pick(author, 0.25, 0.75), pick(author, 0.25, 0.75)) for _ in range(2)]
        pointers(author, result, spots, (BLACK, WHITE, (230, 30, 30), YELLOW))
    scaled(author, result, (BLACK, WHITE))
    return result


DRAWERS: tuple[Drawer, ...] = (
    Drawer("fluorescence", Kind.MICROSCOPY, fluorescence, (0.6, 1.8), dark=True),
    Drawer("fluorescence_merge", Kind.MICROSCOPY, fluorescence_merge, (0.6, 1.8), dark=True),
    Drawer("electron_micrograph", Kind.MICROSCOPY, electron_micrograph, (0.75, 1.6)),
    Drawer("phase_contrast", Kind.MICROSCOPY, phase_contrast, (0.75, 1.6)),
    Drawer("tissue_fluorescence", Kind.MICROSCOPY, tissue_fluorescence, (0.6, 1.8), dark=True),
)

#: Sets of drawings that show one subject in variants when each starts from the same state, by drawer.
SERIES: Mapping[str, tuple[tuple[Draw, ...], ...]] = {
    "fluorescence": tuple(
        tuple(partial(fluorescence, channels=shown) for shown in sets)
        for sets in (("b", "g", "bg"), ("b", "g", "r", "bgr"), ("b", "r", "br"), ("g", "r", "gr"))
    ),
    "tissue_fluorescence": tuple(
        tuple(partial(tissue_fluorescence, channels=shown) for shown in sets)
        for sets in (("b", "g", "r", "bgr"), ("b", "r", "br"), ("b", "g", "bg"))
    ),
    "phase_contrast": (
        tuple(partial(phase_contrast, confluence=cover) for cover in (0.2, 0.9)),
        tuple(partial(phase_contrast, confluence=cover) for cover in (0.1, 0.4, 0.7, 1.0)),
    ),
}
