"""Settings on the lead's pages: what is refused keeps its place, and nobody's change is overwritten."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from builders import a_figure
from web.lead_client import PASSWORD, client, version_of

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.templates import TEMPLATES
from annotator.store.store import Store
from panelwise.domain.campaign import Role, Task, TaskType, Visit
from panelwise.domain.decision import REVIEWED, GoldSource


def test_settings_are_refused_with_their_place_and_never_overwrite_somebody_elses(
    home: Home, store: Store
) -> None:
    lead = client(home, store)
    file = home.path / "campaign.toml"
    before = file.read_text("utf-8")
    page = lead.get("/campaign/settings").get_data(as_text=True)
    version = page.partition('name="version" value="')[2].partition('"')[0]
    form = {"version": version, "guidelines": "", "settings": before.replace("quorum = 2", "quorum = 0")}
    bad = lead.post("/campaign/settings", data=form)
    assert bad.status_code == 422
    assert "quorum" in bad.get_data(as_text=True)
    form["settings"] = f'{before}\n[store]\nurl = "postgresql://elsewhere/x"\n'
    assert lead.post("/campaign/settings", data=form).status_code == 422
    assert file.read_text("utf-8") == before
    good = before.replace("quorum = 2", "quorum = 3")
    assert lead.post("/campaign/settings", data={**form, "settings": good}).status_code == 302
    assert file.read_text("utf-8") == good
    late = lead.post("/campaign/settings", data={**form, "settings": before})
    assert late.status_code == 409
    assert "Somebody else has saved" in late.get_data(as_text=True)
    assert file.read_text("utf-8") == good


def test_a_new_campaign_is_made_from_each_template_until_there_are_figures(home: Home, tmp_path: Path) -> None:
    empty = Home.create(tmp_path / "empty")
    with empty.open_store() as other:
        people.add_person(other, "lea", roles=[Role.LEAD], password=PASSWORD)
        lead = client(empty, other)
        signed_in = lead.post("/login", data={"name": "lea", "password": PASSWORD})
        assert signed_in.location == "/campaign/new"
        for template in ("", *TEMPLATES):
            page = lead.get(f"/campaign/new?template={template}").get_data(as_text=True)
            shown = unescape(
                page.partition('<textarea name="guidelines"')[2].partition(">\n")[2].partition("</textarea>")[0]
            )
            assert shown == (TEMPLATES[template].guidelines() if template else "")
            form = {"template": template, "name": "Mine", "labels": "A, B", "guidelines": shown}
            form |= {"screen": "panelwise", "guidelines_of": template}
            done = lead.post("/campaign/new", data=form)
            assert done.location == "/campaign/figures", done.get_data(as_text=True)
            made = Home.find(empty.path).campaign
            assert (made.name, made.labels) == ("Mine", ("A", "B"))
            assert not any(phase.in_label_studio or phase.annotators for phase in made.phases)
            assert 'name="single">' in page
            assert made.gold_sources == REVIEWED
            lead.post("/campaign/new", data={**form, "single": "on"})
            assert Home.find(empty.path).campaign.gold_sources == set(GoldSource)
            lead.post("/campaign/new", data={**form, "annotators": "ann;\nben", "reviewers": "rita"})
            named = Home.find(empty.path).campaign
            assert {phase.annotators for phase in named.phases if not phase.blind} == {("ann", "ben")}
            assert named.reviewers == ("rita",)
        assert (empty.path / "guidelines.md").read_text("utf-8") == TEMPLATES["human-eval"].guidelines()
        bad = lead.post("/campaign/new", data={**form, "labels": "A, A"})
        assert "repeated label" in bad.get_data(as_text=True)
        with other.transaction() as tx:
            tx.figures.add(a_figure("f1"))
        late = lead.post("/campaign/new", data=form).get_data(as_text=True)
        assert "has figures already" in late
        assert lead.post("/login", data={"name": "lea", "password": PASSWORD}).location == "/"


def test_the_form_changes_its_settings_and_nothing_else_of_the_text(home: Home, store: Store) -> None:
    lead = client(home, store)
    file = home.path / "campaign.toml"
    before = file.read_text("utf-8") + '\n[release]\nlicence = "CC-BY-4.0"  # ours\n'
    file.write_text(before, "utf-8")
    form = {"what": "form", "name": 'a "b"', "labels": "A, B", "guideline": "2", "quorum": "3", "max_boxes": "40"}
    page = lead.get("/campaign/settings").get_data(as_text=True)
    assert lead.post("/campaign/settings", data={**form, "version": version_of(page)}).status_code == 302
    found = Home.find(home.path)
    assert (found.campaign.name, found.campaign.labels, found.campaign.quorum) == ('a "b"', ("A", "B"), 3)
    assert (found.campaign.max_boxes, found.campaign.language_models) == (40, False)
    comments = [line for line in before.splitlines() if line.startswith("#") and " = " not in line]
    after = [line for line in file.read_text("utf-8").splitlines() if line.startswith("#") and " = " not in line]
    assert after == comments
    assert 'licence = "CC-BY-4.0"  # ours' in file.read_text("utf-8")
    for wrong in ({"quorum": "x"}, {"quorum": "0"}, {"labels": ""}):
        page = lead.get("/campaign/settings").get_data(as_text=True)
        data = {**form, **wrong, "version": version_of(page)}
        assert lead.post("/campaign/settings", data=data).status_code == 422, wrong
    assert Home.find(home.path).campaign.quorum == 3


def test_people_are_separated_by_commas_semicolons_or_line_breaks(home: Home, store: Store) -> None:
    lead = client(home, store)
    page = lead.get("/campaign/settings").get_data(as_text=True)
    for anchor in ("form-title", "phases-title", "release-title", "settings-title", "guidelines-title"):
        assert f'href="#{anchor}"' in page
        assert f'id="{anchor}"' in page
    form = {"what": "phase", "phase": "0", "annotators": " ann; ben,\r\ncho\n;;", "annotate_in": "panelwise"}
    assert lead.post("/campaign/settings", data={**form, "version": version_of(page)}).status_code == 302
    assert Home.find(home.path).campaign.phases[0].annotators == ("ann", "ben", "cho")


def test_a_conflict_shows_both_and_saves_over_the_other_only_when_asked(home: Home, store: Store) -> None:
    lead = client(home, store)
    page = lead.get("/campaign/settings").get_data(as_text=True)
    text = (home.path / "campaign.toml").read_text("utf-8")
    theirs, mine = text.replace("quorum = 2", "quorum = 4"), text.replace("quorum = 2", "quorum = 5")
    for settings in (theirs, mine):
        data = {"version": version_of(page), "guidelines": "", "settings": settings}
        answer = lead.post("/campaign/settings", data=data)
    shown = answer.get_data(as_text=True)
    assert answer.status_code == 409
    assert 'role="alertdialog"' in shown
    assert "−quorum = 4" in shown
    assert "+quorum = 5" in shown
    assert (home.path / "campaign.toml").read_text("utf-8") == theirs
    again = lead.post("/campaign/settings", data={**data, "version": version_of(shown)})
    assert again.status_code == 302
    assert (home.path / "campaign.toml").read_text("utf-8") == mine
    assert lead.get("/campaign/settings").get_data(as_text=True).count("replaced by lea") == 2


def test_a_phase_is_changed_and_added_by_its_form_and_comments_stay(home: Home, store: Store) -> None:
    lead = client(home, store)
    file = home.path / "campaign.toml"
    before = file.read_text("utf-8")

    def save(**values: str) -> int:
        page = lead.get("/campaign/settings").get_data(as_text=True)
        data = {"what": "phase", "version": version_of(page), **values}
        return lead.post("/campaign/settings", data=data).status_code

    form = {"phase": "0", "annotators": "ann, ben", "overlap": "3", "batch": "", "deadline": "2026-12-01T18:00"}
    form |= {"seeded": "on", "annotate_in": "panelwise"}
    assert save(**form) == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert (phase.annotators, phase.overlap, phase.batch, phase.own_screen) == (("ann", "ben"), 3, None, True)
    assert phase.deadline is not None
    assert phase.deadline.isoformat() == "2026-12-01T18:00:00+00:00"
    kept = [line for line in before.splitlines() if line.startswith("#")]
    assert set(kept) <= set(file.read_text("utf-8").splitlines())
    # What is emptied goes back to its default.
    assert save(**{**form, "annotators": "", "overlap": "", "deadline": ""}) == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert (phase.annotators, phase.overlap, phase.deadline) == ((), None, None)
    # A field that a form does not have changes nothing.
    assert save(**form, figures="40") == 302
    assert save(**form) == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert phase.figures == 40
    assert save(**form, figures="") == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert phase.figures is None
    # What is asked on Panelwise's own screen alone goes when the phase moves to Label Studio.
    assert save(**form, visit="on") == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert (phase.visit, phase.show_ids) == (Visit.ALL, False)
    assert save(**{**form, "annotate_in": "label-studio"}, visit="on") == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert (phase.own_screen, phase.visit, phase.show_ids) == (False, Visit.NONE, True)
    assert save(**form, show_ids="on") == 302
    (phase,) = Home.find(home.path).campaign.phases
    assert (phase.visit, phase.show_ids) == (Visit.NONE, True)
    assert save(name="2", task_type="figure-types") == 302
    _, added = Home.find(home.path).campaign.phases
    assert (added.name, added.task_type, added.own_screen) == ("2", TaskType.FIGURE_TYPES, True)
    there = file.read_text("utf-8")
    for wrong in (
        {"name": "2", "task_type": "figure-types"},
        {"name": "3", "task_type": "else"},
        {"name": " ", "task_type": "figure-types"},
        {**form, "phase": "7"},
        {**form, "overlap": "many"},
        {**form, "deadline": "soon"},
        {**form, "annotate_in": "elsewhere"},
    ):
        assert save(**wrong) == 422, wrong
    assert file.read_text("utf-8") == there


def test_a_phase_takes_so_many_figures_or_those_of_another_phase(home: Home, store: Store) -> None:
    second = '\n[[phases]]\nname = "answers"\ntask_type = "human-eval"\n'
    file = home.path / "campaign.toml"
    file.write_text(file.read_text("utf-8") + second, encoding="utf-8")
    lead = client(home, store)

    def save(**values: str) -> int:
        page = lead.get("/campaign/settings").get_data(as_text=True)
        data = {"what": "phase", "phase": "1", "annotate_in": "panelwise", "version": version_of(page), **values}
        return lead.post("/campaign/settings", data=data).status_code

    page = lead.get("/campaign/settings").get_data(as_text=True)
    assert "human evaluation; annotators are chosen" in page
    # Nothing is pre-labelled where people answer questions.
    assert page.count('name="seeded"') == 1
    first = Home.find(home.path).campaign.phases[0].name
    assert save(figures="12", figures_of=first) == 302
    phase = Home.find(home.path).campaign.phases[1]
    assert (phase.figures, phase.figures_of, phase.seeded) == (12, first, True)
    shown = lead.get("/campaign/assignment").get_data(as_text=True)
    assert f"the phase takes 12, of phase {first}" in shown
    assert save(figures="x", figures_of=first) == 422
    assert save(figures="12", figures_of="no such phase") == 422
    assert save(figures="", figures_of="") == 302
    phase = Home.find(home.path).campaign.phases[1]
    assert (phase.figures, phase.figures_of) == (None, "")


def test_the_plan_to_make_next_is_open_and_no_other(home: Home, store: Store) -> None:
    more = "".join(f'\n[[phases]]\nname = "{name}"\n' for name in ("second", "third"))
    file = home.path / "campaign.toml"
    file.write_text(file.read_text("utf-8") + more, encoding="utf-8")
    first = Home.find(home.path).campaign.phases[0].name
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann", first)])
    page = client(home, store).get("/campaign/assignment").get_data(as_text=True)
    plans = re.findall(r"<details( open)?><summary>(?:Assign more|Plan the assignment)<", page)
    assert plans == ["", " open", ""]


def test_long_guidelines_that_two_people_change_are_compared_where_they_differ(home: Home, store: Store) -> None:
    """Line by line up to a limit: difflib takes half a minute for 17,000 lines of a hundred kinds."""
    lead = client(home, store)
    settings = (home.path / "campaign.toml").read_text("utf-8")
    rules = [f"{number % 100}" for number in range(17_000)]

    def shown(theirs: list[str], mine: list[str]) -> str:
        page = lead.get("/campaign/settings").get_data(as_text=True)
        for lines in (theirs, mine):
            data = {"version": version_of(page), "settings": settings, "guidelines": "\n".join(lines)}
            answer = lead.post("/campaign/settings", data=data)
        assert answer.status_code == 409
        return answer.get_data(as_text=True)

    near = shown([*rules[:9000], "One box for a colour bar.", *rules[9000:]], rules)
    assert "−One box for a colour bar." in near
    assert near.partition('<pre class="log">')[2].partition("</pre>")[0].count("\n") < 10
    far = shown(rules, ["0", *rules[1:][::-1]])
    assert "16,999 lines from line 2 on differ: yours has 16,999 there" in far


def test_the_form_says_whether_annotators_see_their_work_compared(home: Home, store: Store) -> None:
    lead = client(home, store)
    for chosen in (True, False):
        page = lead.get("/campaign/settings").text
        form = {"what": "form", "version": version_of(page), "name": "C", "labels": "A", "quorum": "2"}
        form |= {"max_boxes": "500", **({"feedback": "on"} if chosen else {})}
        assert lead.post("/campaign/settings", data=form).status_code == 302
        assert Home.find(home.path).settings.view.feedback is chosen
        box = lead.get("/campaign/settings").text.partition('name="feedback"')[2].partition(">")[0]
        assert ("checked" in box) is chosen
