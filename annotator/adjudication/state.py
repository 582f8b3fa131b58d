"""What the screen of a figure is made of, in plain values: what a reviewer is shown, and what they send."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import msgspec

from annotator.queue.pages import Progress
from panelwise.domain.annotation import LARGEST_MAX_BOXES, Status
from panelwise.domain.decision import Awaits, ErrorKind
from panelwise.domain.figure import Figure
from panelwise.domain.findings import Severity

# -- what a reviewer sends --------------------------------------------------------------------------------------


class DraftSubfigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A subfigure as the reviewer drew it. box: x0 y0 x1 y1 in pixels; tokens: ids, in any order."""

    label: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...] = ()


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision as the reviewer sends it. version: the one it was loaded with, 0 where there was none.

    based_on: keys of the annotators whose work was adopted. seconds: time spent on the screen.
    guideline_flag: what the guidelines leave open. second: a second reviewer is asked for.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    subfigures: Annotated[tuple[DraftSubfigure, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)]
    based_on: Annotated[tuple[str, ...], msgspec.Meta(max_length=200)] = ()
    note: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: Annotated[str, msgspec.Meta(max_length=2_000)] | None = None
    second: bool = False


# -- what a reviewer is shown -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the caption. space, newline: what follows it before the next token; gap: other text that does."""

    id: int
    start: int
    end: int
    text: str
    space: bool
    newline: bool
    gap: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A subfigure in plain values. tokens: ascending ids."""

    label: str
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """An annotator under a key; name: "Annotator 1" ..., or "Prediction"."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one voice says of the figure."""

    annotator: str
    status: Status
    subfigures: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A subfigure merged from the voices that have it. votes: token id -> keys of the voices that include it.

    conflict: the voices differ here, for the `reasons`. preselected: enough voices have it to start from it.
    """

    label: str
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...]
    votes: dict[int, tuple[str, ...]]
    supporters: tuple[str, ...]
    conflict: bool
    reasons: tuple[str, ...]
    preselected: bool


@dataclass(frozen=True, slots=True)
class DecisionState:
    """A decision with its adopted voices under keys."""

    version: int
    status: Status
    subfigures: tuple[Panel, ...]
    note: str
    reviewer: str
    decided_at: datetime
    based_on: tuple[str, ...]
    seconds: float | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""
    restored_from: int | None = None
    awaits: Awaits | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A guideline finding. item: the subfigure's label or the pair's id that it is on, "" for the figure."""

    item: str
    check: str
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class Review:
    """Whether a figure waits for another reviewer's word. may: whether the one who looks may give it. told: a line
    on it, "" where it does not wait.
    """

    needs: Awaits | None = None
    may: bool = False
    told: str = ""


@dataclass(frozen=True, slots=True)
class FigureState:
    """All that the screen of one figure shows. version: of the last decision, 0 if there was none yet; one on an
    earlier caption or image counts here, but is not shown.

    reasons: what the voices differ in beyond single subfigures, and what work is on another revision. agreement:
    in [0, 1], None where undefined. palette: every label in use with its colour, the campaign's own first.
    starts_from: of a figure that was reopened, the decision that held before.
    """

    figure: Figure
    tokens: tuple[Token, ...]
    palette: tuple[tuple[str, str], ...]
    version: int
    decision: DecisionState | None
    annotators: tuple[Voice, ...]
    annotations: tuple[Opinion, ...]
    candidates: tuple[Proposal, ...]
    quorum: int
    reasons: tuple[str, ...]
    agreement: float | None
    progress: Progress
    phase: str
    reviewer: str
    review: Review = Review()
    starts_from: DecisionState | None = None
