"""The statistics of Table 1 of the MedICaT paper, of files of figures or gold, or of a campaign; their report."""

from __future__ import annotations

import base64
import io
import json
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from jinja2 import Template

from agreement.report import UNDEFINED, MarkupTable, can_draw, escaped
from annotator.campaign.home import Home
from annotator.campaign.templates import NOT_MEDICAL
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.corpus.selection.figure_lines import figure_types
from panelwise.domain import Annotation, Caption, Figure, Gold, Status
from panelwise.files import Problems
from panelwise.formats import MEDICAT, FigureRecord, check_figures, looks_of, read_figures, read_medicat

#: The paper's values, by key of `Row`: Table 1, then the numbers of its text.
PAPER = {
    "papers": 131_410,
    "figures": 217_060,
    "figures_per_paper": 1.7,
    "references_per_figure": 1.4,
    "caption_tokens": 74.2,
    "with_references": 0.74,
    "reference_tokens": 67.3,
    "overlap": 0.23,
    "compound": 0.75,
    "medical": 0.93,
    "judged_compound": 0.75,
    "annotated": 2_069,
    "pairs": 7_507,
    "type radiology": 0.72,
    "type histology": 0.13,
    "type scopes": 0.03,
    "type other medical": 0.07,
}
#: How a value is shown.
COUNT, MEAN, SHARE = "count", "mean", "share"
#: Standard errors on each side of a 95 % interval.
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Row:
    """A statistic. value, paper: None if undefined or not in the paper; shares from 0 to 1.

    sample: of how many figures a share is estimated, None if it is counted of all; interval: its 95 % interval.
    """

    key: str
    name: str
    kind: str
    value: float | None
    paper: float | None
    sample: int | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return Wilson's 95 % interval of a share that is estimated; None for other values."""
        if self.value is None or not self.sample:
            return None
        shrunk = 1 + _Z**2 / self.sample
        centre = (self.value + _Z**2 / (2 * self.sample)) / shrunk
        spread = math.sqrt(self.value * (1 - self.value) / self.sample + (_Z / (2 * self.sample)) ** 2)
        return centre - _Z * spread / shrunk, centre + _Z * spread / shrunk


class Spread(Enum):
    """A distribution: its name, what is counted, and the key of the row that is its mean."""

    CAPTIONS = "Tokens in a caption", "figures", "caption_tokens"
    REFERENCES = "Inline references of a figure", "figures", "references_per_figure"
    TEXTS = "Tokens in the reference text of a figure", "figures", "reference_tokens"
    OVERLAPS = "Overlap of caption and reference text, %", "figures", ""
    PAPERS = "Figures of a paper", "papers", "figures_per_paper"
    SUBFIGURES = "Subfigures of an annotated figure", "figures", ""
    YEARS = "Year of the article", "figures", ""

    @property
    def title(self) -> str:
        """Return its name."""
        return self.value[0]

    @property
    def counted(self) -> str:
        """Return what is counted."""
        return self.value[1]

    @property
    def mean(self) -> str:
        """Return the key of the row that is its mean, "" without one."""
        return self.value[2]


