"""What the services ask of an annotation server; the real one and the tests' one in memory both answer to it."""

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
    """What a list of tasks tells of one, without its annotations and predictions.

    updated_at: when it, its annotations or predictions last changed, by the server's clock; text order is time
    order. source: what its data says it is of. submitted, skipped: how many annotations it has.
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
    """What an import made: ids of the tasks, in the order in which they were given, and how many predictions."""

    task_ids: tuple[int, ...]
    predictions: int


@dataclass(frozen=True, slots=True)
class ModelServerLink:
    """A server of models that a project asks. connected: whether Label Studio reached it just now."""

    id: int
    url: str
    title: str
    connected: bool


class TokenRefused(SyncError):
    """The token is not, or no longer, the server's: trying again does not help."""


class AnnotationServer(Protocol):
    """Every method raises SyncError, one line, where the server cannot be reached or refuses."""

    @property
    def url(self) -> str:
        """The server's address, without a slash at its end."""
        ...

    def check(self) -> Account:
        """The account whose token is used; SyncError too where the address is no Label Studio."""
        ...

    def accounts(self) -> Sequence[Account]:
        """Everybody with a login."""
        ...

    def isolates_annotators(self) -> bool:
        """Tell whether an account that is no administrator's reaches its own projects only."""
        ...

    def invitation(self) -> str:
        """The address of the page on which people make an account of their own."""
        ...

    def ensure_account(self, email: str, password: str) -> Account:
        """The account of that e-mail, made now with the password where there is none."""
        ...

    def projects(self) -> Sequence[Project]:
        """All projects."""
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
        """Replace what annotators are shown before they begin; "" shows nothing."""
        ...

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> Imported:
        """Add tasks (`data`, `predictions`), all of them or none."""
        ...

    def count(self, project_id: int, task_ids: Sequence[int] | None = None) -> TaskCount:
        """Count the project's tasks, or those of `task_ids` that it has."""
        ...

    def changes(self, project_id: int, since: str | None) -> Iterator[TaskMark]:
        """The tasks that changed after `since` (None: all), in the order in which they changed.

        Read as needed. A task that changes meanwhile comes again; none is passed over.
        """
        ...

    def count_changed(self, project_id: int, after: str, until: str) -> int:
        """How many tasks last changed after `after`, and at `until` at the latest."""
        ...

    def whole_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, dict[str, Any]]]:
        """The same, each with the task as in `tasks`: for where most of them are to be read."""
        ...

    def marks(self, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
        """What the list tells of those of the tasks that the project has."""
        ...

    def tasks_by_id(self, project_id: int, task_ids: Sequence[int]) -> list[dict[str, Any]]:
        """Those of the tasks that the project has, each as in `tasks`."""
        ...

    def tasks_by_source(self, project_id: int, sources: Sequence[str]) -> list[dict[str, Any]]:
        """The project's tasks of these sources, by id, each as in `tasks`."""
        ...

    def drafted(self, project_id: int) -> frozenset[int]:
        """Ids of the tasks that somebody has begun and not submitted: `drafts` of a task are our own only."""
        ...

    def tasks(self, project_id: int) -> Iterator[dict[str, Any]]:
        """All tasks by id, paged: `id`, `data`, `predictions`, `annotations`, `drafts`."""
        ...

    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        """Replace a task's data."""
        ...

    def delete_task(self, task_id: int) -> None:
        """Remove a task and all in it."""
        ...

    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        """Add a prediction to a task."""
        ...

    def update_prediction(self, task_id: int, prediction_id: int, prediction: Mapping[str, Any]) -> None:
        """Replace a prediction of a task."""
        ...

    def delete_prediction(self, prediction_id: int) -> None:
        """Remove a prediction."""
        ...

    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        """Submit an annotation (`result`, `lead_time`, `was_cancelled`, `parent_prediction`); returns its id."""
        ...

    def call_back(self, project_id: int, url: str) -> int:
        """Let the server send a request to `url` whenever work in the project changes; returns its id."""
        ...

    def stop_calls(self, beginning: str) -> int:
        """Remove all webhooks whose address begins so; returns how many those were."""
        ...

    def model_servers(self, project_id: int) -> Sequence[ModelServerLink]:
        """The servers of models that a project asks for predictions."""
        ...

    def add_model_server(self, project_id: int, settings: Mapping[str, Any]) -> None:
        """Let a project ask one more; Label Studio must reach it."""
        ...

    def remove_model_server(self, link_id: int) -> None:
        """Ask that one no more."""
        ...

    def delete_project(self, project_id: int) -> None:
        """Remove a project and all in it."""
        ...
