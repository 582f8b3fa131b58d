"""Where things stand on the adjudication screen: in sight, uncovered, where they were, in any window."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw
from web_browser.conftest import Screen
from web_browser.figures import a_state

pytestmark = pytest.mark.live

Open = Callable[..., Screen]


def test_nothing_shifts_when_state_changes(screen: Open) -> None:
    made = screen(a_state())
    places = "[...document.querySelectorAll('.aj-bar, #caption, .readings, .aj-foot, .stage')].map((e) => {"
    measure = (
        f"JSON.stringify({places} const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }}))"
    )
    before = made.page.evaluate(measure)
    for key in ("a", "Space", "j", "r", "x", "Escape", "Control+z", "1", "v", "b", "c"):
        made.press(key)
        assert made.page.evaluate(measure) == before, key


def test_the_screen_is_usable_at_200_percent(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    made.page.set_viewport_size({"width": 640, "height": 400})
    wide = made.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 640
    made.page.locator("#note").scroll_into_view_if_needed()
    made.page.locator("#note").fill("read at 200 %")
    made.page.get_by_role("button", name="Save, next").click()
    assert made.saved()["note"] == "read at 200 %"


@pytest.mark.parametrize("width", [640, 1280, 1920])
def test_what_annotators_differ_in_is_never_cut_off(screen: Open, width: int) -> None:
    state = a_state()
    every = [token["id"] for token in state["caption"]["tokens"]][:-20]
    state["candidates"][1]["votes"] |= {str(token): ["k1", "k2", "k3"] for token in every}
    state["candidates"][1]["votes"][str(every[-1])] = ["k3"]
    made = screen(state)
    made.page.set_viewport_size({"width": width, "height": 800})
    marked = made.page.locator(".reading .aj-text :is(mark, del)")
    assert marked.count() == 3
    for at in range(3):
        inner, outer = marked.nth(at).bounding_box(), made.page.locator(".reading .aj-text").nth(at).bounding_box()
        assert inner is not None
        assert outer is not None
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 2
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1


def test_no_tag_stands_on_an_axis_label(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    beside = made.page.locator(".aj-tag").nth(2).bounding_box()
    labels = (20, 303, 430, 338)
    with Image.open(io.BytesIO(made.stub.picture)) as image:
        draw = ImageDraw.Draw(image)
        for x in range(labels[0], labels[2], 8):
            draw.line((x, labels[1], x, labels[3]), fill="black", width=3)
        out = io.BytesIO()
        image.save(out, "PNG")
    made.stub.picture = out.getvalue()
    made.page.reload()
    made.ready()
    tag = made.page.locator(".aj-tag").nth(2).bounding_box()
    assert tag is not None
    assert beside is not None
    (left, top), (right, bottom) = made.at(*labels[:2]), made.at(*labels[2:])
    assert left - 1 <= beside["x"] <= right
    assert top <= beside["y"] + beside["height"] / 2 <= bottom
    assert (
        tag["x"] >= right
        or tag["x"] + tag["width"] <= left
        or tag["y"] >= bottom
        or tag["y"] + tag["height"] <= top
    )


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (390, 844)])
def test_the_keys_of_the_bar_are_reached_by_touch_in_any_window(screen: Open, width: int, height: int) -> None:
    made = screen(a_state())
    made.page.set_viewport_size({"width": width, "height": height})
    bar = made.page.locator(".aj-foot")
    for key in ("N", "Ctrl Z"):
        button = bar.locator(f'[data-keys="{key}"]').bounding_box()
        assert button is not None
        assert (button["x"] >= 0, button["x"] + button["width"] <= width) == (True, True), key
        assert button["y"] + button["height"] <= height, key
    bar.get_by_role("button", name="N box").click()
    assert "Drag over the image" in made.said()
    for hint in bar.locator(".hint, .primary").all():
        hint.scroll_into_view_if_needed()
        shown = hint.bounding_box()
        assert shown is not None
        assert (shown["x"] >= -1, shown["x"] + shown["width"] <= width + 1) == (True, True), hint.inner_text()


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_the_line_of_feedback_is_never_cut(screen: Open, width: int) -> None:
    made = screen(a_state())
    made.page.set_viewport_size({"width": width, "height": 844})
    made.press("ArrowUp", "Enter")
    assert made.said().endswith("Ctrl Enter saves anyway.")
    cut = "(e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight"
    assert not made.page.locator(".live").evaluate(cut)


def test_the_figure_stays_in_sight_at_200_percent_while_the_rest_scrolls(screen: Open) -> None:
    made = screen(a_state())
    made.page.set_viewport_size({"width": 640, "height": 400})
    made.page.locator("#flag").scroll_into_view_if_needed()
    image, flag = made.page.locator(".stage").bounding_box(), made.page.locator("#flag").bounding_box()
    assert image is not None
    assert flag is not None
    assert image["y"] >= 0
    assert image["y"] + image["height"] <= 400
    assert flag["y"] + flag["height"] <= 400
    assert made.page.evaluate("[scrollX, scrollY, document.documentElement.scrollWidth]") == [0, 0, 640]


def test_nine_panels_and_what_each_annotator_read_are_in_view_and_nothing_covers_the_figure(screen: Open) -> None:
    state = a_state()
    differs, labels = state["candidates"][1], "ABCDEFGHI"
    state["labels"] = list(labels)
    state["palette"] = [{"label": label, "color": "#0072B2"} for label in labels]
    cells = [(x, y, x + 290, y + 200) for y in (10, 220, 430) for x in (10, 305, 600)]
    state["candidates"] = [
        {**differs, "label": label, "box": cell} for label, cell in zip(labels, cells, strict=True)
    ]
    made = screen(state)
    overflow = """([inside, outside]) => [...document.querySelectorAll(inside)].filter((each) => {
      const a = each.getBoundingClientRect(), b = document.querySelector(outside).getBoundingClientRect();
      return a.top < b.top - 1 || a.bottom > b.bottom + 1;
    }).length"""
    for inside, outside, count in (
        (".aj-row", ".aj-panels", 9),
        (".reading", ".readings", 3),
        (".readings", ".panes", 1),
    ):
        assert made.page.locator(inside).count() == count
        assert made.page.evaluate(overflow, [inside, outside]) == 0, inside
    stage, zoom = (made.page.locator(each).bounding_box() for each in (".stage", ".zoom"))
    assert stage["y"] + stage["height"] <= zoom["y"]


def test_that_another_reviewer_is_asked_stays_in_sight(screen: Open) -> None:
    made = screen(a_state(agreed=True))
    button = made.page.locator(".aj-foot .primary")
    assert button.inner_text() == "Save, next Enter"
    made.press("Shift+S", "ArrowDown")
    assert button.inner_text() == "Save, ask another Enter"
    made.press("Shift+S")
    assert button.inner_text() == "Save, next Enter"


#: Where the figure may be seen, and where the zoom's buttons are.
PANE = """() => ['.aj-view', '.stage', '.zoom'].map((each) => {
  const { left, top, right, bottom } = document.querySelector(each).getBoundingClientRect()
  return { left, top, right, bottom }
})"""


@pytest.mark.parametrize(("width", "height"), [(1280, 560), (1280, 800), (1600, 600), (390, 844)])
def test_the_zooms_buttons_cover_nothing_of_the_figure(screen: Open, width: int, height: int) -> None:
    made = screen(a_state())
    made.page.set_viewport_size({"width": width, "height": height})

    def uncovered() -> bool:
        view, stage, zoom = made.page.evaluate(PANE)
        return bool(stage["bottom"] <= view["bottom"] <= zoom["top"] + 1)

    made.wait_for(uncovered)
    made.press("+", "+", "+")
    made.until("document.querySelector('.zoom button:nth-child(2)').textContent !== 'fit'")
    view, _, zoom = made.page.evaluate(PANE)
    assert view["bottom"] <= zoom["top"] + 1


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (390, 844)])
def test_the_reason_for_rejecting_covers_nothing_of_figure_and_text(screen: Open, width: int, height: int) -> None:
    made = screen(a_state())
    made.page.set_viewport_size({"width": width, "height": height})
    made.press("x")
    asked, panes = (made.page.locator(each).bounding_box() for each in (".aj-notice", ".panes"))
    assert asked is not None
    assert panes is not None
    assert panes["y"] + panes["height"] <= asked["y"] + 1
    for button in made.page.locator(".aj-notice button").all():
        button.click(trial=True)
    made.press("Escape")
    made.page.get_by_role("button", name="reject figure").click(trial=True)


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_no_kind_of_error_is_cut(screen: Open, width: int) -> None:
    made = screen(a_state(agreed=True))
    made.page.set_viewport_size({"width": width, "height": 844})
    widths = """each => {
      const canvas = document.createElement("canvas").getContext("2d")
      canvas.font = getComputedStyle(each).font
      const texts = [...each.options].map(({ text }) => canvas.measureText(text).width)
      return [Math.max(...texts), each.clientWidth - 36]
    }"""
    longest, room = made.page.locator("#error-kind").evaluate(widths)
    assert longest <= room
