"""Pictures of what people's actions lead to: jobs, uploads, invitations, tasks in each state."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image

from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.demo import figures
from annotator.jobs import folders
from page_pictures.campaigns import ANNOTATOR, DILIGENT, LEAD, SECOND, write_jobs
from page_pictures.shots import Shots
from panelwise.domain import Task
from panelwise.runtime import locked

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


def _without_reloads(route: Route) -> None:
    """Answer with a page that does not load itself again."""
    answer = route.fetch()
    route.fulfill(
        response=answer, headers={key: answer.headers[key] for key in answer.headers if key != "refresh"}
    )


def _done(page: Page) -> None:
    """Wait on a job's page until it is over."""
    page.wait_for_url("**/campaign/jobs/*")
    while page.locator("#state").inner_text().startswith(("running", "waiting")):
        page.wait_for_timeout(500)


def take_lead_states(shots: Shots, home: Home, figure: str) -> None:
    """Take pictures of what a lead's actions lead to."""
    lead = shots.open(LEAD)
    lead.goto(f"{shots.url}campaign/jobs")
    lead.get_by_role("button", name="Agreement report", exact=True).click()
    _done(lead)
    shots.take(lead, "job", lead.url.removeprefix(shots.url))
    for name, number in write_jobs(home):
        shots.take(lead, name, f"campaign/jobs/{number}")
    running = "campaign/jobs/102"
    lead.route(f"**/{running}", _without_reloads)
    with locked(home.path / folders.FOLDER / "000102" / folders.LOCK):
        shots.take(lead, "job-running", running)
    lead.unroute(f"**/{running}")
    lead.goto(f"{shots.url}campaign/release")
    lead.fill("input[name=name]", "pilot")
    lead.fill("input[name=title]", "A pilot")
    lead.locator("input[name=author_name]").first.fill("Muster")
    release = lead.get_by_role("button", name="Save, and release")
    if release.is_enabled():
        release.click()
        _done(lead)
        shots.take(lead, "job-release", lead.url.removeprefix(shots.url))
    shots.take(lead, "jobs-after", "campaign/jobs")
    shots.take(lead, "release-after", "campaign/release")
    _take_uploads(shots, lead, figure)
    lead.goto(f"{shots.url}campaign/people")
    lead.get_by_role("button", name="Invite everybody without a password").click()
    lead.wait_for_load_state("networkidle")
    shots.take(lead, "people-invited")
    lead.goto(f"{shots.url}campaign/assignment")
    lead.get_by_text("Withdraw untouched tasks").first.click()
    shots.take(lead, "assignment-withdraw")
    lead.goto(f"{shots.url}campaign/settings")
    lead.locator("textarea[name=guidelines]").fill("# New guidelines\n")
    lead.get_by_role("button", name="Save texts").click()
    lead.locator("#earlier-title ~ details summary").first.click()
    shots.take(lead, "settings-earlier")
    lead.locator("textarea[name=settings]").fill("name = 3\n")
    lead.get_by_role("button", name="Save texts").click()
    lead.wait_for_load_state("networkidle")
    shots.take(lead, "settings-refused")


def _take_uploads(shots: Shots, lead: Page, figure: str) -> None:
    """Take pictures of a table whose columns are to be chosen, of its import, and of another image."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        Image.new("RGB", (640, 320), "teal").save(folder / "new.png")
        (folder / "table.csv").write_text(
            "Fig,Datei,Text,Autor\nx1,new.png,A caption of the new figure,Muster\nx2,missing.png,Another,Muster\n",
            encoding="utf-8",
        )
        lead.goto(f"{shots.url}campaign/figures")
        lead.set_input_files("#files", [folder / "new.png", folder / "table.csv"])
        lead.wait_for_url("**/columns**")
        lead.wait_for_load_state("networkidle")
        shots.take(lead, "columns", lead.url.removeprefix(shots.url))
        lead.select_option("select[name=image]", "Datei")
        lead.get_by_role("button", name="Import").click()
        _done(lead)
        shots.take(lead, "job-import", lead.url.removeprefix(shots.url))
        lead.goto(f"{shots.url}figures/{figure}/history")
        lead.set_input_files("#files", folder / "new.png")
        lead.wait_for_url("**/image/new?**")
        lead.wait_for_load_state("networkidle")
        shots.take(lead, "replace", lead.url.removeprefix(shots.url))


def take_own_states(shots: Shots, home: Home, known: list[str], *, blind: bool) -> None:
    """Take pictures of an annotator's screen in each state of a task, of its questions, and of a blind task."""
    keys, annotator = TaskKeys(home.secret()), shots.open(ANNOTATOR)
    names = ("task-rejected", "task-left-out", "task-skipped", "task-sent-back", "task")
    for name, figure in zip(names, known, strict=False):
        task = f"tasks/{keys.of(Task(figure, ANNOTATOR, figures.PHASE))}"
        shots.take(annotator, name, task)
    shots.take(annotator, "keys-annotator", task, keys="?")
    shots.take(annotator, "task-rejecting", task, keys="x")
    shots.take(annotator, "task-drawing" if blind else "task-noting", task, keys="n")
    done = f"tasks/{keys.of(Task(known[1], DILIGENT, figures.PHASE))}"
    shots.take(shots.open(DILIGENT), "task-done", done)
    if blind:
        shots.take(shots.open(SECOND), "blind-task", f"blind/{keys.of(Task(known[-1], SECOND, '2'))}")
        shots.take(shots.open(SECOND), "blind-tasks", "blind")
        shots.take(shots.open(SECOND), "dashboard-of-blind", f"figures/{known[0]}")
