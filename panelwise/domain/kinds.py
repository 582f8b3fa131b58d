"""The kinds of annotation, each with what the rooms ask of every kind; rules of a room are registered by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from panelwise.domain.items import Items

if TYPE_CHECKING:
    from panelwise.domain.annotation import Subfigure


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
        ...

    @property
    def items(self) -> Items:
        """Return what is judged besides subfigures."""
        ...


@dataclass(frozen=True, slots=True)
class Effort:
    """Expected seconds: for a figure at all, for a token of its caption, and for a thing that is on it."""

    figure: float
    token: float
    thing: float


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of annotation; there is one object of each.

    held: whether subfigures and items have content of this kind. effort: a thing is a question-answer pair of a
    kind that is `on_pairs`, else a predicted subfigure. drawn: annotators draw boxes and mark their texts, on a
    screen of its own; other kinds share the screen of items. adjudicated: reviewers decide on it, and it becomes
    gold. on_pairs: each of the figure's question-answer pairs is judged or answered. answered: annotators answer
    the questions of the gold themselves, and see neither answers nor article. beside: kinds that its phases may
    ask for as well. export: the format in which `annotator export` writes its gold.
    """

    task_type: TaskType
    held: Callable[[Sequence[Subfigure], Items], bool]
    effort: Effort
    drawn: bool = False
    adjudicated: bool = True
    on_pairs: bool = False
    answered: bool = False
    beside: tuple[Kind, ...] = ()
    export: str = "gold"

    def there(self, work: Content) -> bool:
        """Return whether work has content of this kind."""
        return self.held(work.subfigures, work.items)


SUBFIGURES = Kind(
    TaskType.SUBFIGURES,
    lambda subfigures, _items: bool(subfigures),
    Effort(figure=15, token=0.25, thing=12),
    drawn=True,
)
TYPES = Kind(
    TaskType.FIGURE_TYPES,
    lambda _subfigures, items: items.kind is not None,
    Effort(figure=15, token=0.1, thing=1),
    export="types",
)
PAIRS = Kind(
    TaskType.FIGURE_QA,
    lambda _subfigures, items: bool(items.verdicts),
    Effort(figure=20, token=0.25, thing=40),
    on_pairs=True,
    beside=(TYPES,),
    export="qa",
)
ANSWERS = Kind(
    TaskType.HUMAN_EVAL,
    lambda _subfigures, items: bool(items.answers),
    Effort(figure=20, token=0.25, thing=25),
    adjudicated=False,
    on_pairs=True,
    answered=True,
)

#: All kinds, by the task type of the phases that ask for them.
KINDS: Mapping[TaskType, Kind] = {kind.task_type: kind for kind in (SUBFIGURES, TYPES, PAIRS, ANSWERS)}
#: Those that reviewers adjudicate item by item, on the screen of items.
ITEM_KINDS = frozenset(kind for kind in KINDS.values() if kind.adjudicated and not kind.drawn)
