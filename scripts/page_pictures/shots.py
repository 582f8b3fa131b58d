"""Pictures of pages in every window, what is wrong with the pages, and contact sheets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe
from PIL import Image

from page_pictures.campaigns import PASSWORD

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: Windows: width, height, scheme; 320 pixels are 1280 at 400 %.
WINDOWS = tuple(
    (width, height, scheme)
    for width, height in ((1280, 800), (1024, 768), (390, 844), (320, 640))
    for scheme in ("light", "dark")
)
#: Width of a window -> columns and rows of a contact sheet, and pixels of a page there: wide, high at most.
SHEETS = {1280: (2, 2, 640, 560), 1024: (3, 2, 480, 480), 390: (5, 1, 300, 1000), 320: (6, 1, 250, 900)}
GRAVE = {"serious", "critical"}
#: Windows in which axe looks, which takes long.
GRAVE_IN = {(1280, "light"), (1280, "dark"), (390, "light")}

#: Returns what is wrong with a page that no rule of axe names.
CHECKS = Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
#: Describes the control that has the focus, null at the page's end; whether its look says that it has it.
FOCUS = """() => {
  const each = document.activeElement
  if (!each || each === document.body) return null
  const style = getComputedStyle(each)
  // A region that the page itself gives the focus is no control.
  const marked = each.tabIndex < 0 || style.boxShadow !== "none" ||
    style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
  return [`<${each.localName} ${each.className || each.id}> ${(each.innerText ?? "").slice(0, 30)}`, marked]
}"""


@dataclass(frozen=True, slots=True)
class Shots:
    """Takes pictures of pages into a folder. wrong: a line for each fault of a page."""

    folder: Path
    url: str
    browser: Browser
    names: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def open(self, name: str) -> Page:
        """Sign a person in, in a context of its own; "" for a stranger."""
        page = self.browser.new_context(timezone_id="Europe/Berlin").new_page()
        page.on("pageerror", lambda error: self.wrong.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda message: (
                self.wrong.append(f"{page.url}: {message.text}")
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )
        if name:
            page.goto(f"{self.url}login")
            page.fill("input[name=name]", name)
            page.fill("input[name=password]", PASSWORD)
            page.click("main button[type=submit]")
            page.wait_for_url(lambda url: "/login" not in url)
        return page

    def take(self, page: Page, name: str, address: str | None = None, *, keys: str = "") -> None:
        """Take the page's pictures. address: opened first, and again for each width. keys: pressed then."""
        print(name, flush=True)
        self.names.append(name)
        told = len(self.wrong)
        for width, height, scheme in WINDOWS:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            if address is not None and scheme == "light":
                self._go(page, address)
                page.wait_for_timeout(300 if keys else 0)
                for key in keys.split():
                    page.keyboard.press(key)
            page.wait_for_timeout(150)
            place = f"{name} {width} {scheme}"
            wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if wider > 0:
                self.wrong.append(f"{place}: {wider} pixels wider than its window")
            if scheme == "light":
                self.wrong.extend(f"{place}: {line}" for line in page.evaluate(CHECKS))
            if (width, scheme) in GRAVE_IN:
                self.wrong.extend(f"{place}: {line}" for line in _graves(page, scheme))
            page.screenshot(path=self._file(name, width, scheme), full_page=True)
            if len(self.wrong) > told:
                print(*self.wrong[told:], sep="\n", flush=True)
            told = len(self.wrong)
        page.set_viewport_size({"width": 1280, "height": 800})
        if address is not None:
            self._go(page, address)
        if not keys:
            self._tab_through(page, name)

    def _go(self, page: Page, address: str) -> None:
        page.goto(self.url + address)
        # A screen fetches what it shows.
        page.wait_for_function("!document.querySelector('.loading')")

    def _tab_through(self, page: Page, name: str) -> None:
        """Find controls that get the focus without a mark of it."""
        for _ in range(60):
            page.keyboard.press("Tab")
            focused = page.evaluate(FOCUS)
            if focused is None:
                break
            if not focused[1]:
                self.wrong.append(f"{name}: no mark of focus: {focused[0]}")

    def write_sheets(self) -> None:
        """Write contact sheets of all pages for each window: sheet-WIDTH-SCHEME-NUMBER.png."""
        for width, _, scheme in WINDOWS:
            columns, rows, wide, high = SHEETS[width]
            for start in range(0, len(self.names), columns * rows):
                names = self.names[start : start + columns * rows]
                pictures = [_small(self._file(name, width, scheme), wide, high) for name in names]
                sheet = Image.new("RGB", (columns * (wide + 8), rows * (high + 8)), "red")
                for place, picture in enumerate(pictures):
                    sheet.paste(picture, (place % columns * (wide + 8), place // columns * (high + 8)))
                sheet.save(self.folder / f"sheet-{width}-{scheme}-{start // (columns * rows):02}.png")

    def _file(self, name: str, width: int, scheme: str) -> Path:
        return self.folder / f"{name}-{width}-{scheme}.png"


def _small(file: Path, width: int, height: int) -> Image.Image:
    """Return a page's picture at this width, its upper part where it is higher."""
    with Image.open(file) as picture:
        whole = picture.convert("RGB").resize((width, max(1, picture.height * width // picture.width)))
    return whole.crop((0, 0, width, min(height, whole.height)))


def _graves(page: Page, scheme: str) -> Iterator[str]:
    """Yield what axe finds that is serious or worse; in the dark, of colours only."""
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    for fault in Axe().run(page, options=options).response["violations"]:
        if fault["impact"] in GRAVE:
            yield f"{fault['id']} at {fault['nodes'][0]['target']}"
