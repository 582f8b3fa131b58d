"""Label Studio in memory, as far as syncing needs it: the same answers, the same refusals."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from xml.etree import ElementTree

from annotator.annotation_server import Account, Imported, Project, TaskCount, TaskMark
from annotator.label_studio.adapter import LabelStudioAdapter
from annotator.label_studio.ml_backend import ModelServerLink
from label_config import names
from panelwise.domain.errors import SyncError


class FakeServer(LabelStudioAdapter):
    """Implements the requests of `annotator.label_studio.client.LabelStudioServer`."""

    url = "http://127.0.0.1:8080"

    #: Whether it keeps annotators apart, as the servers do that we start.
    isolated = False

    def __init__(self) -> None:
        self.calls: list[str] = []
        #: Ids of the tasks that were read with all that they hold.
        self.read: list[int] = []
        self.asked_by_source = 0
        self._moments: dict[int, datetime] = {}
        self._begun: set[int] = set()
        self._accounts = [Account(1, "lead@panelwise.local")]
        self._projects: dict[int, Project] = {}
        self._storages: set[tuple[int, str]] = set()
        self._tasks: dict[int, dict[str, Any]] = {}
        self._owner: dict[int, int] = {}
        self._last = 0
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)
        self.models: dict[int, tuple[int, dict[str, Any]]] = {}
        self.unreachable: set[str] = set()
        self.hooks: dict[int, tuple[int, str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def check(self) -> Account:
        return self._accounts[0]

    def accounts(self) -> Sequence[Account]:
        return tuple(self._accounts)

    def invitation(self) -> str:
        return f"{self.url}/user/signup/?token=once"

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

    def isolates_annotators(self) -> bool:
        return self.isolated

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
        versions |= {each.title for each in self.model_servers(project_id)}
        if version not in versions:
            raise SyncError(f"{self.url}: refused (400): Model version doesn't exist")
        self._change(project_id, shown_version=version)

    def ensure_image_storage(self, project_id: int, path: str) -> None:
        if (project_id, path) not in self._storages:
            self._wrote("ensure_image_storage")
            self._project(project_id)
            self._storages.add((project_id, path))

    def set_instructions(self, project_id: int, html: str) -> None:
        self._wrote("set_instructions")
        self._change(project_id, instructions=html)

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> Imported:
        self._wrote("import_tasks")
        for task in tasks:
            for prediction in task["predictions"]:
                self._validate(project_id, prediction)
        ids = []
        for task in tasks:
            made: dict[str, Any] = {
                "id": self._next(),
                "data": copy.deepcopy(dict(task["data"])),
                "predictions": [],
                "annotations": [],
                "drafts": [],
            }
            self._tasks[made["id"]] = made
            self._owner[made["id"]] = project_id
            self._touch(made["id"])
            for prediction in task["predictions"]:
                made["predictions"].append({"id": self._next(), **copy.deepcopy(dict(prediction))})
                if not self._project(project_id).shown_version:
                    self._change(project_id, shown_version=prediction["model_version"])
            ids.append(made["id"])
        return Imported(tuple(ids), sum(len(task["predictions"]) for task in tasks))

    def tasks(self, project_id: int) -> Iterator[dict[str, Any]]:
        self._project(project_id)
        return iter(copy.deepcopy(self._of(project_id)))

    def count(self, project_id: int, task_ids: Sequence[int] | None = None) -> TaskCount:
        tasks = [task for task in self.tasks(project_id) if task_ids is None or task["id"] in task_ids]
        submitted = sum(not record["was_cancelled"] for task in tasks for record in task["annotations"])
        return TaskCount(len(tasks), submitted, sum(len(task["predictions"]) for task in tasks))

    def changes(self, project_id: int, since: str | None) -> Iterator[TaskMark]:
        marks = [mark for mark in self._marks(project_id) if since is None or mark.updated_at > since]
        yield from sorted(marks, key=lambda mark: mark.updated_at)

    def count_changed(self, project_id: int, after: str, until: str) -> int:
        return sum(after < mark.updated_at <= until for mark in self._marks(project_id))

    def whole_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, dict[str, Any]]]:
        for mark in self.changes(project_id, since):
            [task] = self.tasks_by_id(project_id, [mark.id])
            yield mark, task

    def marks(self, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
        return [mark for mark in self._marks(project_id) if mark.id in task_ids]

    def tasks_by_id(self, project_id: int, task_ids: Sequence[int]) -> list[dict[str, Any]]:
        self.read += [each for each in task_ids if self._owner.get(each) == project_id]
        return [task for task in self.tasks(project_id) if task["id"] in task_ids]

    def tasks_by_source(self, project_id: int, sources: Sequence[str]) -> list[dict[str, Any]]:
        self.asked_by_source += len(sources)
        return [task for task in self.tasks(project_id) if task["data"].get(names.DATA_SOURCE) in sources]

    def drafted(self, project_id: int) -> frozenset[int]:
        self._project(project_id)
        begun = {task["id"] for task in self._of(project_id) if task["drafts"]}
        return frozenset(begun | {each for each in self._begun if self._owner.get(each) == project_id})

    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        self._wrote("set_task_data")
        self._task(task_id)["data"] = dict(data)
        self._touch(task_id)

    def delete_task(self, task_id: int) -> None:
        self._wrote("delete_task")
        self._task(task_id)
        del self._tasks[task_id], self._owner[task_id]

    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        self._wrote("add_prediction")
        self._validate(self._owner[task_id], prediction)
        self._task(task_id)["predictions"].append({"id": self._next(), **copy.deepcopy(dict(prediction))})
        self._touch(task_id)

    def update_prediction(self, task_id: int, prediction_id: int, prediction: Mapping[str, Any]) -> None:
        self._wrote("update_prediction")
        for task in self._tasks.values():
            for each in task["predictions"]:
                if each["id"] == prediction_id:
                    self._validate(self._owner[task["id"]], prediction)
                    each.update(copy.deepcopy(dict(prediction)))
                    self._touch(task["id"])

    def delete_prediction(self, prediction_id: int) -> None:
        self._wrote("delete_prediction")
        for task in self._tasks.values():
            task["predictions"] = [each for each in task["predictions"] if each["id"] != prediction_id]

    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        made = {
            "id": self._next(),
            "completed_by": self._accounts[0].id,
            "was_cancelled": False,
            "lead_time": None,
            "parent_prediction": None,
            **copy.deepcopy(dict(annotation)),
            "updated_at": self._touch(task_id),
        }
        self._task(task_id)["annotations"].append(made)
        return int(made["id"])

    def edit_annotation(self, task_id: int, annotation_id: int, **fields: Any) -> None:
        """What an annotator does who opens submitted work again."""
        for record in self._task(task_id)["annotations"]:
            if record["id"] == annotation_id:
                record.update(copy.deepcopy(fields), updated_at=self._touch(task_id))

    def delete_annotation(self, task_id: int, annotation_id: int) -> None:
        task = self._task(task_id)
        task["annotations"] = [each for each in task["annotations"] if each["id"] != annotation_id]
        self._touch(task_id)

    def begin(self, task_id: int) -> None:
        """What another account leaves behind that has not submitted yet: a task's `drafts` do not tell of it."""
        self._begun.add(task_id)

    def add_draft(self, task_id: int, result: Sequence[Mapping[str, Any]]) -> None:
        """What an annotator leaves behind who has not submitted yet."""
        self._task(task_id)["drafts"].append({"id": self._next(), "result": copy.deepcopy(list(result))})

    def call_back(self, project_id: int, url: str) -> int:
        self._wrote("call_back")
        self._project(project_id)
        number = self._next()
        self.hooks[number] = (project_id, url)
        return number

    def stop_calls(self, beginning: str) -> int:
        ours = [number for number, (_, url) in self.hooks.items() if url.startswith(beginning)]
        for number in ours:
            del self.hooks[number]
        return len(ours)

    def model_servers(self, project_id: int) -> Sequence[ModelServerLink]:
        return [
            ModelServerLink(number, each["url"], each["title"], each["url"] not in self.unreachable)
            for number, (project, each) in self.models.items()
            if project == project_id
        ]

    def add_model_server(self, project_id: int, settings: Mapping[str, Any]) -> None:
        self._wrote("add_model_server")
        if settings["url"] in self.unreachable:
            raise SyncError(f"{self.url}: refused (400): Can't connect to ML backend {settings['url']}")
        self.models[self._next()] = (project_id, dict(settings))

    def remove_model_server(self, link_id: int) -> None:
        self._wrote("remove_model_server")
        del self.models[link_id]

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

    def _touch(self, task_id: int) -> str:
        """Time passes whenever a task changes."""
        self.now += timedelta(seconds=1)
        self._task(task_id)
        self._moments[task_id] = self.now
        return self.now.isoformat().replace("+00:00", "Z")

    def _marks(self, project_id: int) -> Iterator[TaskMark]:
        for task in self.tasks(project_id):
            skipped = sum(bool(record["was_cancelled"]) for record in task["annotations"])
            yield TaskMark(
                task["id"],
                self._moments[task["id"]].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                str(task["data"].get(names.DATA_SOURCE, "")),
                len(task["annotations"]) - skipped,
                skipped,
            )

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
            fields.get("instructions", old.instructions),
        )

    def _task(self, task_id: int) -> dict[str, Any]:
        if task_id not in self._tasks:
            raise SyncError(f"{self.url}: refused (404) while changing task {task_id}: not found")
        return self._tasks[task_id]

    def _validate(self, project_id: int, prediction: Mapping[str, Any]) -> None:
        from label_studio_sdk.label_interface.interface import LabelInterface

        interface: Any = LabelInterface(self._project(project_id).config)
        errors = interface.validate_prediction(dict(prediction), return_errors=True)
        if errors:
            raise SyncError(f"{self.url}: refused (400): predictions: {errors[0]}")
