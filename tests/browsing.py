"""A real Chromium for tests, and how a person works in Label Studio's editor."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from conftest import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: What the fixture `lend` gives.
Lend = Callable[..., "Page"]
#: No page draws in three dimensions: nothing need play a graphics card.
FLAGS = (
    *("--disable-gpu", "--disable-gpu-compositing", "--disable-software-rasterizer"),
    *("--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
#: The shell has no windows of its own to draw, which are more work than the pages in them.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium without a window; where there is none the test is skipped, and fails in CI."""
    from playwright.sync_api import sync_playwright

    named = os.environ.get("PANELWISE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), "")
    with sync_playwright() as playwright:
        path = named or playwright.chromium.executable_path
        if not Path(path).is_file():
            missing("no Chromium", "run `make browser`, or name one in PANELWISE_CHROMIUM")
        # Its sandbox cannot start for root.
        flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


class Pages:
    """Lends empty pages, each in a context of its own, and takes them back to lend them again.

    A process that has compiled our scripts once shows the next page with a third of the work. What a test leaves
    in a context is cleared before another one gets it.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[Page]] = {}
        self._lent: list[_Lent] = []

    def lend(self, *, width: int = 1280, height: int = 800, **options: Any) -> Page:
        """An empty page; options: of its context."""
        size: Any = {"width": width, "height": height}
        kind = repr(sorted(options.items()))
        free = self._free.setdefault(kind, [])
        if free:
            page = free.pop()
            page.set_viewport_size(size)
        else:
            page = self._browser.new_context(viewport=size, **options).new_page()
            page.set_default_timeout(180_000)
        self._lent.append(_Lent(page, kind))
        return page

    def take_back(self) -> None:
        """Clear all that were lent."""
        lent, self._lent = self._lent, []
        for each in lent:
            if each.clear():
                self._free[each.kind].append(each.page)


class _Lent:
    """A page while a test has it."""

    def __init__(self, page: Page, kind: str) -> None:
        self.page, self.kind = page, kind
        self._heard: list[tuple[Any, Any]] = []
        self._on = page.on
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr(page, "on", self._listen)

    def _listen(self, event: Any, do: Any) -> None:
        self._heard.append((event, do))
        self._on(event, do)

    def clear(self) -> bool:
        """Leave nothing of the test in the page and its context; whether there still is a page."""
        page = self.page
        self._patch.undo()
        if page.is_closed():
            return False
        for event, do in self._heard:
            page.remove_listener(event, do)
        for other in page.context.pages:
            if other is not page:
                other.close()
        page.unroute_all()
        origin = urlsplit(page.url)
        page.goto("about:blank")
        page.emulate_media(media="null")
        page.context.clear_cookies()
        # The next server may have the same port, and so the same storage.
        devtools = page.context.new_cdp_session(page)
        if origin.scheme == "http":
            address = f"http://{origin.netloc}"
            devtools.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"})
        devtools.send("Network.clearBrowserCache")
        devtools.detach()
        return True


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag with the left button between two points of the page, in a few steps."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=6)
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def log_in_to_studio(page: Page, url: str, email: str, password: str) -> None:
    """Log in on Label Studio's own page."""
    page.goto(f"{url}/user/login")
    page.fill("input[name=email]", email)
    page.fill("input[name=password]", password)
    page.click("button[type=submit]")
    page.wait_for_url(lambda address: "/user/login" not in address)


def open_task(page: Page, url: str) -> dict[str, float]:
    """Open a project's label stream, or a task, and wait for its editor; returns where the image lies."""
    page.goto(url)
    page.locator(".konvajs-content").first.wait_for()
    page.get_by_text("In the article").wait_for()
    # The editor lays the image out anew once its side panels are there, and tells nobody.
    image = page.locator("img[alt=LS], [class*=image-el]").first
    places = [image.bounding_box()]
    while places[-1] is None or len(places) < 15 or places[-15:].count(places[-1]) < 15:
        assert len(places) < 600, "the image does not come to rest"
        page.wait_for_timeout(100)
        places.append(image.bounding_box())
    return dict(places[-1])


def open_items(page: Page, url: str) -> None:
    """Open a project whose figures are judged as a whole, or a task of it, and put its instructions away."""
    page.goto(url)
    page.locator(".konvajs-content").first.wait_for()
    page.locator(".pw-block").first.wait_for()
    instructions = page.get_by_text("Labeling Instructions")
    # The editor puts them before the task some time after it is there, on a busy machine while it is worked on.
    page.remove_locator_handler(instructions)
    page.add_locator_handler(instructions, lambda: page.keyboard.press("Escape"))
    page.wait_for_timeout(1000)
    if instructions.is_visible():
        page.keyboard.press("Escape")
        instructions.wait_for(state="hidden")


def mark(page: Page, first: str, last: str = "") -> None:
    """Drag over the caption from the beginning of `first` to the end of `last`, and wait until that is marked.

    Each of the two stands in one text node.
    """
    marks = page.locator(".htx-highlight")
    before = marks.count()
    # The caption may be longer than what shows of it.
    _place_of(page, first, scroll=True)
    left, top, right, bottom = _place_of(page, first)
    if last:
        _, _, right, bottom = _place_of(page, last)
    drag(page, (left + 2, top), (right - 2, bottom))
    marks.nth(before).wait_for(state="attached")


def submit(page: Page) -> None:
    """Press Submit and wait for the server's answer."""
    with page.expect_response(lambda answer: "/annotations" in answer.url and answer.request.method == "POST"):
        page.get_by_test_id("bottombar-submit-button").click()


def _place_of(page: Page, text: str, *, scroll: bool = False) -> tuple[float, float, float, float]:
    """Left, middle height of the first line, right, middle height of the last line."""
    found: Any = page.evaluate(
        """([text, scroll]) => {
          const caption = document.querySelector('[class*="richtext"]')
          const walk = document.createTreeWalker(caption, NodeFilter.SHOW_TEXT)
          for (let node = walk.nextNode(); node; node = walk.nextNode()) {
            const at = node.data.indexOf(text)
            if (at < 0) continue
            const range = document.createRange()
            range.setStart(node, at); range.setEnd(node, at + text.length)
            // Not the node, which is a whole paragraph: a drag near the pane's edge would scroll it.
            const pane = caption.closest(".pw-text").getBoundingClientRect(), word = range.getBoundingClientRect()
            if (scroll) caption.closest(".pw-text").scrollTop += word.top - (pane.top + pane.bottom) / 2
            const boxes = [...range.getClientRects()], first = boxes[0], last = boxes[boxes.length - 1]
            return [first.left, first.top + first.height / 2, last.right, last.top + last.height / 2]
          }
        }""",
        [text, scroll],
    )
    assert found, f"{text!r} is not on the page"
    return tuple(found)
