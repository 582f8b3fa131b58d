"""Filters of the queue in its address, and the figure that comes next behind them."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, a_draft, save
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Pseudonyms
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store


def listed(html: str) -> list[str]:
    return re.findall(r'<td class="figure"><a href="/figures/([^"?]+)', html)


def links(html: str, rel: str) -> list[str]:
    return [unescape(found) for found in re.findall(rf'rel="{rel}" href="([^"]+)"', html)]


@pytest.fixture
def more(home: Home, store: Store) -> None:
    """Beside f1 (three, who differ in a token) and f2 (two, who agree): f3 without a box, f4 of phase 2 by one."""
    with store.transaction() as tx:
        for name in ("f3", "f4"):
            tx.figures.add(a_figure(name, caption="Fig. 2: the Kidney."))
        third = a_figure("f3", caption="Fig. 2: the Kidney.")
        tx.annotations.add(an_annotation(third, annotator=ANNOTATORS[0], subfigures=(a_subfigure(tokens=(5,)),)))
        tx.annotations.add(an_annotation(third, annotator=ANNOTATORS[1], subfigures=()))
        fourth = a_figure("f4", caption="Fig. 2: the Kidney.")
        tx.annotations.add(an_annotation(fourth, annotator=ANNOTATORS[2], phase="2", subfigures=()))
    score_disagreement(store, home.campaign)


@pytest.fixture
def keys(home: Home) -> dict[str, str]:
    return {name: Pseudonyms(home.secret(), {}).of(name) for name in ANNOTATORS}


@pytest.mark.usefixtures("more")
@pytest.mark.slow
def test_each_part_of_the_address_filters(client: FlaskClient, store: Store, keys: dict[str, str]) -> None:
    assert listed(client.get("/").text) == ["f3", "f1", "f2", "f4"]
    assert listed(client.get("/?loss=no+box").text) == ["f3"]
    assert listed(client.get("/?phase=2").text) == ["f4"]
    assert listed(client.get("/?agreed=yes").text) == ["f2"]
    assert listed(client.get("/?q=kidn").text) == ["f3", "f4"]
    assert listed(client.get("/?q=KIDNEY+f3").text) == ["f3"]
    assert listed(client.get(f"/?annotator={keys[ANNOTATORS[2]]}").text) == ["f1", "f4"]
    pair = f"/?annotator={keys[ANNOTATORS[0]]}&annotator={keys[ANNOTATORS[1]]}"
    assert listed(client.get(pair).text) == ["f3", "f1", "f2"]
    assert listed(client.get(f"{pair}&loss=no+box&phase=1&q=fig").text) == ["f3"]
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f1"), reviewer="rev2"))
    assert listed(client.get("/?reviewer=rev2").text) == ["f1"]
    assert listed(client.get("/?status=accepted").text) == ["f1"]
    assert listed(client.get("/?status=accepted&show=open").text) == []
    assert listed(client.get("/?phase=&loss=&q=").text) == ["f3", "f2", "f4"]


@pytest.mark.usefixtures("more")
def test_the_filter_is_kept_on_every_way_on_from_the_page(client: FlaskClient) -> None:
    html = client.get("/?q=kidney&phase=1").text
    assert 'href="/figures/f3?phase=1&amp;q=kidney"' in html
    assert 'href="/?show=settled&amp;phase=1&amp;q=kidney"' in html
    figure = client.get("/figures/f3?phase=1&q=kidney").text
    assert 'data-queue-url="/?phase=1&amp;q=kidney"' in figure
    assert 'data-state-url="/api/figures/f3?phase=1&amp;q=kidney"' in figure


@pytest.mark.usefixtures("more")
def test_the_next_figure_is_the_worst_behind_the_filter(client: FlaskClient) -> None:
    state = client.get("/api/figures/f3?q=kidney").get_json()
    assert state["next_url"] == "/figures/f4?q=kidney"
    saved = client.post(
        "/api/figures/f3/decision?q=kidney",
        json=a_draft(subfigures=[]),
        headers={"X-CSRFToken": state["csrf"]},
    ).get_json()
    assert saved["next_url"] == "/figures/f4?q=kidney"
    last = client.get("/api/figures/f4?q=kidney").get_json()
    assert last["next_url"] is None
    assert client.get("/api/figures/f4").get_json()["next_url"] == "/figures/f1"


@pytest.mark.usefixtures("more")
def test_what_a_filter_offers_comes_with_numbers_and_names_annotators_to_leads_alone(
    sign_in: SignIn, keys: dict[str, str]
) -> None:
    reviewer, lead = sign_in("rev1").get("/").text, sign_in("lead").get("/").text
    assert re.search(r'<option value="no box">missing box \(1\)</option>', reviewer)
    for number, name in enumerate(sorted(ANNOTATORS, key=keys.__getitem__), start=1):
        assert name not in reviewer
        assert f'<option value="{keys[name]}">Annotator {number} (' in reviewer
        assert f'<option value="{keys[name]}">{name} (' in lead
    assert listed(sign_in("lead").get(f"/?annotator={ANNOTATORS[2]}").text) == ["f1", "f4"]
    refused = sign_in("rev1").get(f"/?annotator={ANNOTATORS[2]}")
    assert refused.status_code == 404
    assert "Choose one from the list" in unescape(refused.text)


@pytest.mark.parametrize(
    "address", ["loss=nonsense", "phase=9", "status=perhaps", "reviewer=nobody", "annotator=x"]
)
@pytest.mark.slow
def test_a_value_that_the_campaign_does_not_have_is_told(client: FlaskClient, address: str) -> None:
    answer = client.get(f"/?{address}")
    assert answer.status_code == 404
    assert address.partition("=")[2] in answer.text
    state = client.get("/api/figures/f1").get_json()
    kept = client.post(
        f"/api/figures/f1/decision?{address}", json=a_draft(), headers={"X-CSRFToken": state["csrf"]}
    )
    assert (kept.status_code, kept.get_json()["next_url"]) == (200, None)


def test_a_filter_that_nothing_meets_says_so_and_how_to_get_out(client: FlaskClient) -> None:
    html = client.get("/?q=zebra").text
    assert "No figures match this filter" in html
    assert 'href="/?show=all&amp;q=zebra"' in html
    assert "The search has no letters or digits" in client.get("/?q=%22+*").text


def test_a_search_is_shown_as_text_and_asked_as_words(client: FlaskClient) -> None:
    html = client.get("/", query_string={"q": "\"><script>alert(1)</script> OR f1*'"}).text
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.slow
def test_pages_are_reached_one_from_another_with_the_filter(client: FlaskClient, home: Home, store: Store) -> None:
    with store.transaction() as tx:
        for number in range(120):
            figure = a_figure(f"g{number:03}", caption="kidney" if number % 60 else "heart")
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, subfigures=()))
    score_disagreement(store, home.campaign)
    address, seen = "/?q=kidney", []
    pages = []
    while address:
        assert urlsplit(address).path == "/"
        html = client.get(address).text
        seen += listed(html)
        pages.append(address)
        address = next(iter(links(html, "next")), "")
    assert seen == [f"g{number:03}" for number in range(120) if number % 60]
    assert len(pages) == 3
    back = links(client.get(pages[2]).text, "prev")[0]
    assert listed(client.get(back).text) == listed(client.get(pages[1]).text)
    assert listed(client.get(links(client.get(back).text, "prev")[0]).text) == listed(client.get(pages[0]).text)
    assert "page 3 of 3" in client.get(links(client.get("/?page=2").text, "next")[0]).text
    assert save(client, a_draft(subfigures=[]), figure="g000").status_code == 200
    assert listed(client.get("/?after=g000&page=2").text)[0] == "g001"
