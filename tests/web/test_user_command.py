"""`annotator user` as a lead runs it."""

from __future__ import annotations

import urllib.request
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner, Result
from web.asking import PASSWORD

from annotator.accounts import people, sign_in
from annotator.campaign.home import Home
from annotator.cli.campaign.user import command
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role


def run(home: Home, *arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(command, [*arguments, "--home", str(home.path)], input=given)


def test_a_person_is_added_with_a_password_from_stdin(home: Home, store: Store) -> None:
    result = run(
        home, "add", "ruth", "--role", "reviewer", "--role", "lead", "--password-stdin", given="long enough\n"
    )
    assert result.output == "added ruth (lead, reviewer)\n"
    person = people.verify_password(store, "ruth", "long enough")
    assert person is not None
    assert person.roles == {Role.LEAD, Role.REVIEWER}


def test_a_generated_password_is_printed_once_and_works(home: Home, store: Store) -> None:
    result = run(home, "add", "ruth", "--role", "reviewer", "--email", "r@example.org", "--generate")
    password = result.output.splitlines()[1].removeprefix("password: ")
    assert len(password) >= 16
    assert people.verify_password(store, "ruth", password)
    assert password not in run(home, "list").output


def test_passwords_and_roles_are_changed(home: Home, store: Store) -> None:
    assert run(home, "password", "rev1", "--password-stdin", given="a newer one\n").exit_code == 0
    assert people.verify_password(store, "rev1", "a newer one")
    assert run(home, "roles", "rev1", "--role", "annotator").output == "rev1 is now annotator\n"


def test_the_list_shows_roles_and_who_can_sign_in(home: Home, store: Store) -> None:
    people.add_person(store, "quiet", roles=[Role.ANNOTATOR])
    lines = run(home, "list").output.splitlines()
    assert [line.split()[0] for line in lines] == ["ann", "lead", "quiet", "rev1", "rev2"]
    assert "no password" in lines[2]
    assert "signs in" in lines[3]
    assert all("never" in line for line in lines)
    days = [datetime.now(UTC)]
    sign_in.attempt(store, "rev1", PASSWORD, "192.0.2.1")
    days.append(datetime.now(UTC))
    sign_in.attempt(store, "rev2", "wrong", "192.0.2.1")
    lines = run(home, "list").output.splitlines()
    assert lines[3].endswith(tuple(f"{day:%Y-%m-%d}" for day in days))
    assert lines[4].endswith("never")


def test_faults_are_told_before_a_password_is_asked_for(home: Home, store: Store) -> None:
    assert '"rev1" already has an account' in str(run(home, "add", "rev1", "--role", "lead").exception)
    assert "without a terminal" in str(run(home, "add", "ruth", "--role", "lead").exception)
    assert "characters" in str(
        run(home, "add", "ruth", "--role", "lead", "--password-stdin", given="x\n").exception
    )
    assert run(home, "add", "ruth", "--role", "king").exit_code == 2
    assert run(home, "add", "ruth", "--role", "lead", "--generate", "--password-stdin").exit_code == 2


def test_whoever_is_disabled_signs_in_no_more_until_enabled(home: Home, store: Store) -> None:
    assert run(home, "disable", "rev1").output == "rev1 can no longer sign in\n"
    assert people.verify_password(store, "rev1", PASSWORD) is None
    assert "inactive" in run(home, "list").output
    assert "annotator user enable" in str(run(home, "link", "rev1").exception)
    assert run(home, "disable", "rev1").output == "rev1 can no longer sign in (unchanged)\n"
    assert run(home, "enable", "rev1").output == "rev1 can sign in\n"
    assert people.verify_password(store, "rev1", PASSWORD) is not None


def test_the_last_one_who_settles_figures_is_not_disabled_unseen(home: Home) -> None:
    for name in ("rev1", "rev2"):
        assert "nobody is left" not in run(home, "disable", name).output
    assert "no active reviewer or lead is left" in run(home, "disable", "lead").output
    assert 'no person "x"' in str(run(home, "disable", "x").exception)


@pytest.mark.parametrize("arguments", [("link", "rev1"), ("add", "ruth", "--role", "lead", "--link")])
def test_a_link_leads_to_where_the_view_is_served(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    with AdjudicationServer(home, store) as server:
        done = run(home, *arguments)
        assert "this link opens on this computer only" in done.stderr
        link = done.stdout.splitlines()[-1]
        assert link.startswith(f"{server.url}welcome/")
        with urllib.request.urlopen(link, timeout=300) as answer:
            assert answer.status == 200
    monkeypatch.setenv("PANELWISE_PUBLIC_URL", "https://figures.example.org/")
    elsewhere = run(home, "link", "rev1")
    assert elsewhere.output.startswith("https://figures.example.org/welcome/")
    assert elsewhere.stderr == ""
    assert run(home, "link", "rev1", "--url", "https://other/").output.startswith("https://other/welcome/")


def test_where_only_the_proxy_knows_the_address_it_is_asked_for(home: Home, store: Store) -> None:
    with AdjudicationServer(home, store), AdjudicationServer(home, store, https=True):
        result = run(home, "link", "rev1")
    assert result.stdout.startswith("http://127.0.0.1:8090/welcome/")
    assert "add --url or set PANELWISE_PUBLIC_URL" in result.stderr
