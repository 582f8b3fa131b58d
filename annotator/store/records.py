"""Small records that the store hands out beside the domain's own: the queue, and links to Label Studio."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from annotator.domain.annotation import Status

#: The setting that counts how often a person was renamed: what was read before under names does not hold.
RENAMINGS = "renamings"


class Revisions(StrEnum):
    """Work on which revisions of the figures: the present one, any other, or all.

    What counts is on the present one. The rest is kept: a figure may go back to an earlier caption or image.
    """

    PRESENT = "present"
    OTHER = "other"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One figure in the reviewers' queue.

    agreement: of its annotators, in [0, 1], None where it could not be computed. annotators: how many worked
    on it. decided: the status of the current decision, None where there is none yet. version: that decision's,
    0 for none. reviewer: who made it, "" for nobody.
    """

    figure_id: str
    agreement: float | None
    annotators: int
    decided: Status | None
    version: int
    reviewer: str


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many figures are in the queue, and how many of them have a decision (of any status)."""

    total: int
    decided: int


@dataclass(frozen=True, slots=True)
class Link:
    """Where one annotator's task of one phase is in Label Studio: its project and task there."""

    annotator: str
    phase: str
    project_id: int
    figure_id: str
    task_id: int


@dataclass(frozen=True, slots=True)
class ProjectLink:
    """The Label Studio project of one annotator in one phase, and the server that holds it."""

    annotator: str
    phase: str
    project_id: int
    server_url: str
    title: str = ""
