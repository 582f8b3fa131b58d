"""Controls of the lead's pages: each has a name, and no two of a page have the same."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from builders import a_figure, an_annotation
from items_cases import a_qa_figure, judged
from web.lead_client import client, version_of

from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.campaign import Role, Task
from panelwise.domain.items import FigureKind, Items
from panelwise.settings.campaign_toml import FILE_NAME

TWO_PHASES = 'name = "C"\nlabels = ["A"]\n[[phases]]\nname = "1"\n[[phases]]\nname = "2"\nfigures_of = "1"\n'
QUESTIONS = 'name = "C"\nlabels = ["A", "B"]\n[[phases]]\nname = "1"\ntask_type = "figure-qa"\n'
PAGES = ("figures", "people", "assignment", "jobs", "release", "settings", "new")
CONTROLS = {"button", "select", "textarea", "summary"}


@dataclass
class Controls(HTMLParser):
    """The names of a page's controls: aria-label, or the words in them and in their label."""

    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[list[str]] = []
        self._label: list[str] | None = None
        self._pending: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "label":
            self._label = []
        typed = tag == "input" and given.get("type") != "hidden"
        if "hidden" in given or not (tag in CONTROLS or typed):
            return
        kind = "input" if tag in ("select", "textarea") else tag
        name = given.get("aria-label") or given.get("aria-labelledby") or given.get("title", "")
        words = [name] if name else []
        if tag in ("button", "summary") and not name:
            self._open.append(words)
        value = given.get("value", "") if given.get("type") in ("radio", "checkbox") else ""
        label = [] if name or self._label is None else self._label
        self._pending.append((f"{kind} {value}", label if label is self._label and not name else words))

    def handle_endtag(self, tag: str) -> None:
        if tag == "label":
            self._label = None
        if tag in ("button", "summary") and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for words in (*self._open, *([] if self._label is None else [self._label])):
            words.append(data)

    def close(self) -> None:
        super().close()
        self.names = [" ".join(f"{kind}: {''.join(words)}".split()) for kind, words in self._pending]


@pytest.mark.parametrize("page", PAGES)
def test_every_control_has_a_name_of_its_own(home: Home, store: Store, page: str) -> None:
    (home.path / FILE_NAME).write_text(TWO_PHASES, encoding="utf-8")
    with store.transaction() as tx:
        for phase in ("1", "2"):
            tx.tasks.add([Task("f1", "ann", phase), Task("f2", "ben", phase, batch=2, released=False)])
        if page == "new":
            tx.withdrawals.add(["f1", "f2"], "lea", "", datetime.now(UTC).replace(microsecond=0))
    html = client(home, store).get(f"/campaign/{page}").text
    controls = Controls()
    controls.feed(html[html.index("<main") : html.index("</main>")])
    controls.close()
    assert [name for name in controls.names if not name.partition(":")[2].strip()] == []
    assert [name for name, count in Counter(controls.names).items() if count > 1] == []
    assert controls.names


def gallery(page: str) -> str:
    found = re.search(r'<h2 id="gallery-title">(.*?)</h2>', page)
    assert found is not None
    return found[1]


def test_a_search_says_how_many_it_found_and_is_cleared(home: Home, store: Store) -> None:
    lead = client(home, store)
    assert gallery(lead.get("/campaign/figures").text) == "2 figures"
    for words, found in (("lungs", "1 figure found"), ("nothing-has-this", "0 figures found")):
        page = lead.get(f"/campaign/figures?q={words}").text
        assert gallery(page) == found
        assert re.search(r'id="whole" href="/campaign/figures"', page)
    assert 'href="/campaign/figures">Show all 2 figures</a>' in page
    people = lead.get("/campaign/people?q=nobody-has-this").text
    assert ">0 people found</h2>" in people
    assert 'href="/campaign/people">Show everybody</a>' in people
    assert "No failed sign-ins." in lead.get("/sign-ins?failed=1").text


