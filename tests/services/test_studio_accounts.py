"""Annotators' accounts in Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.cli.campaign.user import command
from annotator.store.store import Store
from annotator.sync.project_access import guests
from panelwise.domain.campaign import Role
from panelwise.domain.errors import AnnotatorError
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    """Two annotators, one with an e-mail; one who has left, and a reviewer."""
    with home.open_store() as store:
        for name in ("ada", "ben", "gone"):
            people.add_person(store, name, roles=[Role.ANNOTATOR])
        people.add_person(store, "rev", roles=[Role.REVIEWER], email="rev@example.org")
        people.set_email(store, "ada", "Ada@Example.org")
        people.set_active(store, "gone", active=False)
        yield store


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    server = FakeServer()

    @contextmanager
    def connected(*_: object) -> Iterator[FakeServer]:
        yield server

    monkeypatch.setattr("annotator.cli.campaign.server_options.connected", connected)
    return server


def run(home: Home, *arguments: str) -> tuple[object, Result]:
    done = CliRunner().invoke(command, [*arguments, "--home", str(home.path)], standalone_mode=False)
    return done.return_value, done


def test_annotators_are_told_with_and_without_an_account(store: Store, server: FakeServer) -> None:
    found = guests(store, server)
    assert [(each.name, each.email, each.has_account) for each in found] == [
        ("ada", "Ada@Example.org", False),
        ("ben", "", False),
    ]
    server.ensure_account("ada@example.org", "long-enough-1")
    assert guests(store, server, ["ada"])[0].has_account


def test_accounts_are_made_once_each_with_a_password_of_its_own(store: Store, server: FakeServer) -> None:
    people.set_email(store, "ben", "ben@example.org")
    made = guests(store, server, make=True)
    assert len({each.password for each in made}) == 2
    assert all(each.password is not None and len(each.password) >= 16 for each in made)
    assert {account.email for account in server.accounts()} >= {"ada@example.org", "ben@example.org"}
    assert [each.password for each in guests(store, server, make=True)] == [None, None]


def test_nobody_who_annotates_nothing_here_is_let_in(store: Store, server: FakeServer) -> None:
    for name in ("rev", "gone", "x"):
        with pytest.raises(AnnotatorError, match=f'has no annotator "{name}"'):
            guests(store, server, [name], make=True)
    assert len(server.accounts()) == 1


def test_a_campaign_without_annotators_says_what_comes_first(tmp_path: Path, server: FakeServer) -> None:
    with (
        Home.create(tmp_path / "new").open_store() as store,
        pytest.raises(AnnotatorError, match="annotator assign"),
    ):
        guests(store, server)


def test_the_command_prints_the_sign_up_page_and_who_lacks_an_email(
    home: Home, store: Store, server: FakeServer
) -> None:
    status, done = run(home, "invite")
    assert status == 1
    assert f"sign-up page for annotators without an account: {server.invitation()}" in done.stdout
    assert "annotator user email ben ADDRESS" in done.stderr
    assert run(home, "email", "ben", "ben@example.org")[1].output == "ben: ben@example.org\n"
    status, done = run(home, "invite", "--make")
    assert status == 0
    assert done.stdout.count("created, password: ") == 2
    assert "sign-up page" not in done.stdout
    assert run(home, "invite")[1].stdout.count("has an account") == 2


@pytest.mark.parametrize("address", ["", "ada", "@example.org", "ada@", "a b@example.org", "ada@example.org\n"])
@pytest.mark.slow
def test_what_is_no_address_is_refused(home: Home, store: Store, address: str) -> None:
    assert "is not an e-mail address" in str(run(home, "email", "ada", address)[1].exception)
