"""Settling together what all annotators did alike."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, token_of
from web.conftest import SignIn
from web.test_queue_filter import listed

from annotator.accounts import people
from annotator.adjudication import adjudicate_many
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.queue.filter import EVERYTHING
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Facet, QueueCounts
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Role
from panelwise.domain.decision import Awaits, GoldSource, Reopening
from panelwise.domain.items import FigureKind, Items, QAVerdict, Verdict


@pytest.fixture
def several(home: Home, store: Store) -> None:
    """Beside f1 (they differ) and f2 (two agree): f3 rejected by two, f4 with boxes that are nearly the same."""
    near = (a_subfigure(box=(0.004, 0, 400, 600)), a_subfigure(box=(0, 0, 400.111, 600)))
    with store.transaction() as tx:
        for name in ("f3", "f4"):
            tx.figures.add(a_figure(name))
        for annotator, drawn in zip(ANNOTATORS, near, strict=False):
            rejected = an_annotation(a_figure("f3"), annotator=annotator, status=Status.REJECTED, subfigures=())
            tx.annotations.add(rejected)
            tx.annotations.add(an_annotation(a_figure("f4"), annotator=annotator, subfigures=(drawn,)))
    score_disagreement(store, home.campaign)


def marks(html: str) -> dict[str, str]:
    found = re.findall(r'name="figure" value="(\w+) ([^"]+)"', html)
    return {unescape(name): mark for mark, name in found}


def finish(client: FlaskClient, chosen: dict[str, str], address: str = "/agreed/") -> str:
    token = token_of(client.get("/agreed/").text)
    data = {"csrf_token": token, "figure": [f"{mark} {name}" for name, mark in chosen.items()]}
    answer = client.post(address, data=data)
    assert answer.status_code == 303
    return client.get(answer.location).text


@pytest.mark.usefixtures("several")
def test_figures_are_shown_first_then_settled_each_by_a_decision_of_its_own(
    client: FlaskClient, store: Store, home: Home
) -> None:
    before = {each.figure.id: each for each in gold(store, home.campaign, GoldTally())}
    html = client.get("/agreed/").text
    shown = marks(html)
    assert sorted(shown) == ["f2", "f3", "f4"]
    assert not any(name in html for name in ANNOTATORS)
    with store.read() as tx:
        assert tx.queue.counts() == QueueCounts(4, 0)
    assert "3 figures adjudicated." in finish(client, shown)
    with store.read() as tx:
        decided = {name: tx.decisions.get(name) for name in ("f2", "f3", "f4")}
        assert tx.decisions.get("f1") is None
        assert tx.queue.counts() == QueueCounts(4, 3)
        assert tx.queue.counts(Facet.STATUS, "rejected") == QueueCounts(1, 1)
    for name in ("f2", "f4"):
        decision = decided[name]
        assert decision is not None
        assert (decision.reviewer, decision.based_on) == ("rev1", tuple(sorted(ANNOTATORS[:2])))
        assert (decision.note, decision.seconds) == (adjudicate_many.NOTE, None)
        assert [each.label for each in decision.subfigures] == [each.label for each in before[name].subfigures]
        assert [each.subcaption for each in decision.subfigures] == [
            each.subcaption for each in before[name].subfigures
        ]
    assert decided["f4"] is not None
    assert decided["f4"].subfigures[0].box.as_list() == [0.0, 0.0, 400.06, 600.0]
    assert decided["f3"] is not None
    assert (decided["f3"].status, decided["f3"].subfigures) == (Status.REJECTED, ())
    after = {each.figure.id: each for each in gold(store, home.campaign, GoldTally())}
    assert {each.provenance.source for each in after.values()} == {GoldSource.ADJUDICATED}


@pytest.mark.usefixtures("several")
@pytest.mark.slow
def test_one_click_takes_it_back_by_reopening_each(client: FlaskClient, store: Store) -> None:
    html = finish(client, marks(client.get("/agreed/").text))
    number = re.search(r'action="/agreed/(\d+)/undo" *>', html) or re.search(r'action="/agreed/(\d+)/undo"', html)
    assert number is not None
    address = f"/agreed/{number[1]}/undo"
    answer = client.post(address, data={"csrf_token": token_of(html)})
    told = client.get(answer.location).text
    assert "3 figures reopened." in told
    assert re.search(r"undone <time [^>]*>2", told)
    with store.read() as tx:
        assert tx.queue.counts() == QueueCounts(4, 0)
        assert [entry.version for entry in tx.decisions.history("f2")] == [1, 2]
    assert listed(client.get("/").text) == ["f1", "f2", "f3", "f4"]
    assert client.post(address, data={"csrf_token": token_of(told)}).status_code == 422
    assert client.post("/agreed/99/undo", data={"csrf_token": token_of(told)}).status_code == 404
    assert sorted(marks(told)) == ["f2", "f3", "f4"]


@pytest.mark.usefixtures("several")
def test_what_an_interrupted_undo_left_settled_can_still_be_taken_back(client: FlaskClient, store: Store) -> None:
    """Also where an earlier version had noted the whole bulk as taken back before it began."""
    html = finish(client, marks(client.get("/agreed/").text))
    number = re.findall(r"/agreed/(\d+)/undo", html)[0]
    with store.transaction() as tx:
        tx.bulks.set_undone(int(number), datetime.now(UTC))
        tx.decisions.add(Reopening(a_figure("f2"), "rev1", 2, datetime.now(UTC), note=adjudicate_many.UNDONE))
    answer = client.post(f"/agreed/{number}/undo", data={"csrf_token": token_of(html)})
    page = client.get(answer.location).text
    assert "2 figures reopened." in page
    assert "decided again since" not in page
    with store.read() as tx:
        assert tx.queue.counts() == QueueCounts(4, 0)
        assert len(tx.decisions.history("f2")) == 2


@pytest.mark.usefixtures("several")
def test_what_was_decided_on_since_stays_when_the_bulk_is_taken_back(client: FlaskClient, store: Store) -> None:
    html = finish(client, marks(client.get("/agreed/").text))
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2"), version=2, reviewer="rev2"))
    number = re.search(r"/agreed/(\d+)/undo", html)
    assert number is not None
    answer = client.post(f"/agreed/{number[1]}/undo", data={"csrf_token": token_of(html)})
    assert "1 figure not reopened: decided again since." in client.get(answer.location).text
    with store.read() as tx:
        decision = tx.decisions.get("f2")
        assert decision is not None
        assert decision.reviewer == "rev2"
        assert tx.decisions.get("f4") is None


@pytest.mark.usefixtures("several")
def test_a_figure_that_changed_since_it_was_shown_is_left_and_told(
    client: FlaskClient, store: Store, home: Home
) -> None:
    shown = marks(client.get("/agreed/").text)
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2"), reviewer="rev2"))
        for name in ANNOTATORS[:2]:
            other = (a_subfigure(tokens=(4,)),)
            tx.annotations.add(an_annotation(a_figure("f4"), annotator=name, subfigures=other, minutes=5))
    score_disagreement(store, home.campaign)
    html = finish(client, {**shown, "nope": "0"})
    assert "1 figure adjudicated." in html
    assert "f2 not adjudicated: it was decided on" in html
    assert "f4 not adjudicated: something else would be decided now" in html
    assert "nope not adjudicated" in html
    with store.read() as tx:
        assert tx.decisions.get("f4") is None


@pytest.mark.usefixtures("several")
def test_only_what_is_ticked_is_settled_and_only_what_the_filter_lets_through_is_shown(
    client: FlaskClient, store: Store
) -> None:
    shown = marks(client.get("/agreed/").text)
    assert sorted(marks(client.get("/agreed/?q=f4").text)) == ["f4"]
    finish(client, {"f4": shown["f4"]})
    assert "No figures ticked" in finish(client, {})
    with store.read() as tx:
        assert tx.queue.counts() == QueueCounts(4, 1)
    assert sorted(marks(client.get("/agreed/").text)) == ["f2", "f3"]


def test_where_all_differ_there_is_nothing_to_settle_together(client: FlaskClient) -> None:
    finish(client, marks(client.get("/agreed/").text))
    assert "No agreed figures" in client.get("/agreed/").text


@pytest.mark.usefixtures("several")
def test_a_campaign_that_wants_two_reviewers_has_them_for_a_bulk_too(store: Store, home: Home) -> None:
    from dataclasses import replace

    strict = replace(home.campaign, second_reviewer=True)
    shown = {
        each.figure.id: each.mark for each in adjudicate_many.preview(store, strict, EVERYTHING, "rev1").figures
    }
    assert adjudicate_many.finish(store, strict, "rev1", shown).adjudicated == 3
    with store.read() as tx:
        assert tx.queue.counts(Facet.SECOND) == QueueCounts(3, 0)
        assert tx.queue.next(reviewer="rev1") == "f1"
        assert tx.queue.next("f1", reviewer="rev2") == "f2"
        assert tx.queue.next("f1", reviewer="rev1") is None


@pytest.mark.usefixtures("several")
def test_nobody_settles_their_own_work_together_with_others(store: Store, home: Home) -> None:
    shown = {
        each.figure.id: each.mark for each in adjudicate_many.preview(store, home.campaign, EVERYTHING, "").figures
    }
    done = adjudicate_many.finish(store, home.campaign, ANNOTATORS[0], shown)
    assert (done.adjudicated, done.bulk) == (0, None)
    assert set(done.left.values()) == {"it is your own work; another reviewer adjudicates it"}


def test_more_than_are_shown_at_once_are_refused(store: Store, home: Home) -> None:
    from panelwise.domain.errors import InvalidAnnotation

    with pytest.raises(InvalidAnnotation, match="too many to adjudicate at once"):
        adjudicate_many.finish(
            store, home.campaign, "rev1", {f"f{number}": "" for number in range(adjudicate_many.MOST + 1)}
        )


def test_a_bulk_is_for_those_who_settle_and_needs_the_seal(sign_in: SignIn) -> None:
    assert sign_in("ann").get("/agreed/").status_code == 403
    assert sign_in("").get("/agreed/").status_code == 302
    for address in ("/agreed/", "/agreed/1/undo"):
        assert sign_in("rev1").post(address).status_code == 400
        assert sign_in("").post(address).status_code == 401


def ticked(html: str) -> set[str]:
    return set(re.findall(r'aria-label="Adjudicate ([^"]+)" checked', html))


def offered(html: str) -> str:
    """The number on the queue's button, "" without the button."""
    found = re.search(r'Adjudicate agreed figures\s*<span class="muted number">([^<]+)</span>', html)
    return "" if found is None else found[1]


