"""Who sees whose feedback, and that it names nobody else."""

from __future__ import annotations

import re

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, PASSWORD
from web.conftest import SignIn

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.campaign import Role

ZEB, YOLANDA = ANNOTATORS[:2]


@pytest.fixture
def home(home: Home, request: pytest.FixtureRequest) -> Home:
    """Feedback is open, unless a test asks for the default."""
    if getattr(request, "param", "") == "closed":
        return home
    file = home.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + "\n[view]\nfeedback = true\n", encoding="utf-8")
    return Home.find(home.path)


@pytest.fixture(autouse=True)
def _settled(store: Store) -> None:
    """f1 is settled by rev1, on Yolanda's work: Zeb lacks a word there. Both have accounts."""
    gold = (a_subfigure(tokens=(4, 6, 7)), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)))
    with store.transaction() as tx:
        tx.decisions.add(
            a_decision(a_figure("f1", references=("See Fig 1.",)), subfigures=gold, based_on=(YOLANDA,),
                       note=f"{YOLANDA} is right")
        )  # fmt: skip
    for name in (ZEB, YOLANDA):
        people.add_person(store, name, roles=[Role.ANNOTATOR], password=PASSWORD)


def pages_of(client: FlaskClient) -> str:
    """Every page of one's feedback, in one text."""
    listed = client.get("/feedback").text
    links = set(re.findall(r'href="(/feedback/figures/[^"]*)"', listed))
    return "\n".join([listed, *(client.get(link.replace("&amp;", "&")).text for link in links)])


def test_an_annotator_sees_where_their_own_work_differs_and_how(sign_in: SignIn) -> None:
    client = sign_in(ZEB)
    html = client.get("/feedback").text
    assert "Missing text: “lung”." in html
    assert 'href="/feedback/figures/f1?phase=1"' in html
    figure = client.get("/feedback/figures/f1?phase=1")
    assert figure.status_code == 200
    assert '<mark class="gold"> lung</mark>' in figure.text or '<mark class="gold">lung</mark>' in figure.text
    assert (figure.text.count('<g class="gold"'), figure.text.count('<g class="own"')) == (2, 2)


def test_whoever_differs_nowhere_is_told_so(sign_in: SignIn) -> None:
    assert "all figures match the gold" in sign_in(YOLANDA).get("/feedback").text


@pytest.mark.parametrize("name", [ZEB, YOLANDA])
def test_nobody_else_is_named_anywhere(sign_in: SignIn, name: str) -> None:
    text = pages_of(sign_in(name))
    assert name in text  # one's own, in the header
    others = {*ANNOTATORS, "rev1", "rev2", "lead"} - {name}
    # No reviewer, no other annotator, nor the note in which one stands.
    assert [other for other in others if re.search(rf"\b{re.escape(other)}\b", text)] == []
    assert not re.search(r"\bp-[a-z2-7]{10}\b", text)


def test_nobody_sees_another_annotators(sign_in: SignIn) -> None:
    zeb, lead = sign_in(ZEB), sign_in("lead")
    keys = dict(
        (name, key)
        for key, name in re.findall(r'<option value="(p-[^"]+)"[^>]*>([^<]+)<', lead.get("/feedback").text)
    )
    assert set(keys) == set(ANNOTATORS)
    for given in (YOLANDA, keys[YOLANDA], "nobody"):
        for address in ("/feedback", "/feedback/figures/f1"):
            answer = zeb.get(address, query_string={"annotator": given, "phase": "1"})
            assert answer.status_code == 403, (address, given)
    assert zeb.get("/feedback", query_string={"annotator": keys[ZEB]}).status_code == 200


def test_a_lead_chooses_whose_and_sees_what_they_see(sign_in: SignIn) -> None:
    lead = sign_in("lead")
    assert "Choose an annotator" in lead.get("/feedback").text
    html = lead.get("/feedback", query_string={"annotator": ZEB}).text
    assert f"<h1>{ZEB} compared to gold</h1>" in html
    assert "Missing text: “lung”." in html
    link = re.search(r'href="(/feedback/figures/f1[^"]*)"', html)
    assert link is not None
    assert ZEB not in link[1]
    assert lead.get(link[1].replace("&amp;", "&")).status_code == 200
    assert lead.get("/feedback?annotator=nobody").status_code == 404


