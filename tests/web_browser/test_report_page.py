"""The HTML of a report in a real browser: from a disk, without a network, on a phone and in the dark."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from html_pages import a_campaign
from PIL import Image

from agreement.metrics.comparison import comparison
from agreement.metrics.full_report import full_report
from agreement.metrics.summary import Settings
from agreement.report.html import report_html
from agreement.report.html_comparison import comparison_html
from annotator.domain.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.live

LONG = "an-annotator-with-a-name-that-has-no-place-to-break-and-goes-on-and-on"


def picture(figure: Figure) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (figure.width // 2, figure.height // 2), "teal").save(out, "JPEG")
    return out.getvalue()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    work = a_campaign(8, names=("ann1", LONG, "ann3"))
    quick = Settings(resamples=50)
    gold = [each for each in work if each.annotator == "ann1"]
    made = {
        "report": report_html(full_report(work, quick, worst=8), pictures=picture, view="http://127.0.0.1:1/"),
        "comparison": comparison_html(comparison(gold, work, quick, worst=8), pictures=picture),
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["report", "comparison"])
def test_a_page_shows_whole_and_asks_for_nothing(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        color_scheme=scheme,  # type: ignore[arg-type]
        java_script_enabled=False,
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda said: problems.append(said.text))
    page.on("request", lambda asked: problems.append(asked.url) if asked.url.startswith("http") else None)
    page.goto(pages[name].as_uri())
    # What the policy refuses is told on the console; a style sheet that it let through gives the page its ground.
    ground = page.locator("body").evaluate("body => getComputedStyle(document.documentElement).backgroundColor")
    assert ground == {"light": "rgb(244, 245, 247)", "dark": "rgb(20, 23, 27)"}[scheme]
    whole = page.locator("html").evaluate("html => [html.scrollWidth, window.innerWidth]")
    assert whole == [width, width]
    image = page.locator("article image").first.bounding_box()
    assert image is not None
    assert image["width"] > 200
    context.close()
    assert problems == []


def test_sections_have_names_and_the_page_can_be_used_with_keys(browser: Browser, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    page.goto(pages["report"].as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for name in ("Who agrees with whom", "Where agreement is lost", "Worst figures", "Boxes"):
        assert page.get_by_role("region", name=name, exact=True).count() == 1
    assert page.get_by_role("columnheader", name="ann1").count() >= 1
    assert page.get_by_role("img", name="IAA").count() >= 1
    page.close()
