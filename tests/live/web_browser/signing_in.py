"""Signing in at the real server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.web.server import AdjudicationServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "a good password"


def signed_in(
    browser: Browser, server: AdjudicationServer, name: str, *, width: int = 1280, scheme: str = "light"
) -> tuple[Page, list[str]]:
    """A page on the queue, and what goes wrong on it."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
    page.goto(server.url)
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(server.url)
    return page, problems
