"""Pulling work: nothing twice, nothing lost, and what cannot be taken is named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import an_annotation
from services.pushed_and_pulled import EMPTY, pulled, pushed, task_of

from annotator.campaign.home import Home
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.store import Store
from label_config import names
from panelwise.domain.annotation import Status, Subfigure
from panelwise.domain.box import Box
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(lungs: Home) -> Home:
    return lungs


@pytest.fixture
def store(given_out: Store) -> Store:
    return given_out


def test_a_project_deleted_by_hand_is_told_and_made_anew(home: Home, store: Store, server: FakeServer) -> None:
    first = pushed(home, store, server)["ann1"].project_id
    server.delete_project(first)
    steps = pulled(home, store, server)
    assert f"project {first} is gone" in steps["ann1"].problems[0]
    assert steps["ann2"].problems == []
    assert pushed(home, store, server)["ann1"].added == 2
    with store.read() as tx:
        assert {link.project_id for link in tx.links.all(annotator="ann1")} != {first}
    assert pulled(home, store, server)["ann1"].problems == []


def test_a_foreign_project_under_a_known_id_is_not_taken(home: Home, store: Store, server: FakeServer) -> None:
    step = pushed(home, store, server)["ann1"]
    server.delete_project(step.project_id)
    server._last = step.project_id - 1
    server.create_project("someone else's", "nothing of ours", "<View/>")
    assert pulled(home, store, server)["ann1"].project_id is None


def test_submitted_work_comes_back_as_it_was_sent(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    task = task_of(server, project)
    sent = an_annotation(seconds=31.0)
    seed = task["predictions"][0]["id"]
    made = server.add_annotation(task["id"], annotation_payload(sent) | {"parent_prediction": seed})
    step = pulled(home, store, server)["ann1"]
    assert (step.added, step.unchanged, step.open, step.problems, step.findings) == (1, 0, 1, [], [])
    with store.read() as tx:
        [back] = tx.annotations.all()
    assert (back.annotator, back.phase, back.status, back.seconds) == ("ann1", "1", Status.ACCEPTED, 31.0)
    assert back.seeded_by == "classic-1"
    assert [(each.label, each.subcaption) for each in back.subfigures] == [
        (each.label, each.subcaption) for each in sent.subfigures
    ]
    for ours, theirs in zip(sent.subfigures, back.subfigures, strict=True):
        assert theirs.box.as_list() == pytest.approx(ours.box.as_list(), abs=1e-3)
    assert made


def test_pulling_twice_adds_nothing(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    server.add_annotation(task_of(server, project)["id"], annotation_payload(an_annotation()))
    assert pulled(home, store, server)["ann1"].added == 1
    again = pulled(home, store, server)["ann1"]
    assert (again.added, again.unchanged) == (0, 1)


def test_an_empty_caption_is_pushed_and_pulled(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    work = an_annotation(EMPTY, subfigures=(Subfigure("A", Box(0, 0, 10, 10)),))
    server.add_annotation(task_of(server, project, "f2")["id"], annotation_payload(work))
    assert pulled(home, store, server)["ann1"].added == 1


def test_the_annotators_own_work_counts_before_anothers(home: Home, store: Store, server: FakeServer) -> None:
    own = server.ensure_account("ann1@example.org", "long-enough-1")
    project = pushed(home, store, server)["ann1"].project_id
    task = task_of(server, project)["id"]
    mine = an_annotation(subfigures=(Subfigure("A", Box(0, 0, 9, 9)),))
    server.add_annotation(task, annotation_payload(mine) | {"completed_by": own.id})
    server.add_annotation(task, annotation_payload(an_annotation()))
    step = pulled(home, store, server)["ann1"]
    assert "1 more annotation(s)" in step.findings[0]
    with store.read() as tx:
        assert [len(each.subfigures) for each in tx.annotations.all()] == [1]


def test_what_another_account_submitted_is_not_the_annotators(
    home: Home, store: Store, server: FakeServer
) -> None:
    own = server.ensure_account("ann1@example.org", "long-enough-1")
    project = pushed(home, store, server)["ann1"].project_id
    task = task_of(server, project)["id"]
    server.add_annotation(task, annotation_payload(an_annotation()))
    step = pulled(home, store, server)["ann1"]
    assert (step.added, step.open, step.problems) == (0, 2, [])
    [finding] = step.findings
    assert finding == (
        'figure "f1", annotator "ann1": submitted by lead@panelwise.local only, so it counts as open; '
        "ann1@example.org is the annotator's account"
    )
    server.add_annotation(task, annotation_payload(an_annotation()) | {"completed_by": own.id})
    assert pulled(home, store, server)["ann1"].added == 1


def test_without_an_account_of_their_own_the_leads_work_is_the_annotators(
    home: Home, store: Store, server: FakeServer
) -> None:
    other = server.ensure_account("other@example.org", "long-enough-1")
    project = pushed(home, store, server)["ann2"].project_id
    task = task_of(server, project)["id"]
    server.add_annotation(task, annotation_payload(an_annotation()))
    step = pulled(home, store, server)["ann2"]
    assert (step.added, step.findings) == (1, [])
    server.add_annotation(task, annotation_payload(an_annotation(seconds=3.0)) | {"completed_by": other.id})
    latest = an_annotation(subfigures=(Subfigure("A", Box(0, 0, 9, 9)),))
    server.add_annotation(task, annotation_payload(latest) | {"completed_by": None})
    step = pulled(home, store, server)["ann2"]
    assert step.added == 1
    assert (
        "submitted by several accounts (lead@panelwise.local, other@example.org, an account that is gone), "
        "the latest counts"
    ) in step.findings[0]
    assert "2 more annotation(s)" in step.findings[1]


def test_work_that_another_account_changed_last_is_named(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    task = task_of(server, project)["id"]
    mine, other = (server.ensure_account(f"{name}@example.org", "a-password") for name in ("ann1", "other"))
    with store.transaction() as tx:
        person = tx.people.get("ann1")
        assert person is not None
        tx.people.put(replace(person, email="ann1@example.org"))
    service = server.check().id
    made = server.add_annotation(
        task, annotation_payload(an_annotation()) | {"completed_by": {"id": mine.id}, "updated_by": mine.id}
    )
    assert pulled(home, store, server)["ann1"].findings == []
    for account, named in ((None, []), (service, []), (other.id, ["other@example.org"]), (99, ["account 99"])):
        server.edit_annotation(task, made, updated_by=account)
        findings = pulled(home, store, server)["ann1"].findings
        assert [
            f'figure "f1", annotator "ann1": submitted by ann1@example.org, but last changed by {each}; '
            "if that is not the annotator's work, delete it in Label Studio and send the figure back"
            for each in named
        ] == findings


def test_a_box_without_area_costs_itself_only(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    work = annotation_payload(an_annotation())
    work["result"][1]["value"]["width"] = 0
    server.add_annotation(task_of(server, project)["id"], work)
    step = pulled(home, store, server)["ann1"]
    assert step.added == 1
    assert "has no area, so it is left out (labels: B)" in step.problems[0]


def test_a_bad_annotation_is_named_and_the_good_ones_are_kept(
    home: Home, store: Store, server: FakeServer
) -> None:
    steps = pushed(home, store, server)
    rotated = annotation_payload(an_annotation())
    for box in rotated["result"][:2]:
        box["value"]["rotation"] = 30
    server.add_annotation(task_of(server, steps["ann1"].project_id)["id"], rotated)
    server.add_annotation(task_of(server, steps["ann2"].project_id)["id"], annotation_payload(an_annotation()))
    back = pulled(home, store, server)
    assert back["ann1"].added == 0
    assert (
        'figure "f1", annotator "ann1": left out, since none of it could be read: a rotated box'
        in (back["ann1"].problems[0])
    )
    assert back["ann2"].added == 1


def test_a_span_without_a_box_is_named_and_the_rest_is_kept(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    work = annotation_payload(an_annotation())
    work["result"] = [region for region in work["result"] if region["id"] != "box1"]
    server.add_annotation(task_of(server, project)["id"], work)
    step = pulled(home, store, server)["ann1"]
    assert step.added == 1
    assert 'figure "f1", annotator "ann1": label "B" has' in step.problems[0]


def test_a_skipped_task_comes_back_as_ignored(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    server.add_annotation(task_of(server, project)["id"], {"result": [], "was_cancelled": True})
    pulled(home, store, server)
    with store.read() as tx:
        assert [each.status for each in tx.annotations.all()] == [Status.IGNORED]


def test_a_task_of_an_unknown_figure_is_named(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    task = task_of(server, project)
    server.set_task_data(task["id"], task["data"] | {names.DATA_SOURCE: "nobody's"})
    server.add_annotation(task["id"], {"result": []})
    assert 'figure "nobody\'s", which is not in the store' in pulled(home, store, server)["ann1"].problems[0]


def test_work_with_too_many_boxes_is_named_with_its_task_and_the_rest_is_pulled(
    home: Home, store: Store, server: FakeServer
) -> None:
    steps = pushed(home, store, server)
    few = Home(home.path, replace(home.settings, campaign=replace(home.campaign, max_boxes=2)))
    crowded = an_annotation(subfigures=(Subfigure("A", Box(0, 0, 9, 9)),) * 3)
    task = task_of(server, steps["ann1"].project_id)["id"]
    made = server.add_annotation(task, annotation_payload(crowded))
    server.add_annotation(task_of(server, steps["ann2"].project_id)["id"], annotation_payload(an_annotation()))
    found = pulled(few, store, server)
    assert found["ann1"].problems == [
        f'task {task}: figure "f1" by "ann1" has 3 boxes, more than the 2 that max_boxes in campaign.toml allows; '
        "remove boxes, or raise the setting"
    ]
    assert (found["ann1"].added, found["ann2"].added, found["ann2"].problems) == (0, 1, [])
    assert made is not None
    assert pulled(home, store, server)["ann1"].added == 1  # read again once the setting allows it
