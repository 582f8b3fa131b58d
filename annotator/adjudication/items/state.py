"""The screen state of a figure's types and pairs in plain values, as sent to and from the browser."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.adjudication.draft import ItemsDraft, ItemsView, KindValue, OwnItemsView, PairValue, PairWord
from annotator.adjudication.items.support import ItemPart
from annotator.adjudication.state import ComparisonBasics, FigureBasics, PanelFinding
from panelwise.domain import IMPOSSIBLE, UNANSWERABLE, QAKind, Status, Verdict


@dataclass(frozen=True, slots=True)
class KindReading:
    """One annotator's opinion on the figure's type."""

    annotator: str
    value: KindValue


@dataclass(frozen=True, slots=True)
class PairReading:
    """One annotator's opinion on a pair."""

    annotator: str
    verdict: Verdict
    edited: PairValue | None
    note: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A person's own answer in human evaluation, None for "I don't know"; shown beside the pair."""

    annotator: str
    answer: str | None
    note: str


@dataclass(frozen=True, slots=True)
class KindItem:
    """The figure's type to be adjudicated. original: what it came with. proposal: what the screen starts from.

    disputed: which of "compound", "count" and the types' names the voices differ in. conflict: for `reasons`.
    preselected: enough voices say what is proposed.
    """

    original: KindValue | None
    readings: tuple[KindReading, ...]
    proposal: KindValue
    supporters: tuple[str, ...]
    disputed: tuple[str, ...]
    conflict: bool
    reasons: tuple[str, ...]
    preselected: bool


@dataclass(frozen=True, slots=True)
class PairItem:
    """A pair to be adjudicated; see `KindItem`. original: None for a pair that the figure no longer has."""

    id: str
    original: PairValue | None
    readings: tuple[PairReading, ...]
    proposal: PairWord
    supporters: tuple[str, ...]
    conflict: bool
    reasons: tuple[str, ...]
    preselected: bool
    answers: tuple[Answered, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A pair as human evaluation asks it: without its answer. type: what an answer looks like, in words."""

    id: str
    type: str
    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """The status that one voice gives the figure. reason: why it is rejected or left out, "" if not given."""

    annotator: str
    status: Status
    reason: str = ""


class ItemsState(FigureBasics, frozen=True, kw_only=True):
    """All that the screen of a figure's items shows, as it writes it but for addresses.

    kind: None if the figure's type is not requested. type_names: those there are to choose from, the
    guidelines' first. findings: key of a voice, "" for the decision or proposal, -> what the checks found.
    questions: of human evaluation, to be answered by an annotator. answered: annotators whose answers are on it.
    kinds: the fields of drafts and decisions with what the figure asks for; a page may not know one of them.
    adjudicated: whether reviewers decide on it, unlike on answers of human evaluation.
    """

    decision: ItemsView | OwnItemsView | None
    starts_from: ItemsView | OwnItemsView | None = None
    caption: str
    statuses: tuple[Statement, ...]
    kind: KindItem | None
    pairs: tuple[PairItem, ...]
    type_names: tuple[str, ...]
    findings: dict[str, tuple[PanelFinding, ...]]
    questions: tuple[Question, ...] = ()
    answered: int = 0
    kinds: tuple[str, ...] = ()
    adjudicated: bool = True
    qa_types: tuple[QAKind, ...] = tuple(QAKind)
    unanswerable: str = UNANSWERABLE
    impossible: str = IMPOSSIBLE


class ItemsComparison(ComparisonBasics, frozen=True, kw_only=True):
    """Two decisions on type and pairs. merged: what is to be sent where the merge is taken."""

    merged: ItemsDraft
    kind: ItemPart[KindValue] | None
    pairs: tuple[ItemPart[PairWord], ...]
