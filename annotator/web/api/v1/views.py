"""The HTTP API's answers, in plain values."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.kinds.supports import ADJUDICATED, SUPPORTS, item_values, with_kinds
from annotator.adjudication.proposals import panels
from annotator.dashboards.agreement_page import AgreementPage, Cell
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import Job
from panelwise.domain import (
    NO_ITEMS,
    Annotation,
    Awaits,
    Decision,
    ErrorKind,
    Figure,
    Reopening,
    Role,
    Status,
    Task,
)
from panelwise.runtime import read_progress


class PersonView(msgspec.Struct, frozen=True):
    """The person of the token."""

    name: str
    roles: tuple[Role, ...]


class FigureView(msgspec.Struct, frozen=True):
    """A figure as it is now. width, height: pixels, null if unknown. tokens: places in the caption."""

    figure_id: str
    revision: int
    image: str
    width: int | None
    height: int | None
    caption: str
    tokens: tuple[tuple[int, int], ...]
    references: tuple[str, ...]
    document: str
    source: dict[str, Any]

    @classmethod
    def of(cls, figure: Figure) -> FigureView:
        """The view of a figure, without secrets in its addresses."""
        figure = figure.shareable()
        return cls(
            figure.id,
            figure.revision,
            figure.image,
            figure.width if figure.sized else None,
            figure.height if figure.sized else None,
            figure.caption.text,
            tuple((start, end) for start, end in figure.caption.ranges),
            figure.references,
            figure.document,
            dict(figure.source),
        )


class TaskView(msgspec.Struct, frozen=True):
    """An assigned task. released: it may be worked on; null for another person's task that waits for a training
    phase with figures that you annotate blind. submitted: work on it is there; null for another person's task on
    a figure that you annotate blind.
    """

    figure_id: str
    annotator: str
    phase: str
    batch: int
    released: bool | None
    submitted: bool | None

    @classmethod
    def of(cls, task: Task, *, released: bool | None, submitted: bool | None) -> TaskView:
        """The view of a task."""
        return cls(task.figure, task.annotator, task.phase, task.batch, released, submitted)


if TYPE_CHECKING:
    _WorkOfKinds = msgspec.Struct
    _DecisionOfKinds = msgspec.Struct
else:
    _WorkOfKinds = with_kinds(msgspec.Struct, SUPPORTS.values())
    _DecisionOfKinds = with_kinds(msgspec.Struct, ADJUDICATED)


class AnnotationView(_WorkOfKinds, frozen=True):
    """An annotator's current work on a figure. key: of the annotator on this figure, as in `based_on`.

    annotator, saved_at, seeded_by, seconds: for leads only; seeded_by: the model that it started from.
    """

    figure_id: str
    revision: int
    phase: str
    key: str
    status: Status
    subfigures: tuple[Panel, ...]
    annotator: str | UnsetType = UNSET
    saved_at: datetime | UnsetType = UNSET
    seeded_by: str | UnsetType | None = UNSET
    seconds: float | UnsetType | None = UNSET

    @classmethod
    def of(cls, work: Annotation, keys: Keys, *, named: bool) -> AnnotationView:
        """The view of an annotation. named: for a lead."""
        return cls(
            work.figure.id,
            work.figure.revision,
            work.phase,
            keys.of(work.annotator),
            work.status,
            panels(work.subfigures),
            **item_values(work.items, SUPPORTS.values()),
            annotator=work.annotator if named else UNSET,
            saved_at=work.saved_at if named else UNSET,
            seeded_by=work.seeded_by if named else UNSET,
            seconds=work.seconds if named else UNSET,
        )


class EntryStatus(StrEnum):
    """The status of a history's entry: a decision's status, or "reopened"."""

    ACCEPTED = Status.ACCEPTED.value
    REJECTED = Status.REJECTED.value
    IGNORED = Status.IGNORED.value
    REOPENED = "reopened"


class DecisionEntry(_DecisionOfKinds, frozen=True):
    """An entry of a figure's history: a decision, or its reopening, which has no work.

    based_on: keys of the annotators whose work was adopted. awaits: whose confirmation is still needed.
    """

    figure_id: str
    revision: int
    version: int
    reviewer: str
    status: EntryStatus
    decided_at: datetime
    note: str
    subfigures: tuple[Panel, ...] = ()
    based_on: tuple[str, ...] = ()
    seconds: float | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""
    restored_from: int | None = None
    awaits: Awaits | None = None

    @classmethod
    def of(cls, entry: Decision | Reopening, keys: Keys) -> DecisionEntry:
        """The view of an entry."""
        head = (entry.figure.id, entry.figure.revision, entry.version, entry.reviewer)
        if isinstance(entry, Reopening):
            return cls(*head, EntryStatus.REOPENED, entry.reopened_at, entry.note, **item_values(NO_ITEMS))
        return cls(
            *head,
            EntryStatus(entry.status.value),
            entry.decided_at,
            entry.note,
            panels(entry.subfigures),
            **item_values(entry.items),
            based_on=tuple(sorted(map(keys.of, entry.based_on))),
            seconds=entry.seconds,
            error_kind=entry.error_kind,
            guideline_flag=entry.guideline_flag,
            restored_from=entry.restored_from,
            awaits=entry.awaits,
        )


class SavedDecision(msgspec.Struct, frozen=True):
    """A decision that was saved. version: its number on the figure. awaits: whose confirmation it needs."""

    version: int
    awaits: Awaits | None


class PairView(msgspec.Struct, frozen=True):
    """The score of one annotator as predictor of another as gold; null if undefined, for `reason`.

    interval: its 95 % CI. figures: number that both submitted.
    """

    gold: str
    predicted: str
    score: float | None
    interval: tuple[float, float] | None
    figures: int
    reason: str

    @classmethod
    def of(cls, cell: Cell) -> PairView:
        """The view of a cell of the agreement matrix."""
        return msgspec.convert(cell, cls, from_attributes=True)


class AgreementView(msgspec.Struct, frozen=True):
    """The agreement in a phase. iaa: null if undefined, for `reason`. interval: its 95 % CI.

    annotators: pseudonyms unless for leads. phases: all of the campaign. measured_at: null without work. fresh: no
    work was saved since.
    """

    phase: str
    phases: tuple[str, ...]
    iaa: float | None
    interval: tuple[float, float] | None
    reason: str
    annotators: tuple[str, ...] = ()
    pairs: tuple[PairView, ...] = ()
    measured_at: datetime | None = None
    fresh: bool = True

    @classmethod
    def of(cls, page: AgreementPage) -> AgreementView:
        """The view of the agreement page, once it is measured."""
        phases = tuple(name for name, _ in page.phases)
        numbers = page.numbers
        if numbers is None:
            return cls(page.phase, phases, None, None, "no work was submitted in this phase")
        report = numbers.report
        return cls(
            page.phase,
            phases,
            report.iaa,
            report.intervals.iaa,
            numbers.reason,
            numbers.names,
            tuple(PairView.of(cell) for row in numbers.matrix for cell in row.cells if cell is not None),
            numbers.at,
            numbers.fresh,
        )


class UploadView(msgspec.Struct, frozen=True):
    """An upload. sizes: bytes of each of its files that are here."""

    upload: str
    sizes: dict[str, int]


class PieceView(msgspec.Struct, frozen=True):
    """The file that a piece was added to. size: its bytes, where the next piece begins."""

    size: int


class Progress(msgspec.Struct, frozen=True):
    """Progress of a step of a job. total: null if unknown."""

    step: str
    done: int
    total: int | None


class JobView(msgspec.Struct, frozen=True):
    """A background job. by: who started it. exit: of its command, null while there is none.

    progress: of the step that it is at, null before the first and once it ended.
    """

    number: int
    kind: str
    title: str
    by: str
    state: JobState
    started_at: datetime
    ended_at: datetime | None
    exit: int | None
    files: tuple[str, ...]
    progress: Progress | None = None

    @classmethod
    def of(cls, job: Job) -> JobView:
        """The view of a job."""
        asked, result = job.request, job.result
        progress = read_progress(job.log()) if job.state is JobState.RUNNING else None
        return cls(
            job.number,
            asked.kind,
            asked.title,
            asked.by,
            job.state,
            asked.started_at,
            None if result is None else result.ended_at,
            None if result is None else result.exit,
            job.files,
            None if progress is None else Progress(*progress),
        )
