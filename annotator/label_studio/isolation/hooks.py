"""Label Studio's extension points: the project permission, and a middleware that refuses by default."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect, JsonResponse  # type: ignore[import-not-found]
from projects.mixins import ProjectMixin  # type: ignore[import-not-found]

from . import bodies, rules

_FILE = rules.AccessFile.from_environment()
_REFUSED = "Your account may not do this. Ask the lead of your campaign if you need it."
#: Parameters of addresses that name something of a project.
_NAMES: dict[str, rules.Subject] = {
    "project": "project",
    "task": "task",
    "taskID": "task",
    "annotation": "annotation",
    "annotationID": "annotation",
    "draftID": "draft",
    "view": "tab",
    "tabID": "tab",
}
#: Marks a request as an annotator's, for its answer.
_ANNOTATOR = "panelwise_annotator"
#: Marks a request as that of an account, for its answer.
_SIGNED_IN = "panelwise_signed_in"
#: Controls that annotators may not use, out of their sight; the calls behind them are refused in any case.
_STYLE = b"""<style>a[href$="/settings"],[data-testid="dm-import-button"],[data-testid="dm-export-button"],
.lsf-main-menu__item[href="/organization"],.lsf-main-menu__item[href^="http"]{display:none!important}</style>"""
#: Fits the editor to the marking of subfigures, for everyone who is signed in.
_SCREEN = b"<style>%b</style><script>%b</script>" % tuple(
    Path(__file__).with_name(name).read_bytes() for name in ("screen.css", "screen.js")
)
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><style>body{{font:16px/1.5 sans-serif;max-width:40rem;
margin:3rem auto;padding:0 1rem;color:#1f1f1f;background:#fff}}li{{margin:.5rem 0}}a{{color:#1d4ed8}}</style>
<h1>{title}</h1>{body}<p><a href="/projects/">Your projects</a> · <a href="/logout/">Log out</a></p></html>"""


def _is_administrator(user: Any) -> bool:
    """Return True for the server's own account and for administrators; signing up creates none."""
    return bool(user.is_active and user.is_superuser)


class IsolatedProject(ProjectMixin):  # type: ignore[misc]
    """A project that only its annotator and administrators may use (Label Studio's PROJECT_MIXIN)."""

    def has_permission(self, user: Any) -> bool:
        """Return whether the account may use this project; also called for its tasks, annotations and storages."""
        if not super().has_permission(user):
            return False
        return _is_administrator(user) or _FILE.read().allows(user.email, self.pk)


