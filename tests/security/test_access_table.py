"""docs/reference/access.md, cell by cell: every route and role, with the seal, without it, with another's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY
from flask.testing import FlaskClient
from web.asking import PASSWORD, token_of
from web.conftest import SignIn

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.campaign import Role

PAGE = REPOSITORY / "docs" / "reference" / "access.md"
#: Column of the page -> who is asked for.
PEOPLE = {"signed out": "", "annotator": "ann", "reviewer": "rev1", "lead": "lead"}
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
PARTS = {"FIGURE_ID": "f1", "TYPED": "a/b", "FILENAME": "pages.css"}


def table() -> list[dict[str, str]]:
    """Return a row for each request of the page: its address, method, and the answer to each of `PEOPLE`."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert lines[0] == "| for | blind | pages | other requests |"
    found = []
    for line in lines[2:]:
        roles, _, pages, others = (cell.strip() for cell in line.strip("|").split("|"))
        for page, cell in ((True, pages), (False, others)):
            for method, address in re.findall(r"`(?:([A-Z]+) )?([^`]+)`", cell):
                stranger = "yes" if roles == "everyone" else "sign in" if page else "401"
                known = {name: "yes" if name in roles or roles == "everyone" else "403" for name in PEOPLE}
                known["annotator"] = "own page" if address == "/" else known["annotator"]
                found.append({"address": address, "method": method or "GET", **known, "signed out": stranger})
    return found


def address(row: dict[str, str]) -> str:
    return re.sub(r"[A-Z_]{2,}", lambda found: PARTS.get(found[0], "1"), row["address"])


def asked(client: FlaskClient, row: dict[str, str], seal: str) -> str:
    """What the page calls the answer; "yes" for whatever the route itself said."""
    headers = {"X-CSRFToken": seal} if seal else {}
    answer = client.open(address(row), method=row["method"], headers=headers)
    if answer.status_code == 302 and answer.location.startswith("/login") and row["method"] == "GET":
        return "sign in"
    if answer.status_code == 302 and row["address"] == "/":
        return "own page" if answer.location in ("/account", "/tasks") else answer.location
    if answer.status_code == 400 and "form has expired" not in answer.text:
        return "yes"
    if row["address"] == "/login" and row["method"] == "POST" and answer.status_code == 401:
        return "yes"  # nothing was typed
    return str(answer.status_code) if answer.status_code in (400, 401, 403) else "yes"


@pytest.fixture
def home(home: Home) -> Home:
    """With feedback open to annotators: that it may be closed is another matter than roles."""
    file = home.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + "\n[view]\nfeedback = true\n", encoding="utf-8")
    return Home.find(home.path)


@pytest.mark.slow
@pytest.mark.parametrize("column", PEOPLE)
def test_every_cell_of_the_page_is_so(sign_in: SignIn, column: str) -> None:
    rows = table()
    assert len(rows) > 40
    for row in rows:
        # A new client each: some routes end the session.
        client = sign_in(PEOPLE[column])
        seal = token_of(client.get("/nothing-here" if PEOPLE[column] else "/login").text)
        assert asked(client, row, seal) == row[column], (row, "with the seal")


@pytest.mark.slow
@pytest.mark.parametrize("column", PEOPLE)
def test_without_the_seal_or_with_anothers_nobody_changes_anything(sign_in: SignIn, column: str) -> None:
    foreign = token_of(sign_in("rev2").get("/account").text)
    client = sign_in(PEOPLE[column])
    unsafe = [row for row in table() if row["method"] in UNSAFE]
    assert len(unsafe) > 15
    for row in unsafe:
        for seal in ("", foreign, "x" * 91):
            wanted = "400" if row[column] == "yes" else row[column]
            assert asked(client, row, seal) == wanted, (row, seal)


@pytest.mark.slow
def test_two_roles_open_what_one_of_them_does(sign_in: SignIn, store: Store) -> None:
    people.add_person(store, "both", roles=[Role.ANNOTATOR, Role.REVIEWER], password=PASSWORD)
    people.add_person(store, "none", roles=[], password=PASSWORD)
    for row in table():
        if row["method"] == "GET":
            wanted = "yes" if "yes" in (row["annotator"], row["reviewer"]) else "403"
            assert asked(sign_in("both"), row, "") == wanted, row
            assert asked(sign_in("none"), row, "") == ("yes" if row["signed out"] == "yes" else "403"), row


@pytest.mark.slow
def test_the_page_is_that_of_the_app_as_it_is_now() -> None:
    command = [sys.executable, str(Path("scripts") / "write_access.py"), "--check"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
