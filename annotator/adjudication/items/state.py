"""What the screen of a figure's types and pairs is made of, in plain values: what is shown, and what is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

import msgspec

from annotator.adjudication.state import Review, Told, Voice
from annotator.queue.pages import Progress
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Awaits, ErrorKind
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, QAItem, QAKind, QAVerdict, Verdict

#: Characters of a question, an option or an answer at most, and options of one question.
LONGEST, MOST_OPTIONS = 5_000, 26

_Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
_Note = Annotated[str, msgspec.Meta(max_length=10_000)]
_Name = Annotated[str, msgspec.Meta(max_length=1_000)]


# -- values that go both ways -------------------------------------------------------------------------------------


class PairValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question-answer pair without its id. evidence: labels of subfigures, in order."""

    type: QAKind
    question: _Text
    choices: Annotated[tuple[_Text, ...], msgspec.Meta(max_length=MOST_OPTIONS)]
    answer: _Text
    evidence: Annotated[tuple[_Name, ...], msgspec.Meta(max_length=100)] = ()


class KindValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure's type: compound or not, of how many subfigures, of which types, in order; None where not said."""

    compound: bool | None
    count: Annotated[int, msgspec.Meta(ge=0, le=10_000)] | None
    types: Annotated[tuple[_Name, ...], msgspec.Meta(max_length=100)]
    note: _Note = ""


class PairWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said of one pair. item: its id. edited: the pair as it should be, None where nothing was edited."""

    item: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    verdict: Verdict
    edited: PairValue | None = None
    note: _Note = ""


class ItemsDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision on a figure's items as the reviewer sends it; see `Draft` for what both have.

    kind: None where the figure's type is not asked for.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    kind: KindValue | None = None
    verdicts: Annotated[tuple[PairWord, ...], msgspec.Meta(max_length=500)] = ()
    based_on: Annotated[tuple[str, ...], msgspec.Meta(max_length=200)] = ()
    note: _Note = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: Annotated[str, msgspec.Meta(max_length=2_000)] | None = None
    second: bool = False


# -- what a reviewer is shown -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KindReading:
    """What one voice says of the figure's type."""

    annotator: str
    value: KindValue


@dataclass(frozen=True, slots=True)
class PairReading:
    """What one voice says of a pair."""

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
    """The figure's type to be settled. original: what it came with. proposal: what the screen starts from.

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
    """A pair to be settled; see `KindItem`. original: None for a pair that the figure does not have any more."""

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
class ItemsDecision:
    """A decision with its adopted voices under keys, as far as it is on items."""

    version: int
    status: Status
    kind: KindValue | None
    verdicts: tuple[PairWord, ...]
    note: str
    reviewer: str
    decided_at: datetime
    based_on: tuple[str, ...]
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""
    awaits: Awaits | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """The status that one voice gives the figure."""

    annotator: str
    status: Status


@dataclass(frozen=True, slots=True)
class ItemsState:
    """All that the screen of a figure's items shows; see `FigureState` for what both have.

    kind: None where the figure's type is not asked for. type_names: those there are to choose from, the
    guidelines' first. findings: key of a voice, "" for the decision or proposal, -> what the checks found.
    subfigures: the figure has subfigures to settle, too.
    """

    figure: Figure
    version: int
    decision: ItemsDecision | None
    annotators: tuple[Voice, ...]
    statuses: tuple[Statement, ...]
    kind: KindItem | None
    pairs: tuple[PairItem, ...]
    type_names: tuple[str, ...]
    findings: dict[str, tuple[Told, ...]]
    quorum: int
    reasons: tuple[str, ...]
    agreement: float | None
    progress: Progress
    phase: str
    reviewer: str
    subfigures: bool = False
    review: Review = field(default_factory=Review)


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
