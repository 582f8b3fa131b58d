"""Question-answer pairs and figure types, and annotators' judgements of them (SciVQA guidelines)."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol, TypeVar

from panelwise.domain.addresses import shareable, without_secrets
from panelwise.domain.errors import InvalidAnnotation

#: Agreement of two Incorrect verdicts with different edits.
HALF = 0.5
#: The answer to an unanswerable question, word for word.
UNANSWERABLE = "It is not possible to answer this question based only on the provided data."

#: Question and answer of a pair whose type is impossible on its figure.
IMPOSSIBLE = "None"

#: Figure types of a campaign that lists no others, in the order of SciVQA's guidelines.
FIGURE_TYPES = (
    "bar chart",
    "box plot",
    "confusion matrix",
    "line chart",
    "pie chart",
    "scatter plot",
    "pareto chart",
    "venn diagram",
    "architecture diagram",
    "neural network",
    "tree",
    "graph",
)


def type_name(text: str, listed: Sequence[str] = FIGURE_TYPES) -> str:
    """Normalise a figure type: a listed one as it is listed, also from its plural; another in lower case."""
    name = " ".join(text.casefold().split())
    return next((each for each in listed if name in (each.casefold(), f"{each.casefold()}s")), name)


class QAKind(StrEnum):
    """The seven types of question-answer pair, one of each per figure."""

    INFINITE_VISUAL = "closed-ended infinite answer set visual"
    INFINITE_NON_VISUAL = "closed-ended infinite answer set non-visual"
    BINARY_VISUAL = "closed-ended finite answer set binary visual"
    BINARY_NON_VISUAL = "closed-ended finite answer set binary non-visual"
    CHOICE_VISUAL = "closed-ended finite answer set non-binary visual"
    CHOICE_NON_VISUAL = "closed-ended finite answer set non-binary non-visual"
    UNANSWERABLE = "unanswerable"

    @property
    def phrase(self) -> str:
        """Return the type in words for reading: "closed-ended, infinite answer set, visual"."""
        return (
            self.value.replace(" infinite", ", infinite").replace(" finite", ", finite").replace(" set ", " set, ")
        )

    @property
    def brief(self) -> str:
        """Return the type in two words, for tables: "infinite visual", "choice non-visual", "unanswerable"."""
        words = self.value.removeprefix("closed-ended ").replace("finite answer set non-binary", "choice")
        return words.replace("infinite answer set", "infinite").replace("finite answer set binary", "binary")


@dataclass(frozen=True, slots=True)
class QAItem:
    """One question on a figure. evidence: labels of the subfigures that the answer is based on."""

    id: str
    question: str
    kind: QAKind
    choices: tuple[str, ...]
    answer: str
    evidence: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidAnnotation("a question-answer pair needs an id; give instance_id")


class Verdict(StrEnum):
    """An annotator's judgement of a question-answer pair."""

    CORRECT = "Correct"
    INCORRECT = "Incorrect.Edit"


@dataclass(frozen=True, slots=True)
class QAVerdict:
    """A verdict on one pair. edited: the corrected pair, None without edits."""

    item: str
    verdict: Verdict
    edited: QAItem | None = None
    note: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the annotator's free texts."""
        return (self.note,)


@dataclass(frozen=True, slots=True)
class HumanAnswer:
    """A person's own answer (human evaluation). answer: None for "I don't know", with the reason in the note."""

    item: str
    answer: str | None
    note: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the annotator's free texts."""
        return self.answer or "", self.note


@dataclass(frozen=True, slots=True)
class FigureKind:
    """The type of a figure: compound or not, number of subfigures, and types; None if not judged."""

    item: ClassVar[str] = ""
    compound: bool | None = None
    count: int | None = None
    types: frozenset[str] = frozenset()
    note: str = ""

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 0:
            raise InvalidAnnotation(f"a figure cannot have {self.count} subfigures")

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the annotator's free texts."""
        return (self.note,)


