"""Others' work on figures that a person annotates blind must not change what this person sees or can do.

Two copies of one campaign, in one of which something happened to the hidden figures, answer the same requests:
every route of the app, so that a new one is tried by itself.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import replace
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from builders import NOON, a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from items_cases import a_qa_figure, verdicts
from PIL import Image
from web.asking import ANNOTATORS, PASSWORD
from web.blind_campaign import BLIND, LEFT, PEOPLE, blind_home
from web.conftest import CHEAP, Client
from web.test_routes import routes
from werkzeug.test import TestResponse

from annotator.accounts import people
from annotator.adjudication.history import reopen
from annotator.assignment.assign import assign_phase
from annotator.assignment.reassign import reassign, release_batch, top_up, withdraw
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.checks.qualification import admit
from annotator.own_tasks.blind_boxes import store_boxes
from annotator.queue.presence import look_at, skip
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.app.access import may_open
from annotator.web.factory import create_app
from panelwise.domain.campaign import Task
from panelwise.domain.errors import AnnotatorError
from panelwise.settings.campaign_toml import FILE_NAME

#: Phases beside those of the campaign of blind tasks: training and what it opens, in batches; pairs; figures of
#: another phase.
MORE_PHASES = """
[[phases]]
name = "train"
pass_mark = 0.5
annotators = ["ann", "rev2"]

[[phases]]
name = "main"
training_phase = "train"
hidden_gold = 0.2
batch = 1
batch_deadlines = [2026-01-01T00:00:00Z]
annotators = ["ann", "rev2"]

[[phases]]
name = "pairs"
task_type = "figure-qa"
annotate_in = "panelwise"
annotators = ["ann", "rev2"]

[[phases]]
name = "again"
figures_of = "pilot"
annotators = ["ann", "rev2"]

[[phases]]
name = "pilot"
annotators = ["ann", "rev2"]
"""
#: What somebody does in a campaign.
Happening = Callable[[Home, Store], None]
#: Figures that rev1 and boss annotate blind, the last one without gold.
HIDDEN = (*BLIND, "asked")
GOLD = (a_subfigure("A", box=LEFT, tokens=(4, 6, 7, 13)), a_subfigure("B", box=(410.5, 30.5, 780.25, 580.0)))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign of blind tasks with more phases; "plain", "other" and "new" are hidden from nobody."""
    home = blind_home(tmp_path_factory.mktemp("worlds") / "campaign")
    with (home.path / FILE_NAME).open("a", encoding="utf-8") as file:
        file.write(MORE_PHASES)
    home = Home.find(home.path)
    with pytest.MonkeyPatch.context() as patch, closing(home.open_store()) as store:
        patch.setattr(people, "_hasher", CHEAP)
        people.add_person(store, "busy", roles=PEOPLE["ann"], password=PASSWORD)
        with store.transaction() as tx:
            for figure in (a_qa_figure("asked"), a_qa_figure("other"), a_figure("new")):
                Image.new("RGB", (800, 600), "white").save(home.images / f"{figure.id}.png")
                tx.figures.add(figure)
                tx.predictions.put(a_prediction(figure))
            tx.tasks.add([Task("asked", who, "2") for who in ("rev1", "boss")])
            tx.tasks.add([Task(name, who, "1") for name in ("f1", "f2", "plain") for who in ("ann", "busy")])
            tx.tasks.add([Task("f3", who, "1") for who in ("rev2", "ann")])
            tx.tasks.add([Task("plain", "rev2", "1", 2, released=False)])
            tx.tasks.add([Task(name, who, "train") for name in ("f1", "f2") for who in ("ann", "rev2")])
            for batch, name in enumerate(("plain", "other", "new"), 1):
                tx.tasks.add([Task(name, who, "main", batch, released=False) for who in ("ann", "rev2")])
            tx.tasks.add([Task(name, who, "pairs") for name in ("asked", "other") for who in ("ann", "rev2")])
            tx.annotations.add(an_annotation(a_figure("new"), annotator="ann", phase="pilot"))
            tx.sent_back.add("plain", "1", ANNOTATORS[0], "free", "Look again.", NOON)
        for figure in BLIND:
            store_boxes(store, home.campaign, home.campaign.phase("2"), figure, now=NOON)
        score_disagreement(store, home.campaign)
    return home.path


# -- what happens to hidden figures ----------------------------------------------------------------------


def reopened(home: Home, store: Store) -> None:
    reopen(store, "f1", "free", loaded=1, note="Magenta reason")


