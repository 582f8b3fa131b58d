"""The guidelines as the figure screen asks for them."""

from __future__ import annotations

from pathlib import Path

from flask import Flask
from web.conftest import SignIn

from annotator.web.app import context


def home_of(app: Flask) -> Path:
    with app.app_context():
        return context.home().path


def test_a_campaign_without_guidelines_answers_404_and_its_screen_asks_for_none(
    app: Flask, sign_in: SignIn
) -> None:
    client = sign_in("rev1")
    assert client.get("/api/guidelines").status_code == 404
    assert 'data-guideline-url=""' in client.get("/figures/f1").text


def test_the_guidelines_come_as_pieces_never_as_markup(app: Flask, sign_in: SignIn) -> None:
    (home_of(app) / "guidelines.md").write_text("# One <i>span</i>\n\n<script>alert(1)</script>")
    client = sign_in("rev1")
    assert 'data-guideline-url="/api/guidelines"' in client.get("/figures/f1").text
    answer = client.get("/api/guidelines")
    assert answer.json == {
        "version": "",
        "blocks": [
            {"tag": "h1", "children": ["One <i>span</i>"]},
            {"tag": "p", "children": ["<script>alert(1)</script>"]},
        ],
    }
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_drafts_are_filed_under_a_mark_that_tells_nothing_of_the_secret(app: Flask, sign_in: SignIn) -> None:
    page = sign_in("rev1").get("/figures/f1").text
    mark = page.partition('data-campaign="')[2].partition('"')[0]
    assert len(mark) == 16
    assert mark.encode() not in (home_of(app) / "secret.key").read_bytes()
