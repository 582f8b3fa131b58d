"""Raw boxes and token ids, including boxes of zero area and repeated ids, for `official-code` alone.

A record that the other readers refuse is refused here with the same message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agreement.columns.raw import RawAnnotation
from panelwise.domain import Annotation, Panel, Status, attention_of
from panelwise.files import Line, Problems, read_each
from panelwise.formats import (
    PREDICTION_PHASE,
    UNKNOWN_TIME,
    AnyLine,
    FigureLookup,
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
    return _raw(*listed_annotation_of(line, figures, problems, lookup, flat=True))


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
        return replace(_raw(work, parts), scores=tuple(part.score or 0.0 for part in parts))

    return read_works(path, make, problems)


def read_raw_medicat(path: Path, problems: Problems, *, annotator: str = "gold") -> Iterator[RawAnnotation]:
    """Yield the records as work by `annotator` in phase "gold"; a bad one is a problem and left out."""

    def make(line: Line) -> RawAnnotation:
        listed = listed_of(line, annotator, problems, flat=True)
        return _raw(listed.annotation, listed.parts, listed.subcaptions)

    return read_each(path, make, problems)


def _raw(
    work: Annotation, parts: Sequence[Panel], subcaptions: tuple[Collection[int], ...] | None = None
) -> RawAnnotation:
    """Return raw work. subcaptions: as listed; None for those of the parts that are not empty."""
    # The authors' layout need not list what is empty; ours has no other way to say "none".
    listed = tuple(part.tokens for part in parts if part.tokens) if subcaptions is None else subcaptions
    return RawAnnotation(
        figure=work.figure,
        annotator=work.annotator,
        phase=work.phase,
        status=work.status,
        subfigures=tuple(Panel(part.box, part.tokens) for part in parts),
        subcaptions=listed,
        saved_at=work.saved_at,
        seeded_by=work.seeded_by,
        partly_read=work.partly_read,
        attention=attention_of(work),
    )
