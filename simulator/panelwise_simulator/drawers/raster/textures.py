"""Noise, colour maps and stamps: what pictures of panels are made of, cheap enough for 8 ms a panel.

Smooth noise is drawn on a small grid and zoomed; many small bodies (nuclei, spots, grains) are a few stamps set
down at many places at once. Nothing here depends on anything but its arguments.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFont

from panelwise_simulator.kinds import Generator

#: One value a pixel, shaped (height, width).
Field = NDArray[np.floating[Any]]
#: Many places: xs and ys, shaped (2, N); or either of them.
Places = NDArray[np.float64]
Point = tuple[float, float]
Colour = tuple[int, int, int]
Face = ImageFont.FreeTypeFont | ImageFont.ImageFont


def streams(rng: Generator, count: int) -> list[Generator]:
    """`count` generators of their own, all taken from `rng`: how one draws does not change what another gives."""
    return [np.random.Generator(np.random.PCG64(int(seed))) for seed in rng.integers(0, 2**62, count)]


def pick(rng: Generator, low: float, high: float) -> float:
    """A plain float, evenly from low to high."""
    return low + (high - low) * float(rng.random())


def reduced(width: int, height: int, share: float) -> tuple[int, int]:
    """The size at which a soft picture is made before it is enlarged: `share` of the panel's, but small panels are
    made as large as they are shown."""
    share = min(1.0, max(share, 120 / min(width, height)))
    return round(width * share), round(height * share)


def chance(rng: Generator, share: float) -> bool:
    """True in `share` of the calls."""
    return float(rng.random()) < share


# ---- noise ----------------------------------------------------------------------------------------


def haze(rng: Generator, width: int, height: int, size: float, *, octaves: int = 1) -> Image.Image:
    """Smooth noise as a grey image (mean 128, standard deviation about 42). size: of its features, in pixels;
    each further octave adds half as much of half the size."""
    size = max(size, 1.0)
    shape = (int(height / size) + 3, int(width / size) + 3)
    grid: Field = rng.standard_normal(shape, dtype=np.float32)
    strength = 1.0
    for _ in range(octaves - 1):
        shape = (shape[0] * 2, shape[1] * 2)
        strength /= 2
        grid = np.repeat(np.repeat(grid, 2, axis=0), 2, axis=1)
        # A cheap smoothing of the steps that repeating made.
        grid = (grid + np.roll(grid, 1, axis=0) + np.roll(grid, 1, axis=1) + np.roll(grid, (1, 1), (0, 1))) / 4
        grid += strength * rng.standard_normal(shape, dtype=np.float32)
    across, down = width / size * 2 ** (octaves - 1), height / size * 2 ** (octaves - 1)
    small = Image.fromarray(_bytes(grid * 46 + 128))
    box = (0.7, 0.7, min(0.7 + across, shape[1]), min(0.7 + down, shape[0]))
    return small.resize((width, height), Image.Resampling.BICUBIC, box=box)


def cloud(rng: Generator, width: int, height: int, size: float, *, octaves: int = 1) -> Field:
    """`haze` as a field of mean 0 and standard deviation about 1."""
    field: Field = np.asarray(haze(rng, width, height, size, octaves=octaves), dtype=np.float32)
    return (field - 128) / 42


def grain(rng: Generator, width: int, height: int) -> Field:
    """Noise without any smoothness, mean 0 and standard deviation 1."""
    field: Field = rng.integers(0, 256, (height, width), dtype=np.uint8).astype(np.float32)
    return (field - 127.5) / 73.9


def speckle(rng: Generator, width: int, height: int, size: float = 1.5) -> Field:
    """Grain of blotches about `size` pixels wide, mean 0 and standard deviation 1."""
    small = rng.integers(0, 256, (int(height / size) + 2, int(width / size) + 2), dtype=np.uint8)
    field = np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BILINEAR), dtype=np.float32)
    return (field - 127.5) / 50


def fibres(rng: Generator, width: int, height: int, pitch: float, bend: Field | float = 0.0) -> Field:
    """Strands that run side by side in a random direction, 0 (between them) to 1. pitch: pixels from one to the
    next, about; bend: how far each pixel is pushed across them, in pitches."""
    turn = pick(rng, 0, 3.1416)
    strength: Places = rng.random(256) ** 1.4
    table = np.interp(np.arange(2048) / 8, np.arange(257), np.append(strength, strength[0])).astype(np.float32)
    ys, xs = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
    # Strands a pitch apart are two entries of the table, each 8 steps wide.
    steps = 16.0
    across = xs * np.float32(steps * cos(turn) / pitch) + ys * np.float32(steps * sin(turn) / pitch)
    result: Field = table[(across + steps * bend).astype(np.int32) & 2047]
    return result


# ---- fields and pictures --------------------------------------------------------------------------


def _bytes(field: Field) -> NDArray[np.uint8]:
    return np.clip(field, 0, 255).astype(np.uint8)


def values(image: Image.Image) -> Field:
    """The greys of an "L" image, 0 to 255."""
    return np.asarray(image, dtype=np.float32)


def grey(field: Field) -> Image.Image:
    """An "L" image from values of 0 to 255; what lies beyond is cut off."""
    return Image.fromarray(_bytes(field))


@lru_cache(maxsize=64)
def palette(*stops: tuple[float, Colour]) -> bytes:
    """256 colours running through `stops`: (place from 0 to 1, colour)."""
    places = np.array([place for place, _ in stops]) * 255
    colours = np.array([colour for _, colour in stops], dtype=float)
    table = np.stack([np.interp(np.arange(256), places, colours[:, part]) for part in range(3)], axis=1)
    result: bytes = np.rint(table).astype(np.uint8).tobytes()
    return result


def coloured(image: Image.Image, table: bytes) -> Image.Image:
    """An RGB image: each grey of an "L" image replaced by its colour in a `palette`. Consumes `image`."""
    image.putpalette(table)
    return image.convert("RGB")


@lru_cache(maxsize=128)
def dye(colour: Colour, strength: float = 2.0) -> bytes:
    """Palette of a dye in transmitted light: white at density 0, `colour` to the power `strength` at 255."""
    density = np.linspace(0, strength, 256)[:, None]
    table = 255 * (np.array(colour, dtype=float)[None, :] / 255) ** density
    result: bytes = np.rint(table).astype(np.uint8).tobytes()
    return result


def dyed(*layers: tuple[Image.Image, bytes]) -> Image.Image:
    """Light that went through all layers: each an "L" image of densities and the palette of its `dye`."""
    result = coloured(*layers[0])
    for image, table in layers[1:]:
        result = ImageChops.multiply(result, coloured(image, table))
    return result


def lit(*layers: tuple[Image.Image, bytes]) -> Image.Image:
    """Lights added up: each an "L" image of brightness and the palette of its colour."""
    result = coloured(*layers[0])
    for image, table in layers[1:]:
        result = ImageChops.add(result, coloured(image, table))
    return result


@lru_cache(maxsize=16)
def vignette(width: int, height: int, depth: float) -> Image.Image:
    """An "L" image to multiply a picture with: 255 in the middle, `depth` (0 to 1) less in the corners."""
    ys = np.linspace(-1, 1, 24, dtype=np.float32)[:, None]
    xs = np.linspace(-1, 1, 24, dtype=np.float32)[None, :]
    small = grey(255 * (1 - depth * (xs * xs + ys * ys) / 2))
    return small.resize((width, height), Image.Resampling.BILINEAR)


def shaded(image: Image.Image, shade: Image.Image) -> Image.Image:
    """An RGB image darkened by an "L" image (255 leaves it as it is)."""
    return ImageChops.multiply(image, Image.merge("RGB", (shade, shade, shade)))


def exposed(image: Image.Image, shade: Image.Image, grains: Field) -> Image.Image:
    """An RGB image darkened by an "L" image (255 leaves it as it is), with the same grain in its three colours."""
    light = (np.asarray(image, dtype=np.uint16) * np.asarray(shade)[:, :, None]) >> 8
    noisy = light.astype(np.int16) + grains.astype(np.int16)[:, :, None]
    return Image.fromarray(np.clip(noisy, 0, 255, out=noisy).astype(np.uint8))


def enlarged(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The image at the panel's `size` (width, height)."""
    return image if image.size == size else image.resize(size, Image.Resampling.HAMMING)


