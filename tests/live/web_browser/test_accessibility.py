"""axe on every page of the view, light and dark, under the production CSP: nothing that shuts anybody out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import Lend
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from items_cases import a_qa_figure, edited, judged, kinds, verdicts
from PIL import Image
from web_browser.figures import LATE_BATCH
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.accounts.invitations import invite
from annotator.campaign.home import Home
from annotator.imports.report import open_report
from annotator.jobs import commands, folders
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.app.access import ROUTES
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role, Task, TaskType
from panelwise.domain.decision import ErrorKind

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live

RIGHT = (400, 0, 800, 600)
#: Pages that a lead may open, by their endpoints; the first part of an address is that of the page.
ADDRESSES = {
    "queue.show": ("", "?loss=no+box", "?q=nothing-is-called-so"),
    "agreement.show": ("agreement",),
    "bulk.show": ("agreed",),
    "figure.show": ("figures/f1",),
    "items.show": ("figures/pairs/items",),
    "history.show": ("figures/f1/history", "figures/f2/history"),
    "history.flagged": ("flags",),
    "dashboard.show": ("dashboard",),
    "blind.show": ("blind",),
    "uploads.show": ("campaign/figures", "campaign/figures?q=f1"),
    "figure_view.show": ("campaign/figures/f1", "campaign/figures/f2"),
    "people.show": ("campaign/people",),
    "assignment.show": ("campaign/assignment", "campaign/assignment?phase=1&annotator=Bodo"),
    "jobs.show": ("campaign/jobs",),
    "release.show": ("campaign/release",),
    "jobs.job": ("campaign/jobs/1",),
    "settings.show": ("campaign/settings",),
    "settings.new": ("campaign/new",),
    "account.show": ("account",),
    "account.sign_ins": ("sign-ins",),
    "feedback.show": ("feedback?annotator=Bodo",),
    "feedback.figure": ("feedback/figures/f1?phase=1&annotator=Bodo",),
}
#: `figures/...` without an id sends on to the queue or a figure: there is nothing of its own to see.
SENT_ON = {"figure.loose"}
#: Looked at where there are blind tasks: test_blind; in mid-upload: test_lead_pages; and below for own tasks and
#: another image.
ELSEWHERE = {"blind.screen", "uploads.columns", "own_tasks.show", "own_tasks.screen", "figure.compare_image"}
GRAVE = {"serious", "critical"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.create(tmp_path / "campaign")
    file = made.path / "campaign.toml"
    file.write_text(
        file.read_text(encoding="utf-8") + LATE_BATCH + "\n[view]\nfeedback = true\n", encoding="utf-8"
    )
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    job = made.path / folders.FOLDER / "000001"
    (job / folders.FILES).mkdir(parents=True)
    with open_report(job / folders.FILES / commands.REPORT, "figures") as report:
        assert report is not None
        report.add_counts({"imported": 3})
        report.add_line("x.png: is damaged")
        report.add_line("note: y.txt: is missing")
    (job / folders.LOG).write_text("importing: 3 of 4\nan error\n", encoding="utf-8")
    folders.write_request(job, folders.Request("import", "Import of figures", (), "lead", NOON))
    folders.write_result(job, folders.Result(1))
    return Home.find(made.path)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    """f1 is settled, after a first try, with all that can be said beside it; two annotators differ on f2."""
    store = home.open_store()
    parts = (a_subfigure(), a_subfigure("B", box=RIGHT, tokens=(10, 12, 13)))
    theirs = {"f1": parts[:1], "f2": (a_subfigure(tokens=(4, 6)), parts[1]), "f3": parts}
    with store.transaction() as tx:
        for name, other in theirs.items():
            figure = a_figure(name, image="images/f.png")
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, annotator="Annette", subfigures=parts, seconds=75))
            tx.annotations.add(an_annotation(figure, annotator="Bodo", subfigures=other))
        tx.tasks.add([Task("f1", "Annette", "weekly"), Task("f2", "Annette", "weekly", batch=2, released=False)])
        pairs = a_qa_figure("pairs", image="images/f.png")
        tx.figures.add(pairs)
        for name, answer in (("Annette", "0.7"), ("Bodo", "0.8 <b>")):
            tx.annotations.add(judged(pairs, verdicts(pairs, edited(pairs, "q5", answer=answer)), annotator=name))
            tx.annotations.add(judged(pairs, kinds(True, len(answer)), annotator=name, phase="types"))
        settled = a_figure("f1", image="images/f.png")
        tx.decisions.add(a_decision(settled, based_on=("Annette",), seconds=12.0, note="clear"))
        tx.decisions.add(
            a_decision(
                settled,
                version=2,
                subfigures=parts,
                decided_at=NOON + timedelta(minutes=5),
                error_kind=ErrorKind.GAP,
                guideline_flag="Is a scale bar part of a panel?",
            )
        )
    score_disagreement(store, home.campaign)
    for name, role in {"lead": Role.LEAD, "Bodo": Role.ANNOTATOR}.items():
        people.add_person(store, name, roles=[role], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(home: Home, store: Store) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(home, store) as server:
        yield server


def grave(page: Page, where: str, scheme: str = "light") -> list[str]:
    """What axe finds that is serious or worse: place, rule, and the first element.

    The dark scheme changes colours only: there, all other rules would find what they find in the light.
    """
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    page.wait_for_load_state()
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{where}: {each['id']} ({each['impact']}) at {each['nodes'][0]['target']}"
        for each in found
        if each["impact"] in GRAVE
    ]


def test_every_page_is_among_those_looked_at() -> None:
    assert set(ADDRESSES) | SENT_ON | ELSEWHERE == {endpoint for endpoint, each in ROUTES.items() if each.page}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(
    lend: Lend, server: AdjudicationServer, store: Store, home: Home, scheme: str
) -> None:
    stranger = lend(color_scheme=scheme)
    stranger.goto(server.url)
    found = grave(stranger, "sign in", scheme)
    stranger.goto(f"{server.url}welcome/{invite(home, store, 'Bodo')}")
    found += grave(stranger, "welcome", scheme)
    page, problems = signed_in(lend, server, "lead", scheme=scheme)
    for address in (each for pages in ADDRESSES.values() for each in pages):
        answer = page.goto(server.url + address)
        assert answer is not None
        assert answer.ok, address
        if address.endswith("/items"):
            page.wait_for_selector("#item:focus")
        elif address.startswith("figures/") and "history" not in address:
            page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
        found += grave(page, address or "queue", scheme)
    assert (found, problems) == ([], [])
    page.goto(f"{server.url}figures/f2/history")
    page.set_input_files("#files", home.images / "f.png")
    page.wait_for_url("**/image/new?**")
    assert grave(page, "another image beside the present one", scheme) == []
    page.goto(f"{server.url}help/annotator.md")
    assert grave(page, "help", scheme) == []
    page.goto(f"{server.url}nothing-here")
    assert grave(page, "an error", scheme) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_what_opens_over_a_figure(
    lend: Lend, server: AdjudicationServer, scheme: str, request: pytest.FixtureRequest
) -> None:
    """In the dark the sheet of keys only, whose colours the others have too; all with --soak."""
    few = scheme == "dark" and not request.config.getoption("--soak")
    page, problems = signed_in(lend, server, "lead", scheme=scheme)
    page.goto(f"{server.url}figures/f2")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    found = []
    for key in "?" if few else "?melg":
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        found += grave(page, f"after the key {key}", scheme)
        page.keyboard.press("Escape")
    page.goto(f"{server.url}figures/pairs/items")
    page.wait_for_selector("#item:focus")
    for key in "?" if few else "?ink":
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        found += grave(page, f"types and pairs, after the key {key}", scheme)
        page.keyboard.press("Escape")
    assert (found, problems) == ([], [])


def test_axe_finds_nothing_serious_where_annotators_do_their_own_tasks(
    lend: Lend, home: Home, store: Store
) -> None:
    file = home.path / "campaign.toml"
    phases = "".join(
        f'\n[[phases]]\nname = "own {task}"\ntask_type = "{task}"\nannotate_in = "panelwise"\n'
        for task in TaskType
    )
    file.write_text(file.read_text(encoding="utf-8") + phases, encoding="utf-8")
    with store.transaction() as tx:
        tx.tasks.add([Task("f2", "Bodo", "own subfigures")])
        tx.tasks.add(
            [Task("pairs", "Bodo", f"own {task}") for task in TaskType if task is not TaskType.SUBFIGURES]
        )
    with AdjudicationServer(Home.find(home.path), store) as server:
        page, problems = signed_in(lend, server, "Bodo", at="tasks")
        found = grave(page, "tasks")
        page.locator("main a[href*='/tasks/']").first.click()
        page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
        found += grave(page, "an own task")
        page.keyboard.press("x")
        page.get_by_label("Reason, as the guidelines ask").wait_for()
        found += grave(page, "rejecting")
        for place in range(1, len(TaskType)):
            page.goto(server.url + "tasks")
            page.get_by_role("link", name="Annotate the next").nth(place).click()
            page.wait_for_selector("#item:focus")
            found += grave(page, f"an own task on items, {place}")
    assert (found, problems) == ([], [])


def only(page: Page, rule: str, where: str) -> list[str]:
    """All that one rule of axe finds, which it does not look for unless it is asked to."""
    options: dict[str, object] = {"runOnly": {"type": "rule", "values": [rule]}, "resultTypes": ["violations"]}
    page.wait_for_load_state()
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{where}: {node['target']} {node['failureSummary'][:200]}" for each in found for node in each["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_who_asks_for_more_contrast_reads_all_text_at_seven_to_one(
    lend: Lend, server: AdjudicationServer, scheme: str
) -> None:
    page, problems = signed_in(lend, server, "lead", scheme=scheme)
    page.emulate_media(contrast="more")
    found = []
    for address in ("", "agreement", "dashboard", "figures/f1/history", "figures/pairs/items", "campaign/jobs"):
        page.goto(server.url + address)
        if address.endswith("/items"):
            page.wait_for_selector("#item:focus")
        found += only(page, "color-contrast-enhanced", address or "queue")
    page.emulate_media(contrast="no-preference")
    assert (found, problems) == ([], [])


def test_every_page_can_be_read_at_320_pixels_with_targets_for_a_finger(
    lend: Lend, server: AdjudicationServer
) -> None:
    """A window of 1280 pixels has 320 at 400 %: nothing scrolls to both sides; targets are 24 high, or apart."""
    page, problems = signed_in(lend, server, "lead")
    page.set_viewport_size({"width": 320, "height": 640})
    found = []
    for address in (each for pages in ADDRESSES.values() for each in pages):
        page.goto(server.url + address)
        page.wait_for_function("!document.querySelector('.loading')")
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wider > 0:
            found.append(f"{address or 'queue'}: {wider} pixels wider than its window")
        found += only(page, "target-size", address or "queue")
    assert (found, problems) == ([], [])


def test_axe_finds_nothing_serious_in_a_small_window(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = signed_in(lend, server, "lead")
    # As a window of 1280 x 800 is at 200 %.
    page.set_viewport_size({"width": 640, "height": 400})
    found = []
    for address in ("figures/f1", "figures/f2", "figures/f1/history", "", "agreed"):
        page.goto(server.url + address)
        if address in ("figures/f1", "figures/f2"):
            page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
            assert page.locator(".aj-foot .hint").first.is_visible()
            assert page.get_by_label("Label").is_visible()
            zoom, view = (page.locator(each).bounding_box() for each in (".zoom", ".aj-view"))
            assert zoom is not None
            assert view is not None
            assert zoom["y"] >= view["y"] + view["height"]
        found += grave(page, f"{address or 'queue'} in a small window")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.goto(f"{server.url}figures/f2")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    page.keyboard.press("0")
    page.reload()
    notice = page.locator(".aj-notice")
    notice.wait_for()
    box = notice.bounding_box()
    assert box is not None
    assert box["height"] <= 44
    found += grave(page, "unsaved work found in a small window")
    assert (found, problems) == ([], [])


def test_what_shuts_somebody_out_would_be_found(lend: Lend) -> None:
    page = lend()
    page.set_content("<html lang=en><title>t</title><main><h1>t</h1><img src='data:,'></main></html>")
    assert len(grave(page, "a picture without a text")) == 1
