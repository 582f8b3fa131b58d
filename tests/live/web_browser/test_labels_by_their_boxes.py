"""Labels of boxes on the figure: each stands where it is taken for its own box's only, in windows of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from web_browser.conftest import Screen
from web_browser.figures import HEIGHT, WIDTH, a_state

pytestmark = pytest.mark.live

#: Nine panels that leave no room between them.
GRID = {
    label: tuple(map(float, (x * WIDTH / 3, y * HEIGHT / 3, (x + 1) * WIDTH / 3, (y + 1) * HEIGHT / 3)))
    for label, (x, y) in zip("ABCDEFGHI", ((n % 3, n // 3) for n in range(9)), strict=True)
}

#: Labels whose middle lies in the box of another panel and not in that of their own, told apart by colour.
STRAY = """() => {
  const boxes = [...document.querySelectorAll(".overlay .theirs rect:not(.halo)")]
    .map(each => ({ colour: each.getAttribute("stroke"), at: each.getBoundingClientRect() }))
  const sample = document.createElement("i")
  const same = (one, other) => {
    sample.style.color = one
    const first = sample.style.color
    sample.style.color = other
    return first === sample.style.color
  }
  return [...document.querySelectorAll(".overlay .aj-tag")].filter(tag => {
    const at = tag.getBoundingClientRect(), x = at.x + at.width / 2, y = at.y + at.height / 2
    const around = boxes.filter(b => x > b.at.left && x < b.at.right && y > b.at.top && y < b.at.bottom)
    const own = around.some(b => same(b.colour, tag.style.backgroundColor))
    return around.length > 0 && !own
  }).map(tag => tag.textContent)
}"""


def tight(*, agreed: bool) -> dict[str, Any]:
    """A figure of nine panels side by side, each drawn by three."""
    state = a_state(agreed=agreed)
    model = state["candidates"][0 if agreed else 1]
    state["labels"] = list(GRID)
    colours = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999", "#332288")
    state["palette"] = [{"label": each, "color": colour} for each, colour in zip(GRID, colours, strict=True)]
    state["candidates"] = [model | {"label": label, "box": list(box)} for label, box in GRID.items()]
    for annotation in state["annotations"]:
        annotation["subfigures"] = [{"label": name, "box": list(box), "tokens": []} for name, box in GRID.items()]
    return state


@pytest.mark.parametrize("agreed", [True, False])
def test_no_label_stands_in_another_panels_box(screen: Callable[..., Screen], agreed: bool) -> None:
    made = screen(tight(agreed=agreed))
    for width, height in ((1280, 800), (1920, 1080), (640, 400)):
        made.page.set_viewport_size({"width": width, "height": height})
        # It lays its labels out anew once it has seen the new size, which takes longer on a busy machine.
        made.page.wait_for_timeout(200)
        made.wait_for(lambda: made.page.evaluate(STRAY) == [])
        made.wait_for(lambda: made.page.locator(".overlay .aj-tag").count() == len(GRID))
    # One that did would be found; in one step, for it may be laid out anew.
    moved = "document.querySelector('.overlay .aj-tag').style.top = '50%'"
    assert len(made.page.evaluate(f"() => {{ {moved}; return ({STRAY})() }}")) == 1
