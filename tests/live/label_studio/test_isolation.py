"""Annotators reach their own project of Label Studio and nothing else: by any address, session or token."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from browsing import log_in_to_studio
from builders import a_figure

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded import environment
from annotator.label_studio.embedded.server import EmbeddedServer, access_file
from annotator.label_studio.isolation.rules import (
    ANNOTATOR_CALLS,
    FILE_VARIABLE,
    PUBLIC_ROUTES,
    call_of,
    format_access,
)
from annotator.sync.push import push
from panelwise.domain.campaign import Person, Role, Task
from tests.live.label_studio.own_studio import stored_token

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.live

PASSWORD = "annotators-pass-1"
OWN, OTHER, NOBODY = "own@example.org", "other@example.org", "nobody@example.org"


@dataclass(frozen=True)
class Work:
    """What one annotator has in Label Studio: ids."""

    project: int
    task: int
    annotation: int
    draft: int
    tab: int

    def path(self, route: str) -> str:
        """The address of a route about this work; numbers of other things are 1."""
        kinds = {
            "projects": self.project,
            "tasks": self.task,
            "annotations": self.annotation,
            "drafts": self.draft,
        }
        key = next((kinds[word] for word in re.findall(r"[a-z]+", route) if word in kinds), 1)
        if route.startswith("^api/dm/views/"):
            key = self.tab
        path = route.lstrip("^").rstrip("$").replace("/?", "/").replace("\\.", ".")
        path = path.replace("<int:annotation_id>", str(self.annotation))
        path = path.replace("<drf_format_suffix:format>", ".json")
        path = re.sub(r"<int:\w*pk>|<int:(?:task|project)_id>|\(\?P<pk>[^)]*\)", str(key), path)
        return "/" + re.sub(r"<[^>]*>|\(\?P<[^)]*\)\??", "1", path)


@dataclass(frozen=True)
class Setting:
    """A server with two annotators' projects, and its routes with their methods."""

    url: str
    own: Work
    other: Work
    routes: dict[str, list[str]]


@pytest.fixture(scope="module")
def setting(
    studio: EmbeddedServer, studio_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Setting]:
    folder = tmp_path_factory.mktemp("isolated")
    home = Home.create(folder, name="isolated", labels=("A", "B"))
    with pytest.MonkeyPatch.context() as patch, LabelStudioServer(studio.url, studio.token) as server:
        # The home's own server would read the home's file; this one belongs to another home.
        patch.setenv(FILE_VARIABLE, str(access_file(studio_home)))
        for email in (OWN, OTHER, NOBODY):
            server.ensure_account(email, PASSWORD)
        with home.open_store() as store:
            with store.transaction() as tx:
                tx.figures.add(a_figure("f1"))
                for name, email in (("own", OWN), ("other", OTHER)):
                    tx.people.put(Person(name, frozenset({Role.ANNOTATOR}), email))
                    tx.tasks.add([Task("f1", name, "1")])
            pushed = {step.annotator: step.project_id for step in push(home, store, server)}
        with signed_in(studio.url, OWN) as own, signed_in(studio.url, OTHER) as other:
            yield Setting(
                studio.url, work_in(own, pushed["own"]), work_in(other, pushed["other"]), all_routes(folder)
            )
        for project in pushed.values():
            server.delete_project(project)


@contextmanager
def signed_in(url: str, email: str) -> Iterator[httpx.Client]:
    """A browser's session."""
    with httpx.Client(base_url=url, trust_env=False, timeout=300) as client:
        client.get("/user/login/")
        answer = client.post(
            "/user/login/",
            data={"csrfmiddlewaretoken": client.cookies["csrftoken"], "email": email, "password": PASSWORD},
            headers={"Referer": f"{url}/user/login/"},
        )
        assert answer.status_code == 302, answer.text
        yield client


