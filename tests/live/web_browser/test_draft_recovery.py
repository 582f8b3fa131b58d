"""Unsaved work survives whatever happens to page and connection, and is sent once. Each test ends by proving that
nothing was said on the console (the `screen` fixture), where no error is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from web_browser.conftest import Screen
from web_browser.figures import CAPTION, PANELS, a_state, ids

pytestmark = pytest.mark.live

Open = Callable[..., Screen]

ROW = ".aj-notice"


def text_of_a(made: Screen) -> list[int]:
    """The tokens that were posted last for subfigure A."""
    return next(part["tokens"] for part in made.saved()["subfigures"] if part["label"] == "A")


def told(made: Screen) -> str:
    """What the row over the panes says, once it is there."""
    made.page.locator(ROW).wait_for()
    return made.page.locator(ROW).inner_text()


def decided(reviewer: str, version: int, subfigures: list[dict[str, Any]], note: str = "") -> dict[str, Any]:
    """A decision as the server tells it."""
    return {
        "version": version,
        "status": "accepted",
        "subfigures": subfigures,
        "note": note,
        "reviewer": reviewer,
        "decided_at": "2026-11-21T10:00:00Z",
        "based_on": [],
    }


def test_work_and_note_survive_a_reload_and_are_told(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("0", "m")
    made.page.keyboard.type("looked twice")
    made.page.reload()
    made.ready()
    assert "restored" in told(made)
    made.press("Enter")
    assert text_of_a(made) == []
    assert made.stub.posts[-1]["note"] == "looked twice"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (390, 844)])
def test_what_waits_for_an_answer_lies_over_nothing_and_can_be_pressed(
    screen: Open, width: int, height: int
) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.page.set_viewport_size({"width": width, "height": height})
    made.hold_seconds()
    made.stub.answers.append((503, {"error": "the store is busy"}))
    made.press("0", "Enter")
    assert "Not saved." in told(made)
    beside_the_panes(made)
    made.page.reload()
    made.ready()
    assert "restored" in told(made)
    beside_the_panes(made)
    made.stub.state |= {"version": 1, "decision": decided("rev2", 1, [])}
    made.page.reload()
    made.ready()
    assert "rev2 decided since" in told(made)
    beside_the_panes(made)


def beside_the_panes(made: Screen) -> None:
    """Check that the row ends where the panes begin, within the window, and that its buttons are reached."""
    row, panes = (made.page.locator(each).bounding_box() for each in (ROW, ".panes"))
    assert row is not None
    assert panes is not None
    assert row["y"] + row["height"] <= panes["y"] + 1
    assert row["x"] + row["width"] <= (made.page.viewport_size or {})["width"]
    for button in made.page.locator(f"{ROW} button").all():
        button.click(trial=True)


def test_the_panes_stay_where_they_are_when_a_draft_is_restored_or_a_save_fails(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.hold_seconds()
    place = made.page.locator(".panes").bounding_box()
    made.stub.answers.append((503, {"error": "the store is busy"}))
    made.press("0", "Enter")
    told(made)
    assert made.page.locator(".panes").bounding_box() == place
    made.page.reload()
    made.ready()
    told(made)
    assert made.page.locator(".panes").bounding_box() == place


def test_a_restored_draft_is_discarded_with_one_key_and_undo_brings_it_back(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("0")
    made.page.reload()
    made.ready()
    told(made)
    made.press("d")
    assert made.page.locator(ROW).count() == 0
    assert made.page.locator("[aria-selected=true]").count() > 0
    made.press("Control+z", "Enter")
    assert text_of_a(made) == []


def test_a_discarded_draft_is_gone_after_the_next_reload(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("0")
    made.page.reload()
    made.ready()
    told(made)
    made.press("d")
    made.page.reload()
    made.ready()
    assert made.page.locator(ROW).count() == 0
    made.press("Enter")
    assert text_of_a(made) != []


def test_a_draft_belongs_to_its_campaign(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("0")
    made.stub.campaign = "campaign-2"
    made.page.reload()
    made.ready()
    assert made.page.locator(ROW).count() == 0
    made.stub.campaign = "campaign-1"
    made.page.reload()
    made.ready()
    assert "restored" in told(made)


def test_where_a_colleague_decided_since_the_draft_is_offered_and_not_forced_on(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("0")
    theirs = [
        {"label": part["label"], "box": list(PANELS[part["label"]]), "tokens": part["tokens"]}
        for part in made.stub.state["candidates"]
    ]
    made.stub.state |= {"version": 1, "decision": decided("rev2", 1, theirs)}
    made.page.reload()
    made.ready()
    said = told(made)
    assert "rev2 decided since" in said
    assert "A:" in said
    assert made.page.locator("[aria-selected=true]").count() > 0
    made.press("u")
    assert made.page.locator("[aria-selected=true]").count() == 0
    made.press("Enter")
    assert text_of_a(made) == []
    assert made.stub.posts[-1]["version"] == 1


def test_an_offer_put_off_comes_again_and_a_draft_on_another_caption_is_only_told(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("0")
    made.stub.state |= {"version": 1, "decision": decided("rev2", 1, [])}
    for _ in range(2):
        made.page.reload()
        made.ready()
        assert "rev2 decided since" in told(made)
        made.press("Escape")
        assert made.page.locator(ROW).count() == 0
    made.stub.state |= {"revision": 2}
    made.page.reload()
    made.ready()
    assert "another caption or image" in told(made)
    assert made.page.get_by_role("button", name="Restore").count() == 0


def test_a_lost_connection_is_told_and_the_decision_goes_out_by_itself_when_it_is_back(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.hold_seconds()
    made.page.context.set_offline(True)
    made.until("document.querySelector('.saved').textContent.startsWith('Offline')")
    made.press("0", "Enter")
    assert "Next try in" in told(made)
    assert made.stub.posts == []
    made.page.context.set_offline(False)
    assert text_of_a(made) == []
    assert len(made.stub.posts) == 1


def test_a_busy_server_is_asked_again_by_itself(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.hold_seconds()
    made.stub.answers += [(503, {"error": "the store is busy"})] * 2
    made.press("Enter")
    assert "The store is busy. Next try in 2 s." in told(made).replace("\n", " ")
    assert made.pass_seconds(2) == 2
    made.until("document.querySelector('.aj-notice').textContent.includes('Next try in 4 s.')")
    assert made.pass_seconds(4) == 4
    made.left()
    assert len(made.stub.posts) == 3


def test_a_decision_whose_answer_was_lost_is_not_made_twice(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.hold_seconds()
    stub = made.stub
    stub.answers.append((0, {}))
    made.press("0", "Enter")
    told(made)
    sent = stub.posts[0]
    current = decided(stub.state["reviewer"], 1, sent["subfigures"], sent["note"])
    stub.answers.append((409, {"error": "decided", "version": 1, "current": current, "conflict": None}))
    made.pass_seconds(2)
    made.left()
    assert made.page.url.endswith("/figures/f2")
    assert len(stub.posts) == 2


def test_work_that_went_on_is_not_sent_until_the_reviewer_says_so(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.hold_seconds()
    made.stub.answers += [(503, {"error": "busy"})]
    made.press("Enter")
    told(made)
    made.press("0")
    assert "Next try" not in told(made)
    assert made.pass_seconds(3) == 0
    assert len(made.stub.posts) == 1
    made.press("Enter")
    assert text_of_a(made) == []


def test_a_save_that_arrived_though_the_page_was_closed_is_no_draft(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.hold_seconds()
    made.stub.answers.append((0, {}))
    made.press("0", "Enter")
    told(made)
    sent = made.stub.posts[0]
    made.stub.state |= {"version": 1, "decision": decided("rev1", 1, sent["subfigures"])}
    made.page.reload()
    made.ready()
    assert made.page.locator(ROW).count() == 0
    assert ids(CAPTION, "Left")[0] not in sent["subfigures"][0]["tokens"]
