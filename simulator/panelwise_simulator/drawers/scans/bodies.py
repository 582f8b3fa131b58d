"""A body on a scanner's screen: anatomy in units of its own, windows of grey, and what scanners print over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from panelwise_simulator.drawers.raster.marks import WHITE, YELLOW, pointers, unit, write
from panelwise_simulator.drawers.raster.shapes import Sketch, outline
from panelwise_simulator.drawers.raster.textures import (
    Colour,
    Point,
    chance,
    cloud,
    enlarged,
    grain,
    grey,
    pick,
    speckle,
    values,
)
from panelwise_simulator.kinds import Generator

#: Places along an arc.
STEPS = np.linspace(0, 1, 12)


class Body(Sketch):
    """A sketch in units of its own: 0, 0 is the middle of the panel, `span` units (across, down) fit into it."""

    def __init__(
        self,
        width: int,
        height: int,
        span: tuple[float, float],
        *,
        shift: Point = (0.0, 0.0),
        ground: int = 0,
    ) -> None:
        super().__init__(width, height, ground)
        self.unit = min(width / span[0], height / span[1])
        self.middle = (width / 2 + shift[0] * self.unit, height / 2 + shift[1] * self.unit)
        self.size = (width, height)
        self.bends: tuple[float, ...] | None = None

    def at(self, x: float, y: float) -> Point:
        """A place in pixels of the panel."""
        return self.middle[0] + x * self.unit, self.middle[1] + y * self.unit

    def share(self, x: float, y: float) -> Point:
        """A place as shares of the panel."""
        px, py = self.at(x, y)
        return px / self.size[0], py / self.size[1]

    def like(self, ground: int = 0) -> Body:
        """An empty sketch in which every place lies where it lies in this one."""
        other = Body(*self.size, (1.0, 1.0), ground=ground)
        other.unit, other.middle, other.bends = self.unit, self.middle, self.bends
        return other

    def bend(self, rng: Generator, strength: float) -> None:
        """Bend all that is drawn from now on by slow waves, so that no two bodies have one shape."""
        a, b, c, d, e, f = rng.random(6).tolist()
        self.bends = (strength * (a - 0.5), 1.5 + 2 * b, 6.3 * c, strength * (d - 0.5), 1.5 + 2 * e, 6.3 * f)

    def _pixels(self, xs: NDArray[np.float64], ys: NDArray[np.float64]) -> list[float]:
        """Places in units as a flat list of pixels of the canvas."""
        if self.bends is not None:
            a, b, c, d, e, f = self.bends
            xs, ys = xs + a * np.sin(b * ys + c), ys + d * np.sin(e * xs + f)
        flat = np.empty(2 * len(xs))
        scale = self.unit * self.fine
        flat[0::2] = xs * scale + self.middle[0] * self.fine
        flat[1::2] = ys * scale + self.middle[1] * self.fine
        result: list[float] = flat.tolist()
        return result

    def oval(
        self, x: float, y: float, rx: float, ry: float, fill: int, *, turn: float = 0.0, square: float = 2.0,
        rng: Generator | None = None, wobble: float = 0.0,
    ) -> None:  # fmt: skip
        """An ellipse or, by `wobble`, a lump; see `outline`."""
        points = 16 if max(rx, ry) < 0.12 else 32
        xs, ys = outline(rx, ry, turn=turn, square=square, rng=rng, wobble=wobble, points=points)
        self.draw.polygon(self._pixels(xs + x, ys + y), fill=fill)

    def shape(self, points: Iterable[Point], fill: int) -> None:
        """A polygon."""
        places = np.array(list(points))
        self.draw.polygon(self._pixels(places[:, 0], places[:, 1]), fill=fill)

    def stroke(self, points: Sequence[Point], fill: int, width: float) -> None:
        """A line; width in units, never under half a pixel."""
        places = np.array(points)
        self._line(places[:, 0], places[:, 1], fill, width)

    def _line(self, xs: NDArray[np.float64], ys: NDArray[np.float64], fill: int, width: float) -> None:
        thick = max(1, round(max(0.5, width * self.unit) * self.fine))
        # Round joints cannot be seen on thin lines and cost ten times the line.
        joint = "curve" if thick > 7 and len(xs) > 2 else None
        self.draw.line(self._pixels(xs, ys), fill=fill, width=thick, joint=joint)

    def arc(
        self, x: float, y: float, rx: float, ry: float, start: float, end: float, fill: int, width: float,
        *, square: float = 2.0,
    ) -> None:  # fmt: skip
        """Part of an ellipse, from angle start to end (radians, clockwise from the right)."""
        angle = start + (end - start) * STEPS
        across, down = np.cos(angle), np.sin(angle)
        if square != 2.0:
            across, down = (np.sign(part) * np.abs(part) ** (2 / square) for part in (across, down))
        self._line(x + rx * across, y + ry * down, fill, width)


@lru_cache(maxsize=32)
def window(*stops: tuple[int, int]) -> tuple[int, ...]:
    """A table of 256 greys running through (grey drawn, grey shown)."""
    drawn, shown = zip(*stops, strict=True)
    return tuple(np.rint(np.interp(np.arange(256), drawn, shown)).astype(int).tolist())


def scanned(
    rng: Generator,
    image: Image.Image,
    *,
    coarse: float,
    fine: float,
    table: Sequence[int] | None = None,
    size: float = 2.0,
) -> Image.Image:
    """The noise of a scan on an "L" image, then a window of grey. coarse, fine: greys of blotches and of grain."""
    width, height = image.size
    field = values(image) + coarse * speckle(rng, width, height, size) + fine * grain(rng, width, height)
    field += coarse * cloud(rng, width, height, 5 * size)
    shown = grey(field)
    return shown.point(list(table)) if table is not None else shown


LINES = (
    "Se:3 Im:42", "W:400 L:40", "120 kVp", "FOV 36 cm", "Zoom 1.2", "TR 520", "TE 14", "ST 5.0 mm", "HFS",
    "kV 100", "mA 240", "Im: 27/64", "SE 2", "Ax T2", "T1 SE", "5.0 thk", "A", "P", "DFOV 34", "ID: ******",
    "16:42", "z 1.00", "C+", "Sag", "STIR", "02/11", "TI 2200", "Acq 3",
)  # fmt: skip


def printed(
    rng: Generator,
    image: Image.Image,
    *,
    sides: tuple[str, str] = ("R", "L"),
    colours: Sequence[Colour] = (WHITE,),
) -> None:
    """Draw a scanner's print over a picture: side letters, settings in the corners, a ruler, or none."""
    letters, corners, ruler = chance(rng, 0.28), chance(rng, 0.2), chance(rng, 0.15)
    colour = colours[int(rng.integers(len(colours)))]
    words = rng.integers(0, len(LINES), 8).tolist()
    places = rng.permutation(3).tolist()
    if min(image.size) < 90:
        return
    u = unit(image)
    size = max(8.0, 3.6 * u)
    if letters:
        write(image, (0.03, 0.5), sides[0], fill=colour, size=size * 1.3)
        if chance(rng, 0.6):
            write(image, (0.97, 0.5), sides[1], fill=colour, size=size * 1.3, anchor="ra")
    if corners:
        # The upper left corner is left to the panel's letter.
        for place in places[:2]:
            x, y, anchor = ((0.97, 0.03, "ra"), (0.03, 0.97, "ld"), (0.97, 0.97, "rd"))[place]
            step = size * 1.15 / image.height * (1 if y < 0.5 else -1)
            for line in range(2 + place % 2):
                write(
                    image,
                    (x, y + line * step),
                    LINES[words[place * 2 + line]],
                    fill=colour,
                    size=size,
                    anchor=anchor,
                )
    if ruler:
        x, y0, step = image.width - round(3 * u), image.height * 0.25, image.height * 0.05
        for tick in range(11):
            long = round((4 if tick % 5 == 0 else 2) * u)
            y = round(y0 + tick * step)
            image.paste(colour, (x - long, y, x, y + 1))


def finished(
    rng: Generator, image: Image.Image,
    size: tuple[int, int], targets: Sequence[Point] = (), *, share: float = 0.45, pointed: bool | None = None,
    sides: tuple[str, str] = ("R", "L"),
) -> Image.Image:  # fmt: skip
    """The RGB panel, of `size`, of an "L" scan: with printed text and, in `share` of the calls, pointers.

    targets: places to point at, as shares; pointed: always (True) or never (False) instead. A few scans have the
    cast of a photographed film.
    """
    image = enlarged(image, size)
    cast = pick(rng, 0, 1)
    wanted = chance(rng, share) if pointed is None else pointed
    result = image.convert("RGB")
    if cast < 0.05:
        bands = ((0.86, 0.95, 1.0), (0.93, 1.0, 0.9), (1.0, 0.96, 0.88))[int(cast * 60)]
        result = Image.merge("RGB", [image.point([round(v * band) for v in range(256)]) for band in bands])
    printed(rng, result)
    if wanted:
        pointers(rng, result, targets, (WHITE, WHITE, WHITE, YELLOW, (255, 70, 60)))
    return result
