"""Tasks of figures whose caption or image was replaced: nothing lost, nothing put on the wrong caption."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from annotator.campaign.home import Home
from annotator.dashboards.status import campaign_progress
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.rows.records import Revisions
from annotator.store.store import Store
from annotator.sync.projects import source_of
from annotator.sync.pull import pull
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push import Pushed, push
from label_config import names
from panelwise.domain.campaign import Task
from panelwise.domain.figure import Figure
from tests.label_studio.fake import FakeServer

OLD = a_figure()
NEW_CAPTION = "Fig 1: (A) the left lung. (B) the right one."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", name="lungs", labels=("A", "B", "C"))


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(OLD)
            tx.figures.add(a_figure("f2"))
            tx.predictions.put(a_prediction(OLD))
            tx.tasks.add([Task(figure, "ann1", "1") for figure in ("f1", "f2")])
        yield store


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


def pushed(home: Home, store: Store, server: FakeServer) -> Pushed:
    [step] = push(home, store, server)
    return step


def pulled(home: Home, store: Store, server: FakeServer) -> PulledProject:
    [step] = pull(home, store, server)
    return step


def by_source(server: FakeServer, project: int) -> dict[str, dict[str, Any]]:
    return {task["data"][names.DATA_SOURCE]: task for task in server.tasks(project)}


def revise(store: Store, **change: Any) -> Figure:
    with store.transaction() as tx:
        return tx.figures.replace(a_figure(**change))


def work_on(figure: Figure) -> dict[str, Any]:
    return annotation_payload(an_annotation(figure, subfigures=(a_subfigure("A", tokens=(4,)),)))


def test_an_untouched_task_becomes_that_of_the_new_revision(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server).project_id
    before = by_source(server, project)["f1"]
    new = revise(store, caption=NEW_CAPTION)
    step = pushed(home, store, server)
    assert (step.added, step.revised, step.unchanged, step.problems) == (0, 1, 1, [])
    tasks = by_source(server, project)
    assert set(tasks) == {"f1@2", "f2"}
    task = tasks["f1@2"]
    assert (task["id"], task["predictions"]) == (before["id"], [])
    assert task["data"] == before["data"] | {
        names.DATA_CAPTION: new.caption.text,
        names.DATA_SOURCE: "f1@2",
        names.DATA_TITLE: "f1 (revision 2)",
        names.DATA_SEED: "",
        names.DATA_LABELS: ["A", "B"],
    }
    server.calls.clear()
    assert pushed(home, store, server).revised == 0
    assert server.calls == []
    server.add_annotation(task["id"], work_on(new))
    assert pulled(home, store, server).added == 1
    with store.read() as tx:
        assert [each.figure for each in tx.annotations.all()] == [new]


@pytest.mark.slow
@pytest.mark.parametrize("draft", [False, True])
def test_a_task_with_work_in_it_stays_and_gets_one_for_the_new_revision_beside_it(
    home: Home, store: Store, server: FakeServer, draft: bool
) -> None:
    project = pushed(home, store, server).project_id
    old_task = by_source(server, project)["f1"]
    if draft:
        server.add_draft(old_task["id"], [])
    else:
        server.add_annotation(old_task["id"], work_on(OLD))
    old_task = by_source(server, project)["f1"]
    new = revise(store, caption=NEW_CAPTION)
    with store.transaction() as tx:
        tx.predictions.put(a_prediction(new, model_version="m2"))
    step = pushed(home, store, server)
    assert (step.added, step.revised, step.seeded, step.problems) == (1, 1, 1, [])
    tasks = by_source(server, project)
    assert tasks["f1"] == old_task
    assert tasks["f1@2"]["data"][names.DATA_SEED] == "m2"
    with store.read() as tx:
        assert {link.figure_id: link.task_id for link in tx.links.all()}["f1"] == tasks["f1@2"]["id"]
    server.calls.clear()
    assert pushed(home, store, server).revised == 0
    assert server.calls == []


def test_what_was_submitted_on_the_old_caption_stays_with_it_however_late_it_comes(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server).project_id
    old_task = by_source(server, project)["f1"]["id"]
    server.add_annotation(old_task, work_on(OLD))
    new = revise(store, caption=NEW_CAPTION)
    step = pulled(home, store, server)
    assert (step.added, step.earlier, step.open, step.problems) == (1, ("f1",), 2, [])
    assert "what was submitted for 1 figure is on an earlier caption or image" in step.findings[0]
    with store.read() as tx:
        assert list(tx.annotations.all()) == []
        assert [each.figure for each in tx.annotations.all(revisions=Revisions.OTHER)] == [OLD]
    assert [(row.done, row.open, row.redo) for row in campaign_progress(store).rows] == [(0, 1, 1)]
    pushed(home, store, server)
    assert pulled(home, store, server).open == 2
    server.add_annotation(by_source(server, project)["f1@2"]["id"], work_on(new))
    server.add_annotation(old_task, work_on(OLD) | {"was_cancelled": True})
    step = pulled(home, store, server)
    assert (step.added, step.earlier, step.open, step.findings[1:]) == (2, (), 1, [])
    with store.read() as tx:
        assert [each.figure for each in tx.annotations.all()] == [new]
    assert [(row.done, row.open, row.redo) for row in campaign_progress(store).rows] == [(1, 1, 0)]
    again = pulled(home, store, server)
    assert (again.added, again.unchanged, again.problems) == (0, 2, [])


def test_back_at_the_first_caption_the_first_task_counts_again(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server).project_id
    first = by_source(server, project)["f1"]["id"]
    server.add_annotation(first, work_on(OLD))
    new = revise(store, caption=NEW_CAPTION)
    pushed(home, store, server)
    server.add_annotation(by_source(server, project)["f1@2"]["id"], work_on(new))
    assert revise(store).revision == 1
    step = pushed(home, store, server)
    assert (step.added, step.revised, step.problems) == (0, 0, [])
    with store.read() as tx:
        assert {link.figure_id: link.task_id for link in tx.links.all()}["f1"] == first
    back = pulled(home, store, server)
    assert (back.added, back.earlier, back.problems) == (2, (), [])
    with store.read() as tx:
        assert [each.figure.revision for each in tx.annotations.all()] == [1]


def test_a_task_of_a_revision_that_the_store_lacks_is_named(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server).project_id
    task = by_source(server, project)["f1"]
    server.set_task_data(task["id"], task["data"] | {names.DATA_SOURCE: "f1@7"})
    server.add_annotation(task["id"], work_on(OLD))
    assert 'is of revision 7 of figure "f1", which is not in the store' in pulled(home, store, server).problems[0]


def test_ids_that_end_like_a_revision_are_told_apart(home: Home, store: Store, server: FakeServer) -> None:
    odd = a_figure("f1@2")
    with store.transaction() as tx:
        tx.figures.add(odd)
        tx.tasks.add([Task("f1@2", "ann1", "1")])
    revise(store, caption=NEW_CAPTION)
    project = pushed(home, store, server).project_id
    assert set(by_source(server, project)) == {"f1@2", "f2", "f1@2@1"}
    server.add_annotation(by_source(server, project)["f1@2@1"]["id"], work_on(odd))
    assert pulled(home, store, server).problems == []
    with store.read() as tx:
        assert [each.figure for each in tx.annotations.all()] == [odd]


def test_tasks_pushed_before_revisions_were_told_are_known_by_their_id() -> None:
    assert source_of("plot@2", {"plot@2"}) == ("plot@2", 1)
    assert source_of("plot@2", {"plot@2", "plot"}) == ("plot", 2)
    assert source_of("plot@2", set()) == ("plot", 2)


@given(st.text(min_size=1) | st.from_regex(r"[a@1]{1,6}", fullmatch=True), st.integers(1, 999))
def test_a_tasks_source_tells_figure_and_revision(figure_id: str, revision: int) -> None:
    assert names.figure_of_source(names.task_source(figure_id, revision)) == (figure_id, revision)