@pytest.mark.usefixtures("several")
def test_what_was_reopened_with_a_reason_is_not_ticked_and_says_the_reason(
    client: FlaskClient, store: Store
) -> None:
    finish(client, marks(client.get("/agreed/").text))
    with store.transaction() as tx:
        tx.decisions.add(Reopening(a_figure("f2"), "rev2", 2, NOON, note="is B cut off?"))
    html = client.get("/agreed/").text
    assert sorted(marks(html)) == ["f2"]
    assert ticked(html) == set()
    assert "rev2 reopened it: is B cut off?" in html
    assert "Reopened" in client.get("/").text
    assert "by rev2: is B cut off?" in client.get("/").text
    assert "1 figure adjudicated." in finish(client, marks(html))
    assert "Reopened" not in client.get("/?show=all").text


@pytest.mark.usefixtures("several")
def test_a_bulk_taken_back_is_ticked_as_before(client: FlaskClient) -> None:
    html = finish(client, marks(client.get("/agreed/").text))
    number = re.search(r"/agreed/(\d+)/undo", html)
    assert number is not None
    answer = client.post(f"/agreed/{number[1]}/undo", data={"csrf_token": token_of(html)})
    assert ticked(client.get(answer.location).text) == {"f2", "f3", "f4"}


@pytest.mark.usefixtures("several")
def test_what_waits_for_another_reviewer_is_neither_listed_nor_counted(
    client: FlaskClient, sign_in: SignIn, store: Store
) -> None:
    assert offered(client.get("/").text) == "3"
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2"), reviewer="rev2", awaits=Awaits.SECOND))
    for each in (client, sign_in("rev2")):
        assert offered(each.get("/").text) == "2"
        page = each.get("/agreed/").text
        assert sorted(marks(page)) == ["f3", "f4"]
        assert "2 figures." in page
    with store.transaction() as tx:
        for name in ("f3", "f4"):
            tx.decisions.add(a_decision(a_figure(name), reviewer="rev2", awaits=Awaits.SECOND))
    assert offered(client.get("/").text) == ""
    assert "No agreed figures" in client.get("/agreed/").text