def blurred(image: Image.Image, factor: float) -> Image.Image:
    """The image as if out of focus by about `factor` pixels: made smaller and larger again."""
    if factor <= 1:
        return image
    small = (max(2, round(image.width / factor)), max(2, round(image.height / factor)))
    return image.resize(small, Image.Resampling.BOX).resize(image.size, Image.Resampling.BICUBIC)


# ---- stamps ---------------------------------------------------------------------------------------


def stamps(
    rng: Generator,
    radius: float,
    *,
    count: int = 12,
    stretch: float = 0.7,
    rough: float = 0.15,
    mottle: float = 0.2,
) -> Field:
    """Small soft-edged bodies, (count, side, side), 0 to 1. radius: their mean one in pixels; stretch: shortest
    share of short by long axis; rough: how far sizes and outlines stray; mottle: unevenness of the inside."""
    half = int(radius * (1 + rough) * 1.25) + 2
    axis = np.arange(-half, half + 1, dtype=np.float32)
    xs, ys = axis[None, None, :], axis[None, :, None]
    turn, squeeze, size, wave, phase = (
        rng.random((5, count, 1, 1), dtype=np.float32)
        * np.array([np.pi, 1 - stretch, 2, 1, 6.28]).reshape(5, 1, 1, 1)
    ).astype(np.float32)
    long = radius * (1 + rough * (size - 1))
    short = long * (1 - squeeze)
    a = (xs * np.cos(turn) + ys * np.sin(turn)) / long
    b = (ys * np.cos(turn) - xs * np.sin(turn)) / short
    away = np.sqrt(a * a + b * b)
    angle = np.arctan2(b, a)
    bump = 1 + rough * wave * (0.3 * np.sin(3 * angle + phase) + 0.35 * np.sin(2 * angle + 2 * phase))
    body: Field = np.clip((bump - away) * short / 1.2 + 0.5, 0, 1)
    if mottle:
        body *= 1 - mottle * rng.random(body.shape, dtype=np.float32)
    return body


