"""`annotator sync`: what it says once, and while it watches."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from builders import a_figure, a_prediction, an_annotation
from click.testing import CliRunner, Result

from annotator.campaign.home import Home
from annotator.cli.campaign.sync import command
from annotator.cli.campaign.sync_lines import Watched
from annotator.label_studio.payload.figures import annotation_payload
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push_tasks import Pushed
from annotator.sync.watch import Round
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

NOON = datetime(2026, 11, 21, 12, 0, 5)


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


def run(home: Home, *arguments: str) -> tuple[object, Result]:
    result = CliRunner().invoke(command, ["--home", str(home.path), *arguments], standalone_mode=False)
    return result.return_value, result


def test_it_tells_what_came_and_what_went(home: Home, server: FakeServer) -> None:
    assert run(home)[0] == 0
    first = server.projects()[0]
    [task] = server.tasks(first.id)
    server.add_annotation(task["id"], annotation_payload(an_annotation()))
    status, said = run(home)
    assert status == 0
    assert said.stdout.splitlines()[:2] == [
        "pulled  ann1, phase 1: 1 annotation added, 0 unchanged, 0 open",
        "pulled  ann2, phase 1: 0 annotations added, 0 unchanged, 1 open",
    ]
    assert "pushed  ann1, phase 1: 0 tasks added, 1 unchanged, 0 pre-labelled" in said.stdout
    with home.open_store() as store, store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f1"]


def test_a_first_run_tells_of_missing_projects_and_makes_them(home: Home, server: FakeServer) -> None:
    _, said = run(home, "--annotator", "ann1")
    (warning,) = said.stderr.splitlines()
    assert warning.startswith(f"warning: annotators can see each other's work: {server.url} lets every account")
    assert said.stdout.splitlines()[0].startswith("pushed  ann1, phase 1: 1 task added")
    assert len(server.projects()) == 1


def test_what_needs_somebody_ends_with_1_and_is_told_once(home: Home, server: FakeServer) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("bare", image=""))
        tx.tasks.add([Task("bare", "ann1", "1"), Task("bare", "ann2", "1")])
    status, said = run(home)
    assert (status, said.stderr.count('figure "bare"')) == (1, 1)


def test_pull_only_pushes_nothing(home: Home, server: FakeServer) -> None:
    status, said = run(home, "--pull-only")
    assert (status, "run annotator push" in said.stderr) == (1, True)
    assert server.projects() == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--webhook-port", "0"], "--webhook-port needs --watch"),
        (["--watch", "--webhook-url", "http://x"], "--webhook-url needs --webhook-port"),
        (["--watch", "--all"], "--all can't be combined with --watch"),
    ],
)
def test_options_that_make_no_sense_together_are_refused(home: Home, given: list[str], words: str) -> None:
    assert words in str(run(home, *given)[1].exception)


def test_nothing_assigned_is_told_before_a_server_is_started(tmp_path: Path) -> None:
    _, said = run(Home.create(tmp_path / "empty"))
    assert isinstance(said.exception, SyncError)


def test_a_watch_ends_with_ctrl_c_and_takes_its_webhooks_along(
    home: Home, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.sync.watch import Receiver

    waits: list[dict[int, tuple[int, str]]] = []

    def interrupted(*_: object) -> None:
        waits.append(dict(server.hooks))
        raise KeyboardInterrupt

    monkeypatch.setattr(Receiver, "wait", interrupted)
    status, said = run(home, "--watch", "--webhook-port", "0", "--every", "5")
    assert status == 0
    assert len(waits[0]) == 2
    assert server.hooks == {}
    assert "pushed  ann1, phase 1: 1 task added" in said.stderr


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def a_round(**step: object) -> Round:
    pulled = [PulledProject("ann1", "1", 3, **step), PulledProject("ann2", "1", 4)]
    return Round(pulled=pulled, wait=30)


def test_a_terminal_shows_one_line_that_is_written_over() -> None:
    screen = Screen()
    watched = Watched(screen)
    watched.show(a_round(open=7, started=2), NOON)
    watched.show(a_round(open=7), NOON)
    watched.end()
    assert screen.getvalue() == (
        "\r\x1b[K12:00:05  in sync: 7 open (2 started); next poll in 30 s"
        "\r\x1b[K12:00:05  in sync: 7 open; next poll in 30 s\n"
    )


def test_a_file_gets_only_what_is_new_and_each_line_once() -> None:
    out = io.StringIO()
    watched = Watched(out)
    bad = a_round(added=1, problems=["figure f1: a box without a label"])
    bad.pushed.append(Pushed("ann1", "1", 3, "t", "u", added=4))
    for _ in range(2):
        watched.show(bad, NOON)
    watched.show(a_round(), NOON)
    watched.show(a_round(problems=["figure f1: a box without a label"]), NOON)
    watched.end()
    assert out.getvalue().splitlines() == [
        "figure f1: a box without a label",
        "12:00:05  pulled  ann1, phase 1: 1 annotation added, 0 unchanged, 0 open",
        "12:00:05  pushed  ann1, phase 1: 4 tasks added, 0 unchanged, 0 pre-labelled: u",
        "12:00:05  in sync: 0 open",
        "12:00:05  pulled  ann1, phase 1: 1 annotation added, 0 unchanged, 0 open",
        "12:00:05  pushed  ann1, phase 1: 4 tasks added, 0 unchanged, 0 pre-labelled: u",
        "figure f1: a box without a label",
    ]


def test_a_server_that_is_away_is_told_when_it_goes_and_when_it_is_back() -> None:
    out = io.StringIO()
    watched = Watched(out)
    for _ in range(3):
        watched.show(Round(failed="no server answers", wait=60), NOON)
    watched.show(a_round(), NOON)
    assert out.getvalue().splitlines() == ["12:00:05  no server answers; trying again", "12:00:05  reconnected"]
