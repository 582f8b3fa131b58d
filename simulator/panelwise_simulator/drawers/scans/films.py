"""Plain films: chests and limbs as X-rays show them."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

from PIL import Image, ImageChops, ImageFilter

from panelwise_simulator.drawers.raster.marks import unit, write
from panelwise_simulator.drawers.raster.shapes import branches
from panelwise_simulator.drawers.raster.textures import Point, chance, enlarged, pick, reduced, streams
from panelwise_simulator.drawers.scans.bodies import Body, finished, scanned
from panelwise_simulator.kinds import Generator

Paint = Callable[[Body], None]


class Film:
    """A projection: every layer adds to, or takes from, what those before it let through. Drawn at half size."""

    def __init__(
        self, width: int, height: int, span: Point, *, shift: Point = (0.0, 0.0), ground: int = 0
    ) -> None:
        self.size = (width, height)
        self.small = reduced(width, height, 0.45)
        self.span, self.shift = span, shift
        self.light = Image.new("L", self.small, ground)
        self.bends: tuple[float, ...] | None = None

    def body(self) -> Body:
        """An empty layer."""
        return Body(*self.small, self.span, shift=self.shift)

    def bend(self, rng: Generator, strength: float) -> None:
        """As `Body.bend`, for all layers."""
        body = self.body()
        body.bend(rng, strength)
        self.bends = body.bends

    def add(self, paint: Paint, *, soft: float = 0.0, minus: bool = False) -> None:
        """Add what `paint` draws, blurred by `soft` units; minus: take it away instead."""
        body = self.body()
        body.bends = self.bends
        paint(body)
        layer = body.done()
        if soft:
            layer = layer.filter(ImageFilter.BoxBlur(soft * body.unit))
        self.light = (ImageChops.subtract if minus else ImageChops.add)(self.light, layer)

    def done(self, rng: Generator, *, gamma: float = 1.0) -> Image.Image:
        """The film at the panel's size, with its grain."""
        table = [min(255, round(255 * (v / 255) ** gamma)) for v in range(256)]
        image = enlarged(self.light, reduced(*self.size, 0.75))
        return scanned(rng, image, coarse=pick(rng, 0.5, 2.5), fine=pick(rng, 0.5, 2.5), table=table, size=2.5)


