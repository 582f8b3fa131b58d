"""The annotation server's projects, tasks and annotations as plain values."""

from __future__ import annotations

from dataclasses import dataclass

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
class ModelServerLink:
    """A model server of a project. connected: whether Label Studio reached it just now."""

    id: int
    url: str
    title: str
    connected: bool


class TokenRefused(SyncError):
    """The server doesn't accept the token; trying again does not help."""
