"""Outlines, a canvas with soft edges, and trees of branches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import cos, sin

import numpy as np
from PIL import Image, ImageDraw

from panelwise_simulator.drawers.raster.textures import Colour, Places, Point
from panelwise_simulator.kinds import Generator

#: Strengths of the waves that make a ring a lump: two each of two, three and four to the round.
WAVES = np.array((0.6, 0.6, 0.45, 0.45, 0.3, 0.3))


@lru_cache(maxsize=32)
def _circle(points: int, square: float) -> tuple[Places, ...]:
    """Cosines and sines round a (squared) circle, and its waves (6, points)."""
    angle = np.linspace(0, 2 * np.pi, points, endpoint=False)
    across, down = np.cos(angle), np.sin(angle)
    waves = np.stack([part((count + 2) * angle) for count in range(3) for part in (np.cos, np.sin)])
    if square != 2.0:
        across, down = (np.sign(part) * np.abs(part) ** (2 / square) for part in (across, down))
    return across, down, waves


def outline(
    rx: float,
    ry: float,
    *,
    turn: float = 0.0,
    square: float = 2.0,
    rng: Generator | None = None,
    wobble: float = 0.0,
    points: int = 28,
) -> tuple[Places, Places]:
    """Corners of an ellipse about 0, 0, as xs and ys. square: 2 is an ellipse, more a rounded rectangle; turn in
    radians; wobble: how much the radius strays, as a share, by waves drawn from `rng`."""
    across, down, waves = _circle(points, square)
    if rng is not None and wobble:
        strengths = rng.standard_normal(6) * (wobble * WAVES)
        radius = 1 + (strengths[:, None] * waves).sum(axis=0)
        across, down = across * radius, down * radius
    if not turn:
        return rx * across, ry * down
    ct, st = cos(turn), sin(turn)
    return rx * ct * across - ry * st * down, rx * st * across + ry * ct * down


def ring(
    x: float,
    y: float,
    rx: float,
    ry: float,
    *,
    turn: float = 0.0,
    rng: Generator | None = None,
    wobble: float = 0.0,
    points: int = 28,
) -> list[Point]:
    """The corners of an `outline` about x, y."""
    xs, ys = outline(rx, ry, turn=turn, rng=rng, wobble=wobble, points=points)
    return list(zip((xs + x).tolist(), (ys + y).tolist(), strict=True))


class Sketch:
    """A canvas for shapes given in the panel's pixels, drawn `fine` times larger so that edges come out soft."""

    def __init__(self, width: int, height: int, ground: int | Colour = 0, *, fine: int = 2) -> None:
        self.fine = fine
        self.canvas = Image.new("L" if isinstance(ground, int) else "RGB", (width * fine, height * fine), ground)
        self.draw = ImageDraw.Draw(self.canvas)

    def polygon(self, points: Iterable[Point], fill: int | Colour) -> None:
        """A filled polygon."""
        fine = self.fine
        self.draw.polygon([(x * fine, y * fine) for x, y in points], fill=fill)

    def line(self, points: Iterable[Point], fill: int | Colour, width: float, *, round_: bool = False) -> None:
        """A line `width` pixels wide; round_: joints are rounded."""
        fine = self.fine
        self.draw.line(
            [(x * fine, y * fine) for x, y in points],
            fill=fill,
            width=max(1, round(width * fine)),
            # Below that a round joint cannot be seen, and costs ten times the line.
            joint="curve" if round_ and width * fine > 7 else None,
        )

    def disc(self, x: float, y: float, rx: float, ry: float, fill: int | Colour) -> None:
        """A filled ellipse, upright."""
        fine = self.fine
        self.draw.ellipse([(x - rx) * fine, (y - ry) * fine, (x + rx) * fine, (y + ry) * fine], fill=fill)

    def done(self) -> Image.Image:
        """The drawing at the panel's size."""
        return self.canvas if self.fine == 1 else self.canvas.reduce(self.fine)


def branches(
    rng: Generator,
    start: Point,
    heading: float,
    length: float,
    width: float,
    *,
    depth: int = 5,
    spread: float = 0.6,
    wind: float = 0.15,
) -> list[tuple[list[Point], float]]:
    """Lines of a tree of vessels or roots: (points, width) each, thick ones first. heading in radians, length and
    width those of the trunk; depth: how often it forks; spread: angle of a fork; wind: how much a line strays."""
    lines: list[tuple[list[Point], float]] = []
    bends = (rng.standard_normal((2**depth, 4)) * wind).tolist()
    forks = rng.random((2**depth, 6)).tolist()
    front = [(start, heading, length, width, depth)]
    for (x, y), angle, reach, thick, left in front:
        number = len(lines)
        points = [(x, y)]
        for bend in bends[number]:
            angle += bend
            x, y = x + cos(angle) * reach / 4, y + sin(angle) * reach / 4
            points.append((x, y))
        lines.append((points, thick))
        if left <= 1:
            continue
        turns = forks[number]
        for side in (0, 1):
            turn = (2 * side - 1) * spread * (0.35 + 0.9 * turns[3 * side])
            shorter, thinner = 0.6 + 0.3 * turns[3 * side + 1], 0.55 + 0.3 * turns[3 * side + 2]
            front.append(((x, y), angle + turn, reach * shorter, thick * thinner, left - 1))
    return lines
