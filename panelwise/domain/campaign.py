"""Campaigns: people, phases and tasks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from panelwise.domain.annotation import LARGEST_MAX_BOXES, MAX_BOXES
from panelwise.domain.decision import REVIEWED, GoldSource
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.kinds import KINDS, TYPES, Kind
from panelwise.domain.kinds import TaskType as TaskType

#: Default path of the guidelines in the campaign's home.
GUIDELINE_FILE = "guidelines.md"
#: The largest share of an annotator's tasks that may be hidden gold.
MOST_HIDDEN = 0.5
#: How the name of a file with guidelines ends. Nothing else of the home may be shown as guidelines.
GUIDELINE_ENDINGS = (".md", ".markdown", ".txt")


class Role(StrEnum):
    """A person's permission. One person may have several roles."""

    LEAD = "lead"
    REVIEWER = "reviewer"
    ANNOTATOR = "annotator"


@dataclass(frozen=True, slots=True)
class Person:
    """A person with an account; linked to Label Studio by e-mail. name: shown in files and reports."""

    name: str
    roles: frozenset[Role]
    email: str = ""
    active: bool = True

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise InvalidAnnotation(f'"{self.name}" is not a valid name; give one without blanks at its ends')


#: How spellings of one name may differ, for messages.
NAME_DIFFERENCE = "only by case, blanks or the Unicode form of letters"


def name_key(name: str) -> str:
    """Return the key that all spellings of a name share: "Ann", " ann" and the decomposed form are one name."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def check_new_name(name: str) -> None:
    """Raise InvalidAnnotation for a name with control characters, which cannot be seen or typed.

    Names that are already stored stay valid.
    """
    if not name.isprintable():
        raise InvalidAnnotation(f"the name {name[:80]!r} contains control characters; give one without")


#: Sources of a blind phase's subfigures other than an annotator; "prediction:MODEL" names the model.
BOXES_OF_GOLD = "gold"
BOXES_OF_PREDICTION = "prediction"


class Screen(StrEnum):
    """The screen on which the annotators of a phase do their tasks."""

    LABEL_STUDIO = "label-studio"
    PANELWISE = "panelwise"


class Visit(StrEnum):
    """The subfigures or items that an annotator has to look at before a submission on Panelwise's own screen."""

    NONE = "none"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Phase:
    """A named annotation round.

    deadline: for the whole phase. seeded: annotators begin from pre-labels; overlap_seeded: on the overlap too.
    single_span: the guidelines ask for one span per subcaption where possible. fine_types: ask for finer types
    too. figures: how many of the campaign's figures belong to this phase alone; None: all. figures_of: the phase
    whose figures these are, "" for none. batch: figures per batch; batch_deadlines: one each for the first
    batches. overlap: number of figures that several annotators do, overlap_annotators (() for all annotators);
    None: every figure. by_document: all figures of a source document go to one annotator and one phase.
    annotators, reviewers: who works here; () for the names on the command line, or the campaign's reviewers.
    blind: reviewers write the subcaptions of provided subfigures. given: their source: BOXES_OF_GOLD, the name of
    an annotator, or BOXES_OF_PREDICTION; the same for every reviewer.
    annotate_in: where annotators do their tasks; those of a blind phase are done in Panelwise in any case.
    hidden_gold: share of an annotator's tasks, in [0, MOST_HIDDEN], that are figures whose gold exists already, to
    measure the annotator. pass_mark: the mean F1 against the gold, in (0, 1], required of annotators.
    training_phase: the phase whose pass mark an annotator has to reach before the tasks of this one are released.
    visit: what annotators have to look at before they submit. show_ids: annotators see the ids of their figures on
    Panelwise's own screen.
    """

    name: str
    task_type: TaskType = TaskType.SUBFIGURES
    deadline: datetime | None = None
    seeded: bool = True
    single_span: bool = False
    figures: int | None = None
    figures_of: str = ""
    batch: int | None = None
    batch_deadlines: tuple[datetime, ...] = ()
    overlap: int | None = None
    overlap_annotators: tuple[str, ...] = ()
    overlap_seeded: bool = True
    by_document: bool = False
    annotators: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    blind: bool = False
    given: str = ""
    fine_types: bool = False
    annotate_in: Screen = Screen.LABEL_STUDIO
    hidden_gold: float = 0.0
    pass_mark: float | None = None
    training_phase: str = ""
    visit: Visit = Visit.NONE
    show_ids: bool = True

    def __post_init__(self) -> None:
        problems = [
            *_size_problems(self),
            *_people_problems(self),
            *_blind_problems(self),
            *_screen_problems(self),
            *_quality_problems(self),
        ]
        if problems:
            raise InvalidAnnotation(f'phase "{self.name}": {problems[0]}')

    @property
    def kind(self) -> Kind:
        """Return the kind of annotation that it asks for."""
        return KINDS[self.task_type]

    @property
    def model_of_boxes(self) -> str | None:
        """Return the model whose boxes are provided, "" for the only one; None for other boxes."""
        kind, _, model = self.given.partition(":")
        return model if kind == BOXES_OF_PREDICTION else None

    @property
    def measures_gold(self) -> bool:
        """Return True if the phase measures the quality of the gold; its work never becomes gold."""
        return self.blind and self.given == BOXES_OF_GOLD

    @property
    def own_screen(self) -> bool:
        """Return whether annotators do its tasks on Panelwise's own annotation screen."""
        return self.annotate_in is Screen.PANELWISE

    @property
    def asks_for_kind(self) -> bool:
        """Return whether annotators judge the figure's type: compound or not, number of subfigures, types."""
        return self.kind is TYPES or (self.fine_types and TYPES in self.kind.along_with)

    @property
    def in_label_studio(self) -> bool:
        """Return whether its tasks are pushed to Label Studio and pulled from there."""
        return not self.blind and not self.own_screen

    def batch_deadline(self, number: int) -> datetime | None:
        """Return the deadline of a batch (from 1): its own, else the phase's."""
        return self.batch_deadlines[number - 1] if number <= len(self.batch_deadlines) else self.deadline


