"""Connect projects to a model server (`prelabel serve`), which pre-labels tasks when they are opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotator.annotation_server import Models
from label_config import names
from panelwise.domain import Phase

#: The user name that Label Studio sends with the password.
USER = "panelwise"


@dataclass(frozen=True, slots=True)
class ModelServerLink:
    """A model server of a project. connected: whether Label Studio reached it just now."""

    id: int
    url: str
    title: str
    connected: bool


class ModelServers(Protocol):
    """The requests of Label Studio that are about models."""

    def model_servers(self, project_id: int) -> Sequence[ModelServerLink]:
        """Return the model servers that a project asks for predictions."""
        ...

    def add_model_server(self, project_id: int, settings: Mapping[str, Any]) -> None:
        """Add a model server to a project; Label Studio must reach it."""
        ...

    def remove_model_server(self, link_id: int) -> None:
        """Remove a model server from its project."""
        ...

    def show_predictions(self, project_id: int, version: str) -> None:
        """Let annotators start from the predictions of that version; the project must have some."""
        ...


def connect(server: ModelServers, project_id: int, models: Models, phase: Phase) -> str:
    """Connect the project to these models and disconnect earlier ones of ours; returns a warning, or "".

    A task without pre-labels gets them when it is opened. So a phase without pre-labels, or with an overlap
    without them, is not connected. Raises SyncError if Label Studio can't reach the models.
    """
    wanted, why = (models.url, "") if models.url else ("", "")
    if wanted:
        why = why_not(phase)
        wanted = "" if why else wanted
    there = False
    for known in server.model_servers(project_id):
        if known.title != names.SHOWN_VERSION:
            continue
        if known.url == wanted and known.connected:
            there = True
        else:
            server.remove_model_server(known.id)
    if wanted and not there:
        server.add_model_server(project_id, _settings(models, phase))
        server.show_predictions(project_id, names.SHOWN_VERSION)
    return f"not connected with the models: {why}" if why else ""


def why_not(phase: Phase) -> str:
    """Return why a phase's projects must not ask models, "" if they may."""
    if not phase.seeded:
        return "the phase is done without pre-labels"
    if not phase.overlap_seeded:
        return "the phase's overlap is done without pre-labels"
    if phase.unseeded:
        return "some of the phase's tasks are drawn to begin without pre-labels"
    if phase.kind.on_pairs:
        return f"there are no models for {phase.task_type.value}"
    return ""


def _settings(models: Models, phase: Phase) -> dict[str, Any]:
    # The title is what the server takes for the version of its predictions; all of ours are shown under one.
    settings: dict[str, Any] = {
        "url": models.url,
        "title": names.SHOWN_VERSION,
        "description": "Panelwise: pre-labels for tasks that have none, made when they are opened.",
        "is_interactive": False,
        "extra_params": {"single_span": phase.single_span},
    }
    if models.password:
        settings |= {
            "auth_method": "BASIC_AUTH",
            "basic_auth_user": USER,
            "basic_auth_pass": models.password,
        }
    return settings
