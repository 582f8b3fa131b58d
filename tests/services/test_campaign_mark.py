"""Whose a project on the server is: found again after a new name, a new port, an edited description."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_figure, an_annotation

from annotator.campaign.home import Home
from annotator.label_studio.embedded.server import data_dir
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store
from annotator.sync import marked_projects as projects
from annotator.sync.pull import pull
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push import Pushed, push
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with home.open_store() as store:
        yield store


def a_home(path: Path) -> Home:
    home = Home.create(path, name="lungs", labels=("A", "B"))
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.tasks.add([Task("f1", "ann1", "1")])
    return home


def renamed(home: Home) -> Home:
    return Home(home.path, replace(home.settings, campaign=replace(home.campaign, name="hearts")))


def pushed(home: Home, store: Store, server: FakeServer) -> Pushed:
    [step] = push(home, store, server)
    return step


def pulled(home: Home, store: Store, server: FakeServer) -> PulledProject:
    [step] = pull(home, store, server)
    return step


def links(store: Store) -> tuple[list[ProjectLink], list[Link]]:
    with store.read() as tx:
        return tx.links.projects(), tx.links.all()


def describe(server: FakeServer, project_id: int, description: str) -> None:
    server._projects[project_id] = replace(server._projects[project_id], description=description)


@contextmanager
def embedded_at(home: Home, url: str) -> Iterator[FakeServer]:
    """The home's own server, as it is known while it runs."""
    state = data_dir(home.path) / "server.json"
    state.parent.mkdir(exist_ok=True)
    state.write_text(json.dumps({"pid": 1, "url": url}))
    yield FakeServer()
    state.unlink()


def test_a_renamed_campaign_keeps_its_projects_work_and_links(
    home: Home, store: Store, server: FakeServer
) -> None:
    first = pushed(home, store, server)
    [task] = server.tasks(first.project_id)
    server.add_annotation(task["id"], annotation_payload(an_annotation()))
    before = links(store)
    assert pulled(renamed(home), store, server).added == 1
    again = pushed(renamed(home), store, server)
    assert (again.project_id, again.added, again.unchanged) == (first.project_id, 0, 1)
    assert len(server.projects()) == 1
    there, [link] = links(store)
    assert (there, link.task_id, link.pushed) == (before[0], before[1][0].task_id, before[1][0].pushed)


def test_two_homes_of_one_name_have_projects_of_their_own(tmp_path: Path, server: FakeServer) -> None:
    found = set()
    for name in ("one", "two"):
        home = a_home(tmp_path / name)
        with home.open_store() as store:
            step = pushed(home, store, server)
            assert step.added == 1
            found.add(step.project_id)
    assert len(found) == 2


def test_the_mark_is_made_once_and_no_pull_makes_it(home: Home, store: Store, server: FakeServer) -> None:
    assert pulled(home, store, server).project_id is None
    assert server.projects() == ()
    pushed(home, store, server)
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann2", "1")])
    list(push(home, store, server))
    marks = [project.description.split(":")[0] for project in server.projects()]
    assert len(marks) == 2
    assert len(set(marks)) == 1


def test_without_links_projects_are_found_by_the_mark(home: Home, store: Store, server: FakeServer) -> None:
    first = pushed(home, store, server)
    with store.transaction() as tx:
        [known] = tx.links.projects()
        tx.links.delete(known)
    describe(server, first.project_id, server.projects()[0].description + "\nSee the guideline, page 3.")
    assert pushed(home, store, server).project_id == first.project_id
    assert links(store)[0] == [known]


def test_a_new_port_of_the_homes_own_server_orphans_nothing(home: Home, store: Store) -> None:
    with embedded_at(home, "http://127.0.0.1:40001") as server:
        server.url = "http://127.0.0.1:40001"
        first = pushed(home, store, server)
        known, tasks = links(store)
    describe(server, first.project_id, "edited by hand")
    with embedded_at(home, "http://127.0.0.1:40002"):
        server.url = "http://127.0.0.1:40002"
        assert pulled(home, store, server).project_id == first.project_id
        again = pushed(home, store, server)
    assert (again.project_id, again.added) == (first.project_id, 0)
    assert links(store)[0] == [replace(each, server_url=server.url) for each in known]
    assert [link.task_id for link in links(store)[1]] == [link.task_id for link in tasks]


def test_a_project_whose_description_was_edited_is_kept_and_marked_anew(
    home: Home, store: Store, server: FakeServer
) -> None:
    first = pushed(home, store, server)
    marked = server.projects()[0].description
    describe(
        server, first.project_id, 'Panelwise: campaign "old", annotator "ann1". Do not edit this line.\nMine.'
    )
    assert pushed(home, store, server).project_id == first.project_id
    assert server.projects()[0].description == f"Mine.\n{marked}"


def test_a_project_that_bears_another_campaigns_mark_is_not_taken(
    home: Home, store: Store, server: FakeServer
) -> None:
    first = pushed(home, store, server)
    describe(server, first.project_id, projects.mark("0" * 16, "ann1", "1"))
    assert pulled(home, store, server).project_id is None
    assert pushed(home, store, server).project_id != first.project_id


def test_an_unmarked_project_of_a_known_id_on_another_server_is_not_taken(
    home: Home, store: Store, server: FakeServer
) -> None:
    first = pushed(home, store, server)
    other = FakeServer()
    other.url = "https://labels.example.org"
    foreign = other.create_project(first.title, "nothing of ours", "<View/>")
    assert foreign.id == first.project_id
    told = pulled(home, store, other)
    assert told.project_id is None
    assert "no project for annotator" in told.problems[0]
    step = pushed(home, store, other)
    assert step.project_id != foreign.id
    assert {link.project_id for link in links(store)[1]} == {step.project_id}


def test_links_of_a_project_that_is_gone_are_dropped_before_it_is_made_anew(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pushed(home, store, server)
    server.delete_project(first.project_id)
    with monkeypatch.context() as broken:
        broken.setattr(server, "create_project", lambda *_: (_ for _ in ()).throw(SyncError("full")))
        with pytest.raises(SyncError, match="full"):
            pushed(home, store, server)
    assert links(store) == ([], [])
    anew = pushed(home, store, server)
    assert [project.project_id for project in links(store)[0]] == [anew.project_id]
    assert [link.project_id for link in links(store)[1]] == [anew.project_id]


def test_two_projects_under_one_mark_are_not_guessed_between(home: Home, store: Store, server: FakeServer) -> None:
    first = pushed(home, store, server)
    mark = server.projects()[0].description
    server.delete_project(first.project_id)
    for title in ("one", "two"):
        server.create_project(title, mark, "<View/>")
    with pytest.raises(SyncError, match="delete those that hold no work"):
        pushed(home, store, server)
