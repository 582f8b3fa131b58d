"""Reviewers' decisions, and the gold made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from panelwise.domain.annotation import (
    Annotation,
    Status,
    Subfigure,
    check_subfigures,
    check_time,
    repeated_labels,
)
from panelwise.domain.box import CLOSE_IOU
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import NO_ITEMS, Items
from panelwise.domain.kinds import items_key

#: The phase of a decision that is compared or merged as an annotation.
DECISION_PHASE = "decision"


class ErrorKind(StrEnum):
    """The reviewer's reason why annotators went wrong on a figure."""

    AMBIGUOUS = "ambiguous text"
    GAP = "guideline gap"
    SLIP = "slip"
    EDGE = "edge case"


class Awaits(StrEnum):
    """The review that a decision waits for: by a second reviewer, or by a third who breaks a tie."""

    SECOND = "second"
    TIE_BREAK = "tie-break"


@dataclass(frozen=True, slots=True)
class Decision:
    """A reviewer's decision on one figure. Append-only: version counts a figure's decisions from 1, the last is
    current.

    status: accepted makes gold, rejected excludes the figure, ignored postpones it. based_on: names of the
    annotators (or model versions) whose work was adopted or merged. seconds: time spent on the screen.
    guideline_flag: what the guidelines leave open, "" for none. restored_from: the earlier version that was
    restored. awaits: the confirmation still needed; None once the figure is adjudicated.
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
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""
    restored_from: int | None = None
    awaits: Awaits | None = None

    def __post_init__(self) -> None:
        _check_entry(self.reviewer, self.version)
        if self.restored_from is not None and not 1 <= self.restored_from < self.version:
            raise InvalidAnnotation(f"decision {self.version} cannot restore version {self.restored_from}")
        check_time(self.decided_at, "decided_at")
        check_gold(self.figure, self.status, self.subfigures)

    def as_annotation(self, annotator: str = "", phase: str = DECISION_PHASE) -> Annotation:
        """Return the decision as an annotator's work, by default its reviewer's."""
        name = annotator or self.reviewer
        return Annotation(
            *(self.figure, name, phase, self.status, self.subfigures, self.decided_at), items=self.items
        )

    def agrees_with(self, other: Decision) -> bool:
        """Return True if two decisions have equal status, labels, tokens and items, and boxes with an IoU of
        CLOSE_IOU.
        """
        if self.status is not other.status:
            return False
        if self.status is not Status.ACCEPTED:
            return True
        theirs = {each.label: each for each in other.subfigures}
        return (
            items_key(self.items) == items_key(other.items)
            and len(theirs) == len(self.subfigures)
            and all(each.label in theirs and _same(each, theirs[each.label]) for each in self.subfigures)
        )


def _same(one: Subfigure, other: Subfigure) -> bool:
    return one.subcaption == other.subcaption and one.box.iou(other.box) >= CLOSE_IOU


@dataclass(frozen=True, slots=True)
class Reopening:
    """A reviewer's request to adjudicate a figure again: earlier decisions stay stored, but none is current.

    It counts among the figure's decisions: its version follows the last one's.
    """

    figure: Figure
    reviewer: str
    version: int
    reopened_at: datetime
    note: str = ""

    def __post_init__(self) -> None:
        _check_entry(self.reviewer, self.version)
        check_time(self.reopened_at, "reopened_at")


def _check_entry(reviewer: str, version: int) -> None:
    if not reviewer:
        raise InvalidAnnotation("a decision needs its reviewer")
    if version < 1:
        raise InvalidAnnotation(f"versions of a decision count from 1, not {version}")


class GoldSource(StrEnum):
    """The source of a gold record.

    ADJUDICATED: a reviewer decided. UNANIMOUS: no reviewer did, but as many annotators as the quorum requires, two
    at least, agree. SINGLE: fewer annotators, not reviewed.
    """

    ADJUDICATED = "adjudicated"
    UNANIMOUS = "unanimous"
    SINGLE = "single"


#: Gold by default; single work is added on request.
REVIEWED = frozenset({GoldSource.ADJUDICATED, GoldSource.UNANIMOUS})
#: Help text of the options `--include`.
INCLUDE = {"none": REVIEWED, "single": frozenset(GoldSource)}


class FigureState(StrEnum):
    """The state of a figure: the source of its gold (as in `GoldSource`), or why it has none.

    UNRESOLVED: annotators differ, or a reviewer postponed it. AWAITING: decided, another reviewer has to confirm.
    WAITING: an assigned annotator has not submitted. REJECTED: by a reviewer, or by every annotator. REVISED: its
    caption or image was replaced, with no work on the new one yet. UNTOUCHED: not annotated.
    """

    ADJUDICATED = "adjudicated"
    UNANIMOUS = "unanimous"
    SINGLE = "single"
    UNRESOLVED = "unresolved"
    AWAITING = "awaiting"
    WAITING = "waiting"
    REJECTED = "rejected"
    REVISED = "revised"
    UNTOUCHED = "untouched"

    @property
    def phrase(self) -> str:
        """Return the state in words of pages, where what is waited for is said."""
        if self is FigureState.AWAITING:
            return "awaiting another reviewer"
        return "waiting for an annotator" if self is FigureState.WAITING else self.value


def decided_state(status: Status, *, awaits: bool) -> FigureState:
    """Return the state of a figure by the status of its current decision.

    awaits: another reviewer has to confirm it.
    """
    if awaits:
        return FigureState.AWAITING
    return {
        Status.ACCEPTED: FigureState.ADJUDICATED,
        Status.REJECTED: FigureState.REJECTED,
        Status.IGNORED: FigureState.UNRESOLVED,
    }[status]


def figure_state(work: FigureState, *, waits: bool, decision: FigureState | None) -> FigureState:
    """Return a figure's state: its decision's, else WAITING if work is missing, else `work`.

    work: the state by the annotators' work alone. waits: an assigned annotator has not submitted.
    """
    return decision or (FigureState.WAITING if waits else work)


def describe_states(states: Mapping[FigureState, int], *, answered: int = 0, phrases: bool = False) -> str:
    """Count the figures in each state, in one line: "9 adjudicated, 16 single"; "no figure" without any.

    phrases: in the words of pages.
    answered: number of untouched figures whose questions people answered in human evaluation, which makes no gold.
    """
    untouched = states.get(FigureState.UNTOUCHED, 0)
    answered = min(answered, untouched)
    counts = {**states, FigureState.UNTOUCHED: untouched - answered}
    parts = [f"{answered} answered"] if answered else []
    parts += [
        f"{counts[each]} {each.phrase if phrases else each.value}" for each in FigureState if counts.get(each)
    ]
    return ", ".join(parts) or "no figure"


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of a gold record. reviewer, note and guideline_flag are "" without a decision.

    unchanged: a prediction that no annotator changed, with a subfigure that none of them looked at.
    """

    source: GoldSource
    reviewer: str
    based_on: tuple[str, ...]
    decided_at: datetime
    note: str = ""
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""
    unchanged: bool = False

    def texts(self) -> tuple[str, str]:
        """Return the reviewer's free texts: note and guideline flag."""
        return self.note, self.guideline_flag


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one figure; labels are unique."""

    figure: Figure
    status: Status
    subfigures: tuple[Subfigure, ...]
    provenance: Provenance
    items: Items = NO_ITEMS

    def __post_init__(self) -> None:
        check_gold(self.figure, self.status, self.subfigures)


def check_gold(figure: Figure, status: Status, subfigures: tuple[Subfigure, ...]) -> None:
    """Raise InvalidAnnotation as `check_subfigures` does, and for a repeated label if the status is accepted."""
    check_subfigures(figure, subfigures)
    repeated = repeated_labels(subfigures)
    if status is Status.ACCEPTED and repeated:
        raise InvalidAnnotation(
            f'label "{repeated[0]}" is on more than one box; give each subfigure a label of its own'
        )
