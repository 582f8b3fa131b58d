"""The looks of plots: those of the programs that scientists draw with, varied by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour
from panelwise_simulator.drawers.vector.texts import Face
from panelwise_simulator.kinds import Generator

Palette = tuple[Colour, ...]
Choice = TypeVar("Choice")


def _hues(text: str) -> Palette:
    return tuple((int(c[:2], 16), int(c[2:4], 16), int(c[4:], 16)) for c in text.split())


GREYS = _hues("111111 9A9A9A D9D9D9 5C5C5C FFFFFF BDBDBD 777777")
PALETTES: dict[str, tuple[Palette, ...]] = {
    "prism": (
        _hues("0000FF FF0000 00A000 7F00FF FF8000 000000 00B0B0"),
        _hues("000000 E8000B 1AC938 023EFF 8B2BE2 FF7C00"),
        _hues("3B3B3B C8102E 1F77B4 F0A500 6A4C93 2E8B57"),
        _hues("4A90D9 E94F64 F5A623 7ED321 9B59B6 50514F"),
        _hues("7F7F7F F4A582 92C5DE 0571B0 CA0020 404040"),
    ),
    "ggplot": (
        _hues("F8766D 00BFC4 7CAE00 C77CFF E68613 619CFF"),
        _hues("F8766D 00BA38 619CFF B79F00 F564E3 00BFC4"),
        _hues("E41A1C 377EB8 4DAF4A 984EA3 FF7F00 A65628"),
        _hues("1B9E77 D95F02 7570B3 E7298A 66A61E E6AB02"),
        _hues("440154 31688E 35B779 FDE725 3B528B 90D743"),
    ),
    "matplotlib": (
        _hues("1F77B4 FF7F0E 2CA02C D62728 9467BD 8C564B E377C2"),
        _hues("0072B2 D55E00 009E73 CC79A7 E69F00 56B4E9"),
        _hues("4C72B0 DD8452 55A868 C44E52 8172B3 937860"),
        _hues("0000FF 008000 FF0000 00BFBF BF00BF BFBF00"),
        _hues("66C2A5 FC8D62 8DA0CB E78AC3 A6D854 FFD92F"),
    ),
    "matlab": (
        _hues("0072BD D95319 EDB120 7E2F8E 77AC30 4DBEEE"),
        _hues("0000FF FF0000 000000 00AA00 FF00FF 00CCCC"),
    ),
    "excel": (
        _hues("4472C4 ED7D31 A5A5A5 FFC000 5B9BD5 70AD47"),
        _hues("4F81BD C0504D 9BBB59 8064A2 4BACC6 F79646"),
        _hues("9999FF 993366 FFFFCC CCFFFF 660066 FF8080"),
    ),
    "journal": (
        _hues("E64B35 4DBBD5 00A087 3C5488 F39B7F 8491B4"),
        _hues("BC3C29 0072B5 E18727 20854E 7876B1 6F99AD"),
        _hues("374E55 DF8F44 00A1D5 B24745 79AF97 6A6599"),
        _hues("264653 E76F51 2A9D8F E9C46A F4A261 8AB17D"),
        _hues("4575B4 D73027 FDAE61 74ADD1 F46D43 ABD9E9"),
    ),
    "origin": (_hues("000000 FF0000 0000FF 008000 FF00FF 808000"),),
    "spss": (
        _hues("D3CE97 3E58AC 2EB848 D9A2C4 AC2F3A 8F8FC1"),
        _hues("1F5FBF 2CA02C C8B560 8C3FBF 111111 E0D090"),
    ),
    "greyscale": (GREYS, _hues("FFFFFF 000000 8C8C8C CFCFCF 5A5A5A"), _hues("404040 C0C0C0 808080 E8E8E8 101010")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """One look, shared by the plots of a figure.

    frame: "open" (left and bottom), "box", "none" or "bottom"; ticks: "out", "in", "mirror" (inwards on all sides)
    or "none"; grid: "none", "across" (level lines) or "both". text: size in pixels of tick texts on a panel of
    about 350 pixels, label: of axis labels as a share of it. cap: half the width of the bars that close error
    bars, in pixels, 0 for none. legend: "inside", "right", "above", "below" or "none". hatch: greys with strokes.
    titles: how often a plot has one. tilt: degrees by which names too wide for their place are turned. marks: the
    markers of groups, see `Sheet.marker`.
    """

    name: str
    palette: Palette
    frame: str = "open"
    ticks: str = "out"
    grid: str = "none"
    grid_colour: Colour = (225, 225, 225)
    ground: Colour = WHITE
    ink: Colour = BLACK
    pale: Colour = BLACK
    axis: float = 1.0
    line: float = 1.5
    text: float = 11.0
    label: float = 1.1
    bold_ticks: bool = False
    bold_labels: bool = False
    slanted_labels: bool = False
    squeeze: float = 1.0
    cap: float = 3.0
    outline: bool = False
    hatch: bool = False
    legend: str = "inside"
    legend_frame: bool = False
    titles: float = 0.3
    bold_titles: bool = False
    tilt: int = 45
    marks: str = "o"

    def colour(self, place: int) -> Colour:
        """The colour of a group by its place."""
        return self.palette[place % len(self.palette)]

    def stroke(self, place: int) -> Colour:
        """As `colour`, never too pale for a line on white."""
        colour = self.colour(place)
        if sum(colour) < 560:
            return colour
        return (colour[0] * 2 // 3, colour[1] * 2 // 3, colour[2] * 2 // 3) if sum(colour) < 740 else self.ink

    def mark(self, place: int) -> str:
        """The marker of a group by its place."""
        return self.marks[place % len(self.marks)]

    def hatching(self, place: int) -> int:
        """The hatching of a group by its place, 0 for none."""
        return (0, 1, 0, 3, 2, 5, 4)[place % 7] if self.hatch else 0

    def dash(self, place: int) -> float:
        """Length of the strokes of a group's line; 0 for a full one."""
        return (0.0, 4.0, 2.0, 6.0, 3.0)[place % 5] if self.name in ("greyscale", "spss") else 0.0

    def tick_face(self, scale: float = 1.0) -> Face:
        """The face of tick texts and legends."""
        return Face(round(self.text * scale, 1), self.bold_ticks, squeeze=self.squeeze)

    def label_face(self, scale: float = 1.0) -> Face:
        """The face of axis labels."""
        return Face(round(self.text * self.label * scale, 1), self.bold_labels, self.slanted_labels, self.squeeze)

    def title_face(self, scale: float = 1.0) -> Face:
        """The face of titles."""
        return Face(round(self.text * self.label * 1.06 * scale, 1), self.bold_titles, squeeze=self.squeeze)


