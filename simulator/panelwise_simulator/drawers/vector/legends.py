"""Legends: names of groups, each beside a stroke, a marker or a patch of its look."""

from __future__ import annotations

from dataclasses import dataclass

from panelwise_simulator.drawers.vector.sheet import WHITE, Sheet
from panelwise_simulator.drawers.vector.styles import Style
from panelwise_simulator.drawers.vector.texts import Face, measure

#: Left, top, right, bottom in pixels.
Region = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Keys:
    """The entries of a legend. kind: line, mark (line with marker), dot or square."""

    sheet: Sheet
    style: Style
    face: Face
    names: tuple[str, ...]
    kind: str

    def key(self, x: float, y: float, place: int) -> None:
        """The sign of one group, from a left edge, about a middle line."""
        style, sheet, size = self.style, self.sheet, self.face.size
        wide = size * 1.2
        colour, stroke = style.colour(place), style.stroke(place)
        if self.kind in ("line", "mark"):
            sheet.line([(x, y), (x + wide, y)], stroke, min(style.line, 2.0), style.dash(place))
            if self.kind == "mark":
                sheet.marker(x + wide / 2, y, size * 0.24, colour, stroke, style.mark(place))
        elif self.kind == "dot":
            edge = None if sum(colour) < 620 else style.ink
            sheet.marker(x + wide / 2, y, size * 0.28, colour, edge, style.mark(place))
        else:
            r = size * 0.38
            edge = style.ink if style.outline or sum(colour) > 700 else None
            box = (x + wide - 2 * r, y - r, x + wide, y + r)
            sheet.rectangle(*box, colour, edge, 0.6, hatch=style.hatching(place))

    def rows(self, top: float, middle: float, count: int) -> None:
        """Entries beside each other in so many rows, each row centred."""
        face = self.face
        key, row = face.size * 1.5, face.size * 1.3
        per = -(-len(self.names) // max(1, count))
        for line in range(0, len(self.names), per):
            part = self.names[line : line + per]
            total = sum(measure(name, face) + key + face.size for name in part) - face.size
            x = max(2.0, middle - total / 2)
            y = top + (line // per + 0.5) * row
            for place, name in enumerate(part):
                self.key(x, y, line + place)
                self.sheet.text(x + key, y, name, face, self.style.ink, "lm")
                x += measure(name, face) + key + face.size

    def column(self, left: float, top: float) -> None:
        """Entries under each other."""
        face = self.face
        for place, name in enumerate(self.names):
            y = top + (place + 0.6) * face.size * 1.35
            self.key(left, y, place)
            self.sheet.text(left + face.size * 1.6, y, name, face, self.style.ink, "lm")

    def within(self, frame: Region, corner: str) -> None:
        """Entries under each other in a corner (ul, ur, ll, lr) of a frame; left out where they would fill it."""
        face = self.face
        x0, y0, x1, y1 = frame
        wide = max(measure(name, face) for name in self.names) + face.size * 2.2
        high = (len(self.names) + 0.2) * face.size * 1.35
        if wide > (x1 - x0) * 0.7 or high > (y1 - y0) * 0.6:
            return
        left = x0 + 5 if corner[1] == "l" else x1 - wide - 4
        top = y0 + 4 if corner[0] == "u" else y1 - high - 5
        if self.style.legend_frame:
            edge = (204, 204, 204) if self.style.name == "matplotlib" else self.style.ink
            self.sheet.rectangle(left, top, left + wide, top + high, WHITE, edge, 0.7)
        self.column(left + face.size * 0.3, top)
