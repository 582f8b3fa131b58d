"""Two reviewers on one figure: the later one sees both decisions line by line, and nothing is overwritten unseen.

Each test ends by proving that nothing was said on the console but the refused request itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from web_browser.conftest import Screen
from web_browser.figures import CAPTION, PANELS, a_state, ids

pytestmark = pytest.mark.live

Open = Callable[..., Screen]

DIALOG = "#conflict"


def _same(value: Any) -> dict[str, Any]:
    return {"mine": value, "theirs": value, "merged": value, "clash": False}


def answer(sent: dict[str, Any], *, swap_c: bool = True) -> tuple[int, dict[str, Any]]:
    """The 409 to what was sent: rev2 gave C other text and another box, left D out, and wrote a note."""
    theirs = [dict(part) for part in sent["subfigures"] if part["label"] != "D"]
    parts = []
    for number, mine in enumerate(sent["subfigures"]):
        other: dict[str, Any] | None = next((one for one in theirs if one["label"] == mine["label"]), None)
        differs, only_mine, only_theirs = [], [], []
        if other is None:
            differs = ["only mine"]
        elif mine["label"] == "C" and swap_c:
            x0, y0, x1, y1 = PANELS["C"]
            other |= {"tokens": ids(CAPTION, "bars show"), "box": [x0, y0, x1 - 100, y1]}
            differs, only_mine, only_theirs = ["box", "tokens"], mine["tokens"], other["tokens"]
        parts.append(
            {
                "id": f"p{number}",
                "label": mine["label"],
                "mine": mine,
                "theirs": other,
                "merged": mine,
                "differs": differs,
                "clash": "tokens" in differs,
                "only_mine": only_mine,
                "only_theirs": only_theirs,
                "iou": 0.76 if "box" in differs else 1.0,
                "line": "",
            }
        )
    current = {
        "version": 4,
        "status": "accepted",
        "subfigures": theirs,
        "note": "<b>bars</b>",
        "reviewer": "rev2",
        "decided_at": "2026-11-21T10:00:00Z",
        "based_on": ["k2"],
        "error_kind": None,
        "guideline_flag": None,
    }
    conflict = {
        "base": None,
        "status": _same("accepted"),
        "note": {"mine": "", "theirs": "<b>bars</b>", "merged": "<b>bars</b>", "clash": False},
        "error_kind": _same(None),
        "guideline_flag": _same(None),
        "subfigures": parts,
        "clashes": 1,
        "merged": sent | {"version": 4, "note": "<b>bars</b>", "based_on": ["k1", "k2"]},
    }
    return 409, {"error": "rev2 was faster", "version": 4, "current": current, "conflict": conflict}


def overtaken(screen: Open) -> Screen:
    """An agreed figure whose save meets rev2's decision."""
    made = screen(a_state(agreed=True), expect_errors=True)
    made.stub.reply = answer
    made.press("Enter")
    made.page.locator(DIALOG).wait_for()
    made.stub.reply = None
    return made


def sides(made: Screen) -> dict[str, str]:
    """Of each line of the comparison: which side is picked."""
    lines = made.page.locator(f"{DIALOG} .line").all()
    return {
        line.locator(".aj-label").inner_text(): line.locator("[aria-checked=true] .whose").inner_text().split()[1]
        for line in lines
    }


def test_both_decisions_stand_side_by_side_and_enter_overwrites_nothing(screen: Open) -> None:
    made = overtaken(screen)
    said = made.page.locator(DIALOG).inner_text()
    assert "rev2 decided meanwhile" in said
    assert "boxes overlap 76 %" in said
    assert "2 subfigures are the same in both." in said
    assert sides(made) == {"Note": "Theirs", "C": "Mine", "D": "Mine"}
    assert made.page.locator(f"{DIALOG} .line.here .aj-label").inner_text() == "C"
    assert "<b>bars</b>" in said
    made.press("Enter")
    assert len(made.stub.posts) == 1
    assert made.said().startswith("First choose")


