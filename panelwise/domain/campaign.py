"""Campaigns: people, phases and tasks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from panelwise.domain.annotation import LARGEST_MAX_BOXES, MAX_BOXES
from panelwise.domain.decision import REVIEWED, GoldSource
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import LARGEST
from panelwise.domain.items import FIGURE_TYPES
from panelwise.domain.kinds import KINDS, TYPES, Kind
from panelwise.domain.kinds import TaskType as TaskType
from panelwise.domain.setting import Setting, limit_problems

#: Default path of the guidelines in the campaign's home.
GUIDELINE_FILE = "guidelines.md"
#: The largest share of an annotator's tasks that may be hidden gold.
MOST_HIDDEN = 0.5
#: Figure types that a campaign may list: as many as the labelling screen has keys for.
MOST_TYPES = 12
#: The largest share of an annotator's tasks that may be drawn to begin without pre-labels.
MOST_UNSEEDED = 0.5
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
BOXES_OF_PHASE = "phase"


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
    """A named annotation round, and a table [[phases]] of campaign.toml; its settings describe themselves.

    types: the campaign's figure types, which fills them in. None: without that setting. (): of people, the names
    on the command line or the campaign's reviewers. given: BOXES_OF_GOLD, BOXES_OF_PHASE, BOXES_OF_PREDICTION or
    the name of an annotator; the same for every reviewer.
    """

    name: Annotated[
        str, Setting("of the phase; numbers need no quotation marks", give="the name of the phase", numbered=True)
    ]
    task_type: Annotated[TaskType, Setting("what annotators do")] = TaskType.SUBFIGURES
    deadline: Annotated[datetime | None, Setting("when the phase is due")] = None
    seeded: Annotated[
        bool,
        Setting("`false`: tasks begin without pre-labels, which raise agreement; the report says by how much"),
    ] = True
    single_span: Annotated[bool, Setting("`true`: one span of words per subcaption where possible")] = False
    figures: Annotated[
        int | None,
        Setting(
            "how many the phase draws; two phases with such numbers never share a figure",
            default="all",
            least=1,
            most=LARGEST,
        ),
    ] = None
    figures_of: Annotated[
        str,
        Setting("phase whose figures these are, or some of them", default="all of the campaign", numbered=True),
    ] = ""
    batch: Annotated[
        int | None,
        Setting(
            "figures per batch; the first is open at once, the dashboard says when to release the next",
            default="no batches",
            least=1,
            most=LARGEST,
        ),
    ] = None
    batch_deadlines: Annotated[
        tuple[datetime, ...], Setting("when the first batches are due, in order", default="the phase's")
    ] = ()
    overlap: Annotated[
        int | None,
        Setting("figures done by several annotators", default="every figure by everyone", least=0, most=LARGEST),
    ] = None
    overlap_annotators: Annotated[
        tuple[str, ...], Setting("who shares the overlap, two at least", default="all")
    ] = ()
    overlap_seeded: Annotated[bool, Setting("`false`: overlap figures begin without pre-labels")] = True
    unseeded: Annotated[
        float,
        Setting(
            "share of each annotator's tasks, drawn by seed, that begin without pre-labels, to measure what these "
            "do to the work; for subfigures",
            least=0,
            most=MOST_UNSEEDED,
        ),
    ] = 0.0
    by_document: Annotated[
        bool, Setting("`true`: all figures of a source document go to one annotator and one phase")
    ] = False
    annotators: Annotated[
        tuple[str, ...],
        Setting("who does the tasks", default="chosen at the assignment; of a blind phase the reviewers"),
    ] = ()
    reviewers: Annotated[
        tuple[str, ...], Setting("who reviews it, or does it if blind", default="the campaign's")
    ] = ()
    blind: Annotated[
        bool,
        Setting(
            "`true`: reviewers mark [subcaptions of given boxes](../how-to/annotate-blind.md) without seeing "
            "others'"
        ),
    ] = False
    given: Annotated[
        str,
        Setting(
            'whose boxes are given: `"gold"`, `"phase"` (drawn in the phase of `figures_of`), `"prediction"`, '
            '`"prediction:MODEL"`, or an annotator\'s name'
        ),
    ] = ""
    fine_types: Annotated[bool, Setting("`true`: asks for fine figure types")] = False
    figure_type: Annotated[
        bool,
        Setting(
            "`true`: asks with question-answer pairs whether the figure is compound, how many subfigures it has, "
            "its types and notes on it; `fine_types` does too"
        ),
    ] = False
    annotate_in: Annotated[
        Screen, Setting("where annotators work: in Label Studio, or on Panelwise's own screen")
    ] = Screen.LABEL_STUDIO
    hidden_gold: Annotated[
        float,
        Setting(
            "share of each annotator's tasks that are gold, to measure the annotator; for subfigures",
            least=0,
            most=MOST_HIDDEN,
        ),
    ] = 0.0
    pass_mark: Annotated[
        float | None,
        Setting("mean F1 against gold required of annotators, in a phase of subfigures", above=0, most=1),
    ] = None
    training_phase: Annotated[
        str,
        Setting("earlier phase whose `pass_mark` an annotator must reach to get these tasks", numbered=True),
    ] = ""
    visit: Annotated[
        Visit,
        Setting(
            '`"all"`: annotators must look at every subfigure (for at least 0.7 s, or change it) or item before '
            'they submit; only with `annotate_in = "panelwise"`. Costs one key and 0.7 s for each that they would '
            "have passed over: an agreed figure of four panels takes 4 keys and 6.5 s in place of 1 and 1.6 s"
        ),
    ] = Visit.NONE
    show_ids: Annotated[
        bool,
        Setting("`false`: annotators see numbers in place of the ids of figures on Panelwise's own screen"),
    ] = True
    types: tuple[str, ...] = FIGURE_TYPES

    def __post_init__(self) -> None:
        problems = [
            *limit_problems(self),
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
    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of annotation that it asks for: its own, and if so set those along with it."""
        return (*(self.kind.along_with if self.fine_types or self.figure_type else ()), self.kind)

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
        return TYPES in self.kinds

    @property
    def types_closed(self) -> bool:
        """Return whether only the campaign's types are taken: it lists its own, and asks for no finer ones."""
        return self.types != FIGURE_TYPES and not self.fine_types

    @property
    def in_label_studio(self) -> bool:
        """Return whether its tasks are pushed to Label Studio and pulled from there."""
        return not self.blind and not self.own_screen

    def batch_deadline(self, number: int) -> datetime | None:
        """Return the deadline of a batch (from 1): its own, else the phase's."""
        return self.batch_deadlines[number - 1] if number <= len(self.batch_deadlines) else self.deadline


