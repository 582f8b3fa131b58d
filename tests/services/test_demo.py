"""The demo's own steps, on one figure and a server in memory: it goes on where it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, an_annotation

from annotator.campaign.home import Home
from annotator.demo import figures
from annotator.queue import ranking
from annotator.store.store import Store
from annotator.sync import push as pushing
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "demo", labels=figures.LABELS)


@pytest.fixture
def server(store: Store, monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """A server for a store with one figure that is assigned to everyone."""
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.predictions.put(a_prediction())
        tx.tasks.add([Task("f1", name, figures.PHASE) for name in (*figures.SIMULATED, figures.NEWCOMER)])
    work = [an_annotation(annotator=name) for name in figures.SIMULATED]
    monkeypatch.setattr(figures, "simulated_work", lambda *_: work)
    return FakeServer()


def submitted(store: Store, server: FakeServer) -> list[int]:
    """How many annotations each annotator's task has on the server."""
    with store.read() as tx:
        links = tx.links.all(phase=figures.PHASE)
    tasks = {task["id"]: task for link in links for task in server.tasks(link.project_id)}
    return [len(tasks[link.task_id]["annotations"]) for link in sorted(links, key=lambda each: each.annotator)]


def queued(store: Store) -> list[tuple[str, int]]:
    with store.read() as tx:
        return [(entry.figure_id, entry.annotators) for entry in tx.queue.page()]


def test_the_simulated_annotators_submit_and_their_work_is_pulled(
    home: Home, store: Store, server: FakeServer
) -> None:
    figures.fill(home, store, server, lambda _: None)
    assert submitted(store, server) == [1, 1, 1, 0]
    assert queued(store) == [("f1", 3)]


def test_a_demo_broken_off_before_it_pulled_does_not_submit_twice(
    home: Home, store: Store, server: FakeServer
) -> None:
    for _ in pushing.push(home, store, server, phase=figures.PHASE):
        pass
    with store.read() as tx:
        [link] = tx.links.all(annotator="ann1", phase=figures.PHASE)
    server.submit(link.task_id, an_annotation(), home.campaign.phase(figures.PHASE))
    figures.fill(home, store, server, lambda _: None)
    assert submitted(store, server) == [1, 1, 1, 0]


def test_a_demo_broken_off_before_it_scored_has_its_queue_when_it_goes_on(
    home: Home, store: Store, server: FakeServer
) -> None:
    with store.transaction() as tx:
        for name in figures.SIMULATED:
            tx.annotations.add(an_annotation(annotator=name))
    figures.fill(home, store, server, lambda _: None)
    assert submitted(store, server) == [0], "only the newcomer has something left to do"
    assert queued(store) == [("f1", 3)]


def test_nothing_new_is_not_scored_again_but_a_pull_that_breaks_off_is(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures.fill(home, store, server, lambda _: None)
    scored: list[object] = []

    def refresh(*given: object, **named: Any) -> None:
        scored.append(given)
        ranking.refresh_disagreement(*given, **named)

    monkeypatch.setattr(figures, "refresh_disagreement", refresh)
    assert figures.pull(home, store, server) == 0
    assert scored == []
    with store.read() as tx:
        [link] = tx.links.all(annotator="ann1", phase=figures.PHASE)
    server.submit(link.task_id, an_annotation(subfigures=()), home.campaign.phase(figures.PHASE))
    changes = server.changes

    def breaking(project_id: int, since: str | None) -> Iterator[object]:
        yield from changes(project_id, since)
        raise SyncError("the server went away")

    monkeypatch.setattr("annotator.sync.pull_tasks.BATCH", 1)
    monkeypatch.setattr(server, "changes", breaking)
    with pytest.raises(SyncError):
        figures.pull(home, store, server)
    assert len(scored) == 1


def test_a_server_that_is_down_costs_no_scoring(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> None:
        raise SyncError("no server answers")

    monkeypatch.setattr(server, "check", down)
    monkeypatch.setattr(figures, "refresh_disagreement", lambda *_, **__: pytest.fail("scored for nothing"))
    with pytest.raises(SyncError):
        figures.pull(home, store, server)
