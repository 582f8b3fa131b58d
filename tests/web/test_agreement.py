"""The agreement page: the numbers are the report's, and nobody is named to those who must not know."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from builders import a_figure, a_subfigure, an_annotation
from click.testing import CliRunner
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, PASSWORD, post_login, without_token
from web.conftest import SignIn

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.cli.agreement.main import group
from annotator.operations.rename_person import rename
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Role

_VALUE = re.compile(r'<data [^>]*value="([^"]+)"')


def values(html: str) -> list[float]:
    """The exact numbers of a piece of a page, in order."""
    return [float(found) for found in _VALUE.findall(html)]


def part(html: str, opening: str, closing: str) -> str:
    """What stands between two texts."""
    assert opening in html
    return html.partition(opening)[2].partition(closing)[0]


def cells(html: str) -> dict[tuple[str, str], tuple[str, str]]:
    """The matrix: (gold, predicted) as shown -> address and content of the cell."""
    table = part(html, '<table class="matrix"', "</table>")
    names = [unescape(name) for name in re.findall(r'<th scope="col" title="([^"]*)"', table)]
    found = {}
    for row in table.partition("<tbody>")[2].split("<tr>")[1:]:
        gold = unescape(part(row, '<th scope="row" title="', '"'))
        columns = re.findall(r"<td [^>]*>(.*?)</td>", row, re.DOTALL)
        assert len(columns) == len(names)
        for predicted, content in zip(names, columns, strict=True):
            if "href" in content:
                found[gold, predicted] = (unescape(part(content, 'href="', '"')), content)
            else:
                assert gold == predicted
    return found


def told_by_command(home: Home, phase: str = "1") -> dict[str, object]:
    done = CliRunner().invoke(group, ["report", "--home", str(home.path), "--phase", phase, "--format", "json"])
    assert done.exit_code == 0, done.output
    record: dict[str, object] = json.loads(done.stdout)
    return record


@pytest.mark.slow
def test_the_numbers_are_those_of_the_report_command_to_the_last_bit(sign_in: SignIn, home: Home) -> None:
    html, told = sign_in("lead").get("/agreement").text, told_by_command(home)
    assert values(part(html, 'id="iaa-value"', "</p>")) == [told["iaa"]]
    assert told["iaa"] != 1.0
    matrix = cells(html)
    assert len(matrix) == len(told["pairs"]) == 6
    for pair in told["pairs"]:
        _, content = matrix[pair["gold"], pair["predicted"]]
        assert values(content) == [pair["score"], *(pair["interval"] or ())]
        assert pair["interval"] or pair["interval_reason"] in content
        assert f"{pair['counted']} scored" in content
    people = part(html, 'id="people"', "</table>").split("<tr>")[2:]
    for row, person in zip(people, told["annotators"], strict=True):
        assert f'title="{person["annotator"]}"' in row
        shown = [person["as_gold"], person["as_predicted"], person["iaa_without"]]
        assert values(row) == [each for each in shown if each is not None]
    lost = part(html, 'id="losses"', "</table>")
    assert sorted(values(lost)) == sorted(each for each in told["losses"].values() if each)
    worst = [each for each in told["figures"] if each["score"] != 1.0]
    assert values(part(html, 'id="worst"', "</table>")) == [each["score"] for each in worst]
    chance = part(html, 'id="chance"', "</table>")
    for each in told["categories"]:
        row = part(chance, f'<th scope="row">{each["name"].capitalize()}', "</tr>")
        shown = [each["observed"], each["fleiss_kappa"], each["gwet_ac1"], each["alpha"]]
        assert values(row) == [number for number in shown if number is not None]
    assert values(chance)[-2:] == [told["token_alpha"]["nominal"], told["joint_agreement"]["alpha"]]
    pairs = [each[key] for each in told["status"] for key in ("observed", "kappa")]
    assert values(part(html, 'id="statuses"', "</table>")) == [each for each in pairs if each is not None]
    settings = part(html, 'id="settings"', "</dl>")
    for text in (told["mode"], str(told["min_iou"]), told["common"], f"10,000, {told['seed']}"):
        assert text in settings


@pytest.fixture
def uneven(store: Store, home: Home) -> str:
    """A figure in which one annotator draws three panels and another one of them: averages of it differ."""
    figure = a_figure("uneven")
    boxes = ((0, 0, 200, 200), (300, 0, 500, 200), (600, 0, 800, 200))
    drawn = tuple(a_subfigure(label, box=box) for label, box in zip("ABC", boxes, strict=True))
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, annotator=ANNOTATORS[0], subfigures=drawn))
        tx.annotations.add(an_annotation(figure, annotator=ANNOTATORS[1], subfigures=drawn[:1]))
    score_disagreement(store, home.campaign)
    return figure.id


def test_a_figure_has_one_agreement_in_the_queue_on_its_screen_and_on_the_page(
    sign_in: SignIn, home: Home, uneven: str
) -> None:
    client = sign_in("lead")
    queue = part(client.get("/").text, 'id="queue"', "</table>")
    row = next(row for row in queue.split("<tr") if f'href="/figures/{uneven}"' in row)
    worst = part(client.get("/agreement").text, 'id="worst"', "</table>")
    place = next(row for row in worst.split("<tr") if f'href="/campaign/figures/{uneven}"' in row)
    state = client.get(f"/api/figures/{uneven}").get_json()
    told = told_by_command(home)["figures"]
    assert isinstance(told, list)
    (record,) = (each for each in told if each["figure_id"] == uneven)
    found = {values(row)[0], values(place)[0], state["agreement"], record["score"]}
    assert found == {(1 / 3 + 1) / 2}
    assert ">0.667</data>" in row
    assert ">0.667</data>" in place


def test_causes_have_one_set_of_names_in_queue_page_and_report(sign_in: SignIn, home: Home, uneven: str) -> None:
    client = sign_in("lead")
    report = ["report", "--home", str(home.path), "--format"]
    shown = {
        "queue": client.get("/").text,
        "page": client.get("/agreement").text,
        "text": CliRunner().invoke(group, [*report, "text"]).stdout,
        "html": CliRunner().invoke(group, [*report, "html"]).stdout,
    }
    for name, html in shown.items():
        text = unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL)).lower()
        assert "missing box" in text, name
        for old in ("no box", "another panel's text", "boundary of the text", "surplus", "text that one"):
            assert old not in text, (name, old)
    assert client.get("/?loss=no box").status_code == 200


@pytest.mark.slow
def test_a_cell_leads_to_its_slice_and_a_worst_figure_to_its_screen(sign_in: SignIn) -> None:
    client = sign_in("lead")
    html = client.get("/agreement").text
    for (gold, predicted), (address, _) in cells(html).items():
        page = client.get(address)
        assert page.status_code == 200
        assert f"<strong>{gold}</strong> as gold, <strong>{predicted}</strong> as predictor" in page.text
    screen = re.search(r'<td class="figure"><a href="([^"]+)"', part(html, 'id="worst"', "</table>"))
    assert screen is not None
    assert screen[1] == "/campaign/figures/f1"
    assert client.get(screen[1]).status_code == 200


def test_leads_see_names_and_reviewers_the_numbers_of_the_queues_filter(sign_in: SignIn) -> None:
    lead, reviewer = sign_in("lead").get("/agreement").text, sign_in("rev1").get("/agreement").text
    assert {gold for gold, _ in cells(lead)} == set(ANNOTATORS)
    assert not any(name in reviewer for name in ANNOTATORS)
    assert {gold for gold, _ in cells(reviewer)} == {"Annotator 1", "Annotator 2", "Annotator 3"}
    offered = dict(re.findall(r'<option value="(p-[^"]+)">(Annotator \d) \(', sign_in("rev1").get("/").text))
    for (gold, _), (address, _) in cells(reviewer).items():
        (key,) = parse_qs(urlsplit(unescape(address)).query)["gold"]
        assert offered[key] == gold
    assert {address for address, _ in cells(lead).values()} == {address for address, _ in cells(reviewer).values()}
    assert not any(name in address for address, _ in cells(lead).values() for name in ANNOTATORS)


def test_annotators_are_listed_by_their_numbers(sign_in: SignIn) -> None:
    html = sign_in("rev1").get("/agreement").text
    names = re.findall(r'<th scope="col" title="([^"]*)"', html)
    assert names == sorted(names)
    rows = re.findall(r'<th scope="row" title="([^"]*)"', part(html, 'id="people"', "</table>"))
    assert rows == names


def test_annotators_and_strangers_are_refused(sign_in: SignIn) -> None:
    refused = sign_in("ann").get("/agreement")
    assert refused.status_code == 403
    assert "/agreement" not in refused.text
    sent = sign_in("").get("/agreement?phase=1")
    assert sent.status_code == 302
    assert sent.location.startswith("/login?next=/agreement")


def test_the_queue_and_the_page_lead_to_each_other(client: FlaskClient) -> None:
    assert 'href="/agreement"' in client.get("/").text
    html = client.get("/agreement").text
    assert '<a href="/agreement" aria-current="page">' in html
    assert '<a href="/">Queue</a>' in html


def test_new_work_is_on_the_page_at_once(sign_in: SignIn, store: Store, home: Home) -> None:
    client = sign_in("lead")
    before = client.get("/agreement").text
    assert without_token(client.get("/agreement").text) == without_token(before)
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f2"), annotator=ANNOTATORS[0], subfigures=(), minutes=1))
    after = client.get("/agreement").text
    assert values(part(after, 'id="iaa-value"', "</p>")) == [told_by_command(home)["iaa"]]
    assert values(part(after, 'id="iaa-value"', "</p>")) != values(part(before, 'id="iaa-value"', "</p>"))


@pytest.mark.slow
def test_a_replaced_caption_and_a_renamed_person_are_on_the_page_at_once(
    sign_in: SignIn, store: Store, home: Home
) -> None:
    client = sign_in("lead")
    first = cells(client.get("/agreement").text)
    rename(home, store, ANNOTATORS[0], "Wilhelmina-Q")
    renamed = cells(client.get("/agreement").text)
    assert {gold for gold, _ in renamed} == {"Wilhelmina-Q", *ANNOTATORS[1:]}
    # The address of a pair outlives the name.
    assert renamed["Wilhelmina-Q", ANNOTATORS[1]][0] == first[ANNOTATORS[0], ANNOTATORS[1]][0]
    with store.transaction() as tx:
        replaced = tx.figures.replace(a_figure("f1", caption="Another (A) caption."))
        for name, tokens in zip(ANNOTATORS[1:], ((0,), (0, 4)), strict=True):
            tx.annotations.add(
                an_annotation(replaced, annotator=name, subfigures=(a_subfigure(tokens=tokens),), minutes=1)
            )
    html = client.get("/agreement").text
    assert values(part(html, 'id="iaa-value"', "</p>")) == [told_by_command(home)["iaa"]]


@pytest.mark.slow
def test_each_phase_has_its_own_numbers_and_an_empty_one_says_what_to_do(
    sign_in: SignIn, store: Store, home: Home
) -> None:
    with store.transaction() as tx:
        for name in ANNOTATORS[:2]:
            tx.annotations.add(an_annotation(a_figure("f1"), annotator=name, phase="second"))
    client = sign_in("lead")
    second = client.get("/agreement?phase=second").text
    assert values(part(second, 'id="iaa-value"', "</p>")) == [told_by_command(home, "second")["iaa"]] == [1.0]
    assert "Perfect agreement" in second
    assert "No figure has disagreement" in second
    first = client.get("/agreement?phase=1").text
    assert values(part(first, 'id="iaa-value"', "</p>")) == [told_by_command(home, "1")["iaa"]]
    assert 'aria-current="page">Phase second' in client.get("/agreement").text
    # What stands beside a term in a heading is a word, for a comma of its own would begin a line.
    heading = part(first, 'class="agreement"', "</th>")
    assert heading.rpartition("</span>")[2] == " in phase 1"


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["9", "", "<script>alert(1)</script>", "p" * 3000, "\x00", "1 "])
def test_an_unknown_phase_is_a_page_that_says_so(client: FlaskClient, phase: str) -> None:
    answer = client.get("/agreement", query_string={"phase": phase})
    assert answer.status_code == 404
    assert "is not in this campaign" in answer.text
    assert "It has 1." in answer.text
    assert '<a class="button" href="/agreement">' in answer.text
    assert "<script>alert" not in answer.text
    assert len(answer.text) < 5000


def test_what_is_undefined_has_its_reason_and_names_nobody(sign_in: SignIn, store: Store) -> None:
    with store.transaction() as tx:
        for number, name in enumerate(("Alone-Q", "Apart-Q")):
            tx.figures.add(a_figure(f"own{number}"))
            tx.annotations.add(an_annotation(a_figure(f"own{number}"), annotator=name, phase="apart"))
        tx.annotations.add(an_annotation(a_figure("f1"), annotator="Alone-Q", phase="alone"))
    for name, people in (("lead", {"Alone-Q", "Apart-Q"}), ("rev1", set())):
        client = sign_in(name)
        apart = client.get("/agreement?phase=apart").text
        assert "No figure in common" in part(apart, "Inter-annotator agreement", "</section>")
        assert all("no figure in common" in content for _, content in cells(apart).values())
        assert len(cells(apart)) == 2
        assert 'id="losses"' not in apart
        alone = client.get("/agreement?phase=alone").text
        assert "One annotator only" in alone or "one annotator only" in alone
        assert 'id="matrix"' not in alone
        assert {each for each in ("Alone-Q", "Apart-Q") if each in apart + alone} == people


def test_figures_left_out_are_told(sign_in: SignIn, store: Store) -> None:
    with store.transaction() as tx:
        tx.annotations.add(
            an_annotation(
                a_figure("f2"), annotator=ANNOTATORS[0], status=Status.REJECTED, subfigures=(), minutes=1
            )
        )
    assert "1 figure: rejected or left out by one" in sign_in("lead").get("/agreement").text


def test_an_empty_campaign_says_how_to_begin(home: Home) -> None:
    empty = Home.create(home.path.parent / "empty")
    with empty.open_store() as other:
        accounts.add_person(other, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
        client = create_app(empty, other).test_client()
        post_login(client, "rev1", PASSWORD)
        html = client.get("/agreement").text
        assert "No annotations in phase 1 yet" in html


@pytest.mark.slow
def test_names_and_ids_are_shown_as_text(sign_in: SignIn, store: Store) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&"
    with store.transaction() as tx:
        tx.figures.add(a_figure(evil, caption=f"{evil} caption"))
        for number, name in enumerate((evil, "{{ 7 * 7 }}")):
            tokens = (0, 1) if number else (0, 1, 2)
            tx.annotations.add(
                an_annotation(
                    a_figure(evil, caption=f"{evil} caption"),
                    annotator=name,
                    phase=evil,
                    subfigures=(a_subfigure(tokens=tokens),),
                )
            )
    client = sign_in("lead")
    html = client.get("/agreement", query_string={"phase": evil}).text
    matrix = cells(html)
    assert (evil, "{{ 7 * 7 }}") in matrix
    page = client.get(matrix[evil, "{{ 7 * 7 }}"][0]).text
    for text in (html, page, client.get("/agreement").text):
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text


def test_a_page_while_measuring_says_so_and_loads_itself_again(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.dashboards.live_agreement.LiveAgreement.of", lambda *_, **__: (None, False))
    for address in ("/agreement", "/?gold=a&predicted=b&phase=1"):
        answer = client.get(address)
        assert answer.status_code == 202
        assert answer.headers["Refresh"] == "3"
        assert "is being computed" in answer.text


@pytest.mark.slow
def test_every_link_of_the_html_report_leads_to_its_place_in_the_view(
    sign_in: SignIn, home: Home, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    asked = ["report", "--home", str(home.path), "--phase", "1", "--format", "html", "--view", "http://localhost/"]
    done = CliRunner().invoke(group, [*asked, "--out", str(out)])
    assert done.exit_code == 0, done.output
    links = {
        unescape(link) for link in re.findall(r'href="http://localhost(/[^"]*)"', out.read_text(encoding="utf-8"))
    }
    slices = {link for link in links if link.startswith("/?")}
    assert len(slices) == 6
    assert "/figures/f1" in links
    client = sign_in("lead")
    for link in links:
        assert client.get(link).status_code == 200, link
    # A reviewer is not to learn who is who from a report with names.
    for link in slices:
        assert sign_in("rev1").get(link).status_code == 404
