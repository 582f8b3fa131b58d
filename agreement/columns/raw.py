"""Work as stored in a file, before domain types: `official-code` counts what those refuse or merge."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from panelwise.domain import Annotation, Attention, Figure, Panel, Status


@dataclass(frozen=True, slots=True)
class RawAnnotation:
    """An Annotation whose subfigures are raw: boxes may lack area, token ids may repeat.

    subcaptions: all listed in the record, including empty ones and ones without a box; they define the common
    tokens. scores: a model's confidence in each subfigure, None for annotators' work.
    partly_read: see `Annotation`. attention: see `attention_of`.
    """

    figure: Figure
    annotator: str
    phase: str
    status: Status
    subfigures: tuple[Panel, ...]
    subcaptions: tuple[Collection[int], ...]
    saved_at: datetime
    seeded_by: str | None = None
    scores: tuple[float, ...] | None = None
    partly_read: bool = False
    attention: Attention | None = None


#: Work that can be scored.
Submitted = Annotation | RawAnnotation


def panels_of(work: Submitted) -> Sequence[Panel]:
    """Return the subfigures in stored order."""
    if isinstance(work, RawAnnotation):
        return work.subfigures
    return [Panel(part.box.corners, part.subcaption) for part in work.subfigures]


def subcaptions_of(work: Submitted) -> Sequence[Collection[int]]:
    """Return the subcaptions that define the common tokens."""
    if isinstance(work, RawAnnotation):
        return work.subcaptions
    # A subfigure without text is no subcaption: the layout that the authors read does not list it.
    return [part.subcaption for part in work.subfigures if part.subcaption]
