"""Statistics of annotated figures and captions, to compare simulated with real ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from panelwise.domain import Annotation, Caption, FormatError
from panelwise.files import Fields, Line, Problems, read_lines
from panelwise.formats import read_annotations, read_caption

#: Styles of markers in the order in which they are looked for; the first that a caption has counts.
MARKERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("(A)", re.compile(r"\([A-Z]\d?(?:[ivx]+)?(?:[-–—,& ][^()]{0,14})?\)")),
    ("(a)", re.compile(r"\([a-z]\d?(?:[-–—,& ][^()]{0,14})?\)")),
    ("A) a)", re.compile(r"(?<![\w(])[A-Ha-h]\)\s")),
    ("A. A: A,", re.compile(r"(?:^|[.;:]\s)[A-Ha-h](?:[.:,]|\s?[-–—])\s?\w")),
    ("(i) (1)", re.compile(r"\((?:[ivx]{1,4}|\d{1,2})\)")),
    ("left, top", re.compile(r"\b(?:left|right|upper|lower|top|bottom|middle|center|centre)\b", re.IGNORECASE)),
)
#: What a caption without any of them counts as.
UNMARKED = "none"

QUANTILES = (5, 25, 50, 75, 95)


@dataclass(slots=True)
class Statistics:
    """Counts over a file; what it does not hold stays empty. All tokens are words, without punctuation.

    panels: figures by their number of panels. subcaption_words: one entry for each panel with text. shared_words:
    words of subcaptions that belong to two panels or more.
    """

    figures: int = 0
    panels: Counter[int] = field(default_factory=Counter)
    caption_words: list[int] = field(default_factory=list)
    subcaption_words: list[int] = field(default_factory=list)
    silent: int = 0
    many_spans: int = 0
    words: int = 0
    shared_words: int = 0
    figures_sharing: int = 0
    markers: Counter[str] = field(default_factory=Counter)
    lettering: Counter[str] = field(default_factory=Counter)
    widths: list[int] = field(default_factory=list)
    heights: list[int] = field(default_factory=list)
    aspects: list[float] = field(default_factory=list)


def measured(path: Path, problems: Problems) -> Statistics:
    """The statistics of a file: annotations.jsonl, figures.jsonl, or captions with `panel_labels`.

    Raises FormatError if the file cannot be read as a whole; bad lines are problems.
    """
    first = next(read_lines(path, Problems()), None)
    found = Statistics()
    if first is not None and "subfigures" in first.record:
        for annotation in read_annotations(path, problems):
            _add_annotation(found, annotation)
    else:
        _add_captions(found, read_lines(path, problems), problems)
    return found


def _add_annotation(found: Statistics, annotation: Annotation) -> None:
    figure, panels = annotation.figure, annotation.subfigures
    _add_figure(found, figure.caption, figure.width, figure.height)
    found.panels[len(panels)] += 1
    owners: Counter[int] = Counter()
    for panel in panels:
        words = panel.subcaption & figure.caption.counted
        if not words:
            found.silent += 1
            continue
        found.subcaption_words.append(len(words))
        found.many_spans += len(figure.caption.spans_of(panel.subcaption)) > 1
        owners.update(words)
    shared = sum(count > 1 for count in owners.values())
    found.words += len(owners)
    found.shared_words += shared
    found.figures_sharing += shared > 0


def _add_figure(found: Statistics, caption: Caption, width: int | None, height: int | None) -> None:
    found.figures += 1
    if caption.text:
        found.caption_words.append(len(caption.counted))
        found.markers[marker_style(caption.text)] += 1
    if width and height:
        found.widths.append(width)
        found.heights.append(height)
        found.aspects.append(width / height)


def _add_captions(found: Statistics, lines: Iterator[Line], problems: Problems) -> None:
    for line in lines:
        fields = Fields(line.where, line.record)
        try:
            _add_figure(found, read_caption(fields), fields.size("width"), fields.size("height"))
        except FormatError as error:
            problems.add(error)
            continue
        labels, source = line.record.get("panel_labels"), line.record.get("source")
        if isinstance(labels, list) and labels:
            found.panels[len(labels)] += 1
        if isinstance(source, dict) and isinstance(source.get("lettering"), str):
            found.lettering[source["lettering"]] += 1


def marker_style(text: str) -> str:
    """The style in which a caption marks its panels: the first of `MARKERS` that it has, else UNMARKED."""
    return next((name for name, pattern in MARKERS if pattern.search(text)), UNMARKED)


def quantiles(values: Sequence[float]) -> list[float]:
    """The values at QUANTILES per cent of the sorted sequence; empty for none."""
    ordered = sorted(values)
    return [ordered[round((len(ordered) - 1) * share / 100)] for share in QUANTILES] if ordered else []


def statistics_text(found: Statistics) -> Iterator[str]:
    """The statistics as lines of text; nothing is said of what was not found."""
    yield f"figures                 {found.figures}"
    compound = sum(count for panels, count in found.panels.items() if panels > 1)
    if compound:
        mean = sum(panels * count for panels, count in found.panels.items() if panels > 1) / compound
        yield f"with one panel          {_share(found.panels[1], compound + found.panels[1])}"
        shares = [f"{panels}: {_share(found.panels[panels], compound)}" for panels in range(2, 9)]
        more = sum(count for panels, count in found.panels.items() if panels > 8)
        yield f"panels, of the compound {', '.join(shares)}, more: {_share(more, compound)}; mean {mean:.2f}"
    for name, numbers in (
        ("words in a caption", found.caption_words),
        ("words in a subcaption", found.subcaption_words),
    ):
        if numbers:
            yield f"{name:<23} {_quantile_text(numbers)}; mean {sum(numbers) / len(numbers):.1f}"
    panels = found.silent + len(found.subcaption_words)
    if panels:
        yield f"panels without text     {_share(found.silent, panels)}"
        yield f"in several spans        {_share(found.many_spans, len(found.subcaption_words))} of the subcaptions"
        yield f"shared words            {_share(found.shared_words, found.words)} of the words in subcaptions"
        yield f"figures that share some {_share(found.figures_sharing, found.figures)}"
    for name, counts in (("markers", found.markers), ("letters stand", found.lettering)):
        if counts:
            order = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
            yield f"{name:<23} {', '.join(f'{key} {_share(count, counts.total())}' for key, count in order)}"
    for name, sizes in (("width", found.widths), ("height", found.heights)):
        if sizes:
            yield f"{name:<23} {_quantile_text(sizes)}"
    if found.aspects:
        yield f"width / height          {', '.join(f'{value:.2f}' for value in quantiles(found.aspects))}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "none"


def _quantile_text(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in quantiles(values))
