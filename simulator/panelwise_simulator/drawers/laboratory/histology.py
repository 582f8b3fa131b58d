"""Stained tissue in transmitted light: routine stains, antibodies made visible in brown, collagen stains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.raster.marks import BLACK, RED, WHITE, YELLOW, dashed_box, pointers, scaled
from panelwise_simulator.drawers.raster.textures import (
    Colour,
    Field,
    chance,
    cloud,
    dye,
    dyed,
    enlarged,
    fibres,
    grey,
    pick,
    reduced,
    scatter,
    shaded,
    speckle,
    spread,
    stamps,
    streams,
    thinned,
    vignette,
)
from panelwise_simulator.kinds import Draw, Drawer, Generator, Kind

#: How cells are laid out.
ARCHITECTURES = ("glands", "sheet", "stroma", "fat", "surface", "muscle", "glands", "sheet")


@dataclass(slots=True)
class Tissue:
    """The tissue of a section at each pixel. ground: density of what is not nucleus, 0 to 255; density: share of
    places that hold a nucleus; rim: 1 where cells line something; waves: the noise that all of it follows."""

    ground: Field
    density: Field
    rim: Field
    waves: Field
    spacing: float
    stretch: float


def tissue(rng: Generator, width: int, height: int, radius: float, architecture: str) -> Tissue:
    """A section of tissue. radius: of a nucleus, in pixels."""
    waves = cloud(rng, width, height, radius * pick(rng, 9, 15))
    mottled = cloud(rng, width, height, max(2.0, radius * 1.7))
    ground = 104 + 24 * mottled + pick(rng, 8, 16) * speckle(rng, width, height, max(1.2, radius * 0.45))
    density = np.full_like(ground, 0.8)
    rim = np.zeros_like(ground)
    spacing, stretch = 2.6, 0.6
    if architecture == "glands":
        edge = pick(rng, 0.35, 1.0)
        lumen = np.clip((waves - edge - 0.4) * 6, 0, 1)
        rim = np.clip(1.25 - np.abs(waves - edge - 0.1) * 3.4, 0, 1)
        density = (0.1 + 0.95 * rim) * (1 - lumen)
        ground = (ground + 26 * rim) * (1 - 0.96 * lumen)
        spacing = 2.1
    elif architecture == "sheet":
        septa = np.clip(1 - np.abs(waves - 0.3) * pick(rng, 4, 9), 0, 1)
        crack = np.clip((0.045 - np.abs(waves - 1.1 + 0.12 * mottled)) * 40, 0, 1)
        ground = (ground + 55 * septa) * (1 - 0.95 * crack)
        density = pick(rng, 0.65, 1.0) * (1 - 0.8 * septa) * (1 - crack)
        rim = np.clip(1 - septa * 2, 0, 1)
        spacing = pick(rng, 2.6, 3.4)
    elif architecture in ("stroma", "muscle"):
        thick = 2.2 if architecture == "stroma" else 4.5
        bands = 2 * fibres(rng, width, height, radius * thick, 2.4 * waves + 0.2 * mottled) - 1
        gaps = np.clip((bands + 0.25 * mottled - 0.85) * 5, 0, 1)
        ground = (ground + (24 if architecture == "stroma" else 45) + 46 * bands) * (1 - 0.9 * gaps)
        density = (0.42 if architecture == "stroma" else 0.3) * (1 - gaps)
        rim = np.clip(bands, 0, 1)
        spacing, stretch = 3.6, 0.3
    elif architecture == "fat":
        size = radius * pick(rng, 5, 8)
        drops = np.zeros_like(ground)
        shapes = stamps(rng, size, count=8, stretch=0.75, rough=0.2, mottle=0)
        places = spread(rng, width, height, size * 2.05, jitter=0.14)
        keep = np.clip(waves + 1.2, 0, 1)
        scatter(drops, shapes, thinned(places, keep, rng), rng, least=1.0)
        ground = (ground + 40) * (1 - 0.97 * drops)
        density = 0.75 * (1 - drops)
        rim = 1 - drops
    else:
        side, lean = pick(rng, 0.12, 0.35), pick(rng, -0.35, 0.35)
        ys = np.linspace(0, 1, height, dtype=np.float32)[:, None] - side
        xs = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :]
        depth = (ys + lean * xs) * (height / radius) + waves * pick(rng, 2, 6)
        inside = np.clip(depth * 0.8, 0, 1)
        band = pick(rng, 8, 16)
        rim = np.clip((band - depth) * 0.25, 0, 1) * inside
        strands = fibres(rng, width, height, radius * 5, 1.2 * waves) - 0.5
        ground = (ground + 40 * strands * (1 - rim) + 24 * rim) * inside
        density = (0.14 + 0.86 * rim) * inside
        spacing = 2.3
    return Tissue(ground, density, rim, waves, spacing, stretch)


def nuclei(rng: Generator, section: Tissue, radius: float, *, share: float = 1.0) -> Field:
    """The nuclei of a section, 0 to 1. share: how many of them there are."""
    height, width = section.ground.shape
    field = np.zeros((height, width), dtype=np.float32)
    places = spread(rng, width, height, radius * section.spacing, jitter=0.3)
    shapes = stamps(rng, radius, count=14, stretch=section.stretch, rough=0.28, mottle=0.35 if radius > 5 else 0.2)
    scatter(field, shapes, thinned(places, section.density * share, rng), rng, least=0.5)
    return field


def _work(width: int, height: int, radius: float) -> tuple[tuple[int, int], float]:
    """The size at which tissue is drawn before it is enlarged, and the radius of nuclei there."""
    size = reduced(width, height, 0.8 if radius < 2.4 else 0.62)
    return size, radius * size[0] / width


def _stain(rng: Generator, low: Colour, high: Colour) -> Colour:
    """A colour anywhere between two."""
    share = float(rng.random())
    r, g, b = (round(a + (c - a) * share) for a, c in zip(low, high, strict=True))
    return r, g, b


def _mounted(rng: Generator, image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The slide as photographed, at the panel's size, and labelled: uneven light, a frame of what is enlarged,
    pointers, a scale bar."""
    dim, framed, pointed = pick(rng, 0, 1), chance(rng, 0.13), chance(rng, 0.3)
    if dim < 0.3:
        image = shaded(image, vignette(*image.size, 0.1 + dim))
    image = enlarged(image, size)
    width, height = size
    spots = [(pick(rng, 0.25, 0.75), pick(rng, 0.25, 0.75)) for _ in range(1 + int(rng.integers(3)))]
    if framed and min(width, height) >= 90:
        x, y = spots[0]
        colour = (BLACK, WHITE, RED)[int(rng.integers(3))]
        dashed_box(
            image,
            (x - 0.12, y - 0.12, x + 0.12, y + 0.12),
            colour,
            dash=4 * int(rng.integers(2)),
            width=1 + width // 300,
        )
    elif pointed:
        pointers(rng, image, spots, (BLACK, BLACK, BLACK, WHITE, YELLOW, RED))
    scaled(rng, image, (BLACK, BLACK, WHITE))
    return image