def sent_back(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.sent_back.add("f1", "1", ANNOTATORS[0], "free", "Magenta reason", NOON)


def predicted(home: Home, store: Store) -> None:
    figure = a_figure("f1", references=("See Fig 1.",))
    with store.transaction() as tx:
        tx.predictions.put(replace(a_prediction(figure), model_version="magenta-2"))


def commented(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.comments.add("f1", "", "free", "Magenta comment", NOON, thread=None)


def annotated(home: Home, store: Store) -> None:
    """Somebody new begins, who has done another figure already; somebody else changes their work."""
    with store.transaction() as tx:
        for name, who in (("f1", "rev2"), ("f2", "ann"), ("f3", ANNOTATORS[0])):
            tx.annotations.add(an_annotation(tx.figures.existing(name), annotator=who, phase="1", minutes=5))
    score_disagreement(store, home.campaign)


def decided(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        for name, who in (("f1", "free"), ("f2", "rev1"), ("f3", "free")):
            tx.decisions.add(a_decision(tx.figures.existing(name), reviewer=who, version=2, subfigures=()))
    score_disagreement(store, home.campaign)


def viewed(home: Home, store: Store) -> None:
    """Somebody looks at others' work on it."""
    with store.transaction() as tx:
        for figure in BLIND:
            tx.seen.add("ann", [figure], NOON)


def trained(home: Home, store: Store) -> None:
    """Somebody passes a training phase whose figures are hidden, and gets tasks on others."""
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            figure = tx.figures.existing(name)
            tx.annotations.add(an_annotation(figure, annotator="ann", phase="train", subfigures=GOLD))
    assert admit(store, home.campaign, "ann") == 1


def judged(home: Home, store: Store) -> None:
    figure = a_qa_figure("asked")
    with store.transaction() as tx:
        for who in ("ann", "rev2"):
            tx.annotations.add(
                an_annotation(figure, annotator=who, phase="pairs", subfigures=(), items=verdicts(figure))
            )
    score_disagreement(store, home.campaign)


def handed_in(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.existing("f1"), annotator="rev2", phase="2", seconds=9.0))
        tx.blind.hand_in("2", "rev2", ["f1"], NOON)
    score_disagreement(store, home.campaign)


def imported(home: Home, store: Store) -> None:
    """Work by a person, and of phases, that the campaign did not have."""
    with store.transaction() as tx:
        for phase in ("pilot", "elsewhere"):
            tx.annotations.add(an_annotation(tx.figures.existing("f2"), annotator="Zoe", phase=phase))
    score_disagreement(store, home.campaign)


def looked_at(home: Home, store: Store) -> None:
    look_at(store, "f1", "free")
    skip(store, "f2", "free")
    with store.transaction() as tx:
        tx.tasks.skip(Task("asked", "ann", "pairs"), NOON)


def adjudicated_together(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.bulks.extend(tx.bulks.add("free", NOON), {"f1": 1, "f3": 1})


HAPPENINGS = (
    *(trained, reopened, sent_back, predicted, commented, annotated, decided, viewed),
    *(judged, handed_in, imported, looked_at, adjudicated_together),
)

# -- what a person sees of it ----------------------------------------------------------------------------

#: Requests that are not tried. A session that ends sees nothing more.
ENDING = {"login.sign_out", "login.submit", "account.change_password"}
#: Plans, searches and lists whose answers depend on what was done.
SEARCHES = (
    *(f"/?show=all&{part}" for part in ("phase=1", "q=lung", "agreed=yes", "order=uncertainty", "findings=yes")),
    *(f"/campaign/figures?shown={shown}" for shown in ("with+work", "adjudicated", "assigned", "without+work")),
    *(f"/campaign/assignment?phase={phase}&annotator=ann&annotator=rev2" for phase in ("1", "2", "main", "again")),
    "/campaign/assignment?phase=1&annotator=ann&annotator=rev2&overlap=0&order=uncertainty",
    "/campaign/assignment?phase=1&annotator=ann&annotator=rev2&people=1",
    *(f"/api/v1/tasks?phase={phase}&limit=2" for phase in ("1", "train", "main", "elsewhere")),
    *(f"/api/v1/annotations?{part}&limit=1" for part in ("phase=1", "annotator=Zoe", "phase=elsewhere")),
    *("/api/v1/figures?q=fig", "/api/v1/decisions?limit=1"),
)
#: Endpoint -> forms to send, beside an empty one.
FORMS: dict[str, tuple[dict[str, str], ...]] = {
    "assignment.change": (
        *({"what": what, "phase": phase} for phase in ("1", "main") for what in ("release", "top-up")),
        {"what": "reassign", "phase": "1", "name": "ann", "to": "rev2"},
        {"what": "reassign", "phase": "main", "name": "ann"},
        {"what": "withdraw", "phase": "pairs"},
        {"what": "withdraw", "phase": "train"},
    ),
    "assignment.assign": (
        {"phase": "main", "annotator": "ann"},
        {"phase": "again"},
        {"phase": "1", "annotator": "rev2", "order": "uncertainty"},
    ),
    "people.add": ({"name": "Kim", "role": "annotator"},),
    "people.set_active": ({"name": "ann", "active": "0"},),
    "people.set_roles": ({"name": "ann", "role": "reviewer"},),
    "bulk.finish": ({"figure": "mark f1"}, {"figure": "mark plain"}),
    "settings.save": ({"what": "form", "name": "Lungs", "labels": "A"},),
    "figure.withdraw": ({"reason": "twice"},),
    "history.send": ({"annotator": "key 1", "reason": "again"},),
}
#: What differs from one request to the next, or from one process to the other: seals, ids, times.
CHANGING = (
    r"[\w-]{20,}\.[\w-]{6}\.[\w-]{20,}",
    r"\b[0-9a-f]{16,}\b",
    r"\d\d:\d\d:\d\d[^<\"]*",
    r"welcome/[\w.-]+",
    r"#\S{20,}",
)


class World:
    """A copy of the campaign with somebody signed in; `ask` returns the answers' lines in the order asked."""

    def __init__(self, home: Home, store: Store, who: str) -> None:
        self.home, self.store, self.who = home, store, who
        self.app = create_app(home, store)
        self.app.config.update(WTF_CSRF_ENABLED=False, PROPAGATE_EXCEPTIONS=False)
        self.app.test_client_class = Client
        self.client = self.app.test_client()
        signed_in = self.client.post("/login", data={"name": who, "password": PASSWORD})
        assert signed_in.status_code == 302

    def requests(self) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Yield each request that the person may make: address, method, form."""
        person = people.Person(self.who, frozenset(PEOPLE[self.who]))
        for endpoint, address, method in routes(self.app):
            if endpoint in ENDING or not may_open(person, endpoint):
                continue
            for place in dict.fromkeys((address, re.sub(r"\bf1\b", "plain", address))):
                for form in ({}, *FORMS.get(endpoint, ())) if method == "POST" else ({},):
                    yield place, method, form
        keys = TaskKeys(self.home.secret())
        for figure in HIDDEN:
            key = keys.of(Task(figure, self.who, "2"))
            yield from ((f"{part}/{key}", "GET", {}) for part in ("/blind", "/api/blind"))
        yield from ((address, "GET", {}) for address in SEARCHES)

    def ask(self, *, changing: bool) -> dict[str, list[str]]:
        """Return request -> lines of its answer. changing: all requests, or only those with GET."""
        answers = {}
        for address, method, form in self.requests():
            if changing or method == "GET":
                answer = self.client.open(address, method=method, data=form or None)
                answers[f"{method} {address} {form or ''}"] = _lines(answer)
        return answers


def _lines(answer: TestResponse) -> list[str]:
    """Return status, address and mark of an answer, and its text; of an image only that it is there."""
    if not (answer.mimetype or "").startswith(("text/", "application/")):
        return [answer.status]
    head = [answer.status, answer.headers.get("Location", ""), answer.headers.get("ETag", "")]
    return [re.sub("|".join(CHANGING), "", line) for line in (*head, *answer.text.splitlines())]


@pytest.fixture
def worlds(campaign: Path, tmp_path: Path) -> Iterator[Callable[[str], tuple[World, World]]]:
    opened: list[Store] = []

    def copies(who: str) -> tuple[World, World]:
        for name in ("quiet", "eventful"):
            shutil.copytree(campaign, tmp_path / name)
            opened.append(Home.find(tmp_path / name).open_store())
        first, second = (
            World(Home.find(tmp_path / name), store, who)
            for name, store in zip(("quiet", "eventful"), opened, strict=True)
        )
        return first, second

    yield copies
    for store in opened:
        store.close()


def differences(quiet: dict[str, list[str]], eventful: dict[str, list[str]]) -> dict[str, list[str]]:
    assert quiet.keys() == eventful.keys()
    lines = {place: [*unified_diff(quiet[place], eventful[place], n=0)][2:] for place in quiet}
    return {place: changed for place, changed in lines.items() if changed}


@pytest.mark.slow
@pytest.mark.parametrize("who", ["rev1", "boss"])
@pytest.mark.parametrize("happens", HAPPENINGS)
def test_nothing_that_happens_to_a_hidden_figure_is_seen_by_who_annotates_it_blind(
    worlds: Callable[[str], tuple[World, World]], who: str, happens: Happening
) -> None:
    quiet, eventful = worlds(who)
    happens(eventful.home, eventful.store)
    assert differences(quiet.ask(changing=False), eventful.ask(changing=False)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("who", ["rev1", "boss"])
@pytest.mark.parametrize("without", [reopened, decided])
def test_nothing_that_somebody_does_depends_on_what_happened_to_figures_that_they_annotate_blind(
    worlds: Callable[[str], tuple[World, World]], who: str, without: Happening
) -> None:
    """All that can be sent, then all pages."""
    quiet, eventful = worlds(who)
    for happens in HAPPENINGS:
        if happens is not without:
            happens(eventful.home, eventful.store)
    assert differences(quiet.ask(changing=True), eventful.ask(changing=True)) == {}
    assert differences(quiet.ask(changing=False), eventful.ask(changing=False)) == {}


# -- what a lead's changes of tasks do ---------------------------------------------------------------------


def planned_changes(home: Home, store: Store, closed: Collection[str]) -> list[object]:
    """Return the plan of each change of tasks that a lead can make, or the message that refuses it."""
    campaign = home.campaign
    phase = replace(campaign.phase("1"), annotators=("ann", "rev2", "Zoe"), overlap=0, hidden_gold=0.3)
    with_closed: dict[str, Any] = {"closed": closed, "dry_run": True}
    changes: list[Callable[[], object]] = [
        lambda: reassign(store, campaign, "ann", phase="1", **with_closed),
        lambda: reassign(store, campaign, "busy", ["ann", "rev2"], **with_closed),
        *(partial(top_up, store, campaign, name, **with_closed) for name in ("1", "main")),
        *(partial(release_batch, store, campaign, name, **with_closed) for name in ("1", "main")),
        *(partial(withdraw, store, campaign, name, **with_closed) for name in ("1", "train")),
        # Pages say how many.
        lambda: len(withdraw(store, campaign, "main", **with_closed)),
        lambda: assign_phase(store, campaign, phase, by_uncertainty=True, change_overlap=True, **with_closed),
        *(
            partial(assign_phase, store, campaign, campaign.phase(name), **with_closed)
            for name in ("main", "again")
        ),
    ]
    outcomes: list[object] = []
    for change in changes:
        try:
            # Not as texts: a set is written in any order.
            outcomes.append(change())
        except AnnotatorError as error:
            outcomes.append(str(error))
    return outcomes


@pytest.mark.parametrize("happens", HAPPENINGS)
def test_no_change_of_tasks_by_a_blind_lead_depends_on_what_happened_to_hidden_figures(
    home: Home, store: Store, happens: Happening
) -> None:
    before = planned_changes(home, store, HIDDEN)
    open_before = planned_changes(home, store, ())
    happens(home, store)
    assert planned_changes(home, store, HIDDEN) == before
    if happens in (annotated, viewed, trained, imported):
        assert planned_changes(home, store, ()) != open_before


def test_a_blind_lead_learns_that_releases_after_training_need_another_lead(home: Home, store: Store) -> None:
    """The command line, which is not blind, releases them."""
    trained(home, store)
    for change in (release_batch, top_up):
        with pytest.raises(
            AnnotatorError, match="phase train, which is measured on figures that you annotate blind"
        ):
            change(store, home.campaign, "main", closed=HIDDEN)
    assert {new.figure for _, new in release_batch(store, home.campaign, "main", dry_run=True).changes} == {
        "other"
    }
    # Figures of the training phase that are not hidden hide nothing.
    assert release_batch(store, home.campaign, "main", closed=("f3",), dry_run=True).changes


def test_pages_of_a_blind_lead_say_what_is_hidden_about_releases(
    worlds: Callable[[str], tuple[World, World]],
) -> None:
    lead, _ = worlds("boss")
    page = lead.client.get("/campaign/assignment").text
    assert "Tasks of this phase are released to those who have passed phase train" in page
    answer = lead.client.post("/campaign/assignment/change", data={"what": "release", "phase": "main"})
    assert "leave this to a lead who doesn" in lead.client.get(answer.location).text
    assert (
        "depends on who has passed training on figures that you annotate blind"
        in lead.client.get("/dashboard").text
    )
    listed = lead.client.get("/api/v1/tasks?phase=main").get_json()["items"]
    assert {task["released"] for task in listed} == {None}
    assert "whether it is released is hidden from you" in lead.client.get("/campaign/figures/plain").text
    with lead.store.transaction() as tx:
        tx.tasks.remove([Task(figure, "boss", "2") for figure in HIDDEN])
    assert "Release the next batch" in lead.client.get("/campaign/assignment").text
    listed = lead.client.get("/api/v1/tasks?phase=main").get_json()["items"]
    assert {task["released"] for task in listed} == {False}