def chest_xray(rng: Generator, width: int, height: int, *, lesion: bool | None = None) -> Image.Image:
    """A chest from the front. lesion: whether there is a shadow in a lung, by chance where None."""
    anatomy, scanner, author = streams(rng, 3)
    sick = chance(anatomy, 0.6) if lesion is None else lesion
    span = pick(scanner, 1.75, 2.15)
    film = Film(width, height, (span, span * 1.02), shift=(pick(scanner, -0.04, 0.04), 0.04), ground=6)
    wide, long = pick(anatomy, 0.6, 0.7), pick(anatomy, 0.42, 0.58)

    film.bend(anatomy, 0.08)

    def trunk(body: Body) -> None:
        half = [(0.16, -1.5), (0.17, -0.86), (0.4, -0.76), (0.8, -0.66), (1.0, -0.4), (1.2, 0.3), (1.2, 1.5)]
        body.shape([*half, *((-x, y) for x, y in reversed(half))], 96)
        half = [(0.0, -0.7), (wide + 0.1, -0.62), (wide + 0.14, 0.0), (wide + 0.17, 1.5), (0, 1.5)]
        body.shape([*half, *((-x, y) for x, y in reversed(half))], 126)

    def lungs(body: Body) -> None:
        for side in (-1, 1):
            base = long if side < 0 else long + 0.07
            inner = [(0.3, -0.1 + base), (0.14, base), (0.1, 0.0)]
            outer = [(wide, -0.1), (wide + 0.02, base), (wide * 0.96, base + 0.14), (wide * 0.8, base + 0.04)]
            points = [(0.12, -0.62), (0.24, -0.78), (0.4, -0.74), (wide * 0.85, -0.5), *outer, *inner]
            body.shape([(side * x, y) for x, y in points], round(dim))
        body.stroke([(0.01, -1.2), (0.0, -0.3)], 26, 0.07)

    def heart(body: Body) -> None:
        for side in (-1, 1):
            body.oval(side * 0.42, long + 0.42, 0.46, 0.5, 70 if side < 0 else 56)
        body.oval(0.14, long - 0.2, pick(anatomy, 0.26, 0.36), 0.26, 62, turn=0.55, rng=anatomy, wobble=0.03)
        body.oval(0.0, -0.1, 0.14, 0.5, 42, square=2.6)
        body.oval(0.1, -0.36, 0.09, 0.1, 55)

    def ribs(body: Body) -> None:
        for step in range(10):
            y = -0.74 + 0.145 * step
            out = min(wide + 0.04, 0.34 + 0.09 * step)
            for side in (-1, 1):
                points = [
                    (side * x * out, y + drop)
                    for x, drop in ((0.1, 0.03), (0.4, -0.01), (0.72, 0.06), (0.94, 0.17), (1.0, 0.29))
                ]
                body.stroke(points, 26, 0.056)
                body.stroke(points, 19, 0.036)

    def bones(body: Body) -> None:
        for step in range(6):
            y = -0.45 + 0.17 * step
            for side in (-1, 1):
                body.stroke([(side * (wide + 0.02), y), (side * 0.5, y + 0.16), (side * 0.3, y + 0.2)], 12, 0.06)
        for side in (-1, 1):
            body.stroke(
                [(side * 0.07, -0.66), (side * 0.35, -0.7), (side * 0.6, -0.8), (side * 0.85, -0.78)], 42, 0.055
            )
            body.oval(side * 0.98, -0.6, 0.11, 0.12, 50)
            body.shape([(side * 0.62, -0.62), (side * 0.92, -0.62), (side * 0.74, -0.05)], 16)
        for step in range(13):
            body.oval(0, -0.9 + 0.15 * step, 0.085, 0.062, 34, square=4)

    def vessels(body: Body) -> None:
        for side in (-1, 1):
            for heading in (-1.0, 0.0, 1.0):
                angle = heading if side > 0 else pi - heading
                trunk_ = branches(anatomy, (side * 0.12, -0.08), angle, 0.2, 0.05, depth=4, spread=0.6)
                for points, thick in trunk_:
                    body.stroke(points, 34 if thick > 0.02 else 22, thick)

    dim = pick(anatomy, 86, 108)
    film.add(trunk, soft=0.03)
    film.add(lungs, soft=0.018, minus=True)
    film.add(heart, soft=0.014)
    film.add(ribs, soft=0.006)
    film.add(bones, soft=0.006)
    film.add(vessels, soft=0.01)
    side = 1 if chance(anatomy, 0.5) else -1
    spot = (side * pick(anatomy, 0.25, 0.5), pick(anatomy, -0.5, 0.3))
    style, size = pick(anatomy, 0, 1), pick(anatomy, 0.06, 0.16)

    def shadow(body: Body) -> None:
        if style < 0.5:
            body.oval(*spot, size, size * 0.9, 62, rng=anatomy, wobble=0.1)
        elif style < 0.75:
            for dx, dy in (anatomy.standard_normal((12, 2)) * 0.14).tolist():
                body.oval(spot[0] + dx, spot[1] + dy, 0.1, 0.08, 40, rng=anatomy, wobble=0.2)
        else:
            body.oval(side * 0.42, long + 0.1, 0.4, pick(anatomy, 0.2, 0.5), 72)

    if sick:
        film.add(shadow, soft=0.03 if style < 0.5 else 0.08)

    image = film.done(scanner, gamma=pick(scanner, 0.8, 1.25))
    body = Body(width, height, film.span, shift=film.shift)
    return _filmed(author, image, film.size, [body.share(*spot)] if sick else [])


