"""The kinds of annotation, each with what the rooms ask of every kind; rules of a room are registered by kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from panelwise.domain.annotation import Subfigure
from panelwise.domain.items import (
    UNANSWERABLE,
    FigureKind,
    HumanAnswer,
    Items,
    QAVerdict,
    kind_key,
    kind_likeness,
    verdict_key,
    verdict_likeness,
)


class TaskType(StrEnum):
    """The name, in campaign.toml, of the kind of annotation that a phase asks for."""

    SUBFIGURES = "subfigures"
    FIGURE_TYPES = "figure-types"
    FIGURE_QA = "figure-qa"
    HUMAN_EVAL = "human-eval"


class Content(Protocol):
    """Work on a figure: an annotation, a decision, gold."""

    @property
    def subfigures(self) -> tuple[Subfigure, ...]:
        """Return the boxes with their texts."""

    @property
    def items(self) -> Items:
        """Return what is judged besides subfigures."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Expected seconds: for a figure at all, for a token of its caption, and for a thing that is on it."""

    figure: float
    token: float
    thing: float


@dataclass(frozen=True, slots=True)
class Released:
    """Words of a release's documents for content of a kind.

    count: key of the manifest's `counts` that says how much there is, shown as `counted`. tasks: Hugging Face's
    task categories.
    """

    text: str
    count: str
    counted: str
    tasks: tuple[str, ...]
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of annotation; there is one object of each.

    effort: a thing is a question-answer pair of a kind that is `on_pairs`, else a predicted subfigure. drawn:
    annotators draw boxes and mark their texts, on a screen of its own; the parts of other kinds are items, which
    share a screen. adjudicated: reviewers decide on it, and it becomes gold. on_pairs: each of the figure's
    question-answer pairs is judged or answered. answered: annotators answer the questions of the gold themselves,
    and see neither answers nor article. along_with: kinds that its phases may ask for as well. export: the format
    in which `annotator export` writes its gold. instructions: what annotators read beside
    their tasks, a line each.

    part: class of its parts, None for subfigures. field: key of its parts in records, a list if `on_pairs`. key:
    equal for parts that say the same, whatever their notes. agreement: see `likeness`; None for 1 if two parts say
    the same, else 0.
    """

    task_type: TaskType
    effort: Effort
    released: Released
    drawn: bool = False
    adjudicated: bool = True
    on_pairs: bool = False
    answered: bool = False
    along_with: tuple[Kind, ...] = ()
    export: str = "gold"
    instructions: tuple[str, ...] = ()
    part: type[Any] | None = None
    field: str = ""
    key: Callable[[Any], Hashable] = hash
    agreement: Callable[[Any, Any], float | None] | None = None

    def parts(self, items: Items) -> dict[str, Any]:
        """Return the parts of this kind by name: "" for that of the figure, else a pair's id."""
        return {} if self.part is None else {part.item: part for part in items.of(self.part)}

    def likeness(self, one: Any, other: Any) -> float | None:
        """Return the agreement of two annotators on a part, in [0, 1]; None if it is undefined."""
        if self.agreement is not None:
            return self.agreement(one, other)
        return float(self.key(one) == self.key(other))

    def there(self, work: Content) -> bool:
        """Return whether work has content of this kind."""
        return bool(work.subfigures if self.drawn else self.parts(work.items))


_NO_MODELS = "Do not use language models to annotate."

SUBFIGURES = Kind(
    TaskType.SUBFIGURES,
    Effort(figure=15, token=0.25, thing=12),
    Released(
        "the box, label and caption text of each subfigure",
        "subfigures",
        "Subfigures",
        ("object-detection", "token-classification"),
        ("compound-figures", "subfigures"),
    ),
    drawn=True,
)
TYPES = Kind(
    TaskType.FIGURE_TYPES,
    Effort(figure=15, token=0.1, thing=1),
    Released(
        "the type of each figure and its number of subfigures",
        "types",
        "Figure types",
        ("image-classification",),
        ("figure-types",),
    ),
    export="types",
    instructions=(
        "A figure is compound if it has several separable subfigures; parts joined by arrows or brackets are one.",
        "Types and number are filled in by a program: approve or correct them, and tick all types that apply.",
        _NO_MODELS,
    ),
    part=FigureKind,
    field="kind",
    key=kind_key,
    agreement=kind_likeness,
)
PAIRS = Kind(
    TaskType.FIGURE_QA,
    Effort(figure=20, token=0.25, thing=40),
    Released(
        "question-answer pairs that people judged and corrected",
        "pairs",
        "Question-answer pairs",
        ("visual-question-answering",),
        ("figure-question-answering",),
    ),
    on_pairs=True,
    along_with=(TYPES,),
    export="qa",
    instructions=(
        "Choose Correct or Incorrect.Edit for each pair. After Incorrect.Edit change at least one field.",
        "An edit counts only while Incorrect.Edit is chosen.",
        "A pair whose type the figure does not allow gets the type None.",
        f"A pair that cannot be answered gets the type unanswerable and the answer: {UNANSWERABLE}",
        "After a change of what was submitted press Update.",
        f"{_NO_MODELS} Look into the full paper in edge cases only.",
    ),
    part=QAVerdict,
    field="verdicts",
    key=verdict_key,
    agreement=verdict_likeness,
)
ANSWERS = Kind(
    TaskType.HUMAN_EVAL,
    Effort(figure=20, token=0.25, thing=25),
    Released(
        "people's own answers to questions about the figures",
        "answers",
        "Answers by people",
        ("visual-question-answering",),
        ("human-evaluation",),
    ),
    adjudicated=False,
    on_pairs=True,
    answered=True,
    instructions=(
        "Answer each question from the figure and its caption alone, as briefly as you can, or pick all options "
        "that are right.",
        "If you do not know, tick so and say why in the note.",
        f"{_NO_MODELS} Do not look into the full paper.",
    ),
    part=HumanAnswer,
    field="answers",
    key=lambda answer: answer.answer,
)

#: All kinds, by the task type of the phases that ask for them.
KINDS: Mapping[TaskType, Kind] = {kind.task_type: kind for kind in (SUBFIGURES, TYPES, PAIRS, ANSWERS)}
#: Those that reviewers adjudicate item by item, on the screen of items.
ITEM_KINDS = frozenset(kind for kind in KINDS.values() if kind.adjudicated and not kind.drawn)


def items_key(items: Items) -> Hashable:
    """Return a key that is equal for equal items, human answers included."""
    return frozenset(
        (kind.task_type, name, kind.key(part))
        for kind in KINDS.values()
        for name, part in kind.parts(items).items()
    )
