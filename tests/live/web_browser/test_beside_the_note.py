"""What stands beside the subfigures: error kind, question for the guidelines, second reviewer, history, who else
is here, the guidelines themselves. Each test ends by proving that nothing was said on the console."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from web_browser.conftest import Screen
from web_browser.figures import a_state

pytestmark = pytest.mark.live

Open = Callable[..., Screen]

GUIDELINES = {
    "version": "2.1",
    "blocks": [
        {"tag": "h1", "children": ["Spans"]},
        {"tag": "p", "children": ["One ", {"tag": "em", "children": ["span"]}, " <b>each</b>."]},
        {"tag": "script", "children": ["alert(1)"]},
        {"tag": "a", "href": "javascript:alert(1)", "children": ["bad"]},
        {"tag": "a", "href": "https://example.org/", "children": ["good"]},
        *({"tag": "p", "children": [f"Rule {number}"]} for number in range(60)),
    ],
}


def test_error_kind_and_question_for_the_guidelines_are_given_by_keys_and_saved(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("e")
    made.page.keyboard.type("guide")
    made.press("Enter", "q")
    made.page.keyboard.type("is a scale bar text?")
    made.press("Enter", "Shift+S", "Enter")
    post = made.saved()
    assert (post["error_kind"], post["guideline_flag"]) == ("guideline gap", "is a scale bar text?")
    assert post["second"] is True


def test_without_them_nothing_is_flagged_and_nobody_is_asked(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("Shift+S", "Shift+S", "Enter")
    post = made.saved()
    assert (post["error_kind"], post["guideline_flag"], post["second"]) == (None, None, False)


def test_what_a_decision_said_is_shown_and_survives_a_reload_when_changed(screen: Open) -> None:
    state = a_state(agreed=True)
    parts = [{key: part[key] for key in ("label", "box", "tokens")} for part in state["candidates"]]
    state |= {
        "version": 1,
        "decision": {
            "version": 1,
            "status": "accepted",
            "subfigures": parts,
            "note": "n",
            "reviewer": "rev2",
            "decided_at": "2026-11-21T10:00:00Z",
            "based_on": [],
            "error_kind": "slip",
            "guideline_flag": "why?",
        },
    }
    made = screen(state)
    assert made.page.locator("#error-kind").input_value() == "slip"
    assert made.page.locator("#flag").input_value() == "why?"
    made.page.locator("#flag").fill("")
    made.page.reload()
    made.ready()
    assert made.page.locator("#flag").input_value() == ""
    made.press("Enter")
    assert made.saved()["guideline_flag"] is None


def test_history_is_a_key_away_and_a_link(screen: Open) -> None:
    made = screen(a_state())
    assert made.page.get_by_role("link", name="History").get_attribute("href") == "/figures/f1/history"
    made.press("h")
    made.left()
    assert made.page.url.endswith("/figures/f1/history")


def test_a_figure_is_put_off_with_one_key_saving_nothing_and_keeping_the_draft(screen: Open) -> None:
    made = screen(a_state())
    made.press("0", "p")
    made.left()
    assert made.page.url.endswith("/figures/f3")
    assert made.stub.posts == []
    assert [what for what, _ in made.stub.told] == ["skip", "lease"]
    made.page.goto(made.stub.url)
    made.ready()
    assert "restored" in made.page.locator(".aj-notice").inner_text()


def test_another_reviewer_on_the_figure_is_told_without_moving_anything(screen: Open) -> None:
    state = a_state()
    made = screen(state)
    measure = (
        "JSON.stringify([...document.querySelectorAll('.aj-head > a, .aj-head h1, #caption, .saved')]"
        ".map((e) => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }))"
    )
    before = made.page.evaluate(measure)
    assert made.page.locator(".others").count() == 0
    made.page.clock.install()
    made.page.reload()
    made.ready()
    made.stub.state["others"] = [{"reviewer": "rev2", "until": "2026-11-21T10:03:00Z"}]
    made.page.clock.run_for(61_000)
    made.page.locator(".others").wait_for()
    assert made.page.locator(".others").inner_text().endswith("rev2 is here too")
    assert made.page.evaluate(measure) == before
    assert made.stub.told == [("lease", {})]


def test_saving_gives_the_lease_back(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("Enter")
    made.saved()
    made.wait_for(lambda: bool(made.stub.told))
    assert made.stub.told == [("lease", {"done": True})]


def test_the_guidelines_open_on_a_key_beside_the_caption_and_carry_no_markup(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.stub.guidelines = GUIDELINES
    made.press("g")
    panel = made.page.locator("#guideline")
    panel.get_by_text("Rule 59").wait_for()
    assert "Guidelines, version 2.1" in panel.inner_text()
    assert "One span <b>each</b>." in panel.inner_text()
    assert panel.locator("em").inner_text() == "span"
    assert panel.locator("script, b").count() == 0
    assert panel.locator("a").evaluate_all("links => links.map((link) => link.textContent)") == ["good"]
    caption, over = made.page.locator("#caption").bounding_box(), panel.bounding_box()
    assert caption is not None
    assert over is not None
    assert over["x"] + over["width"] <= caption["x"] + 1
    made.until("document.activeElement.id === 'guideline'")
    made.press("PageDown")
    made.until("document.querySelector('#guideline').scrollTop > 0")
    made.press("g")
    made.until("document.activeElement.id === 'caption'")
    made.press("Enter")
    assert made.saved()["status"] == "accepted"


def test_guidelines_that_cannot_be_had_are_told_and_asked_for_again(screen: Open) -> None:
    made = screen(a_state(), expect_errors=True)
    made.press("g")
    made.page.get_by_text("cannot be loaded").wait_for()
    made.press("Escape")
    made.stub.guidelines = {"version": "", "blocks": []}
    made.press("g")
    made.page.get_by_text("has no guidelines yet").wait_for()


def test_sentences_of_the_article_that_name_the_chosen_subfigure_are_highlighted(screen: Open) -> None:
    texts = ["The left lung is clear (Fig. 1A).", "Both are shown in Fig. 1.", "Fig. 1B, C: the right one."]
    made = screen(a_state(agreed=True) | {"references": texts, "reference_panels": [["A"], [], ["B", "C"]]})
    highlighted = made.page.locator(".references mark")
    for label, sentence in (("A", texts[0]), ("B", texts[2])):
        made.page.locator(".aj-row", has=made.page.get_by_text(label, exact=True)).first.click()
        assert made.page.locator(".aj-row.chosen .aj-label").inner_text() == label
        assert highlighted.all_inner_texts() == [sentence]
