"""The screen state of a figure's types and pairs in plain values, as sent to and from the browser."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.adjudication.draft import AnswerWord, ItemsView, KindValue, OwnItemsView, PairValue, PairWord
from annotator.adjudication.state import FigureBasics, PanelFinding
from panelwise.domain import (
    IMPOSSIBLE,
    UNANSWERABLE,
    FigureKind,
    HumanAnswer,
    QAItem,
    QAKind,
    QAVerdict,
    Status,
    Verdict,
)

# -- what a reviewer is shown -------------------------------------------------------------------------------------


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


class ItemsState(FigureBasics, frozen=True, kw_only=True):
    """All that the screen of a figure's items shows, as it writes it but for addresses.

    kind: None if the figure's type is not requested. type_names: those there are to choose from, the
    guidelines' first. findings: key of a voice, "" for the decision or proposal, -> what the checks found.
    questions: of human evaluation, to be answered by an annotator. answered: annotators whose answers are on it.
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
    qa_types: tuple[QAKind, ...] = tuple(QAKind)
    unanswerable: str = UNANSWERABLE
    impossible: str = IMPOSSIBLE


# -- from the domain and back -------------------------------------------------------------------------------------


def pair_value(pair: QAItem) -> PairValue:
    """A pair in plain values."""
    return PairValue(pair.kind, pair.question, pair.choices, pair.answer, tuple(sorted(pair.evidence)))


def kind_value(kind: FigureKind) -> KindValue:
    """A figure's type in plain values."""
    return KindValue(kind.compound, kind.count, tuple(sorted(kind.types)), kind.note)


def pair_word(verdict: QAVerdict) -> PairWord:
    """A verdict in plain values."""
    edited = None if verdict.edited is None else pair_value(verdict.edited)
    return PairWord(verdict.item, verdict.verdict, edited, verdict.note)


def kind_of(value: KindValue) -> FigureKind:
    """The figure's type that a reviewer sent."""
    types = frozenset(name.strip() for name in value.types if name.strip())
    return FigureKind(value.compound, value.count, types, value.note.strip())


def answer_word(answer: HumanAnswer) -> AnswerWord:
    """A person's own answer in plain values."""
    return AnswerWord(answer.item, answer.answer, answer.note)


def answer_of(word: AnswerWord) -> HumanAnswer:
    """The answer that a person sent."""
    return HumanAnswer(word.item, word.answer if word.answer is None else word.answer.strip(), word.note.strip())


def verdict_of(word: PairWord) -> QAVerdict:
    """The verdict that a reviewer sent."""
    edited = word.edited
    pair = None
    if edited is not None:
        pair = QAItem(
            id=word.item,
            question=edited.question.strip(),
            kind=edited.type,
            choices=tuple(choice.strip() for choice in edited.choices),
            answer=edited.answer.strip(),
            evidence=frozenset(name for name in edited.evidence if name),
        )
    return QAVerdict(word.item, word.verdict, pair, word.note.strip())
