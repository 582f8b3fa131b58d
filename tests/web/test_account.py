"""One's own account, the audit of sign-ins, and how long a session lasts."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from web.asking import PASSWORD, post_login, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people as accounts
from annotator.accounts.sign_in import sign_in_log
from annotator.campaign.home import Home
from annotator.cli.campaign.user import command
from annotator.store.rows.records import Outcome
from annotator.store.store import Store
from annotator.web.app import sessions
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role
from panelwise.settings.file_tables import ViewSettings

NEW = "another good one"


def change(client: FlaskClient, old: str = PASSWORD, new: str = NEW, again: str = NEW) -> TestResponse:
    token = token_of(client.get("/account").text)
    data = {"csrf_token": token, "old": old, "new": new, "again": again}
    return client.post("/account/password", data=data)


def from_address(app: Flask, address: str, name: str, password: str) -> TestResponse:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return post_login(client, name, password)


@pytest.mark.parametrize("name", ["rev1", "lead", "ann"])
def test_whoever_changes_their_password_stays_and_their_other_sessions_end(sign_in: SignIn, name: str) -> None:
    here, elsewhere = sign_in(name), sign_in(name)
    answer = change(here)
    assert answer.status_code == 302
    assert "Password changed" in here.get(answer.location).text
    assert elsewhere.get("/account").status_code == 302
    assert post_login(elsewhere, name, PASSWORD).status_code == 401
    assert post_login(elsewhere, name, NEW).status_code == 302


@pytest.mark.parametrize(
    ("old", "new", "again", "told"),
    [
        ("wrong one", NEW, NEW, "current password is wrong"),
        (PASSWORD, NEW, "yet another one", "passwords differ"),
        (PASSWORD, "short", "short", "characters; use"),
        (PASSWORD, PASSWORD, PASSWORD, "is the current one"),
    ],
)
def test_a_change_that_cannot_be_is_told_and_nothing_changes(
    sign_in: SignIn, store: Store, old: str, new: str, again: str, told: str
) -> None:
    answer = change(sign_in("rev1"), old, new, again)
    assert answer.status_code == 422
    assert told in answer.text
    assert accounts.verify_password(store, "rev1", PASSWORD)


def test_nobody_guesses_a_password_through_the_form_that_changes_it(sign_in: SignIn, store: Store) -> None:
    client = sign_in("rev1")
    codes = [change(client, old=f"guess {number}").status_code for number in range(11)]
    assert codes == [422] * 10 + [429]
    assert "Try again in 5 minutes" in change(client).text
    assert accounts.verify_password(store, "rev1", PASSWORD)
    # Slips in the new one are no guesses, and someone else is not held off.
    other = sign_in("rev2")
    assert [change(other, new="short", again="short").status_code for _ in range(12)] == [422] * 12
    assert change(other).status_code == 302


def test_everyone_sees_what_happened_under_their_name_and_nobody_elses(sign_in: SignIn, app: Flask) -> None:
    from_address(app, "192.0.2.9", "rev1", "wrong")
    from_address(app, "192.0.2.10", "rev2", "wrong")
    html = sign_in("rev1").get("/account").text
    assert "192.0.2.9" in html
    assert "Wrong password" in html
    assert "192.0.2.10" not in html
    assert "rev2" not in html


def test_a_lead_sees_all_attempts_and_chooses_among_them(sign_in: SignIn, app: Flask) -> None:
    from_address(app, "192.0.2.9", "rev1", "wrong")
    from_address(app, "192.0.2.10", "no such name", "wrong")
    client = sign_in("lead")
    html = client.get("/sign-ins").text
    assert "192.0.2.9" in html
    assert "unknown name" in html
    assert "no such name" not in html
    only = client.get("/sign-ins?name=rev1&failed=1").text
    assert "192.0.2.9" in only
    assert "192.0.2.10" not in only
    assert "Signed in" not in only.partition("<main")[2].partition("<table")[2]


def test_the_log_has_pages(sign_in: SignIn, app: Flask, store: Store) -> None:
    there = sign_in_log(store)
    assert {each.outcome for each in there} == {Outcome.ADDED}
    client = sign_in("lead")
    # A command that adds an account has no address: nothing was removed.
    assert '<td class="number nowrap">–</td>' in client.get("/sign-ins?name=rev1").text
    first = sign_in_log(store)[0]
    with store.transaction() as tx:
        for number in range(60 - len(there)):
            tx.sign_ins.add(replace(first, address=f"192.0.2.{number}"))
    html = client.get("/sign-ins").text
    assert html.count("<time") == 50
    assert 'rel="next" href="/sign-ins?page=2"' in html
    assert client.get("/sign-ins?page=2").text.count("<time") == 11
    for page in ("0", "-3", "x", "99999999999999999999"):
        assert client.get(f"/sign-ins?page={page}").status_code == 200


def test_signing_out_is_in_the_audit(sign_in: SignIn, store: Store) -> None:
    client = sign_in("rev1")
    client.post("/logout", data={"csrf_token": token_of(client.get("/account").text)})
    outcomes = [each.outcome for each in sign_in_log(store, name="rev1")]
    assert outcomes == [Outcome.SIGNED_OUT, Outcome.SIGNED_IN, Outcome.ADDED]


def test_failures_are_told_with_the_time_to_try_again(app: Flask, store: Store) -> None:
    client = app.test_client()
    for _ in range(10):
        post_login(client, "rev1", "wrong")
    answer = post_login(client, "rev1", PASSWORD)
    assert answer.status_code == 429
    assert 280 <= int(answer.headers["Retry-After"]) <= 301
    assert "Try again in 5 minutes" in answer.text
    assert 'name="password"' in answer.text
    # A flood of refused attempts fills nothing: it is one entry.
    for _ in range(5):
        post_login(client, "rev1", PASSWORD)
    assert [each.outcome for each in sign_in_log(store)].count(Outcome.HELD_OFF) == 1


def test_waiting_helps_and_refused_attempts_do_not_prolong_it(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    client = app.test_client()
    for _ in range(10):
        post_login(client, "rev1", "wrong")
    began = time.time()
    for moved in (60, 200, 290):
        monkeypatch.setattr("limits.storage.memory.time.time", lambda at=began + moved: at)
        assert post_login(client, "rev1", PASSWORD).status_code == 429
    monkeypatch.setattr("limits.storage.memory.time.time", lambda: began + 301)
    assert post_login(client, "rev1", PASSWORD).status_code == 302


@pytest.mark.slow
def test_a_colleague_is_not_kept_out_by_failures_from_elsewhere(app: Flask) -> None:
    home, office = "198.51.100.1", "198.51.100.2"
    assert from_address(app, office, "rev1", PASSWORD).status_code == 302
    codes = [from_address(app, f"192.0.2.{number}", "rev1", "wrong").status_code for number in range(52)]
    assert codes == [401] * 50 + [429] * 2
    # Where the person was before they get in; from a new place they wait, as whoever tries does.
    assert from_address(app, office, "rev1", PASSWORD).status_code == 302
    assert from_address(app, home, "rev1", PASSWORD).status_code == 429
    assert from_address(app, home, "rev2", PASSWORD).status_code == 302


def test_a_name_with_a_zero_byte_is_a_wrong_name(app: Flask) -> None:
    assert post_login(app.test_client(), "rev1\x00", PASSWORD).status_code == 401


# -- how long a session lasts -----------------------------------------------------------------------------------


def app_with(home: Home, store: Store, view: ViewSettings, https: bool = False) -> Flask:
    return create_app(replace(home, settings=replace(home.settings, view=view)), store, https=https)


def test_a_session_ends_when_nothing_was_done_for_too_long(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = app_with(home, store, ViewSettings(idle_minutes=10)).test_client()
    now = time.time()
    post_login(client, "rev1", PASSWORD)
    # The cookie's own end is the browser's matter: the server does not believe a cookie that is kept longer.
    cookie = client.get_cookie(client.application.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    assert cookie.max_age == 600 or cookie.expires is not None
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + 590)
    assert client.get("/account").status_code == 200  # sent anew with this answer
    renewed = client.get_cookie(client.application.config["SESSION_COOKIE_NAME"])
    assert renewed is not None
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + 1180)
    stale, fresh = client.application.test_client(), client.application.test_client()
    stale.set_cookie(cookie.key, cookie.value)
    fresh.set_cookie(cookie.key, renewed.value)
    assert stale.get("/account").status_code == 302
    assert fresh.get("/account").status_code == 200


def test_a_page_that_is_only_left_open_keeps_no_session_alive(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    token = client.get("/api/figures/f1").get_json()["csrf"]
    assert "Set-Cookie" in client.get("/account").headers
    looked = client.post("/api/figures/f1/lease", headers={"X-CSRFToken": token})
    assert looked.status_code == 200
    assert "Set-Cookie" not in looked.headers


def test_a_session_ends_in_any_case_after_its_hours(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = app_with(home, store, ViewSettings(session_hours=2)).test_client()
    post_login(client, "rev1", PASSWORD)
    now = time.time()
    monkeypatch.setattr(sessions.time, "time", lambda: now + 2 * 3600 - 60)
    assert client.get("/account").status_code == 200
    monkeypatch.setattr(sessions.time, "time", lambda: now + 2 * 3600 + 60)
    assert client.get("/account").status_code == 302


# -- by command ---------------------------------------------------------------------------------------------------


def run(home: Home, *arguments: str):
    return CliRunner().invoke(command, [*arguments, "--home", str(home.path)])


def test_the_log_is_printed_and_chosen_from(app: Flask, home: Home) -> None:
    from_address(app, "192.0.2.9", "rev1", "wrong")
    from_address(app, "192.0.2.9", "rev1", PASSWORD)
    lines = [line for line in run(home, "log").output.splitlines() if "account added" not in line]
    assert [line.split("  ")[1] for line in lines] == ["rev1", "rev1"]
    assert "signed in" in lines[0]
    assert "192.0.2.9" in lines[1]
    failed = run(home, "log", "rev1", "--failed", "--json").output.splitlines()
    assert [json.loads(line)["outcome"] for line in failed] == ["wrong password"]
    assert len(run(home, "log", "--last", "1").output.splitlines()) == 1
    assert 'no person "ruth" in this campaign' in str(run(home, "log", "ruth").exception)


def test_a_fresh_campaign_has_no_account_and_so_no_default_password(tmp_path) -> None:
    fresh = Home.create(tmp_path / "fresh")
    with fresh.open_store() as store:
        assert accounts.people(store) == []
        assert not accounts.has_reviewer(store)
        accounts.add_person(store, "first", roles=[Role.LEAD])
        # Without a password nobody gets in, whatever is typed.
        for typed in ("", "first", "password", "None"):
            assert accounts.verify_password(store, "first", typed) is None
