"""Rights end at once, for good, when a person is disabled, renamed or gets other roles."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from web.asking import PASSWORD, post_login, token_of
from web.conftest import SignIn

from annotator.accounts import invitations, people, sign_in, tokens
from annotator.campaign.home import Home
from annotator.cli.campaign.user import command
from annotator.label_studio.embedded.server import access_file
from annotator.label_studio.isolation.rules import format_access, parse_access
from annotator.operations.rename_person import join, rename
from annotator.store.rows.records import Outcome
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import SyncError

NEW = "several unrelated words"


def run(home: Home, *arguments: str) -> str:
    done = CliRunner().invoke(command, [*arguments, "--home", str(home.path)])
    assert done.exit_code == 0, done.output
    return done.output


# -- links --------------------------------------------------------------------------------------------------------


def test_an_unused_link_does_not_open_the_account_of_a_later_namesake(home: Home, store: Store) -> None:
    people.add_person(store, "kim", roles=[Role.ANNOTATOR])
    link = invitations.invite(home, store, "kim")
    rename(home, store, "kim", "kim.old")
    assert invitations.invited(home, store, link) is None
    people.add_person(store, "kim", roles=[Role.LEAD])
    assert invitations.invited(home, store, link) is None
    assert invitations.accept(home, store, link, NEW, "192.0.2.1") is None
    with store.read() as tx:
        assert tx.people.password_hash("kim") is None
    again = invitations.invite(home, store, "kim")
    accepted = invitations.accept(home, store, again, NEW, "192.0.2.1")
    assert accepted is not None
    assert accepted.roles == {Role.LEAD}


@pytest.mark.parametrize(
    "way", ["renamed there and back", "roles there and back", "disabled and enabled", "joined", "forgotten"]
)
def test_an_unused_link_ends_with_a_change_and_stays_ended(home: Home, store: Store, way: str) -> None:
    people.add_person(store, "kim", roles=[Role.ANNOTATOR])
    link = invitations.invite(home, store, "kim")
    assert invitations.invited(home, store, link) is not None
    if way == "renamed there and back":
        rename(home, store, "kim", "sam")
        rename(home, store, "sam", "kim")
    elif way == "roles there and back":
        people.set_roles(store, "kim", [Role.LEAD])
        people.set_roles(store, "kim", [Role.ANNOTATOR])
    elif way == "disabled and enabled":
        people.set_active(store, "kim", active=False)
        people.set_active(store, "kim", active=True)
    elif way == "forgotten":
        rename(home, store, "kim", "kim", forget=True)
        people.set_active(store, "kim", active=True)
    else:
        with store.transaction() as tx:
            tx.sign_ins.add(sign_in.entry("Kim", Outcome.WRONG_PASSWORD, ""))
            tx.people.put(Person("Kim", frozenset({Role.REVIEWER})))
        join(home, store, "Kim", "kim")
    assert invitations.invited(home, store, link) is None
    assert invitations.invited(home, store, invitations.invite(home, store, "kim")) is not None


def test_changes_that_leave_rights_as_they_are_leave_a_link_as_it_is(home: Home, store: Store) -> None:
    people.add_person(store, "kim", roles=[Role.ANNOTATOR])
    link = invitations.invite(home, store, "kim")
    people.set_email(store, "kim", "kim@example.org")
    people.set_roles(store, "kim", [Role.ANNOTATOR])
    people.set_active(store, "kim", active=True)
    people.set_active(store, "rev1", active=False)
    sign_in.attempt(store, "kim", "guessed", "192.0.2.1")
    assert invitations.invited(home, store, link) is not None


# -- sessions and tokens ------------------------------------------------------------------------------------------


def test_a_session_from_before_a_disabling_does_not_come_back(home: Home, store: Store, sign_in: SignIn) -> None:
    old, other = sign_in("rev1"), sign_in("rev2")
    run(home, "disable", "rev1")
    assert old.get("/account").status_code == 302
    run(home, "enable", "rev1")
    assert old.get("/account").status_code == 302
    assert old.get("/api/figures/f1").status_code == 401
    assert other.get("/account").status_code == 200
    assert sign_in("rev1").get("/account").status_code == 200


def test_roles_that_change_count_in_open_sessions_at_once(store: Store, sign_in: SignIn) -> None:
    client = sign_in("lead")
    assert client.get("/campaign/people").status_code == 200
    people.set_roles(store, "lead", [Role.REVIEWER])
    assert client.get("/campaign/people").status_code == 403


def test_tokens_from_before_a_disabling_do_not_come_back(app: Flask, store: Store) -> None:
    mine, theirs = (tokens.make_token(store, name, "script") for name in ("rev1", "rev2"))
    people.set_active(store, "rev1", active=False)
    people.set_active(store, "rev1", active=True)
    statuses = [
        app.test_client().get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code
        for token in (mine, theirs)
    ]
    assert statuses == [401, 200]
    assert tokens.tokens_of(store, "rev1") == []


def test_changes_of_accounts_are_in_the_log(home: Home, store: Store) -> None:
    people.add_person(store, "kim", roles=[Role.ANNOTATOR])
    people.set_roles(store, "kim", [Role.LEAD])
    people.set_active(store, "kim", active=False)
    people.set_active(store, "kim", active=True)
    rename(home, store, "kim", "sam")
    changes = [each.outcome for each in sign_in.sign_in_log(store, name="sam")]
    assert changes == [
        Outcome.RENAMED,
        Outcome.ENABLED,
        Outcome.DISABLED,
        Outcome.ROLES_CHANGED,
        Outcome.ADDED,
    ]


# -- Label Studio -------------------------------------------------------------------------------------------------


@pytest.fixture
def access(home: Home, store: Store) -> Path:
    """The file of the campaign's Label Studio: a project each, of an annotator and of somebody unknown here."""
    people.add_person(store, "kim", roles=[Role.ANNOTATOR], email="Kim@example.org")
    people.add_person(store, "sam", roles=[Role.ANNOTATOR], email="sam@example.org")
    path = access_file(home.path)
    path.parent.mkdir(parents=True)
    accounts = {7: frozenset({"kim@example.org"}), 8: frozenset({"sam@example.org"})}
    path.write_text(format_access(accounts))
    return path