def test_mine_is_kept_over_theirs_with_their_version_named(screen: Open) -> None:
    made = overtaken(screen)
    made.press("m")
    post = made.saved()
    assert post["version"] == 4
    assert [part["label"] for part in post["subfigures"]] == list("ABCD")
    assert len(made.stub.posts) == 2


def test_theirs_is_taken_without_a_save_and_undo_brings_mine_back(screen: Open) -> None:
    made = overtaken(screen)
    made.press("t")
    made.page.locator(DIALOG).wait_for(state="detached")
    assert made.page.locator(".aj-row.rejected .aj-label").all_inner_texts() == ["D"]
    assert made.page.locator("#note").input_value() == "<b>bars</b>"
    assert len(made.stub.posts) == 1
    made.press("Control+z")
    assert made.page.locator(".aj-row.rejected").count() == 0
    assert made.page.locator("#note").input_value() == ""
    made.press("Enter")
    assert made.saved()["version"] == 4


def test_lines_are_chosen_by_keys_and_saved_as_one_decision(screen: Open) -> None:
    made = overtaken(screen)
    made.press("ArrowRight", "j", "ArrowRight", "j", "ArrowLeft")
    assert sides(made) == {"Note": "Mine", "C": "Theirs", "D": "Theirs"}
    made.press("s")
    post = made.saved()
    by_label = {part["label"]: part for part in post["subfigures"]}
    assert list(by_label) == list("ABC")
    assert by_label["C"]["tokens"] == ids(CAPTION, "bars show")
    assert (post["version"], post["note"], post["based_on"]) == (4, "", ["k1", "k2"])


def test_lines_are_chosen_by_mouse_and_both_boxes_show_on_the_figure(screen: Open) -> None:
    made = overtaken(screen)
    assert made.page.locator(".overlay .compared").count() == 2
    made.page.locator(f"{DIALOG} .line:has(.aj-label:text-is('C'))").get_by_role("radio", name="Theirs").click()
    made.page.get_by_role("button", name="Save chosen lines").click()
    by_label = {part["label"]: part for part in made.saved()["subfigures"]}
    assert by_label["C"]["box"][2] == PANELS["C"][2] - 100
    assert set(by_label) == set("ABCD")


def test_a_merge_that_fails_to_be_saved_stays_on_the_screen_and_survives_a_reload(screen: Open) -> None:
    made = overtaken(screen)
    made.press("ArrowRight")
    made.stub.answers.append((500, {"error": "the disk is full"}))
    made.press("s")
    made.page.get_by_text("the disk is full").wait_for()
    made.stub.state |= {"version": 4, "decision": answer(made.stub.posts[0])[1]["current"]}
    made.page.reload()
    made.ready()
    made.press("Enter")
    by_label = {part["label"]: part for part in made.saved()["subfigures"]}
    assert by_label["C"]["tokens"] == ids(CAPTION, "bars show")
    assert set(by_label) == set("ABCD")


def test_a_second_colleague_meanwhile_is_asked_about_anew(screen: Open) -> None:
    made = overtaken(screen)
    made.stub.reply = lambda sent: (lambda code, body: (code, body | {"version": 5}))(*answer(sent))
    made.press("m")
    made.until("document.querySelector('#conflict') !== null")
    made.stub.reply = None
    assert len(made.stub.posts) == 2
    made.press("m")
    assert made.saved()["version"] == 5


def test_a_figure_reopened_meanwhile_can_be_saved_all_the_same_or_loaded_anew(screen: Open) -> None:
    made = screen(a_state(agreed=True), expect_errors=True)
    gone = {"error": "this figure was reopened", "version": 2, "current": None, "conflict": None}
    made.stub.answers.append((409, gone))
    made.press("0", "Enter")
    made.page.locator(DIALOG).wait_for()
    assert "this figure was reopened" in made.page.locator(DIALOG).inner_text()
    made.press("m")
    assert made.saved()["version"] == 2
