"""A sheet to draw on: plain SVG shapes and text on a card of its own, in light or dark as the reader has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar
from xml.sax.saxutils import escape

Value = TypeVar("Value")

WIDTH = 640
#: The colours of three annotators; a letter or a line style goes along, for who sees colours otherwise.
PEOPLE = ("a", "b", "c")

_STYLE = """
svg { --card: #ffffff; --edge: #d0d5dc; --ink: #1a1e24; --quiet: #57606b; --faint: #eceff3;
  --a: #0a58a8; --b: #b34700; --c: #1b7037; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { svg { --card: #1c2026; --edge: #3c444f; --ink: #e4e8ed; --quiet: #a0aab6;
  --faint: #2a3038; --a: #76b5f7; --b: #f2a65e; --c: #6acb86; --bad: #ff938a; } }
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial,
  sans-serif;
  font-size: 16px; fill: var(--ink); }
.card { fill: var(--card); stroke: var(--edge); }
.faint { fill: var(--faint); }
.small { font-size: 14px; }
.big { font-size: 24px; font-weight: 600; }
.bold { font-weight: 600; }
text.quiet { fill: var(--quiet); }
text.a { fill: var(--a); } text.b { fill: var(--b); } text.c { fill: var(--c); }
text.dim { fill: var(--quiet); } text.bad { fill: var(--bad); }
.on { fill: var(--card); font-weight: 600; }
.line { fill: none; stroke-width: 2; }
.line.ink { stroke: var(--ink); } .line.quiet { stroke: var(--edge); } .line.a { stroke: var(--a); }
.line.b { stroke: var(--b); } .line.c { stroke: var(--c); } .line.bad { stroke: var(--bad); }
.thick { stroke-width: 3; }
.dash { stroke-dasharray: 7 4; }
.dots { stroke-dasharray: 2 4; }
.line.dim { stroke: var(--quiet); } .fill.dim { fill: var(--quiet); }
.fill.ink { fill: var(--ink); } .fill.quiet { fill: var(--edge); } .fill.a { fill: var(--a); }
.fill.b { fill: var(--b); } .fill.c { fill: var(--c); } .fill.bad { fill: var(--bad); }
.wash { fill-opacity: 0.2; }
"""


class Sheet:
    """A picture of WIDTH by `height` pixels. says: what it shows, for those who do not see it."""

    def __init__(self, name: str, height: int, says: str) -> None:
        self.name = name
        self.height = height
        self.says = says
        self._parts: list[str] = []

    def svg(self) -> str:
        """The whole file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" aria-labelledby="title">'
        )
        card = f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{self.height - 1}" rx="8"/>'
        title = f'<title id="title">{escape(self.says)}</title>'
        return "\n".join([head, title, f"<style>{_STYLE}</style>", card, *self._parts, "</svg>", ""])

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Words with their base line at y. anchor: start, middle or end."""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text x="{_number(x)}" y="{_number(y)}" class="{kind}"{place}>{escape(words)}</text>')

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, *, opacity: float | None = None
    ) -> None:
        """A rectangle. kind: "line a", "fill b wash" and the like, as in the style."""
        veil = "" if opacity is None else f' fill-opacity="{opacity:.2f}"'
        self._parts.append(
            f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}" '
            f'class="{kind}"{veil}/>'
        )

    def line(self, x0: float, y0: float, x1: float, y1: float, kind: str = "line quiet") -> None:
        """A straight line."""
        self.path([(x0, y0), (x1, y1)], kind)

    def path(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """A line from point to point."""
        places = " L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self._parts.append(f'<path d="M{places}" class="{kind}"/>')

    def dot(self, x: float, y: float, kind: str, radius: float = 6) -> None:
        """A filled circle."""
        self._parts.append(
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" class="fill {kind}"/>'
        )

    def ring(self, x: float, y: float, kind: str, radius: float = 6) -> None:
        """An open circle."""
        self._parts.append(
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" class="line {kind}"/>'
        )

    def whisker(self, x0: float, x1: float, y: float, kind: str) -> None:
        """An interval from x0 to x1 with short ends."""
        for points in ([(x0, y), (x1, y)], [(x0, y - 6), (x0, y + 6)], [(x1, y - 6), (x1, y + 6)]):
            self.path(points, f"line {kind}")

    def upright(self, x: float, y0: float, y1: float, kind: str) -> None:
        """The same, standing."""
        for points in ([(x, y0), (x, y1)], [(x - 6, y0), (x + 6, y0)], [(x - 6, y1), (x + 6, y1)]):
            self.path(points, f"line {kind}")

    def bar(self, x: float, y: float, width: float, share: float, kind: str, height: float = 18) -> None:
        """A bar filled to `share` of its width, on a faint ground."""
        self.rect(x, y, width, height, "faint")
        self.rect(x, y, width * share, height, f"fill {kind}")

    def chips(
        self, x: float, y: float, words: Sequence[str], kinds: Sequence[str], widths: Sequence[float]
    ) -> None:
        """Words in a row, each on a ground of its kind; "" for none."""
        for word, kind, width in zip(words, kinds, widths, strict=True):
            if kind:
                self.rect(x, y, width - 4, 28, f"fill {kind} wash")
                self.rect(x, y, width - 4, 28, f"line {kind}")
            self.text(x + (width - 4) / 2, y + 20, word, "" if kind else "quiet", "middle")
            x += width


def known(value: Value | None) -> Value:
    """The value. Raises ValueError where it is undefined: a picture has nothing to show then."""
    if value is None:
        raise ValueError("a worked example is undefined; give it something to count")
    return value


def short(value: float, digits: int = 2) -> str:
    """A score as these pages write it: .86, 1, 0, −.05."""
    if round(value, digits) in (0, 1):
        return str(int(round(value, digits)))
    sign = "−" if value < 0 else ""
    return sign + f"{abs(value):.{digits}f}".removeprefix("0")


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
