"""A lead takes a figure out of the campaign on its history page, and back."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from web.asking import a_draft, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

HISTORY = "/figures/f1/history"


def post(client: FlaskClient, address: str, **fields: str) -> TestResponse:
    form = {"csrf_token": token_of(client.get(HISTORY).text), **fields}
    return client.post(address, data=form, follow_redirects=True)


@pytest.mark.slow
def test_a_lead_withdraws_a_figure_and_restores_it(sign_in: SignIn) -> None:
    lead, reviewer = sign_in("lead"), sign_in("rev1")
    page = post(lead, "/figures/f1/withdraw", reason='a duplicate of <b>"f2"')
    assert "a duplicate of &lt;b&gt;&#34;f2&#34;" in page.text
    assert "Reopen figure" not in page.text
    assert 'href="/figures/f1"' not in reviewer.get("/").text
    assert reviewer.get("/figures/f1").headers["Location"] == HISTORY
    token = token_of(reviewer.get(HISTORY).text)
    saved = reviewer.post("/api/figures/f1/decision", json=a_draft(), headers={"X-CSRFToken": token})
    assert (saved.status_code, "was withdrawn from the campaign" in saved.text) == (422, True)
    assert ">withdrawn</span>" in lead.get("/campaign/figures").text
    page = post(lead, "/figures/f1/restore")
    assert "Restored by <strong>lead</strong>" in page.text
    assert reviewer.get("/figures/f1").status_code == 200
    assert ">withdrawn</span>" not in lead.get("/campaign/figures").text


def test_without_a_reason_nothing_changes(sign_in: SignIn) -> None:
    lead = sign_in("lead")
    assert "Not changed: give a reason of 1 to 2,000 characters" in post(lead, "/figures/f1/withdraw").text
    assert "Not changed: 1 figure not withdrawn: f1" in post(lead, "/figures/f1/restore").text
    assert lead.get("/figures/f1").status_code == 200


def test_reviewers_neither_withdraw_nor_restore(sign_in: SignIn) -> None:
    reviewer = sign_in("rev1")
    assert "Withdraw figure" not in reviewer.get(HISTORY).text
    for address in ("/figures/f1/withdraw", "/figures/f1/restore"):
        assert post(reviewer, address, reason="mine").status_code == 403
    assert reviewer.get("/figures/f1").status_code == 200
