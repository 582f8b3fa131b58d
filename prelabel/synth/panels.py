"""Pictures for simulated figures: sections through phantoms, stained tissue, fluorescent cells and blots.

Each function takes a random generator, a width and a height in pixels, and returns an RGB image of that size.
Everything is computed here from noise and ellipses; no photograph is involved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import ndimage

from prelabel.synth.plots import INK, Generator, font

Field = NDArray[np.float64]


def noise(rng: Generator, height: int, width: int, sigma: float) -> Field:
    """Smooth noise of mean 0 and standard deviation 1, shaped (height, width)."""
    field: Field = ndimage.gaussian_filter(rng.standard_normal((height, width)), sigma, mode="wrap")
    spread = float(field.std())
    field -= float(field.mean())
    field /= spread if spread > 0 else 1.0
    return field


def disc(
    height: int, width: int, centre: tuple[float, float], radii: tuple[float, float], turn: float = 0.0
) -> Field:
    """Soft mask of an ellipse in shares of the panel: 1 inside, 0 outside. centre: x, y; turn in radians."""
    edge = 1.5 / (min(radii) * min(width, height))
    # Computed only where it is not 0.
    reach = max(radii) * (1.0 + edge / 2) + 1.0 / min(width, height)
    left, right = (int(np.clip((centre[0] + side * reach) * width, 0, width)) for side in (-1, 1.01))
    top, bottom = (int(np.clip((centre[1] + side * reach) * height, 0, height)) for side in (-1, 1.01))
    result: Field = np.zeros((height, width))
    ys, xs = np.mgrid[top:bottom, left:right]
    dx, dy = xs / width - centre[0], ys / height - centre[1]
    a = (dx * np.cos(turn) + dy * np.sin(turn)) / radii[0]
    b = (-dx * np.sin(turn) + dy * np.cos(turn)) / radii[1]
    result[top:bottom, left:right] = np.clip((1.0 - np.hypot(a, b)) / edge + 0.5, 0, 1)
    return result


def picture(field: NDArray[Any]) -> Image.Image:
    """An image from values in 0..1, grey (height, width) or coloured (height, width, 3)."""
    bytes_ = np.clip(np.rint(field * 255), 0, 255).astype(np.uint8)
    return Image.fromarray(bytes_).convert("RGB")


def scale_bar(image: Image.Image, colour: str = "white", share: float = 0.18) -> Image.Image:
    """The same image with a plain bar in its bottom right corner."""
    width, height = image.size
    ImageDraw.Draw(image).rectangle([width * (1 - share) - 12, height - 17, width - 12, height - 12], fill=colour)
    return image


def arrow(image: Image.Image, tip: tuple[float, float], colour: str = "white") -> Image.Image:
    """The same image with an arrow from the upper left to `tip`, given in shares of the panel."""
    draw = ImageDraw.Draw(image)
    x, y = tip[0] * image.width, tip[1] * image.height
    draw.line([(x - 38, y - 30), (x - 5, y - 4)], fill=colour, width=4)
    draw.polygon([(x, y), (x - 16, y - 4), (x - 7, y - 15)], fill=colour)
    return image


def axial_section(rng: Generator, width: int, height: int) -> Image.Image:
    """A section across a chest phantom, with a nodule in one lung and an arrow to it."""

    def at(x: float, y: float, rx: float, ry: float, turn: float = 0.0) -> Field:
        return disc(height, width, (x, y), (rx, ry), turn)

    body = at(0.5, 0.52, 0.44, 0.36)
    field = 0.30 * body + 0.16 * at(0.5, 0.52, 0.415, 0.33)
    chest = at(0.5, 0.51, 0.355, 0.265)
    field = field * (1 - chest) + 0.55 * chest
    lungs = np.maximum(at(0.325, 0.51, 0.145, 0.235, 0.12), at(0.675, 0.51, 0.145, 0.235, -0.12))
    vessels = np.clip(noise(rng, height, width, 3.2) - 1.35, 0, 1) * 0.75
    field = field * (1 - lungs) + lungs * (0.10 + vessels + 0.02 * noise(rng, height, width, 1.5))
    heart = at(0.555, 0.43, 0.115, 0.125, 0.5)
    field = field * (1 - heart) + heart * (0.64 + 0.015 * noise(rng, height, width, 6))
    for x, y, r, tone in ((0.46, 0.50, 0.036, 0.72), (0.535, 0.60, 0.036, 0.72), (0.49, 0.575, 0.022, 0.05)):
        mask = at(x, y, r, r * width / height)
        field = field * (1 - mask) + mask * tone
    spine = np.maximum(at(0.5, 0.715, 0.06, 0.06), at(0.5, 0.80, 0.022, 0.065))
    field = field * (1 - spine) + spine * (0.88 + 0.04 * noise(rng, height, width, 2))
    canal = at(0.5, 0.765, 0.02, 0.02)
    field = field * (1 - canal) + canal * 0.45
    for angle in np.linspace(0, 2 * np.pi, 13)[:-1] + 0.26:
        rib = at(0.5 + 0.385 * np.cos(angle), 0.515 + 0.297 * np.sin(angle), 0.034, 0.013, angle + 1.57)
        field = field * (1 - rib) + rib * 0.93
    nodule = at(0.345, 0.43, 0.026, 0.03)
    field = field * (1 - nodule) + nodule * 0.66
    table = at(0.5, 1.16, 0.6, 0.24) - at(0.5, 1.185, 0.6, 0.24)
    field = field + 0.28 * np.clip(table, 0, 1)
    field = ndimage.gaussian_filter(field, 0.8) + 0.018 * rng.standard_normal((height, width)) + 0.02
    return arrow(picture(field), (0.318, 0.405))


def coronal_section(rng: Generator, width: int, height: int) -> Image.Image:
    """A section along the same phantom, front view."""

    def at(x: float, y: float, rx: float, ry: float, turn: float = 0.0) -> Field:
        return disc(height, width, (x, y), (rx, ry), turn)

    body = np.maximum(at(0.5, 0.62, 0.37, 0.52), at(0.5, 0.03, 0.11, 0.24))
    body = np.maximum(body, at(0.5, 0.36, 0.45, 0.17))
    field = 0.32 * body + 0.05 * body * noise(rng, height, width, 12)
    lungs = np.maximum(at(0.335, 0.45, 0.135, 0.29, 0.07), at(0.665, 0.45, 0.13, 0.29, -0.07))
    vessels = np.clip(noise(rng, height, width, 3.4) - 1.3, 0, 1) * 0.6
    field = field * (1 - lungs) + lungs * (0.09 + vessels)
    liver = np.clip(at(0.40, 0.80, 0.24, 0.15, -0.15), 0, 1)
    field = field * (1 - liver) + liver * (0.56 + 0.02 * noise(rng, height, width, 5))
    spleen = at(0.735, 0.79, 0.085, 0.12, 0.3)
    field = field * (1 - spleen) + spleen * 0.52
    heart = at(0.55, 0.56, 0.125, 0.14, -0.5)
    field = field * (1 - heart) + heart * (0.65 + 0.015 * noise(rng, height, width, 6))
    windpipe = at(0.5, 0.19, 0.022, 0.16)
    field = field * (1 - windpipe) + windpipe * 0.04
    for side in (-1, 1):
        for step in range(7):
            y = 0.24 + 0.085 * step
            rib = at(0.5 + side * (0.27 + 0.035 * np.sin(0.5 * step)), y, 0.05, 0.011, side * 0.75)
            field = field * (1 - rib) + rib * 0.85
        bone = at(0.5 + side * 0.2, 0.205, 0.13, 0.013, side * -0.12)
        field = field * (1 - bone) + bone * 0.9
    nodule = at(0.315, 0.36, 0.027, 0.024)
    field = field * (1 - nodule) + nodule * 0.66
    field = ndimage.gaussian_filter(field, 0.9) + 0.02 * rng.standard_normal((height, width)) + 0.02
    return arrow(picture(field), (0.285, 0.34))


def _specks(
    rng: Generator, height: int, width: int, count: int, radius: tuple[float, float], avoid: Field | None = None
) -> Field:
    """Many small ellipses of random size and turn; `avoid` (0..1) thins them out."""
    image = Image.new("L", (width * 2, height * 2))
    draw = ImageDraw.Draw(image)
    for _ in range(count):
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        if avoid is not None and rng.random() < avoid[int(y), int(x)]:
            continue
        long, short = float(rng.uniform(*radius)), float(rng.uniform(*radius)) * 0.72
        turn = float(rng.uniform(0, np.pi))
        ring = [
            (2 * (x + long * np.cos(t) * np.cos(turn) - short * np.sin(t) * np.sin(turn)),
             2 * (y + long * np.cos(t) * np.sin(turn) + short * np.sin(t) * np.cos(turn)))
            for t in np.linspace(0, 2 * np.pi, 15)
        ]  # fmt: skip
        draw.polygon(ring, fill=int(rng.integers(150, 256)))
    small = image.resize((width, height), Image.Resampling.BOX)
    result: Field = np.asarray(small, dtype=np.float64) / 255
    return result


def _dyed(layers: Sequence[tuple[Field, tuple[int, int, int]]], height: int, width: int) -> Image.Image:
    """Transmitted light: white times each dye's colour to the power of its density."""
    light = np.full((height, width, 3), 0.985)
    for density, colour in layers:
        light *= (np.asarray(colour) / 255.0) ** np.clip(density, 0, None)[:, :, None]
    return picture(light)


