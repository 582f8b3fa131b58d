"""Annotations as columns: the metric's inputs in arrays that a whole corpus fits into."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from agreement.columns.contents import Contents
from agreement.columns.raw import RawAnnotation, Submitted, panels_of, subcaptions_of
from agreement.primitives.iou import Boxes, as_boxes
from agreement.primitives.matching import Indices, ranges
from agreement.primitives.token_f1 import common_tokens
from agreement.primitives.token_sets import Mask, TokenPlaces, TokenSets, starts_of
from panelwise.domain import InvalidAnnotation, Status, Subfigure, began_from_prediction

#: (A,) numbers of names or of contents.
Column = NDArray[np.int32]
#: The values that the column `status` numbers.
STATUSES: tuple[Status, ...] = tuple(Status)
ACCEPTED, REJECTED, IGNORED = (STATUSES.index(each) for each in (Status.ACCEPTED, Status.REJECTED, Status.IGNORED))

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """A annotations with P panels (subfigures) on C contents. Iterating gives the annotations themselves.

    annotators, phases, figures: names in order, each once; a name may be without annotations. annotator, phase,
    figure: (A,) places in them. revision: (A,) of the figure. status: (A,) int8, places in `STATUSES`.
    seeded: (A,) whether it began from a prediction. partial: (A,) whether some of it could not be read.
    saved_at: (A,) int64, microseconds since 1970 in UTC.

    content: (A,) which caption, tokens and image size it was made on: equal numbers, equal content.
    digests: (C, 2) uint64, the same across corpora (`content_digest`), no two alike. tokens, counted: (C,) int64,
    how many tokens a content has, and how many of them count. sizes: (C, 2) int64, width and height of its image.

    panel_starts: (A + 1,) int64, where each annotation's panels begin. boxes: (P, 4) float64 pixels, area or none.
    labels: names in order; label: (P,) places in them, of raw panels "".
    text: P sets of tokens, each laid out as `TokenPlaces` says for its content. repeated_panels, repeated_places:
    (R,) int64, one entry for each time that a raw list names a token again (`repeated`), panels ascending.
    common: A sets, the tokens in every subcaption; None if that follows from the panels with text, as of
    all work that is not raw.

    rows: the A annotations as a whole, for uses beyond columns; may read them on request.
    """

    annotators: tuple[str, ...]
    phases: tuple[str, ...]
    figures: tuple[str, ...]
    annotator: Column
    phase: Column
    figure: Column
    revision: Column
    status: NDArray[np.int8]
    seeded: Mask
    partial: Mask
    saved_at: Indices
    content: Column
    digests: NDArray[np.uint64]
    tokens: Indices
    counted: Indices
    sizes: Indices
    panel_starts: Indices
    boxes: Boxes
    labels: tuple[str, ...]
    label: Column
    text: TokenSets
    repeated_panels: Indices
    repeated_places: Indices
    common: TokenSets | None
    rows: Sequence[Submitted]

    def __len__(self) -> int:
        return len(self.annotator)

    def __iter__(self) -> Iterator[Submitted]:
        return iter(self.rows)

    @classmethod
    def of(cls, annotations: Iterable[Submitted]) -> Corpus:
        """Return the columns of annotations in memory; a corpus is returned unchanged.

        Raises InvalidAnnotation if a raw subcaption names a token that its caption lacks, or a raw box has a
        coordinate that is not finite.
        """
        if isinstance(annotations, Corpus):
            return annotations
        return _of_rows(list(annotations))

    @property
    def panels(self) -> Indices:
        """Number of panels of each annotation, (A,)."""
        return np.diff(self.panel_starts)

    def with_panels(self, chosen: Mask) -> Corpus:
        """Return the same work with some of its panels, and common tokens computed from those. chosen: (P,)."""
        panels = np.flatnonzero(chosen)
        owners = np.repeat(np.arange(len(self)), self.panels)
        again = chosen[self.repeated_panels]
        return replace(
            self,
            panel_starts=starts_of(np.bincount(owners[panels], minlength=len(self))),
            boxes=self.boxes[panels],
            label=self.label[panels],
            text=self.text.take(panels),
            repeated_panels=(np.cumsum(chosen) - 1)[self.repeated_panels[again]],
            repeated_places=self.repeated_places[again],
            common=None,
        )

    def take(self, rows: Indices) -> Corpus:
        """Return the annotations with these numbers, in this order; each at most once. rows: (M,)."""
        sizes = self.panels[rows]
        panels = ranges(self.panel_starts[rows], sizes)
        repeated_panels, repeated_places = self.repeated_panels, self.repeated_places
        if len(repeated_panels):
            new_number = np.full(len(self.boxes), -1, dtype=np.int64)
            new_number[panels] = np.arange(len(panels))
            moved = new_number[repeated_panels]
            order = np.argsort(moved, kind="stable")
            order = order[moved[order] >= 0]
            repeated_panels, repeated_places = moved[order], repeated_places[order]
        return replace(
            self,
            annotator=self.annotator[rows],
            phase=self.phase[rows],
            figure=self.figure[rows],
            revision=self.revision[rows],
            status=self.status[rows],
            seeded=self.seeded[rows],
            partial=self.partial[rows],
            saved_at=self.saved_at[rows],
            content=self.content[rows],
            panel_starts=starts_of(sizes),
            boxes=self.boxes[panels],
            label=self.label[panels],
            text=self.text.take(panels),
            repeated_panels=repeated_panels,
            repeated_places=repeated_places,
            common=None if self.common is None else self.common.take(rows),
            rows=Chosen(self.rows, rows),
        )


class Rows(Sequence[Submitted], ABC):
    """Annotations read on demand; a slice reads none."""

    __slots__ = ()

    @abstractmethod
    def at(self, place: int) -> Submitted:
        """Return the annotation at an index, from 0."""

    @overload
    def __getitem__(self, index: int) -> Submitted: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Submitted]: ...

    def __getitem__(self, index: int | slice) -> Submitted | Sequence[Submitted]:
        """Return one annotation, or a slice. Raises IndexError for an invalid index."""
        if isinstance(index, slice):
            return Chosen(self, np.arange(len(self))[index])
        return self.at(range(len(self))[index])


@dataclass(frozen=True, slots=True, eq=False)
class Chosen(Rows):
    """Some of the annotations of a sequence. places: (M,)."""

    base: Sequence[Submitted]
    places: Indices

    def __len__(self) -> int:
        return len(self.places)

    def at(self, place: int) -> Submitted:
        """See `Rows`."""
        return self.base[int(self.places[place])]


def superseding(places: Indices, saved_at: Indices) -> tuple[Indices, Indices]:
    """Return the numbers of current annotations, and of those superseded by a later one of the same place,
    ascending.

    places: (A,) equal numbers for one place. saved_at: (A,). Of two saved at the same time the last in order is
    later.
    """
    if not (np.diff(np.sort(places)) == 0).any():
        return np.arange(len(places)), np.zeros(0, dtype=np.int64)
    order = np.lexsort((saved_at, places))
    superseded = np.sort(order[:-1][np.diff(places[order]) == 0])
    return np.setdiff1d(np.arange(len(places)), superseded, assume_unique=True), superseded


def split_superseded(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Split into current annotations and those superseded by a later one of the same figure, person and phase."""
    places = corpus.figure.astype(np.int64) * len(corpus.annotators) + corpus.annotator
    kept, replaced = superseding(places * len(corpus.phases) + corpus.phase, corpus.saved_at)
    return (corpus.take(kept) if len(replaced) else corpus), corpus.take(replaced)


