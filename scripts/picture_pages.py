"""Take pictures of every page of the adjudication view: three campaigns, three widths, light and dark.

    python scripts/picture_pages.py FOLDER [CAMPAIGN ...]

CAMPAIGN: subfigures, questions or answers; without one, all three. Writes FOLDER/CAMPAIGN/PAGE-WIDTH-SCHEME.png
and contact sheets of several pages each, and prints every page that is wider than its window or logs an error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browsing import chromium

from annotator.accounts.invitations import invite
from annotator.accounts.people import add_person
from annotator.campaign.home import Home
from annotator.demo import figures, questions
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain import Annotation, HumanAnswer, Items, Role, Status, Task
from panelwise.formats import pairs_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "violet harbour lantern 93"
#: Windows: width, height, scheme.
WINDOWS = tuple(
    (width, height, scheme)
    for width, height in ((1280, 800), (1024, 768), (390, 844))
    for scheme in ("light", "dark")
)
#: Height of a picture on a contact sheet, pixels, and pages on a sheet.
SHEET_HEIGHT, ON_SHEET = 620, 3
LEAD, ANNOTATOR, REVIEWER = "lena", figures.NEWCOMER, "rita"
Work = Callable[[Home, Store], list[Annotation]]


@dataclass(frozen=True, slots=True)
class Shots:
    """Takes pictures of pages into a folder. wrong: a line for each page that is too wide or logs an error."""

    folder: Path
    url: str
    names: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def open(self, browser: Browser, name: str) -> Page:
        """Sign a person in, in a context of its own; "" for a stranger."""
        page = browser.new_context().new_page()
        page.on("pageerror", lambda error: self.wrong.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda said: (
                self.wrong.append(f"{page.url}: {said.text}")
                if said.type == "error" and "404" not in said.text
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
        self.names.append(name)
        for width, height, scheme in WINDOWS:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            if address is not None and scheme == "light":
                page.goto(self.url + address, wait_until="networkidle")
                for key in keys.split():
                    page.keyboard.press(key)
            page.wait_for_timeout(150)
            page.screenshot(path=self.folder / f"{name}-{width}-{scheme}.png")
            wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if wider > 0:
                self.wrong.append(f"{name}: {wider} pixels wider than {width}")

    def write_sheets(self) -> None:
        """Write contact sheets: a row for each page, a column for each window."""
        for start in range(0, len(self.names), ON_SHEET):
            rows = [
                [self._small(name, *window) for window in WINDOWS] for name in self.names[start : start + ON_SHEET]
            ]
            width = max(sum(each.width + 6 for each in row) for row in rows)
            sheet = Image.new("RGB", (width, (SHEET_HEIGHT + 6) * len(rows)), "red")
            for number, row in enumerate(rows):
                left = 0
                for each in row:
                    sheet.paste(each, (left, number * (SHEET_HEIGHT + 6)))
                    left += each.width + 6
            sheet.save(self.folder / f"sheet-{start // ON_SHEET:02}.png")

    def _small(self, name: str, width: int, height: int, scheme: str) -> Image.Image:
        with Image.open(self.folder / f"{name}-{width}-{scheme}.png") as picture:
            return picture.convert("RGB").resize((width * SHEET_HEIGHT // height, SHEET_HEIGHT))


def _answers(home: Home, store: Store) -> list[Annotation]:
    """Return answers of two people to every question; they differ in every third."""
    begun = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
    with store.read() as tx:
        asked = [tx.figures.get(each.id) for each in tx.figures.all()]
    return [
        Annotation(
            figure,
            name,
            home.campaign.phases[0].name,
            Status.ACCEPTED,
            (),
            begun + timedelta(days=number, minutes=place),
            items=Items(
                answers=tuple(
                    HumanAnswer(pair.id, "about 3" if number and position % 3 == 0 else pair.answer)
                    for position, pair in enumerate(pairs_of(figure))
                )
            ),
            seconds=90.0 + place,
        )
        for number, name in enumerate(figures.SIMULATED[:2])
        for place, figure in enumerate(asked)
    ]


#: Campaign -> how its home is made, its task type in place of that, and what simulated annotators submitted.
CAMPAIGNS: dict[str, tuple[Callable[[Path, Callable[[str], None]], Home], str, Work]] = {
    "subfigures": (figures.prepare, "", figures.simulated_work),
    "questions": (questions.prepare, "", questions.work),
    "answers": (questions.prepare, "human-eval", _answers),
}


def make_home(name: str, folder: Path) -> Home:
    """Make a campaign in which people annotate in Panelwise, with work on it and an account for each role."""
    prepare, task_type, work = CAMPAIGNS[name]
    home = prepare(folder, print)
    file = folder / "campaign.toml"
    text = file.read_text(encoding="utf-8").replace("[[phases]]", '[[phases]]\nannotate_in = "panelwise"')
    text += "\n[view]\nfeedback = true\n"
    if task_type:
        text = text.replace('task_type = "figure-qa"', f'task_type = "{task_type}"').replace(
            "fine_types = true", ""
        )
    file.write_text(text, encoding="utf-8")
    home = Home.find(folder)
    with home.open_store() as store:
        with store.transaction() as tx:
            for annotation in work(home, store):
                tx.annotations.add(annotation)
            tx.tasks.add([Task(next(iter(tx.figures.all())).id, REVIEWER, figures.PHASE)])
        score_disagreement(store, home.campaign)
        for person, roles in {
            LEAD: [Role.LEAD, Role.REVIEWER],
            ANNOTATOR: [Role.ANNOTATOR],
            REVIEWER: [Role.REVIEWER],
            figures.SIMULATED[0]: [Role.ANNOTATOR],
        }.items():
            add_person(store, person, roles=roles, password=PASSWORD)
    return home


def pages(figure: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the pages: name, who opens it, address and keys."""
    of_figure = f"figures/{figure}"
    yield "login", "", "login", ""
    yield "help", "", "help/", ""
    yield "help-page", "", "help/reference/files.md", ""
    for name, address in {
        "new": "campaign/new",
        "settings": "campaign/settings",
        "figures": "campaign/figures",
        "figure-view": f"campaign/{of_figure}",
        "people": "campaign/people",
        "assignment": "campaign/assignment",
        "jobs": "campaign/jobs",
        "release": "campaign/release",
        "dashboard": "dashboard",
        "sign-ins": "sign-ins",
        "account": "account",
        "feedback-of-all": "feedback",
    }.items():
        yield name, LEAD, address, ""
    for name, address in {
        "queue": "",
        "agreed": "agreed/",
        "agreement": "agreement",
        "flags": "flags",
        "figure": of_figure,
        "items": f"{of_figure}/items",
        "history": f"{of_figure}/history",
        "blind": "blind",
        "not-found": "figures/no-such-figure",
    }.items():
        yield name, REVIEWER, address, ""
    yield "keys-reviewer", REVIEWER, of_figure, "?"
    yield "tasks", ANNOTATOR, "tasks", ""
    yield "tasks-done", figures.SIMULATED[0], "tasks", ""
    yield "feedback", figures.SIMULATED[0], "feedback", ""
    yield "feedback-figure", figures.SIMULATED[0], f"feedback/{of_figure}", ""


