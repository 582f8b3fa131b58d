"""Campaigns: who does what, in which round."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from annotator.domain.errors import InvalidAnnotation


class Role(StrEnum):
    """What a person may do. One person may hold several roles."""

    LEAD = "lead"
    REVIEWER = "reviewer"
    ANNOTATOR = "annotator"


class TaskType(StrEnum):
    """What is asked of an annotator."""

    SUBFIGURES = "subfigures"
    FIGURE_TYPES = "figure-types"
    FIGURE_QA = "figure-qa"
    HUMAN_EVAL = "human-eval"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone with an account; tied to Label Studio by e-mail. name: what files and reports show."""

    name: str
    roles: frozenset[Role]
    email: str = ""
    active: bool = True

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise InvalidAnnotation(f'"{self.name}" is no usable name; give one without blanks at its ends')


def check_new_name(name: str) -> None:
    """Raise InvalidAnnotation for a name with control characters: nobody can see or type it. Old ones stay."""
    if not name.isprintable():
        raise InvalidAnnotation(f"the name {name[:80]!r} holds control characters; give one without")


@dataclass(frozen=True, slots=True)
class Phase:
    """A named annotation round. single_span: the guidelines ask for one span a subcaption where possible."""

    name: str
    task_type: TaskType = TaskType.SUBFIGURES
    deadline: datetime | None = None
    seeded: bool = True
    single_span: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One figure to be done by one annotator in one phase."""

    figure: str
    annotator: str
    phase: str


@dataclass(frozen=True, slots=True)
class Campaign:
    """A set of figures, guidelines, annotators and phases. labels: the palette that subfigures are named from.

    second_reviewer: every decision needs a second reviewer's, not only those for which one is asked.
    """

    name: str
    phases: tuple[Phase, ...]
    labels: tuple[str, ...]
    guideline: str = ""
    quorum: int = 2
    second_reviewer: bool = False

    def __post_init__(self) -> None:
        names = [phase.name for phase in self.phases]
        if len(set(names)) != len(names):
            raise InvalidAnnotation("two phases bear one name; give each its own")
        if len(set(self.labels)) != len(self.labels) or not all(self.labels):
            raise InvalidAnnotation("the palette has an empty or repeated label; give each once")
        for label in self.labels:
            if label != label.strip():
                raise InvalidAnnotation(f'label "{label}" has blanks at its ends; take them out')
        if self.quorum < 1:
            raise InvalidAnnotation(f"a quorum of {self.quorum} annotators cannot be; give 1 or more")

    def phase(self, name: str) -> Phase:
        """The phase of that name; a plain subfigure phase where the campaign does not list it."""
        return next((phase for phase in self.phases if phase.name == name), Phase(name))
