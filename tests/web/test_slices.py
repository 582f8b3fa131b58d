"""Slices of the queue: the figures of one cell of the agreement matrix."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, a_draft, save, without_token
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import pseudonyms
from annotator.measurement.report import ReportOptions, measure
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Status

FIRST, SECOND, THIRD = ANNOTATORS
B = (400, 0, 800, 600)


def address(gold: str, predicted: str, phase: str | None = "1", **more: Any) -> dict[str, object]:
    chosen = {"gold": gold, "predicted": predicted, **more}
    return chosen if phase is None else {**chosen, "phase": phase}


def rows(html: str) -> list[tuple[str, float | str]]:
    """Figure and the pair's score, or why there is none, row by row."""
    found: list[tuple[str, float | str]] = []
    for row in html.partition("<tbody>")[2].split("<tr ")[1:]:
        figure = re.search(r'<td class="figure"><a href="/figures/([^"?]+)', row)
        content = row.partition('<td class="agreement pair-score">')[2].partition("</td>")[0]
        value = re.search(r'<data [^>]*value="([^"]+)"', content)
        assert figure is not None
        found.append((figure[1], float(value[1]) if value else re.sub("<.*?>", "", content).strip()))
    return found


@pytest.fixture
def worked(store: Store, home: Home) -> Store:
    """FIRST and SECOND did `half`, `none` (0), `bare` (no text), `out` (rejected by one) and `agreed` as well."""
    left, right = a_subfigure(), a_subfigure("B", box=B, tokens=(10, 12, 13))
    far = a_subfigure(box=(0, 0, 10, 10))
    done: dict[str, tuple[object, object]] = {
        "half": ((left, right), (left, far)),
        "none": ((left,), (far,)),
        "bare": ((a_subfigure(tokens=()),), (a_subfigure(tokens=()),)),
        "agreed": ((left, right), (left, right)),
    }
    with store.transaction() as tx:
        for name, parts in done.items():
            tx.figures.add(a_figure(name))
            for annotator, subfigures in zip((FIRST, SECOND), parts, strict=True):
                tx.annotations.add(an_annotation(a_figure(name), annotator=annotator, subfigures=subfigures))
        tx.figures.add(a_figure("out"))
        tx.annotations.add(an_annotation(a_figure("out"), annotator=FIRST))
        tx.annotations.add(an_annotation(a_figure("out"), annotator=SECOND, status=Status.REJECTED, subfigures=()))
        tx.figures.add(a_figure("alone"))
        tx.annotations.add(an_annotation(a_figure("alone"), annotator=FIRST))
    score_disagreement(store, home.campaign)
    return store


@pytest.fixture
def lead(worked: Store, sign_in: SignIn) -> FlaskClient:
    return sign_in("lead")


@pytest.mark.slow
def test_a_slice_has_the_pairs_figures_worst_first_with_their_scores(lead: FlaskClient, worked: Store) -> None:
    found = rows(lead.get("/", query_string=address(FIRST, SECOND)).text)
    pair = next(
        each
        for each in measure(worked, options=ReportOptions(phase="1")).pairs
        if (each.gold, each.predicted) == (FIRST, SECOND)
    )
    means = dict(zip(pair.figures, pair.totals / pair.counts.clip(1), strict=True))
    assert found == [
        ("none", 0.0),
        ("half", 0.5),
        ("f1", means["f1"]),
        ("agreed", 1.0),
        ("f2", 1.0),
        ("bare", "not scored"),
        ("out", "rejected or left out by one"),
    ]
    assert 0.5 < means["f1"] < 1.0


@pytest.mark.slow
def test_the_two_directions_are_two_slices_and_lead_to_each_other(lead: FlaskClient) -> None:
    there = lead.get("/", query_string=address(FIRST, SECOND)).text
    exchanged = re.search(r'href="([^"]+)">Swap roles', there)
    assert exchanged is not None
    back = lead.get(unescape(exchanged[1])).text
    assert f"<strong>{SECOND}</strong> as gold, <strong>{FIRST}</strong> as predictor" in back
    assert dict(rows(back))["half"] == 0.5
    assert dict(rows(back))["f1"] != 0.5


@pytest.mark.slow
def test_the_filter_is_shown_can_be_taken_away_and_leads_back_to_the_matrix(lead: FlaskClient) -> None:
    html = lead.get("/", query_string=address(FIRST, SECOND)).text
    assert f"<strong>{FIRST}</strong> as gold, <strong>{SECOND}</strong> as predictor" in html
    assert '<a class="button" id="whole" href="/">' in html
    assert 'href="/agreement?phase=1#matrix"' in html
    whole = lead.get("/").text
    assert "as gold" not in whole
    assert "pair-score" not in whole