def scatter(
    field: Field,
    shapes: Field,
    places: Places,
    rng: Generator,
    *,
    least: float = 0.6,
) -> None:
    """Set stamps (`shapes`) down on `field`, in place, centred at `places` (2, N; pixels; cut off at the edges),
    each time a random one of a strength from `least` to 1; where they overlap the stronger value stays."""
    xs, ys = places
    if not len(xs):
        return
    side = shapes.shape[1]
    half = side // 2
    height, width = field.shape
    padded = np.zeros((height + 2 * side, width + 2 * side), dtype=np.float32)
    padded[side : side + height, side : side + width] = field
    columns = np.clip(np.rint(xs), -half, width + half).astype(np.int64) + side - half
    rows = np.clip(np.rint(ys), -half, height + half).astype(np.int64) + side - half
    which = rng.integers(0, len(shapes), len(xs))
    strength = least + (1 - least) * rng.random(len(xs), dtype=np.float32)
    flat = padded.ravel()
    across = padded.shape[1]
    for number, shape in enumerate(shapes):
        mine = np.flatnonzero(which == number)
        if not len(mine):
            continue
        inside = np.flatnonzero(shape.ravel() > 0.02)
        offsets = (inside // side) * across + inside % side
        pixels = (rows[mine] * across + columns[mine])[:, None] + offsets[None, :]
        flat[pixels] = np.maximum(flat[pixels], strength[mine, None] * shape.ravel()[inside][None, :])
    field[:] = padded[side : side + height, side : side + width]


def spread(rng: Generator, width: int, height: int, spacing: float, *, jitter: float = 0.35) -> Places:
    """Places (2, N) about `spacing` pixels apart, evenly over the panel and a little beyond: a grid, staggered
    and shaken. jitter: how far each strays, as a share of the spacing."""
    rows, columns = int(height / spacing) + 3, int(width / spacing) + 3
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float64)
    xs += 0.5 * (ys % 2) - 1
    ys -= 1
    shake = rng.standard_normal((2, rows, columns)) * jitter
    start = rng.random(2)
    places = np.stack([(xs + shake[0] + start[0]).ravel(), (ys + shake[1] + start[1]).ravel()]) * spacing
    return places


def thinned(places: Places, density: Field, rng: Generator) -> Places:
    """Those of the places (2, N) that chance keeps; density: share kept, 0 to 1, over the panel."""
    height, width = density.shape
    columns = np.clip(places[0], 0, width - 1).astype(np.int64)
    rows = np.clip(places[1], 0, height - 1).astype(np.int64)
    return places[:, rng.random(places.shape[1], dtype=np.float32) < density[rows, columns]]
