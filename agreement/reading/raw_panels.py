"""Raw boxes and token ids, including boxes of zero area and repeated ids, for `official-code` alone.

A record that the other readers refuse is refused here with the same message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agreement.columns.raw import RawAnnotation
from agreement.score.subfigure_f1 import Panel
from panelwise.domain import Annotation, Caption, Span, Status, attention_of
from panelwise.files import Line, Problems, read_each
from panelwise.formats import (
    PREDICTION_PHASE,
    UNKNOWN_TIME,
    AnyLine,
    FigureLookup,
    ListedPart,
    RecentFigures,
    listed_annotation_of,
    listed_of,
    listed_prediction_of,
    read_works,
)


def read_raw_annotations(
    path: Path, problems: Problems, lookup: FigureLookup | None = None
) -> Iterator[RawAnnotation]:
    """Yield the annotations of a file; a bad record is a problem and left out.

    Tokens of overlapping spans are listed once, those of a repeated span again. lookup: gives sizes and
    captions that records lack.
    """
    return read_works(path, partial(raw_annotation_of, lookup=lookup), problems)


def raw_annotation_of(
    line: AnyLine, figures: RecentFigures, problems: Problems, lookup: FigureLookup | None = None
) -> RawAnnotation:
    """Return one record's raw annotation; see `annotation_of`. Boxes without area stay, and are not named."""
    return _of_spans(*listed_annotation_of(line, figures, problems, lookup, flat=True))


def read_raw_predictions(
    path: Path, problems: Problems, lookup: FigureLookup | None = None
) -> Iterator[RawAnnotation]:
    """Yield the predictions of a file as their model's work in phase "prediction"; see `read_raw_annotations`."""

    def make(line: AnyLine, figures: RecentFigures, problems: Problems) -> RawAnnotation:
        found, parts = listed_prediction_of(line, figures, problems, lookup, flat=True)
        work = Annotation(
            found.figure, found.model_version, PREDICTION_PHASE, Status.ACCEPTED, found.subfigures, UNKNOWN_TIME
        )
        # Only a box without area can lack a score here, and none is surer of less.
        return replace(_of_spans(work, parts), scores=tuple(part.score or 0.0 for part in parts))

    return read_works(path, make, problems)


def read_raw_medicat(path: Path, problems: Problems, *, annotator: str = "gold") -> Iterator[RawAnnotation]:
    """Yield the records as work by `annotator` in phase "gold"; a bad one is a problem and left out."""

    def make(line: Line) -> RawAnnotation:
        listed = listed_of(line, annotator, problems, flat=True)
        panels = tuple(Panel(part.corners, part.tokens) for part in listed.parts)
        return _raw(listed.annotation, panels, listed.subcaptions)

    return read_each(path, make, problems)


def _of_spans(work: Annotation, parts: Sequence[ListedPart]) -> RawAnnotation:
    ids = [_ids(work.figure.caption, part.spans) for part in parts]
    panels = tuple(Panel(part.corners, tokens) for part, tokens in zip(parts, ids, strict=True))
    # The authors' layout need not list what is empty; this one has no other way to say "none".
    return _raw(work, panels, tuple(filter(None, ids)))


def _ids(caption: Caption, spans: Sequence[Span]) -> tuple[int, ...]:
    """Return ids ascending, one in overlapping spans once, as the authors' reader makes a set of them.

    A span that is listed again stands for ids that are listed again, as other layouts can list them.
    """
    again = [span for place, span in enumerate(spans) if span in spans[:place]]
    repeated = [token for span in again for token in caption.tokens_in([span])]
    return tuple(sorted([*caption.tokens_in(spans), *repeated]))


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
        partly_read=work.partly_read,
        attention=attention_of(work),
    )