def _size_problems(phase: Phase) -> Iterator[str]:
    for key, value, least in (
        ("figures", phase.figures, 1),
        ("batch", phase.batch, 1),
        ("overlap", phase.overlap, 0),
    ):
        if value is not None and value < least:
            yield f"{key} = {value} is invalid; give {least} or more"
    if phase.figures_of == phase.name:
        yield "figures_of names the phase itself; name the phase whose figures these are"
    if phase.figures is not None and phase.overlap is not None and phase.overlap > phase.figures:
        yield f"an overlap of {phase.overlap} of {phase.figures} figures is invalid; give {phase.figures} or less"
    if phase.batch_deadlines and phase.batch is None:
        yield "batch_deadlines without batch; say how many figures a batch has"
    if list(phase.batch_deadlines) != sorted(set(phase.batch_deadlines)):
        yield "batch_deadlines are not in order; give them from the first batch to the last"
    if phase.deadline is not None and phase.batch_deadlines and phase.batch_deadlines[-1] > phase.deadline:
        yield "the last of batch_deadlines is after deadline; give the phase a later one, or none"


def _people_problems(phase: Phase) -> Iterator[str]:
    people = {
        "annotators": phase.annotators,
        "overlap_annotators": phase.overlap_annotators,
        "reviewers": phase.reviewers,
    }
    for key, names in people.items():
        yield from _name_problems(key, names)
    if len(phase.overlap_annotators) == 1:
        yield "overlap_annotators has one name; an overlap is shared by two or more"
    stray = [name for name in phase.overlap_annotators if name not in phase.annotators]
    if stray and phase.annotators:
        yield f'overlap_annotators has "{stray[0]}", who is not among annotators; add the name there'


def _name_problems(key: str, names: tuple[str, ...]) -> Iterator[str]:
    for position, name in enumerate(names):
        if not name or name != name.strip():
            yield f'{key} has "{name}", which is not a valid name; give one without blanks at its ends'
        earlier = next((each for each in names[:position] if name_key(each) == name_key(name)), None)
        if earlier == name:
            yield f'{key} has "{name}" twice; name each once'
        elif earlier is not None:
            yield f'{key} has "{earlier}" and "{name}", which differ {NAME_DIFFERENCE}; name each person once'


