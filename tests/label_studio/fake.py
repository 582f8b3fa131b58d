"""Label Studio in memory, as far as syncing needs it: the same answers, the same refusals."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

from annotator.domain.errors import SyncError
from annotator.label_studio.server import Account, Project


class FakeServer:
    """Implements `annotator.label_studio.server.AnnotationServer`."""

    url = "http://127.0.0.1:8080"

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._accounts = [Account(1, "lead@panelwise.local")]
        self._projects: dict[int, Project] = {}
        self._storages: set[tuple[int, str]] = set()
        self._tasks: dict[int, dict[str, Any]] = {}
        self._owner: dict[int, int] = {}
        self._last = 0
        self._now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def check(self) -> Account:
        return self._accounts[0]

    def accounts(self) -> Sequence[Account]:
        return tuple(self._accounts)

    def ensure_account(self, email: str, password: str) -> Account:
        for account in self._accounts:
            if account.email == email.lower():
                return account
        if len(password) < 8 or "@" not in email:
            raise SyncError(f"{self.url}: no account for {email}: give a longer password")
        self._accounts.append(Account(len(self._accounts) + 1, email.lower()))
        return self._accounts[-1]

    def projects(self) -> Sequence[Project]:
        return tuple(self._projects.values())

    def create_project(self, title: str, description: str, config: str) -> Project:
        self._wrote("create_project")
        self._check_title(title)
        ElementTree.fromstring(config)
        project = Project(self._next(), title, description, config)
        self._projects[project.id] = project
        return project

    def set_description(self, project_id: int, description: str) -> None:
        self._wrote("set_description")
        self._change(project_id, description=description)

    def set_title(self, project_id: int, title: str) -> None:
        self._wrote("set_title")
        self._check_title(title)
        self._change(project_id, title=title)

    def set_config(self, project_id: int, config: str) -> None:
        self._wrote("set_config")
        self._change(project_id, config=config)

    def show_predictions(self, project_id: int, version: str) -> None:
        self._wrote("show_predictions")
        versions = {each["model_version"] for task in self._of(project_id) for each in task["predictions"]}
        if version not in versions:
            raise SyncError(f"{self.url}: refused (400): Model version doesn't exist")
        self._change(project_id, shown_version=version)

    def ensure_image_storage(self, project_id: int, path: str) -> None:
        if (project_id, path) not in self._storages:
            self._wrote("ensure_image_storage")
            self._project(project_id)
            self._storages.add((project_id, path))

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> int:
        self._wrote("import_tasks")
        for task in tasks:
            for prediction in task["predictions"]:
                self._validate(project_id, prediction)
            made = {
                "id": self._next(),
                "data": copy.deepcopy(dict(task["data"])),
                "predictions": [],
                "annotations": [],
                "drafts": [],
            }
            self._tasks[made["id"]] = made
            self._owner[made["id"]] = project_id
            for prediction in task["predictions"]:
                made["predictions"].append({"id": self._next(), **copy.deepcopy(dict(prediction))})
                if not self._project(project_id).shown_version:
                    self._change(project_id, shown_version=prediction["model_version"])
        return len(tasks)

    def tasks(self, project_id: int) -> Iterator[dict[str, Any]]:
        self._project(project_id)
        return iter(copy.deepcopy(self._of(project_id)))

    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        self._wrote("set_task_data")
        self._task(task_id)["data"] = dict(data)

    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        self._wrote("add_prediction")
        self._validate(self._owner[task_id], prediction)
        self._task(task_id)["predictions"].append({"id": self._next(), **copy.deepcopy(dict(prediction))})

    def delete_prediction(self, prediction_id: int) -> None:
        self._wrote("delete_prediction")
        for task in self._tasks.values():
            task["predictions"] = [each for each in task["predictions"] if each["id"] != prediction_id]

    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        self._now += timedelta(seconds=1)
        made = {
            "id": self._next(),
            "completed_by": self._accounts[0].id,
            "was_cancelled": False,
            "lead_time": None,
            "parent_prediction": None,
            **copy.deepcopy(dict(annotation)),
            "updated_at": self._now.isoformat().replace("+00:00", "Z"),
        }
        self._task(task_id)["annotations"].append(made)
        return int(made["id"])

    def add_draft(self, task_id: int, result: Sequence[Mapping[str, Any]]) -> None:
        """What an annotator leaves behind who has not submitted yet."""
        self._task(task_id)["drafts"].append({"id": self._next(), "result": copy.deepcopy(list(result))})

    def delete_project(self, project_id: int) -> None:
        self._project(project_id)
        del self._projects[project_id]
        for task in [task for task, owner in self._owner.items() if owner == project_id]:
            del self._tasks[task], self._owner[task]

    def _check_title(self, title: str) -> None:
        if not 3 <= len(title) <= 50:
            raise SyncError(f"{self.url}: refused (400) while making project: title: of 3 to 50 characters")

    def _wrote(self, what: str) -> None:
        self.calls.append(what)

    def _next(self) -> int:
        self._last += 1
        return self._last

    def _of(self, project_id: int) -> list[dict[str, Any]]:
        return [self._tasks[task] for task, owner in sorted(self._owner.items()) if owner == project_id]

    def _project(self, project_id: int) -> Project:
        if project_id not in self._projects:
            raise SyncError(f"{self.url}: refused (404) while reading project {project_id}: not found")
        return self._projects[project_id]

    def _change(self, project_id: int, **fields: str) -> None:
        old = self._project(project_id)
        self._projects[project_id] = Project(
            old.id,
            fields.get("title", old.title),
            fields.get("description", old.description),
            fields.get("config", old.config),
            fields.get("shown_version", old.shown_version),
        )

    def _task(self, task_id: int) -> dict[str, Any]:
        if task_id not in self._tasks:
            raise SyncError(f"{self.url}: refused (404) while changing task {task_id}: not found")
        return self._tasks[task_id]

    def _validate(self, project_id: int, prediction: Mapping[str, Any]) -> None:
        from label_studio_sdk.label_interface import LabelInterface

        errors = LabelInterface(self._project(project_id).config).validate_prediction(
            dict(prediction), return_errors=True
        )
        if errors:
            raise SyncError(f"{self.url}: refused (400): predictions: {errors[0]}")
