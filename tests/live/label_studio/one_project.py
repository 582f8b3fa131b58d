"""A campaign with one annotator, and so one project: push, pull and look at its tasks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push import Pushed, push
from label_config import names


def pushed(home: Home, store: Store, server: LabelStudioServer) -> Pushed:
    [step] = push(home, store, server)
    return step


def pulled(home: Home, store: Store, server: LabelStudioServer, **more: Any) -> PulledProject:
    [step] = pull(home, store, server, **more)
    return step


def sources(server: LabelStudioServer, project: int) -> Counter[str]:
    return Counter(task["data"][names.DATA_SOURCE] for task in server.tasks(project))


def tasks(server: LabelStudioServer, project: int) -> dict[str, dict[str, Any]]:
    return {task["data"][names.DATA_SOURCE]: task for task in server.tasks(project)}
