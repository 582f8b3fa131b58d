"""A campaign by three annotators in each of the two screens, in Chromium, up to gold.

By default on two of the demo's figures; with --soak on twelve real ones, where they are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Pages, log_in_to_studio, mark, open_task
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.demo.figures import FIGURES, write_sample
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import label_studio
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.push import push
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role
from tests.live.campaigns.acting import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.live

NAMES = ("ada", "ben", "cho")
BOXES = ".host svg.a9s-annotationlayer"
PHASE = '\n[[phases]]\nname = "main"\nannotate_in = "{}"\noverlap_seeded = true\n'


def real_figures(shared: Path, folder: Path) -> Path:
    """Records of twelve real figures that people have annotated, with whole paths of their images."""
    annotated = (shared / "annotations.jsonl").read_text(encoding="utf-8").splitlines()
    some = list(dict.fromkeys(json.loads(line)["figure_id"] for line in annotated))[:12]
    records = map(json.loads, (shared / "figures.jsonl").read_text(encoding="utf-8").splitlines())
    lines = [
        json.dumps({**each, "image": str(shared / each["image"])}) for each in records if each["figure_id"] in some
    ]
    file = folder / "figures.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def demo_figures(folder: Path) -> Path:
    """Records of two of the demo's figures."""
    write_sample(FIGURES, folder)
    file = folder / "figures.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(lines[:2]), encoding="utf-8")
    return file


def a_campaign(path: Path, figures: Path, screen: str) -> Home:
    """All figures are pre-labelled, and tasks of all three annotators."""
    made = Home.create(path, name="Screens", labels=tuple("ABCDEFGHIJ"))
    file = made.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + PHASE.format(screen), encoding="utf-8")
    count = len(figures.read_text(encoding="utf-8").splitlines())
    run("annotator", "import", "figures", figures, home=path)
    run("prelabel", "run", home=path)
    run("annotator", "assign", "--annotators", ",".join(NAMES), "--overlap", count, "--phase", "main", home=path)
    return Home.find(path)


def annotate_here(home: Home, store: Store, pages: Pages) -> None:
    """Each submits what is predicted, but for some words more that cho adds to the first figure."""
    with store.read() as tx:
        count = len(tx.tasks.all(phase="main", annotator="ada"))
    with AdjudicationServer(home, store) as server:
        for name in NAMES:
            page, problems = signed_in(pages.lend, server, name, at="tasks")
            page.keyboard.press("s")
            for number in range(count):
                page.wait_for_selector(BOXES, state="attached")
                page.wait_for_selector("#caption:focus")
                if (name, number) == ("cho", 0):
                    for _ in range(3):
                        page.keyboard.press("]")
                leave(page, lambda page=page: page.keyboard.press("Enter"))
            assert f"{count} of {count} done" in page.locator("main").inner_text()
            assert problems == []
            pages.take_back()


def annotate_in_label_studio(home: Home, store: Store, browser: Browser) -> None:
    """The same in Label Studio, each in an account and a project of their own; cho marks a word more there."""
    with (
        label_studio(home.path, password=PASSWORD) as studio,
        LabelStudioServer(studio.url, studio.token) as server,
    ):
        for name in NAMES:
            server.ensure_account(f"{name}@example.org", PASSWORD)
        urls = {each.annotator: each.url for each in push(home, store, server)}
        for name in NAMES:
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.set_default_timeout(180_000)
            page = context.new_page()
            log_in_to_studio(page, studio.url, f"{name}@example.org", PASSWORD)
            with store.read() as tx:
                tasks = tx.tasks.all(phase="main", annotator=name)
            for number, _ in enumerate(tasks):
                open_task(page, f"{urls[name]}/data?labeling=1")
                if (name, number) == ("cho", 0):
                    page.keyboard.press("a")
                    mark(page, first_word(page))
                hand_in(page)
            context.close()
        for pulled in pull(home, store, server):
            assert not pulled.problems, pulled.problems


def first_word(page: Page) -> str:
    """The first word of the caption that the editor shows."""
    return str(page.evaluate("Htx.annotationStore.selected.names.get('caption')._value")).split()[0]


def hand_in(page: Page) -> None:
    """Submit; once more where the screen asks whether something was forgotten."""
    button, answered = page.get_by_test_id("bottombar-submit-button"), list[str]()

    def hear(answer: Response) -> None:
        if "/annotations" in answer.url and answer.request.method == "POST":
            answered.append(answer.url)

    page.on("response", hear)
    button.click()
    asked = False
    for _ in range(3000):
        if answered:
            break
        if not asked and page.locator(".pw-problems").count():
            asked = True
            button.click()
        page.wait_for_timeout(20)
    page.remove_listener("response", hear)
    assert answered, "it was not submitted"


def adjudicate(home: Home, store: Store, pages: Pages) -> None:
    """A reviewer takes what the screen proposes for each open conflict, figure by figure."""
    with store.read() as tx:
        figures = [each.id for each in tx.figures.all()]
    with AdjudicationServer(home, store) as server:
        page, problems = signed_in(pages.lend, server, "rev")
        for name in figures:
            page.goto(f"{server.url}figures/{name}")
            page.wait_for_selector(BOXES, state="attached")
            page.wait_for_selector("#caption:focus")
            while page.locator(".conflicts.open").count():
                page.keyboard.press("a")
            leave(page, lambda page=page: page.keyboard.press("Enter"))
        page.goto(server.url)
        assert f"{len(figures)} of {len(figures)} adjudicated" in page.locator("main").inner_text()
        assert problems == []


def leave(page: Page, act: Callable[[], None]) -> None:
    """Wait until what is done leads to another page."""
    here = page.url
    act()
    page.wait_for_url(lambda address: address != here)


def check_gold(home: Home, store: Store, figures: Path) -> None:
    """Every figure is gold, of the work of three who agree in all but what one of them changed."""
    ids = {json.loads(line)["figure_id"] for line in figures.read_text(encoding="utf-8").splitlines()}
    with store.read() as tx:
        work = list(tx.annotations.all(phase="main"))
    assert sorted((each.figure.id, each.annotator) for each in work) == sorted((f, n) for f in ids for n in NAMES)
    report = json.loads(run("agreement", "report", "--phase", "main", "--format", "json", home=home.path))
    assert 0.5 < report["iaa"] < 1.0
    out = home.path / "gold.jsonl"
    run("annotator", "export", "gold", "--out", out, home=home.path)
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {each["figure_id"] for each in records} == ids
    assert {each["provenance"]["source"] for each in records} == {"adjudicated"}
    assert all(each["subfigures"] for each in records)


@pytest.mark.parametrize("screen", ["panelwise", "label-studio"])
@pytest.mark.parametrize("kind", ["demo", pytest.param("real", marks=pytest.mark.soak)])
def test_three_annotators_in_either_screen_come_to_gold(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path, screen: str, kind: str
) -> None:
    folder = tmp_path / "figures"
    folder.mkdir()
    real = kind == "real"
    figures = real_figures(request.getfixturevalue("shared_data"), folder) if real else demo_figures(folder)
    home, pages = a_campaign(tmp_path / "campaign", figures, screen), Pages(browser)
    with home.open_store() as store:
        for name, role in (*((name, Role.ANNOTATOR) for name in NAMES), ("rev", Role.REVIEWER)):
            people.add_person(store, name, roles=[role], password=PASSWORD, email=f"{name}@example.org")
        if screen == "panelwise":
            annotate_here(home, store, pages)
        else:
            annotate_in_label_studio(home, store, browser)
        adjudicate(home, store, pages)
        check_gold(home, store, figures)
    pages.take_back()
