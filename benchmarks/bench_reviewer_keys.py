"""The cost of adjudicating a figure: inputs on the real page, and seconds by the keystroke-level model.

The real server, store and built screen in Chromium; every case ends by comparing the stored decision with the
truth. Inputs are counted in the page, of events that the browser itself trusts. `bench_annotator_keys.py` counts
those of an annotator's own tasks.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "live"))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browsing import Pages, chromium, drag
from builders import a_figure, an_annotation
from PIL import Image, ImageDraw
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.annotation import Annotation, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Role
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Page

CAPTION = (
    "Figure 1. Lungs of mice. (A) Left lung, control group; arrows mark lesions. (B) Right lung, treated group. "
    "(C) Dose and response; bars show the mean. (D) Survival over ninety days. Scale bars in A and C: ten microns."
)
BOXES = {"A": (20, 20, 390, 280), "B": (410, 20, 780, 280), "C": (20, 320, 390, 580), "D": (410, 320, 780, 580)}
TEXTS = {
    "A": ("Left lung, control group; arrows mark lesions", "Scale bars in A"),
    "B": ("Right lung, treated group",),
    "C": ("Dose and response; bars show the mean", "C: ten microns"),
    "D": ("Survival over ninety days",),
}

#: Seconds by Card, Moran and Newell (1980): key, pointing, press or release, hand to or from mouse, mental step.
K, P, B, H, M = 0.28, 1.1, 0.1, 0.4, 1.35

COUNTER = """(() => {
  const kept = () => JSON.parse(sessionStorage.getItem('inputs') || '[]')
  const note = (event, what) => {
    if (event.isTrusted) sessionStorage.setItem('inputs', JSON.stringify([...kept(), what]))
  }
  const held = ['Shift', 'Control', 'Alt', 'Meta']
  addEventListener('keydown', (e) => note(e, { what: held.includes(e.key) ? 'held' : 'key', key: e.key }), true)
  addEventListener('mousedown', (e) => note(e, { what: 'down', x: e.clientX, y: e.clientY }), true)
  addEventListener('mouseup', (e) => note(e, { what: 'up', x: e.clientX, y: e.clientY }), true)
})()"""


@dataclass(frozen=True)
class Cost:
    """The counted inputs. seconds: keys and hand only, without mental steps."""

    keys: int
    drags: int
    clicks: int
    seconds: float

    @property
    def inputs(self) -> int:
        """Keys, drags and clicks."""
        return self.keys + self.drags + self.clicks

    @classmethod
    def of(cls, events: Iterable[dict[str, Any]]) -> Cost:
        """Of the events that the page noted, hands on the keyboard at first."""
        keys = drags = clicks = 0
        seconds, at_mouse, at = 0.0, False, (-1.0, -1.0)
        for event in events:
            mouse = event["what"] in ("down", "up")
            seconds += H * (mouse != at_mouse)
            at_mouse = mouse
            if not mouse:
                keys += event["what"] == "key"
                seconds += K
                continue
            place = (event["x"], event["y"])
            moved = place != at
            seconds += P * moved + B
            if event["what"] == "up":
                drags, clicks = drags + moved, clicks + (not moved)
            at = place
        return cls(keys, drags, clicks, seconds)


@dataclass(frozen=True)
class Case:
    """One figure. work: what each annotator did; drive: what the reviewer does; at_most: the promise, in inputs.

    steps: mental steps of the model: one for the figure, one for each thing that has to be settled or made.
    """

    name: str
    work: tuple[dict[str, tuple[str, ...]], ...]
    drive: Callable[[Page], None]
    at_most: int
    steps: int
    truth: dict[str, tuple[str, ...]]


def press(*keys: str) -> Callable[[Page], None]:
    """Presses keys, one after the other."""

    def driven(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return driven


def take_the_right_one(page: Page) -> None:
    """T, and the digit of the annotator whose text of the chosen subfigure is the true one: they are shuffled."""
    readings = page.locator(".reading").all_inner_texts()
    [digit] = [
        at for at, text in enumerate(readings, start=1) if "Left" in text and "Left" not in _struck(page, at)
    ]
    press("t", str(digit), "Enter")(page)


def _struck(page: Page, at: int) -> str:
    return " ".join(page.locator(".readings li").nth(at - 1).locator("del").all_inner_texts())


def from_nothing(page: Page) -> None:
    """Four boxes and six spans: Shift N, then a drag a box and one a passage; labels follow by themselves."""
    image = page.locator(".host img").bounding_box()
    assert image is not None
    scale = image["width"] / 800

    def at(x: float, y: float) -> tuple[float, float]:
        return image["x"] + x * scale, image["y"] + y * scale

    page.keyboard.press("Shift+n")
    for number, (label, (x0, y0, x1, y1)) in enumerate(BOXES.items(), start=1):
        drag(page, at(x0, y0), at(x1, y1))
        page.wait_for_selector(f".aj-row >> nth={number - 1}")
        mark_words(page, label)
    page.keyboard.press("Enter")


def mark_words(page: Page, label: str) -> None:
    """A drag along each passage of a panel, once the findings above the caption, which move it, are shown."""
    for text in TEXTS[label]:
        page.wait_for_selector(".aj-findings:not([aria-busy=true])")
        tokens = [page.locator(f"#token-{each}") for each in ends(text)]
        for each in tokens:
            each.scroll_into_view_if_needed()
        first, last = (middle(each.bounding_box()) for each in tokens)
        drag(page, first, last)


def middle(box: Any) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tokens_of(text: str) -> list[int]:
    """Ids of the caption's tokens in a passage of it."""
    caption = a_figure(caption=CAPTION).caption
    start = CAPTION.index(text)
    return [at for at, span in enumerate(caption.tokens) if start <= span.start < start + len(text)]