@dataclass(slots=True)
class Statistics:
    """Counts of each distribution's values, and sums; also a hash and a count for each article.

    overlap: the sum over figures with caption and references. pairs: subfigures with a subcaption. typed: figures
    with a type; not_medical: those with that type alone. judged: figures judged to be compound or not; compound:
    those that are. Tokens are words and punctuation marks.
    """

    figures: int = 0
    overlap: float = 0.0
    pairs: int = 0
    typed: int = 0
    not_medical: int = 0
    judged: int = 0
    compound: int = 0
    types: Counter[str] = field(default_factory=Counter)
    _articles: Counter[int] = field(default_factory=Counter)
    _spreads: defaultdict[Spread, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))

    def add_figure(self, figure: Figure | FigureRecord) -> None:
        """Count a figure's article, caption and references."""
        self.figures += 1
        spreads = self._spreads
        spreads[Spread.REFERENCES][len(figure.references)] += 1
        if isinstance(year := figure.source.get("year"), int):
            spreads[Spread.YEARS][year] += 1
        if figure.document:
            self._articles[hash(figure.document)] += 1
        if figure.caption.text:
            spreads[Spread.CAPTIONS][len(figure.caption.ranges)] += 1
        if not figure.references:
            return
        references = Caption.cut(" ".join(figure.references))
        spreads[Spread.TEXTS][len(references.ranges)] += 1
        if figure.caption.text:
            overlap = jaccard(figure.caption.words, references.words)
            self.overlap += overlap
            spreads[Spread.OVERLAPS][round(100 * overlap)] += 1

    def add_work(self, work: Annotation | Gold) -> None:
        """Count an accepted figure's subfigures and types."""
        if work.status is not Status.ACCEPTED:
            return
        if work.items.kind is not None:
            self.add_types(work.items.kind.types)
            self.judged += work.items.kind.compound is not None
            self.compound += work.items.kind.compound is True
        if work.subfigures:
            self._spreads[Spread.SUBFIGURES][len(work.subfigures)] += 1
            self.pairs += sum(bool(subfigure.subcaption) for subfigure in work.subfigures)

    def add_types(self, types: Collection[str]) -> None:
        """Count the types of a figure, if it has any."""
        self.typed += bool(types)
        self.not_medical += set(types) == {NOT_MEDICAL}
        self.types.update(types)

    @property
    def spreads(self) -> dict[Spread, Counter[int]]:
        """Return the counts of each distribution's values; empty if nothing was counted."""
        self._spreads[Spread.PAPERS] = Counter(self._articles.values())
        return {each: self._spreads[each] for each in Spread}

    def rows(self) -> Iterator[Row]:
        """Yield the table, in the paper's order; rows on subfigures and types only if there are any."""
        spreads = self.spreads
        references, texts = spreads[Spread.REFERENCES], spreads[Spread.TEXTS]
        yield _row("papers", "Papers", COUNT, len(self._articles))
        yield _row("figures", "Figures", COUNT, self.figures)
        yield _row("figures_per_paper", "Figures per paper", MEAN, _mean(spreads[Spread.PAPERS]))
        yield _row("references_per_figure", "Inline references per figure", MEAN, _mean(references))
        yield _row("caption_tokens", "Tokens in a caption", MEAN, _mean(spreads[Spread.CAPTIONS]))
        share = _ratio(texts.total(), self.figures)
        yield _row("with_references", "Figures with reference text", SHARE, share)
        yield _row("reference_tokens", "Tokens in the reference text of a figure", MEAN, _mean(texts))
        each = _ratio(_sum(texts), _sum(references))
        yield _row("sentence_tokens", "Tokens in a reference", MEAN, each)
        overlap = _ratio(self.overlap, spreads[Spread.OVERLAPS].total())
        yield _row("overlap", "Overlap of caption and reference text (Jaccard)", SHARE, overlap)
        subfigures = spreads[Spread.SUBFIGURES]
        if subfigures:
            compound = Counter({number: figures for number, figures in subfigures.items() if number > 1})
            annotated = subfigures.total()
            yield _row("annotated", "Figures with annotated subfigures", COUNT, annotated)
            yield _row("compound", "Of these, compound", SHARE, _ratio(compound.total(), annotated))
            yield _row("subfigures", "Subfigures per compound figure", MEAN, _mean(compound))
            yield _row("pairs", "Subfigures with a subcaption", COUNT, self.pairs)
            yield _row("with_subcaption", "Of all subfigures", SHARE, _ratio(self.pairs, _sum(subfigures)))
        if self.judged:
            compound_share = _ratio(self.compound, self.judged)
            yield _row("judged_compound", "Judged to be compound", SHARE, compound_share, self.judged)
        if NOT_MEDICAL in self.types:
            medical = _ratio(self.typed - self.not_medical, self.typed)
            yield _row("medical", "Medical", SHARE, medical, self.typed)
        for name, number in sorted(self.types.items(), key=lambda each: (-each[1], each[0])):
            yield _row(f"type {name}", f"Type: {name}", SHARE, _ratio(number, self.typed), self.typed)


