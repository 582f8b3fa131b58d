"""A campaign run on its pages alone, below `annotator up` in an empty folder, to a downloaded release.

Nothing is typed but the command. The long form uploads 25 real figures.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import Lend
from free_ports import free_port
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.demo.figures import FIGURES, write_sample
from annotator.imports import uploads
from annotator.web.screens.lead import figures as lead_figures
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.live

ANNOTATOR = str(Path(sys.executable).with_name("annotator"))
#: Longer than any machine takes; in seconds, and in milliseconds.
LIMIT = 300.0


def until(holds: Callable[[], bool], what: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, what()
        time.sleep(0.1)


class Running:
    """`annotator up` in a folder that was empty, and the links that it and the pages show."""

    def __init__(self, home: Path) -> None:
        self.home, self.log = home, home.with_suffix(".log")
        self.url = f"http://127.0.0.1:{free_port()}"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [ANNOTATOR, "up", str(home), "--port", self.url.rpartition(":")[2], "--lead", "lea"],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        until(lambda: "Ctrl-C" in self.said or self.process.poll() is not None, lambda: self.said)
        assert self.process.poll() is None, self.said

    @property
    def said(self) -> str:
        return self.log.read_text()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path / "lungs")
    yield made
    made.process.terminate()
    made.process.wait()


@dataclass(frozen=True)
class Given:
    """A figure to upload: its image, and its caption."""

    image: Path
    caption: str


@pytest.fixture(params=["four", pytest.param("25 real ones", marks=pytest.mark.soak)])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> list[Given]:
    if request.param == "four":
        folder, count = tmp_path / "sample", 4
        write_sample(FIGURES, folder)
    else:
        folder, count = request.getfixturevalue("shared_data"), 25
    records = [json.loads(line) for line in (folder / "figures.jsonl").read_text().splitlines()]
    found = [Given(folder / each["image"], each["caption"]) for each in records if each["caption"]]
    assert len(found) >= count
    return found[:count]


def enter(page: Page, link: str) -> None:
    """Set a password behind a link; the person is signed in then."""
    page.goto(link)
    for field in ("new", "again"):
        page.fill(f"input[name={field}]", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(lambda url: "/welcome/" not in url)


def job_done(page: Page) -> None:
    """Wait on a job's page until it is over; it loads itself again."""
    page.wait_for_url("**/campaign/jobs/*")
    for _ in range(600):
        state = page.locator("#state").inner_text()
        if state != "running":
            assert state == "done", page.locator(".log").inner_text()
            return
        page.wait_for_timeout(500)
    raise AssertionError(page.locator(".log").inner_text())


