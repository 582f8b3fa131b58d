"""The calls that annotators may make in Label Studio, and the file of projects and their accounts.

Imports the standard library only: it runs inside Label Studio's environment and in our tests.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal

#: Names the file of `ProjectAccess` in Label Studio's environment.
FILE_VARIABLE = "PANELWISE_PROJECT_ACCESS"

#: Set in every answer of a server that has these rules.
HEADER = "X-Panelwise-Isolation"

#: What the call's project is read from: the number in the address (of a project, task, annotation, draft or tab)
#: or the query's `project`. "self" calls concern the account alone. The others have answers of ours: "home" leads
#: to the account's project, "own projects" and "account" list what is the account's own, "empty" is an empty list.
Subject = Literal[
    "project", "task", "annotation", "draft", "tab", "query", "self", "home", "own projects", "account", "empty"
]


#: Fields of a body that name something; what they name must belong to what the call concerns.
Naming = Literal["project", "annotation", "draft_id", "parent_annotation", "parent_prediction", "unique_id"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that annotators may make in their own projects. methods: HTTP methods. subject: see `Subject`.

    content: fields of its body that may have any value. own: fields that name something. Any other field is
    refused: among them are an annotation's task and the account that it counts for.
    """

    methods: frozenset[str]
    subject: Subject
    content: frozenset[str] = frozenset()
    own: frozenset[Naming] = frozenset()


def _call(methods: str, subject: Subject, content: str = "", own: Iterable[Naming] = ()) -> Call:
    return Call(frozenset(methods.split()), subject, frozenset(content.split()), frozenset(own))


#: Fields of annotations and drafts as the labelling screen sends them.
_WORK = "id result lead_time was_cancelled was_postponed started_at comment"
_ORIGIN: tuple[Naming, ...] = ("project", "draft_id", "parent_annotation", "parent_prediction", "unique_id")

#: Parameters of the address of a call that changes something. What they name must be the account's own.
CHANGE_PARAMETERS = frozenset(
    {"project", "task", "taskID", "annotationID", "draftID", "tabID", "interaction", "id", "name"}
)


#: Routes that need no account: signing in, health, and the interface's own files.
PUBLIC_ROUTES = frozenset(
    {
        r"^sw\.js$",
        r"^sw-fallback\.js$",
        r"^favicon\.ico$",
        r"^label-studio-frontend/(?P<path>.*)$",
        r"^dm/(?P<path>.*)$",
        r"^react-app/(?P<path>.*)$",
        r"^static/fonts/roboto/roboto.css$",
        r"^static/(?P<path>.*)$",
        r"^user/login/",
        r"^user/signup/",
        r"^logout/?$",
        "health/",
    }
)

#: Actions on tasks are posted to this route; the labelling screen asks for work by those of `ALLOWED_ACTIONS`.
ACTIONS = r"^api/dm/actions/"
ALLOWED_ACTIONS = frozenset({"next_task"})