EOSIN, HAEMATOXYLIN, DAB, PALE_BLUE = (236, 158, 190), (92, 66, 140), (150, 92, 40), (168, 184, 214)


def stained_tissue(
    rng: Generator, width: int, height: int, *, cell: float = 4.0, glands: bool = True
) -> Image.Image:
    """Tissue as stained with haematoxylin and eosin. cell: radius of a nucleus in pixels."""
    waves = noise(rng, height, width, cell * 5.2)
    lumen = np.clip((waves - 1.0) * 4, 0, 1) if glands else np.zeros((height, width))
    rim = np.clip(1 - np.abs(waves - 0.72) * 4.5, 0, 1) if glands else np.zeros((height, width))
    fibres = noise(rng, height, width, cell * 0.9) * 0.16 + noise(rng, height, width, cell * 2.4) * 0.2
    stroma = (0.85 + fibres) * (1 - 0.93 * lumen) + 0.25 * rim
    count = int(width * height / (cell * cell * 15))
    loose = _specks(rng, height, width, count, (cell * 0.65, cell * 1.15), np.clip(lumen * 3, 0, 1))
    dense = _specks(rng, height, width, count * 3, (cell * 0.7, cell * 1.2), 1 - rim)
    nuclei = np.maximum(loose * 0.85, dense) * (1 + 0.22 * noise(rng, height, width, 1.0))
    return scale_bar(_dyed(((stroma, EOSIN), (nuclei * 1.05, HAEMATOXYLIN)), height, width), "black")