def unlisted_types(types: Iterable[str], phase: Phase) -> frozenset[str]:
    """Return the figure types that a phase does not take, as its campaign lists others."""
    return frozenset(types).difference(phase.types) if phase.types_closed else frozenset()


def describe_unlisted(unlisted: Iterable[str], listed: Iterable[str]) -> str:
    """Return the message for figure types that a campaign does not list."""
    named = ", ".join(f'"{name}"' for name in sorted(unlisted))
    return f"type {named} is none of the campaign's figure_types ({', '.join(listed)})"


def _size_problems(phase: Phase) -> Iterator[str]:
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
    if phase.given == BOXES_OF_PHASE and not phase.figures_of:
        yield 'given = "phase" without figures_of; name there the phase whose boxes are given'


def _screen_problems(phase: Phase) -> Iterator[str]:
    if phase.own_screen and phase.blind:
        yield "annotate_in is not for a blind phase, which is done in Panelwise in any case; leave it out"
    if phase.visit is not Visit.NONE and not phase.own_screen:
        yield 'visit is for work on Panelwise\'s own screen; add annotate_in = "panelwise", or leave visit out'
    if not phase.show_ids and not phase.own_screen:
        yield 'show_ids is for Panelwise\'s own screen; add annotate_in = "panelwise", or leave show_ids out'


def _quality_problems(phase: Phase) -> Iterator[str]:
    measured = {"hidden_gold": phase.hidden_gold, "pass_mark": phase.pass_mark, "unseeded": phase.unseeded}
    for key, value in measured.items():
        if value and (phase.blind or not phase.kind.drawn):
            what = "a blind phase" if phase.blind else phase.task_type.value
            yield f"{key} is for subfigures that annotators draw, not for {what}; leave it out"
    if phase.unseeded and not phase.seeded:
        yield "unseeded is a share of tasks that begin with pre-labels, but seeded = false; leave one of them out"
    if phase.training_phase == phase.name:
        yield "training_phase names the phase itself; name the phase to be passed before it"


def _type_problems(types: tuple[str, ...]) -> Iterator[str]:
    if not 2 <= len(types) <= MOST_TYPES:
        yield f"has {len(types)} types; list 2 to {MOST_TYPES}"
    for position, name in enumerate(types):
        if not name.strip() or name != " ".join(name.split()) or not name.isprintable():
            yield f"has {name!r}, which is not a valid type; give a name without blanks at its ends"
        if name.casefold() in {each.casefold() for each in types[:position]}:
            yield f'has "{name}" twice; list each type once'


