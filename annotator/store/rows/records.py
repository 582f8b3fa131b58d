"""Records of the store beside the domain's own: the queue, and links to Label Studio."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from panelwise.domain import FigureState, Status, Subfigure

#: The setting that counts how often a person was renamed: what was read before under names does not hold.
RENAMINGS = "renamings"

#: The setting that counts how often tasks were released or changed hands.
TASK_CHANGES = "task_changes"

#: Where annotations come from that are there again because the annotator undid later work.
UNDONE = "panelwise:undone"
#: The origin of annotations that were submitted on Panelwise's own screen.
SUBMITTED = "panelwise:submitted"


class Revisions(StrEnum):
    """Work on which revisions of the figures: the present one, any other, or all.

    Work on the present one counts. Other work is stored: a figure may go back to an earlier caption or image.
    """

    PRESENT = "present"
    OTHER = "other"
    ALL = "all"


class Facet(StrEnum):
    """A value by which figures of the queue are found. A kind without values has "" as its only one.

    AGREED: all annotators did the same, to the last token. SECOND: a second reviewer is requested. UNSURE: a model
    has predicted it; figures stand in the order of that model's certainty, the least sure first. STATE: what has
    become of the figure (`FigureState`). WORK, WAITS: what its annotators' work alone makes of it, and that work
    is missing; for STATE to be worked out when a decision is made or reopened, never shown. SENT_BACK: an
    annotator is to correct their work. FINDINGS: the guideline checks find errors or warnings in the work of an
    annotator. UNCHANGED: a prediction that no annotator changed, with a subfigure that none of them looked at.
    """

    ALL = "all"
    PHASE = "phase"
    ANNOTATOR = "annotator"
    LOSS = "loss"
    AGREED = "agreed"
    STATUS = "status"
    REVIEWER = "reviewer"
    SECOND = "second"
    UNSURE = "unsure"
    STATE = "state"
    WORK = "work"
    WAITS = "waits"
    SENT_BACK = "sent_back"
    FINDINGS = "findings"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """The measurements of a figure for the queue.

    agreement, annotators: see `QueueEntry`. names: the annotators. loss: the greatest cause of disagreement, None
    where nothing is lost. agreed: whether all did the same. words: of id and caption, with blanks between.
    certainty: of the latest prediction, None if there is none (see `Prediction.certainty`). work: what its
    annotators' work alone makes of it, None if that was not worked out. waits: whether somebody's is missing.
    sent_back: whether an annotator must correct their work. findings, unchanged: see `Facet`.
    """

    figure_id: str
    agreement: float | None
    annotators: int
    names: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    loss: str | None = None
    agreed: bool = False
    words: str = ""
    certainty: float | None = None
    work: FigureState | None = None
    waits: bool = False
    sent_back: bool = False
    findings: bool = False
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """Figures whose work a reviewer may not see: their tasks in these phases, until they hand them in."""

    reviewer: str
    phases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlindBoxes:
    """The subfigures that a blind phase shows on a revision of a figure, without tokens. source: of the boxes."""

    figure_id: str
    revision: int
    source: str
    subfigures: tuple[Subfigure, ...]


@dataclass(frozen=True, slots=True)
class Contact:
    """A time at which others' work on a figure, or a hint about it, reached a person.

    returned: a reviewer sent the person's own work back.
    """

    at: datetime
    returned: bool


@dataclass(frozen=True, slots=True)
class SentBack:
    """Work on a figure that a reviewer sent back to its annotator, and why.

    open: the annotator is to correct it. ended_at, ended_by: of a withdrawal, or of work handed in unchanged; None
    and "" where it is open, or the annotator corrected it.
    """

    id: int
    figure_id: str
    phase: str
    annotator: str
    reviewer: str
    at: datetime
    reason: str
    open: bool
    ended_at: datetime | None = None
    ended_by: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a figure. thread: id of the comment that began the thread, which may be this one.

    annotator: with whom reviewers talk in it, "" where they are among themselves.
    """

    id: int
    figure_id: str
    annotator: str
    thread: int
    author: str
    at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A figure taken out of the campaign, and why. restored_at, restored_by: None and "" while it is."""

    id: int
    figure_id: str
    person: str
    at: datetime
    reason: str
    restored_at: datetime | None = None
    restored_by: str = ""


@dataclass(frozen=True, slots=True)
class Sought:
    """A query of the queue: figures with all of `facets` and all `words`, without those `hidden`.

    The last word may be the beginning of one. skipped_by: only those that this reviewer skipped.
    """

    facets: tuple[tuple[Facet, str], ...] = ()
    words: tuple[str, ...] = ()
    skipped_by: str | None = None
    hidden: Hidden | None = None


#: The whole queue.
EVERYTHING = Sought()


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One figure in the reviewers' queue.

    agreement: of its annotators, in [0, 1], None if it could not be computed. annotators: how many worked
    on it. decided: the status of the current decision, None if there is none yet. version: that decision's,
    0 for none. reviewer: who made it, "" for nobody. loss, phases: see `QueuePlace`. needs_second: whether a
    second reviewer is requested.
    """

    figure_id: str
    agreement: float | None
    annotators: int
    decided: Status | None
    version: int
    reviewer: str
    loss: str | None = None
    phases: tuple[str, ...] = ()
    needs_second: bool = False


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """The number of figures in the queue, and of those with a decision (of any status)."""

    total: int
    decided: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over a whole campaign, without names.

    decisions: status -> number ever made, without reopenings. queue: figures in it, and of these decided.
    tasks_open: assigned and not submitted. reviewers_at_work: with an open figure.
    """

    figures: int
    annotations: int
    decisions: dict[str, int]
    reopenings: int
    queue: int
    decided: int
    tasks: int
    tasks_open: int
    people: int
    reviewers_at_work: int


@dataclass(frozen=True, slots=True)
class Lease:
    """A reviewer has a figure open, until a time; advice, not a lock."""

    figure_id: str
    reviewer: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Bulk:
    """Figures adjudicated together. figures: their number. undone_at: None unless undone."""

    id: int
    reviewer: str
    at: datetime
    figures: int
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class Link:
    """The project and task in Label Studio of one annotator's task of one phase.

    pushed: a hash of what was sent last, None if that is not known. updated_at: as the server had it when the
    task was last pulled, text order is time order; None if it never was. submitted, skipped: ids of its
    annotations then; `read` tells whether that went well, else it is read again at the next pull.
    """

    annotator: str
    phase: str
    project_id: int
    figure_id: str
    task_id: int
    pushed: str | None = None
    updated_at: str | None = None
    submitted: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    read: bool = False

    @property
    def annotations(self) -> tuple[int, ...]:
        """Ids of all annotations that the task had."""
        return self.submitted + self.skipped


@dataclass(frozen=True, slots=True)
class ProjectLink:
    """The Label Studio project of one annotator in one phase, and the server that holds it.

    config_hash: of the configuration that was sent last, None if that is not known.
    """

    annotator: str
    phase: str
    project_id: int
    server_url: str
    title: str = ""
    config_hash: str | None = None


class Outcome(StrEnum):
    """The outcome of an attempt to sign in, or a change to an account."""

    SIGNED_IN = "signed in"
    SIGNED_OUT = "signed out"
    WRONG_PASSWORD = "wrong password"
    UNKNOWN_NAME = "unknown name"
    NO_ACCESS = "inactive or without password"
    HELD_OFF = "too many failures"
    PASSWORD_CHANGED = "password changed"
    PASSWORD_SET = "password set by link"
    ADDED = "account added"
    RENAMED = "renamed"
    ROLES_CHANGED = "roles changed"
    DISABLED = "account disabled"
    ENABLED = "account enabled"

    @property
    def failed(self) -> bool:
        """True if the attempt to sign in failed."""
        return self in (Outcome.WRONG_PASSWORD, Outcome.UNKNOWN_NAME, Outcome.NO_ACCESS, Outcome.HELD_OFF)


@dataclass(frozen=True, slots=True)
class SignIn:
    """One entry of the audit. name: "" if the typed name is unknown. address: the client's."""

    at: datetime
    name: str
    outcome: Outcome
    address: str


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A person's token for the HTTP API. used_at: last use, to the hour; None if never used."""

    person: str
    label: str
    created_at: datetime
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TaskCounts:
    """One annotator's figures in one phase. redo: done on a caption or image that has been replaced since."""

    done: int
    open: int
    redo: int


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """One annotator's tasks of one batch of a phase. released: how many may be worked on already.

    done, redo: submitted on the figures' present caption and image; on another one only. open: released, and
    nothing submitted.
    """

    phase: str
    annotator: str
    batch: int
    tasks: int
    released: int
    done: int
    redo: int
    open: int


@dataclass(frozen=True, slots=True)
class DayCount:
    """Number of figures done on one day. day: UTC, as "2026-11-21"."""

    day: str
    name: str
    figures: int