def _row(key: str, name: str, kind: str, value: float | None, sample: int | None = None) -> Row:
    return Row(key, name, kind, value, PAPER.get(key), sample)


def _sum(counts: Counter[int]) -> int:
    return sum(value * number for value, number in counts.items())


def _mean(counts: Counter[int]) -> float | None:
    return _ratio(_sum(counts), counts.total())


def _ratio(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def statistics_of(source: Path, problems: Problems) -> Iterator[Statistics]:
    """Yield the statistics of a file of figures, gold, or a campaign's home, after each figure and at the end.

    Of a home these are all its figures and its gold. Bad records are problems. Raises AnnotatorError if the source
    cannot be read.
    """
    statistics = Statistics()
    if source.is_dir():
        yield from _of_home(Home.find(source), statistics)
    elif looks_of(source).layouts == {MEDICAT}:
        for annotation in read_medicat(source, problems):
            statistics.add_figure(annotation.figure)
            statistics.add_work(annotation)
            yield statistics
    else:
        check_figures(source)
        for figure in read_figures(source, problems, images=False):
            statistics.add_figure(figure)
            statistics.add_types(figure_types(figure.extra))
            yield statistics
    yield statistics


def _of_home(home: Home, statistics: Statistics) -> Iterator[Statistics]:
    with home.open_store(reading=True) as store, store.read() as tx:
        for figure in tx.figures.all():
            statistics.add_figure(figure)
            yield statistics
        for gold in gold_in(tx, home.campaign, GoldTally()):
            statistics.add_work(gold)
            yield statistics


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the Jaccard index of two texts' words, in lower case and without punctuation; 0 without words."""
    first, second = ({word.lower() for word in words if word.isalnum()} for words in (one, other))
    return len(first & second) / (len(first | second) or 1)


_HEAD = ("Statistic", "This corpus", "MedICaT paper")
#: Blue and vermilion, of the palette of Okabe and Ito.
_HERE, _PAPER = "#0072b2", "#d55e00"
_STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "panelwise"}
#: Bars of a histogram at most; above the 99th percentile all values are one bar.
_BARS, _MOST = 30, 0.99