def _blind_problems(phase: Phase) -> Iterator[str]:
    if phase.blind and not phase.kind.drawn:
        yield f"blind is for subfigures, not for {phase.task_type.value}; leave it out"
    if phase.blind and not phase.given:
        yield 'blind, but given does not say whose subfigures are given; give "gold", "prediction" or a name'
    if phase.given and not phase.blind:
        yield "given without blind = true; add that, or leave given out"


def _screen_problems(phase: Phase) -> Iterator[str]:
    if phase.own_screen and phase.blind:
        yield "annotate_in is not for a blind phase, which is done in Panelwise in any case; leave it out"
    if phase.visit is not Visit.NONE and not phase.own_screen:
        yield 'visit is for work on Panelwise\'s own screen; add annotate_in = "panelwise", or leave visit out'
    if not phase.show_ids and not phase.own_screen:
        yield 'show_ids is for Panelwise\'s own screen; add annotate_in = "panelwise", or leave show_ids out'


def _quality_problems(phase: Phase) -> Iterator[str]:
    measured = {"hidden_gold": phase.hidden_gold, "pass_mark": phase.pass_mark}
    for key, value in measured.items():
        if value and (phase.blind or not phase.kind.drawn):
            what = "a blind phase" if phase.blind else phase.task_type.value
            yield f"{key} is for subfigures that annotators draw, not for {what}; leave it out"
    if not 0 <= phase.hidden_gold <= MOST_HIDDEN:
        yield f"hidden_gold = {phase.hidden_gold} is invalid; give a share from 0 to {MOST_HIDDEN}, such as 0.1"
    if phase.pass_mark is not None and not 0 < phase.pass_mark <= 1:
        yield f"pass_mark = {phase.pass_mark} is invalid; give a mean F1 above 0 and up to 1, such as 0.75"
    if phase.training_phase == phase.name:
        yield "training_phase names the phase itself; name the phase to be passed before it"


@dataclass(frozen=True, slots=True)
class Task:
    """One figure for one annotator in one phase. batch: from 1. released: open for work.

    hidden: the figure's gold exists already; the task measures the annotator, who cannot see that. skipped_at:
    when the annotator skipped it on Panelwise's own screen; None if they did not. It is then open and comes last.
    """

    figure: str
    annotator: str
    phase: str
    batch: int = 1
    released: bool = True
    hidden: bool = False
    skipped_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InvalidAnnotation(f'figure "{self.figure}": batch {self.batch} is invalid; batches count from 1')


