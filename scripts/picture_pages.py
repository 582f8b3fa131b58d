"""Take pictures of every page of the adjudication view, and of every state of it: four widths, light and dark.

    python scripts/picture_pages.py FOLDER [CAMPAIGN ...]

CAMPAIGN: subfigures, questions, answers or empty; without one, all four. Writes contact sheets and
FOLDER/CAMPAIGN/PAGE-WIDTH-SCHEME.png, and prints what is wrong: pages wider than their window, errors in the
console, what axe finds, cut text, controls too small for a finger or without a mark of focus, empty headings,
"1 figures". Pages that are the same in every campaign are pictured in the first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from axe_playwright_python.sync_playwright import Axe
from browsing import chromium
from flask import Flask, abort, request

from annotator.accounts.invitations import invite
from annotator.accounts.people import add_person
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.demo import figures, questions
from annotator.jobs import folders
from annotator.jobs.commands import JobKind
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store, Transaction
from annotator.web import server
from panelwise.domain import (
    Annotation,
    Decision,
    ErrorKind,
    Figure,
    FigureKind,
    HumanAnswer,
    Items,
    Role,
    Status,
    Task,
)
from panelwise.runtime import locked

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

PASSWORD = "violet harbour lantern 93"
#: Windows: width, height, scheme; 320 pixels are 1280 at 400 %.
WINDOWS = tuple(
    (width, height, scheme)
    for width, height in ((1280, 800), (1024, 768), (390, 844), (320, 640))
    for scheme in ("light", "dark")
)
#: Pages on a contact sheet, and pixels of a page's height that are pictured.
ON_SHEET, TALLEST = 3, 1600
LEAD, ANNOTATOR, REVIEWER, SECOND = "lena", figures.NEWCOMER, "rita", "robin"
#: The annotator who has done everything.
DILIGENT = figures.SIMULATED[0]
GRAVE = {"serious", "critical"}
#: Windows in which axe looks, which takes long.
GRAVE_IN = {(1280, "light"), (1280, "dark"), (390, "light")}
Work = Callable[[Home, Store], list[Annotation]]

#: Returns what is wrong with a page that no rule of axe names.
CHECKS = Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
#: Describes the element that has the focus, "" at the page's end; whether its look says that it has it.
FOCUS = """() => {
  const each = document.activeElement
  if (!each || each === document.body) return null
  const style = getComputedStyle(each)
  const marked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none"
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
        """Write a sheet for each page with its narrow windows, and sheets of several pages with the wide ones."""
        for name in self.names:
            columns = [
                part
                for scheme in ("light", "dark")
                for part in _columns(self._file(name, 390, scheme), 844 + 300, 2)
            ]
            _sheet([columns]).save(self.folder / f"narrow-{name}.png")
        for start in range(0, len(self.names), ON_SHEET):
            rows = [
                [
                    part
                    for window in ((1280, "dark"), (1024, "light"))
                    for part in _columns(self._file(name, *window), 800, 1)
                ]
                for name in self.names[start : start + ON_SHEET]
            ]
            _sheet(rows).save(self.folder / f"wide-{start // ON_SHEET:02}.png")

    def _file(self, name: str, width: int, scheme: str) -> Path:
        return self.folder / f"{name}-{width}-{scheme}.png"


def _columns(file: Path, height: int, most: int) -> list[Image.Image]:
    """Cut a tall picture into columns."""
    with Image.open(file) as picture:
        whole = picture.convert("RGB")
    tops = range(0, whole.height, height)[:most]
    return [whole.crop((0, top, whole.width, min(top + height, whole.height))) for top in tops]


def _sheet(rows: list[list[Image.Image]]) -> Image.Image:
    heights = [max(part.height for part in row) + 6 for row in rows]
    sheet = Image.new("RGB", (max(sum(part.width + 6 for part in row) for row in rows), sum(heights)), "red")
    for number, row in enumerate(rows):
        left = 0
        for part in row:
            sheet.paste(part, (left, sum(heights[:number])))
            left += part.width + 6
    return sheet


def _graves(page: Page, scheme: str) -> Iterator[str]:
    """Yield what axe finds that is serious or worse; in the dark, of colours only."""
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    for fault in Axe().run(page, options=options).response["violations"]:
        if fault["impact"] in GRAVE:
            yield f"{fault['id']} at {fault['nodes'][0]['target']}"


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
                    for position, pair in enumerate(figure.imported.pairs)
                )
            ),
            seconds=90.0 + place,
        )
        for number, name in enumerate(figures.SIMULATED[:2])
        for place, figure in enumerate(asked)
    ]


def _empty(folder: Path, _report: Callable[[str], None]) -> Home:
    return Home.create(folder, name="A campaign that has just begun", labels=figures.LABELS)


