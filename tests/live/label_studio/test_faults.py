"""What goes wrong between a real Label Studio and us: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation
from conftest import missing

from annotator.annotation_server import TokenRefused
from annotator.campaign.home import Home
from annotator.label_studio import listing
from annotator.label_studio.embedded import environment
from annotator.label_studio.embedded.server import access_file
from annotator.label_studio.isolation.rules import FILE_VARIABLE
from annotator.label_studio.payload.figures import annotation_payload, prediction_payload
from annotator.store.store import Store
from annotator.sync import pull_tasks, push_tasks
from annotator.sync.watch import Options, Receiver, watch
from label_config import names
from panelwise.domain.annotation import Prediction, Status
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.errors import SyncError
from tests.conftest import REPOSITORY
from tests.live.label_studio.one_project import pulled, pushed, sources, tasks
from tests.live.label_studio.own_studio import OwnStudio, until

pytestmark = pytest.mark.live

FIGURES = 15
EMAIL, PASSWORD = "ann1@example.org", "annotators-pass-1"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnStudio]:
    offline = environment.offline_settings
    with pytest.MonkeyPatch.context() as patch:
        # Webhooks to this very machine are refused otherwise.
        patch.setattr(environment, "offline_settings", lambda: offline() | {"USE_DEFAULT_BANNED_SUBNETS": "false"})
        own = OwnStudio(tmp_path_factory.mktemp("faults"))
        try:
            assert own.running.started_here
        except SyncError as error:
            missing(f"no Label Studio: {error}", "see what it says of its environment")
        yield own
        own.stop()


@pytest.fixture
def home(tmp_path: Path, studio: OwnStudio, monkeypatch: pytest.MonkeyPatch) -> Home:
    # The server is another home's: it reads whose the projects are there.
    monkeypatch.setenv(FILE_VARIABLE, str(access_file(studio.home)))
    return Home.create(tmp_path / "home", labels=("A", "B", "C"))


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with home.open_store() as store:
        with store.transaction() as tx:
            figures = [a_figure(f"f{number:02}") for number in range(FIGURES)]
            tx.figures.add_many(figures)
            tx.tasks.add([Task(figure.id, "ann1", "1") for figure in figures])
        yield store


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_tasks, "BATCH", 5)
    monkeypatch.setattr(pull_tasks, "BATCH", 5)
    monkeypatch.setattr(listing, "PAGE", 5)


EACH_ONCE = Counter(f"f{number:02}" for number in range(FIGURES))
WORK = annotation_payload(an_annotation())


@pytest.mark.parametrize("killed_after", [7, pytest.param(1, marks=pytest.mark.soak)])
def test_a_push_that_is_killed_leaves_nothing_twice_and_nothing_out(
    studio: OwnStudio, home: Home, store: Store, killed_after: int
) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from annotator.label_studio.client import LabelStudioServer\n"
        "from annotator.sync import push_tasks; push_tasks.BATCH = 5\n"
        "from annotator.campaign.home import Home; from annotator.sync.push import push\n"
        "home = Home.find(Path(sys.argv[1]))\n"
        "list(push(home, home.open_store(), LabelStudioServer(*sys.argv[2:])))\n"
    )
    with studio.server() as server:
        before = {project.id for project in server.projects()}
        running = studio.running
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(home.path), running.url, running.token],
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        )

        def so_far() -> int:
            new = [project.id for project in server.projects() if project.id not in before]
            return server.count(new[0]).tasks if new else 0

        until(lambda: so_far() >= killed_after or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait()
        step = pushed(home, store, server)
        assert sources(server, step.project_id) == EACH_ONCE
        assert (again := pushed(home, store, server)).project_id == step.project_id
        assert (again.added, again.unchanged) == (0, FIGURES)
        assert len({project.id for project in server.projects()} - before) == 1


def test_a_server_killed_in_the_middle_of_a_push_and_of_a_pull_loses_nothing(
    studio: OwnStudio, home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with studio.server() as server:
        arrived = 0
        real = server.import_tasks

        def killing(project: int, some: Any) -> Any:
            nonlocal arrived
            arrived += 1
            if arrived != 2:
                return real(project, some)
            killer = threading.Timer(0.03, studio.kill)
            killer.start()
            try:
                return real(project, some)
            finally:
                killer.join()  # Where the server was done before, it is gone at the next request.

        monkeypatch.setattr(server, "import_tasks", killing)
        with pytest.raises(SyncError):
            pushed(home, store, server)
        studio.stop()
    with studio.server() as server:
        step = pushed(home, store, server)
        assert sources(server, step.project_id) == EACH_ONCE
        assert len([each for each in server.projects() if each.id == step.project_id]) == 1
        for task in server.tasks(step.project_id):
            server.add_annotation(task["id"], WORK)
        pages = 0
        ask = server._list

        def dying(params: Any) -> Any:
            nonlocal pages
            pages += "fields" in params
            if pages == 3:
                studio.kill()
            return ask(params)

        monkeypatch.setattr(server, "_list", dying)
        with pytest.raises(SyncError):
            pulled(home, store, server)
        studio.stop()
    with store.read() as tx:
        assert 0 < (half := tx.annotations.count()) < FIGURES
    with studio.server() as server:
        step = pulled(home, store, server)
        assert (step.added, step.read, step.open, step.problems) == (FIGURES - half, FIGURES - half, 0, [])
        assert pulled(home, store, server).read == 0
    with store.read() as tx:
        assert tx.annotations.count() == FIGURES


def test_a_token_that_is_revoked_stops_in_one_line_and_the_next_one_goes_on(
    studio: OwnStudio, home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with studio.server() as lead:
        lead.ensure_account(EMAIL, PASSWORD)
        token = studio.token_of(EMAIL)
        studio.write("UPDATE htx_user SET is_superuser = 1 WHERE email = ?", EMAIL)  # only those may push
        with studio.server(token) as server:
            real, count = server.import_tasks, 0

            def revoking(project: int, some: Any) -> Any:
                nonlocal count
                count += 1
                if count == 3:
                    studio.ask("POST", "/api/current-user/reset-token", token)
                return real(project, some)

            monkeypatch.setattr(server, "import_tasks", revoking)
            with pytest.raises(TokenRefused, match="refused the token while adding tasks") as told:
                pushed(home, store, server)
            assert "\n" not in str(told.value)
        step = pushed(home, store, lead)
        assert step.added == FIGURES - 10
        assert sources(lead, step.project_id) == EACH_ONCE


def test_what_annotators_do_to_their_tasks_comes_in_as_it_happened(
    studio: OwnStudio, home: Home, store: Store
) -> None:
    with studio.server() as server:
        account = server.ensure_account("two@example.org", PASSWORD)
        token = studio.token_of("two@example.org")
        with store.transaction() as tx:
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), account.email))
        project = pushed(home, store, server).project_id
        task = {source: each["id"] for source, each in tasks(server, project).items()}
        with studio.server(token) as theirs:
            first = theirs.add_annotation(task["f00"], WORK)
            theirs.add_annotation(task["f01"], WORK)
            later = annotation_payload(an_annotation(subfigures=(a_subfigure("C"),)))
            theirs.add_annotation(task["f01"], later)
            theirs.add_annotation(task["f02"], {"result": [], "was_cancelled": True})
            studio.ask("POST", f"/api/tasks/{task['f03']}/drafts", token, json={"result": [], "lead_time": 1})
        step = pulled(home, store, server)
        assert (step.added, step.open, step.started) == (3, FIGURES - 3, 1)
        assert "1 more annotation(s) of the task are passed over" in step.findings[0]
        with store.read() as tx:
            found = {each.figure.id: each for each in tx.annotations.all()}
        assert [each.label for each in found["f01"].subfigures] == ["C"]
        assert found["f02"].status is Status.IGNORED
        # Submitted work that is opened again, and work that is deleted: one by one, and all at once.
        studio.ask("PATCH", f"/api/annotations/{first}/", token, json={"result": WORK["result"][:1]})
        step = pulled(home, store, server)
        assert (step.read, step.added) == (1, 1)
        with store.read() as tx:
            assert [len(each.subfigures) for each in tx.annotations.history("f00", "ann1", "1")] == [2, 1]
        studio.ask("DELETE", f"/api/annotations/{first}/")
        studio.ask(
            "POST",
            f"/api/dm/actions?id=delete_tasks_annotations&project={project}",
            json={"selectedItems": {"all": False, "included": [task["f01"]]}},
        )
        step = pulled(home, store, server)
        assert (step.added, step.read) == (0, 2)
        assert sorted(step.findings) == [
            'figure "f00", annotator "ann1": 1 annotation deleted in Label Studio; what was pulled is kept',
            'figure "f01", annotator "ann1": 2 annotations deleted in Label Studio; what was pulled is kept',
        ]


def test_a_draft_of_an_annotator_keeps_its_task_from_a_new_model(
    studio: OwnStudio, home: Home, store: Store
) -> None:
    def predict(model: str, count: int) -> None:
        with store.transaction() as tx:
            for name in ("f00", "f01", "f02"):
                figure = tx.figures.get(name)
                parts = an_annotation(figure).subfigures[:count]
                tx.predictions.put(Prediction(figure, model, parts, (0.5,) * count))

    predict("m1", 1)
    with studio.server() as server:
        server.ensure_account("three@example.org", PASSWORD)
        token = studio.token_of("three@example.org")
        with store.transaction() as tx:
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), "three@example.org"))
        step = pushed(home, store, server)
        assert step.seeded == 3
        pulled(home, store, server)
        with store.read() as tx:
            assert all(link.pushed for link in tx.links.all()), "what was sent is known again as it comes back"
        task = {source: each["id"] for source, each in tasks(server, step.project_id).items()}
        studio.ask("POST", f"/api/tasks/{task['f00']}/drafts", token, json={"result": [], "lead_time": 1})
        server.add_annotation(task["f01"], WORK)
        predict("m2", 2)
        step = pushed(home, store, server)
        assert (step.added, step.seeded, step.unchanged) == (0, 1, FIGURES - 1)
        there = tasks(server, step.project_id)
        assert {each: there[each]["data"][names.DATA_SEED] for each in ("f00", "f01", "f02")} == {
            "f00": "m1",
            "f01": "m1",
            "f02": "m2",
        }
        assert [len(there[each]["predictions"]) for each in ("f00", "f01", "f02")] == [1, 1, 1]
        assert len(there["f02"]["predictions"][0]["result"]) > len(there["f00"]["predictions"][0]["result"])


def test_what_is_changed_by_hand_is_told_and_mended(studio: OwnStudio, home: Home, store: Store) -> None:
    with studio.server() as server:
        project = pushed(home, store, server).project_id
        ours = next(each.config for each in server.projects() if each.id == project)
        task = tasks(server, project)["f04"]["id"]
        server.set_config(project, ours.replace('name="subfig"', 'name="boxes"'))
        drawn = [dict(region, from_name="boxes") for region in WORK["result"][:1]]
        made = server.add_annotation(task, {"result": drawn})
        edited, left = pulled(home, store, server).problems
        assert 'lacks RectangleLabels "subfig" of "figure"' in edited
        assert 'a region of control "boxes" is left out' in left
        # The server keeps a config that work was done with.
        [refused] = pushed(home, store, server).problems
        assert "cannot be put back, so nothing is pushed" in refused
        studio.ask("DELETE", f"/api/annotations/{made}/")
        step = pushed(home, store, server)
        assert ("was put back" in step.notes[0], step.problems) == (True, [])
        assert next(each.config for each in server.projects() if each.id == project) == ours
        server.delete_task(task)
        step = pushed(home, store, server)
        assert step.notes == ['project "ann1 · phase 1": 1 task deleted in Label Studio: f04']
        assert (step.added, sources(server, project)) == (1, EACH_ONCE)
        server.delete_project(project)
        [gone] = pulled(home, store, server).problems
        assert f"project {project} is gone" in gone
        step = pushed(home, store, server)
        assert (step.added, step.project_id != project) == (FIGURES, True)


def test_times_of_the_server_need_not_agree_with_ours_nor_go_on(
    studio: OwnStudio, home: Home, store: Store
) -> None:
    with studio.server() as server:
        project = pushed(home, store, server).project_id
        task = {source: each["id"] for source, each in tasks(server, project).items()}
        # All that was done so far happened in a year to come, by the server's clock.
        studio.write("UPDATE task SET updated_at = '2031-01-01 00:00:00' WHERE project_id = ?", project)
        server.add_annotation(task["f05"], WORK)
        assert pulled(home, store, server).added == 1
        assert pulled(home, store, server).read == 0
        server.add_annotation(task["f06"], WORK)
        assert pulled(home, store, server).added == 1
        assert pulled(home, store, server).read == 0


def test_captions_of_any_script_survive_the_round_trip_exactly(
    studio: OwnStudio, home: Home, store: Store
) -> None:
    caption = (
        "(A) 左肺の断面図。 (B) cafe\u0301 e\u0323\u0301 n\u0303o,\n\n (C) 👩\u200d🔬 🫁 spans;\t"
        "(D) \u202bתמונה של הלב\u202c و القلب. (E) x\u00a0<b>&amp;</b> \\n \u2028 end\r\nlast"
    )
    figure = a_figure("scripts", caption=caption)
    tokens = figure.caption.tokens
    parts = tuple(
        a_subfigure(label, box=(10, 10 + 50 * place, 60, 50 + 50 * place), tokens=chosen)
        for place, (label, chosen) in enumerate(
            zip("ABC", (range(0, len(tokens), 2), range(3, len(tokens) - 2), [len(tokens) - 1]), strict=True)
        )
    )
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.tasks.add([Task("scripts", "ann1", "1")])
    with studio.server() as server:
        project = pushed(home, store, server).project_id
        task = tasks(server, project)["scripts"]
        assert task["data"][names.DATA_CAPTION] == caption
        server.add_annotation(task["id"], annotation_payload(an_annotation(figure, subfigures=parts)))
        step = pulled(home, store, server)
        assert (step.added, step.problems, step.findings) == (1, [], [])
    with store.read() as tx:
        [back] = tx.annotations.all(figure="scripts")
    assert {each.label: each.subcaption for each in back.subfigures} == {
        each.label: each.subcaption for each in parts
    }
    assert back.figure.caption == figure.caption


def test_locked_regions_are_looked_at_again(studio: OwnStudio, home: Home, store: Store) -> None:
    with studio.server() as server:
        project = pushed(home, store, server).project_id
        task = tasks(server, project)["f07"]["id"]
        given = annotation_payload(an_annotation(a_figure("f07")))["result"][:2]
        locked = [dict(region, readonly=True) for region in given]
        payload = prediction_payload(Prediction(a_figure("f07"), "given", (a_subfigure(),), (1.0,)))
        server.add_prediction(task, payload | {"result": locked})
        moved = copy.deepcopy(WORK["result"])
        moved[1]["value"]["width"] -= 2
        made = server.add_annotation(task, {"result": moved})
        [problem] = pulled(home, store, server).problems
        assert 'the locked region "B" was changed' in problem
        studio.ask("PATCH", f"/api/annotations/{made}/", json={"result": WORK["result"]})
        assert pulled(home, store, server).added == 1


def test_a_webhook_wakes_the_watch_and_polling_finds_what_it_did_not_tell(
    studio: OwnStudio, home: Home, store: Store
) -> None:
    with studio.server() as server, Receiver(0) as receiver:
        rounds = watch(home, store, server, Options(), every=60, receiver=receiver)
        assert next(rounds).pushed[0].added == FIGURES
        with store.read() as tx:
            [link] = tx.links.projects()
        task = {source: each["id"] for source, each in tasks(server, link.project_id).items()}
        server.add_annotation(task["f08"], WORK)
        heard = next(rounds)
        assert (heard.added, [step.project_id for step in heard.pulled]) == (1, [link.project_id])
        assert server.stop_calls(receiver.base) == 1
        server.add_annotation(task["f09"], WORK)
        receiver._projects.add(link.project_id)
        assert next(rounds).added == 1
