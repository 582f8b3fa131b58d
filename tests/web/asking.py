"""What the tests of the web ask of it."""

from __future__ import annotations

import re
from html import unescape

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

PASSWORD = "a good password"
#: Names that no response of the screen may hold.
ANNOTATORS = ("Zebulon-Q", "Yolanda-Q", "Xanthippe-Q")


def token_of(html: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', html)
    assert found is not None
    return found[1]


def without_token(html: str) -> str:
    """The page, to be held against another: the token of its forms tells the second in which it was made."""
    return html.replace(token_of(html), "")


def post_login(client: FlaskClient, name: str, password: str, **more: str) -> TestResponse:
    token = token_of(client.get("/login").text)
    return client.post("/login", data={"csrf_token": token, "name": name, "password": password, **more})


def shown_by(html: str, words: str) -> str:
    """Return what the page shows when the first button with these words is pressed."""
    button = re.search(rf'popovertarget="([^"]+)"[^>]*>{re.escape(words)}</button>', html)
    assert button is not None, words
    shown = re.search(rf'<span class="meaning" id="{button[1]}" popover role="note">([^<]*)</span>', html)
    assert shown is not None
    return unescape(shown[1])


def a_draft(**changes: object) -> dict[str, object]:
    draft: dict[str, object] = {
        "version": 0,
        "status": "accepted",
        "subfigures": [{"label": "A", "box": [0, 0, 400, 600], "tokens": [4, 6, 7]}],
        "based_on": [],
        "note": "",
        "seconds": 12.5,
    }
    return {**draft, **changes}


def save(client: FlaskClient, draft: object = None, figure: str = "f1") -> TestResponse:
    """POST a decision with the CSRF token that the state carries."""
    csrf = client.get(f"/api/figures/{figure}").get_json()["csrf"]
    return client.post(
        f"/api/figures/{figure}/decision",
        json=a_draft() if draft is None else draft,
        headers={"X-CSRFToken": csrf},
    )