#: Routes of Label Studio 1.23.2 that its labelling screen calls, as Django writes them. Any other is refused.
ANNOTATOR_CALLS: Mapping[str, Call] = {
    r"^$": _call("GET", "home"),
    r"^projects/": _call("GET", "home"),
    r"^projects/<int:pk>/": _call("GET", "project"),
    r"^projects/<int:pk>/data/": _call("GET", "project"),
    r"^api/projects/": _call("GET", "own projects"),
    r"^api/projects/counts/": _call("GET", "own projects"),
    r"^api/projects/<int:pk>/": _call("GET", "project"),
    r"^api/projects/<int:pk>/next/": _call("GET", "project"),
    r"^api/projects/<int:pk>/label-stream-history/": _call("GET", "project"),
    # The screen keeps the columns and the order of tasks as a tab of the project.
    r"^api/dm/views/$": _call("GET POST", "query", "id data", ("project",)),
    r"^api/dm/views/(?P<pk>[^/.]+)/$": _call("GET PUT PATCH", "tab", "id data", ("project",)),
    r"^api/label_links/$": _call("GET", "query"),
    r"^api/dm/columns/": _call("GET", "query"),
    r"^api/dm/project/": _call("GET", "query"),
    ACTIONS: _call("GET POST", "query", "filters ordering selectedItems", ("project",)),
    r"^api/tasks/": _call("GET", "query"),
    r"^api/tasks/<int:pk>/": _call("GET", "task"),
    r"^api/tasks/<int:pk>/annotations/": _call("GET POST", "task", _WORK, _ORIGIN),
    r"^api/tasks/<int:pk>/drafts": _call("GET POST", "task", _WORK, _ORIGIN),
    r"^api/tasks/<int:pk>/annotations/<int:annotation_id>/drafts": _call("GET POST", "task", _WORK, _ORIGIN),
    r"^api/annotations/<int:pk>/": _call("GET PUT PATCH DELETE", "annotation", _WORK, _ORIGIN),
    r"^api/drafts/<int:pk>/": _call("GET PATCH DELETE", "draft", _WORK, (*_ORIGIN, "annotation")),
    r"^tasks/<int:task_id>/resolve/": _call("GET", "task"),
    r"^tasks/<int:task_id>/presign/": _call("GET", "task"),
    # Label Studio itself looks for a storage of a project that the account may see.
    r"^api/users/$": _call("GET", "account"),
    r"^api/ml/": _call("GET", "empty"),
    r"^data/local-files/": _call("GET", "self"),
    r"^api/current-user/whoami": _call("GET", "self"),
    r"^api/current-user/hotkeys/": _call("GET PATCH", "self", "custom_hotkeys hotkey_settings"),
    r"^api/current-user/product-tour": _call("GET PATCH", "self", "state interaction_data"),
    "version/": _call("GET", "self"),
    "feature-flags/": _call("GET", "self"),
    "heidi-tips/": _call("GET", "self"),
    "__lsa/": _call("GET", "self"),
}


def call_of(route: str, method: str) -> Call | None:
    """Return what an annotator's call concerns; None if annotators may not make it."""
    found = ANNOTATOR_CALLS.get(route)
    asked = "GET" if method == "HEAD" else method
    return found if found is not None and asked in found.methods else None


@dataclass(frozen=True, slots=True)
class ProjectAccess:
    """The accounts of each project. projects: project id -> casefolded e-mails."""

    projects: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def of(self, email: str) -> tuple[int, ...]:
        """Return the ids of an account's projects, in order."""
        return tuple(sorted(project for project, emails in self.projects.items() if email.casefold() in emails))

    def allows(self, email: str, project: int | None) -> bool:
        """Return True if an account may work in a project."""
        return project is not None and email.casefold() in self.projects.get(project, frozenset())


def parse_access(text: str) -> ProjectAccess:
    """Read `{"projects": {"12": ["ann@lab.org"]}}`. Raises ValueError for any other form."""
    content = json.loads(text)
    projects = content.get("projects") if isinstance(content, dict) else None
    if not isinstance(projects, dict):
        raise ValueError('no object "projects"')
    for emails in projects.values():
        if not isinstance(emails, list) or not all(isinstance(email, str) for email in emails):
            raise ValueError("a project's accounts are no list of e-mails")
    return ProjectAccess(
        {int(project): frozenset(email.casefold() for email in emails) for project, emails in projects.items()}
    )


def format_access(projects: Mapping[int, frozenset[str]]) -> str:
    """Write what `parse_access` reads."""
    ordered = {str(project): sorted(emails) for project, emails in sorted(projects.items())}
    return json.dumps({"projects": ordered}, indent=1) + "\n"


class AccessFile:
    """The file's present content, read again when it changes. A missing or broken file allows nothing."""

    def __init__(self, path: Path | None) -> None:
        """path: None if the server was started without one."""
        self._path = path
        self._lock = Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._access = ProjectAccess()

    @classmethod
    def from_environment(cls) -> AccessFile:
        """Open the file that the environment names."""
        named = os.environ.get(FILE_VARIABLE)
        return cls(Path(named) if named else None)

    def read(self) -> ProjectAccess:
        """Return the current accounts of each project."""
        if self._path is None:
            return ProjectAccess()
        with self._lock:
            try:
                status = self._path.stat()
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                if stamp != self._stamp:
                    self._access = parse_access(self._path.read_text(encoding="utf-8"))
                    self._stamp = stamp
            except (OSError, ValueError):
                self._stamp = None
                self._access = ProjectAccess()
            return self._access