@pytest.mark.parametrize("kind", ["image", "thumbnail"])
def test_images_are_those_of_ones_feedback_only(sign_in: SignIn, store: Store, kind: str) -> None:
    zeb = sign_in(ZEB)
    assert zeb.get(f"/feedback/figures/f1/{kind}").status_code == 200
    # f2 is not settled, nope is no figure, and the reviewers' images stay theirs.
    assert zeb.get(f"/feedback/figures/f2/{kind}").status_code == 404
    assert zeb.get(f"/feedback/figures/nope/{kind}").status_code == 404
    assert zeb.get(f"/figures/f1/{kind}").status_code == 403
    assert sign_in("lead").get(f"/feedback/figures/f2/{kind}").status_code == 200


@pytest.mark.parametrize(
    "address",
    ["/feedback?phase=9", "/feedback/figures/f1?phase=9", "/feedback/figures/f2?phase=1", "/feedback/figures/f1"],
)
def test_what_is_not_there_is_told(sign_in: SignIn, address: str) -> None:
    assert sign_in(ZEB).get(address).status_code == 404


def test_an_annotator_who_signs_in_lands_on_their_account_and_finds_the_page(sign_in: SignIn) -> None:
    client = sign_in(ZEB)
    assert client.get("/login").location == "/account"
    html = client.get("/account").text
    assert 'href="/feedback"' in html
    assert 'href="/agreement"' not in html


@pytest.mark.parametrize("home", ["closed"], indirect=True)
@pytest.mark.parametrize("address", ["/feedback", "/feedback/figures/f1?phase=1", "/feedback/figures/f1/image"])
def test_it_is_closed_to_annotators_unless_the_lead_opens_it(sign_in: SignIn, home: Home, address: str) -> None:
    answer = sign_in(ZEB).get(address)
    assert answer.status_code == 403
    assert "not enabled" in answer.text
    assert "lung" not in answer.text
    assert 'href="/feedback"' not in sign_in(ZEB).get("/account").text
    assert sign_in("lead").get("/feedback", query_string={"annotator": ZEB}).status_code == 200


def test_captions_ids_and_names_are_shown_as_text(sign_in: SignIn, store: Store) -> None:
    evil = "<img src=x onerror=alert(1)>\u202e😀\"'&"
    figure = a_figure(evil, caption=f"{evil} caption")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, annotator=ZEB, subfigures=(a_subfigure(evil, tokens=(0, 1)),)))
        tx.decisions.add(a_decision(figure, subfigures=(a_subfigure(evil, tokens=(0, 1, 2, 3)),)))
    text = pages_of(sign_in(ZEB))
    assert "<img src=x" not in text
    assert "&lt;img src=x" in text


def test_a_phase_without_decisions_leads_to_those_that_have_some(home: Home, sign_in: SignIn) -> None:
    file = home.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + '[[phases]]\nname = "later"\n', encoding="utf-8")
    page = sign_in(ZEB).get("/feedback?phase=later")
    assert page.status_code == 200
    assert "No figures to compare yet" in page.text
    assert 'href="/feedback?phase=1"' in page.text


def test_a_campaign_of_human_evaluation_says_that_there_is_nothing_to_compare(home: Home, sign_in: SignIn) -> None:
    annotator = sign_in(ZEB)
    assert 'href="/feedback"' in annotator.get("/account").text
    (home.path / "campaign.toml").write_text(
        'name = "Lungs"\nlabels = ["A"]\n[[phases]]\nname = "1"\ntask_type = "human-eval"\n'
        "[view]\nfeedback = true\n"
    )
    assert 'href="/feedback"' not in annotator.get("/account").text
    assert "Nothing to compare here" in annotator.get("/feedback").text
