"""The island in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browsing import Lend, Pages
from compiled_once import compiled_once
from web.blind_campaign import CHEAP
from web_browser.stub import Stub

from annotator.accounts import people as accounts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


#: Seconds to the next try pass when a test says so, however long the machine takes for what comes between.
HOLD_SECONDS = """() => {
  const set = window.setTimeout, clear = window.clearTimeout, held = new Map()
  window.setTimeout = (call, after, ...more) => {
    if (after !== 1000) return set(call, after, ...more)
    const timer = Symbol()
    held.set(timer, call)
    return timer
  }
  window.clearTimeout = (timer) => typeof timer === "symbol" ? held.delete(timer) : clear(timer)
  window.passSecond = () => {
    const due = [...held.values()]
    held.clear()
    due.forEach((call) => call())
    return due.length
  }
}"""


class Screen:
    """The island on a page: what tests do to it and read off it."""

    def __init__(self, page: Page, stub: Stub) -> None:
        self.page = page
        self.stub = stub
        self.problems: list[str] = []
        page.on(
            "console", lambda said: self.problems.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def open(self) -> None:
        """Load the figure, and wait until its boxes can be edited."""
        self.page.goto(self.stub.url)
        self.ready()

    def ready(self) -> None:
        """Wait until the boxes can be edited."""
        self.page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
        self.until("document.activeElement.id === 'caption'")

    def until(self, expression: str) -> None:
        """Wait until it holds. Playwright's own wait_for_function needs eval, which the CSP forbids."""
        for _ in range(3000):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never came true: {expression}")

    def wait_for(self, happened: Callable[[], bool]) -> None:
        """Wait until it is true of what the test itself sees."""
        for _ in range(3000):
            if happened():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError("it did not happen")

    def hold_seconds(self) -> None:
        """Let the page's seconds pass by `pass_seconds` only, until it is loaded anew."""
        self.page.evaluate(HOLD_SECONDS)

    def pass_seconds(self, count: int) -> int:
        """Let seconds pass; returns in how many of them anything was waited for."""
        return sum(bool(self.page.evaluate("window.passSecond()")) for _ in range(count))

    def left(self) -> None:
        """Wait until the screen has gone on to another page."""
        self.page.wait_for_url(lambda url: url != self.stub.url, timeout=180_000)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def saved(self) -> dict[str, Any]:
        """Wait for the next page and return what was posted last."""
        self.left()
        return self.stub.posts[-1]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where on the page a pixel of the image lies."""
        frame = self.page.locator(".host img").bounding_box()
        assert frame is not None
        state = self.stub.state
        return frame["x"] + x * frame["width"] / state["width"], frame["y"] + y * frame["height"] / state["height"]

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag with the left button between two pixels of the image, in a few steps."""
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
        self.page.mouse.move(*self.at(*end))
        self.page.mouse.up()

    def said(self) -> str:
        """The live status line."""
        return self.page.locator(".live").inner_text()


@pytest.fixture(autouse=True)
def _cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a password costs is tested elsewhere."""
    monkeypatch.setattr(accounts, "_hasher", CHEAP)


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    with compiled_once():
        yield


@pytest.fixture(scope="session")
def all_pages(browser: Browser) -> Pages:
    """Of all tests of the process."""
    return Pages(browser)


@pytest.fixture
def lend(all_pages: Pages) -> Iterator[Lend]:
    """Gives an empty page; it is the test's own until the test is over."""
    yield all_pages.lend
    all_pages.take_back()


@pytest.fixture
def screen(all_pages: Pages) -> Iterator[Callable[..., Screen]]:
    """Opens the island on a state, at 1280 x 800; no CSP violation, error or warning may be seen."""
    opened: list[tuple[Screen, Any]] = []

    def open_screen(state: dict[str, Any], *, expect_errors: bool = False, **options: Any) -> Screen:
        stub = Stub(state)
        made = Screen(all_pages.lend(**options), stub)
        opened.append((made, None if expect_errors else made.problems))
        made.open()
        return made

    yield open_screen
    all_pages.take_back()
    for made, problems in opened:
        made.stub.close()
        if problems is not None:
            assert problems == []