@pytest.mark.slow
def test_a_phase_without_a_pair_is_a_filter_and_no_slice(lead: FlaskClient) -> None:
    html = lead.get("/?phase=1").text
    assert "as gold" not in html
    assert "pair-score" not in html


@pytest.mark.slow
def test_open_and_settled_hold_in_a_slice(lead: FlaskClient, worked: Store) -> None:
    with worked.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("half")))
    for show, expected in (
        ("open", ["none", "f1", "agreed", "f2", "bare", "out"]),
        ("settled", ["half"]),
        ("all", ["none", "half", "f1", "agreed", "f2", "bare", "out"]),
        ("", ["none", "half", "f1", "agreed", "f2", "bare", "out"]),
    ):
        html = lead.get("/", query_string=address(FIRST, SECOND, show=show)).text
        assert [figure for figure, _ in rows(html)] == expected, show
        assert "1 of 7 adjudicated" in html
    nobody = lead.get("/", query_string=address(SECOND, THIRD, show="settled")).text
    assert "No adjudicated figures yet" in nobody
    with worked.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f1")))
    assert (
        "All figures of this pair are adjudicated"
        in lead.get("/", query_string=address(SECOND, THIRD, show="open")).text
    )


@pytest.mark.slow
def test_paging_keeps_the_slice(lead: FlaskClient, worked: Store, home: Home) -> None:
    with worked.transaction() as tx:
        for number in range(60):
            tx.figures.add(a_figure(f"g{number:02}"))
            for name in (FIRST, SECOND):
                tx.annotations.add(an_annotation(a_figure(f"g{number:02}"), annotator=name))
    score_disagreement(worked, home.campaign)
    first = lead.get("/", query_string=address(FIRST, SECOND)).text
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following is not None
    second = lead.get(unescape(following[1])).text
    one, other = rows(first), rows(second)
    assert (len(one), len(other)) == (50, 17)
    assert len({figure for figure, _ in one + other}) == 67
    assert "page 2 of 2" in second
    for page in ("999", "-1", "x"):
        assert lead.get("/", query_string=address(FIRST, SECOND, page=page)).status_code == 200


@pytest.mark.slow
def test_from_a_slice_one_settles_through_the_slice_and_comes_back_to_it(lead: FlaskClient, home: Home) -> None:
    page = lead.get("/", query_string=address(FIRST, SECOND)).text
    start = re.search(r'id="start" href="([^"]+)"', page)
    assert start is not None
    seen = []
    here: str | None = unescape(start[1])
    while here is not None:
        figure = here.partition("/figures/")[2].partition("?")[0]
        seen.append(figure)
        screen = lead.get(here).text
        state = lead.get(unescape(re.search(r'data-state-url="([^"]+)"', screen)[1])).get_json()
        queue = unescape(re.search(r'data-queue-url="([^"]+)"', screen)[1])
        saved = lead.post(
            unescape(re.search(r'data-save-url="([^"]+)"', screen)[1]),
            json=a_draft(),
            headers={"X-CSRFToken": state["csrf"]},
        )
        assert saved.status_code == 200
        assert saved.get_json()["next_url"] == state["next_url"]
        here = state["next_url"]
    assert seen == ["none", "half", "f1", "agreed", "f2", "bare", "out"]
    assert "7 of 7 adjudicated" in lead.get(queue).text


def test_no_address_of_a_screen_carries_a_name(lead: FlaskClient) -> None:
    page = lead.get("/", query_string=address(FIRST, SECOND)).text
    links = [unescape(link) for link in re.findall(r'href="([^"]+)"', page)]
    assert any("gold=p-" in link for link in links)
    assert not any(name in link for link in links for name in ANNOTATORS)
    screen = lead.get(next(link for link in links if link.startswith("/figures/"))).text
    assert not any(name in screen for name in ANNOTATORS)


def test_outside_a_slice_the_next_figure_is_the_queues(lead: FlaskClient) -> None:
    state = lead.get("/api/figures/none").get_json()
    assert "?" not in state["next_url"]
    assert 'data-queue-url="/"' in lead.get("/figures/none").text


def test_a_typed_figure_keeps_its_slice(lead: FlaskClient, worked: Store) -> None:
    with worked.transaction() as tx:
        tx.figures.add(a_figure("a/b"))
    answer = lead.get("/figures/a/b", query_string=address("p-x", "p-y"))
    assert answer.location == "/figures/a~2Fb?gold=p-x&predicted=p-y&phase=1"


