"""Decisions of reviewers and the gold that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from panelwise.domain.annotation import Status, Subfigure, check_subfigures, check_time, repeated_labels
from panelwise.domain.box import CLOSE_IOU
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import NO_ITEMS, Items, items_key


class ErrorKind(StrEnum):
    """Why annotators went wrong on a figure, as the reviewer sees it."""

    AMBIGUOUS = "ambiguous text"
    GAP = "guideline gap"
    SLIP = "slip"
    EDGE = "edge case"


class Awaits(StrEnum):
    """Whose word a decision waits for: a second reviewer's, or that of one who breaks a tie between two."""

    SECOND = "second"
    TIE_BREAK = "tie-break"


@dataclass(frozen=True, slots=True)
class Decision:
    """A reviewer's word on one figure. Append-only: version counts a figure's decisions from 1, the last holds.

    status: accepted makes gold, rejected keeps the figure out, ignored puts it off. based_on: names of the
    annotators (or model versions) whose work was adopted or merged. seconds: time spent on the screen.
    guideline_flag: what the guidelines leave open, "" for nothing. restored_from: the version that was brought
    back. awaits: whose word is needed before the figure is settled, None where it is.
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
            raise InvalidAnnotation(f"decision {self.version} cannot bring back number {self.restored_from}")
        check_time(self.decided_at, "decided_at")
        check_gold(self.figure, self.status, self.subfigures)

    def agrees_with(self, other: Decision) -> bool:
        """Whether two decisions say the same: status, labels, tokens, boxes of an IoU of CLOSE_IOU, and items."""
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
    """A reviewer's word that a figure is to be settled anew: no decision holds from here on, all are kept.

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
    """Where a gold record comes from.

    ADJUDICATED: a reviewer decided. UNANIMOUS: no reviewer did, but as many annotators as the quorum asks for, two
    at least, did the same. SINGLE: fewer annotators than that, and nobody has reviewed it.
    """

    ADJUDICATED = "adjudicated"
    UNANIMOUS = "unanimous"
    SINGLE = "single"


#: Gold by default; single work is added where somebody asks for it.
REVIEWED = frozenset({GoldSource.ADJUDICATED, GoldSource.UNANIMOUS})
#: What the options `--include` say.
INCLUDE = {"none": REVIEWED, "single": frozenset(GoldSource)}


class FigureState(StrEnum):
    """What has become of a figure: where its gold comes from (as in `GoldSource`), or why there is none.

    UNRESOLVED: annotators differ, or a reviewer put it off. AWAITING: decided, and another reviewer has to confirm
    it. WAITING: someone to whom it is assigned has not submitted. REJECTED: a reviewer, or every annotator,
    rejected it. REVISED: its caption or image was replaced, and nobody has worked on the new one. UNTOUCHED:
    nobody has annotated it.
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


def decided_state(status: Status, *, awaits: bool) -> FigureState:
    """The state of a figure whose current decision has that status. awaits: another reviewer has to confirm it."""
    if awaits:
        return FigureState.AWAITING
    return {
        Status.ACCEPTED: FigureState.ADJUDICATED,
        Status.REJECTED: FigureState.REJECTED,
        Status.IGNORED: FigureState.UNRESOLVED,
    }[status]


def figure_state(work: FigureState, *, waits: bool, decision: FigureState | None) -> FigureState:
    """The state of a figure: its decision's if there is one, else WAITING if work is missing, else its work's.

    work: what the annotators' work alone makes of it. waits: whether someone to whom it is assigned has not
    submitted.
    """
    return decision or (FigureState.WAITING if waits else work)


def describe_states(states: Mapping[FigureState, int]) -> str:
    """How many figures are in each state, in one line: "9 adjudicated, 16 single"; "no figure" where none is."""
    return ", ".join(f"{states[each]} {each.value}" for each in FigureState if states.get(each)) or "no figure"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who and what stands behind a gold record. reviewer, note and guideline_flag are "" where nobody decided."""

    source: GoldSource
    reviewer: str
    based_on: tuple[str, ...]
    decided_at: datetime
    note: str = ""
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""

    def texts(self) -> tuple[str, str]:
        """What a reviewer wrote, in their own words."""
        return self.note, self.guideline_flag


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