class IsolationMiddleware:
    """Refuse (403) every call of an annotator that the labelling screen of their own project does not make."""

    def __init__(self, get_response: Callable[[Any], Any]) -> None:
        self._get_response = get_response

    def __call__(self, request: Any) -> Any:
        """Answer a request; pages get the fitted screen, an annotator's without parts for others."""
        response = self._get_response(request)
        response[rules.HEADER] = "on"
        kind = response.get("Content-Type", "")
        if getattr(request, _SIGNED_IN, False) and not response.streaming and kind.startswith("text/html"):
            added = _SCREEN + (_STYLE if getattr(request, _ANNOTATOR, False) else b"")
            response.content = response.content.replace(b"</head>", added + b"</head>", 1)
            response["Content-Length"] = str(len(response.content))
        return response

    def process_view(self, request: Any, _view: Any, _args: Any, kwargs: dict[str, Any]) -> Any:
        """Answer in the view's place, or return None to let it answer."""
        route = request.resolver_match.route
        if route in rules.PUBLIC_ROUTES:
            return None
        user, known = _account(request)
        if not known:
            return JsonResponse({"detail": "Sign in with a token or in the browser."}, status=401)
        setattr(request, _SIGNED_IN, user is not None)
        if user is None or _is_administrator(user):
            return None  # Without an account Label Studio refuses, or shows its page for signing in.
        setattr(request, _ANNOTATOR, True)
        try:
            sent = bodies.fields_of(
                request.method, request.headers, request.content_type, request.content_params, request.body
            )
        except bodies.BadBody as error:
            return _refusal(request, str(error))
        access = _FILE.read()
        call = rules.call_of(route, request.method)
        if call is None:
            return _refusal(request)
        if call.subject == "home":
            return _home(access.of(user.email))
        if call.subject == "own projects":
            return _narrow(request, access.of(user.email))
        if call.subject == "account":
            return _accounts(user)
        if call.subject == "empty":
            return JsonResponse([], safe=False)
        if not access.of(user.email):
            return _refusal(request)
        if request.method not in bodies.SAFE_METHODS:
            unknown = sorted({*sent} - call.content - call.own) + sorted({*request.GET} - rules.CHANGE_PARAMETERS)
            if unknown:
                return _refusal(request, f'"{unknown[0][:40]}" can\'t be set')
        if request.method == "POST" and route == rules.ACTIONS and not _actions(request) <= rules.ALLOWED_ACTIONS:
            return _refusal(request)
        if call.subject == "self":
            return None
        project = _project(call.subject, request, kwargs)
        if not all(access.allows(user.email, each) for each in {project, *_mentioned(request, kwargs)}):
            return _refusal(request)
        if request.method in bodies.SAFE_METHODS:
            return None
        record = _record(call.subject, kwargs)
        if record is not None and _author(record) != user.pk:
            return _refusal(request, "it is another account's")
        task = record.task_id if record is not None else _number(str(kwargs.get("pk")))
        for name in sorted(call.own & {*sent}):
            if not _is_own(name, sent[name], project, task, record, user):
                return _refusal(request, f'"{name}" can\'t be set so')
        return None


def _actions(request: Any) -> set[str]:
    """Return the actions that a call asks the data manager for."""
    return set(request.GET.getlist("id")) or {""}


def _account(request: Any) -> tuple[Any, bool]:
    """Return the account that calls, None without one, and whether the call's credentials are understood.

    The views look at tokens themselves, after the middleware: a token's account is looked up here as well.
    """
    header = request.META.get("HTTP_AUTHORIZATION", "")
    words = header.split()
    if words and words[0].casefold() == "token":
        from rest_framework.authtoken.models import Token  # type: ignore[import-not-found]

        token = Token.objects.select_related("user").filter(key=words[-1]).first()
        return (token.user, True) if token is not None else (None, False)
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return user, True
    return None, not header


def _mentioned(request: Any, kwargs: dict[str, Any]) -> Iterator[int | None]:
    """Yield the projects of everything else that a call's address names: nothing is reached through another's."""
    named = [(name, value) for name, values in request.GET.lists() for value in values]
    if "annotation_id" in kwargs:
        named.append(("annotation", str(kwargs["annotation_id"])))
    for name, value in named:
        if name in _NAMES:
            yield from _projects_of(_NAMES[name], value)


def _record(subject: rules.Subject, kwargs: dict[str, Any]) -> Any:
    """Return the annotation or draft that a call changes; None if it concerns something else."""
    from tasks.models import Annotation, AnnotationDraft  # type: ignore[import-not-found]

    model = {"annotation": Annotation, "draft": AnnotationDraft}.get(subject)
    return None if model is None else model.objects.filter(pk=kwargs["pk"]).first()


def _author(record: Any) -> int | None:
    """Return the id of the account that an annotation or draft counts for."""
    author: int | None = record.completed_by_id if hasattr(record, "completed_by_id") else record.user_id
    return author


