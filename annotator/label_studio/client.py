"""The real annotation server: a thin layer over Label Studio's SDK with plain values and SyncError."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from msgspec.json import encode

from annotator.annotation_server import Account, Imported, Project, TaskCount, TaskMark, TokenRefused
from annotator.label_studio import listing
from annotator.label_studio.adapter import LabelStudioAdapter
from annotator.label_studio.isolation.rules import HEADER
from annotator.label_studio.ml_backend import ModelServerLink
from panelwise.domain import SyncError
from panelwise.runtime import http_client, server_address

if TYPE_CHECKING:
    import httpx


#: Seconds for one request; an import of a batch of tasks takes a few.
TIMEOUT = 60.0
_PAGE = 100
#: What annotators do that a webhook is called for.
_CALLED_FOR = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED")


class LabelStudioServer(LabelStudioAdapter):
    """A running Label Studio, used with an account's token. Every method raises SyncError, one line, if it fails.

    No request is sent before the first call. Requests to this machine never go through a proxy.
    """

    def __init__(self, url: str, token: str, *, public_url: str = "", timeout: float = TIMEOUT) -> None:
        """public_url: the address that people open, if it differs from `url`."""
        if server_address(url) is None:
            raise SyncError(f"{url}: no address of a server; give one such as http://127.0.0.1:8080")
        if not token:
            raise SyncError(
                f"{url}: no token; copy it from Account & Settings there, set LABEL_STUDIO_API_KEY where "
                "Panelwise is started and start it again, or give a command --token"
            )
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise SyncError(f"{url}: the token has blanks or odd characters; copy it from Account & Settings")
        from label_studio_sdk import LabelStudio

        self._url = url.rstrip("/")
        self._public_url = public_url.rstrip("/") or self._url
        self._timeout = timeout
        self._http = self._client()
        sdk: Any = LabelStudio
        self._sdk = sdk(base_url=self._url, api_key=token, httpx_client=self._http)

    @property
    def url(self) -> str:
        """The server's address, without a final slash."""
        return self._url

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> Account:
        """Return the account of the token; SyncError also if the address is not a Label Studio."""
        with self._checked("asking who we are"):
            me = self._sdk.users.whoami()
            if not isinstance(getattr(me, "email", None), str):
                raise ValueError("no account in the answer")
            return Account(int(me.id), me.email)

    def accounts(self) -> Sequence[Account]:
        """Return all accounts."""
        with self._checked("listing accounts"):
            return tuple(Account(int(user.id), user.email) for user in self._sdk.users.list())

    def isolates_annotators(self) -> bool:
        """Return True if accounts other than administrators reach their own projects only.

        Servers that have our rules say so in each answer.
        """
        with self._checked("asking who may open which project"):
            answer = self._http.get(f"{self._url}/health")
            answer.raise_for_status()
            return HEADER in answer.headers

    def invitation(self) -> str:
        """Return the address of the sign-up page."""
        return f"{self._public_url}{self._invitation()}"

    def _invitation(self) -> str:
        """Return the path of the sign-up page."""
        with self._checked("asking for an invitation"):
            return str(self._ask("GET", "/api/invite", {})["invite_url"])

    def ensure_account(self, email: str, password: str) -> Account:
        """Return the account with that e-mail; created with the password if there is none.

        By invitation and sign-up: accounts made through the API cannot log in.
        """
        found = self._account(email)
        if found is not None:
            return found
        page = f"{self._url}{self._invitation()}"
        with self._checked(f"making an account for {email}"), self._client() as visitor:
            visitor.get(page).raise_for_status()
            seal = visitor.cookies.get("csrftoken", "")
            # By hand: where HTTPS is in front, the cookie is not for the unencrypted way that we take behind it.
            visitor.cookies.clear()
            answer = visitor.post(
                page,
                data={"csrfmiddlewaretoken": seal, "email": email, "password": password},
                headers={"Referer": page, "Cookie": f"csrftoken={seal}"},
            )
        found = self._account(email)
        if found is None:
            raise SyncError(
                f"{self._url}: no account for {email}: {_form_error(answer.text)}; "
                "give a full e-mail address and a password of 8 characters or more"
            )
        return found

    def projects(self) -> Sequence[Project]:
        """Return all projects."""
        with self._checked("listing projects"):
            return tuple(_project(each) for each in self._sdk.projects.list(page_size=_PAGE))

    def create_project(self, title: str, description: str, config: str) -> Project:
        """Make a project; the server validates the config."""
        with self._checked(f'making project "{title}"'):
            return _project(self._sdk.projects.create(title=title, description=description, label_config=config))

    def set_description(self, project_id: int, description: str) -> None:
        """Replace a project's description."""
        with self._checked(f"changing the description of project {project_id}"):
            self._sdk.projects.update(project_id, description=description)

    def set_title(self, project_id: int, title: str) -> None:
        """Replace a project's title."""
        with self._checked(f"changing the title of project {project_id}"):
            self._sdk.projects.update(project_id, title=title)

    def set_config(self, project_id: int, config: str) -> None:
        """Replace a project's labelling config."""
        with self._checked(f"changing the labelling config of project {project_id}"):
            self._sdk.projects.update(project_id, label_config=config)

    def show_predictions(self, project_id: int, version: str) -> None:
        """Let annotators start from the predictions of that version; the project must have some."""
        with self._checked(f"choosing the predictions of project {project_id}"):
            self._sdk.projects.update(project_id, model_version=version)

    def ensure_image_storage(self, project_id: int, path: str) -> None:
        """Let a project's users see the files of the server's folder `path`; once is enough."""
        with self._checked(f"giving project {project_id} its images"):
            for storage in self._sdk.import_storage.local.list(project=project_id):
                if storage.path == path:
                    return
            self._sdk.import_storage.local.create(
                project=project_id, path=path, use_blob_urls=True, title="Figures of the campaign"
            )

    def set_instructions(self, project_id: int, html: str) -> None:
        """Replace the instructions shown before annotators begin; "" shows none."""
        with self._checked(f"changing the instructions of project {project_id}"):
            self._sdk.projects.update(project_id, expert_instruction=html, show_instruction=bool(html))

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> Imported:
        """Add tasks (`data`, `predictions`), all of them or none."""
        with self._checked(f"adding tasks to project {project_id}"):
            # Not through the SDK, which takes as long over the tasks as the server does.
            path = f"/api/projects/{project_id}/import"
            answer = self._ask("POST", path, {"return_task_ids": "true"}, content=encode(tasks))
            return Imported(tuple(map(int, answer["task_ids"])), int(answer["prediction_count"]))

    def tasks(self, project_id: int) -> Iterator[dict[str, Any]]:
        """Yield all tasks by id, in pages: `id`, `data`, `predictions`, `annotations`, `drafts`."""
        with self._checked(f"reading the tasks of project {project_id}"):
            yield from listing.tasks(self._list, project_id)

    def count(self, project_id: int, task_ids: Sequence[int] | None = None) -> TaskCount:
        """Count the project's tasks, or those of `task_ids` that it has."""
        with self._checked(f"counting the tasks of project {project_id}"):
            return listing.count(self._list, project_id, task_ids)

    def changes(self, project_id: int, since: str | None) -> Iterator[TaskMark]:
        """Yield the tasks that changed after `since` (None: all), in the order of their changes.

        Read in pages. A task that changes meanwhile is yielded again; none is skipped.
        """
        with self._checked(f"asking what changed in project {project_id}"):
            for mark, _ in listing.changes(self._list, project_id, since):
                yield mark

    def count_changed(self, project_id: int, after: str, until: str) -> int:
        """Count the tasks that last changed after `after` and not after `until`."""
        with self._checked(f"asking what changed in project {project_id}"):
            return listing.count_changed(self._list, project_id, after, until)

    def whole_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, dict[str, Any]]]:
        """Yield the same, each with the task as in `tasks`: if most of them are to be read."""
        with self._checked(f"reading the tasks of project {project_id}"):
            yield from listing.changes(self._list, project_id, since, whole=True)

    def marks(self, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
        """Return the marks of those tasks that the project has."""
        with self._checked(f"listing tasks of project {project_id}"):
            return listing.marks(self._list, project_id, task_ids)

    def tasks_by_id(self, project_id: int, task_ids: Sequence[int]) -> list[dict[str, Any]]:
        """Return those of the tasks that the project has, as in `tasks`."""
        with self._checked(f"reading tasks of project {project_id}"):
            return listing.by_id(self._list, project_id, task_ids)

    def tasks_by_source(self, project_id: int, sources: Sequence[str]) -> list[dict[str, Any]]:
        """Return the project's tasks of these sources by id, as in `tasks`."""
        with self._checked(f"reading tasks of project {project_id}"):
            return listing.by_source(self._list, project_id, sources)

    def drafted(self, project_id: int) -> frozenset[int]:
        """Return the ids of tasks with a draft of any account: `drafts` of a task are our own only."""
        with self._checked(f"asking for drafts of project {project_id}"):
            return listing.drafted(self._list, project_id)

    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        """Replace a task's data."""
        with self._checked(f"changing task {task_id}"):
            self._sdk.tasks.update(str(task_id), data=dict(data))

    def delete_task(self, task_id: int) -> None:
        """Delete a task with its annotations."""
        with self._checked(f"removing task {task_id}"):
            self._sdk.tasks.delete(str(task_id))

    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        """Add a prediction to a task."""
        with self._checked(f"adding a prediction to task {task_id}"):
            self._sdk.predictions.create(task=task_id, **prediction)

    def update_prediction(self, task_id: int, prediction_id: int, prediction: Mapping[str, Any]) -> None:
        """Replace a prediction of a task."""
        with self._checked(f"changing prediction {prediction_id}"):
            self._sdk.predictions.update(prediction_id, task=task_id, **prediction)

    def delete_prediction(self, prediction_id: int) -> None:
        """Delete a prediction."""
        with self._checked(f"removing prediction {prediction_id}"):
            self._sdk.predictions.delete(prediction_id)

    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        """Submit an annotation (`result`, `lead_time`, `was_cancelled`, `parent_prediction`); returns its id."""
        with self._checked(f"submitting an annotation of task {task_id}"):
            return int(self._sdk.annotations.create(task_id, **annotation).id)

    def call_back(self, project_id: int, url: str) -> int:
        """Create a webhook that calls `url` after changes to work in the project; returns its id."""
        hook = {"project": project_id, "url": url, "send_payload": False, "send_for_all_actions": False}
        with self._checked(f"making a webhook of project {project_id}"):
            return int(
                self._ask("POST", "/api/webhooks/", {}, content=encode({**hook, "actions": _CALLED_FOR}))["id"]
            )

    def stop_calls(self, beginning: str) -> int:
        """Delete all webhooks whose address begins with `beginning`; returns their number."""
        with self._checked("removing webhooks"):
            ours = [hook for hook in self._ask("GET", "/api/webhooks/", {}) if hook["url"].startswith(beginning)]
            for hook in ours:
                self._sdk.webhooks.delete(hook["id"])
            return len(ours)

    def model_servers(self, project_id: int) -> Sequence[ModelServerLink]:
        """Return the model servers that a project asks for predictions."""
        with self._checked(f"asking which models project {project_id} has"):
            found = self._ask("GET", "/api/ml", {"project": project_id})
            return [ModelServerLink(int(x["id"]), x["url"], x["title"] or "", x["state"] == "CO") for x in found]

    def add_model_server(self, project_id: int, settings: Mapping[str, Any]) -> None:
        """Add a model server to a project; Label Studio must reach it."""
        with self._checked(f"connecting project {project_id} with models at {settings['url']}"):
            self._ask("POST", "/api/ml", {}, content=encode({**settings, "project": project_id}))

    def remove_model_server(self, link_id: int) -> None:
        """Remove a model server from its project."""
        with self._checked("letting go of models"):
            self._sdk.ml.delete(link_id)

    def delete_project(self, project_id: int) -> None:
        """Delete a project with its tasks."""
        with self._checked(f"removing project {project_id}"):
            self._sdk.projects.delete(project_id)

    def _account(self, email: str) -> Account | None:
        return next((account for account in self.accounts() if account.email.lower() == email.lower()), None)

    def _ask(self, method: str, path: str, params: Mapping[str, Any], content: bytes | None = None) -> Any:
        """Send a request and return the answer's JSON."""
        headers = {**self._sdk._client_wrapper.get_headers(), "Content-Type": "application/json"}
        answer = self._http.request(method, f"{self._url}{path}", params=params, content=content, headers=headers)
        answer.raise_for_status()
        return answer.json()

    def _list(self, params: Mapping[str, Any]) -> Any:
        """Return a page of the list of tasks."""
        return self._ask("GET", "/api/tasks/", params)

    def _client(self) -> httpx.Client:
        return http_client(self._url, self._timeout)

    def _refused(self, doing: str, status: int | None, body: Any) -> SyncError:
        kind = TokenRefused if status == 401 and isinstance(body, Mapping) else SyncError
        return kind(f"{self._url}: {refusal(doing, status, body)}")

    @contextmanager
    def _checked(self, doing: str) -> Iterator[None]:
        """Raise SyncError with one line for any failed request or unexpected answer."""
        import httpx
        from label_studio_sdk.core.api_error import ApiError

        try:
            yield
        except ApiError as error:
            raise self._refused(doing, error.status_code, error.body) from error
        except httpx.HTTPStatusError as error:
            raise self._refused(doing, error.response.status_code, _answer_body(error.response)) from error
        except httpx.TimeoutException as error:
            raise SyncError(
                f"{self._url}: no answer within {self._timeout:.0f} s while {doing}; try again"
            ) from error
        except httpx.HTTPError as error:
            raise SyncError(
                f"{self._url}: no server answers ({error or type(error).__name__}); "
                "start Label Studio, or check --url"
            ) from error
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            # pydantic's ValidationError is a ValueError: an answer of another shape than Label Studio's.
            raise SyncError(
                f"{self._url}: unexpected answer while {doing}; "
                "is it Label Studio, or another program on that port?"
            ) from error


def _project(found: Any) -> Project:
    return Project(
        int(found.id),
        found.title or "",
        found.description or "",
        found.label_config or "",
        found.model_version or "",
        found.expert_instruction or "",
    )


def refusal(doing: str, status: int | None, body: Any) -> str:
    """Return one line for an error status. doing: what the request was for."""
    if not isinstance(body, Mapping):
        text = " ".join(re.sub(r"<[^>]*>", " ", str(body)).split())[:120]
        return (
            f"answered {status} while {doing}, not as Label Studio does ({text or 'empty'}); "
            "is another program on that port?"
        )
    if status == 401:
        return (
            f"refused the token while {doing}; copy it from Account & Settings there into LABEL_STUDIO_API_KEY, "
            "where Panelwise is started, or give a command --token"
        )
    said = _messages(body.get("validation_errors")) or _messages(body.get("detail")) or _messages(body)
    return f"refused ({status}) while {doing}: {said[:500]}"


def _form_error(page: str) -> str:
    """Return the errors that a sign-up page shows, in one line."""
    found = re.findall(r'class="[^"]*error[^"]*"[^>]*>(.*?)</', page, flags=re.DOTALL)
    text = " ".join(" ".join(re.sub(r"<[^>]*>", " ", each) for each in found).split())
    return text[:200] or "the server refused the sign-up"


def _answer_body(answer: httpx.Response) -> Any:
    """Return the body of an answer: parsed JSON, or its text if it is not JSON."""
    try:
        return answer.json()
    except ValueError:
        return answer.text


def _messages(found: Any) -> str:
    """Join the texts of nested validation errors."""
    if isinstance(found, Mapping):
        return "; ".join(f"{key}: {_messages(value)}" for key, value in found.items() if value)
    if isinstance(found, list | tuple):
        return "; ".join(filter(None, map(_messages, found)))
    return " ".join(str(found).split()) if found else ""
