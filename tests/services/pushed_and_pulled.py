"""A push or a pull of all annotators, step by step, and what it left on the server."""

from __future__ import annotations

from typing import Any

from builders import a_figure

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push import Pushed, push
from label_config import names
from tests.label_studio.fake import FakeServer

EMPTY = a_figure("f2", caption="")


def pushed(home: Home, store: Store, server: FakeServer, **options: Any) -> dict[str, Pushed]:
    return {step.annotator: step for step in push(home, store, server, **options)}


def pulled(home: Home, store: Store, server: FakeServer, **options: Any) -> dict[str, PulledProject]:
    return {step.annotator: step for step in pull(home, store, server, **options)}


def task_of(server: FakeServer, project_id: int, figure: str = "f1") -> dict[str, Any]:
    return next(task for task in server.tasks(project_id) if task["data"][names.DATA_SOURCE] == figure)
