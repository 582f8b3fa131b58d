"""Join several corpora, with names and contents renumbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agreement.columns.contents import distinct
from agreement.columns.corpus import Column, Corpus, common_of
from agreement.columns.raw import Submitted
from agreement.primitives.token_sets import WORD, TokenSets, starts_of
from agreement.reading.rows import JoinedRows

Scalar = TypeVar("Scalar", bound=np.generic)


def joined(parts: Sequence[Corpus], rows: Sequence[Submitted] | None = None) -> Corpus:
    """Concatenate the annotations of all parts. rows: those annotations, else the parts' own."""
    if len(parts) == 1 and rows is None:
        return parts[0]
    annotators, annotator = _names([part.annotators for part in parts], [part.annotator for part in parts])
    phases, phase = _names([part.phases for part in parts], [part.phase for part in parts])
    figures, figure = _names([part.figures for part in parts], [part.figure for part in parts])
    labels, label = _names([part.labels for part in parts], [part.label for part in parts])
    digests, first, content = _contents([part.digests for part in parts], [part.content for part in parts])
    panels = starts_of(np.array([len(part.boxes) for part in parts], dtype=np.int64))
    common = None
    if any(part.common is not None for part in parts):
        common = _sets([_common(part) for part in parts])
    return Corpus(
        annotators=annotators,
        phases=phases,
        figures=figures,
        annotator=annotator,
        phase=phase,
        figure=figure,
        revision=_together([part.revision for part in parts], np.int32),
        status=_together([part.status for part in parts], np.int8),
        seeded=_together([part.seeded for part in parts], np.bool_),
        partial=_together([part.partial for part in parts], np.bool_),
        saved_at=_together([part.saved_at for part in parts], np.int64),
        content=content,
        digests=digests,
        tokens=_together([part.tokens for part in parts], np.int64)[first],
        counted=_together([part.counted for part in parts], np.int64)[first],
        sizes=np.concatenate([np.zeros((0, 2), dtype=np.int64), *(part.sizes for part in parts)])[first],
        panel_starts=starts_of(_together([part.panels for part in parts], np.int64)),
        boxes=np.concatenate([np.zeros((0, 4)), *(part.boxes for part in parts)]),
        labels=labels,
        label=label,
        text=_sets([part.text for part in parts]),
        repeated_panels=_together(
            [part.repeated_panels + start for part, start in zip(parts, panels[:-1], strict=True)], np.int64
        ),
        repeated_places=_together([part.repeated_places for part in parts], np.int64),
        common=common,
        rows=JoinedRows.of([part.rows for part in parts]) if rows is None else rows,
    )


def _together(columns: Sequence[NDArray[Scalar]], kind: type[Scalar]) -> NDArray[Scalar]:
    return np.concatenate([np.zeros(0, dtype=kind), *columns])


def _names(tables: Sequence[tuple[str, ...]], columns: Sequence[Column]) -> tuple[tuple[str, ...], Column]:
    """Return one table of all names, and the columns numbered by it."""
    table = tuple(sorted(set().union(*tables)))
    if all(own == table for own in tables):
        return table, _together(columns, np.int32)
    places = {name: place for place, name in enumerate(table)}
    renumbered = []
    for own, column in zip(tables, columns, strict=True):
        new = np.fromiter(map(places.__getitem__, own), dtype=np.int32, count=len(own))
        renumbered.append(new[column])
    return table, _together(renumbered, np.int32)


def _contents(
    digests: Sequence[NDArray[np.uint64]], columns: Sequence[Column]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], Column]:
    """Return the distinct contents, the first of each, and the columns numbered by them."""
    every = np.concatenate([np.zeros((0, 2), dtype=np.uint64), *digests])
    numbers, first = distinct(every)
    starts = starts_of(np.array([len(each) for each in digests], dtype=np.int64))
    content = _together(
        [numbers[column + start] for column, start in zip(columns, starts[:-1], strict=True)], np.int32
    )
    return every[first], first, content


def _sets(parts: Sequence[TokenSets]) -> TokenSets:
    widths = _together([part.widths for part in parts], np.int64)
    return TokenSets(_together([part.words for part in parts], np.uint64), starts_of(widths))


def _common(part: Corpus) -> TokenSets:
    """Return the common tokens of a part, computed from its panels with text if it has none."""
    if part.common is not None:
        return part.common
    return common_of(part.text, part.panel_starts, -(-part.tokens[part.content] // WORD))