#: Campaign -> how its home is made, its task type in place of that, and what simulated annotators submitted.
CAMPAIGNS: dict[str, tuple[Callable[[Path, Callable[[str], None]], Home], str, Work]] = {
    "subfigures": (figures.prepare, "", figures.simulated_work),
    "questions": (questions.prepare, "", questions.work),
    "answers": (questions.prepare, "human-eval", _answers),
    "empty": (_empty, "", lambda _home, _store: []),
}
#: Person -> roles.
PEOPLE = {
    LEAD: [Role.LEAD, Role.REVIEWER],
    REVIEWER: [Role.REVIEWER],
    SECOND: [Role.REVIEWER],
    ANNOTATOR: [Role.ANNOTATOR],
    DILIGENT: [Role.ANNOTATOR],
}
TYPES = '\n[[phases]]\nname = "types"\ntask_type = "figure-types"\n'
BLIND = '\n[[phases]]\nname = "2"\nblind = true\nseeded = false\ngiven = "gold"\n'


def make_home(name: str, folder: Path) -> Home:
    """Make a campaign in which people annotate in Panelwise, with work on it and an account for each role."""
    prepare, task_type, work = CAMPAIGNS[name]
    home = prepare(folder, print)
    file = folder / "campaign.toml"
    text = file.read_text(encoding="utf-8").replace("[[phases]]", '[[phases]]\nannotate_in = "panelwise"')
    if name == "subfigures":
        text += TYPES + BLIND
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
        for person, roles in PEOPLE.items():
            add_person(store, person, roles=roles, password=PASSWORD)
        with store.transaction() as tx:
            known = [tx.figures.existing(each.id) for each in tx.figures.all()]
            if known:
                _add_states(tx, known, blind=name == "subfigures")
            done = {work.figure.id: work for work in tx.annotations.all(annotator=DILIGENT)}
            if known and name != "answers":
                tx.decisions.add(_decision(done[known[-1].id]))
        score_disagreement(store, home.campaign)
    return home


def _decision(work: Annotation) -> Decision:
    """Return a decision that is like an annotator's work, but for the first part."""
    first, *others = work.subfigures or [None]
    return Decision(
        work.figure,
        REVIEWER,
        1,
        Status.ACCEPTED,
        tuple(others) if first and others else work.subfigures,
        (DILIGENT,),
        datetime.now(UTC).replace(microsecond=0),
        items=replace(work.items, verdicts=work.items.verdicts[1:]),
        note="The inset is a part of its panel.",
        seconds=42.0,
        error_kind=ErrorKind.GAP,
        guideline_flag="Is a scale bar a part of a panel?",
    )


def _add_states(tx: Transaction, known: list[Figure], *, blind: bool) -> None:
    """Give the annotator a task in each state, and a reviewer one to annotate blind."""
    now = datetime.now(UTC).replace(microsecond=0)
    rejected, left_out, skipped, sent_back, *_ = known
    tx.tasks.add([Task(figure.id, ANNOTATOR, figures.PHASE) for figure in known])
    for figure, status, reason in (
        (rejected, Status.REJECTED, "a photograph, without panels"),
        (left_out, Status.IGNORED, "I know the authors"),
        (sent_back, Status.REJECTED, ""),
    ):
        tx.annotations.add(
            Annotation(figure, ANNOTATOR, figures.PHASE, status, (), now - timedelta(hours=2), reason=reason)
        )
    tx.tasks.skip(Task(skipped.id, ANNOTATOR, figures.PHASE), now)
    tx.sent_back.add(
        sent_back.id, figures.PHASE, ANNOTATOR, REVIEWER, "It is a figure after all: see panel B.", now
    )
    if blind:
        tx.tasks.add([Task(figure.id, SECOND, "2") for figure in (rejected, known[-1])])
        # One figure has both screens.
        for number, name in enumerate(figures.SIMULATED[:2]):
            kind = FigureKind(True, 4, frozenset({"graph", "tree"} if number else {"graph"}))
            tx.annotations.add(Annotation(left_out, name, "types", Status.ACCEPTED, (), now, items=Items(kind)))


def pages_of_all() -> Iterator[tuple[str, str, str, str]]:
    """Yield the pages that every campaign has alike: name, who opens it, address and keys."""
    yield "login", "", "login", ""
    yield "help", "", "help/", ""
    yield "help-page", "", "help/reference/files.md", ""
    yield "account", LEAD, "account", ""
    yield "account-annotator", ANNOTATOR, "account", ""
    yield "sign-ins", LEAD, "sign-ins", ""
    yield "keys-queue", REVIEWER, "", "?"
    yield "not-found", REVIEWER, "figures/no-such-figure", ""
    yield "not-found-annotator", ANNOTATOR, "no-such-page", ""
    yield "not-found-stranger", "", "welcome/no-such-link", ""
    yield "not-found-help", "", "help/no-such-page.md", ""
    yield "not-found-job", LEAD, "campaign/jobs/99", ""
    yield "forbidden", ANNOTATOR, "dashboard", ""
    for code in (400, 405, 409, 413, 415, 422, 429, 500, 503):
        yield f"error-{code}", LEAD, f"campaign/new?code={code}", ""


