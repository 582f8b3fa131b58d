"""The screen state of a figure in plain values, as sent to and from the browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from annotator.adjudication.compare.fields import Choice
from annotator.adjudication.compare.subfigures import Part
from annotator.adjudication.decision_fields import DecisionBasics, Panel
from annotator.adjudication.draft import SubfiguresDraft, SubfiguresView
from annotator.campaign.shown_caption import ShownCaption
from annotator.queue.pages import Progress
from panelwise.domain import Awaits, ErrorKind, Severity, Status

# -- what a reviewer is shown -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Voice:
    """An annotator under a key; name: "Annotator 1" ..., or "Prediction"."""

    key: str
    name: str


def voices(keys: Iterable[str], called: str = "Annotator") -> tuple[Voice, ...]:
    """Return the voices behind keys: numbered in their order, which tells nothing of names."""
    return tuple(Voice(key, f"{called} {number}") for number, key in enumerate(sorted(keys), start=1))


@dataclass(frozen=True, slots=True)
class Opinion:
    """One annotator's opinion on the figure. reason: why they rejected it or left it out, "" if not given."""

    annotator: str
    status: Status
    subfigures: tuple[Panel, ...]
    reason: str = ""


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
class PanelFinding:
    """A guideline finding. item: the subfigure's label or the pair's id that it is on, "" for the figure."""

    item: str
    check: str
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class Review:
    """The review that a figure waits for. may: whether the present reviewer may give it. told: a line
    on it, "" where it does not wait.
    """

    needs: Awaits | None = None
    may: bool = False
    told: str = ""


class LabelColor(msgspec.Struct, frozen=True):
    """A label with its colour."""

    label: str
    color: str


class FigureBasics(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that both screens of a figure show: subfigures, and types and pairs.

    version: of the last decision, 0 if there was none yet; one on an earlier caption or image counts here, but is
    not shown. reasons: what the voices differ in beyond single subfigures or items, and what work is on another
    revision. agreement: in [0, 1], None if undefined. starts_from: of a figure that was reopened, the decision
    that held before; on an annotator's own task, work that was undone.
    """

    figure_id: str
    revision: int
    width: int
    height: int
    references: tuple[str, ...]
    version: int
    decision: DecisionBasics | None
    annotators: tuple[Voice, ...]
    quorum: int
    reasons: tuple[str, ...]
    agreement: float | None
    progress: Progress
    phase: str
    reviewer: str
    review: Review
    starts_from: DecisionBasics | None = None
    error_kinds: tuple[ErrorKind, ...] = tuple(ErrorKind)


class FigureState(FigureBasics, frozen=True, kw_only=True):
    """All that the screen of one figure shows, as it writes it but for addresses.

    reference_panels: letters of the panels that each reference names, in capitals. palette: every label in use
    with its colour, the campaign's own first; labels: the same without.
    """

    decision: SubfiguresView | None
    starts_from: SubfiguresView | None = None
    caption: ShownCaption
    reference_panels: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    palette: tuple[LabelColor, ...]
    annotations: tuple[Opinion, ...]
    candidates: tuple[Proposal, ...]


class ComparisonBasics(msgspec.Struct, frozen=True, kw_only=True):
    """Two decisions side by side. base: the version that both started from, None for the candidates.

    clashes: how many subfigures or items, and fields, somebody must look at.
    """

    base: int | None
    status: Choice[Status]
    note: Choice[str]
    error_kind: Choice[ErrorKind | None]
    guideline_flag: Choice[str | None]
    clashes: int


class SubfiguresComparison(ComparisonBasics, frozen=True, kw_only=True):
    """Two decisions on subfigures. merged: what is to be sent where the merge is taken."""

    merged: SubfiguresDraft
    subfigures: tuple[Part, ...]