@dataclass(frozen=True, slots=True)
class Campaign:
    """A set of figures, guidelines, annotators and phases. labels: the palette that subfigures are named from.

    guideline: version of the guidelines. guideline_file: their path in the campaign's home. second_reviewer: every
    decision needs confirmation, not only those for which it is requested. reviewers: who adjudicates, where a
    phase names no reviewers. include: sources of gold in addition to adjudicated and unanimous figures: none, or
    single work, which is not reviewed. max_boxes: limit for one annotation or prediction; one above it is not
    imported, and does not count if it was imported before. language_models: whether the guidelines allow them.
    comments: roles that write and read comments on figures.
    """

    name: str
    phases: tuple[Phase, ...]
    labels: tuple[str, ...]
    guideline: str = ""
    quorum: int = 2
    second_reviewer: bool = False
    reviewers: tuple[str, ...] = ()
    guideline_file: str = GUIDELINE_FILE
    include: frozenset[GoldSource] = frozenset()
    max_boxes: int = MAX_BOXES
    language_models: bool = True
    comments: frozenset[Role] = frozenset(Role)

    def __post_init__(self) -> None:
        names = [phase.name for phase in self.phases]
        if len(set(names)) != len(names):
            raise InvalidAnnotation("two phases have the same name; give each its own")
        for phase in self.phases:
            _check_source(phase, self.phases)
            _check_training(phase, self.phases)
        problems = list(_name_problems("reviewers", self.reviewers))
        if problems:
            raise InvalidAnnotation(problems[0])
        if not _is_inside(self.guideline_file):
            raise InvalidAnnotation(
                f'guideline_file "{self.guideline_file}" is no file of the home; give one such as {GUIDELINE_FILE}'
            )
        if not is_guideline_name(self.guideline_file):
            raise InvalidAnnotation(
                f'guideline_file "{self.guideline_file}" does not end in {", ".join(GUIDELINE_ENDINGS[:-1])} or '
                f"{GUIDELINE_ENDINGS[-1]}; name a Markdown file such as {GUIDELINE_FILE}"
            )
        if len(set(self.labels)) != len(self.labels) or not all(self.labels):
            raise InvalidAnnotation("the palette has an empty or repeated label; give each once")
        for label in self.labels:
            if label != label.strip():
                raise InvalidAnnotation(f'label "{label}" has blanks at its ends; take them out')
        stray = self.include - {GoldSource.SINGLE}
        if stray:
            raise InvalidAnnotation(f"include has {min(stray)}, which is gold in any case; leave it out")
        if self.quorum < 1:
            raise InvalidAnnotation(f"a quorum of {self.quorum} annotators is invalid; give 1 or more")
        if not 1 <= self.max_boxes <= LARGEST_MAX_BOXES:
            raise InvalidAnnotation(f"max_boxes = {self.max_boxes} is invalid; give 1 to {LARGEST_MAX_BOXES}")

    @property
    def least_unanimous(self) -> int:
        """Return how many equal annotations make gold without a reviewer: 2 or more."""
        return max(2, self.quorum)

    @property
    def gold_sources(self) -> frozenset[GoldSource]:
        """Return the sources that count as gold unless a command names others."""
        return REVIEWED | self.include

    def phase(self, name: str) -> Phase:
        """Return the phase of that name; a plain subfigure phase if the campaign does not list it."""
        return next((phase for phase in self.phases if phase.name == name), Phase(name))

    def reviewers_of(self, phase: Phase) -> tuple[str, ...]:
        """Return a phase's reviewers: its own, else the campaign's."""
        return phase.reviewers or self.reviewers

    def annotators_of(self, phase: Phase) -> tuple[str, ...]:
        """Return a phase's annotators, or the reviewers of a blind phase. () if none is named."""
        return phase.annotators or (self.reviewers_of(phase) if phase.blind else ())

    def source_of(self, phase: Phase) -> Phase:
        """Return the phase that provides a phase's figures, following `figures_of`; itself without it."""
        while phase.figures_of:
            phase = self.phase(phase.figures_of)
        return phase


def _check_source(phase: Phase, phases: tuple[Phase, ...]) -> None:
    """Raise InvalidAnnotation for a `figures_of` that names no phase or forms a cycle."""
    by_name = {each.name: each for each in phases}
    seen = [phase.name]
    while phase.figures_of:
        if phase.figures_of not in by_name:
            raise InvalidAnnotation(
                f'phase "{phase.name}": figures_of names "{phase.figures_of}", which is no phase; '
                f"name one of {', '.join(by_name)}"
            )
        phase = by_name[phase.figures_of]
        if phase.name in seen:
            raise InvalidAnnotation(
                f'phase "{seen[0]}": figures_of leads back to itself; let one phase draw its own'
            )
        seen.append(phase.name)


def _check_training(phase: Phase, phases: tuple[Phase, ...]) -> None:
    """Raise InvalidAnnotation for a `training_phase` that names no earlier phase with a pass mark."""
    if not phase.training_phase:
        return
    earlier = phases[: phases.index(phase)]
    training = next((each for each in earlier if each.name == phase.training_phase), None)
    if training is None:
        raise InvalidAnnotation(
            f'phase "{phase.name}": training_phase names "{phase.training_phase}", which is no phase before it; '
            f"list that first"
        )
    if training.pass_mark is None:
        raise InvalidAnnotation(
            f'phase "{phase.name}": training_phase names "{training.name}", which has no pass_mark; give it one'
        )


def is_guideline_name(name: str) -> bool:
    """Return True if the ending of a file's name is one of guidelines."""
    return name.lower().endswith(GUIDELINE_ENDINGS)


def _is_inside(path: str) -> bool:
    """Return True if a path, with either slash, names a file inside the folder it is relative to."""
    parts = path.replace("\\", "/").split("/")
    return all(part not in ("", ".", "..") for part in parts) and ":" not in parts[0]
