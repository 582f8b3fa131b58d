"""Decisions of reviewers and the gold that they make."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from annotator.domain.annotation import Status, Subfigure, check_subfigures, check_time, repeated_labels
from annotator.domain.errors import InvalidAnnotation
from annotator.domain.figure import Figure
from annotator.domain.qa import NO_ITEMS, Items


@dataclass(frozen=True, slots=True)
class Decision:
    """A reviewer's word on one figure. Append-only: version counts a figure's decisions from 1, the last holds.

    status: accepted makes gold, rejected keeps the figure out, ignored puts it off. based_on: names of the
    annotators (or model versions) whose work was adopted or merged. seconds: time spent on the screen.
    """

    figure: Figure
    reviewer: str
    version: int
    status: Status
    subfigures: tuple[Subfigure, ...]
    based_on: tuple[str, ...]
    decided_at: datetime
    items: Items = NO_ITEMS
    note: str = ""
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not self.reviewer:
            raise InvalidAnnotation("a decision needs its reviewer")
        if self.version < 1:
            raise InvalidAnnotation(f"versions of a decision count from 1, not {self.version}")
        check_time(self.decided_at, "decided_at")
        check_gold(self.figure, self.status, self.subfigures)


class GoldSource(StrEnum):
    """Where a gold record comes from."""

    ADJUDICATED = "adjudicated"
    UNANIMOUS = "unanimous"
    SINGLE = "single"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who and what stands behind a gold record. reviewer and note are "" where nobody decided."""

    source: GoldSource
    reviewer: str
    based_on: tuple[str, ...]
    decided_at: datetime
    note: str = ""


@dataclass(frozen=True, slots=True)
class Gold:
    """One settled figure; labels are unique."""

    figure: Figure
    status: Status
    subfigures: tuple[Subfigure, ...]
    provenance: Provenance
    items: Items = NO_ITEMS

    def __post_init__(self) -> None:
        check_gold(self.figure, self.status, self.subfigures)


def check_gold(figure: Figure, status: Status, subfigures: tuple[Subfigure, ...]) -> None:
    """What `check_subfigures` asks, and no label twice in what is accepted. Raises InvalidAnnotation."""
    check_subfigures(figure, subfigures)
    repeated = repeated_labels(subfigures)
    if status is Status.ACCEPTED and repeated:
        raise InvalidAnnotation(
            f'label "{repeated[0]}" is on more than one box; give each subfigure a label of its own'
        )