def tissue_close_up(rng: Generator, width: int, height: int) -> Image.Image:
    """The same stain at a higher magnification."""
    return stained_tissue(rng, width, height, cell=9.0)


def immunostain(rng: Generator, width: int, height: int, *, positive: float = 0.45) -> Image.Image:
    """Brown positive nuclei among pale blue ones. positive: their share, 0 to 1."""
    count = int(width * height / 210)
    ground = 0.55 + 0.14 * noise(rng, height, width, 7) + 0.1 * noise(rng, height, width, 2)
    blue = _specks(rng, height, width, round(count * (1 - positive * 0.6)), (3.4, 5.8))
    brown = _specks(rng, height, width, round(count * positive * 0.7), (3.8, 6.4))
    halo = ndimage.gaussian_filter(brown, 5) * 0.9
    layers = ((ground, (214, 218, 232)), (blue * 1.5, PALE_BLUE), (brown * 1.35 + halo * 0.35, DAB))
    return scale_bar(_dyed(layers, height, width), "black")


def negative_control(rng: Generator, width: int, height: int) -> Image.Image:
    """An immunostain in which next to nothing is brown."""
    return immunostain(rng, width, height, positive=0.02)


def _threads(rng: Generator, height: int, width: int) -> Field:
    """Fine threads whose direction changes slowly over the field: three stretched noises, blended."""
    side = int(1.5 * max(height, width))
    weights, layers = [], []
    for turn in (15, 75, 135):
        straight = ndimage.gaussian_filter(rng.standard_normal((side, side)), (1.0, 13.0), mode="wrap")
        turned = ndimage.rotate(straight / straight.std(), turn, reshape=False, order=1, mode="wrap")
        top, left = (side - height) // 2, (side - width) // 2
        layers.append(turned[top : top + height, left : left + width])
        weights.append(np.exp(2.2 * noise(rng, height, width, 30)))
    result: Field = sum(w * layer for w, layer in zip(weights, layers, strict=True)) / sum(weights)
    return result


