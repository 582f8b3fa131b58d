"""The island in a real browser, under the production CSP, before a stub of the server. Each test ends by proving
that nothing was said on the console (the `screen` fixture)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from web_browser.conftest import Screen
from web_browser.figures import CAPTION, PANELS, a_state, ids, one_token_state

pytestmark = pytest.mark.live

Open = Callable[..., Screen]


def by_label(post: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {subfigure["label"]: subfigure for subfigure in post["subfigures"]}


def test_an_agreed_figure_is_settled_with_one_key(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("Enter")
    post = made.saved()
    assert made.page.url.endswith("/figures/f2")
    assert list(by_label(post)) == ["A", "B", "C", "D"]
    assert post["version"] == 0
    assert post["status"] == "accepted"
    assert post["based_on"] == ["k1", "k2", "k3"]
    assert post["seconds"] > 0
    assert made.stub.csrf == ["token-of-the-form"]


def test_one_differing_token_is_settled_with_three_keys(screen: Open) -> None:
    made = screen(one_token_state())
    word = ids(CAPTION, "mean")[0]
    made.press("Space", "a", "Enter")
    assert word not in by_label(made.saved())["C"]["tokens"]


def test_a_majority_is_taken_with_two_keys(screen: Open) -> None:
    made = screen(one_token_state())
    made.press("a", "Enter")
    assert ids(CAPTION, "mean")[0] in by_label(made.saved())["C"]["tokens"]


def test_enter_steps_to_open_conflicts_and_saves_nothing(screen: Open) -> None:
    made = screen(a_state())
    for label in ("C", "D", "B"):
        made.press("Enter")
        assert made.page.locator(".aj-row.chosen .aj-label").inner_text() == label
    assert made.stub.posts == []
    made.press("Control+Enter")
    assert list(by_label(made.saved())) == ["A", "B", "C"]


def test_one_open_conflict_is_explained_by_enter(screen: Open) -> None:
    made = screen(one_token_state())
    made.press("Enter")
    assert made.said().startswith("Open: A accepts, R rejects")
    assert made.stub.posts == []


def test_an_annotators_text_is_taken_and_undone(screen: Open) -> None:
    made = screen(a_state())
    lesions = set(ids(CAPTION, "(arrows: lesions)"))
    made.press("3", "a", "a", "a", "Enter")
    assert lesions <= set(by_label(made.saved())["B"]["tokens"])
    again = screen(a_state())
    again.press("3", "Control+z", "Control+Enter")
    assert not lesions & set(by_label(again.saved())["B"]["tokens"])


def test_brackets_lengthen_and_shorten_the_span_at_the_cursor(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    left = ids(CAPTION, "Left lung, control")
    made.press("]", "]", "[", "{", "Enter")
    tokens = by_label(made.saved())["A"]["tokens"]
    assert [token for token in tokens if token < left[-1] + 3] == [left[0] - 1, *left, left[-1] + 1]


def test_a_drag_over_tokens_takes_a_run_in_and_a_double_click_a_clause(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    bars, mean = ids(CAPTION, "bars")[0], ids(CAPTION, "mean")[0]
    made.page.locator(f"#token-{bars}").drag_to(made.page.locator(f"#token-{mean}"))
    made.page.locator(f"#token-{ids(CAPTION, 'Effect')[0]}").dblclick()
    made.press("Enter")
    tokens = by_label(made.saved())["A"]["tokens"]
    assert set(range(bars, mean + 1)) <= set(tokens)
    assert set(ids(CAPTION, "Effect of the drug on lung tissue 🫁 after 14 days.")) <= set(tokens)


def test_shift_and_arrows_select_a_run_that_space_toggles(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    left = ids(CAPTION, "Left lung, control")
    made.press("Shift+ArrowRight", "Shift+ArrowRight", "Space", "Enter")
    assert not set(left[:3]) & set(by_label(made.saved())["A"]["tokens"])


def test_the_mouse_moves_and_resizes_a_box_to_the_pixel(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    x0, y0, x1, y1 = PANELS["A"]
    made.drag((200, 150), (210, 165))
    made.drag((x1 + 10, y1 + 15), (x1 - 40, y1 - 20))
    made.press("Enter")
    post = by_label(made.saved())
    assert post["A"]["box"] == pytest.approx([x0 + 10, y0 + 15, x1 - 40, y1 - 20], abs=1)
    assert post["B"]["box"] == pytest.approx(PANELS["B"], abs=0.01)


def test_a_box_dragged_past_the_edge_stays_within_the_image(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.drag((200, 150), (-40, 100))
    made.press("Enter")
    box = by_label(made.saved())["A"]["box"]
    assert box[0] == 0
    assert box[1] == 0
    assert box[2] == pytest.approx(190, abs=1)


def test_a_new_box_is_drawn_labelled_and_given_text(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("n")
    made.drag((100, 305), (300, 336))
    made.page.wait_for_selector(".aj-row.chosen:has-text('yours')")
    made.press("l")
    made.page.keyboard.type("F")
    made.press("Enter", "c")
    made.page.locator(f"#token-{ids(CAPTION, 'Effect')[0]}").click()
    made.press("Enter")
    made_box = by_label(made.saved())["F"]
    assert made_box["box"] == pytest.approx([100, 305, 300, 336], abs=1)
    assert made_box["tokens"] == ids(CAPTION, "Effect")


def test_several_boxes_are_drawn_one_after_the_other(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    before = made.page.locator(".aj-row").count()
    made.press("Shift+n")
    for number, box in enumerate((((20, 305), (120, 336)), ((200, 305), (330, 336))), start=1):
        made.drag(*box)
        made.page.wait_for_selector(f".aj-row >> nth={before + number - 1}")
    made.press("Escape")
    made.drag((420, 305), (500, 336))
    made.page.locator(f"#token-{ids(CAPTION, 'Effect')[0]}").click()
    made.press("Enter")
    boxes = [each["box"] for each in made.saved()["subfigures"][before:]]
    assert boxes == [pytest.approx([20, 305, 120, 336], abs=1), pytest.approx([200, 305, 330, 336], abs=1)]


def test_one_history_undoes_boxes_and_tokens_in_turn(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("Space")
    made.drag((200, 150), (210, 165))
    made.press("Control+z")
    assert made.page.locator(".aj-row.chosen .aj-text").inner_text().startswith("lung")
    made.press("Control+z", "Enter")
    post = by_label(made.saved())["A"]
    assert post["box"] == pytest.approx(PANELS["A"], abs=0.01)
    assert ids(CAPTION, "Left")[0] in post["tokens"]


def test_arrows_move_and_resize_the_chosen_box_in_the_image(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("b", "ArrowRight", "ArrowRight", "Shift+ArrowDown", "Alt+ArrowRight", "c", "Enter")
    x0, y0, x1, y1 = PANELS["A"]
    assert by_label(made.saved())["A"]["box"] == pytest.approx([x0 + 2, y0 + 10, x1 + 3, y1 + 10], abs=0.1)


def test_boxes_stay_right_when_zoomed(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("+", "+")
    made.until("document.querySelector('.zoom button:nth-child(2)').textContent.includes('%')")
    made.drag((300, 200), (320, 230))
    made.press("Enter")
    x0, y0, x1, y1 = PANELS["A"]
    assert by_label(made.saved())["A"]["box"] == pytest.approx([x0 + 20, y0 + 30, x1 + 20, y1 + 30], abs=1)


def test_undo_in_the_note_leaves_the_boxes_alone(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.drag((200, 150), (210, 165))
    made.press("m")
    made.page.keyboard.type("arn")
    made.press("Control+z", "Escape", "Enter")
    post = made.saved()
    assert by_label(post)["A"]["box"][0] == pytest.approx(30, abs=1)
    assert [subfigure["label"] for subfigure in post["subfigures"]] == ["A", "B", "C", "D"]


def test_a_figure_is_rejected_with_a_note(screen: Open) -> None:
    made = screen(a_state())
    made.press("x")
    made.page.keyboard.type("a photograph")
    made.press("Enter")
    post = made.saved()
    assert (post["status"], post["subfigures"], post["note"]) == ("rejected", [], "a photograph")


@pytest.mark.parametrize("code", [403, 422, 500])
def test_a_refused_save_loses_nothing_and_can_be_retried(screen: Open, code: int) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    made.stub.answers.append((code, {"error": "the caption has changed; reload"}))
    made.press("0", "Enter")
    made.page.locator(".aj-notice").wait_for()
    assert "The caption has changed; reload." in made.page.locator(".aj-notice").inner_text()
    made.page.get_by_role("button", name="Retry").click()
    assert by_label(made.saved())["A"]["tokens"] == []


def test_the_sheet_of_keys_opens_takes_the_focus_and_gives_it_back(screen: Open) -> None:
    made = screen(a_state())
    made.press("?")
    made.until("document.activeElement.id === 'sheet'")
    made.press("Escape")
    made.until("document.activeElement.id === 'caption'")
    assert made.page.locator("#sheet").count() == 0


def test_markup_in_what_people_wrote_stays_text(screen: Open) -> None:
    state = a_state()
    state["references"] = ["<img src=x onerror=alert(1)>"]
    state["caption"]["tokens"][0]["text"] = "<b>Figure</b>"
    made = screen(state)
    assert made.page.locator(".references p").inner_text() == "<img src=x onerror=alert(1)>"
    assert made.page.locator("#token-0").inner_text() == "<b>Figure</b>"


def test_annotators_who_differ_on_the_figure_hold_it_open(screen: Open) -> None:
    state = a_state(agreed=True)
    state["annotations"][1] |= {"status": "rejected", "subfigures": []}
    made = screen(state)
    made.press("Enter")
    assert made.stub.posts == []
    made.press("a", "Enter")
    assert made.saved()["status"] == "accepted"


def test_a_figure_that_nobody_drew_on_and_without_caption_can_be_settled(screen: Open) -> None:
    state = a_state()
    state |= {"candidates": [], "annotations": [], "annotators": [], "agreement": None}
    state["caption"] = {"text": "", "tokens": []}
    made = screen(state)
    made.press("Space", "]", "a", "Enter")
    assert made.stub.posts == []
    made.press("Control+Enter")
    assert made.saved()["subfigures"] == []


def order(made: Screen) -> list[str]:
    """Labels of the rows, from above."""
    return made.page.locator(".aj-row .aj-label").all_inner_texts()


def test_subfigures_are_put_in_another_order_by_keys_and_saved_so(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.press("Alt+ArrowDown", "Alt+ArrowDown")
    assert order(made) == ["B", "C", "A", "D"]
    made.press("Control+z")
    assert order(made) == ["A", "B", "C", "D"]
    made.press("Control+Shift+z", "Enter")
    assert list(by_label(made.saved())) == ["B", "C", "A", "D"]


def test_a_row_is_dragged_to_another_place(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    rows = made.page.locator(".aj-row")
    rows.nth(3).drag_to(rows.nth(1))
    assert order(made) == ["A", "D", "B", "C"]
    made.press("Enter")
    assert list(by_label(made.saved())) == ["A", "D", "B", "C"]


def test_an_open_row_says_what_would_be_kept(screen: Open) -> None:
    made = screen(a_state())
    row = made.page.locator("[data-row=c1] .why")
    assert row.inner_text().startswith("text differs A leaves out “(arrows: lesions)”")
    assert row.get_attribute("title").startswith("A: “Right lung, treated with 0.5 mg")
    only = made.page.locator("[data-row=c3] .why")
    assert "A adds it, otherwise it is left out" in only.inner_text()


def test_what_drawing_said_goes_with_it(screen: Open) -> None:
    made = screen(a_state())
    made.press("n")
    assert made.said().startswith("Drag over the image")
    made.press("Escape")
    assert made.said() == ""
