"""The screen state of a figure's types and pairs in plain values, as sent to and from the browser."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from annotator.adjudication.draft import ItemsDraft, ItemsView, OwnItemsView
from annotator.adjudication.kinds.support import ItemPart
from annotator.adjudication.kinds.supports import ADJUDICATED, with_kinds
from annotator.adjudication.state import ComparisonBasics, FigureBasics, PanelFinding
from panelwise.domain import IMPOSSIBLE, UNANSWERABLE, QAKind, Status


@dataclass(frozen=True, slots=True)
class Question:
    """A pair as human evaluation asks it: without its answer."""

    id: str
    type: QAKind
    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """The status that one voice gives the figure. reason: why it is rejected or left out, "" if not given."""

    annotator: str
    status: Status
    reason: str = ""


if TYPE_CHECKING:
    _Shown = FigureBasics
    _Compared = ComparisonBasics
else:
    _field = attrgetter("shown")
    _Shown = with_kinds(FigureBasics, ADJUDICATED, entry=attrgetter("state"), name=_field)
    _Compared = with_kinds(
        ComparisonBasics, ADJUDICATED, entry=lambda support: ItemPart[support.sent], name=_field
    )


class ItemsState(_Shown, frozen=True, kw_only=True):
    """All that the screen of a figure's items shows, as it writes it but for addresses.

    kind: None if the figure's type is not requested. type_names: those there are to choose from, the
    guidelines' first. findings: key of a voice, "" for the decision or proposal, -> what the checks found.
    questions: of human evaluation, to be answered by an annotator. answered: annotators whose answers are on it.
    kinds: the fields of drafts and decisions with what the figure asks for; a page may not know one of them.
    type_words: type of a pair -> the same in words for reading.
    adjudicated: whether reviewers decide on it, unlike on answers of human evaluation.
    """

    decision: ItemsView | OwnItemsView | None
    starts_from: ItemsView | OwnItemsView | None = None
    caption: str
    statuses: tuple[Statement, ...]
    type_names: tuple[str, ...]
    findings: dict[str, tuple[PanelFinding, ...]]
    questions: tuple[Question, ...] = ()
    answered: int = 0
    kinds: tuple[str, ...] = ()
    adjudicated: bool = True
    qa_types: tuple[QAKind, ...] = tuple(QAKind)
    type_words: dict[str, str] = msgspec.field(default_factory=lambda: {kind: kind.phrase for kind in QAKind})
    unanswerable: str = UNANSWERABLE
    impossible: str = IMPOSSIBLE


class ItemsComparison(_Compared, frozen=True, kw_only=True):
    """Two decisions on type and pairs. merged: what is to be sent where the merge is taken."""

    merged: ItemsDraft
