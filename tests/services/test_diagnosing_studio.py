"""What `annotator doctor` makes of a Label Studio, played here by a server with one setting wrong at a time."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from annotator.campaign.home import Home
from annotator.label_studio.embedded import environment
from annotator.label_studio.isolation.rules import HEADER
from annotator.operations import doctor_label_studio
from annotator.operations.findings import Finding, State
from annotator.store.rows.records import ProjectLink

TOKEN = "f" * 40
FORM = '<form><input type="hidden" name="csrfmiddlewaretoken" value="seal"></form>'


@dataclass
class Played:
    """How the server behaves; changed by the tests."""

    health: tuple[int, str] = (200, '{"status": "UP"}')
    version: Any = field(default_factory=lambda: {"release": environment.VERSION})
    page: tuple[int, str] = (200, FORM)
    form: int = 200
    token: int = 200
    me: Any = field(default_factory=dict)
    files: int = 404
    kind: str = "image/png"
    tasks: Any = field(default_factory=lambda: {"tasks": []})
    date: str = ""
    isolated: bool = True
    seen: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def played() -> Iterator[Played]:
    state = Played()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            code, body, kind = 404, "", "text/html"
            if path == "/health":
                (code, body) = state.health
            elif path == "/api/version":
                code, body = 200, json.dumps(state.version)
            elif path == "/user/login/":
                (code, body) = state.page
            elif path == "/api/current-user/whoami":
                code, body = state.token, json.dumps(state.me)
            elif path == "/api/tasks/":
                code, body = 200, json.dumps(state.tasks)
            elif path == "/data/local-files/":
                state.seen.append(self.path)
                code, kind = state.files, state.kind
            self._answer(code, body, kind)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Origin"] == state.url
            self._answer(state.form, "")

        def _answer(self, code: int, body: str, kind: str = "text/html") -> None:
            self.send_response_only(code)
            if state.isolated:
                self.send_header(HEADER, "on")
            if state.date:
                self.send_header("Date", state.date)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("LABEL_STUDIO_URL", played.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
    return Home.create(tmp_path / "lungs")


def findings(home: Home) -> list[Finding]:
    with home.open_store() as store:
        return list(doctor_label_studio.studio(home, store))


def states(home: Home) -> dict[str, State]:
    return {each.about: each.state for each in findings(home)}


def test_a_server_with_everything_right_is_well(home: Home) -> None:
    assert set(states(home).values()) == {State.GOOD}
    assert {each.about for each in findings(home)} == {"Label Studio", "isolation", "token", "images"}


def test_a_server_on_which_annotators_see_each_others_work_is_named(home: Home, played: Played) -> None:
    played.isolated = False
    (finding,) = [each for each in findings(home) if each.about == "isolation"]
    assert finding.state is State.NOTE
    assert "every account of this server can open, change and delete every project" in finding.message
    assert "the campaign's own Label Studio" in finding.fix


def test_nobody_at_the_address_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:1")
    (finding,) = findings(home)
    assert finding.state is State.WRONG
    assert "does not answer" in finding.message
    assert "LABEL_STUDIO_URL" in finding.fix


@pytest.mark.parametrize("health", [(404, "no such page"), (200, "some other program")])
def test_another_program_at_the_address_is_told(home: Home, played: Played, health: tuple[int, str]) -> None:
    played.health = health
    (finding,) = findings(home)
    assert finding.fix == "is another program on that port?"


@pytest.mark.parametrize("version", [{"release": "1.8.0"}, {}, ["odd"]])
def test_another_version_is_told(home: Home, played: Played, version: object) -> None:
    played.version = version
    told = [each for each in findings(home) if each.state is State.NOTE]
    assert [each.fix for each in told] == [f"install label-studio=={environment.VERSION}"]


def test_forms_that_are_refused_are_told(home: Home, played: Played) -> None:
    played.form = 403
    told = [each for each in findings(home) if each.state is State.WRONG]
    assert [each.message for each in told] == [
        f"rejects forms sent from {played.url}, so people can't sign in there"
    ]
    assert f"CSRF_TRUSTED_ORIGINS={played.url}" in told[0].fix


def test_a_page_without_a_form_is_told(home: Home, played: Played) -> None:
    played.page = (500, "broken")
    assert any("shows no form (500)" in each.message for each in findings(home))


def test_a_token_that_is_refused_is_told(home: Home, played: Played) -> None:
    played.token = 401
    assert states(home)["token"] is State.WRONG


def test_a_missing_token_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LABEL_STUDIO_API_KEY")
    assert states(home)["token"] is State.WRONG


def test_files_that_are_not_served_are_told(home: Home, played: Played) -> None:
    played.files = 403
    finding = next(each for each in findings(home) if each.about == "images")
    assert finding.state is State.WRONG
    assert "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true" in finding.fix


def _pushed(home: Home, played: Played) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.links.put_project(ProjectLink("ann", "1", 7, played.url))
    played.tasks = {"tasks": [{"id": 1, "data": {"image": "/data/local-files/?d=images/f1.png"}}]}


@pytest.mark.parametrize(
    ("files", "kind", "state"),
    [(200, "image/png", State.GOOD), (404, "text/html", State.WRONG), (200, "text/html", State.WRONG)],
)
def test_the_image_of_a_pushed_figure_is_tried(
    home: Home, played: Played, files: int, kind: str, state: State
) -> None:
    _pushed(home, played)
    played.files, played.kind = files, kind
    assert states(home)["images"] is state
    assert played.seen == ["/data/local-files/?d=images/f1.png"]


def test_annotations_that_another_account_changed_last_are_named(home: Home, played: Played) -> None:
    _pushed(home, played)
    played.me = {"id": 1}
    annotations = [
        {"completed_by": {"id": 2}, "updated_by": 2},
        {"completed_by": 2, "updated_by": 1},
        {"completed_by": 2, "updated_by": None},
    ]
    played.tasks["tasks"][0]["annotations"] = annotations
    assert states(home)["authors"] is State.GOOD
    annotations.append({"completed_by": 2, "updated_by": 3})
    (finding,) = [each for each in findings(home) if each.about == "authors"]
    assert finding.state is State.WRONG
    assert finding.message == "1 annotation last changed by another account than its own: task 1 of ann"
    assert "send the figure back" in finding.fix


def test_only_so_many_tasks_are_looked_at(home: Home, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    _pushed(home, played)
    monkeypatch.setattr(doctor_label_studio, "PAGE", 1)
    monkeypatch.setattr(doctor_label_studio, "MOST_PAGES", 3)
    (finding,) = [each for each in findings(home) if each.about == "authors"]
    assert (finding.state, finding.message) == (State.NOTE, "looked at the first 3 tasks only")
    assert "annotator pull --all" in finding.fix


@pytest.mark.parametrize("answer", [[], {"tasks": None}, {"tasks": ["odd", {"annotations": "odd"}]}])
def test_an_odd_list_of_tasks_is_no_traceback(home: Home, played: Played, answer: object) -> None:
    _pushed(home, played)
    played.tasks = answer
    assert "Label Studio" in states(home)


@pytest.mark.parametrize("date", ["Sun, 22 Nov 2020 04:01:20 GMT", "Sun, 22 Nov 2099 04:01:20 GMT"])
def test_a_clock_that_is_off_is_told(home: Home, played: Played, date: str) -> None:
    played.date = date
    assert states(home)["clock"] is State.WRONG


def test_answers_of_no_use_are_told_not_raised(
    home: Home, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.date = "yesterday"
    played.tasks = ["odd"]
    assert State.WRONG not in states(home).values()
    monkeypatch.setattr(json, "dumps", lambda *_: "no JSON at all")
    (finding,) = findings(home)
    assert finding.state is State.WRONG


@pytest.mark.parametrize(("installed", "state"), [(None, State.NOTE), (object(), State.GOOD)])
def test_the_campaigns_own_server_that_does_not_run_is_no_fault(
    home: Home, monkeypatch: pytest.MonkeyPatch, installed: object, state: State
) -> None:
    monkeypatch.delenv("LABEL_STUDIO_URL")
    monkeypatch.setattr(environment, "find", lambda: installed)
    (finding,) = findings(home)
    assert finding.state is state
