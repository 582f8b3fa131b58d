"""Accounts, the dashboard and feedback in a real browser, under the production CSP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from builders import a_decision, a_figure, a_subfigure, an_annotation
from PIL import Image
from web_browser.figures import LATE_BATCH
from web_browser.signing_in import PASSWORD, signed_in, windows

from annotator.accounts import people
from annotator.accounts.invitations import invite
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role, Task

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.live

PEOPLE = ("Annette", "Konstantinos Papadopoulos-Wilkinson of the Second Reading Room", "Bodo")
RIGHT = (400, 0, 800, 600)
NEW = "another good one"
PAGES = ("dashboard", "sign-ins", "account", "feedback", "feedback?annotator=Bodo")
OWN = ("account", "feedback", "feedback/figures/f1?phase=1")
#: What runs out of the page to the side.
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """f1 is settled, and Bodo lacks a word, a panel and half a box there; f2 is open."""
    made = Home.create(tmp_path / "campaign")
    file = made.path / "campaign.toml"
    file.write_text(
        file.read_text(encoding="utf-8") + LATE_BATCH + "\n[view]\nfeedback = true\n", encoding="utf-8"
    )
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    return Home.find(made.path)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.open_store()
    other = a_subfigure("B", box=RIGHT, tokens=(10, 12, 13))
    now = datetime.now(UTC)
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            figure = a_figure(name, image="images/f.png")
            tx.figures.add(figure)
            tx.tasks.add([Task(name, person, "1") for person in PEOPLE])
            tx.tasks.add([Task(name, "Annette", "weekly", batch=int(name[1:]), released=name == "f1")])
            for person in PEOPLE[:1] + PEOPLE[2:]:
                own = (
                    (a_subfigure(tokens=(4, 6), box=(0, 0, 250, 600)),)
                    if person == "Bodo"
                    else (a_subfigure(), other)
                )
                work = an_annotation(figure, annotator=person, subfigures=own, seconds=75)
                tx.annotations.add(replace(work, saved_at=now - timedelta(hours=3)))
        tx.decisions.add(
            a_decision(a_figure("f1", image="images/f.png"), reviewer="rev", decided_at=now, seconds=30)
        )
    score_disagreement(store, home.campaign)
    roles = {"lead": Role.LEAD, "rev": Role.REVIEWER, "Bodo": Role.ANNOTATOR}
    for name, role in roles.items():
        people.add_person(store, name, roles=[role], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(home: Home, store: Store) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(home, store) as server:
        yield server


def test_the_form_lets_people_in_to_where_they_work(lend: Lend, server: AdjudicationServer) -> None:
    for name, address in (("rev", server.url), ("Bodo", f"{server.url}account")):
        page = lend()
        page.goto(server.url)
        page.fill("input[name=name]", name)
        page.fill("input[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(address)


@windows()
def test_nothing_runs_out_of_any_page(lend: Lend, server: AdjudicationServer, width: int, scheme: str) -> None:
    page, problems = signed_in(lend, server, "lead", width=width, scheme=scheme)
    for address in PAGES:
        page.goto(server.url + address)
        assert not page.evaluate(TOO_WIDE), address
    own, also = signed_in(lend, server, "Bodo", width=width, scheme=scheme, at="account")
    for address in OWN:
        own.goto(server.url + address)
        assert not own.evaluate(TOO_WIDE), address
    assert problems == also == []


def test_a_lead_goes_from_the_dashboard_to_a_slice_and_to_a_persons_work(
    lend: Lend, server: AdjudicationServer
) -> None:
    page, problems = signed_in(lend, server, "lead")
    page.get_by_role("link", name="Dashboard").click()
    page.wait_for_selector("#matrix")
    page.locator("#matrix a.cell").first.click()
    page.wait_for_selector(".slice")
    page.go_back()
    page.locator("#progress").get_by_role("link", name="Bodo").click()
    page.wait_for_selector("#differing")
    assert page.locator("h1").inner_text() == "Bodo compared to gold"
    assert "Bodo" not in page.url
    assert problems == []


def test_an_annotator_sees_both_sides_drawn_where_they_lie(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = signed_in(lend, server, "Bodo", at="account")
    page.get_by_role("link", name="your work compared to gold").click()
    page.locator("#differing h3 a").first.click()
    page.wait_for_url("**/feedback/figures/*")
    image = page.locator(".picture img").bounding_box()
    own = page.locator(".picture .own .over").bounding_box()
    gold = page.locator(".picture .gold .over").first.bounding_box()
    assert image
    assert own
    assert gold
    assert own["width"] / image["width"] == pytest.approx(250 / 800, abs=0.02)
    assert gold["width"] / image["width"] == pytest.approx(400 / 800, abs=0.02)
    said = page.locator(".panel-beside").all_inner_texts()
    assert "Missing text: “lung”." in said[0]
    assert "Missing box: only the gold has one here." in said[1]
    assert page.locator(".caption-text mark.gold").first.inner_text().strip() == "lung"
    assert problems == []


def test_a_changed_password_signs_out_everywhere_else(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = signed_in(lend, server, "rev")
    other, _ = signed_in(lend, server, "rev")
    page.get_by_role("link", name="rev").click()
    for field, value in (("old", PASSWORD), ("new", NEW), ("again", NEW)):
        page.fill(f"input[name={field}]", value)
    page.keyboard.press("Enter")
    page.get_by_text("Password changed.").wait_for()
    other.reload()
    other.wait_for_url("**/login*")
    assert problems == []


def test_a_link_lets_a_person_set_their_own_password_and_in(
    lend: Lend, server: AdjudicationServer, home: Home, store: Store
) -> None:
    token = invite(home, store, "rev")
    page = lend()
    page.goto(f"{server.url}welcome/{token}")
    page.fill("input[name=new]", NEW)
    page.fill("input[name=again]", NEW)
    page.keyboard.press("Enter")
    page.wait_for_url(server.url)
    assert page.goto(f"{server.url}welcome/{token}").status == 404


@pytest.mark.parametrize(
    ("address", "width"), [("sign-ins", 390), ("campaign/people", 390), ("campaign/people", 1024)]
)
def test_in_a_narrow_window_nothing_of_the_people_is_beyond_it(
    lend: Lend, server: AdjudicationServer, address: str, width: int
) -> None:
    page, problems = signed_in(lend, server, "lead", width=width, at=address)
    wide = "each => each.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length"
    assert page.locator(".scroll").count() > 0
    assert page.locator(".scroll").evaluate_all(wide) == 0
    assert (page.evaluate(TOO_WIDE), problems) == (False, [])
