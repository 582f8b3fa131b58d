"""Opening a figure reads one state of the store, saving writes once, and both ask the database for little."""

from __future__ import annotations

import pytest
from builders import NOON, a_subfigure, an_annotation
from flask.testing import FlaskClient
from items_cases import TOML, a_qa_figure, judged, kinds, verdicts
from web.asking import ANNOTATORS, a_draft
from web.statements import Asked, counted

from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store

#: SELECTs of a request that opens a figure, and statements of one that saves a decision, at most.
SELECTS, STATEMENTS = 13, 21
FIGURE = a_qa_figure("q1")


@pytest.fixture
def home(home: Home) -> Home:
    (home.path / "campaign.toml").write_text(TOML, encoding="utf-8")
    return Home.find(home.path)


@pytest.fixture(autouse=True)
def _with_items(home: Home, store: Store) -> None:
    """Beside f1 and f2, q1: two who agree on its type and pairs, and drew subfigures too."""
    with store.transaction() as tx:
        tx.figures.add(FIGURE)
        for name in ANNOTATORS[:2]:
            tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator=name))
            tx.annotations.add(judged(FIGURE, kinds(True, 2), annotator=name, phase="types"))
            tx.annotations.add(an_annotation(FIGURE, annotator=name, subfigures=(a_subfigure(tokens=()),)))
        # The first look at a figure is recorded: once for each person.
        tx.seen.add("rev1", ["f1", "f2", "q1"], NOON)
    score_disagreement(store, home.campaign)


def opened(client: FlaskClient, store: Store, address: str) -> Asked:
    with counted(store) as asked:
        assert client.get(address).status_code == 200
    assert (asked.reads, len(asked.selects) <= SELECTS) == (1, True), asked.statements
    return asked


@pytest.mark.parametrize("address", ["/figures/f1", "/figures/q1/items"])
@pytest.mark.slow
def test_a_page_is_made_of_one_snapshot_and_writes_nothing(
    client: FlaskClient, store: Store, address: str
) -> None:
    assert opened(client, store, address).writes == 0


@pytest.mark.parametrize("address", ["/api/figures/f1", "/api/figures/q1", "/api/figures/q1/items"])
@pytest.mark.parametrize("part", ["", "?phase=1", "?q=lung"])
@pytest.mark.slow
def test_a_state_is_made_of_one_snapshot_and_writes_that_somebody_looks(
    client: FlaskClient, store: Store, address: str, part: str
) -> None:
    asked = opened(client, store, address + part)
    # A limit on how long it waits for the right to write is no statement on rows.
    written = [each for each in asked.statements if each not in asked.selects and "PRAGMA" not in each]
    assert asked.writes == 1
    assert all(" leases " in each for each in written)


@pytest.mark.parametrize("address", ["/api/figures/f1", "/api/figures/q1/items"])
def test_a_decision_and_what_comes_after_it_are_one_transaction(
    client: FlaskClient, store: Store, address: str
) -> None:
    found = client.get(address).get_json()
    draft = a_draft()
    if "pairs" in found:
        words = [each["proposal"] for each in found["pairs"]]
        draft = {"version": 0, "status": "accepted", "kind": found["kind"]["proposal"], "verdicts": words}
    with counted(store) as asked:
        answer = client.post(f"{address}/decision", json=draft, headers={"X-CSRFToken": found["csrf"]})
    assert answer.status_code == 200
    assert answer.get_json()["next_url"]
    assert answer.get_json()["progress"]["decided"] == 1
    # The read is the guards' own: nobody waits for the right to write before they are known.
    assert (asked.reads, asked.writes, len(asked.statements) <= STATEMENTS) == (1, 1, True), asked.statements
