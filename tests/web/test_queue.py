from __future__ import annotations

import re

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from flask.testing import FlaskClient
from items_cases import a_qa_figure, judged
from web.asking import ANNOTATORS, a_draft, save, shown_by
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.imports.withdraw import withdraw_figures
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.items import HumanAnswer, Items


def listed(html: str) -> list[str]:
    return re.findall(r'<td class="figure"><a href="/figures/([^"]+)"', html)


def test_the_worst_disagreement_comes_first(client: FlaskClient) -> None:
    assert listed(client.get("/").text) == ["f1", "f2"]


def test_filters_list_what_they_say(client: FlaskClient) -> None:
    save(client, figure="f1")
    assert listed(client.get("/").text) == ["f2"]
    assert listed(client.get("/?show=open").text) == ["f2"]
    assert listed(client.get("/?show=settled").text) == ["f1"]
    assert listed(client.get("/?show=all").text) == ["f1", "f2"]
    assert listed(client.get("/?show=<script>").text) == ["f2"]


def test_settled_rows_say_by_whom_and_how(client: FlaskClient) -> None:
    save(client, a_draft(status="rejected", subfigures=[]))
    html = client.get("/?show=settled").text
    assert "Rejected" in html
    assert '<td class="reviewer">rev1</td>' in html
    assert "1 of 2 adjudicated" in html


def test_a_row_names_the_model_that_pre_labelled_the_figure(client: FlaskClient, store: Store) -> None:
    assert "Pre-labels:" not in client.get("/").text
    with store.transaction() as tx:
        tx.predictions.put(a_prediction(a_figure("f2"), model_version="older"))
        tx.predictions.put(a_prediction(a_figure("f2"), model_version="classic-x+tiny-0"))
    html = client.get("/").text
    assert html.count("Pre-labels:") == html.count("Pre-labels: classic-x+tiny-0") == 1


def test_a_settled_row_tells_that_an_annotation_is_newer_than_the_decision(
    client: FlaskClient, store: Store
) -> None:
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2")))
    assert "Changed after adjudication" not in client.get("/?show=settled").text
    assert client.get("/api/figures/f2").get_json()["reasons"] == []
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f2"), annotator=ANNOTATORS[0], subfigures=(), minutes=1))
    assert client.get("/?show=settled").text.count("Changed after adjudication") == 1
    assert client.get("/api/figures/f2").get_json()["reasons"] == ["changed since it was adjudicated"]


def test_work_on_a_caption_that_was_replaced_is_told_and_not_settled_by_mistake(
    client: FlaskClient, store: Store, home: Home
) -> None:
    save(client, figure="f1")
    opened = client.get("/api/figures/f1").get_json()
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", caption="Another."))
    score_disagreement(store, home.campaign, ["f1"])
    html = client.get("/").text
    assert sorted(listed(html)) == ["f1", "f2"]
    assert html.count("3 annotations were made on an earlier caption") == 1
    state = client.get("/api/figures/f1").get_json()
    assert state["reasons"][0] == "3 annotations were made on an earlier caption"
    assert (state["decision"], state["annotations"], state["version"], state["revision"]) == (None, [], 1, 2)
    assert state["image_url"] != opened["image_url"]
    assert client.get(state["image_url"]).status_code == 200
    assert 'data-save-url="/api/figures/f1/decision?revision=2"' in client.get("/figures/f1").text
    draft = a_draft(version=1, subfigures=[])
    stale = client.post("/api/figures/f1/decision?revision=1", json=draft, headers={"X-CSRFToken": state["csrf"]})
    assert stale.status_code == 422
    assert "was replaced after you opened it; reload" in stale.get_json()["error"]
    fresh = client.post("/api/figures/f1/decision?revision=2", json=draft, headers={"X-CSRFToken": state["csrf"]})
    assert fresh.get_json()["version"] == 2
    assert listed(client.get("/?show=settled").text) == ["f1"]


@pytest.mark.slow
def test_empty_states_say_what_to_do(client: FlaskClient, sign_in: SignIn) -> None:
    assert "No adjudicated figures yet" in client.get("/?show=settled").text
    save(client, figure="f1")
    save(client, figure="f2")
    html = client.get("/").text
    assert "All figures are adjudicated" in html
    assert "lead can export the gold" in html
    assert "/campaign/jobs" not in html
    assert 'href="/campaign/jobs"' in sign_in("lead").get("/").text


