"""Raw boxes and token ids, including boxes of zero area and repeated ids, for `official-code` alone.

A record that the other readers refuse is refused here with the same message.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from agreement.columns.raw import RawAnnotation
from agreement.score.subfigure_f1 import Panel
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Fields, Line, Problems, read_lines
from panelwise.formats import medicat
from panelwise.formats.annotations import (
    PREDICTION_PHASE,
    UNKNOWN_TIME,
    FigureLookup,
    RecentFigures,
    annotation_of,
    prediction_of,
)


def read_raw_annotations(
    path: Path, problems: Problems, lookup: FigureLookup | None = None
) -> Iterator[RawAnnotation]:
    """Yield the annotations of a file; a bad record is a problem and left out.

    A token's id is repeated for every span that covers it. lookup: gives sizes and captions that records lack.
    """
    figures: RecentFigures = OrderedDict()
    return _records(path, problems, lambda line: raw_annotation_of(line, figures, problems, lookup))


def raw_annotation_of(
    line: Line, figures: RecentFigures, _problems: Problems, lookup: FigureLookup | None = None
) -> RawAnnotation:
    """Return one record's raw annotation; see `annotation_of`. Nothing is left out, so problems stays empty."""
    work = annotation_of(line, figures, Problems(), lookup)
    return _of_spans(line, work)


def read_raw_predictions(
    path: Path, problems: Problems, lookup: FigureLookup | None = None
) -> Iterator[RawAnnotation]:
    """Yield the predictions of a file as their model's work in phase "prediction"; see `read_raw_annotations`."""
    figures: RecentFigures = OrderedDict()

    def make(line: Line) -> RawAnnotation:
        found = prediction_of(line, figures, Problems(), lookup)
        work = Annotation(
            found.figure, found.model_version, PREDICTION_PHASE, Status.ACCEPTED, found.subfigures, UNKNOWN_TIME
        )
        entries = Fields(line.where, line.record).objects("subfigures")
        # Only a box without area can lack a score here, and none is surer of less.
        scores = tuple(entry.optional_number("score") or 0.0 for entry in entries)
        return replace(_of_spans(line, work), scores=scores)

    return _records(path, problems, make)


def read_raw_medicat(path: Path, problems: Problems, *, annotator: str = "gold") -> Iterator[RawAnnotation]:
    """Yield the records as work by `annotator` in phase "gold"; a bad one is a problem and left out."""

    def make(line: Line) -> RawAnnotation:
        work = medicat.annotation_of(line, annotator, Problems())
        fields = Fields(line.where, line.record)
        panels = tuple(Panel(part.corners, part.tokens) for part in medicat.raw_parts(fields))
        return _raw(work, panels, medicat.raw_subcaptions(fields))

    return _records(path, problems, make)


def _records(path: Path, problems: Problems, make: Callable[[Line], RawAnnotation]) -> Iterator[RawAnnotation]:
    for line in read_lines(path, problems):
        try:
            yield make(line)
        except FormatError as error:
            problems.add(error)
        except AnnotatorError as error:
            problems.add(f"{line.where}: {error}")


def _of_spans(line: Line, work: Annotation) -> RawAnnotation:
    caption = work.figure.caption
    panels, subcaptions = [], []
    for entry in Fields(line.where, line.record).objects("subfigures"):
        x0, y0, x1, y1 = entry.numbers("box", 4)
        tokens = _ids(caption, entry.ranges("subcaption"))
        panels.append(Panel((x0, y0, x1, y1), tokens))
        if tokens:
            # The authors' layout need not list what is empty; this one has no other way to say "none".
            subcaptions.append(tokens)
    return _raw(work, tuple(panels), tuple(subcaptions))


def _ids(caption: Caption, ranges: list[tuple[int, int]]) -> tuple[int, ...]:
    """Return ids ascending; a token covered only by several spans together is listed once."""
    spans = [Span(start, end) for start, end in ranges]
    found = [token for span in spans for token in caption.tokens_in([span])]
    return tuple(sorted([*found, *(caption.tokens_in(spans) - frozenset(found))]))


def _raw(work: Annotation, panels: tuple[Panel, ...], subcaptions: tuple[tuple[int, ...], ...]) -> RawAnnotation:
    return RawAnnotation(
        figure=work.figure,
        annotator=work.annotator,
        phase=work.phase,
        status=work.status,
        subfigures=panels,
        subcaptions=subcaptions,
        saved_at=work.saved_at,
        seeded_by=work.seeded_by,
    )