def test_a_campaign_goes_from_an_empty_folder_to_a_released_gold_by_its_pages(
    running: Running, lend: Lend, tmp_path: Path, given: Sequence[Given]
) -> None:
    link = re.search(r"^ +(http\S+/welcome/\S+)$", running.said, re.MULTILINE)
    assert link is not None, running.said
    lead = lend()
    problems: list[str] = []
    lead.on("pageerror", lambda error: problems.append(str(error)))
    enter(lead, link[1])
    set_up(lead, running)
    change_settings(lead, running)
    upload(lead, running, given, tmp_path / "mine")

    lead.goto(f"{running.url}/campaign/jobs")
    lead.get_by_role("button", name="Pre-label figures", exact=True).click()
    job_done(lead)

    # People, each with a link of their own.
    links = {}
    for name, role in (("ann", "annotator"), ("ben", "annotator"), ("rev", "reviewer")):
        lead.goto(f"{running.url}/campaign/people")
        lead.fill("form.form input[name=name]", name)
        lead.check(f"form.form input[value={role}]")
        lead.get_by_role("button", name="Add, and show the link", exact=True).click()
        links[name] = lead.locator("#link").input_value()

    # Assignment: the plan first, then what it says.
    lead.goto(f"{running.url}/campaign/assignment")
    lead.check("form.plan input[value=ann]")
    lead.check("form.plan input[value=ben]")
    lead.get_by_role("button", name="Show the plan of phase 1", exact=True).click()
    lead.wait_for_selector("#plan")
    assert lead.locator("#plan tbody tr").count() == 2
    lead.get_by_role("button", name="Assign as planned", exact=True).click()
    share = f"{len(given)} tasks"
    assert f"ann: {share}; ben: {share}" in lead.locator(".notice.done").inner_text()

    # One annotator submits what the pre-labels propose, the other without its first panel.
    for name, first in (("ann", "Escape"), ("ben", "Delete")):
        page = lend()
        enter(page, links[name])
        page.goto(f"{running.url}/tasks")
        for _ in given:
            page.locator("main a[href*='/tasks/']").first.click()
            submit(page, first)
            page.goto(f"{running.url}/tasks")
    reviewer = lend()
    enter(reviewer, links["rev"])
    for _ in given:
        reviewer.goto(running.url)
        reviewer.locator("main a[href*='/figures/']").first.click()
        submit(reviewer, "Escape")
    reviewer.goto(running.url)
    assert f"{len(given)} of {len(given)}" in reviewer.locator("main").inner_text()

    # Released, and downloaded.
    lead.goto(f"{running.url}/campaign/jobs")
    lead.get_by_role("button", name="Release the gold", exact=True).click()
    # It says first what it would leave out, takes the licence of all, and refuses a bad name in the form.
    assert (
        f"No images: {len(given)} of {len(given)} figures have no licence" in lead.locator("#holds").inner_text()
    )
    lead.get_by_label("Licence of all figures that state none").fill("CC-BY-4.0")
    lead.get_by_label("Surname or organisation of author 1").fill("A Society")
    lead.get_by_role("button", name="Save, and count again", exact=True).click()
    assert f"{len(given)} images." in lead.locator("#holds").inner_text()
    lead.fill("input[name=name]", "no name")
    lead.get_by_role("button", name="Save, and release", exact=True).click()
    assert lead.url.endswith("/campaign/release")
    lead.fill("input[name=name]", "pilot")
    lead.check("input[name=images]")
    lead.get_by_role("button", name="Save, and release", exact=True).click()
    job_done(lead)
    lead.goto(f"{running.url}/campaign/jobs")
    with lead.expect_download() as download:
        lead.locator("#releases a", has_text="gold.jsonl").click()
    gold = Path(download.value.path()).read_text()
    assert len([json.loads(line) for line in gold.splitlines()]) == len(given)
    with lead.expect_download() as download:
        lead.get_by_role("link", name="Download all as a ZIP", exact=True).click()
    with zipfile.ZipFile(download.value.path()) as packed:
        assert packed.read("001-pilot/gold.jsonl").decode() == gold
        assert "001-pilot/manifest.json" in packed.namelist()
        assert sum(name.startswith("001-pilot/images/") for name in packed.namelist()) == len(given)
        assert "A Society" in packed.read("001-pilot/LICENSE").decode()
    # Rows of jobs and of tasks scroll in their table; a phone's page is no wider than the phone.
    lead.set_viewport_size({"width": 390, "height": 844})
    for name in ("figures", "people", "assignment", "jobs", "release", "settings"):
        lead.goto(f"{running.url}/campaign/{name}")
        assert lead.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        tabs = lead.locator(".tools .filter a").evaluate_all(
            "tabs => tabs.map(tab => tab.getBoundingClientRect().right)"
        )
        assert max(tabs) <= 390, name
    assert problems == []


def submit(page: Page, first: str) -> None:
    """Press a key on a figure's screen, then submit; waits for the next page."""
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    at = page.url
    page.keyboard.press(first)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != at)


def set_up(lead: Page, running: Running) -> None:
    """Choose a template, and what it does not say; the first page of a lead without figures is the form."""
    assert lead.url == f"{running.url}/campaign/new"
    lead.check("input[name=template][value=subfigures]")
    lead.get_by_role("button", name="Use its guidelines", exact=True).click()
    lead.wait_for_selector(".preview h1")
    lead.check("input[name=template][value='']")
    lead.fill("textarea[name=guidelines]", "# Boxes\n\nOne box a panel. <script>")
    lead.get_by_role("button", name="Preview", exact=True).click()
    lead.wait_for_selector(".preview >> text=One box a panel. <script>")
    lead.fill("input[name=name]", "Lungs")
    lead.get_by_role("button", name="Set up the campaign", exact=True).click()
    lead.wait_for_url("**/campaign/figures")
    assert 'name = "Lungs"' in (running.home / "campaign.toml").read_text()


def change_settings(lead: Page, running: Running) -> None:
    """By the form and as text: what is not valid is refused with its place, and nothing is lost."""
    lead.goto(f"{running.url}/campaign/settings")
    lead.fill("input[name=quorum]", "1")
    lead.get_by_role("button", name="Save", exact=True).click()
    lead.wait_for_selector(".notice.done")
    before = lead.locator("textarea[name=settings]").input_value()
    assert "quorum = 1" in before
    lead.fill("textarea[name=settings]", f'{before}\nquorums = "many"\n')
    lead.get_by_role("button", name="Save texts", exact=True).click()
    lead.wait_for_selector("[role=alert] >> text=campaign.toml")
    assert 'quorums = "many"' in lead.locator("textarea[name=settings]").input_value()
    assert (running.home / "campaign.toml").read_text() == before
    earlier = lead.locator("details summary", has_text="replaced by lea")
    assert earlier.count() == 2


