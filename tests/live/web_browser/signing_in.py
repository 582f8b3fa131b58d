"""Signing in at the real server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from web.asking import PASSWORD, token_of

from annotator.web.server import AdjudicationServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["PASSWORD", "signed_in", "windows"]


def windows(narrow: int = 390) -> pytest.MarkDecorator:
    """Each width and each scheme once; with --soak, each with each."""
    long = [pytest.param(*each, marks=pytest.mark.soak) for each in ((1280, "dark"), (narrow, "light"))]
    return pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (narrow, "dark"), *long])


def signed_in(
    lend: Lend, server: AdjudicationServer, name: str, *, width: int = 1280, scheme: str = "light", at: str = ""
) -> tuple[Page, list[str]]:
    """A page on the queue, or `at` another address, and what goes wrong on it.

    The form is sent without being shown: test_people_pages signs in as people do.
    """
    page = lend(width=width, color_scheme=scheme)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
    asked = page.context.request
    form = {"csrf_token": token_of(asked.get(f"{server.url}login").text()), "name": name, "password": PASSWORD}
    answer = asked.post(f"{server.url}login", form=form, max_redirects=0)
    assert answer.status == 302, answer.text()
    page.goto(server.url + at)
    return page, problems