def _is_own(
    name: rules.Naming, value: object, project: int | None, task: int | None, record: Any, user: Any
) -> bool:
    """Return whether a field names something of the call's own project and task; a stored one can't be changed.

    record: the annotation or draft that is changed, None for a new one.
    """
    from tasks.models import Annotation, AnnotationDraft, Prediction

    if name == "annotation" and value is None:
        return True  # As the screen does when a skip is taken back.
    if name == "unique_id":  # The screen's mark of one submission, by which a second sending is known.
        stored = getattr(record, name, None)
        return _is_uuid(value) and (stored is None or str(stored) == value)
    number = _number(str(value)) if isinstance(value, int | str) else None
    if number is None and value is not None:
        return False
    if name == "project":
        return number == project
    if hasattr(record, f"{name}_id"):
        return bool(getattr(record, f"{name}_id") == number)
    if not number:
        return True
    if name == "draft_id":
        return bool(AnnotationDraft.objects.filter(pk=number, task=task, user=user).exists())
    model = Prediction if name == "parent_prediction" else Annotation
    return bool(model.objects.filter(pk=number, task=task).exists())


def _projects_of(subject: rules.Subject, value: str) -> list[int | None]:
    """Return the project of the object with this number; [None], which no annotator may use, if invalid.

    Empty if the object doesn't exist: Label Studio reports that, and 0 is its name for an unsaved tab.
    """
    if value in ("", "None", "null"):
        return []
    number = _number(value)
    if number is None:
        return [None]
    return [number] if subject == "project" else _stored_project(subject, number)


def _project(subject: rules.Subject, request: Any, kwargs: dict[str, Any]) -> int | None:
    """Return the id of the project that a call concerns, or None."""
    if subject == "query":
        return _number(request.GET.get("project"))
    key = _number(str(kwargs.get("pk", kwargs.get("task_id"))))
    if subject == "project" or key is None:
        return key
    return next(iter(_stored_project(subject, key)), None)


def _stored_project(subject: rules.Subject, key: int) -> list[int | None]:
    """Look up the project of a task, annotation, draft or tab; empty if it doesn't exist."""
    from data_manager.models import View  # type: ignore[import-not-found]
    from tasks.models import Annotation, AnnotationDraft, Task

    tables = {
        "task": (Task, "project_id"),
        "annotation": (Annotation, "task__project_id"),
        "draft": (AnnotationDraft, "task__project_id"),
        "tab": (View, "project_id"),
    }
    model, column = tables[subject]
    return [int(found) for found in model.objects.filter(pk=key).values_list(column, flat=True)]


def _is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else None


def _refusal(request: Any, why: str = "") -> Any:
    """Refuse a call; a browser gets a page with a link back."""
    if request.method == "GET" and request.headers.get("Accept", "").startswith("text/html"):
        return HttpResponse(_PAGE.format(title="Not your project", body=f"<p>{_REFUSED}</p>"), status=403)
    return JsonResponse({"detail": f"{_REFUSED} ({why})" if why else _REFUSED}, status=403)


def _home(projects: tuple[int, ...]) -> Any:
    """Lead an annotator to their project, or let them choose among several."""
    if len(projects) == 1:
        return HttpResponseRedirect(f"/projects/{projects[0]}/data?labeling=1")
    from projects.models import Project  # type: ignore[import-not-found]

    titles = dict(Project.objects.filter(pk__in=projects).values_list("pk", "title"))
    rows = "".join(
        f'<li><a href="/projects/{pk}/data?labeling=1">{html.escape(title)}</a></li>'
        for pk, title in sorted(titles.items())
    )
    body = f"<ul>{rows}</ul>" if rows else "<p>No project is assigned to your account yet.</p>"
    return HttpResponse(_PAGE.format(title="Your projects", body=body))


def _accounts(user: Any) -> Any:
    """List the one account that an annotator knows of: their own."""
    from users.serializers import UserSimpleSerializer  # type: ignore[import-not-found]

    return JsonResponse([UserSimpleSerializer(user).data], safe=False)


def _narrow(request: Any, projects: tuple[int, ...]) -> None:
    """Make a list of projects one of the account's own."""
    query = request.GET.copy()
    query["ids"] = ",".join(map(str, projects)) or "0"
    request.GET = query