@pytest.mark.parametrize(
    "change",
    [
        ("disable", "kim"),
        ("roles", "kim", "--role", "reviewer"),
        ("email", "kim", "kim@another.org"),
        ("pseudonym", "kim", "p1", "--forget"),
    ],
)
def test_label_studio_is_closed_at_once(home: Home, access: Path, change: tuple[str, ...]) -> None:
    CliRunner().invoke(command, [*change, "--home", str(home.path)])
    there = parse_access(access.read_text())
    assert there.of("kim@example.org") == ()
    assert there.of("kim@another.org") == ()  # opened by the next push or pull
    assert there.of("sam@example.org") == (8,)


def test_changes_of_other_people_close_nothing(home: Home, access: Path) -> None:
    before = access.read_bytes()
    run(home, "disable", "rev1")
    run(home, "roles", "rev2", "--role", "lead")
    run(home, "enable", "kim")
    assert access.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_a_broken_file_stays_closed(home: Home, access: Path, content: bytes) -> None:
    access.write_bytes(content)
    run(home, "disable", "kim")
    assert access.read_bytes() == content


def test_a_file_that_cannot_be_written_is_an_error_with_what_to_do(
    home: Home, store: Store, access: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotator.sync.project_access.write_whole", full)
    done = CliRunner().invoke(command, ["disable", "kim", "--home", str(home.path)])
    assert isinstance(done.exception, SyncError)
    assert "people who left can open theirs, until it is written" in str(done.exception)
    with store.read() as tx:
        kim = tx.people.get("kim")
    assert kim is not None
    assert not kim.active


def test_the_leads_page_closes_label_studio_at_once(access: Path, sign_in: SignIn) -> None:
    lead = sign_in("lead")
    for change in (
        ("active", {"name": "kim", "active": "0"}),
        ("roles", {"name": "sam", "role": "reviewer"}),
    ):
        data = {**change[1], "csrf_token": token_of(lead.get("/account").text)}
        assert lead.post(f"/campaign/people/{change[0]}", data=data).status_code == 302
    assert parse_access(access.read_text()).projects == {7: frozenset(), 8: frozenset()}


# -- limits -------------------------------------------------------------------------------------------------------


def fails_from(app: Flask, address: str, password: str = "wrong") -> int:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return post_login(client, "rev1", password).status_code


@pytest.mark.parametrize("addresses", ["2001:db8:1:2::{:x}", "2001:db8:1:2:{:x}:5:6:7", "::ffff:192.0.2.9"])
def test_wrong_passwords_count_per_network_of_ipv6(app: Flask, addresses: str) -> None:
    statuses = [fails_from(app, addresses.format(number)) for number in range(1, 12)]
    assert statuses == [401] * 10 + [429]
    assert fails_from(app, addresses.format(99), PASSWORD) == 429
    assert fails_from(app, "2001:db8:1:3::1", PASSWORD) == 302


def test_an_address_written_as_ipv6_counts_with_its_other_spelling(app: Flask) -> None:
    for number in range(10):
        fails_from(app, "192.0.2.9" if number % 2 else "::ffff:192.0.2.9")
    assert fails_from(app, "192.0.2.9") == 429


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.9", "192.0.2.9"),
        ("::ffff:192.0.2.9", "192.0.2.9"),
        ("2001:DB8:0:0:1::9", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_what_of_an_address_counts(address: str, network: str) -> None:
    assert sign_in.network_of(address) == network


def test_a_person_is_known_in_their_whole_network(app: Flask, store: Store) -> None:
    assert fails_from(app, "2001:db8:1:2::1", PASSWORD) == 302
    assert sign_in.signed_in_from(store, "rev1", "2001:db8:1:2:ffff::9")
    assert not sign_in.signed_in_from(store, "rev1", "2001:db8:1:3::1")
    assert not sign_in.signed_in_from(store, "rev2", "2001:db8:1:2::1")