def _filmed(
    rng: Generator, image: Image.Image, size: tuple[int, int], targets: list[Point], *, share: float = 0.4
) -> Image.Image:
    """A plain film as RGB, with the letter of the side and, at times, pointers."""
    lettered, where = chance(rng, 0.5), (0.93, 0.06) if chance(rng, 0.7) else (0.06, 0.5)
    letter = "R" if where[0] < 0.5 else "L"
    result = finished(rng, image, size, targets, share=share)
    if lettered and min(image.size) >= 90:
        write(result, where, letter, size=7 * unit(result), anchor="mm", bold=True)
    return result


# ---- limbs ----------------------------------------------------------------------------------------


def _bone(body: Body, points: list[tuple[float, float, float]], *, shell: float = 0.035) -> None:
    """A long bone through (x, y, half its width): bright walls, a dimmer core."""
    for narrow, tone in ((0.0, 150), (shell, 98)):
        left = [(x - max(0.01, half - narrow), y) for x, y, half in points]
        right = [(x + max(0.01, half - narrow), y) for x, y, half in reversed(points)]
        body.shape([*left, *right], tone)


def _knee(rng: Generator, film: Film, metal: bool) -> list[Point]:
    bow = pick(rng, -0.05, 0.05)

    def bones(body: Body) -> None:
        _bone(body, [(bow, -1.3, 0.15), (bow, -0.6, 0.16), (0, -0.3, 0.24), (0, -0.12, 0.33), (0, -0.04, 0.3)])
        _bone(body, [(0, 0.03, 0.31), (0, 0.12, 0.32), (0, 0.32, 0.2), (bow, 0.7, 0.15), (bow, 1.3, 0.14)])
        body.oval(-0.15, -0.07, 0.16, 0.08, 140)
        body.oval(0.15, -0.07, 0.16, 0.08, 140)

    def fibula(body: Body) -> None:
        _bone(body, [(0.3, 0.2, 0.07), (0.31, 0.4, 0.05), (0.28 + bow, 1.3, 0.05)], shell=0.02)
        body.oval(0.0, -0.18, 0.14, 0.13, 34)

    film.add(bones, soft=0.006)
    film.add(fibula, soft=0.006)

    def hardware(body: Body) -> None:
        body.oval(0, -0.1, 0.33, 0.13, 255, square=3)
        body.shape(
            [
                (-0.3, 0.03),
                (0.3, 0.03),
                (0.3, 0.1),
                (0.07, 0.12),
                (0.04, 0.5),
                (-0.04, 0.5),
                (-0.07, 0.12),
                (-0.3, 0.1),
            ],
            255,
        )

    if metal:
        film.add(hardware)
    return [(0.15, 0.05)]


def _shaft(rng: Generator, film: Film, metal: bool) -> list[Point]:
    gap, lean, broken = pick(rng, 0.24, 0.32), pick(rng, -0.06, 0.06), pick(rng, -0.4, 0.4)
    shift = pick(rng, 0.02, 0.09)

    def bones(body: Body) -> None:
        for x, half in ((-gap / 2, 0.11), (gap, 0.065)):
            ends = [(x - lean, -1.3, half * 1.5), (x - lean / 2, -0.8, half), (x, broken - 0.03, half * 0.95)]
            _bone(body, ends)
            jut = shift if half > 0.1 or shift > 0.05 else 0.0
            _bone(
                body,
                [(x + jut, broken + 0.02, half * 0.95), (x + lean / 2, 0.8, half), (x + lean, 1.3, half * 1.4)],
            )

    film.add(bones, soft=0.006)

    def plate(body: Body) -> None:
        body.stroke([(-gap / 2 - 0.13, broken - 0.45), (-gap / 2 - 0.12, broken + 0.45)], 235, 0.05)
        for step in range(6):
            y = broken - 0.4 + 0.16 * step
            body.stroke([(-gap / 2 - 0.16, y), (-gap / 2 + 0.13, y)], 225, 0.03)

    if metal:
        film.add(plate)
    return [(-gap / 2 + shift, broken)]


