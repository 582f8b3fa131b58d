"""The protocol of the server in which annotators work, whichever program that is.

Services use an `AnnotationServer` with the values of this module; `annotator.campaign.connect` makes the one of a
campaign. Label Studio's adapter is `annotator.label_studio.client`. What a program sends and receives is opaque to
the services (`Content`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

from panelwise.domain import Annotation, Campaign, Figure, Phase, Prediction, SyncError
from panelwise.runtime import server_address

#: A value in the server's own format: only its adapter reads it.
Content = Mapping[str, Any]
Record = TypeVar("Record")

#: The address of models that disconnects them.
NO_MODELS = "none"


@dataclass(frozen=True, slots=True)
class Account:
    """Someone with a login on the server."""

    id: int
    email: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project as the server has it.

    config: its labelling screen, in the server's own language. shown_version: of the predictions that annotators
    start from, or "". instructions: what they are shown before they begin, as HTML.
    """

    id: int
    title: str
    description: str
    config: str
    shown_version: str = ""
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class TaskMark:
    """A task in a list of tasks, without annotations and predictions.

    updated_at: when it, its annotations or predictions last changed, by the server's clock; text order is time
    order. source: see `ServerTask`. submitted, skipped: number of its annotations.
    """

    id: int
    updated_at: str
    source: str
    submitted: int
    skipped: int


@dataclass(frozen=True, slots=True)
class TaskCount:
    """Counts of tasks, of their annotations (skips not counted) and of their predictions."""

    tasks: int
    submitted: int
    predictions: int


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: ids of the tasks, in the order given, and the number of predictions."""

    task_ids: tuple[int, ...]
    predictions: int


@dataclass(frozen=True, slots=True)
class SentTask:
    """A task as it is sent to the server.

    data: what its config shows. prediction: what the annotator starts from, or None. left_out: parts of the
    prediction that could not be sent, a line each. caption: as shown. hash: of data and prediction.
    """

    data: Content
    prediction: Content | None
    left_out: tuple[str, ...]
    caption: str
    hash: str


@dataclass(frozen=True, slots=True)
class Submission:
    """An annotation of a task. account: who submitted it. changed_by: another account that changed it last.

    Accounts are ids, None if unknown. skipped: the annotator passed the task over.
    """

    id: int
    skipped: bool
    account: int | None
    changed_by: int | None
    content: Content


@dataclass(frozen=True, slots=True)
class ServerTask:
    """A task on the server.

    source: of which figure and revision it is (`label_config.names.task_source`), "" if it is not ours. caption:
    as shown. drafted: whether our own account has a draft.
    """

    id: int
    source: str
    caption: str
    submissions: tuple[Submission, ...]
    drafted: bool
    content: Content


@dataclass(frozen=True, slots=True)
class Submitted(Generic[Record]):
    """The annotations of a task.

    record: the one that counts, None if the task is open. others: number of further annotations. accounts: ids of
    the accounts that submitted them, in order, each once; None for an unknown account.
    """

    record: Record | None
    others: int
    accounts: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Pulled:
    """An annotation read from the server. Each line names figure, annotator and label.

    findings: unusual, but stored. left_out: could not be stored.
    """

    annotation: Annotation
    findings: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Models:
    """The address of a model server, as the annotation server reaches it.

    url: "" to disconnect. password: "" if none is required.
    """

    url: str
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, text: str, password: str = "") -> Models:
        """Parse "http://127.0.0.1:9090", or "none". Raises SyncError for any other text."""
        if text == NO_MODELS:
            return cls("")
        parts = server_address(text)
        if parts is None or parts.username is not None:
            raise SyncError(
                f"{text}: no address of models; give one such as http://127.0.0.1:9090, or {NO_MODELS}"
            )
        return cls(text.rstrip("/"), password)


class TokenRefused(SyncError):
    """The server doesn't accept the token; trying again does not help."""