def upload(lead: Page, running: Running, given: Sequence[Given], folder: Path) -> None:
    """A folder with captions beside the images, and something of no use."""
    folder.mkdir()
    for each in given:
        (folder / each.image.name).write_bytes(each.image.read_bytes())
        (folder / each.image.with_suffix(".txt").name).write_text(each.caption)
    (folder / "notes.docx").write_bytes(b"x")
    lead.goto(f"{running.url}/campaign/figures")
    lead.set_input_files("#folder", str(folder))
    lead.wait_for_url("**/campaign/jobs/*")
    job_done(lead)
    assert f"imported {len(given)} figures" in lead.locator(".log").inner_text()
    lead.goto(f"{running.url}/campaign/figures")
    lead.wait_for_selector(".gallery li")
    assert lead.locator(".gallery li").count() == len(given)
    assert list((running.home / "uploads").iterdir()) == []
    lead.fill("input[name=q]", "no such words at all")
    lead.press("input[name=q]", "Enter")
    lead.wait_for_selector("text=No figure has these words.")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Home, AdjudicationServer]]:
    """A campaign with two leads."""
    home = Home.create(tmp_path / "campaign")
    with home.open_store() as store:
        for name in ("lea", "lou"):
            people.add_person(store, name, roles=[Role.LEAD], password=PASSWORD)
        with AdjudicationServer(home, store) as server:
            yield home, server


def test_a_page_that_is_left_in_mid_upload_leaves_nothing(
    lend: Lend, served: tuple[Home, AdjudicationServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (uploads, lead_figures):
        monkeypatch.setattr(place, "EXPIRES_LEFT", 0)  # not a quarter of an hour
    home, server = served
    page, problems = signed_in(lend, server, "lea", at="campaign/figures")
    # The second piece never arrives.
    page.route("**/campaign/uploads/*offset=524288*", lambda _route: None)
    (tmp_path / "large.zip").write_bytes(bytes(1 << 20))
    page.set_input_files("#files", str(tmp_path / "large.zip"))
    until(lambda: any((home.path / "uploads").rglob("large.zip")), lambda: list(home.path.iterdir()))
    page.goto(f"{server.url}campaign/people")
    until(lambda: list((home.path / "uploads").iterdir()) == [], lambda: list((home.path / "uploads").rglob("*")))
    assert not (home.path / "jobs").exists()
    assert problems == []


def test_an_upload_goes_on_where_it_stopped_when_its_page_is_loaded_again(
    lend: Lend, served: tuple[Home, AdjudicationServer], tmp_path: Path
) -> None:
    _, server = served
    page, problems = signed_in(lend, server, "lea", at="campaign/figures")
    archive = tmp_path / "large.zip"
    with zipfile.ZipFile(archive, "w") as made:
        image = io.BytesIO()
        Image.frombytes("RGB", (600, 600), os.urandom(600 * 600 * 3)).save(image, "PNG")
        made.writestr("a.png", image.getvalue())
    assert archive.stat().st_size > 1 << 20
    held: list[Route] = []
    # The second piece is held back once.
    page.route(re.compile(r"offset=524288"), lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(re.compile(r"offset=524288")):
        page.set_input_files("#files", str(archive))
    page.reload()
    page.wait_for_selector("#unfinished >> text=An upload of 1 file was interrupted")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.set_input_files("#files", str(archive))
    job_done(page)
    offsets = [url.rpartition("offset=")[2] for url in sent if "offset=" in url]
    assert "0" not in offsets
    assert "524288" in offsets
    assert page.locator("#counts").inner_text().split() == ["Imported", "1", "Refused", "0", "Remarks", "1"]
    assert Axe().run(page).response["violations"] == []
    page.goto(f"{server.url}campaign/figures")
    page.wait_for_timeout(500)
    assert page.locator("#unfinished").is_hidden()
    assert problems == []


def test_two_leads_who_save_settings_at_once_get_the_differences(
    lend: Lend, served: tuple[Home, AdjudicationServer]
) -> None:
    home, server = served
    pages = [signed_in(lend, server, name, at="campaign/settings")[0] for name in ("lea", "lou")]
    for page, quorum in zip(pages, ("3", "4"), strict=True):
        page.fill("input[name=quorum]", quorum)
        page.get_by_role("button", name="Save", exact=True).click()
        # The one is through before the other begins.
        page.wait_for_selector(".notice.done" if quorum == "3" else "[role=alertdialog] >> text=+quorum = 4")
    late = pages[1]
    assert "quorum = 3" in (home.path / "campaign.toml").read_text()
    late.get_by_role("button", name="Save mine over them", exact=True).click()
    late.wait_for_selector(".notice.done")
    assert "quorum = 4" in (home.path / "campaign.toml").read_text()


def test_the_forms_of_a_new_campaign_and_of_columns_shut_nobody_out(
    lend: Lend, served: tuple[Home, AdjudicationServer], tmp_path: Path
) -> None:
    _, server = served
    page, problems = signed_in(lend, server, "lea", at="campaign/new?template=subfigures")
    found = [Axe().run(page).response["violations"]]
    (tmp_path / "table.csv").write_text("Panel,Legend\na.png,Lungs.\n")
    page.goto(f"{server.url}campaign/figures")
    page.set_input_files("#files", str(tmp_path / "table.csv"))
    page.wait_for_selector("select[name=image]")
    found.append(Axe().run(page).response["violations"])
    assert [each["id"] for violations in found for each in violations] == []
    assert problems == []