def ends(text: str) -> tuple[int, int]:
    """The first and the last token of a passage."""
    tokens = tokens_of(text)
    return tokens[0], tokens[-1]


def subfigures(texts: dict[str, tuple[str, ...]]) -> tuple[Subfigure, ...]:
    """The panels with their texts."""
    return tuple(
        Subfigure(label, Box(*map(float, BOXES[label])), frozenset(t for text in spans for t in tokens_of(text)))
        for label, spans in texts.items()
    )


SWAPPED = TEXTS | {"A": TEXTS["B"], "B": TEXTS["A"]}
SHORTER = TEXTS | {"D": ("Survival over ninety",)}
MISSED = {label: text for label, text in TEXTS.items() if label != "C"}

CASES = (
    Case("all agree", (TEXTS, TEXTS, TEXTS), press("Enter"), 1, 1, TEXTS),
    Case("one token differs, the majority is right", (TEXTS, TEXTS, SHORTER), press("a", "Enter"), 3, 2, TEXTS),
    Case(
        "one token differs, the majority is wrong",
        (TEXTS, SHORTER, SHORTER),
        press(" ", "a", "Enter"),
        3,
        2,
        TEXTS,
    ),
    Case("one of three missed a panel", (TEXTS, MISSED, TEXTS), press("a", "Enter"), 2, 2, TEXTS),
    Case("one of three drew a panel that is none", (MISSED, TEXTS, MISSED), press("r", "Enter"), 2, 2, MISSED),
    Case("two texts swapped by one of three", (TEXTS, SWAPPED, TEXTS), press("a", "a", "Enter"), 4, 3, TEXTS),
    Case(
        "two texts swapped by two of three", (SWAPPED, TEXTS, SWAPPED), press("w", "a", "a", "Enter"), 4, 3, TEXTS
    ),
    Case("two texts swapped by all", (SWAPPED, SWAPPED, SWAPPED), press("w", "Enter"), 4, 2, TEXTS),
    Case("two texts swapped by one of two", (SWAPPED, TEXTS), take_the_right_one, 4, 2, TEXTS),
    Case("four panels, six spans from nothing", (), from_nothing, 12, 11, TEXTS),
)


def figure_of(number: int) -> Figure:
    """The figure of a case."""
    return a_figure(f"case{number}", caption=CAPTION, image="images/panels.png")


def a_campaign(folder: Path) -> tuple[Home, Store]:
    """A campaign of a figure a case, with a reviewer."""
    home = Home.create(folder / "campaign", labels=tuple(BOXES))
    draw_panels(home.images / "panels.png")
    store = home.open_store()
    with store.transaction() as tx:
        for number, case in enumerate(CASES):
            tx.figures.add(figure_of(number))
            for at, texts in enumerate(case.work):
                tx.annotations.add(annotation(figure_of(number), f"ann{at}", texts))
    score_disagreement(store, home.campaign)
    people.add_person(store, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
    return home, store


def annotation(figure: Figure, name: str, texts: dict[str, tuple[str, ...]]) -> Annotation:
    """Return one annotator's work."""
    return an_annotation(figure, annotator=name, subfigures=subfigures(texts))


def draw_panels(path: Path) -> None:
    """Four frames, each with a curve."""
    image = Image.new("RGB", (800, 600), "white")
    pen = ImageDraw.Draw(image)
    for x0, y0, x1, y1 in BOXES.values():
        pen.rectangle((x0, y0, x1, y1), outline="black", width=2)
        pen.line((x0 + 20, y1 - 20, x1 - 40, y0 + 30), fill="navy", width=3)
    image.save(path)


def settle(page: Page, url: str, number: int, case: Case, store: Store) -> Cost:
    """Settle the figure of a case on the page, and compare what is kept with the truth."""
    page.goto(f"{url}figures/case{number}")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    page.wait_for_selector("#caption:focus")
    page.evaluate("sessionStorage.removeItem('inputs')")
    here = page.url
    case.drive(page)
    page.wait_for_url(lambda address: address != here)
    cost = Cost.of(json.loads(page.evaluate("sessionStorage.getItem('inputs')")))
    with store.read() as tx:
        decision = tx.decisions.get(f"case{number}")
    assert decision is not None, case.name
    kept = {part.label: part.subcaption for part in decision.subfigures}
    assert kept == {part.label: part.subcaption for part in subfigures(case.truth)}, (case.name, kept)
    for part in decision.subfigures:
        assert max(map(abs, _apart(part.box.as_list(), BOXES[part.label]))) < 3, (case.name, part)
    return cost


def _apart(one: Iterable[float], other: Iterable[float]) -> list[float]:
    return [a - b for a, b in zip(one, other, strict=True)]


def main() -> None:
    broken = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        home, store = a_campaign(Path(folder))
        print(f"{'':<44}{'inputs':>7}{'promise':>9}{'seconds':>9}   keys, drags, clicks")
        with AdjudicationServer(home, store) as server:
            page, problems = signed_in(Pages(browser).lend, server, "rev1")
            page.add_init_script(COUNTER)
            for number, case in enumerate(CASES):
                cost = settle(page, server.url, number, case, store)
                print(cost_line(case.name, cost, f"<= {case.at_most}", case.steps))
                if cost.inputs > case.at_most:
                    broken.append(case.name)
            assert problems == [], problems
        store.close()
    if broken:
        sys.exit(f"more inputs than promised: {', '.join(broken)}")


def cost_line(name: str, cost: Cost, promise: str, steps: int) -> str:
    seconds = cost.seconds + M * steps
    counts = f"{cost.keys}, {cost.drags}, {cost.clicks}"
    return f"{name:<44}{cost.inputs:>7}{promise:>9}{seconds:>9.1f}   {counts}"


if __name__ == "__main__":
    main()
