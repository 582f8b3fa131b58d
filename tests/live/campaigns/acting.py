"""People of a campaign at work: commands as a lead types them, and reviewers through the adjudication view."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from running import run_command

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role

PASSWORD = "a good password"
_COMMANDS = {"annotator": annotator, "agreement": agreement, "prelabel": prelabel}


def run(*arguments: object, home: Path | None = None, status: int = 0) -> str:
    """A command as it is typed, "annotator", "push" ...; returns what it printed."""
    program, *rest = map(str, arguments)
    if home is not None:
        rest += ["--home", str(home)]
    done = run_command(_COMMANDS[program], program, *rest)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout


def set_in(file: Path, **changes: str) -> None:
    """Change settings of campaign.toml as a person does in an editor: each line `key = ...`, in all its places."""
    text = file.read_text(encoding="utf-8")
    for key, value in changes.items():
        text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
        assert count, f"campaign.toml says nothing of {key}"
    file.write_text(text, encoding="utf-8")


class Person:
    """Somebody who is signed in at the adjudication view."""

    def __init__(self, client: FlaskClient, name: str) -> None:
        self.client = client
        page = client.get("/login").text
        sent = {"csrf_token": self.token(page), "name": name, "password": PASSWORD}
        assert client.post("/login", data=sent).status_code == 302, name

    @staticmethod
    def token(page: str) -> str:
        """The seal that a page's forms carry."""
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found is not None
        return found[1]

    def get(self, address: str) -> Any:
        """What is at an address, as JSON."""
        answer = self.client.get(address)
        assert answer.status_code == 200, (address, answer.status_code, answer.text[:300])
        return answer.get_json()

    def page(self, address: str) -> str:
        """A page's HTML."""
        answer = self.client.get(address, follow_redirects=True)
        assert answer.status_code == 200, (address, answer.status_code)
        return answer.text

    def post(self, address: str, csrf: str, body: dict[str, Any]) -> Any:
        """What comes of sending JSON."""
        answer = self.client.post(address, json=body, headers={"X-CSRFToken": csrf})
        assert answer.status_code == 200, (address, answer.status_code, answer.text[:300])
        return answer.get_json()

    def submit(self, address: str, page: str, **fields: Any) -> str:
        """Send a form of a page; returns the page after it."""
        sent = {"csrf_token": self.token(page), **fields}
        answer = self.client.post(address, data=sent, follow_redirects=True)
        assert answer.status_code == 200, (address, answer.status_code, answer.text[:300])
        return answer.text


@contextmanager
def view(home: Home, store: Store) -> Iterator[Any]:
    """The adjudication view; call what it gives with a name to sign in, and its role to make the account."""
    app = create_app(home, store)

    def enter(name: str, role: Role | None = None) -> Person:
        if role is not None:
            people.add_person(store, name, roles=[role], password=PASSWORD)
        return Person(app.test_client(), name)

    yield enter