def pages(figure: str, decided: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the pages of a campaign, as `pages_of_all`. figure, decided: "" where there is none."""
    for name, address in {
        "new": "campaign/new",
        "settings": "campaign/settings",
        "figures": "campaign/figures",
        "people": "campaign/people",
        "assignment": "campaign/assignment",
        "assignment-plan": f"campaign/assignment?phase=1&annotator={DILIGENT}&annotator={ANNOTATOR}&overlap=2",
        "jobs": "campaign/jobs",
        "release": "campaign/release",
        "dashboard": "dashboard",
        "feedback-of-all": "feedback",
        "queue-of-lead": "",
    }.items():
        yield name, LEAD, address, ""
    for name, address in {
        "queue": "",
        "queue-all": "?show=all",
        "queue-adjudicated": "?show=settled",
        "agreed": "agreed/",
        "agreement": "agreement",
        "flags": "flags",
        "blind": "blind",
        "feedback-of-reviewer": "feedback",
    }.items():
        yield name, REVIEWER, address, ""
    yield "tasks", ANNOTATOR, "tasks", ""
    yield "tasks-done", DILIGENT, "tasks", ""
    yield "feedback", DILIGENT, "feedback", ""
    if figure:
        of_figure = f"figures/{figure}"
        yield "figures-searched", LEAD, "campaign/figures?q=nothing-has-this", ""
        yield "figures-filtered", LEAD, "campaign/figures?shown=not+assigned", ""
        yield "figure-view", LEAD, f"campaign/{of_figure}", ""
        yield "feedback-of-one", LEAD, f"feedback?annotator={DILIGENT}", ""
        yield "queue-filtered", REVIEWER, "?q=nothing-has-this", ""
        yield "figure", REVIEWER, of_figure, ""
        yield "items", REVIEWER, f"{of_figure}/items", ""
        yield "history", REVIEWER, f"{of_figure}/history", ""
        yield "history-decided", REVIEWER, f"figures/{decided}/history", ""
        yield "figure-decided", REVIEWER, f"figures/{decided}", ""
        yield "keys-reviewer", REVIEWER, of_figure, "?"
        if decided:
            yield "feedback-figure", DILIGENT, f"feedback/figures/{decided}?phase=1", ""


def _jobs(home: Home) -> Iterator[tuple[str, int]]:
    """Write an import that failed and a job that was interrupted; yield their names and numbers."""
    place = home.path / folders.FOLDER
    for name, number, kind, log, exit_status in (
        ("job-failed", 101, JobKind.IMPORT, "importing: 3 of 4\nfigures.jsonl:3: has no image; add its file\n", 1),
        ("job-interrupted", 102, JobKind.PRELABEL, "pre-labelling: 2 of 6\n", None),
    ):
        folder = place / f"{number:06}"
        (folder / folders.FILES).mkdir(parents=True)
        (folder / folders.LOG).write_text(log, encoding="utf-8")
        folders.write_request(
            folder, folders.Request(kind, kind.value, (), LEAD, datetime.now(UTC).replace(microsecond=0))
        )
        if exit_status is not None:
            folders.write_result(folder, folders.Result(exit_status))
        yield name, number


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
    for name, number in _jobs(home):
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


def _fail_on_demand(make_app: Callable[..., Flask]) -> Callable[..., Flask]:
    """Return a maker of apps whose page of new campaigns answers ?code=N with that error."""

    def make(*args: object, **options: object) -> Flask:
        app = make_app(*args, **options)
        usual = app.view_functions["settings.new"]
        app.view_functions["settings.new"] = lambda: abort(int(request.args["code"])) if request.args else usual()
        return app

    return make


def photograph(browser: Browser, name: str, folder: Path) -> list[str]:
    """Take pictures of every page of one campaign; returns what is wrong with them."""
    home = make_home(name, folder / "home")
    with home.open_store() as store, server.AdjudicationServer(home, store) as view:
        with store.read() as tx:
            known = [each.id for each in tx.figures.all()]
        shots = Shots(folder, view.url, browser)
        opened = {person: shots.open(person) for person in ("", *PEOPLE)}
        figure = quote(known[1]) if known else ""
        shared = pages_of_all() if name == next(iter(CAMPAIGNS)) else ()
        for page_name, person, address, keys in (*shared, *pages(figure, quote(known[-1]) if known else "")):
            shots.take(opened[person], page_name, address, keys=keys)
        link = invite(home, store, figures.SIMULATED[1] if known else LEAD)
        shots.take(opened[""], "welcome", f"welcome/{link}")
        if known:
            take_own_states(shots, home, known, blind=name == "subfigures")
            take_lead_states(shots, home, figure)
        shots.write_sheets()
    return shots.wrong


def main() -> int:
    folder = Path(sys.argv[1])
    wrong: dict[str, list[str]] = {}
    server.create_app = _fail_on_demand(server.create_app)
    with chromium() as browser:
        for name in sys.argv[2:] or CAMPAIGNS:
            (folder / name).mkdir(parents=True)
            wrong[name] = photograph(browser, name, folder / name)
    print(json.dumps(wrong, indent=1))
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
