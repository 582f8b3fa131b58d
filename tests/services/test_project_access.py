"""The file that tells our Label Studio whose a project is, as push and pull write it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from services.pushed_and_pulled import pulled, pushed

from annotator.campaign.home import Home
from annotator.cli.campaign.demo import is_for_accounts
from annotator.label_studio.embedded.server import access_file
from annotator.label_studio.isolation.rules import FILE_VARIABLE, parse_access
from annotator.store.store import Store
from annotator.sync.project_access import publish_access
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(lungs: Home) -> Home:
    return lungs


@pytest.fixture
def store(given_out: Store) -> Store:
    with given_out.transaction() as tx:
        for name in ("ann1", "ann2"):
            tx.people.put(Person(name, frozenset({Role.ANNOTATOR}), f"{name}@lab.org"))
    return given_out


@pytest.fixture
def server(server: FakeServer) -> FakeServer:
    server.isolated = True
    return server


def projects_of(home: Home, email: str) -> tuple[int, ...]:
    return parse_access(access_file(home.path).read_text()).of(email)


def test_after_a_push_each_project_is_its_annotators(home: Home, store: Store, server: FakeServer) -> None:
    steps = pushed(home, store, server)
    for name, step in steps.items():
        assert projects_of(home, f"{name}@lab.org") == (step.project_id,)
        assert step.notes == []


def test_somebody_who_left_reaches_nothing_after_the_next_pull(
    home: Home, store: Store, server: FakeServer
) -> None:
    pushed(home, store, server)
    with store.transaction() as tx:
        person = tx.people.get("ann1")
        assert person is not None
        tx.people.put(replace(person, active=False))
    pulled(home, store, server)
    assert projects_of(home, "ann1@lab.org") == ()
    assert len(projects_of(home, "ann2@lab.org")) == 1


def test_without_an_e_mail_only_the_lead_reaches_a_project_and_the_push_says_so(
    home: Home, store: Store, server: FakeServer
) -> None:
    with store.transaction() as tx:
        person = tx.people.get("ann1")
        assert person is not None
        tx.people.put(replace(person, email=""))
    steps = pushed(home, store, server)
    (note,) = steps["ann1"].notes
    assert note.startswith('annotator "ann1" has no e-mail, so only the lead can open the project')
    assert is_for_accounts(f"note: {note}")  # the demo, where the lead plays all annotators, does not show it
    assert not is_for_accounts("12:00:00  pulled  guest, phase 1: 1 annotation added")
    assert "annotator user email ann1 ADDRESS" in note
    assert parse_access(access_file(home.path).read_text()).projects[steps["ann1"].project_id or 0] == frozenset()


def test_a_server_that_does_not_keep_annotators_apart_needs_no_e_mails(
    home: Home, given_out: Store, server: FakeServer
) -> None:
    server.isolated = False
    assert [step.notes for step in pushed(home, given_out, server).values()] == [[], []]


def test_projects_of_another_server_are_not_listed(home: Home, store: Store, server: FakeServer) -> None:
    pushed(home, store, server)
    another = FakeServer()
    another.url = "https://another.example.org"
    assert publish_access(home, store, another) == ()
    assert projects_of(home, "ann1@lab.org") == ()


def test_the_environment_may_name_another_place(
    home: Home, store: Store, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "shared" / "projects.json"
    monkeypatch.setenv(FILE_VARIABLE, str(place))
    pushed(home, store, server)
    assert len(parse_access(place.read_text()).projects) == 2
    assert not access_file(home.path).exists()


def test_a_place_that_cannot_be_written_is_an_error_with_its_name(
    home: Home, store: Store, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "file" / "projects.json"))
    with pytest.raises(SyncError, match=r"file/projects\.json: .*annotators cannot open new projects"):
        pushed(home, store, server)