@dataclass(frozen=True, slots=True)
class ImportedItems:
    """The question-answer pairs and the figure type that a figure was imported with, for annotators to judge.

    pairs: in the record's order, without those in `unread`. kind: None without a type. record: the imported keys
    that hold pairs and type, stored and exported unchanged. unread: why parts of them could not be read, a line
    each. order: of all of the figure's imported keys that no other field holds.
    """

    pairs: tuple[QAItem, ...] = ()
    kind: FigureKind | None = None
    record: Mapping[str, Any] = field(default_factory=dict, hash=False)
    unread: tuple[str, ...] = field(default=(), compare=False)
    order: tuple[str, ...] = field(default=(), compare=False)

    @property
    def by_id(self) -> dict[str, QAItem]:
        """Return the pairs by id."""
        return {pair.id: pair for pair in self.pairs}

    def joined(self, extra: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the figure's extra keys with those of its pairs and type, in the order of the import."""
        if not self.record:
            return extra
        both = {**extra, **self.record}
        return {key: both[key] for key in (*self.order, *both) if key in both}

    def shareable(self) -> ImportedItems:
        """Return the items as others may see them: without logins and signatures in addresses."""
        kind = self.kind
        return replace(
            self,
            pairs=tuple(map(_shareable_pair, self.pairs)),
            kind=None if kind is None else replace(kind, types=frozenset(map(without_secrets, kind.types))),
            record=shareable(self.record),
        )


#: The items of a figure that was imported without pairs and type.
NO_IMPORTED_ITEMS = ImportedItems()


def _shareable_pair(pair: QAItem) -> QAItem:
    return replace(
        pair,
        id=without_secrets(pair.id),
        question=without_secrets(pair.question),
        choices=shareable(pair.choices),
        answer=without_secrets(pair.answer),
    )


class Part(Protocol):
    """A part of an annotation or a decision: a judgement of the figure, or of one of its pairs."""

    @property
    def item(self) -> str:
        """Return the pair's id, "" for the figure."""

    @property
    def note(self) -> str:
        """Return the annotator's note on it."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the annotator's free texts, the note among them."""


AnyPart = TypeVar("AnyPart", bound=Part)


@dataclass(frozen=True, slots=True, init=False)
class Items:
    """The content of an annotation or decision besides subfigures: its parts, by the name of their class."""

    parts: tuple[Part, ...]

    def __init__(
        self,
        kind: FigureKind | None = None,
        verdicts: Iterable[QAVerdict] = (),
        answers: Iterable[HumanAnswer] = (),
        parts: Iterable[Part] = (),
    ) -> None:
        """Collect the parts. kind, verdicts, answers: in place of those of the same class in `parts`.

        Raises InvalidAnnotation for two of one class on the same pair.
        """
        named: list[Part] = [*([] if kind is None else [kind]), *verdicts, *answers]
        classes = set(map(type, named))
        every = [*named, *(part for part in parts if type(part) not in classes)]
        object.__setattr__(self, "parts", tuple(sorted(every, key=lambda part: type(part).__name__)))
        places = [(type(part), part.item) for part in self.parts]
        if len(set(places)) != len(places):
            item = next(item for place, (own, item) in enumerate(places) if (own, item) in places[:place])
            what = f'question-answer pair "{item}"' if item else "the figure"
            raise InvalidAnnotation(f"{what} is judged twice")

    def of(self, part: type[AnyPart]) -> tuple[AnyPart, ...]:
        """Return the parts of a class, in the order given."""
        return tuple([each for each in self.parts if isinstance(each, part)])

    @property
    def kind(self) -> FigureKind | None:
        """Return the figure's type; None if it was not judged."""
        return next(iter(self.of(FigureKind)), None)

    @property
    def verdicts(self) -> tuple[QAVerdict, ...]:
        """Return the verdicts on pairs."""
        return self.of(QAVerdict)

    @property
    def answers(self) -> tuple[HumanAnswer, ...]:
        """Return the answers of human evaluation."""
        return self.of(HumanAnswer)


#: No items, only subfigures.
NO_ITEMS = Items()


def plain(text: str) -> str:
    """Normalise a text for comparison: white space and Unicode composition make no difference."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def pair_key(pair: QAItem | None) -> Hashable:
    """Return a key that is equal for equal pairs."""
    if pair is None:
        return None
    return (pair.kind, plain(pair.question), tuple(map(plain, pair.choices)), plain(pair.answer))


def verdict_key(verdict: QAVerdict) -> Hashable:
    """Return a key that is equal for equal verdicts on one pair."""
    if verdict.verdict is Verdict.CORRECT:
        return verdict.verdict
    return (verdict.verdict, pair_key(verdict.edited))


def kind_key(kind: FigureKind) -> Hashable:
    """Return a key that is equal for equal figure types."""
    return (kind.compound, kind.count, kind.types)


def verdict_likeness(one: QAVerdict, other: QAVerdict) -> float:
    """Return the agreement of two verdicts on one pair: 1 if equal, a half if only the edits differ."""
    if one.verdict is not other.verdict:
        return 0.0
    return 1.0 if verdict_key(one) == verdict_key(other) else HALF


def kind_likeness(one: FigureKind, other: FigureKind) -> float | None:
    """Return the agreement on a figure's type: mean over compound flag, count and types (Jaccard) set by both.

    None if both set none of them.
    """
    parts = []
    if one.compound is not None and other.compound is not None:
        parts.append(float(one.compound == other.compound))
    if one.count is not None and other.count is not None:
        parts.append(float(one.count == other.count))
    if one.types or other.types:
        parts.append(len(one.types & other.types) / len(one.types | other.types))
    return sum(parts) / len(parts) if parts else None