def tissue_stain(
    rng: Generator, width: int, height: int, *, magnification: float | None = None, architecture: str | None = None
) -> Image.Image:
    """Tissue as stained with haematoxylin and eosin.

    magnification: 1 shows nuclei of about 3 pixels' radius; architecture: one of `ARCHITECTURES`; both by chance
    where None. The same state shows the same kind of tissue in the same stain at every magnification.
    """
    subject, field, author = streams(rng, 3)
    named = ARCHITECTURES[int(subject.integers(len(ARCHITECTURES)))]
    drawn = float(np.exp(pick(subject, -0.6, 0.9)))
    size, (width, height), radius = (
        (width, height),
        *_work(width, height, max(1.3, 2.9 * (drawn if magnification is None else magnification))),
    )
    eosin = _stain(subject, (240, 168, 196), (222, 120, 168))
    blue = _stain(subject, (112, 78, 156), (70, 58, 122))
    power = pick(subject, 1.1, 1.9)
    section = tissue(field, width, height, radius, architecture or named)
    bodies = nuclei(field, section, radius, share=pick(subject, 0.6, 1.0))
    if chance(subject, 0.35):
        # Red blood cells in the gaps.
        red = np.zeros_like(bodies)
        places = spread(field, width, height, radius * 2.0)
        shapes = stamps(field, radius * 0.85, count=6, stretch=0.85, mottle=0)
        scatter(red, shapes, thinned(places, np.clip(section.waves - 1.3, 0, 0.9), field), field)
        section.ground += 120 * red
    violet = section.rim * 26 if chance(subject, 0.6) else 0.0
    stained = dyed(
        (grey(section.ground), dye(eosin, power)),
        (grey(bodies * 215 + violet * (section.ground > 40)), dye(blue, pick(subject, 1.0, 1.5))),
    )
    return _mounted(author, stained, size)


