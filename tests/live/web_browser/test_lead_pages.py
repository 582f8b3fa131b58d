"""A campaign run on its pages alone, below `annotator up`: from the upload to a downloaded release."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from PIL import Image
from web.asking import PASSWORD

from annotator.demo.sample_data import FIGURES, write_sample
from panelwise.runtime.sockets import listen

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
        with listen("127.0.0.1", 0) as free:
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
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
    # A home with the settings alone needs no Label Studio: what a new campaign has is changed on the pages.
    subprocess.run([ANNOTATOR, "init", str(tmp_path / "lungs")], check=True, capture_output=True)
    settings = tmp_path / "lungs" / "campaign.toml"
    settings.write_text(settings.read_text() + '\nannotate_in = "panelwise"\n')
    made = Running(tmp_path / "lungs")
    yield made
    made.process.terminate()
    made.process.wait()


def enter(page: Page, link: str) -> None:
    """Set a password behind a link; the person is signed in then."""
    page.goto(link)
    for field in ("new", "again"):
        page.fill(f"input[name={field}]", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(lambda url: "/welcome/" not in url)


def job_done(page: Page) -> None:
    """Wait on a job's page until it is over; it loads itself again."""
    for _ in range(600):
        state = page.locator("#state").inner_text()
        if state != "running":
            assert state == "done", page.locator(".log").inner_text()
            return
        page.wait_for_timeout(500)
    raise AssertionError(page.locator(".log").inner_text())


def test_a_campaign_goes_from_upload_to_a_released_gold_by_its_pages(
    running: Running, lend: Lend, tmp_path: Path
) -> None:
    link = re.search(r"^ +(http\S+/welcome/\S+)$", running.said, re.MULTILINE)
    assert link is not None, running.said
    lead = lend()
    problems: list[str] = []
    lead.on("pageerror", lambda error: problems.append(str(error)))
    enter(lead, link[1])

    # Settings: what is not valid is refused with its line, and nothing is lost.
    lead.goto(f"{running.url}/campaign/settings")
    before = lead.locator("textarea[name=settings]").input_value()
    lead.fill("textarea[name=settings]", f'{before}\nquorum = "many"\n')
    lead.get_by_role("button", name="Save", exact=True).click()
    assert "campaign.toml" in lead.locator("[role=alert]").inner_text()
    assert 'quorum = "many"' in lead.locator("textarea[name=settings]").input_value()
    lead.fill("textarea[name=settings]", before.replace("quorum = 2", "quorum = 1"))
    lead.fill("textarea[name=guidelines]", "# Boxes\n\nOne box a panel.\n")
    lead.get_by_role("button", name="Save", exact=True).click()
    lead.wait_for_selector(".notice.done")
    assert "quorum = 1" in (running.home / "campaign.toml").read_text()
    (kept,) = (running.home / "settings-history").glob("*-campaign.toml")
    assert kept.read_text() == f"# replaced by lea\n{before}"

    # Figures: a folder with captions beside the images, and something of no use.
    sample, folder = tmp_path / "sample", tmp_path / "mine"
    write_sample(FIGURES, sample)
    folder.mkdir()
    records = [json.loads(line) for line in (sample / "figures.jsonl").read_text().splitlines()][:4]
    for record in records:
        (folder / Path(record["image"]).name).write_bytes((sample / record["image"]).read_bytes())
        (folder / Path(record["image"]).with_suffix(".txt").name).write_text(record["caption"])
    (folder / "notes.docx").write_bytes(b"x")
    lead.goto(f"{running.url}/campaign/figures")
    lead.set_input_files("#folder", str(folder))
    lead.wait_for_url("**/campaign/jobs/*")
    job_done(lead)
    assert "imported 4 figures" in lead.locator(".log").inner_text()
    lead.goto(f"{running.url}/campaign/figures")
    lead.wait_for_selector(".gallery li")
    assert lead.locator(".gallery li").count() == 4
    assert list((running.home / "uploads").iterdir()) == []
    lead.fill("input[name=q]", "no such words at all")
    lead.press("input[name=q]", "Enter")
    lead.wait_for_selector("text=No figure has these words.")

    # Pre-labels.
    lead.goto(f"{running.url}/campaign/jobs")
    lead.get_by_role("button", name="Pre-label figures", exact=True).click()
    lead.wait_for_url("**/campaign/jobs/*")
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
    lead.get_by_role("button", name="Show the plan", exact=True).click()
    lead.wait_for_selector("#plan")
    assert lead.locator("#plan tbody tr").count() == 2
    lead.get_by_role("button", name="Assign as planned", exact=True).click()
    assert "ann: 4 tasks; ben: 4 tasks" in lead.locator(".notice.done").inner_text()

    # Both annotators submit what the pre-labels propose.
    for name in ("ann", "ben"):
        page = lend()
        enter(page, links[name])
        page.goto(f"{running.url}/tasks")
        for _ in range(4):
            page.locator("main a[href*='/tasks/']").first.click()
            page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
            at = page.url
            page.keyboard.press("Control+Enter")
            page.wait_for_url(lambda url, at=at: url != at)
            page.goto(f"{running.url}/tasks")

    # The gold: they agree, so that it needs nobody; released, and downloaded.
    lead.goto(f"{running.url}/campaign/jobs")
    lead.fill("input[name=name]", "pilot")
    lead.get_by_role("button", name="Release the gold", exact=True).click()
    lead.wait_for_url("**/campaign/jobs/*")
    job_done(lead)
    lead.goto(f"{running.url}/campaign/jobs")
    with lead.expect_download() as download:
        lead.locator("#releases a", has_text="gold.jsonl").click()
    gold = Path(download.value.path()).read_text().splitlines()
    assert len(gold) == 4
    assert problems == []
    with Image.open(next((running.home / "images").rglob("*.png"))) as image:
        assert image.size[0] > 1
