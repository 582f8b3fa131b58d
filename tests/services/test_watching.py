"""Looking again and again: what is pushed and when, what is waited for, and what ends it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import a_figure, an_annotation
from services.pushed_and_pulled import pushed, task_of

from annotator.annotation_server import TokenRefused
from annotator.campaign.home import COMPLETE_AFTER, Home
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.store import Store
from annotator.sync.watch import THOROUGH_EVERY, Options, Receiver, Round, sync, watch
from panelwise.domain.campaign import Task
from panelwise.domain.errors import StoreError, SyncError
from tests.label_studio.fake import FakeServer

WORK = annotation_payload(an_annotation())
BLIND = '[[phases]]\nname = "2"\nblind = true\ngiven = "gold"\n'


class Time:
    """Seconds that pass while a watch waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waited: list[float] = []
        self.woken: frozenset[int] = frozenset()

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> frozenset[int]:
        self.waited.append(seconds)
        self.now += seconds
        woken, self.woken = self.woken, frozenset()
        return woken


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def rounds(lungs: Home, given_out: Store, server: FakeServer, time: Time) -> Iterator[Round]:
    return watch(lungs, given_out, server, Options(), every=30, clock=time, wait=time.wait)


def queued(store: Store) -> list[tuple[str, int]]:
    with store.read() as tx:
        return [(entry.figure_id, entry.annotators) for entry in tx.queue.page()]


def test_one_look_pulls_and_then_pushes(lungs: Home, given_out: Store, server: FakeServer) -> None:
    first = sync(lungs, given_out, server, Options())
    assert ([step.added for step in first.pushed], first.added) == ([2, 2], 0)
    project = first.pushed[0].project_id
    server.add_annotation(task_of(server, project)["id"], WORK)
    second = sync(lungs, given_out, server, Options())
    assert (second.added, [step.unchanged for step in second.pushed]) == (1, [2, 2])
    assert queued(given_out) == [("f1", 1)]
    assert sync(lungs, given_out, server, Options(pushing=False)).pushed == []


def test_work_that_a_killed_pull_stored_comes_into_the_queue_at_the_first_look(
    rounds: Iterator[Round], given_out: Store
) -> None:
    with given_out.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1"))
    assert queued(given_out) == []  # it was killed before it scored anything
    assert next(rounds).added == 0
    assert queued(given_out) == [("f1", 1)]


def test_it_pushes_when_something_changed_and_else_only_looks(
    rounds: Iterator[Round], given_out: Store, server: FakeServer
) -> None:
    assert [step.added for step in next(rounds).pushed] == [2, 2]
    server.calls.clear()
    quiet = next(rounds)
    assert (quiet.pushed, server.calls, [step.read for step in quiet.pulled]) == ([], [], [2, 2])
    assert [step.read for step in next(rounds).pulled] == [0, 0]
    with given_out.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.tasks.add([Task("f3", "ann1", "1")])
    assert [step.added for step in next(rounds).pushed] == [1, 0]


def test_now_and_then_everything_is_looked_after(rounds: Iterator[Round], server: FakeServer, time: Time) -> None:
    project = next(rounds).pushed[0].project_id
    server.delete_task(task_of(server, project)["id"])
    told = [line for _ in range(2) for line in next(rounds).findings]
    assert "1 task deleted in Label Studio, annotator push makes them again: f1" in told[0]
    assert next(rounds).pushed == []
    time.now += THOROUGH_EVERY
    assert [step.added for step in next(rounds).pushed] == [1, 0]