@pytest.mark.usefixtures("several")
def test_ones_own_work_is_neither_listed_nor_counted(sign_in: SignIn, store: Store, home: Home) -> None:
    people.set_roles(store, "rev2", [Role.REVIEWER, Role.ANNOTATOR])
    with store.transaction() as tx:
        own = an_annotation(a_figure("f4"), annotator="rev2", subfigures=(a_subfigure(),))
        tx.annotations.add(own)
    score_disagreement(store, home.campaign)
    with store.read() as tx:
        assert "f4" in tx.queue.undisputed("rev1", limit=9)
    client = sign_in("rev2")
    assert "f4" not in marks(client.get("/agreed/").text)
    assert offered(client.get("/").text) == str(len(marks(client.get("/agreed/").text)))


@pytest.mark.usefixtures("several")
def test_more_than_is_shown_at_once_is_told(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adjudicate_many, "MOST", 2)
    html = client.get("/agreed/").text
    assert len(marks(html)) == 2
    assert "2 figures of 3; the others follow once these are adjudicated." in html
    monkeypatch.setattr(adjudicate_many, "MOST_COUNTED", 2)
    assert offered(client.get("/").text) == "2+"


def test_boxes_type_and_pairs_on_which_all_agree_are_set_apart(
    client: FlaskClient, store: Store, home: Home
) -> None:
    items = Items(kind=FigureKind(True, 1, frozenset({"bar chart"})), verdicts=(QAVerdict("q1", Verdict.CORRECT),))
    with store.transaction() as tx:
        tx.figures.add(a_figure("f9"))
        for annotator in ANNOTATORS:
            tx.annotations.add(an_annotation(a_figure("f9"), annotator=annotator, items=items))
    score_disagreement(store, home.campaign)
    words = " ".join(re.sub(r"<[^>]*>", "", client.get("/agreed/").text).split())
    assert "2 subfigures: A, B; bar chart; 1 pair, 0 edited" in words