def pick(rng: Generator, choices: Sequence[Choice]) -> Choice:
    """One of the choices."""
    return choices[int(rng.integers(len(choices)))]


def chance(rng: Generator, share: float) -> bool:
    """True in that share of cases."""
    return bool(rng.random() < share)


#: Families and how often each is met.
FAMILIES: tuple[tuple[str, float], ...] = (
    ("prism", 0.24),
    ("ggplot", 0.16),
    ("matplotlib", 0.14),
    ("matlab", 0.09),
    ("excel", 0.09),
    ("journal", 0.13),
    ("origin", 0.07),
    ("spss", 0.02),
    ("greyscale", 0.06),
)


def a_style(rng: Generator, family: str | None = None) -> Style:
    """A look, of the given family ("prism", "ggplot", ...) or of one by chance."""
    names = [name for name, _ in FAMILIES]
    weights = [share for _, share in FAMILIES]
    if family is None:
        family = names[int(rng.choice(len(names), p=weights))]
    style = _FAMILY[family](rng)
    return replace(
        style,
        palette=_turned(rng, style.palette) if family not in ("greyscale", "origin") else style.palette,
        text=float(rng.choice([9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0, 13.0])),
        squeeze=float(rng.choice([1.0, 1.0, 0.94, 0.88])),
        label=float(rng.choice([1.0, 1.08, 1.16, 1.25])),
        titles=float(rng.choice([0.05, 0.3, 0.8])),
    )


def _turned(rng: Generator, palette: Palette) -> Palette:
    start = int(rng.integers(len(palette))) if chance(rng, 0.4) else 0
    return palette[start:] + palette[:start]


def _prism(rng: Generator) -> Style:
    bold = chance(rng, 0.65)
    greys = chance(rng, 0.3)
    return Style(
        "prism",
        GREYS if greys else pick(rng, PALETTES["prism"]),
        axis=float(rng.choice([1.2, 1.5, 2.0])),
        line=float(rng.choice([1.2, 1.6, 2.0])),
        bold_ticks=bold and chance(rng, 0.7),
        bold_labels=bold,
        cap=float(rng.choice([3.0, 4.0, 5.0])),
        outline=True,
        legend=pick(rng, ("right", "inside", "inside", "above")),
        bold_titles=bold,
        marks=pick(rng, ("osdtv", "o", "ostvd")),
        frame=pick(rng, ("open", "open", "open", "box")),
        tilt=pick(rng, (45, 45, 90)),
    )


def _ggplot(rng: Generator) -> Style:
    look = pick(rng, ("grey", "bw", "classic", "minimal"))
    return Style(
        "ggplot",
        pick(rng, PALETTES["ggplot"]),
        frame={"grey": "none", "bw": "box", "classic": "open", "minimal": "none"}[look],
        ticks="none" if look == "minimal" else "out",
        grid="none" if look == "classic" else "both",
        grid_colour=WHITE if look == "grey" else (233, 233, 233),
        ground=(235, 235, 235) if look == "grey" else WHITE,
        ink=(51, 51, 51) if look in ("bw", "grey") else BLACK,
        pale=(77, 77, 77),
        axis=1.0,
        line=float(rng.choice([1.0, 1.4, 1.8])),
        cap=float(rng.choice([0.0, 3.0, 5.0])),
        outline=chance(rng, 0.4),
        legend=pick(rng, ("right", "right", "above", "below", "none")),
        tilt=pick(rng, (45, 90)),
    )