def work_in(client: httpx.Client, project: int) -> Work:
    """Begin and submit something, as the labelling screen does."""

    def made(path: str, content: dict[str, Any]) -> int:
        answer = client.post(path, json=content)
        assert answer.status_code in (200, 201), (path, answer.status_code, answer.text)
        return int(answer.json()["id"])

    task = made(f"/api/dm/actions?id=next_task&project={project}", {})
    annotation = made(f"/api/tasks/{task}/annotations", {"result": [], "lead_time": 1})
    draft = made(f"/api/tasks/{task}/annotations/{annotation}/drafts", {"result": [], "lead_time": 1})
    tab = made(f"/api/dm/views?project={project}", {"data": {}, "project": project})
    return Work(project, task, annotation, draft, tab)


def all_routes(folder: Path) -> dict[str, list[str]]:
    python = environment.ensure().python
    done = subprocess.run(
        [python, "-P", Path(__file__).with_name("list_routes.py")],
        env=environment.inherited_environment()
        | environment.offline_settings()
        | {"LABEL_STUDIO_BASE_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    assert len(found) > 300
    return found


def calls(setting: Setting) -> Iterator[tuple[str, str]]:
    """Every route that needs an account, with every method that it answers.

    Drafts come first, since a changed annotation has none; what removes something comes last.
    """

    def order(row: tuple[str, str]) -> tuple[bool, bool]:
        route, method = row
        return "api/drafts" not in route, method == "DELETE"

    rows = [(route, method.upper()) for route, methods in setting.routes.items() for method in methods]
    for route, method in sorted(rows, key=order):
        # Label Studio's route "version/" has no beginning: it answers for every address that ends so.
        if route not in PUBLIC_ROUTES and (
            route == "version/" or not re.search("version/", setting.own.path(route))
        ):
            yield route, method


def answer_to(client: httpx.Client, route: str, method: str, work: Work) -> int:
    """The status of a call about this work, with what the labelling screen sends."""
    call = ANNOTATOR_CALLS.get(route)
    content: dict[str, Any] | None = {"project": work.project}
    if call is not None and "data" in call.content:
        content = {"data": {}, "project": work.project}
    if call is not None and call.subject == "self":
        content = {}
    return client.request(
        method,
        work.path(route),
        params={"project": work.project, "id": "next_task"},
        json=None if method in ("GET", "DELETE") else content,
    ).status_code


def test_every_route_of_the_rules_is_one_of_label_studios(setting: Setting) -> None:
    for route, call in ANNOTATOR_CALLS.items():
        assert {method.lower() for method in call.methods} <= set(setting.routes[route]), route
    assert set(setting.routes) >= PUBLIC_ROUTES


def test_anothers_project_is_refused_by_every_address(setting: Setting) -> None:
    about_a_project = {"project", "task", "annotation", "draft", "tab", "query"}
    concerned = [
        (route, method)
        for route, method in calls(setting)
        if (call := call_of(route, method)) is not None and call.subject in about_a_project
    ]
    assert len(concerned) > 25
    with signed_in(setting.url, OWN) as client:
        for route, method in concerned:
            status = answer_to(client, route, method, setting.other)
            assert status == 403, (method, route, status)


def test_of_ones_own_project_the_labelling_screens_calls_are_answered_and_no_others(setting: Setting) -> None:
    with signed_in(setting.url, OWN) as client:
        for route, method in calls(setting):
            if route == "^data/local-files/":
                continue
            status = answer_to(client, route, method, setting.own)
            if call_of(route, method) is None:
                assert status == 403, (method, route, status)
            else:
                assert status not in (401, 403, 405), (method, route, status)
                assert status < 500, (method, route, status)


def test_nothing_is_reached_through_something_of_ones_own(setting: Setting) -> None:
    own, other = setting.own, setting.other
    with signed_in(setting.url, OWN) as client, signed_in(setting.url, OTHER) as theirs:
        work = work_again(client, own).annotation
        for method, path, content in (
            ("GET", f"/api/tasks?project={own.project}&view={other.tab}", None),
            ("GET", f"/api/tasks?project={own.project}&project={other.project}", None),
            ("GET", f"/api/tasks?project={other.project}&project={own.project}", None),
            ("GET", f"/api/tasks?project=%20{other.project}", None),
            ("POST", f"/api/dm/actions?id=next_task&project={own.project}&tabID={other.tab}", {}),
            ("POST", f"/api/dm/actions?id=delete_tasks&project={own.project}", {}),
            ("POST", f"/api/dm/actions?id=next_task&id=delete_tasks&project={own.project}", {}),
            ("POST", f"/api/dm/actions?id=next_task&project={own.project}", {"project": other.project}),
            ("POST", f"/api/dm/views?project={own.project}", {"project": other.project, "data": {}}),
            ("PATCH", f"/api/dm/views/{own.tab}", {"project": other.project}),
            ("PATCH", f"/api/annotations/{work}", {"task": other.task}),
            ("POST", f"/api/tasks/{own.task}/annotations", {"result": [], "project": other.project}),
            ("POST", f"/api/tasks/{own.task}/annotations", {"result": [], "parent_annotation": other.annotation}),
            ("POST", f"/api/tasks/{own.task}/annotations/{other.annotation}/drafts", {"result": []}),
        ):
            answer = client.request(method, path, **({} if content is None else {"json": content}))
            assert answer.status_code == 403, (method, path, answer.status_code, answer.text[:200])
        listed = client.get(f"/api/projects/?ids={other.project}").json()
        assert [project["id"] for project in listed["results"]] == [own.project]
        assert [user["email"] for user in client.get(f"/api/users?project={own.project}").json()] == [OWN]
        tasks = theirs.get(f"/api/tasks?project={other.project}&fields=all").json()["tasks"]
        assert [task["id"] for task in tasks] == [other.task]


#: Fields that would make a change count for another, or for what it was not; {other} stands for what is another's.
FOREIGN = (
    "task",
    "project",
    "completed_by",
    "user",
    "updated_by",
    "last_created_by",
    "ground_truth",
    "parent_annotation",
    "parent_prediction",
    "draft_id",
    "annotation",
    "unique_id",
    "import_id",
    "filter_group",
    "selected_items",
    "view",
    "_method",
)


def bodies(name: str, value: int, own: Work) -> Iterator[tuple[dict[str, str], bytes]]:
    """A field in every form in which Label Studio, or something before it, could read it: headers and content."""
    fields = {"result": [], "data": {}, name: value}
    text = json.dumps(fields)
    plain = text.encode()
    form = f"result=%5B%5D&data=%7B%7D&{name}={value}".encode()
    part = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    multipart = (part.format("result", "[]") + part.format(name, value) + "--x--\r\n").encode()
    json_type = "application/json"
    for kind, content in (
        (json_type, plain),
        ("application/x-www-form-urlencoded", form),
        ("multipart/form-data; boundary=x", multipart),
        ("application/*", plain),
        ("*/*", plain),
        ("text/plain", plain),
        ("application/merge-patch+json", plain),
        (f"{json_type}; charset=utf-16", text.encode("utf-16")),
        (f"{json_type}; charset=utf-7", text.encode("utf-7")),
        (f"{json_type}; charset=latin-1", plain),
        (f"{json_type}, {json_type}", plain),
        ("", plain),
        (json_type, text.replace(f'"{name}"', f'"\\u{ord(name[0]):04x}{name[1:]}"').encode()),
        (json_type, f'{{"project": {own.project}, "{name}": null, "{name}": {value}}}'.encode()),
        (json_type, f"[{text}]".encode()),
        (json_type, b"\xef\xbb\xbf" + plain),
        (json_type, f'{{"result": [], "{name}": {value}.0}}'.encode()),
        (json_type, f'{{"result": [], "{name}": {"9" * 5000}}}'.encode()),
        (json_type, f'{{"result": {"[" * 50_000}{"]" * 50_000}, "{name}": {value}}}'.encode()),
    ):
        yield {"Content-Type": kind}, content
    yield {"Content-Type": json_type, "Content-Encoding": "gzip"}, gzip.compress(plain)
    yield {"Content-Type": json_type, "X-HTTP-Method-Override": "PUT"}, b'{"result": []}'


def kept(real: LabelStudioServer, *works: Work) -> list[Any]:
    """What must stay: whose work is where, and what it says."""
    return [
        [
            (each["id"], each["completed_by"], each["result"], each["ground_truth"], each["parent_annotation"])
            for task in real.tasks(work.project)
            for each in task["annotations"]
        ]
        for work in works
    ]


def changing_calls(setting: Setting) -> list[tuple[str, str]]:
    return [(route, method) for route, method in calls(setting) if method not in ("GET", "HEAD")]


def test_no_change_counts_for_another_in_any_form(setting: Setting, real: LabelStudioServer) -> None:
    with signed_in(setting.url, OWN) as client:
        own, other = work_again(client, setting.own), setting.other
        theirs = client.get("/api/current-user/whoami").json()["id"] + 1
        before = kept(real, own, other)
        values = {"task": other.task, "project": other.project, "annotation": other.annotation}
        values |= {"parent_annotation": other.annotation, "draft_id": other.draft}
        tried = 0
        for number, (route, method) in enumerate(changing_calls(setting)):
            forms = [(FOREIGN[0], form) for form in bodies(FOREIGN[0], other.task, own)]
            if call_of(route, method) is None:
                forms = forms[number % len(forms) :][:1]  # Closed for every form: each shows that of another.
            else:
                forms += [(name, next(bodies(name, values.get(name, theirs), own))) for name in FOREIGN[1:]]
            for name, (headers, content) in forms:
                path = f"{own.path(route)}?project={own.project}&id=next_task"
                answer = client.request(method, path, headers=headers, content=content)
                assert answer.status_code == 403, (method, route, name, headers, content[:80], answer.text[:200])
                tried += 1
        assert tried > 400
        assert kept(real, own, other) == before


def test_what_is_in_pieces_or_in_the_body_of_a_question_is_refused(setting: Setting) -> None:
    with signed_in(setting.url, OWN) as client:
        work = work_again(client, setting.own)
        path = f"/api/annotations/{work.annotation}"
        pieces = client.patch(path, content=iter([b'{"task": ', str(setting.other.task).encode(), b"}"]))
        asked = client.request(
            "GET", f"/api/tasks?project={work.project}", json={"project": setting.other.project}
        )
        for answer in (pieces, asked):
            assert answer.status_code == 403, answer.text[:200]
        for parameter in ("_method=PUT", "query={}", f"view={work.tab}", "expand=completed_by", "new=1"):
            assert client.patch(f"{path}?{parameter}", json={"result": []}).status_code == 403, parameter


def test_anothers_work_in_ones_own_project_is_not_changed(setting: Setting, real: LabelStudioServer) -> None:
    leads = real.add_annotation(setting.own.task, {"result": [], "lead_time": 1})
    with signed_in(setting.url, OWN) as client:
        path = f"/api/annotations/{leads}"
        assert client.get(path).status_code == 200
        for answer in (client.patch(path, json={"result": []}), client.delete(path)):
            assert answer.status_code == 403
            assert "another account's" in answer.json()["detail"]
        drafts = f"/api/tasks/{setting.own.task}/annotations"
        assert client.post(drafts, json={"result": [], "parent_annotation": leads}).status_code == 201


def test_of_ones_own_work_draft_submission_and_update_are_stored(
    setting: Setting, real: LabelStudioServer
) -> None:
    region = {"id": "r", "from_name": "status", "to_name": "figure", "type": "choices"}
    result = [{**region, "value": {"choices": ["Reject figure"]}}]
    with signed_in(setting.url, OWN) as client:
        task = setting.own.task
        sent = {
            "result": result,
            "lead_time": 2.5,
            "started_at": "2026-01-02T03:04:05Z",
            "parent_prediction": None,
        }
        sent |= {"project": str(setting.own.project), "parent_annotation": None}
        draft = client.post(f"/api/tasks/{task}/drafts", json={**sent, "draft_id": 0})
        assert draft.status_code == 201, draft.text
        number = draft.json()["id"]
        assert client.patch(f"/api/drafts/{number}", json={**sent, "was_postponed": True}).status_code == 200
        made = client.post(f"/api/tasks/{task}/annotations", json={**sent, "draft_id": number})
        assert made.status_code == 201, made.text
        path = f"/api/annotations/{made.json()['id']}"
        changed = client.patch(path, json={**sent, "result": [], "draft_id": 0, "id": made.json()["id"]})
        assert changed.status_code == 200, changed.text
        assert client.delete(path, headers={"Content-Type": "application/json"}).status_code == 204


def work_again(client: httpx.Client, work: Work) -> Work:
    """An annotation and a draft that no other test removes."""
    path = f"/api/tasks/{work.task}/annotations"
    annotation = client.post(path, json={"result": [], "lead_time": 1}).json()["id"]
    draft = client.post(f"{path}/{annotation}/drafts", json={"result": [], "lead_time": 1}).json()["id"]
    return replace(work, annotation=int(annotation), draft=int(draft))


def test_a_token_reaches_no_further_than_the_browser(setting: Setting, studio_home: Path) -> None:
    with signed_in(setting.url, OWN) as client:
        assert client.get("/api/current-user/token").status_code == 403
    token = stored_token(studio_home, OWN)
    for headers in (
        {"Authorization": f"Token {token}"},
        {"Authorization": f"token  {token}"},
        {"X-Api-Key": token},
    ):
        with httpx.Client(base_url=setting.url, trust_env=False, timeout=300, headers=headers) as client:
            assert client.get(f"/api/projects/{setting.own.project}/").status_code == 200
            assert client.get(f"/api/projects/{setting.other.project}/").status_code == 403
            assert client.get("/api/invite").status_code == 403
            assert client.delete(f"/api/projects/{setting.own.project}/").status_code == 403
    for headers in ({}, {"Authorization": "Token wrong"}, {"Authorization": "Basic eDp5"}, {"Authorization": ""}):
        with httpx.Client(base_url=setting.url, trust_env=False, timeout=300, headers=headers) as client:
            assert client.get(f"/api/projects/{setting.own.project}/").status_code == 401


def test_an_account_without_a_project_is_told_so_and_reaches_none(setting: Setting) -> None:
    with signed_in(setting.url, NOBODY) as client:
        assert "No project is assigned to your account yet" in client.get("/").text
        assert client.get("/api/projects/").json()["results"] == []
        for work in (setting.own, setting.other):
            assert client.get(f"/api/projects/{work.project}/next").status_code == 403
            assert client.get(f"/api/tasks/{work.task}").status_code == 403


def test_the_lead_reaches_every_project(setting: Setting, real: LabelStudioServer) -> None:
    assert real.isolates_annotators()
    assert {setting.own.project, setting.other.project} <= {project.id for project in real.projects()}
    assert {OWN, OTHER, NOBODY} <= {account.email for account in real.accounts()}


def test_a_missing_or_broken_file_denies_and_a_new_one_counts_at_once(setting: Setting, studio_home: Path) -> None:
    path = access_file(studio_home)
    before = path.read_bytes()
    address = f"/api/projects/{setting.own.project}/"
    try:
        with signed_in(setting.url, OWN) as client:
            assert client.get(address).status_code == 200
            for content in (b"", b"{", None):
                if content is None:
                    path.unlink()
                else:
                    path.write_bytes(content)
                assert client.get(address).status_code == 403
            fresh = path.with_name("fresh")
            fresh.write_text(format_access({setting.other.project: frozenset({OWN})}))
            os.replace(fresh, path)
            assert client.get(address).status_code == 403
            assert client.get(f"/api/projects/{setting.other.project}/").status_code == 200
    finally:
        path.write_bytes(before)


def test_signing_in_leads_to_ones_own_project_without_what_is_not_ones_own(
    setting: Setting, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.set_default_timeout(180_000)
        refused: list[str] = []
        page.on("response", lambda answer: refused.append(answer.url) if answer.status == 403 else None)
        log_in_to_studio(page, setting.url, OTHER, PASSWORD)
        assert f"/projects/{setting.other.project}/data?labeling=1" in page.url
        page.goto(f"{setting.url}/projects/{setting.other.project}/data")
        page.get_by_role("button", name="Label All Tasks").wait_for()
        assert page.get_by_text("Settings", exact=True).filter(visible=True).count() == 0
        assert page.get_by_test_id("dm-import-button").filter(visible=True).count() == 0
        assert refused == []
        answer = page.goto(f"{setting.url}/projects/{setting.own.project}/data")
        assert answer is not None
        assert answer.status == 403
        page.get_by_text("Your account may not do this").wait_for()
        page.get_by_role("link", name="Your projects").click()
        page.wait_for_url(f"**/projects/{setting.other.project}/data?labeling=1**")
    finally:
        context.close()