@pytest.mark.slow
def test_reviewers_reach_a_slice_by_pseudonyms_and_by_no_name(
    worked: Store, home: Home, sign_in: SignIn, client: FlaskClient
) -> None:
    with worked.read() as tx:
        keys = [pseudonyms(home, tx).of(name) for name in (FIRST, SECOND)]
    html = client.get("/", query_string=address(*keys)).text
    assert [figure for figure, _ in rows(html)][:2] == ["none", "half"]
    assert not any(name in html for name in ANNOTATORS)
    assert rows(sign_in("lead").get("/", query_string=address(*keys)).text) == rows(html)
    # A name and a guess are refused alike: otherwise names could be matched with pseudonyms.
    known = client.get("/", query_string=address(FIRST, keys[1]))
    guess = client.get("/", query_string=address("Zebulon-X", keys[1]))
    assert known.status_code == guess.status_code == 404
    assert without_token(known.text).replace(FIRST, "Zebulon-X") == without_token(guess.text)
    assert "which shows annotators under pseudonyms" in known.text.replace("Where", "where")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "said"),
    [
        (address("nobody", SECOND), "No annotator &#34;nobody&#34; has submitted work in phase &#34;1&#34;"),
        (address(FIRST, "<b>x</b>"), "No annotator &#34;&lt;b&gt;x&lt;/b&gt;&#34; has"),
        (address(FIRST, "x" * 3000), "No annotator &#34;xxx"),
        (address(FIRST, FIRST), "Gold and predicted are the same annotator"),
        (address(FIRST, ""), "The address needs both gold and predicted"),
        ({"gold": FIRST, "phase": "1"}, "The address needs both gold and predicted"),
        ({"predicted": FIRST}, "The address needs both gold and predicted"),
        (address(FIRST, SECOND, "9"), "Phase &#34;9&#34; is not in this campaign"),
        (address(FIRST, "\x00\n"), "No annotator"),
    ],
)
def test_an_address_of_no_pair_is_a_page_that_says_so(lead: FlaskClient, query: dict[str, str], said: str) -> None:
    answer = lead.get("/", query_string=query)
    assert answer.status_code == 404
    assert said in answer.text
    assert '<a class="button" href="/agreement">' in answer.text
    assert "<b>x</b>" not in answer.text
    assert len(answer.text) < 5000


def test_without_a_phase_the_only_one_is_meant_and_of_several_one_must_be_named(
    lead: FlaskClient, worked: Store
) -> None:
    assert rows(lead.get("/", query_string=address(FIRST, SECOND, None)).text)[0] == ("none", 0.0)
    with worked.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f1"), annotator=FIRST, phase="2"))
    answer = lead.get("/", query_string=address(FIRST, SECOND, None))
    assert answer.status_code == 404
    assert "Add &amp;phase= with one of 1, 2." in answer.text
    missing = lead.get("/", query_string=address(FIRST, SECOND, "2"))
    assert "has submitted work in phase &#34;2&#34;" in missing.text


def test_two_who_share_no_figure_have_an_empty_slice(lead: FlaskClient, worked: Store) -> None:
    with worked.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("alone"), annotator="Loner", minutes=1))
    html = lead.get("/", query_string=address("Loner", THIRD)).text
    assert "No common figures" in html
    assert "no figure in common" in html


def test_names_that_hold_no_more_do_not_keep_anybody_from_saving(lead: FlaskClient) -> None:
    state = lead.get("/api/figures/none", query_string=address("p-gone", "p-lost")).get_json()
    assert state["next_url"] is None
    saved = lead.post(
        "/api/figures/none/decision",
        query_string=address("p-gone", "p-lost", "9"),
        json=a_draft(),
        headers={"X-CSRFToken": state["csrf"]},
    )
    assert saved.status_code == 200
    assert saved.get_json()["next_url"] is None


def test_annotators_are_refused_slices_and_strangers_come_back_to_them(worked: Store, sign_in: SignIn) -> None:
    assert sign_in("ann").get("/", query_string=address(FIRST, SECOND)).status_code == 403
    sent = sign_in("").get("/?gold=p-a&predicted=p-b&phase=1")
    assert sent.status_code == 302
    assert "gold" in sent.location


@pytest.mark.slow
def test_new_work_changes_a_slice_at_once(lead: FlaskClient, worked: Store) -> None:
    assert dict(rows(lead.get("/", query_string=address(FIRST, SECOND)).text))["none"] == 0.0
    with worked.transaction() as tx:
        tx.annotations.add(
            an_annotation(a_figure("none"), annotator=SECOND, subfigures=(a_subfigure(),), minutes=1)
        )
    assert dict(rows(lead.get("/", query_string=address(FIRST, SECOND)).text))["none"] == 1.0
    save(lead, figure="none")
    assert dict(rows(lead.get("/", query_string=address(FIRST, SECOND)).text))["none"] == 1.0