@dataclass(frozen=True, slots=True)
class Task:
    """One figure for one annotator in one phase. batch: from 1. released: open for work.

    hidden: the figure's gold exists already; the task measures the annotator, who cannot see that. skipped_at:
    when the annotator skipped it on Panelwise's own screen; None if they did not. It is then open and comes last.
    unseeded: drawn to begin without pre-labels in a phase whose tasks begin with them.
    """

    figure: str
    annotator: str
    phase: str
    batch: int = 1
    released: bool = True
    hidden: bool = False
    skipped_at: datetime | None = None
    unseeded: bool = False

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InvalidAnnotation(f'figure "{self.figure}": batch {self.batch} is invalid; batches count from 1')


@dataclass(frozen=True, slots=True)
class Campaign:
    """A set of figures, guidelines, annotators and phases: the settings at the top of campaign.toml."""

    name: Annotated[str, Setting("heading of pages and projects", give="the campaign's name")]
    phases: Annotated[
        tuple[Phase, ...], Setting("the campaign's phases, a table `[[phases]]` each", default='one, `"1"`')
    ]
    labels: Annotated[
        tuple[str, ...],
        Setting(
            "labels of subfigures, in reading order",
            give='the labels of subfigures, such as ["A", "B", "C"]',
        ),
    ]
    guideline: Annotated[str, Setting("version of the guidelines, stored with each annotation")] = ""
    quorum: Annotated[
        int,
        Setting(
            "annotators who must agree for preselection, and (two at least) for [gold without a "
            "reviewer](../how-to/release-gold.md#what-is-gold)",
            least=1,
            most=LARGEST,
        ),
    ] = 2
    second_reviewer: Annotated[
        bool,
        Setting(
            "`true`: [every decision needs "
            "one](../decisions/work-and-gold.md#20-reopening-is-an-entry-a-second-reviewer-is-a-round)"
        ),
    ] = False
    reviewers: Annotated[
        tuple[str, ...],
        Setting("who adjudicates in all phases that name no others, and does the blind phases", default="anybody"),
    ] = ()
    guideline_file: Annotated[
        str,
        Setting(
            "Markdown in the home (`.md`, `.markdown`, `.txt`), shown with the figure and as the instructions of "
            "Label Studio's projects"
        ),
    ] = GUIDELINE_FILE
    include: Annotated[
        frozenset[GoldSource],
        Setting(
            '`["single"]` adds work of fewer annotators, which is not reviewed, to '
            "[gold](../how-to/release-gold.md#what-is-gold)",
            give='["single"], or leave include out',
        ),
    ] = frozenset()
    max_boxes: Annotated[
        int,
        Setting(
            "boxes of one annotation or prediction; work with more is refused", least=1, most=LARGEST_MAX_BOXES
        ),
    ] = MAX_BOXES
    language_models: Annotated[
        bool,
        Setting(
            "`false`, as in SciVQA's templates: [pre-labels by a language "
            "model](prelabel.md#captions-read-by-a-language-model) are refused"
        ),
    ] = True
    comments: Annotated[
        frozenset[Role],
        Setting(
            "roles that may [comment on figures](../how-to/work-through-the-queue.md#comments): `annotator`, "
            "`reviewer`, `lead`",
            default="all three",
            give="lead, reviewer or annotator, or [] for no comments",
        ),
    ] = frozenset(Role)
    figure_types: Annotated[
        tuple[str, ...],
        Setting(
            "types of figures to choose from, up to 12; where you list your own, others are refused but in phases "
            "with `fine_types`",
            default="the twelve of SciVQA",
            example='["radiology", "histology", "scopes", "other medical", "not medical"]',
        ),
    ] = FIGURE_TYPES

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
        problems = list(_type_problems(self.figure_types))
        if problems:
            raise InvalidAnnotation(f"figure_types {problems[0]}")
        object.__setattr__(self, "phases", tuple(replace(each, types=self.figure_types) for each in self.phases))
        stray = self.include - {GoldSource.SINGLE}
        if stray:
            raise InvalidAnnotation(f"include has {min(stray)}, which is gold in any case; leave it out")
        for problem in limit_problems(self):
            raise InvalidAnnotation(problem)

    @property
    def drawn(self) -> bool:
        """Return whether annotators of any phase draw boxes."""
        return any(phase.kind.drawn for phase in self.phases)

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
        return next((phase for phase in self.phases if phase.name == name), Phase(name, types=self.figure_types))

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