def split_partly_read(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Split into work that was read whole and accepted work of which a part is missing.

    Work that rejects or ignores its figure says all that counts.
    """
    partial = corpus.partial & (corpus.status == ACCEPTED)
    if not partial.any():
        return corpus, corpus.take(np.zeros(0, dtype=np.int64))
    return corpus.take(np.flatnonzero(~partial)), corpus.take(np.flatnonzero(partial))


def microseconds(moment: datetime) -> int:
    """Return an aware time in microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def numbered(names: Sequence[str]) -> tuple[tuple[str, ...], Column]:
    """Return the distinct names in order, and each name's index in them, (A,)."""
    table = tuple(sorted(set(names)))
    places = {name: place for place, name in enumerate(table)}
    return table, np.fromiter(map(places.__getitem__, names), dtype=np.int32, count=len(names))


def common_of(text: TokenSets, panel_starts: Indices, widths: Indices) -> TokenSets:
    """Return the tokens in every panel with text of each of A annotations; empty if no panel has text.

    text: P sets. panel_starts: (A + 1,). widths: (A,) words of each annotation's sets.
    """
    starts = starts_of(widths)
    words = np.zeros(int(starts[-1]), dtype=np.uint64)
    filled = text.sizes() > 0
    owners = np.repeat(np.arange(len(widths)), np.diff(panel_starts))[filled]
    if len(owners):
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        spoken_for = owners[first]
        for word in range(int(widths[spoken_for].max())):
            # Sets of annotations that are narrower end before this word; all panels of one are of one width.
            wide = text.widths[filled] > word
            own = text.words[text.starts[:-1][filled][wide] + word]
            whose = owners[wide]
            begin = np.flatnonzero(np.diff(whose, prepend=-1))
            words[starts[whose[begin]] + word] = np.bitwise_and.reduceat(own, begin)
    return TokenSets(words, starts)


def _of_rows(rows: list[Submitted]) -> Corpus:
    contents = Contents()
    content = np.array([contents.number(each.figure) for each in rows], dtype=np.int32)
    flags = np.array(list(chain.from_iterable(contents.flags)), dtype=np.bool_)
    places = TokenPlaces.of(flags, starts_of(np.array([len(each) for each in contents.flags], dtype=np.int64)))
    panels = [panels_of(each) for each in rows]
    panel_starts = starts_of(np.array([len(each) for each in panels], dtype=np.int64))
    every = list(chain.from_iterable(panels))
    owners = np.repeat(np.arange(len(rows)), np.diff(panel_starts))
    boxes = as_boxes([panel.box for panel in every])
    if not np.isfinite(boxes).all():
        panel = int((~np.isfinite(boxes)).any(axis=1).argmax())
        row = rows[int(owners[panel])]
        raise InvalidAnnotation(
            f'figure "{row.figure.id}" by {row.annotator}: box {boxes[panel].tolist()} has a coordinate '
            "that is not a finite number"
        )
    text, again = _sets([panel.tokens for panel in every], rows, owners, content, places)
    common = None
    if any(isinstance(each, RawAnnotation) for each in rows):
        told = [common_tokens(subcaptions_of(each)) for each in rows]
        common, _ = _sets(told, rows, np.arange(len(rows)), content, places)
    annotators, annotator = numbered([each.annotator for each in rows])
    phases, phase = numbered([each.phase for each in rows])
    figures, figure = numbered([each.figure.id for each in rows])
    parts = chain.from_iterable(each.subfigures for each in rows)
    labels, label = numbered([part.label if isinstance(part, Subfigure) else "" for part in parts])
    return Corpus(
        annotators=annotators,
        phases=phases,
        figures=figures,
        annotator=annotator,
        phase=phase,
        figure=figure,
        revision=np.array([each.figure.revision for each in rows], dtype=np.int32),
        status=np.array([STATUSES.index(each.status) for each in rows], dtype=np.int8),
        seeded=np.array([began_from_prediction(each.seeded_by) for each in rows], dtype=np.bool_),
        partial=np.array([each.partly_read for each in rows], dtype=np.bool_),
        saved_at=np.array([microseconds(each.saved_at) for each in rows], dtype=np.int64),
        content=content,
        digests=np.array(contents.digests, dtype=np.uint64).reshape(-1, 2),
        tokens=places.tokens,
        counted=places.counted,
        sizes=np.array(contents.sizes, dtype=np.int64).reshape(-1, 2),
        panel_starts=panel_starts,
        boxes=boxes,
        labels=labels,
        label=label,
        text=text,
        repeated_panels=again[0],
        repeated_places=again[1],
        common=common,
        rows=rows,
    )


def _sets(
    lists: Sequence[Collection[int]],
    rows: Sequence[Submitted],
    owners: Indices,
    content: Column,
    places: TokenPlaces,
) -> tuple[TokenSets, tuple[Indices, Indices]]:
    """Return the lists as sets, and their `repeated` tokens. owners: (N,) annotation of each list."""
    lengths = np.array([len(each) for each in lists], dtype=np.int64)
    tokens = np.array(list(chain.from_iterable(lists)), dtype=np.int64)
    starts = starts_of(lengths)
    captions = content[owners].astype(np.int64)
    unknown = (tokens < 0) | (tokens >= np.repeat(places.tokens[captions], lengths))
    if unknown.any():
        first = int(unknown.argmax())
        row = rows[int(np.repeat(owners, lengths)[first])]
        raise InvalidAnnotation(
            f'figure "{row.figure.id}" by {row.annotator}: token {tokens[first]} of '
            f"{len(row.figure.caption.ranges)} in a subcaption; re-import the caption"
        )
    return places.sets_of_lists(captions, tokens, starts), repeated(
        places.places(np.repeat(captions, lengths), tokens), starts
    )


def repeated(places: Indices, list_starts: Indices) -> tuple[Indices, Indices]:
    """Return list number (ascending) and token place of each repetition of a token in N lists.

    places: (L,), the lists concatenated. list_starts: (N + 1,).
    """
    owners = np.repeat(np.arange(len(list_starts) - 1), np.diff(list_starts))
    order = np.lexsort((places, owners))
    owners, sorted_places = owners[order], places[order]
    again = np.flatnonzero((np.diff(owners) == 0) & (np.diff(sorted_places) == 0)) + 1
    return owners[again], sorted_places[again]


def places_of(annotations: Iterable[Submitted]) -> tuple[tuple[str, str], ...]:
    """Return (figure, annotator) of each annotation, in order."""
    corpus = Corpus.of(annotations)
    return tuple(
        sorted(
            (corpus.figures[figure], corpus.annotators[annotator])
            for figure, annotator in zip(corpus.figure.tolist(), corpus.annotator.tolist(), strict=True)
        )
    )