def _hand(rng: Generator, film: Film, metal: bool) -> list[Point]:
    lengths = (0.62, 0.86, 0.95, 0.88, 0.7)

    def bones(body: Body) -> None:
        for finger, long in enumerate(lengths):
            angle = -pi / 2 + (finger - 2.2) * 0.17 - (0.35 if finger == 0 else 0)
            x, y = (finger - 2) * 0.1 * 1.05, 0.38 + (0.06 if finger == 0 else 0)
            for part, half in ((0.46, 0.052), (0.28, 0.045), (0.17, 0.038), (0.1, 0.03)):
                reach = long * part * 1.3
                ex, ey = x + cos(angle) * reach, y + sin(angle) * reach
                body.stroke([(x, y), (ex, ey)], 118, half * 1.7)
                body.stroke([(x, y), (ex, ey)], 84, half * 0.9)
                for px, py in ((x, y), (ex, ey)):
                    body.oval(px, py, half * 1.15, half * 0.95, 112)
                x, y = ex + cos(angle) * 0.035, ey + sin(angle) * 0.035
        for step in range(8):
            body.oval(-0.24 + 0.16 * (step % 4), 0.48 + 0.11 * (step // 4), 0.085, 0.065, 105, rng=rng, wobble=0.1)
        _bone(body, [(-0.12, 0.68, 0.17), (-0.1, 0.85, 0.12), (-0.1, 1.5, 0.09)])
        _bone(body, [(0.2, 0.7, 0.09), (0.19, 0.85, 0.075), (0.18, 1.5, 0.06)])

    film.add(bones, soft=0.006)
    return [(0.1, 0.2)]


def limb_xray(rng: Generator, width: int, height: int, *, metal: bool | None = None) -> Image.Image:
    """Bones of a limb: a knee, a broken shaft or a hand. metal: with a plate or an artificial joint."""
    anatomy, scanner, author = streams(rng, 3)
    drawn, metallic = int(anatomy.integers(5)), chance(anatomy, 0.4)
    region = (_knee, _knee, _shaft, _shaft, _hand)[drawn]
    metallic = metallic if metal is None else metal
    span = 1.35 if region is not _hand else 1.7
    film = Film(
        width,
        height,
        (span * pick(scanner, 0.9, 1.2), span * pick(scanner, 1.0, 1.3)),
        ground=round(pick(scanner, 4, 16)),
    )
    flesh = pick(anatomy, 0.44, 0.56)
    tone = round(pick(anatomy, 40, 70))

    def soft(body: Body) -> None:
        if region is _hand:
            for finger in range(5):
                angle = -pi / 2 + (finger - 2.2) * 0.17 - (0.35 if finger == 0 else 0)
                x, y, long = (finger - 2) * 0.11, 0.35, (0.75, 1.0, 1.1, 1.02, 0.85)[finger]
                body.stroke([(x, y), (x + cos(angle) * long, y + sin(angle) * long)], tone, 0.17)
            body.oval(0, 0.45, 0.38, 0.36, tone)
            body.shape([(-0.3, 0.5), (0.34, 0.5), (0.34, 1.6), (-0.3, 1.6)], tone)
        else:
            side = [
                (flesh, -1.6),
                (flesh * 0.9, -0.5),
                (flesh * 0.85, 0.0),
                (flesh * 0.92, 0.5),
                (flesh * 0.7, 1.6),
            ]
            body.shape([*side, *((-x, y) for x, y in reversed(side))], tone)

    film.add(soft, soft=0.05)
    targets = region(anatomy, film, metallic)
    image = film.done(scanner, gamma=pick(scanner, 0.75, 1.2))
    body = Body(width, height, film.span)
    return _filmed(author, image, film.size, [body.share(*target) for target in targets])