def _markdown(statistics: Statistics, title: str) -> str:
    lines = [f"# {_cell(title)}", "", f"| {' | '.join(_HEAD)} |", "|---|--:|--:|"]
    for row in statistics.rows():
        lines.append(f"| {_cell(row.name)} | {_estimate(row)} | {_shown(row.kind, row.paper)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


def _latex(statistics: Statistics, title: str) -> str:
    cells = [
        (
            escaped(row.name),
            *(escaped(text) or UNDEFINED for text in (_estimate(row), _shown(row.kind, row.paper))),
        )
        for row in statistics.rows()
    ]
    columns = tuple(zip(_HEAD, "lrr", strict=True))
    return MarkupTable("statistics", title, columns, cells).latex()


def _json(statistics: Statistics, title: str) -> str:
    found = {
        row.key: {"name": row.name, "value": row.value, "paper": row.paper}
        | ({"sample": row.sample, "interval": row.interval} if row.sample else {})
        for row in statistics.rows()
    }
    return json.dumps({"title": title, "statistics": found}, indent=2, ensure_ascii=False) + "\n"


def _shown(kind: str, value: float | None) -> str:
    """Return a count with separators, a share as per cent, a mean with a decimal; "" for no value."""
    if value is None:
        return ""
    if kind == COUNT:
        return f"{value:,.0f}"
    return f"{100 * value:.1f} %" if kind == SHARE else f"{value:.1f}"


def _estimate(row: Row) -> str:
    """Return a value, and the interval and the sample of one that is estimated."""
    text, interval = _shown(row.kind, row.value), row.interval
    if interval is None or row.sample is None:
        return text
    low, high = (f"{100 * bound:.1f}" for bound in interval)
    return f"{text} (95 % CI {low} to {high}, n = {row.sample:,})"


def _page(statistics: Statistics, title: str) -> str:
    """Return an HTML page that loads nothing: the table, and plots of the distributions if matplotlib is there."""
    rows = list(statistics.rows())
    template = (Path(__file__).parent / "statistics.html").read_text(encoding="utf-8")
    page_template = Template(template, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    text: str = page_template.render(
        title=title,
        head=_HEAD,
        rows=[(row.name, _estimate(row), _shown(row.kind, row.paper)) for row in rows],
        plots=_plots(statistics, rows) if can_draw() else None,
    )
    return text


def _plots(statistics: Statistics, rows: Sequence[Row]) -> list[tuple[str, str]]:
    drawn = [
        (spread.title, _histogram(counts, spread, PAPER.get(spread.mean)))
        for spread, counts in statistics.spreads.items()
        if counts
    ]
    types = {row.name.removeprefix("Type: "): row for row in rows if row.key.startswith("type ")}
    return [*drawn, ("Types", _types(types))] if types else drawn


def _histogram(counts: Counter[int], spread: Spread, paper: float | None) -> str:
    last = _percentile(counts)
    width = max(1, -(-(last - min(counts) + 1) // _BARS))
    bars: Counter[int] = Counter()
    for value, number in counts.items():
        bars[min(value, last) // width * width] += number
    mean = sum(value * number for value, number in counts.items()) / counts.total()

    def draw(axes: Any) -> None:
        axes.bar(
            list(bars),
            list(bars.values()),
            width=0.9 * width,
            align="edge" if width > 1 else "center",
            color=_HERE,
        )
        if spread is not Spread.YEARS:
            axes.axvline(mean, color="black", label=f"mean {mean:.1f}")
        if paper is not None:
            axes.axvline(paper, color=_PAPER, linestyle="--", label=f"MedICaT paper {paper:g}")
        most = f" ({last:,} or more in the last bar)" if max(counts) > last else ""
        axes.set(xlabel=f"{spread.title}{most}", ylabel=spread.counted)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)

    return _svg(draw)


def _percentile(counts: Counter[int]) -> int:
    """Return the smallest value that the share `_MOST` of all do not exceed."""
    left = _MOST * counts.total()
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            break
    return value


def _types(rows: Mapping[str, Row]) -> str:
    def draw(axes: Any) -> None:
        names = [name.replace("$", r"\$") for name in rows][::-1]
        places = range(len(names))
        values = [100 * (row.value or 0) for row in rows.values()][::-1]
        axes.barh(places, values, height=0.4, align="edge", color=_HERE, label="this corpus")
        paper = [100 * (row.paper or 0) for row in rows.values()][::-1]
        if any(paper):
            axes.barh(places, paper, height=-0.4, align="edge", color=_PAPER, label="MedICaT paper")
            axes.legend(frameon=False)
        axes.set_yticks(places, names)
        axes.set(xlabel="Figures with the type, %")

    return _svg(draw)


def _svg(draw: Any) -> str:
    """Return a plot as the address of an image that holds it."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    file = io.BytesIO()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn with boxes; the table has the name.
        warnings.filterwarnings("ignore", message="Glyph")
        figure = Figure(figsize=(5, 3), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        # No date, so that the same numbers give the same page.
        figure.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"


#: Writers of a report from statistics and a title, by name.
FORMATS: dict[str, Callable[[Statistics, str], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "json": _json,
    "html": _page,
}
