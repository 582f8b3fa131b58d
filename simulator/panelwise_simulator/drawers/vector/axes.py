"""Axes in the style of a figure: frame, grid, ticks, texts, legend, and drawing in the units of the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.legends import Keys, Region
from panelwise_simulator.drawers.vector.scales import Scale
from panelwise_simulator.drawers.vector.sheet import WHITE, Colour, Point, Sheet
from panelwise_simulator.drawers.vector.styles import Style, a_style
from panelwise_simulator.drawers.vector.texts import measure
from panelwise_simulator.kinds import Generator

__all__ = ["Axes", "Region", "Style", "a_style", "begin", "text_scale"]

#: Panels with a shorter side than this carry no axis labels; than the second, no texts at all.
SMALL, TINY = 105, 72


def begin(rng: Generator, width: int, height: int, style: Style | None) -> tuple[Sheet, Style, Region]:
    """White paper, the style or one by chance, and the region to draw in (a pixel from the edges)."""
    sheet = Sheet(width, height)
    return sheet, style or a_style(rng), (1.0, 1.0, width - 1.0, height - 1.0)


def text_scale(region: Region) -> float:
    """By how much texts are larger or smaller than the style says, for a region of this size."""
    side = math.sqrt((region[2] - region[0]) * (region[3] - region[1]))
    return round(min(1.3, max(0.68, math.sqrt(side / 350))), 2)


class Axes:
    """A pair of axes in a region of a sheet. x(), y() turn data into pixels; finish() draws what lies on top."""

    def __init__(
        self,
        sheet: Sheet,
        region: Region,
        style: Style,
        across: Scale,
        up: Scale,
        *,
        labels: tuple[str, str] = ("", ""),
        title: str = "",
        legend: Sequence[str] = (),
        keys: str = "line",
        free: str = "ur",
        right: tuple[Scale, str] | None = None,
        size: float | None = None,
    ) -> None:
        """keys: what stands beside names in the legend: line, mark (line with marker), dot or square. free: the
        corner where a legend hides least: ul, ur, ll or lr. right: a second scale up with its label. size: factor
        on texts, default by the region's size."""
        self.sheet, self.style, self.across, self.up = sheet, style, across, up
        self.names, self.keys, self.free = list(legend), keys, free
        width, height = region[2] - region[0], region[3] - region[1]
        side = min(width, height)
        if side < TINY:
            self.across, self.up = across.bare(), up.bare()
        if side < SMALL:
            labels, title = ("", ""), ""
            self.names = []
        self.size = text_scale(region) if size is None else size
        self.ticks, self.big = style.tick_face(self.size), style.label_face(self.size)
        self.heading = style.title_face(self.size)
        self.reach = 0.0 if style.ticks == "none" else (2.5 if side < SMALL else 4.0) * min(1.0, self.size + 0.1)
        self.place = style.legend if self.names else "none"
        self._tilt = 0
        self.frame = self._fit(region, labels, title, right)
        self._ground()
        self._texts(region, labels, title, right)

    # ---- layout ----

    def _fit(self, region: Region, labels: tuple[str, str], title: str, right: tuple[Scale, str] | None) -> Region:
        x0, y0, x1, y1 = region
        width, height = x1 - x0, y1 - y0
        out = self.reach if self.style.ticks == "out" else 0.0
        tick_text = max((measure(text, self.ticks) for _, text in self.up.ticks), default=0.0)
        gap = 2.5 * self.size
        left = x0 + 1 + out + (tick_text + gap if tick_text > 0.6 else 0.0)
        self._lines = labels[1]
        if labels[1]:
            if measure(labels[1], self.big) > height * 0.97 and " (" in labels[1]:
                self._lines = "\n(".join(labels[1].rsplit(" (", 1))
            left += self.big.size * 1.15 * (1 + self._lines.count("\n")) + gap * 0.6
        far = x1 - 1.0
        if right is not None:
            wide = max((measure(text, self.ticks) for _, text in right[0].ticks), default=0.0)
            far -= wide + gap + out + (self.big.size * 1.15 if right[1] else 0.0)
        elif self.across.ticks and not self.across.named:
            last, text = self.across.ticks[-1]
            wide = measure(text, self.ticks) / 2
            far -= max(0.0, wide - (1 - float(self.across.share(last))) * (far - left))
        key = self.ticks.size * 1.5
        names = [measure(name, self.ticks) for name in self.names]
        row = self.ticks.size * 1.3
        if self.place == "right":
            need = max(names, default=0.0) + key + self.ticks.size
            if need > width * 0.36:
                self.place = "inside"
            else:
                far -= need
        top = y0 + (self.ticks.cap / 2 + 1 if tick_text > 0.6 else 1.0)
        if title:
            top = y0 + self.heading.size * 1.25
        low = y1 - 1.0 - out
        spare = sum(names) + len(names) * (key + self.ticks.size)
        rows = 1 if spare < far - left + 0.3 * (left - x0) else 2 if spare < 1.7 * (far - left) else 0
        if self.place in ("above", "below") and (rows == 0 or height < 150):
            self.place = "inside"
        self._rows = rows
        if self.place == "above":
            top += rows * row + 2
        elif self.place == "below":
            low -= rows * row + 3
        texts = [text for _, text in self.across.ticks]
        widest = max((measure(text, self.ticks) for text in texts), default=0.0)
        if widest > 0.6:
            slot = (far - left) / max(
                1.0, (self.across.high - self.across.low) if self.across.named else len(texts)
            )
            if self.across.named and widest > slot * 0.98:
                self._tilt = self.style.tilt if widest < height * 0.6 else 90
                depth = widest if self._tilt == 90 else (widest + self.ticks.size) * 0.72
                low -= min(depth, height * 0.45) + gap
                if self._tilt == 45:
                    left = max(left, x0 + measure(texts[0], self.ticks) * 0.72 - slot * 0.5)
            else:
                if not self.across.named and widest > slot * 0.9:
                    kept = tuple(
                        tick if place % 2 == 0 else (tick[0], "") for place, tick in enumerate(self.across.ticks)
                    )
                    self.across = Scale(
                        self.across.low, self.across.high, kept, self.across.log, minor=self.across.minor
                    )
                low -= self.ticks.size * 0.98 + gap
        if labels[0]:
            low -= self.big.size * 1.12
        if far - left < width * 0.3:
            left, far = x0 + width * 0.35, x1 - width * 0.1
        if low - top < height * 0.3:
            top, low = y0 + height * 0.12, y1 - height * 0.4
        return round(left), round(top), round(far), round(low)

    def _keys(self) -> Keys:
        return Keys(self.sheet, self.style, self.ticks, tuple(self.names), self.keys)

    # ---- units ----

    def x(self, value: Any) -> Any:
        """Column of a value or of an array of values."""
        return self.frame[0] + self.across.share(value) * (self.frame[2] - self.frame[0])

    def y(self, value: Any) -> Any:
        """Row of a value or of an array of values."""
        return self.frame[3] - self.up.share(value) * (self.frame[3] - self.frame[1])

    def points(self, xs: Any, ys: Any) -> list[Point]:
        """Pixels of paired values, kept within the frame."""
        x0, y0, x1, y1 = self.frame
        columns = np.clip(self.x(np.asarray(xs, dtype=float)), x0, x1).tolist()
        rows = np.clip(self.y(np.asarray(ys, dtype=float)), y0, y1).tolist()
        return list(zip(columns, rows, strict=True))

    # ---- ground, ticks and texts ----

    def _ground(self) -> None:
        style, sheet = self.style, self.sheet
        x0, y0, x1, y1 = self.frame
        if style.ground != WHITE:
            sheet.rectangle(x0, y0, x1, y1, style.ground)
        if style.grid != "none":
            for value, _ in self.up.ticks:
                if self.up.named and style.name != "ggplot":
                    break
                sheet.rule(x0, self.y(value), x1, self.y(value), style.grid_colour, 1.0)
        if style.grid == "both":
            for value, _ in self.across.ticks:
                if self.across.named and style.name != "ggplot":
                    break
                sheet.rule(self.x(value), y0, self.x(value), y1, style.grid_colour, 1.0)

    def _texts(self, region: Region, labels: tuple[str, str], title: str, right: tuple[Scale, str] | None) -> None:
        style, sheet, face = self.style, self.sheet, self.ticks
        x0, y0, x1, y1 = self.frame
        out = self.reach if style.ticks == "out" else 0.0
        gap = 2.5 * self.size
        for value, text in self.up.ticks:
            sheet.text(x0 - out - gap, self.y(value), text, face, style.pale, "rm")
        for value, text in self.across.ticks:
            x, y = float(self.x(value)), y1 + out + gap
            if self._tilt == 45:
                sheet.text(x + face.cap * 0.4, y, text, face, style.pale, "rt", 45)
            elif self._tilt == 90:
                sheet.text(x, y, text, face, style.pale, "mt", 90)
            else:
                sheet.text(x, y, text, face, style.pale, "mt")
        middle = (x0 + x1) / 2
        base = region[3] - 1
        if self.place == "below":
            row = face.size * 1.3
            self._keys().rows(region[3] - self._rows * row, (x0 + x1) / 2, self._rows)
            base -= self._rows * row + 2
        if labels[0]:
            sheet.text(middle, base - self.big.size * 0.28, labels[0], self.big, style.ink, "mb")
        if labels[1]:
            sheet.text(region[0], (y0 + y1) / 2, self._lines, self.big, style.ink, "lm", 90)
        if title:
            sheet.text(middle, region[1] + 1, title, self.heading, style.ink, "mt")
        if self.place == "above":
            self._keys().rows(y0 - self._rows * face.size * 1.3 - 1, middle, self._rows)
        elif self.place == "right":
            down = len(self.names) * face.size * 1.35
            top = (y0 + y1 - down) / 2 if style.name in ("ggplot", "excel") else y0
            left = region[2] - max(measure(name, face) for name in self.names) - face.size * 1.7
            self._keys().column(left, top)
        if right is not None:
            scale, text = right
            for value, mark in scale.ticks:
                row = y1 - float(scale.share(value)) * (y1 - y0)
                sheet.rule(x1, row, x1 + out, row, style.ink, style.axis)
                sheet.text(x1 + out + gap, row, mark, face, style.pale, "lm")
            sheet.rule(x1, y0, x1, y1, style.ink, style.axis)
            if text:
                sheet.text(region[2], (y0 + y1) / 2, text, self.big, style.ink, "rm", 90)

    # ---- drawing in units of the data ----

    def dash(self, place: int) -> float:
        """Length of the strokes of a group's line; 0 for a full one."""
        return self.style.dash(place)

    def line(self, xs: Any, ys: Any, colour: Colour, width: float | None = None, dash: float = 0.0) -> None:
        """A line through values, kept within the frame."""
        self.sheet.line(self.points(xs, ys), colour, self.style.line if width is None else width, dash)

    def steps(self, xs: Array, ys: Array, colour: Colour, width: float | None = None, dash: float = 0.0) -> None:
        """A line that holds each value up to the next."""
        self.line(np.repeat(xs, 2)[1:], np.repeat(ys, 2)[:-1], colour, width, dash)

    def band(self, xs: Any, lows: Any, highs: Any, colour: Colour, alpha: float = 0.25) -> None:
        """A translucent band between two lines."""
        self.sheet.veil(self.points(xs, lows) + self.points(xs, highs)[::-1], colour, alpha)

    def whisker(
        self,
        at: float,
        low: float,
        high: float,
        colour: Colour | None = None,
        cap: float | None = None,
        level: bool = False,
    ) -> None:
        """An error bar with the style's caps. level: lying, `at` is a value of the upright axis."""
        colour = colour or self.style.ink
        cap = self.style.cap if cap is None else cap
        width = max(0.6, min(1.5, self.style.axis))
        if level:
            ends = [(float(self.x(value)), float(self.y(at))) for value in (low, high)]
            self.sheet.rule(ends[0][0], ends[0][1], ends[1][0], ends[1][1], colour, width)
            for x, y in ends if cap else ():
                self.sheet.rule(x, y - cap, x, y + cap, colour, width)
            return
        x = float(self.x(at))
        rows = np.clip([float(self.y(low)), float(self.y(high))], self.frame[1] - 2, self.frame[3]).tolist()
        self.sheet.rule(x, rows[1], x, rows[0], colour, width)
        for row in rows if cap else ():
            self.sheet.rule(x - cap, row, x + cap, row, colour, width)

    def bar(
        self, at: float, value: float, wide: float, place: int, base: float = 0.0, level: bool = False
    ) -> None:
        """A bar from base to value about `at`, `wide` in units of the data, in a group's colour."""
        style = self.style
        colour = style.colour(place)
        edge = style.ink if style.outline or sum(colour) > 720 else None
        along = self.x if level else self.y
        a, b = float(along(value)), float(along(max(base, self.across.low if level else self.up.low)))
        if level:
            box = (min(a, b), float(self.y(at + wide / 2)), max(a, b), float(self.y(at - wide / 2)))
        else:
            box = (float(self.x(at - wide / 2)), min(a, b), float(self.x(at + wide / 2)), max(a, b))
        self.sheet.rectangle(*box, colour, edge, max(0.6, min(1.5, style.axis)), hatch=style.hatching(place))

    def bracket(self, left: float, right: float, row: float, text: str, drop: float = 4.0) -> None:
        """A bracket of significance between two positions across, at a row of pixels, with its stars."""
        a, b = float(self.x(left)), float(self.x(right))
        ink = self.style.ink
        width = max(0.6, min(1.2, self.style.axis))
        self.sheet.rule(a, row, b, row, ink, width)
        if drop > 0:
            self.sheet.rule(a, row, a, row + drop, ink, width)
            self.sheet.rule(b, row, b, row + drop, ink, width)
        stars = set(text) <= {"*"}
        face = self.ticks.scaled(1.15 if stars else 0.9)
        self.sheet.text((a + b) / 2, row + (face.size * 0.3 if stars else -3.0), text, face, ink, "mb")

    def finish(self) -> None:
        """Frame, tick strokes and the legend within the frame."""
        style, sheet = self.style, self.sheet
        x0, y0, x1, y1 = self.frame
        ink, wide, reach = style.ink, style.axis, self.reach
        if style.frame in ("open", "box", "bottom"):
            sheet.rule(x0, y1, x1, y1, ink, wide)
        if style.frame in ("open", "box"):
            sheet.rule(x0, y0, x0, y1, ink, wide)
        if style.frame == "box":
            sheet.rule(x0, y0, x1, y0, ink, wide)
            sheet.rule(x1, y0, x1, y1, ink, wide)
        if reach:
            thick = min(wide, 1.5)
            sign = 1.0 if style.ticks == "out" else -1.0
            both = style.ticks == "mirror"
            for value, length in [(v, reach) for v, _ in self.across.ticks] + [
                (v, reach / 2) for v in self._minor(self.across)
            ]:
                x = float(self.x(value))
                sheet.rule(x, y1, x, y1 + sign * length, ink, thick)
                if both:
                    sheet.rule(x, y0, x, y0 + length, ink, thick)
            for value, length in [(v, reach) for v, _ in self.up.ticks] + [
                (v, reach / 2) for v in self._minor(self.up)
            ]:
                y = float(self.y(value))
                sheet.rule(x0 - sign * length, y, x0, y, ink, thick)
                if both:
                    sheet.rule(x1 - length, y, x1, y, ink, thick)
        if self.place == "inside":
            self._keys().within(self.frame, self.free)

    def _minor(self, scale: Scale) -> tuple[float, ...]:
        return scale.minor if scale.log or self.style.name == "origin" else ()