def tissue_close_up(rng: Generator, width: int, height: int) -> Image.Image:
    """The same stain at a high magnification."""
    return tissue_stain(rng, width, height, magnification=2.9)


def immunostain(
    rng: Generator, width: int, height: int, *, positive: float | None = None, magnification: float | None = None
) -> Image.Image:
    """An antibody's brown on pale blue tissue. positive: share of cells that bind it, by chance where None; the
    same state shows the same tissue for every share."""
    subject, field, author = streams(rng, 3)
    named = ("sheet", "glands", "sheet", "stroma", "surface")[int(subject.integers(5))]
    drawn, drawn_share = float(np.exp(pick(subject, -0.4, 0.75))), pick(subject, 0.15, 0.85)
    size, (width, height), radius = (
        (width, height),
        *_work(width, height, max(1.4, 3.2 * (drawn if magnification is None else magnification))),
    )
    share = drawn_share if positive is None else positive
    brown = _stain(subject, (170, 108, 52), (124, 70, 30))
    blue = _stain(subject, (158, 172, 210), (118, 124, 178))
    pattern = ("nuclear", "cytoplasmic", "membranous")[int(subject.integers(3))]
    section = tissue(field, width, height, radius, named)
    counter = nuclei(field, section, radius)
    patches = cloud(field, width, height, radius * 8)
    # Where the noise lies above this, cells are positive.
    reach = np.clip((patches - (1.0 - 2.2 * share)) * 1.6, 0, 1) * min(1.0, share * 12)
    density = section.density * reach
    stain = np.zeros_like(counter)
    if pattern == "nuclear":
        places = spread(field, width, height, radius * section.spacing)
        scatter(
            stain,
            stamps(field, radius * 1.1, count=10, stretch=0.65, rough=0.25),
            thinned(places, density, field),
            field,
        )
        stain *= 1.2
    else:
        places = spread(field, width, height, radius * 3.0)
        shapes = stamps(field, radius * 1.9, count=8, stretch=0.7, rough=0.3, mottle=0.3)
        if pattern == "membranous":
            shapes = np.clip(shapes * 2.2, 0, 1) * (1 - 0.75 * stamps_like(shapes))
        scatter(stain, shapes, thinned(places, density, field), field)
        stain *= 1 - 0.6 * counter
    haze_of_brown = 26 * reach * (section.ground > 40)
    pale = pick(subject, 0.35, 0.6)
    image = dyed(
        (grey(section.ground * pale), dye(_stain(subject, (206, 210, 230), (228, 214, 214)), 1.6)),
        (grey(counter * 170), dye(blue, 1.7)),
        (grey(stain * 205 + haze_of_brown), dye(brown, pick(subject, 1.3, 2.0))),
    )
    return _mounted(author, image, size)


