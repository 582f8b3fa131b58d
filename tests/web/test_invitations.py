"""Links by which a person sets their own password, once."""

from __future__ import annotations

import re
import time

import pytest
from click.testing import CliRunner
from flask import Flask
from web.asking import PASSWORD, post_login, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import invitations, people
from annotator.accounts.sign_in import sign_in_log
from annotator.campaign.home import Home
from annotator.cli.campaign.user import command
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import AnnotatorError

NEW = "chosen by ruth herself"


def run(home: Home, *arguments: str):
    return CliRunner().invoke(command, [*arguments, "--home", str(home.path)])


def link_for(home: Home, name: str, *more: str) -> str:
    """The path of a link that the command prints."""
    done = run(home, "link", name, *more)
    assert done.exit_code == 0, done.output
    return "/" + done.output.strip().split("/", 3)[3]


def set_by(app: Flask, link: str, new: str = NEW, again: str | None = None) -> TestResponse:
    client = app.test_client()
    page = client.get(link)
    assert page.status_code == 200
    data = {"csrf_token": token_of(page.text), "new": new, "again": new if again is None else again}
    return client.post(link, data=data)


def test_the_first_lead_of_a_campaign_sets_their_own_password(app: Flask, home: Home, store: Store) -> None:
    done = run(home, "add", "ruth", "--role", "lead", "--link", "--url", "https://figures.example.org")
    added, link = done.output.splitlines()
    assert added == "added ruth (lead)"
    assert link.startswith("https://figures.example.org/welcome/")
    assert not post_login(app.test_client(), "ruth", "").location
    answer = set_by(app, link.removeprefix("https://figures.example.org"))
    assert answer.location == "/"
    assert post_login(app.test_client(), "ruth", NEW).status_code == 302
    assert [each.outcome for each in sign_in_log(store, name="ruth")][1:3] == ["signed in", "password set by link"]


def test_a_link_holds_once(app: Flask, home: Home) -> None:
    link = link_for(home, "rev1")
    first, second = app.test_client(), app.test_client()
    tokens = [token_of(client.get(link).text) for client in (first, second)]
    codes = [
        client.post(link, data={"csrf_token": token, "new": NEW, "again": NEW}).status_code
        for client, token in zip((first, second), tokens, strict=True)
    ]
    assert codes == [302, 404]
    gone = app.test_client().get(link)
    assert gone.status_code == 404
    assert "this link is used or expired" in gone.text.lower()


def test_the_old_password_holds_until_the_link_is_used_and_sessions_end_then(
    app: Flask, home: Home, sign_in: SignIn
) -> None:
    session = sign_in("rev1")
    link = link_for(home, "rev1")
    assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 302
    assert set_by(app, link).status_code == 302
    assert session.get("/account").status_code == 302
    assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 401


def test_another_password_makes_a_link_void(app: Flask, home: Home, store: Store) -> None:
    link = link_for(home, "rev1")
    people.set_password(store, "rev1", "set by the lead")
    assert app.test_client().get(link).status_code == 404


def test_a_link_ends_by_itself(app: Flask, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    link = link_for(home, "rev1", "--hours", "2")
    now = time.time()
    monkeypatch.setattr(invitations.time, "time", lambda: now + 2 * 3600 - 60)
    assert app.test_client().get(link).status_code == 200
    monkeypatch.setattr(invitations.time, "time", lambda: now + 2 * 3600 + 60)
    assert app.test_client().get(link).status_code == 404


def test_a_link_is_for_one_person_and_cannot_be_made_without_the_secret(app: Flask, home: Home) -> None:
    mine, theirs = (link_for(home, name).removeprefix("/welcome/") for name in ("rev1", "lead"))
    seal = mine.partition(".")[2]
    forged = [
        f"{theirs.partition('.')[0]}.{seal}",
        mine.partition(".")[0],
        f"{mine[:-2]}AA",
        "x",
        ".",
        "W10.AA",
        "é",
        "bnVsbA.AA",
        "A" * 5000,
        f"{'W1tb' * 5000}.AA",
    ]
    for token in forged:
        assert app.test_client().get(f"/welcome/{token}").status_code == 404, token


def test_unfit_passwords_are_told_and_the_link_goes_on_to_hold(app: Flask, home: Home) -> None:
    link = link_for(home, "rev1")
    assert "characters; use" in set_by(app, link, "short").text
    assert "passwords differ" in set_by(app, link, NEW, "another").text
    assert set_by(app, link).status_code == 302


def test_whoever_was_removed_gets_no_link_and_uses_none(app: Flask, home: Home, store: Store) -> None:
    link = link_for(home, "rev1")
    with store.transaction() as tx:
        tx.people.put(Person("rev1", frozenset({Role.LEAD}), active=False))
    assert app.test_client().get(link).status_code == 404
    for name in ("rev1", "nobody"):
        with pytest.raises(AnnotatorError):
            invitations.invite(home, store, name)


def test_a_link_and_a_password_are_not_given_at_once(home: Home) -> None:
    assert run(home, "add", "ruth", "--role", "lead", "--link", "--generate").exit_code == 2


def test_the_page_names_only_whom_it_is_for(app: Flask, home: Home) -> None:
    html = app.test_client().get(link_for(home, "rev1")).text
    assert "Welcome, rev1" in html
    assert re.search(r"\b(lead|rev2|ann)\b", html) is None