def test_findings_on_figures_are_read_without_a_mouse(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", caption="(a) Left. (b) Right."))
        tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator="ann", subfigures=()))
    page = client(home, store).get("/campaign/figures").text
    found = re.search(r'<details class="findings"><summary.*?</summary>(.*?)</details>', page, re.DOTALL)
    assert found is not None
    assert re.findall(r"<li>(.+?)</li>", found[1])


def test_an_earlier_version_is_put_into_the_form_and_saved_from_there(home: Home, store: Store) -> None:
    lead = client(home, store)
    file = home.path / FILE_NAME
    before = file.read_text(encoding="utf-8")
    version = version_of(lead.get("/campaign/settings").text)
    texts = {"settings": before.replace("quorum = 2", "quorum = 3"), "guidelines": "New."}
    lead.post("/campaign/settings", data={"version": version, **texts})
    page = lead.get("/campaign/settings").text
    assert "Put this version into the form" in page
    shown = lead.post(
        "/campaign/settings", data={"version": version_of(page), "what": "preview", "settings": before}
    ).text
    assert "quorum = 3" in file.read_text(encoding="utf-8")
    assert "\nquorum = 2" in shown.partition('<textarea name="settings"')[2].partition("</textarea>")[0]
    assert ">New.</p>" in shown


def test_settings_of_questions_do_not_ask_about_boxes(home: Home, store: Store) -> None:
    (home.path / FILE_NAME).write_text(QUESTIONS, encoding="utf-8")
    lead = client(home, store)
    page = lead.get("/campaign/settings").text
    form = re.sub(
        "<.*?>", "", page[page.index('id="form-title"') : page.index('id="settings-title"')], flags=re.DOTALL
    )
    assert not re.search(r"\b(panels?|box(es)?)\b", form, re.IGNORECASE)
    lead.post(
        "/campaign/settings",
        data={"version": version_of(page), "what": "form", "name": "New", "guideline": "", "quorum": "1"},
    )
    assert 'name = "New"\nlabels = ["A", "B"]\n' in (home.path / FILE_NAME).read_text(encoding="utf-8")


def test_the_dashboard_of_questions_has_no_matrix_of_boxes(home: Home, store: Store) -> None:
    (home.path / FILE_NAME).write_text(QUESTIONS, encoding="utf-8")
    figure = a_qa_figure("asked")
    with store.transaction() as tx:
        tx.figures.add(figure)
        for name in ("ann", "ben"):
            tx.annotations.add(judged(figure, Items(kind=FigureKind(True, 2)), annotator=name))
    lead = client(home, store)
    while "Agreement is being computed" in (page := lead.get("/dashboard").text):
        pass
    assert 'id="matrix"' not in page
    assert "Annotators of this phase draw no boxes." in page


def test_tasks_are_withdrawn_only_after_what_it_does_was_read(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann", "1")])
    page = client(home, store).get("/campaign/assignment").text
    asked = re.search(r"<details><summary>Withdraw untouched tasks.*?</details>", page, re.DOTALL)
    assert asked is not None
    assert "started work stays" in asked[0]
    assert page.count('value="withdraw"') == asked[0].count('value="withdraw"') == 1


def test_everybody_whom_the_settings_name_is_added_at_once_with_a_link_each(home: Home, store: Store) -> None:
    (home.path / FILE_NAME).write_text(
        'name = "C"\nlabels = ["A"]\nreviewers = ["rob"]\n[[phases]]\nname = "1"\n'
        'annotators = ["ann", "cho", "dan"]\n'
    )
    lead = client(home, store)
    assert "Add all 3, and show their links" in lead.get("/campaign/people").text
    page = lead.post("/campaign/people", data={"named": "1"}).text
    assert re.findall(r'aria-label="Link for (\w+)"', page) == ["cho", "dan", "rob"]
    with store.read() as tx:
        assert {name: tx.people.get(name).roles for name in ("cho", "rob")} == {
            "cho": frozenset({Role.ANNOTATOR}),
            "rob": frozenset({Role.REVIEWER}),
        }
    assert "Named in the settings" not in lead.get("/campaign/people").text
