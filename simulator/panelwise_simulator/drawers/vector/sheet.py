"""Paper to draw panels on: lines, shapes and texts in result pixels, drawn twice as large and scaled down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.texts import FINE, Face, block_of, glyphs_of, measure

Colour = tuple[int, int, int]
Point = tuple[float, float]

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)


@lru_cache(maxsize=64)
def _hatching(kind: int, width: int, height: int) -> Image.Image:
    """A pattern of strokes as a mask. kind: 1 rising, 2 falling, 3 crossed, 4 level, 5 dotted."""
    ys, xs = np.mgrid[0:height, 0:width]
    step, stroke = 12, 3
    strokes = {
        1: (xs + ys) % step < stroke,
        2: (xs - ys) % step < stroke,
        3: ((xs + ys) % step < stroke) | ((xs - ys) % step < stroke),
        4: ys % 10 < stroke,
        5: (xs % 8 < 3) & ((ys + 4 * (xs // 8 % 2)) % 8 < 3),
    }
    return Image.fromarray((strokes[kind] * 255).astype(np.uint8))


def mix(colour: Colour, share: float, other: Colour = WHITE) -> Colour:
    """`share` of the colour, the rest of the other."""
    return (
        round(other[0] + (colour[0] - other[0]) * share),
        round(other[1] + (colour[1] - other[1]) * share),
        round(other[2] + (colour[2] - other[2]) * share),
    )


class Sheet:
    """A picture being drawn. All places and widths are in pixels of the result, origin top left."""

    def __init__(self, width: int, height: int, ground: Colour = WHITE) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * FINE, height * FINE), ground)
        self.pen = ImageDraw.Draw(self.image)

    def done(self) -> Image.Image:
        """The picture at its final size."""
        return self.image.reduce(FINE)

    def replace(self, image: Image.Image) -> None:
        """Go on with another picture, of `FINE` times the size."""
        self.image = image
        self.pen = ImageDraw.Draw(image)

    def stamp(self, mask: Image.Image, left: int, top: int, colour: Colour) -> None:
        """Ink a mask (L, 0..255) with a colour; its corner in fine pixels."""
        # Pillow mixes a picture in faster than a colour, which pays from a few thousand pixels on.
        large = mask.width * mask.height > 3000
        self.image.paste(Image.new("RGB", mask.size, colour) if large else colour, (left, top), mask)

    def indexed(self, indices: Array, table: Array, left: int, top: int) -> None:
        """Put down a picture of fine pixels given by rows (N, 3) of a table of at most 256 colours."""
        picture = Image.fromarray(indices.astype(np.uint8, copy=False))
        picture.putpalette(table.astype(np.uint8).tobytes())
        self.image.paste(picture.convert("RGB"), (left, top))

    # ---- strokes ----

    def line(self, points: Sequence[Point], colour: Colour, width: float = 1.0, dash: float = 0.0) -> None:
        """A line through the points. dash: length of strokes and gaps, 0 for a full line."""
        fine = [(x * FINE, y * FINE) for x, y in points]
        thick = max(1, round(width * FINE))
        if dash <= 0:
            self.pen.line(fine, fill=colour, width=thick, joint="curve" if thick > 3 and len(fine) > 2 else None)
            return
        path = np.asarray(fine, dtype=float)
        steps = np.hypot(*np.diff(path, axis=0).T)
        along = np.concatenate(([0.0], np.cumsum(steps)))
        cuts = np.arange(0.0, along[-1], dash * FINE)
        xs, ys = np.interp(cuts, along, path[:, 0]), np.interp(cuts, along, path[:, 1])
        for place in range(0, len(cuts) - 1, 2):
            self.pen.line([(xs[place], ys[place]), (xs[place + 1], ys[place + 1])], fill=colour, width=thick)

    def rule(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, width: float = 1.0) -> None:
        """A crisp level or upright line, on whole pixels."""
        thick = max(1, round(width * FINE))
        left, top = round(min(x0, x1) - width / 2) * FINE, round(min(y0, y1) - width / 2) * FINE
        across = round(abs(x1 - x0)) * FINE
        down = round(abs(y1 - y0)) * FINE
        right = left + (across + thick if across > down else thick) - 1
        bottom = top + (thick if across > down else down + thick) - 1
        self.pen.rectangle([left, top, right, bottom], fill=colour)

    def arrow(
        self, a: Point, b: Point, colour: Colour, width: float = 1.0, head: float = 5.0, blunt: bool = False
    ) -> None:
        """A line from a to b with a head at b. blunt: a bar across instead of a head (inhibition)."""
        turn = math.atan2(b[1] - a[1], b[0] - a[0])
        c, s = math.cos(turn), math.sin(turn)
        if blunt:
            self.line([a, b], colour, width)
            self.line(
                [(b[0] - s * head, b[1] + c * head), (b[0] + s * head, b[1] - c * head)], colour, width * 1.3
            )
            return
        base = (b[0] - c * head * 1.5, b[1] - s * head * 1.5)
        self.line([a, base], colour, width)
        self.polygon(
            [
                b,
                (base[0] - s * head * 0.7, base[1] + c * head * 0.7),
                (base[0] + s * head * 0.7, base[1] - c * head * 0.7),
            ],
            colour,
        )

    # ---- shapes ----

    def rectangle(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Colour | None,
        outline: Colour | None = None,
        width: float = 1.0,
        radius: float = 0.0,
        hatch: int = 0,
    ) -> None:
        """A rectangle, corners in any order. hatch: strokes over the fill, see `_hatching`."""
        left, right = sorted((round(x0 * FINE), round(x1 * FINE) - 1))
        top, bottom = sorted((round(y0 * FINE), round(y1 * FINE) - 1))
        right, bottom = max(left, right), max(top, bottom)
        thick = max(1, round(width * FINE))
        box = [left, top, right, bottom]
        if radius > 0:
            self.pen.rounded_rectangle(box, radius * FINE, fill=fill, outline=outline, width=thick)
            return
        if hatch:
            self.pen.rectangle(box, fill=fill)
            mask = _hatching(hatch, self.image.width, self.image.height).crop((left, top, right + 1, bottom + 1))
            self.stamp(mask, left, top, outline or BLACK)
            fill = None
        self.pen.rectangle(box, fill=fill, outline=outline, width=thick)

    def ellipse(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        fill: Colour | None,
        outline: Colour | None = None,
        width: float = 1.0,
    ) -> None:
        """An ellipse about its middle."""
        box = [(x - rx) * FINE, (y - ry) * FINE, (x + rx) * FINE, (y + ry) * FINE]
        self.pen.ellipse(box, fill=fill, outline=outline, width=max(1, round(width * FINE)))

    def polygon(
        self, points: Sequence[Point], fill: Colour | None, outline: Colour | None = None, width: float = 1.0
    ) -> None:
        """A polygon."""
        fine = [(x * FINE, y * FINE) for x, y in points]
        if fill is not None:
            self.pen.polygon(fine, fill=fill)
        if outline is not None:
            self.pen.line([*fine, fine[0]], fill=outline, width=max(1, round(width * FINE)), joint=None)

    def veil(self, points: Sequence[Point], colour: Colour, alpha: float) -> None:
        """A translucent polygon. alpha: 0 nothing, 1 opaque."""
        fine = [(x * FINE, y * FINE) for x, y in points]
        left = max(0, math.floor(min(x for x, _ in fine)))
        top = max(0, math.floor(min(y for _, y in fine)))
        right = min(self.image.width, math.ceil(max(x for x, _ in fine)) + 1)
        bottom = min(self.image.height, math.ceil(max(y for _, y in fine)) + 1)
        if right <= left or bottom <= top:
            return
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in fine], fill=round(255 * alpha))
        self.stamp(mask, left, top, colour)

    def marker(
        self, x: float, y: float, radius: float, fill: Colour | None, edge: Colour | None = None, shape: str = "o"
    ) -> None:
        """One mark. shape: o circle, s square, t triangle, v triangle upside down, d diamond, x cross, p plus."""
        r = radius
        if shape == "o":
            self.ellipse(x, y, r, r, fill, edge, 1.0)
        elif shape == "s":
            self.rectangle(x - r * 0.9, y - r * 0.9, x + r * 0.9, y + r * 0.9, fill, edge)
        elif shape == "x":
            colour = fill or edge or BLACK
            self.line([(x - r, y - r), (x + r, y + r)], colour, 1.2)
            self.line([(x - r, y + r), (x + r, y - r)], colour, 1.2)
        elif shape == "p":
            colour = fill or edge or BLACK
            self.line([(x - r, y), (x + r, y)], colour, 1.2)
            self.line([(x, y - r), (x, y + r)], colour, 1.2)
        else:
            corners = {
                "t": ((0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
                "v": ((0, 1.15), (1.1, -0.85), (-1.1, -0.85)),
                "d": ((0, -1.3), (1.0, 0), (0, 1.3), (-1.0, 0)),
            }[shape]
            self.polygon([(x + a * r, y + b * r) for a, b in corners], fill, edge)

    def cloud(self, xs: Array, ys: Array, radius: float, colours: Colour | Array) -> None:
        """Many round dots at once, of one colour or one each (N, 3); those that leave the picture are cut.

        Of dots that overlap the last lies on top.
        """
        reach = max(0.5, radius * FINE)
        span = range(-math.ceil(reach), math.ceil(reach) + 1)
        canvas = np.array(self.image)
        high, wide = canvas.shape[:2]
        columns, rows = (np.asarray(xs) * FINE).astype(np.intp), (np.asarray(ys) * FINE).astype(np.intp)
        flat = canvas.reshape(-1, 3)
        shades = np.broadcast_to(np.asarray(colours, np.uint8), (len(columns), 3))
        inside = (columns >= reach) & (rows >= reach) & (columns < wide - reach - 1) & (rows < high - reach - 1)
        spots, shades = (rows * wide + columns)[inside], shades[inside]
        for down in span:
            for across in span:
                if across * across + down * down <= reach * reach:
                    flat[spots + (down * wide + across)] = shades
        self.replace(Image.fromarray(canvas))

    def picture(self, pixels: Array, x0: float, y0: float, x1: float, y1: float, smooth: bool = False) -> None:
        """An array of colours (rows, columns, 3; 0..255) stretched over a rectangle.

        smooth: colours between pixels are mixed, which takes about 8 ms on a large panel.
        """
        left, top = round(x0 * FINE), round(y0 * FINE)
        size = (max(1, round(x1 * FINE) - left), max(1, round(y1 * FINE) - top))
        how = Image.Resampling.BILINEAR if smooth else Image.Resampling.NEAREST
        self.image.paste(Image.fromarray(pixels.astype(np.uint8)).resize(size, how), (left, top))

    # ---- texts ----

    def text(
        self, x: float, y: float, text: str, face: Face, colour: Colour = BLACK, anchor: str = "mm", turn: int = 0
    ) -> None:
        """Text, kept within the picture: moved inwards, made smaller, or left out where it would be unreadable.

        anchor: l, m or r and t, m or b, of the text as it lies turned. turn: degrees against the clock. Lines part
        at line breaks and are centred unless the anchor is at the left or right.
        """
        room = self.height if turn in (90, 270) else self.width
        wide = measure(text, face)
        if wide > room - 1:
            face = face.scaled(max(0.1, (room - 2) / wide))
        block = block_of(text, face, anchor[0]) if face.size >= 4.5 else None
        if block is None:
            return
        mask, top_of, base = block
        if turn:
            mask = mask.rotate(turn, Image.Resampling.BILINEAR, expand=True)
            top_of, base = 0, mask.height
        left = x * FINE - {"l": 0.0, "m": mask.width / 2, "r": float(mask.width)}[anchor[0]]
        top = y * FINE - {"t": float(top_of), "m": (top_of + base) / 2, "b": float(base)}[anchor[1]]
        left = min(max(0.0, left), max(0.0, self.image.width - mask.width))
        top = min(max(0.0, top), max(0.0, self.image.height - mask.height))
        self.stamp(mask, round(left), round(top), colour)

    def letters(
        self, rows: Sequence[tuple[float, str]], x: float, pitch: float, face: Face, colour: Colour
    ) -> None:
        """Rows of characters at a fixed pitch, all at once: (middle line, text) each, from one left edge."""
        page = np.zeros((self.image.height, self.image.width), np.uint8)
        glyphs = glyphs_of(face)
        for y, text in rows:
            top = round(y * FINE - face.size * FINE * 1.3 + face.cap * FINE / 2)
            for place, char in enumerate(text):
                if char != " ":
                    glyph, _ = glyphs[char]
                    left = max(0, round((x + (place + 0.5) * pitch) * FINE - glyph.shape[1] / 2))
                    start = max(0, top)
                    spot = page[start : top + glyph.shape[0], left : left + glyph.shape[1]]
                    np.maximum(spot, glyph[start - top :][: spot.shape[0], : spot.shape[1]], out=spot)
        self.stamp(Image.fromarray(page), 0, 0, colour)
