"""`annotator push` and `annotator pull`: what they say, and how they end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import a_figure, a_prediction, an_annotation
from click.testing import CliRunner, Result

from annotator.campaign.home import Home
from annotator.cli.campaign.pull import command as pull_command
from annotator.cli.campaign.push import command as push_command
from annotator.label_studio.payload.figures import annotation_payload
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.create(tmp_path / "home", labels=("A", "B"))
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.predictions.put(a_prediction())
        tx.tasks.add([Task("f1", "ann1", "1"), Task("f1", "ann2", "1")])
    return home


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    server = FakeServer()

    @contextmanager
    def connected(*_: object) -> Iterator[FakeServer]:
        yield server

    monkeypatch.setattr("annotator.cli.campaign.server_options.connected", connected)
    return server


def run(command: object, home: Home, *arguments: str) -> tuple[object, Result]:
    """What the command returns (its exit status where it ends well), and what it said."""
    result = CliRunner().invoke(command, ["--home", str(home.path), *arguments], standalone_mode=False)
    return result.return_value, result


@pytest.mark.slow
def test_push_says_where_each_annotators_tasks_are(home: Home, server: FakeServer) -> None:
    status, said = run(push_command, home)
    assert status == 0
    _, second = server.projects()
    assert said.stdout.splitlines() == [
        "ann1, phase 1: 1 task added, 0 unchanged, 1 pre-labelled: http://127.0.0.1:8080/projects/1",
        f"ann2, phase 1: 1 task added, 0 unchanged, 1 pre-labelled: {server.url}/projects/{second.id}",
    ]


def test_push_names_what_is_wrong_with_a_figure_once_and_ends_with_1(home: Home, server: FakeServer) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("bare", image=""))
        tx.tasks.add([Task("bare", "ann1", "1"), Task("bare", "ann2", "1")])
    status, said = run(push_command, home, "--phase", "1")
    assert status == 1
    assert said.stderr.count('figure "bare"') == 1


def test_push_without_prelabels_makes_bare_tasks(home: Home, server: FakeServer) -> None:
    _, said = run(push_command, home, "--no-prelabels", "--annotator", "ann2")
    assert "ann2, phase 1: 1 task added, 0 unchanged, 0 pre-labelled" in said.stdout
    assert "ann1" not in said.stdout


def test_pull_counts_what_came_and_refreshes_the_queue(home: Home, server: FakeServer) -> None:
    run(push_command, home)
    for project in server.projects():
        [task] = server.tasks(project.id)
        server.add_annotation(task["id"], annotation_payload(an_annotation()))
    status, said = run(pull_command, home)
    assert status == 0
    assert said.stdout.splitlines()[0] == "ann1, phase 1: 1 annotation added, 0 unchanged, 0 open"
    with home.open_store() as store, store.read() as tx:
        assert [(entry.figure_id, entry.annotators) for entry in tx.queue.page()] == [("f1", 2)]


def test_what_a_broken_off_pull_brought_in_is_in_the_queue(
    home: Home, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(push_command, home)
    first, second = server.projects()
    [task] = server.tasks(first.id)
    server.add_annotation(task["id"], annotation_payload(an_annotation()))
    changes = server.changes

    def breaking(project_id: int, since: str | None) -> object:
        if project_id == second.id:
            raise SyncError("the server went away")
        return changes(project_id, since)

    monkeypatch.setattr(server, "changes", breaking)
    assert isinstance(run(pull_command, home)[1].exception, SyncError)
    with home.open_store() as store, store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f1"]


@pytest.mark.slow
def test_a_pull_of_nothing_new_still_mends_the_queue(home: Home, server: FakeServer) -> None:
    run(push_command, home)
    with home.open_store() as store, store.transaction() as tx:
        tx.annotations.add(an_annotation())  # as a pull that was killed leaves it
    run(pull_command, home)
    with home.open_store() as store, store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f1"]


def test_pull_names_what_it_left_out_and_ends_with_1(home: Home, server: FakeServer) -> None:
    run(push_command, home)
    [task] = server.tasks(server.projects()[0].id)
    server.add_annotation(task["id"], {"result": annotation_payload(an_annotation())["result"][1:]})
    status, said = run(pull_command, home, "--annotator", "ann1")
    assert status == 1
    assert 'figure "f1", annotator "ann1": label "A" has' in said.stderr


def test_nothing_assigned_is_told_before_a_server_is_started(tmp_path: Path) -> None:
    for command in (push_command, pull_command):
        _, said = run(command, Home.create(tmp_path / "empty"))
        assert isinstance(said.exception, SyncError)
        assert "run annotator assign" in str(said.exception)


def test_a_server_elsewhere_needs_its_token(home: Home) -> None:
    _, said = run(push_command, home, "--url", "http://127.0.0.1:1")
    assert "no token" in str(said.exception)
    assert str(said.exception).endswith("or give a command --token")


def test_a_token_without_an_address_is_refused(home: Home) -> None:
    _, said = run(push_command, home, "--token", "t" * 40)
    assert "add --url" in str(said.exception)


@pytest.mark.slow
def test_a_server_that_is_down_is_told(home: Home) -> None:
    _, said = run(pull_command, home, "--url", "http://127.0.0.1:1", "--token", "t" * 40)
    assert "no server answers" in str(said.exception)