def photograph(browser: Browser, name: str, folder: Path) -> list[str]:
    """Take pictures of every page of one campaign; returns what is wrong with them."""
    home = make_home(name, folder / "home")
    with home.open_store() as store, AdjudicationServer(home, store) as view:
        with store.read() as tx:
            figure = [each.id for each in tx.figures.all()][1]
        shots = Shots(folder, view.url)
        opened = {
            person: shots.open(browser, person) for person in ("", LEAD, REVIEWER, ANNOTATOR, figures.SIMULATED[0])
        }
        for page_name, person, address, keys in pages(quote(figure)):
            shots.take(opened[person], page_name, address, keys=keys)
        link = view.url.rstrip("/") + "/welcome/" + invite(home, store, figures.SIMULATED[1])
        shots.take(opened[""], "welcome", link.removeprefix(view.url))
        annotator = opened[ANNOTATOR]
        annotator.goto(f"{view.url}tasks")
        annotator.get_by_text("Annotate the next").first.click()
        annotator.wait_for_selector(".aj-panels")
        task = annotator.url.removeprefix(view.url)
        shots.take(annotator, "task", task)
        shots.take(annotator, "keys-annotator", task, keys="?")
        lead = opened[LEAD]
        lead.goto(f"{view.url}campaign/jobs")
        lead.get_by_role("button", name="Agreement report", exact=True).click()
        lead.wait_for_url("**/campaign/jobs/*")
        while lead.locator("#state").inner_text() in ("running", "waiting"):
            lead.wait_for_timeout(500)
        shots.take(lead, "job", lead.url.removeprefix(view.url))
        shots.take(lead, "jobs-after", "campaign/jobs")
        shots.write_sheets()
    return shots.wrong


def main() -> int:
    folder = Path(sys.argv[1])
    found: dict[str, list[str]] = {}
    with chromium() as browser:
        for name in sys.argv[2:] or CAMPAIGNS:
            (folder / name).mkdir(parents=True)
            found[name] = photograph(browser, name, folder / name)
    print(json.dumps(found, indent=1))
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