def _matplotlib(rng: Generator) -> Style:
    grid = pick(rng, ("none", "none", "both", "across"))
    seaborn = chance(rng, 0.15)
    return Style(
        "matplotlib",
        pick(rng, PALETTES["matplotlib"]),
        frame="none" if seaborn else pick(rng, ("box", "box", "open")),
        ticks="none" if seaborn else "out",
        grid="both" if seaborn else grid,
        grid_colour=WHITE if seaborn else (205, 205, 205),
        ground=(234, 234, 242) if seaborn else WHITE,
        axis=float(rng.choice([0.6, 1.0])),
        line=float(rng.choice([1.2, 1.5, 2.0])),
        cap=float(rng.choice([0.0, 2.0, 3.0])),
        outline=chance(rng, 0.25),
        legend=pick(rng, ("inside", "inside", "inside", "right", "none")),
        legend_frame=chance(rng, 0.7),
        marks=pick(rng, ("o", "os", "ostd")),
    )


def _matlab(rng: Generator) -> Style:
    return Style(
        "matlab",
        pick(rng, PALETTES["matlab"]),
        frame=pick(rng, ("box", "box", "open")),
        ticks=pick(rng, ("mirror", "in")),
        grid=pick(rng, ("none", "none", "both")),
        axis=float(rng.choice([0.5, 0.8, 1.0])),
        line=float(rng.choice([0.7, 1.0, 1.6])),
        cap=3.0,
        outline=True,
        legend=pick(rng, ("inside", "inside", "right")),
        legend_frame=chance(rng, 0.8),
        bold_titles=True,
        marks=pick(rng, ("o", "osd", "xop")),
    )


def _excel(rng: Generator) -> Style:
    old = chance(rng, 0.4)
    return Style(
        "excel",
        pick(rng, PALETTES["excel"]),
        frame=pick(rng, ("open", "bottom", "box") if old else ("none", "bottom")),
        ticks="out" if old else "none",
        grid=pick(rng, ("none", "across") if old else ("across", "across", "none")),
        grid_colour=(180, 180, 180) if old else (217, 217, 217),
        ground=(192, 192, 192) if old and chance(rng, 0.12) else WHITE,
        ink=BLACK if old else (89, 89, 89),
        pale=BLACK if old else (89, 89, 89),
        axis=1.0,
        line=float(rng.choice([1.5, 2.2])),
        outline=old,
        bold_labels=chance(rng, 0.3),
        legend=pick(rng, ("below", "right", "right", "inside")),
        legend_frame=old and chance(rng, 0.5),
        marks="dstxo",
        bold_titles=chance(rng, 0.4),
    )


def _journal(rng: Generator) -> Style:
    return Style(
        "journal",
        pick(rng, PALETTES["journal"]),
        frame=pick(rng, ("open", "open", "box")),
        ticks=pick(rng, ("out", "out", "in")),
        axis=float(rng.choice([0.5, 0.8, 1.0])),
        line=float(rng.choice([1.0, 1.3])),
        cap=float(rng.choice([0.0, 2.0, 3.0])),
        outline=chance(rng, 0.4),
        slanted_labels=chance(rng, 0.08),
        legend=pick(rng, ("inside", "right", "above", "none")),
        marks=pick(rng, ("o", "os", "ostv")),
    )


def _origin(rng: Generator) -> Style:
    return Style(
        "origin",
        PALETTES["origin"][0],
        frame="box",
        ticks=pick(rng, ("out", "in")),
        axis=float(rng.choice([1.0, 1.5, 2.0])),
        line=float(rng.choice([1.0, 1.5, 2.0])),
        bold_ticks=chance(rng, 0.4),
        bold_labels=chance(rng, 0.5),
        outline=True,
        legend="inside",
        legend_frame=chance(rng, 0.3),
        marks="sotvd",
    )


def _spss(rng: Generator) -> Style:
    return Style(
        "spss",
        pick(rng, PALETTES["spss"]),
        frame="box",
        ticks="out",
        ground=(240, 240, 240) if chance(rng, 0.6) else WHITE,
        axis=0.7,
        line=1.0,
        cap=5.0,
        outline=True,
        bold_labels=True,
        legend="right",
    )


def _greyscale(rng: Generator) -> Style:
    return Style(
        "greyscale",
        pick(rng, PALETTES["greyscale"]),
        frame=pick(rng, ("open", "box", "open")),
        ticks=pick(rng, ("in", "out", "mirror")),
        axis=float(rng.choice([0.7, 1.0])),
        line=1.0,
        outline=True,
        hatch=chance(rng, 0.6),
        legend=pick(rng, ("inside", "above", "right")),
        legend_frame=chance(rng, 0.4),
        marks="osvtd",
    )


_FAMILY: dict[str, Callable[[Generator], Style]] = {
    "prism": _prism,
    "ggplot": _ggplot,
    "matplotlib": _matplotlib,
    "matlab": _matlab,
    "excel": _excel,
    "journal": _journal,
    "origin": _origin,
    "spss": _spss,
    "greyscale": _greyscale,
}
