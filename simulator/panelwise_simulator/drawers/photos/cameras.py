"""Ground that all photographs share: varying colours, a lens, grain and uneven light."""

from __future__ import annotations

from PIL import Image, ImageChops

from panelwise_simulator.drawers.raster.textures import (
    Colour,
    chance,
    enlarged,
    exposed,
    grain,
    haze,
    pick,
    vignette,
)
from panelwise_simulator.kinds import Generator


def mix(rng: Generator, low: Colour, high: Colour) -> Colour:
    """A colour between two, its parts nearly in step."""
    share, stray = float(rng.random()), (rng.random(3) * 0.3 - 0.15).tolist()
    r, g, b = (
        round(a + (c - a) * min(1.0, max(0.0, share + part))) for a, c, part in zip(low, high, stray, strict=True)
    )
    return r, g, b


def times(colour: Colour, by: float) -> Colour:
    """A colour made lighter or darker."""
    r, g, b = (max(0, min(255, round(part * by))) for part in colour)
    return r, g, b


#: How strongly uneven light shows: grey of noise to share of light.
SHADE = [round(v * 0.22 + 214) for v in range(256)]


def photographed(
    rng: Generator, image: Image.Image, size: tuple[int, int], *, rough: float = 5.0, soft: float = 1.0
) -> Image.Image:
    """The scene as photographed, at the panel's size: uneven light, a soft lens, grain."""
    small = (max(8, round(image.width / soft)), max(8, round(image.height / soft)))
    if soft > 1:
        image = image.resize(small, Image.Resampling.BOX)
    width, height = image.size
    shade = haze(rng, width // 6 + 2, height // 6 + 2, max(width, height) * 0.08).point(SHADE)
    shade = shade.resize((width, height), Image.Resampling.BILINEAR)
    if chance(rng, 0.5):
        shade = ImageChops.multiply(shade, vignette(width, height, 0.3))
    return enlarged(exposed(image, shade, grain(rng, width, height) * rough * pick(rng, 0.4, 1.2)), size)
