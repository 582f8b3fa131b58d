"""A decision as a reviewer sends it, and as screens show it: on subfigures, or on figure type and pairs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

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


class DraftBasics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of every decision as a person sends it. version: the one it was loaded with, 0 if there was none.

    based_on: keys of the annotators whose work was adopted. seconds: time spent on the screen. guideline_flag:
    what the guidelines leave open. second: a second reviewer is requested. viewed: labels of the subfigures, or
    ids of the items ("" for the figure's type), that an annotator looked at or changed; None if not recorded.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    based_on: Annotated[tuple[str, ...], msgspec.Meta(max_length=200)] = ()
    note: _Note = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: Annotated[str, msgspec.Meta(max_length=2_000)] | None = None
    second: bool = False
    viewed: Annotated[tuple[_Name, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)] | None = None


class SubfiguresDraft(DraftBasics, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="subfigures"):
    """A decision on a figure's subfigures."""

    subfigures: Annotated[tuple[Panel, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)]


class ItemsDraft(DraftBasics, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="items"):
    """A decision on a figure's type and pairs. kind: None if the type is not requested."""

    kind: KindValue | None = None
    verdicts: Annotated[tuple[PairWord, ...], msgspec.Meta(max_length=500)] = ()


class OwnItemsDraft(ItemsDraft, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="own-items"):
    """An annotator's own work on a figure's type, pairs, or the questions of human evaluation."""

    answers: Annotated[tuple[AnswerWord, ...], msgspec.Meta(max_length=500)] = ()


#: A reviewer's decision as it is sent, by its `type`.
Draft = SubfiguresDraft | ItemsDraft


class DraftDecoder:
    """Decodes a reviewer's decision; one without a `type` is of the type that its fields say."""

    _any: ClassVar[msgspec.json.Decoder[Draft]] = msgspec.json.Decoder(Draft)
    _subfigures = msgspec.json.Decoder(SubfiguresDraft)
    _items = msgspec.json.Decoder(ItemsDraft)

    def decode(self, data: bytes) -> Draft:
        """Return the decision. Raises msgspec.DecodeError, which names the field."""
        begun = _BEGUN.decode(data)
        if begun.type is not UNSET:
            return self._any.decode(data)
        return self._items.decode(data) if begun.subfigures is UNSET else self._subfigures.decode(data)


class _Begun(msgspec.Struct):
    """The fields by which the type of a decision is known."""

    type: msgspec.Raw | UnsetType = UNSET
    subfigures: msgspec.Raw | UnsetType = UNSET


_BEGUN = msgspec.json.Decoder(_Begun)


class DecisionBasics(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a decision that every screen shows, its adopted voices under keys."""

    version: int
    status: Status
    note: str
    reviewer: str
    decided_at: datetime
    based_on: tuple[str, ...]
    error_kind: ErrorKind | None = None
    guideline_flag: str | None = None
    awaits: Awaits | None = None


class SubfiguresView(DecisionBasics, frozen=True, kw_only=True):
    """A decision on subfigures. restored_from: unset for an annotator's own work."""

    subfigures: tuple[Panel, ...]
    seconds: float | None
    restored_from: int | UnsetType | None = UNSET


class ItemsView(DecisionBasics, frozen=True, kw_only=True):
    """A decision on a figure's type and pairs."""

    kind: KindValue | None
    verdicts: tuple[PairWord, ...]


class OwnItemsView(DecisionBasics, frozen=True, kw_only=True):
    """An annotator's own work on a figure's type, pairs or questions."""

    seconds: float | None
    kind: KindValue | None
    verdicts: tuple[PairWord, ...]
    answers: tuple[AnswerWord, ...]


#: A reviewer's decision as a screen shows it.
DecisionView = SubfiguresView | ItemsView
