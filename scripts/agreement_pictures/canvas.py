"""A sheet for matplotlib, in light or dark as the reader has it, and the charts that pictures share."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Value = TypeVar("Value")

WIDTH = 640
#: Colour -> its variable in the style, which has another value in the dark. A, B and C are three annotators.
CARD, EDGE, INK, QUIET, FAINT = "#ffffff", "#d0d5dc", "#1a1e24", "#57606b", "#eceff3"
A, B, C, BAD = "#0a58a8", "#b34700", "#1b7037", "#b3261e"
_DARK = {
    CARD: ("card", "#1c2026"),
    EDGE: ("edge", "#3c444f"),
    INK: ("ink", "#e4e8ed"),
    QUIET: ("quiet", "#a0aab6"),
    FAINT: ("faint", "#2a3038"),
    A: ("a", "#76b5f7"),
    B: ("b", "#f2a65e"),
    C: ("c", "#6acb86"),
    BAD: ("bad", "#ff938a"),
}
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
#: The same salt each time: equal drawings are equal files.
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "panelwise",
    "font.size": 15,
    "text.color": INK,
    "axes.edgecolor": EDGE,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": EDGE,
    "lines.linewidth": 2,
    "xtick.color": EDGE,
    "ytick.color": EDGE,
    "xtick.labelcolor": QUIET,
    "ytick.labelcolor": QUIET,
    "xtick.labelsize": 14,
    "ytick.labelsize": 14,
}


class Sheet:
    """A picture of WIDTH by `height` pixels. says: what it shows, for those who do not see it."""

    def __init__(self, name: str, height: int, says: str) -> None:
        import matplotlib
        from matplotlib.figure import Figure

        self.name = name
        self.height = height
        self.says = says
        matplotlib.rcParams.update(_STYLE)
        self._figure = Figure(
            figsize=(WIDTH / 72, height / 72), dpi=72, facecolor=CARD, edgecolor=EDGE, linewidth=2
        )

    def axes(self, x: float, y: float, width: float, height: float, **options: Any) -> Any:
        """A place to draw on, in pixels from the top left. options: of matplotlib's `Axes.set`."""
        axes = self._figure.add_axes(
            (x / WIDTH, 1 - (y + height) / self.height, width / WIDTH, height / self.height)
        )
        axes.tick_params(length=0, pad=6)
        axes.set(**options)
        return axes

    def plain(self, x: float, y: float, width: float, height: float, **limits: tuple[float, float]) -> Any:
        """The same without axes: one unit is a pixel unless `xlim` and `ylim` say otherwise, and y points down."""
        axes = self.axes(x, y, width, height, **{"xlim": (0, width), "ylim": (height, 0), **limits})
        axes.set_axis_off()
        return axes

    def text(self, x: float, y: float, words: str, **options: Any) -> None:
        """Words with their base line at y, in pixels. options: of matplotlib's `Text`."""
        self._figure.text(x / WIDTH, 1 - y / self.height, words, **options)

    def note(self, x: float, y: float, words: str, **options: Any) -> None:
        """Small grey words."""
        self.text(x, y, words, **{"size": 14, "color": QUIET, **options})

    def svg(self) -> str:
        """The whole file, the same for the same picture."""
        out = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        self._figure.savefig(out, format="svg", metadata={"Title": self.says, **nothing})
        text = out.getvalue()
        text = text[text.index("<svg") :].replace("<svg ", '<svg role="img" aria-labelledby="title" ', 1)
        text = text.replace("<title>", '<title id="title">', 1)
        text = text.replace(
            f'width="{WIDTH}pt" height="{self.height}pt"', f'width="{WIDTH}" height="{self.height}"'
        )
        text = re.sub(r" *<metadata>.*?</metadata>\n", "", text, count=1, flags=re.DOTALL)
        light = " ".join(f"--{name}: {colour};" for colour, (name, _) in _DARK.items())
        dark = " ".join(f"--{name}: {colour};" for name, colour in _DARK.values())
        for colour, (name, _) in _DARK.items():
            text = text.replace(colour, f"var(--{name})")
        style = (
            f"<style>\nsvg {{ {light} }}\n@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}\n"
            f"text {{ font-family: {_FONT} !important; }}\n</style>\n"
        )
        text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\n", lambda _: style, text, count=1, flags=re.DOTALL)
        return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def bars(axes: Any, rows: Sequence[tuple[str, float, str]], colours: Sequence[str], most: float = 1.0) -> None:
    """Bars from 0 to `most`, the first on top. rows: the name before a bar, its value, a remark behind it."""
    places = range(len(rows))
    axes.barh(places, [most] * len(rows), 0.45, color=FAINT)
    axes.barh(places, [max(value, 0) for _, value, _ in rows], 0.45, color=colours)
    axes.set(xlim=(0, most), ylim=(len(rows) - 0.5, -0.5), xticks=[])
    axes.set_yticks(places, [name for name, _, _ in rows], color=INK)
    axes.spines[:].set_visible(False)
    for place, (_, value, remark) in enumerate(rows):
        digits = 2 if most == 1 else 3
        axes.annotate(
            short(value, digits), (most, place), (8, 0), textcoords="offset points", va="center", weight="bold"
        )
        behind = {"size": 14, "color": QUIET, "va": "center", "textcoords": "offset points"}
        axes.annotate(remark, (most, place), (58, 0), **behind)


def whiskers(axes: Any, rows: Sequence[tuple[float, tuple[float, float]]], colours: Sequence[str]) -> None:
    """Values with their intervals, the first on top; the row is the y."""
    for place, ((value, (low, high)), colour) in enumerate(zip(rows, colours, strict=True)):
        error = [[value - low], [high - value]]
        axes.errorbar(value, place, xerr=error, fmt="o", color=colour, markersize=11, capsize=6, capthick=2)
    axes.set(ylim=(len(rows) - 0.5, -0.5), yticks=[])
    axes.spines["left"].set_visible(False)


def cells(axes: Any, rows: Sequence[Sequence[str]], fills: Mapping[tuple[int, int], tuple[str, float]]) -> None:
    """Words in rows and columns. fills: row and column -> colour and opacity of the ground."""
    from matplotlib.patches import Rectangle

    axes.set(xlim=(0, len(rows[0])), ylim=(len(rows), 0))
    for (row, column), (colour, opacity) in fills.items():
        axes.add_patch(
            Rectangle((column + 0.03, row + 0.04), 0.94, 0.92, color=colour, alpha=opacity, linewidth=0)
        )
    for row, words in enumerate(rows):
        for column, word in enumerate(words):
            axes.text(column + 0.5, row + 0.5, word, ha="center", va="center_baseline")


def box(axes: Any, edges: Sequence[float], colour: str, style: str = "-", wash: float = 0.2) -> None:
    """A box x0 y0 x1 y1 in the units of the axes: its outline, and its ground washed with the same colour."""
    from matplotlib.patches import Rectangle

    x0, y0, x1, y1 = edges
    for look in ({"fc": colour, "alpha": wash, "lw": 0}, {"fc": "none", "ec": colour, "ls": style, "lw": 3}):
        axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, clip_on=False, **look))


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
