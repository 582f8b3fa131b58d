"""The HTML of a report in a real browser: from a disk, without a network, on a phone and in the dark."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from browsing import Lend
from html_pages import a_campaign
from PIL import Image
from web_browser.signing_in import windows

from agreement.models.comparison import comparison
from agreement.primitives.settings import Settings
from agreement.report.full_report import full_report
from agreement.report.html.comparison import comparison_html
from agreement.report.html.report import report_html
from panelwise.domain.figure import Figure

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


@windows()
@pytest.mark.parametrize("name", ["report", "comparison"])
def test_a_page_shows_whole_and_asks_for_nothing(
    lend: Lend, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    page = lend(width=width, height=844, color_scheme=scheme, java_script_enabled=False)
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
    assert problems == []


def test_sections_have_names_and_the_page_can_be_used_with_keys(lend: Lend, pages: dict[str, Path]) -> None:
    page = lend()
    page.goto(pages["report"].as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for name in ("Who agrees with whom", "Where agreement is lost", "Worst figures", "Boxes"):
        assert page.get_by_role("region", name=name, exact=True).count() == 1
    assert page.get_by_role("columnheader", name="ann1").count() >= 1
    assert page.get_by_role("img", name="IAA").count() >= 1


#: Names as people and institutes have them, and worse.
NAMES = {
    "e-mail": tuple(
        f"{name}@department.university-hospital.example.org"
        for name in ("anneliese.hofmann", "bartholomew.montgomery", "christopher.oyelaran", "d.wu")
    ),
    "unbroken": ("n" * 101, "W" * 101, "short"),
    "many": tuple(f"annotator-{number:02}" for number in range(25)),
}
#: What lies beyond the right edge, but in boxes that scroll on a screen; and cells whose text is wider than they.
BEYOND = """() => [...document.querySelectorAll('body *')].filter(each => {
  const edge = each.getBoundingClientRect().right, box = each.closest('.scroll');
  const scrolls = matchMedia('screen').matches && box && box !== each;
  const cut = each.matches('td, th') && each.clientWidth && each.scrollWidth > each.clientWidth + 1;
  return !each.closest('.vh, .skip') && (cut || (!scrolls && edge > document.documentElement.clientWidth + 1));
}).map(each => `${each.tagName} ${each.textContent.trim().slice(0, 40)}`).slice(0, 3)"""


@pytest.fixture(scope="module")
def wide_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wide")
    quick = Settings(resamples=20)
    found = {}
    for kind, names in NAMES.items():
        work = [
            replace(each, figure=replace(each.figure, id=each.figure.id.ljust(160, "x")))
            for each in a_campaign(2, names=names)
        ]
        gold = [each for each in work if each.annotator == names[0]]
        rest = [each for each in work if each.annotator != names[0]]
        made = {
            "report": report_html(
                full_report(work, quick, worst=2), view="http://127.0.0.1:1/", sources=["s" * 150 + ".jsonl"]
            ),
            "comparison": comparison_html(comparison(gold, rest, quick, worst=2)),
        }
        for name, text in made.items():
            found[f"{name} {kind}"] = folder / f"{name}-{kind}.html"
            found[f"{name} {kind}"].write_text(text, encoding="utf-8")
    return found


@pytest.mark.parametrize(
    ("media", "width"),
    [
        *(("screen", 390), ("print", 688)),
        *(pytest.param(*each, marks=pytest.mark.soak) for each in (("screen", 1200), ("print", 794))),
    ],
)
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("name", ["report", "comparison"])
def test_nothing_is_wider_than_the_window_or_the_sheet(
    lend: Lend, wide_pages: dict[str, Path], name: str, kind: str, media: str, width: int
) -> None:
    page = lend(width=width, height=900)
    page.emulate_media(media=media)
    page.goto(wide_pages[f"{name} {kind}"].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BEYOND) == []
    if name == "report" and kind == "many":
        assert page.locator(".paper-only").is_visible() == (media == "print")
        assert page.locator(".matrix.whole").is_visible() == (media == "screen")
