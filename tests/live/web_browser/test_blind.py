"""A whole blind session in a browser, by keyboard, every answer of the server read for what it must not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browsing import Lend
from PIL import Image, ImageDraw
from web.blind_campaign import BLIND, CHEAP, LEFT, PARTS_OF_WORK, RIGHT, SECRET_TEXTS, SECRETS, blind_home
from web_browser.signing_in import signed_in
from web_browser.test_accessibility import grave

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_hasher", CHEAP)
        made = blind_home(tmp_path_factory.mktemp("blind") / "campaign")
        for name in BLIND:
            picture = Image.new("RGB", (800, 600), "white")
            for box, shade in ((LEFT, "#3a4150"), (RIGHT, "#5d534a")):
                ImageDraw.Draw(picture).rectangle(box, fill=shade)
            picture.save(made.images / f"{name}.png")
        yield made


@pytest.fixture(scope="module")
def store(home: Home) -> Iterator[Store]:
    store = home.open_store()
    yield store
    store.close()


@pytest.fixture(scope="module")
def server(home: Home, store: Store) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(home, store) as server:
        yield server


class Ear:
    """Keeps every answer that a page gets, before the page has it: address, status, and headers with the text."""

    def __init__(self, page: Page) -> None:
        self.heard: list[tuple[str, int, str]] = []
        page.route("**/*", self._hear)

    def _hear(self, route: Route) -> None:
        answer = route.fetch(max_redirects=0)
        # Pictures, and what is the same in every campaign, are not read.
        if "/static/" not in answer.url and not answer.headers.get("content-type", "").startswith("image"):
            self.heard.append((answer.url, answer.status, f"{json.dumps(answer.headers)}\n{answer.text()}"))
        route.fulfill(response=answer)


def blind_page(lend: Lend, server: AdjudicationServer, who: str) -> tuple[Page, list[str]]:
    """On the reviewer's list."""
    page, problems = signed_in(lend, server, who)
    page.goto(f"{server.url}blind")
    return page, problems


def ready(page: Page) -> None:
    page.wait_for_selector(".given-boxes rect")
    for _ in range(3000):
        if page.evaluate("document.activeElement.id === 'caption'"):
            return
        page.wait_for_timeout(20)
    raise AssertionError("the caption never had the focus")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def save(page: Page, *keys: str) -> None:
    """Press keys and wait until the screen has gone on."""
    before = page.url
    press(page, *keys)
    page.wait_for_url(lambda url: url != before, timeout=180_000)


def said(page: Page) -> str:
    return page.locator(".live").inner_text()


def own_texts(store: Store, who: str) -> dict[str, list[list[int]]]:
    with store.read() as tx:
        return {
            each.figure.id: [sorted(part.subcaption) for part in each.subfigures]
            for each in tx.annotations.all(phase="2", annotator=who)
        }


def test_a_whole_blind_session_tells_nothing_of_what_others_did(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    """From signing in to the last figure, by keyboard, and every page tried that would tell more."""
    page, problems = signed_in(lend, server, "rev1")
    ear = Ear(page)
    page.goto(f"{server.url}blind")
    press(page, "s")
    ready(page)
    assert page.title() == "Figure 1 of 3, blind · Panelwise"
    # A: two tokens; on to B, which gets a run; then all is written and Enter saves.
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "Space", "]", "Enter")
    assert said(page).startswith("1 to write")
    save(page, *["ArrowRight"] * 5, "Space", "Shift+ArrowRight", "Shift+ArrowRight", "Space", "Enter")
    assert re.search(r"/blind/[0-9a-f]{32}$", page.url)
    ready(page)
    assert page.locator("h1").inner_text() == "Figure 2 of 3"
    press(page, "0", "Enter", "0", "Enter")
    page.wait_for_url(f"{server.url}blind")
    assert set(own_texts(store, "rev1")) == {"f1", "f2"}
    assert own_texts(store, "rev1")["f2"] == [[], []]
    for place in ("", "?show=all", "agreement", "flags", "agreed/", "figures/f1", "figures/f1/history",
                  "api/figures/f1", "api/figures/f1/items", "figures/f2/image", "dashboard"):  # fmt: skip
        page.goto(f"{server.url}{place}")
    wrong = []
    for url, _, text in ear.heard:
        parts = PARTS_OF_WORK if "application/json" in text else ()
        sought = (*SECRETS, *parts, *(json.dumps(list(tokens), separators=(",", ":")) for tokens in SECRET_TEXTS))
        wrong += [(url, each) for each in sought if each in text]
    assert wrong == []
    assert sum("/api/blind/" in url for url, _, _ in ear.heard) == 4
    refused = [url for url, status, _ in ear.heard if status == 403]
    assert len(refused) == 7
    assert [line for line in problems if "403" not in line] == []


