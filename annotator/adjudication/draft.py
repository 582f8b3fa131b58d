"""A decision as a reviewer sends it, and as screens show it: on subfigures, or on figure type and pairs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from panelwise.domain import LARGEST_MAX_BOXES, Awaits, ErrorKind, QAKind, Status, Verdict

#: Characters of a question, an option or an answer at most, and options of one question.
LONGEST, MOST_OPTIONS = 5_000, 26

_Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
_Note = Annotated[str, msgspec.Meta(max_length=10_000)]
_Name = Annotated[str, msgspec.Meta(max_length=1_000)]


class Panel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A subfigure in plain values. box: x0 y0 x1 y1 in pixels; tokens: ids, in any order from a reviewer."""

    label: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...] = ()


class PairValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question-answer pair without its id. evidence: labels of subfigures, in order."""

    type: QAKind
    question: _Text
    choices: Annotated[tuple[_Text, ...], msgspec.Meta(max_length=MOST_OPTIONS)]
    answer: _Text
    evidence: Annotated[tuple[_Name, ...], msgspec.Meta(max_length=100)] = ()


class KindValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure's type: compound or not, of how many subfigures, of which types, in order; None if not said."""

    compound: bool | None
    count: Annotated[int, msgspec.Meta(ge=0, le=10_000)] | None
    types: Annotated[tuple[_Name, ...], msgspec.Meta(max_length=100)]
    note: _Note = ""


class PairWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The decision on one pair. item: its id. edited: the corrected pair, None if it was not edited."""

    item: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    verdict: Verdict
    edited: PairValue | None = None
    note: _Note = ""


class AnswerWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's own answer to a question. item: its pair's id. answer: None for "I don't know"."""

    item: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    answer: _Text | None
    note: _Note = ""


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision as the reviewer sends it. version: the one it was loaded with, 0 if there was none.

    subfigures: unset in a draft on items; kind, verdicts: unset in one on subfigures. kind: None if the
    figure's type is not requested. answers: of human evaluation, only in an annotator's own work. based_on: keys
    of the annotators whose work was adopted. seconds: time spent on the screen. guideline_flag: what the
    guidelines leave open. second: a second reviewer is requested. viewed: labels of the subfigures, or ids of
    the items ("" for the figure's type), that an annotator looked at or changed; None if not recorded.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    subfigures: Annotated[tuple[Panel, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)] | UnsetType = UNSET
    based_on: Annotated[tuple[str, ...], msgspec.Meta(max_length=200)] = ()
    note: _Note = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: Annotated[str, msgspec.Meta(max_length=2_000)] | None = None
    second: bool = False
    viewed: Annotated[tuple[_Name, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)] | None = None
    kind: KindValue | UnsetType | None = UNSET
    verdicts: Annotated[tuple[PairWord, ...], msgspec.Meta(max_length=500)] | UnsetType = UNSET
    answers: Annotated[tuple[AnswerWord, ...], msgspec.Meta(max_length=500)] | UnsetType = UNSET

    @property
    def on_items(self) -> bool:
        """Return whether it is on the figure's type and pairs."""
        return self.subfigures is UNSET


class DecisionView(msgspec.Struct, frozen=True):
    """A decision as a screen shows it, its adopted voices under keys; unset is what that screen does not show."""

    version: int
    status: Status
    note: str
    reviewer: str
    decided_at: datetime
    based_on: tuple[str, ...]
    error_kind: ErrorKind | None = None
    guideline_flag: str | None = None
    awaits: Awaits | None = None
    subfigures: tuple[Panel, ...] | UnsetType = UNSET
    seconds: float | UnsetType | None = UNSET
    restored_from: int | UnsetType | None = UNSET
    kind: KindValue | UnsetType | None = UNSET
    verdicts: tuple[PairWord, ...] | UnsetType = UNSET
    answers: tuple[AnswerWord, ...] | UnsetType = UNSET
