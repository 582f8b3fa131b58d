"""The protocol of an annotation server, implemented by the real one and by the tests' one in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from panelwise.domain.errors import SyncError


@dataclass(frozen=True, slots=True)
class Account:
    """Someone with a login on the server."""

    id: int
    email: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project as the server has it.

    shown_version: of the predictions that annotators start from, or "". instructions: what they are shown before
    they begin, as HTML.
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
    order. source: from its data. submitted, skipped: number of its annotations.
    """

    id: int
    updated_at: str
    source: str
    submitted: int
    skipped: int


@dataclass(frozen=True, slots=True)
class TaskCount:
    """How many tasks there are, and how many annotations (skips not counted) and predictions they have."""

    tasks: int
    submitted: int
    predictions: int


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: ids of the tasks, in the order given, and the number of predictions."""

    task_ids: tuple[int, ...]
    predictions: int


@dataclass(frozen=True, slots=True)
class ModelServerLink:
    """A model server of a project. connected: whether Label Studio reached it just now."""

    id: int
    url: str
    title: str
    connected: bool


class TokenRefused(SyncError):
    """The server doesn't accept the token; trying again does not help."""


class AnnotationServer(Protocol):
    """An annotation server. Every method raises SyncError, one line, if it can't be reached or refuses."""

    @property
    def url(self) -> str:
        """The server's address, without a final slash."""
        ...

    def check(self) -> Account:
        """Return the account of the token; SyncError also if the address is not a Label Studio."""
        ...

    def accounts(self) -> Sequence[Account]:
        """Return all accounts."""
        ...

    def isolates_annotators(self) -> bool:
        """Return True if accounts other than administrators reach their own projects only."""
        ...

    def invitation(self) -> str:
        """Return the address of the sign-up page."""
        ...

    def ensure_account(self, email: str, password: str) -> Account:
        """Return the account with that e-mail; created with the password if there is none."""
        ...

    def projects(self) -> Sequence[Project]:
        """Return all projects."""
        ...

    def create_project(self, title: str, description: str, config: str) -> Project:
        """Make a project; the server validates the config."""
        ...

    def set_description(self, project_id: int, description: str) -> None:
        """Replace a project's description."""
        ...

    def set_title(self, project_id: int, title: str) -> None:
        """Replace a project's title."""
        ...

    def set_config(self, project_id: int, config: str) -> None:
        """Replace a project's labelling config."""
        ...

    def show_predictions(self, project_id: int, version: str) -> None:
        """Let annotators start from the predictions of that version; the project must have some."""
        ...

    def ensure_image_storage(self, project_id: int, path: str) -> None:
        """Let a project's users see the files of the server's folder `path`; once is enough."""
        ...

    def set_instructions(self, project_id: int, html: str) -> None:
        """Replace the instructions shown before annotators begin; "" shows none."""
        ...

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> Imported:
        """Add tasks (`data`, `predictions`), all of them or none."""
        ...

    def count(self, project_id: int, task_ids: Sequence[int] | None = None) -> TaskCount:
        """Count the project's tasks, or those of `task_ids` that it has."""
        ...

    def changes(self, project_id: int, since: str | None) -> Iterator[TaskMark]:
        """Yield the tasks that changed after `since` (None: all), in the order of their changes.

        Read in pages. A task that changes meanwhile is yielded again; none is skipped.
        """
        ...

    def count_changed(self, project_id: int, after: str, until: str) -> int:
        """Count the tasks that last changed after `after` and not after `until`."""
        ...

    def whole_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, dict[str, Any]]]:
        """Yield the same, each with the task as in `tasks`: if most of them are to be read."""
        ...

    def marks(self, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
        """Return the marks of those tasks that the project has."""
        ...

    def tasks_by_id(self, project_id: int, task_ids: Sequence[int]) -> list[dict[str, Any]]:
        """Return those of the tasks that the project has, as in `tasks`."""
        ...

    def tasks_by_source(self, project_id: int, sources: Sequence[str]) -> list[dict[str, Any]]:
        """Return the project's tasks of these sources by id, as in `tasks`."""
        ...

    def drafted(self, project_id: int) -> frozenset[int]:
        """Return the ids of tasks with a draft of any account: `drafts` of a task are our own only."""
        ...

    def tasks(self, project_id: int) -> Iterator[dict[str, Any]]:
        """Yield all tasks by id, in pages: `id`, `data`, `predictions`, `annotations`, `drafts`."""
        ...

    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        """Replace a task's data."""
        ...

    def delete_task(self, task_id: int) -> None:
        """Delete a task with its annotations."""
        ...

    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        """Add a prediction to a task."""
        ...

    def update_prediction(self, task_id: int, prediction_id: int, prediction: Mapping[str, Any]) -> None:
        """Replace a prediction of a task."""
        ...

    def delete_prediction(self, prediction_id: int) -> None:
        """Delete a prediction."""
        ...

    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        """Submit an annotation (`result`, `lead_time`, `was_cancelled`, `parent_prediction`); returns its id."""
        ...

    def call_back(self, project_id: int, url: str) -> int:
        """Create a webhook that calls `url` after changes to work in the project; returns its id."""
        ...

    def stop_calls(self, beginning: str) -> int:
        """Delete all webhooks whose address begins with `beginning`; returns their number."""
        ...

    def model_servers(self, project_id: int) -> Sequence[ModelServerLink]:
        """Return the model servers that a project asks for predictions."""
        ...

    def add_model_server(self, project_id: int, settings: Mapping[str, Any]) -> None:
        """Add a model server to a project; Label Studio must reach it."""
        ...

    def remove_model_server(self, link_id: int) -> None:
        """Remove a model server from its project."""
        ...

    def delete_project(self, project_id: int) -> None:
        """Delete a project with its tasks."""
        ...
