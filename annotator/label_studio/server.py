"""What the services ask of an annotation server; the real one and the tests' one in memory both answer to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Account:
    """Someone with a login on the server."""

    id: int
    email: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project as the server has it. shown_version: of the predictions that annotators start from, or ""."""

    id: int
    title: str
    description: str
    config: str
    shown_version: str = ""


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

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> int:
        """Add tasks (`data`, `predictions`); returns how many the server says it made."""
        ...

    def tasks(self, project_id: int) -> Iterator[dict[str, Any]]:
        """All tasks by id, paged: `id`, `data`, `predictions`, `annotations`, `drafts`."""
        ...

    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        """Replace a task's data."""
        ...

    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        """Add a prediction to a task."""
        ...

    def delete_prediction(self, prediction_id: int) -> None:
        """Remove a prediction."""
        ...

    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        """Submit an annotation (`result`, `lead_time`, `was_cancelled`, `parent_prediction`); returns its id."""
        ...

    def delete_project(self, project_id: int) -> None:
        """Remove a project and all in it."""
        ...