def test_boxes_are_given_and_cannot_be_changed(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = blind_page(lend, server, "boss")
    press(page, "s")
    ready(page)
    state = page.evaluate("fetch(document.querySelector('#adjudication').dataset.stateUrl).then(r => r.json())")
    assert [tuple(each["box"]) for each in state["given"]] == [LEFT, RIGHT]

    def boxes() -> list[dict[str, Any]]:
        return page.evaluate(
            "[...document.querySelectorAll('.given-boxes rect')].map(r => [r.dataset.given, r.getAttribute('x'),"
            "r.getAttribute('y'), r.getAttribute('width'), r.getAttribute('height')]).sort()"
        )

    before = boxes()
    right = page.locator("[data-given=g1]").bounding_box()
    assert right is not None
    page.mouse.move(right["x"] + 20, right["y"] + 20)
    page.mouse.down()
    page.mouse.move(right["x"] + 90, right["y"] + 70, steps=4)
    page.mouse.up()
    press(
        page, "n", "b", "l", "m", "q", "r", "Delete", "Alt+ArrowUp", "w", "1", "Shift+1", "v", "t", "h", "Shift+S"
    )
    assert boxes() == before
    assert said(page) == "Boxes and labels are fixed here; you can only mark words."
    assert page.locator(".aj-row.open").count() == 2
    # A click chooses; the arrows still move along the words.
    page.mouse.click(right["x"] + 40, right["y"] + 40)
    assert "B" in page.locator(".aj-row.chosen").inner_text()
    assert page.locator("select, textarea, .readings, .a9s-annotationlayer").count() == 0
    assert problems == []


def test_words_are_undone_redone_and_kept_through_a_reload(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    page, problems = blind_page(lend, server, "rev2")
    press(page, "s")
    ready(page)
    assert "You annotated this figure in phase 1." in page.locator(".aj-panels .remark").inner_text()
    press(page, "Space", "]", "]")
    marked = "[...document.querySelectorAll('.chip.in')].map(chip => Number(chip.dataset.token))"
    assert page.evaluate(marked) == [0, 1, 2]
    press(page, "Control+z", "Control+z", "Control+z")
    assert page.evaluate(marked) == []
    assert page.locator(".aj-row.open").count() == 2
    press(page, "Control+Shift+z", "Control+Shift+z")
    assert page.evaluate(marked) == [0, 1]
    page.reload()
    ready(page)
    assert page.get_by_text("restored").first.is_visible()
    assert page.evaluate(marked) == [0, 1]
    save(page, "x", "Escape", "Enter", "0", "Enter")
    assert own_texts(store, "rev2")["f1"] == [[0, 1], []]
    assert problems == []


def test_another_tab_that_was_faster_is_compared_and_never_overwritten_unseen(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    page, problems = blind_page(lend, server, "rev2")
    page.get_by_role("link", name="Figure 2", exact=True).click()
    ready(page)
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    save(other, "Space", "Enter", "Space", "Enter")
    assert own_texts(store, "rev2")["f2"][0] == [0]
    press(page, "0", "Enter", "0", "Enter")
    page.wait_for_selector("#conflict")
    assert "You saved this figure in another tab or window" in page.locator("#conflict").inner_text()
    assert own_texts(store, "rev2")["f2"][0] == [0]
    press(page, "t")
    assert page.locator(".chip.in").count() == 1
    save(page, "0", "Enter")
    assert own_texts(store, "rev2")["f2"] == [[], [0]]
    assert [line for line in problems if "409" not in line] == []


def test_handing_in_opens_the_figures(lend: Lend, server: AdjudicationServer) -> None:
    page, _ = blind_page(lend, server, "rev1")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_selector(".notice.done")
    page.get_by_role("link", name="Figure 1", exact=True).click()
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    assert page.url == f"{server.url}figures/f1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(lend: Lend, server: AdjudicationServer, scheme: str) -> None:
    page, problems = signed_in(lend, server, "boss", scheme=scheme)
    page.goto(f"{server.url}blind")
    found = grave(page, "the list", scheme)
    press(page, "s")
    ready(page)
    found += grave(page, "the screen", scheme)
    for key in ("?", "x", "g"):
        press(page, key)
        page.wait_for_timeout(100)
        found += grave(page, f"after the key {key}", scheme)
        press(page, "Escape")
    assert (found, problems) == ([], [])
    page.goto(f"{server.url}figures/f1")
    assert grave(page, "a refusal", scheme) == []