class AnnotationServer(Protocol):
    """A server in which annotators work. Every method raises SyncError, one line, if the server fails or refuses.

    Projects, tasks and annotations are known by the server's ids. A project is one annotator's in one phase.
    """

    @property
    def url(self) -> str:
        """The server's address, without a final slash."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    # People

    def check(self) -> Account:
        """Return the account that Panelwise uses; SyncError also if another program answers at the address."""
        ...

    def accounts(self) -> Sequence[Account]:
        """Return all accounts."""
        ...

    def ensure_account(self, email: str, password: str) -> Account:
        """Return the account with that e-mail; created with the password if there is none."""
        ...

    def invitation(self) -> str:
        """Return the address of the sign-up page."""
        ...

    def isolates_annotators(self) -> bool:
        """Return True if accounts other than administrators reach their own projects only."""
        ...

    # Projects

    def projects(self) -> Sequence[Project]:
        """Return all projects."""
        ...

    def create_project(self, title: str, description: str, config: str) -> Project:
        """Make a project; the server validates the config."""
        ...

    def set_title(self, project_id: int, title: str) -> None:
        """Replace a project's title."""
        ...

    def set_description(self, project_id: int, description: str) -> None:
        """Replace a project's description."""
        ...

    def set_config(self, project_id: int, config: str) -> None:
        """Replace a project's labelling config."""
        ...

    def set_instructions(self, project_id: int, html: str) -> None:
        """Replace the instructions shown before annotators begin; "" shows none."""
        ...

    def ensure_image_storage(self, project_id: int, path: str) -> None:
        """Let a project's users see the files of the server's folder `path`; once is enough."""
        ...

    def show_predictions(self, project_id: int, version: str) -> None:
        """Let annotators start from the predictions of that version; the project must have some."""
        ...

    def connect_models(self, project_id: int, models: Models, phase: Phase) -> str:
        """Connect a project to these models and disconnect earlier ones of ours; returns a warning, or ""."""
        ...

    def labelling_config(self, campaign: Campaign, phase: Phase) -> str:
        """Return the config of a phase's projects. Raises SyncError for labels that it can't hold."""
        ...

    def missing_parts(self, config: str, required: str) -> tuple[str, ...]:
        """Describe, for the lead, what `config` lacks of the required one; () if work with it can be read."""
        ...

    # Tasks

    def task_of(
        self,
        figure: Figure,
        prediction: Prediction | None,
        campaign: Campaign,
        phase: Phase,
        *,
        labels: Sequence[str] | None = None,
    ) -> SentTask:
        """Return a figure's task. prediction: a model's latest, None to show none. labels: that the caption names.

        Raises InvalidAnnotation if the figure can't be a task.
        """
        ...

    def add_tasks(self, project_id: int, tasks: Sequence[SentTask]) -> Imported:
        """Add tasks, all of them or none."""
        ...

    def read_tasks(self, project_id: int, task_ids: Sequence[int]) -> list[ServerTask]:
        """Return those of the tasks that the project has."""
        ...

    def tasks_of_sources(self, project_id: int, sources: Sequence[str]) -> list[ServerTask]:
        """Return the project's tasks of these sources, by id."""
        ...

    def read_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, ServerTask]]:
        """Yield the same as `changes`, each with its task: if most of them are to be read."""
        ...

    def changes(self, project_id: int, since: str | None) -> Iterator[TaskMark]:
        """Yield the tasks that changed after `since` (None: all), in the order of their changes.

        A task that changes meanwhile is yielded again; none is skipped.
        """
        ...

    def count_changed(self, project_id: int, after: str, until: str) -> int:
        """Count the tasks that last changed after `after` and not after `until`."""
        ...

    def marks(self, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
        """Return the marks of those tasks that the project has."""
        ...

    def count(self, project_id: int, task_ids: Sequence[int] | None = None) -> TaskCount:
        """Count the project's tasks, or those of `task_ids` that it has."""
        ...

    def drafted(self, project_id: int) -> frozenset[int]:
        """Return the ids of tasks with a draft of any account."""
        ...

    def delete_task(self, task_id: int) -> None:
        """Delete a task with its annotations."""
        ...

    def same_data(self, task: ServerTask, sent: SentTask) -> bool:
        """Return whether a task shows what is to be sent."""
        ...

    def same_prediction(self, task: ServerTask, sent: SentTask) -> bool:
        """Return whether a task has the prediction that is to be sent, or none if none is, and no other."""
        ...

    def sent_hash(self, task: ServerTask) -> str | None:
        """Return the hash of a `SentTask` with the same content; None if the task has several predictions."""
        ...

    def replace_data(self, task: ServerTask, sent: SentTask) -> None:
        """Replace what a task shows."""
        ...

    def replace_prediction(self, task: ServerTask, sent: SentTask) -> None:
        """Make this the task's only prediction, or remove all. An interrupted call can be repeated."""
        ...

    # Annotations

    def submitted(self, task: ServerTask, *, owner: int | None = None) -> Submitted[Submission]:
        """Return a task's annotation that counts: the latest of the account `owner`, of any account for None."""
        ...

    def changed_locks(self, task: ServerTask, record: Submission) -> Iterator[str]:
        """Describe, for its annotator, what an annotation changed that it may not change."""
        ...

    def annotation_of(
        self,
        task: ServerTask,
        record: Submission,
        figure: Figure,
        *,
        annotator: str,
        phase: Phase,
        guideline: str = "",
    ) -> Pulled:
        """Convert one of a task's annotations. What can't be read is left out and listed.

        Raises InvalidAnnotation, which names figure and annotator, if the task shows another caption or image than
        the figure's, or if nothing of the annotation could be read.
        """
        ...

    def submit(self, task_id: int, annotation: Annotation, phase: Phase) -> int:
        """Submit an annotation as its annotator would through the page; returns its id."""
        ...

    # Calls after changes

    def call_back(self, project_id: int, url: str) -> int:
        """Create a webhook that calls `url` after changes to work in the project; returns its id."""
        ...

    def stop_calls(self, beginning: str) -> int:
        """Delete all webhooks whose address begins with `beginning`; returns their number."""
        ...
