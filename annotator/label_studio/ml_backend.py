"""Connect projects to a model server (`prelabel serve`), which pre-labels tasks when they are opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotator.label_studio.client import LabelStudioServer
from label_config import names
from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.errors import SyncError
from panelwise.runtime.http_clients import server_address

#: What `--ml-backend` says to let go of the models.
NONE = "none"
#: The user name that Label Studio sends with the password.
USER = "panelwise"


@dataclass(frozen=True, slots=True)
class Models:
    """The address of a model server, as Label Studio reaches it.

    url: "" to disconnect. password: "" if none is required.
    """

    url: str
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, text: str, password: str = "") -> Models:
        """Parse "http://127.0.0.1:9090", or "none". Raises SyncError for any other text."""
        if text == NONE:
            return cls("")
        parts = server_address(text)
        if parts is None or parts.username is not None:
            raise SyncError(f"{text}: no address of models; give one such as http://127.0.0.1:9090, or {NONE}")
        return cls(text.rstrip("/"), password)


def connect(server: LabelStudioServer, project_id: int, models: Models, phase: Phase) -> str:
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
    if phase.task_type not in (TaskType.SUBFIGURES, TaskType.FIGURE_TYPES):
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