def test_a_server_that_goes_away_is_asked_ever_more_seldom_and_then_as_before(
    rounds: Iterator[Round], server: FakeServer, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    next(rounds)

    def down() -> None:
        raise SyncError("no server answers")

    with monkeypatch.context() as patch:
        patch.setattr(server, "check", down)
        failed = [next(rounds) for _ in range(4)]
    assert [each.failed for each in failed] == ["no server answers"] * 4
    assert [each.wait for each in failed] == [60, 120, 120, 120]
    again = next(rounds)
    assert (again.failed, again.wait) == ("", 30)


def test_a_token_that_is_refused_ends_it(
    rounds: Iterator[Round], server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    next(rounds)

    def refused() -> None:
        raise TokenRefused("refused the token")

    monkeypatch.setattr(server, "check", refused)
    with pytest.raises(TokenRefused):
        next(rounds)


def test_a_campaign_file_that_cannot_be_read_is_told_and_the_old_one_holds(
    rounds: Iterator[Round], lungs: Home, given_out: Store
) -> None:
    next(rounds)
    file = lungs.path / "campaign.toml"
    valid = file.read_text()
    file.write_text("name = ")
    with given_out.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.tasks.add([Task("f3", "ann1", "2")])
    broken = next(rounds)
    assert "the earlier settings apply until it is corrected; nothing is pushed" in broken.findings[0]
    assert [step.problems for step in broken.pulled] == [[], [], []]
    assert (broken.pushed, broken.wait) == ([], 30)  # phase 2 may be blind: the file cannot say so now
    assert next(rounds).findings == []  # said once
    file.write_text(valid + BLIND)
    changed = next(rounds)
    assert (changed.findings, changed.pushed, changed.wait) == ([], [], COMPLETE_AFTER)
    left_alone(file)
    settled = next(rounds)
    assert ([step.phase for step in settled.pushed], settled.wait) == (["1", "1"], 30)


def test_a_campaign_file_that_names_another_store_ends_it(rounds: Iterator[Round], lungs: Home) -> None:
    next(rounds)
    with (lungs.path / "campaign.toml").open("a") as file:
        file.write('[store]\nurl = "sqlite:///elsewhere.sqlite"\n')
    with pytest.raises(StoreError, match="now names another store; restart this program"):
        next(rounds)


def test_a_campaign_file_that_names_another_server_stops_pulls_and_pushes(
    rounds: Iterator[Round], lungs: Home
) -> None:
    next(rounds)
    file = lungs.path / "campaign.toml"
    valid = file.read_text()
    file.write_text(valid + '[label_studio]\nurl = "https://other.example.org"\n')
    moved = next(rounds)
    assert (moved.pulled, moved.pushed) == ([], [])
    assert moved.failed == (
        "campaign.toml names https://other.example.org now; end this command and start it again"
    )
    file.write_text(valid)
    assert next(rounds).failed == ""


def left_alone(file: Path) -> None:
    """As if the file had last been written long ago."""
    os.utime(file, (0, 0))


def test_a_call_has_its_project_looked_at_only(
    rounds: Iterator[Round], given_out: Store, server: FakeServer, time: Time
) -> None:
    next(rounds)
    with given_out.read() as tx:
        first, second = tx.links.projects()
    time.woken = frozenset({second.project_id})
    assert [step.project_id for step in next(rounds).pulled] == [second.project_id]
    assert [step.project_id for step in next(rounds).pulled] == [first.project_id, second.project_id]


def test_every_project_is_given_a_webhook_once(lungs: Home, given_out: Store, server: FakeServer) -> None:
    receiver = Receiver(0)
    waits = Time()
    rounds = watch(lungs, given_out, server, Options(), every=30, receiver=receiver, wait=waits.wait)
    for _ in range(3):
        next(rounds)
    projects = sorted(project.id for project in server.projects())
    assert sorted(server.hooks.values()) == [(project, receiver.address(project)) for project in projects]
    receiver._server.stop()


def test_webhooks_that_are_refused_are_told_once_and_it_goes_on_looking(
    lungs: Home, given_out: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise SyncError("refused (403): URL resolves to a reserved network address")

    monkeypatch.setattr(server, "call_back", refused)
    receiver = Receiver(0)
    rounds = watch(lungs, given_out, server, Options(), every=30, receiver=receiver, wait=lambda _: frozenset())
    assert "no webhooks, so it is looked at every so often only: refused (403)" in next(rounds).findings[0]
    later = next(rounds)
    assert (later.findings, later.failed) == ([], "")
    receiver._server.stop()


def test_what_came_in_before_a_break_is_in_the_queue(
    lungs: Home, given_out: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = pushed(lungs, given_out, server)
    server.add_annotation(task_of(server, steps["ann1"].project_id)["id"], WORK)
    real = server.whole_changes

    def breaking(project: int, since: str | None) -> object:
        if project == steps["ann2"].project_id:
            raise SyncError("the server went away")
        return real(project, since)

    monkeypatch.setattr(server, "whole_changes", breaking)
    with pytest.raises(SyncError):
        sync(lungs, given_out, server, Options())
    assert queued(given_out) == [("f1", 1)]