@pytest.mark.slow
def test_a_campaign_without_figures_says_how_to_import(client: FlaskClient, home: Home, store: Store) -> None:
    empty = Home.create(home.path.parent / "empty")
    from web.asking import PASSWORD, post_login

    from annotator.accounts import people
    from annotator.web.factory import create_app
    from panelwise.domain.campaign import Role

    with empty.open_store() as other:
        people.add_person(other, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
        stranger = create_app(empty, other).test_client()
        post_login(stranger, "rev1", PASSWORD)
        assert "once two annotators have submitted them" in stranger.get("/").text


@pytest.mark.slow
def test_pages_hold_fifty_and_odd_page_numbers_do_no_harm(client: FlaskClient, home: Home, store: Store) -> None:
    with store.transaction() as tx:
        for number in range(60):
            figure = a_figure(f"g{number:02}")
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure))
    score_disagreement(store, home.campaign)
    first, second = listed(client.get("/").text), listed(client.get("/?page=2").text)
    assert len(first) == 50
    assert len(set(first) | set(second)) == 62
    assert listed(client.get("/?page=999").text) == second
    for page in ("0", "-3", "x", ""):
        assert listed(client.get(f"/?page={page}").text) == first


def test_a_figure_of_one_annotator_waits_behind_those_that_were_compared(
    client: FlaskClient, home: Home, store: Store
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("a-single"))
        tx.annotations.add(an_annotation(a_figure("a-single")))
    score_disagreement(store, home.campaign)
    html = client.get("/").text
    assert listed(html)[0] == "f1"
    assert shown_by(html, "none") == "Agreement needs annotations of two annotators."


def test_captions_and_ids_are_shown_as_text(client: FlaskClient, home: Home, store: Store) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&"
    figure = a_figure(evil, caption=f"{evil} caption")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, subfigures=()))
    score_disagreement(store, home.campaign)
    for address in ("/", "/figures/~3Cimg~20src~3Dx~20onerror~3Dalert~281~29~3E~22~27~26"):
        html = client.get(address).text
        assert "<img src=x" not in html
        assert "&lt;img src=x" in html


def test_the_queue_names_no_annotator(client: FlaskClient) -> None:
    html = client.get("/?show=all").text
    assert not any(name in html for name in ANNOTATORS)


def test_a_figure_with_an_empty_caption_is_listed(client: FlaskClient, home: Home, store: Store) -> None:
    figure = a_figure("bare", caption="")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, subfigures=()))
    score_disagreement(store, home.campaign)
    assert "no caption" in client.get("/").text
    assert client.get("/api/figures/bare").get_json()["caption"] == {"text": "", "tokens": []}


def test_a_campaign_of_human_evaluation_counts_what_was_answered(
    client: FlaskClient, home: Home, store: Store
) -> None:
    (home.path / "campaign.toml").write_text(
        'name = "C"\nlabels = ["A"]\n[[phases]]\nname = "asked"\ntask_type = "human-eval"\n'
    )
    figure = a_qa_figure("asked")
    said = Items(answers=(HumanAnswer("q1", "0.7"),))
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(judged(figure, said, annotator="ada", phase="asked"))
    html = " ".join(client.get("/?show=all").text.split())
    status = html.partition("Status of ")[2].partition("</p>")[0]
    assert "1 answered" in status
    assert "untouched" not in status
    withdraw_figures(store, ["f1", "f2"], "lea", "not of this campaign")
    html = " ".join(client.get("/").text.split())
    assert "Nothing to adjudicate" in html
    assert 'href="/agreement">Compare them' in html
    assert "No figures yet" not in html


def test_an_answered_figure_says_that_answers_are_not_adjudicated(
    client: FlaskClient, home: Home, store: Store
) -> None:
    (home.path / "campaign.toml").write_text(
        'name = "C"\nlabels = ["A"]\n[[phases]]\nname = "asked"\ntask_type = "human-eval"\n'
    )
    figure = a_qa_figure("asked")
    with store.transaction() as tx:
        tx.figures.add(figure)
    untouched = client.get("/api/figures/asked/items").get_json()
    assert (untouched["answered"], untouched["reasons"]) == (0, ["no annotator has annotated this figure"])
    with store.transaction() as tx:
        for name in ("ada", "bob"):
            said = Items(answers=(HumanAnswer("q1", "0.7"),))
            tx.annotations.add(judged(figure, said, annotator=name, phase="asked"))
    answered = client.get("/api/figures/asked/items").get_json()
    assert (answered["answered"], answered["reasons"], answered["pairs"]) == (2, [], [])


def test_a_campaign_whose_figures_await_annotators_says_so(sign_in: SignIn, store: Store) -> None:
    withdraw_figures(store, ["f1", "f2"], "lea", "not of this campaign")
    reviewer, lead = sign_in("rev1"), sign_in("lead")
    assert "No figures yet" in reviewer.get("/").text
    assert "Status of" not in reviewer.get("/").text
    assert 'href="/campaign/figures">Add figures' in lead.get("/").text
    with store.transaction() as tx:
        tx.figures.add(a_figure("new"))
    for page in (reviewer.get("/").text, lead.get("/").text):
        assert "Nothing to adjudicate yet" in page
        assert "Add figures" not in page
    assert 'href="/dashboard">See the progress' in lead.get("/").text