def _cells(rng: Generator, width: int, height: int) -> tuple[Field, Field, Field]:
    """Nuclei, fibres and spots of one field of view, each 0..1."""
    nuclei: Field = np.zeros((height, width))
    bodies: Field = np.zeros((height, width))
    spacing = 92.0
    for row in range(int(height / spacing) + 2):
        for column in range(int(width / spacing) + 2):
            x = (column + 0.5 * (row % 2) - 0.2 + rng.normal(0, 0.13)) * spacing / width
            y = (row - 0.2 + rng.normal(0, 0.13)) * spacing / height
            turn, size = float(rng.uniform(0, 3.1)), float(rng.uniform(0.8, 1.15))
            radii = (21 * size / width, 16 * size / width * width / height)
            nuclei = np.maximum(nuclei, disc(height, width, (x, y), radii, turn) * rng.uniform(0.65, 1.0))
            radii = (50 * size / width, 40 * size / height)
            bodies = np.maximum(bodies, disc(height, width, (x, y), radii, turn))
    threads = _threads(rng, height, width)
    soft = ndimage.gaussian_filter(bodies, 5)
    fibres = soft * np.clip(0.16 + 0.34 * threads, 0, 1)
    fibres *= 1 - 0.6 * ndimage.gaussian_filter(nuclei, 2)
    inner = ndimage.gaussian_filter(nuclei, 1.3) * np.clip(0.82 + 0.16 * noise(rng, height, width, 2.5), 0, 1.3)
    spots = ndimage.gaussian_filter((rng.random((height, width)) > 0.9965) * soft * (1 - nuclei), 1.5)
    spots = np.clip(spots / max(float(spots.max()), 1e-9) * 1.6, 0, 1)
    return inner, fibres, spots


def fluorescence(rng: Generator, width: int, height: int, *, channels: str) -> Image.Image:
    """A field of cells. channels: any of "b" (nuclei), "g" (fibres), "r" (spots); the same generator state
    gives the same cells, so that a merge fits its channels."""
    nuclei, fibres, spots = _cells(rng, width, height)
    grain = np.abs(rng.standard_normal((height, width))) * 0.016
    light = np.stack([grain + 0.008] * 3, axis=2)
    if "b" in channels:
        light += nuclei[:, :, None] * np.asarray((0.16, 0.30, 1.0))
    if "g" in channels:
        light += fibres[:, :, None] * np.asarray((0.10, 1.0, 0.25))
    if "r" in channels:
        light += spots[:, :, None] * np.asarray((1.0, 0.16, 0.22))
    return scale_bar(picture(np.clip(light, 0, 1)))


def blot(rng: Generator, width: int, height: int) -> Image.Image:
    """An immunoblot: three strips with lanes, names of the proteins to the left, their mass to the right."""
    canvas = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(canvas)
    lanes = ("Ctrl", "si-1", "si-2", "si-3", "Resc.")
    left, right, top = 74, width - 44, 26
    strip = (height - top - 2 * 9) // 3
    face = font(13)
    depth = np.asarray(((0.85, 0.25, 0.12, 0.18, 0.8), (0.6, 0.75, 0.8, 0.7, 0.55), (0.9, 0.88, 0.92, 0.9, 0.9)))
    across = (right - left) / len(lanes)
    for lane, name in enumerate(lanes):
        draw.text((left + (lane + 0.5) * across, top - 6), name, fill=INK, font=face, anchor="mb")
    for row, (protein, mass) in enumerate((("Kinase-X", "62"), ("p-Target", "48"), ("Actin", "42"))):
        y0 = top + row * (strip + 9)
        ys, xs = np.mgrid[0:strip, 0 : right - left]
        film = 0.86 + 0.02 * noise(rng, strip, right - left, 8) + 0.012 * rng.standard_normal(xs.shape)
        for lane in range(len(lanes)):
            centre = (lane + 0.5) * across + rng.normal(0, 1.5)
            shape = np.exp(-(((xs - centre) / (across * 0.33)) ** 4)) * np.exp(
                -(((ys - strip * 0.5 - 0.002 * (xs - centre) ** 2) / (strip * 0.17)) ** 2)
            )
            film -= float(depth[row, lane]) * 0.78 * shape
        canvas.paste(picture(film), (left, y0))
        draw.rectangle([left - 1, y0 - 1, right, y0 + strip], outline=INK)
        draw.text((left - 8, y0 + strip / 2), protein, fill=INK, font=face, anchor="rm")
        draw.text((right + 7, y0 + strip / 2), mass, fill=INK, font=face, anchor="lm")
    draw.text((right + 7, top - 6), "kDa", fill=INK, font=face, anchor="lb")
    return canvas
