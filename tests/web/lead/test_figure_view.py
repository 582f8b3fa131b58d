"""A lead looks at a figure: everything on it, and nothing to change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders import a_decision, a_subfigure, an_annotation
from items_cases import a_qa_figure
from web.asking import ANNOTATORS
from web.blind_campaign import SECRETS, blind_home
from web.lead_client import client

from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction
from panelwise.domain.campaign import Task


def test_a_lead_sees_the_work_of_each_person_and_can_change_nothing_there(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        figure, drawn = tx.figures.existing("f1"), (a_subfigure("A", tokens=[0]),)
        tx.tasks.add([Task("f1", "ann", "1"), Task("f1", "ben", "1"), Task("f1", "cem", "1", 2, False)])
        tx.annotations.add(an_annotation(figure, annotator="ann", subfigures=drawn))
        tx.predictions.put(Prediction(figure, "classic-1", drawn, (0.9,)))
        tx.decisions.add(a_decision(figure, subfigures=drawn, reviewer="rev"))
    page = client(home, store).get("/campaign/figures/f1").text
    titles = re.findall(r"<span>([^<]+?)(?: <span|</span>)", page)
    assert [title.strip() for title in titles] == [
        "Decision 1 by rev",
        "ann, phase 1",
        "Pre-labels of classic-1",
    ]
    assert "<q>Lungs</q>" in page
    assert '<rect x="0.0" y="0.0" width="400.0" height="600.0"' in page
    assert "in batch 2, not released yet" in page
    # The only form of the page signs out.
    assert page.count("<form") == 1
    for address in ("/figures/f1", "/figures/f1/history"):
        assert f'href="{address}"' in page


def test_next_and_previous_follow_the_search_of_the_gallery(home: Home, store: Store) -> None:
    lead = client(home, store)
    first = lead.get("/campaign/figures/f1").text
    assert 'rel="next" href="/campaign/figures/f2"' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev" href="/campaign/figures/f1"' in lead.get("/campaign/figures/f2").text
    searched = lead.get("/campaign/figures/f1?q=Lungs").text
    assert 'rel="next"' not in searched
    assert "/campaign/figures/f1?q=Lungs" in lead.get("/campaign/figures?q=Lungs").text


def test_the_figure_before_is_the_nearest_one(home: Home, store: Store) -> None:
    with store.read() as tx:
        before = tx.figures.gallery((), after="f2", backward=True, limit=5)
        assert [figure.id for figure in before] == ["f1"]
        assert tx.figures.gallery((), after="f1", backward=True, limit=5) == []


@pytest.mark.parametrize("name", ["rev", "ann"])
def test_only_leads_open_it(home: Home, store: Store, name: str) -> None:
    assert client(home, store, name).get("/campaign/figures/f1").status_code == 403


def test_an_unknown_figure_is_said_to_be_unknown(home: Home, store: Store) -> None:
    answer = client(home, store).get("/campaign/figures/nope")
    assert answer.status_code == 404
    assert "nope" in answer.text


@pytest.mark.parametrize("figure", ["f1", "f2", "f3"])
def test_a_blind_lead_sees_nothing_of_a_hidden_figure(tmp_path: Path, figure: str) -> None:
    home = blind_home(tmp_path / "campaign")
    with home.open_store() as store:
        lead = client(home, store, "boss")
        lead.post("/login", data={"name": "boss", "password": "a good password"})
        answer = lead.get(f"/campaign/figures/{figure}")
        assert answer.status_code == 403
        assert not [secret for secret in SECRETS if secret in answer.text]
        other = lead.get("/campaign/figures/plain")
        assert other.status_code == 200
        assert any(name in other.text for name in ANNOTATORS)


def test_a_lead_sees_the_pairs_that_work_speaks_of(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_qa_figure("asked"))
    page = client(home, store).get("/campaign/figures/asked").text
    listed = page.partition('<ol id="pairs">')[2].partition("</ol>")[0]
    pairs = [" ".join(re.sub("<[^>]*>", "", each).split()) for each in listed.split("</li>")]
    assert pairs[0] == "What is the value of the red line at step 400? Answer: 0.8"
    assert "A: red line, B: blue line, C: green line, D: dashed line. Answer: A" in pairs[4]
    assert 'id="pairs"' not in client(home, store).get("/campaign/figures/f1").text