def stamps_like(shapes: Field) -> Field:
    """The stamps worn away by about a third, to cut rings out of them."""
    inner = np.zeros_like(shapes)
    keep = max(1, shapes.shape[1] // 9)
    inner[:, keep:-keep, keep:-keep] = np.minimum(
        np.minimum(shapes[:, : -2 * keep, keep:-keep], shapes[:, 2 * keep :, keep:-keep]),
        np.minimum(shapes[:, keep:-keep, : -2 * keep], shapes[:, keep:-keep, 2 * keep :]),
    )
    return inner


def negative_control(rng: Generator, width: int, height: int) -> Image.Image:
    """An immunostain in which next to nothing is brown."""
    return immunostain(rng, width, height, positive=0.0)


#: Collagen, cytoplasm, nuclei of the stains that tell them apart.
TRICHROMES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((90, 130, 205), (214, 90, 110), (70, 40, 80)),
    ((70, 150, 140), (205, 80, 80), (60, 40, 60)),
    ((200, 30, 60), (240, 205, 120), (120, 90, 70)),
    ((200, 80, 170), (232, 200, 222), (96, 80, 150)),
    ((60, 120, 190), (190, 120, 170), (60, 40, 90)),
)


def trichrome(rng: Generator, width: int, height: int, *, fibrosis: float | None = None) -> Image.Image:
    """Tissue in a stain that sets collagen apart (Masson, Sirius red and the like). fibrosis: how much there is of
    it, 0 to 1, by chance where None."""
    subject, field, author = streams(rng, 3)
    collagen, flesh, dark = TRICHROMES[int(subject.integers(len(TRICHROMES)))]
    drawn = pick(subject, 0.1, 0.8)
    amount = drawn if fibrosis is None else fibrosis
    size, (width, height), radius = (
        (width, height),
        *_work(width, height, max(1.3, 2.4 * float(np.exp(pick(subject, -0.5, 0.7))))),
    )
    named = ("muscle", "sheet", "glands", "stroma", "fat")[int(subject.integers(5))]
    section = tissue(field, width, height, radius, named)
    web = cloud(field, width, height, radius * pick(subject, 9, 18))
    strands = np.clip((0.16 + 0.5 * amount - np.abs(web)) * 5, 0, 1)
    strands = strands * np.clip(section.ground / 60, 0, 1)
    bodies = nuclei(field, section, radius, share=0.7)
    wave = 0.55 + 0.5 * fibres(field, width, height, radius * 4, 1.6 * web)
    image = dyed(
        (grey(section.ground * (1 - 0.85 * strands)), dye(flesh, 1.4)),
        (grey(strands * 165 * wave), dye(collagen, 1.25)),
        (grey(bodies * 190), dye(dark, 1.2)),
    )
    return _mounted(author, image, size)


DRAWERS: tuple[Drawer, ...] = (
    Drawer("tissue_stain", Kind.HISTOLOGY, tissue_stain, (0.8, 1.7)),
    Drawer("tissue_close_up", Kind.HISTOLOGY, tissue_close_up, (0.8, 1.7)),
    Drawer("immunostain", Kind.HISTOLOGY, immunostain, (0.8, 1.7)),
    Drawer("negative_control", Kind.HISTOLOGY, negative_control, (0.8, 1.7)),
    Drawer("trichrome", Kind.HISTOLOGY, trichrome, (0.8, 1.7)),
)

#: Sets of drawings that show one subject in variants when each starts from the same state, by drawer.
SERIES: Mapping[str, tuple[tuple[Draw, ...], ...]] = {
    "tissue_stain": (
        tuple(partial(tissue_stain, magnification=power) for power in (0.55, 2.4)),
        tuple(partial(tissue_stain, magnification=power) for power in (0.5, 1.2, 2.8)),
    ),
    "immunostain": (
        tuple(partial(immunostain, positive=share) for share in (0.75, 0.0)),
        tuple(partial(immunostain, positive=share) for share in (0.0, 0.15, 0.45, 0.85)),
        tuple(partial(immunostain, magnification=power) for power in (0.6, 1.9)),
    ),
    "trichrome": (tuple(partial(trichrome, fibrosis=amount) for amount in (0.05, 0.6)),),
}
