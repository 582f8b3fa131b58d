"""Annotators on Panelwise's own screen: each alone with their tasks, up to gold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from web.asking import PASSWORD, a_draft, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.store.store import Store
from annotator.web.app.access import ROUTES
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.attention import Attention
from panelwise.domain.campaign import Role, Task
from panelwise.domain.decision import GoldSource
from panelwise.settings.campaign_toml import FILE_NAME

NAMES = ("ada", "bea", "cyd")
FIGURES = ("g1", "g2", "g3")
PANEL = {"label": "A", "box": [0, 0, 400, 600], "tokens": [4, 6]}


@pytest.fixture
def home(home: Home) -> Home:
    """Three figures in a phase that is annotated here, for three annotators; g3 in a batch not released to cyd."""
    file = home.path / FILE_NAME
    phase = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
    file.write_text(file.read_text(encoding="utf-8") + phase, encoding="utf-8")
    home = Home.find(home.path)
    with home.open_store() as store:
        for name in NAMES:
            people.add_person(store, name, roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            for name in FIGURES:
                Image.new("RGB", (800, 600), "white").save(home.images / f"{name}.png")
                tx.figures.add(a_figure(name))
            tx.predictions.put(a_prediction(a_figure("g2")))
            tx.tasks.add([Task(figure, name, "own") for name in NAMES[:2] for figure in FIGURES])
            tx.tasks.add([Task("g1", "cyd", "own"), Task("g3", "cyd", "own", batch=2, released=False)])
    return home


def key_of(home: Home, figure: str, name: str) -> str:
    return TaskKeys(home.secret()).of(Task(figure, name, "own"))


def post(client: FlaskClient, address: str, body: object = None) -> TestResponse:
    csrf = token_of(client.get("/account").text)
    return client.post(address, json={} if body is None else body, headers={"X-CSRFToken": csrf})


def submit(client: FlaskClient, home: Home, figure: str, name: str, **changes: object) -> TestResponse:
    draft = a_draft(**{"subfigures": [PANEL], **changes})
    return post(client, f"/api/tasks/{key_of(home, figure, name)}?revision=1", draft)


def history(store: Store, figure: str, name: str) -> list[Annotation]:
    with store.read() as tx:
        return tx.annotations.history(figure, name, "own")


def test_an_annotator_who_signs_in_comes_to_their_tasks(sign_in: SignIn) -> None:
    client = sign_in("ada")
    page = client.get("/tasks").text
    assert "0 of 3 done" in page
    assert client.get("/login").headers["Location"] == "/tasks"


def test_a_submission_is_an_annotation_like_any_other(sign_in: SignIn, home: Home, store: Store) -> None:
    answer = submit(sign_in("ada"), home, "g1", "ada")
    assert answer.get_json() == {"version": 1, "next_url": f"/tasks/{key_of(home, 'g2', 'ada')}"}
    (saved,) = history(store, "g1", "ada")
    assert (saved.status, saved.phase, saved.seconds, saved.seeded_by) == (Status.ACCEPTED, "own", 12.5, None)
    assert [(each.label, each.subcaption) for each in saved.subfigures] == [("A", frozenset({4, 6}))]
    with store.read() as tx:
        assert tx.links.done_figures("ada", "own", FIGURES) == {"g1"}


def test_three_annotators_who_do_the_same_make_gold(sign_in: SignIn, home: Home, store: Store) -> None:
    for name in NAMES:
        assert submit(sign_in(name), home, "g1", name).status_code == 200
    found = {each.figure.id: each for each in gold(store, home.campaign, GoldTally())}
    assert found["g1"].subfigures[0].subcaption == frozenset({4, 6})


def test_a_task_begins_from_the_prediction_and_says_so(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    state = client.get(f"/api/tasks/{key_of(home, 'g2', 'ada')}").get_json()
    assert [(each["preselected"], each["conflict"]) for each in state["candidates"]] == [(True, False)] * 2
    submit(client, home, "g2", "ada")
    with store.read() as tx:
        assert history(store, "g2", "ada")[0].seeded_by == tx.predictions.of(["g2"]).get("g2").model_version


def test_a_task_that_was_drawn_to_begins_without_the_prediction(sign_in: SignIn, home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.remove([Task("g2", "ada", "own")])
        tx.tasks.add([Task("g2", "ada", "own", unseeded=True)])
    client = sign_in("ada")
    assert client.get(f"/api/tasks/{key_of(home, 'g2', 'ada')}").get_json()["candidates"] == []
    submit(client, home, "g2", "ada")
    assert history(store, "g2", "ada")[0].seeded_by is None
    other = sign_in("bea").get(f"/api/tasks/{key_of(home, 'g2', 'bea')}").get_json()
    assert len(other["candidates"]) == 2


def addresses(app: Flask, value: str) -> Iterator[tuple[str, str, str]]:
    """Endpoint, method and address of every route, its variable parts all filled with one value."""
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
            if rule.endpoint != "login.sign_out":
                yield rule.endpoint, method, re.sub(r"<(?:\w+(?:\([^)]*\))?:)?\w+>", quote(value), rule.rule)


@pytest.mark.parametrize("thief", ["bea", "rev1", "lead"])
@pytest.mark.slow
def test_anothers_key_opens_and_changes_nothing(
    app: Flask, sign_in: SignIn, home: Home, store: Store, thief: str
) -> None:
    client, key = sign_in(thief), key_of(home, "g1", "ada")
    tried = set()
    for endpoint, method, address in addresses(app, key):
        if not endpoint.startswith("own_tasks.") or key not in address:
            continue
        body = {"body": "x"} if endpoint.endswith("comment") else a_draft(subfigures=[PANEL])
        answer = client.get(address) if method == "GET" else post(client, f"{address}?revision=1", body)
        assert answer.status_code == 404, (method, address)
        tried.add(endpoint)
    assert len(tried) == len([each for each in ROUTES if each.startswith("own_tasks.")]) - 3
    assert not history(store, "g1", "ada")
    assert not history(store, "g1", thief)


@pytest.mark.slow
def test_no_route_shows_an_annotator_anothers_work_or_words_whichever_id_it_is_asked_with(
    app: Flask, sign_in: SignIn, home: Home, store: Store
) -> None:
    ada, bea, key = sign_in("ada"), sign_in("bea"), key_of(home, "g1", "ada")
    words, edge = "Is the colour bar a panel?", "583.25"
    submit(ada, home, "g1", "ada")
    assert post(ada, f"/api/tasks/{key}", {**a_draft(version=1), "subfigures": []}).status_code == 422
    draft = a_draft(version=1, subfigures=[{**PANEL, "box": [0, 0, 400, 583.25]}])
    assert post(ada, f"/api/tasks/{key}?revision=1", draft).status_code == 200
    assert post(ada, f"/api/tasks/{key}/comments", {"body": words}).status_code == 200
    assert edge in ada.get(f"/api/tasks/{key}").text
    assert words in ada.get(f"/api/tasks/{key}/comments").text
    own = key_of(home, "g1", "bea")
    before = [history(store, figure, "ada") for figure in FIGURES]
    for value in (key, own, "g1", "ada", "own", "1"):
        for _, method, address in addresses(app, value):
            body = {"body": "x", "thread": 1}
            answer = bea.get(address) if method == "GET" else post(bea, address, body)
            assert answer.status_code < 500, (method, address)
            assert words.encode() not in answer.data, (method, address)
            assert edge.encode() not in answer.data, (method, address)
    assert [history(store, figure, "ada") for figure in FIGURES] == before
    assert [len(each["comments"]) for each in ada.get(f"/api/tasks/{key}/comments").get_json()["threads"]] == [1]


def test_neither_names_nor_figures_nor_withheld_tasks_open(sign_in: SignIn, home: Home) -> None:
    client = sign_in("cyd")
    for key in ("g1", "1", "cyd", key_of(home, "g3", "cyd"), key_of(home, "g2", "cyd"), "é"):
        assert client.get(f"/api/tasks/{key}").status_code == 404
    assert client.get(f"/api/tasks/{key_of(home, 'g1', 'cyd')}").status_code == 200


def test_no_answer_holds_a_trace_of_what_others_did(sign_in: SignIn, home: Home, store: Store) -> None:
    client, address = sign_in("ada"), f"/api/tasks/{key_of(home, 'g1', 'ada')}"
    before = {**client.get(address).get_json(), "csrf": ""}
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("g1"), annotator="bea", phase="own"))
        tx.annotations.add(an_annotation(a_figure("g1"), annotator="Zebulon-Q", phase="1"))
    assert {**client.get(address).get_json(), "csrf": ""} == before


def dismiss(client: FlaskClient, home: Home, status: str, **changes: object) -> TestResponse:
    """Reject g1 as ada, or leave it out."""
    draft = a_draft(status=status, subfigures=[], **changes)
    return post(client, f"/api/tasks/{key_of(home, 'g1', 'ada')}?revision=1", draft)


def test_a_skipped_task_stays_open_and_comes_last(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    keys = {figure: key_of(home, figure, "ada") for figure in FIGURES}

    def skip(figure: str) -> str:
        answer = post(client, f"/api/tasks/{keys[figure]}/skip")
        return str(answer.get_json()["next_url"]).removeprefix("/tasks/")

    assert skip("g1") == keys["g2"]
    assert not history(store, "g1", "ada")
    page = client.get("/tasks").text
    assert ("0 of 3 done" in page, "Skipped" in page, f'href="/tasks/{keys["g2"]}">Annotate' in page) == (
        True,
    ) * 3
    assert submit(client, home, "g2", "ada").get_json()["next_url"] == f"/tasks/{keys['g3']}"
    assert skip("g3") == keys["g1"]
    assert skip("g1") == keys["g3"]
    assert submit(client, home, "g3", "ada").get_json()["next_url"] == f"/tasks/{keys['g1']}"
    submit(client, home, "g1", "ada")
    assert "Skipped" not in client.get("/tasks").text
    skip("g1")
    assert history(store, "g1", "ada")[-1].status is Status.ACCEPTED
    assert "3 of 3 done" in client.get("/tasks").text


@pytest.mark.parametrize(("status", "word"), [("rejected", "Rejected"), ("ignored", "Left out")])
def test_a_figure_is_rejected_or_left_out_for_a_reason_only(
    sign_in: SignIn, home: Home, store: Store, status: str, word: str
) -> None:
    client = sign_in("ada")
    for note in ("", "  "):
        answer = dismiss(client, home, status, note=note)
        assert (answer.status_code, "for a reason" in answer.get_json()["error"]) == (422, True)
    assert not history(store, "g1", "ada")
    assert dismiss(client, home, status, note=" a photograph of a poster ").status_code == 200
    saved = history(store, "g1", "ada")[-1]
    assert (saved.status, saved.reason) == (Status(status), "a photograph of a poster")
    page = client.get("/tasks").text
    assert (word in page, "a photograph of a poster" in page, "1 of 3 done" in page) == (True, True, True)
    state = client.get(f"/api/tasks/{key_of(home, 'g1', 'ada')}").get_json()
    assert (state["decision"]["status"], state["decision"]["note"]) == (status, "a photograph of a poster")
    seen = sign_in("rev1").get("/api/figures/g1").get_json()["annotations"]
    assert [(each["status"], each["reason"]) for each in seen] == [(status, "a photograph of a poster")]
    assert submit(client, home, "g1", "ada", version=1).get_json()["version"] == 2
    assert history(store, "g1", "ada")[-1].reason == ""


def test_a_figure_that_one_annotator_left_out_does_not_lead_the_queue(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    for name in NAMES[:2]:
        submit(sign_in(name), home, "g2", name, subfigures=[{**PANEL, "tokens": [4, 6] if name == "ada" else [5]}])
    dismiss(sign_in("ada"), home, "ignored", note="I do not read Finnish")
    submit(sign_in("bea"), home, "g1", "bea")
    with store.read() as tx:
        first, last = (entry for entry in tx.queue.page() if entry.figure_id in ("g1", "g2"))
    assert (first.figure_id, first.annotators) == ("g2", 2)
    assert (last.figure_id, last.annotators, last.loss) == ("g1", 1, None)
    assert "left out the figure" in " ".join(sign_in("rev1").get("/api/figures/g1").get_json()["reasons"])


def test_a_panel_of_the_caption_without_a_box_is_found_before_submitting(sign_in: SignIn, home: Home) -> None:
    client, address = sign_in("ada"), f"/api/tasks/{key_of(home, 'g2', 'ada')}"
    first = client.get(address).get_json()
    assert [(each["check"], each["item"]) for each in first["findings"][""]] == [("box-missing", "C")]
    found = post(client, first["findings_url"], a_draft(subfigures=[PANEL])).get_json()["findings"]
    assert {(each["check"], each["item"], each["severity"]) for each in found} >= {
        ("box-missing", "B", "warning"),
        ("box-missing", "C", "warning"),
    }
    assert post(client, first["findings_url"], a_draft(subfigures=[{**PANEL, "tokens": [999]}])).get_json() == {
        "findings": []
    }
    assert not submit(client, home, "g2", "ada").get_json().get("error")
    again = client.get(address).get_json()["findings"][""]
    assert {each["item"] for each in again} >= {"B", "C"}
    assert re.search(r"\d guideline finding", sign_in("lead").get("/campaign/figures").text)


def test_undo_takes_the_last_submission_back_and_keeps_what_was_drawn(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    client, key = sign_in("ada"), key_of(home, "g1", "ada")
    submit(client, home, "g1", "ada")
    assert post(client, "/api/tasks/undo").get_json() == {"next_url": f"/tasks/{key}"}
    assert history(store, "g1", "ada")[-1].status is Status.IGNORED
    assert "0 of 3 done" in client.get("/tasks").text
    state = client.get(f"/api/tasks/{key}").get_json()
    assert (state["decision"], state["version"]) == (None, 2)
    assert state["starts_from"]["subfigures"][0]["tokens"] == [4, 6]
    assert post(client, "/api/tasks/undo").status_code == 404
    assert submit(client, home, "g1", "ada", version=2).status_code == 200


def test_undo_of_a_correction_brings_the_earlier_submission_back(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    client = sign_in("ada")
    submit(client, home, "g1", "ada")
    dismiss(client, home, "rejected", version=1, note="no figure")
    post(client, "/api/tasks/undo")
    assert history(store, "g1", "ada")[-1].status is Status.ACCEPTED


def test_undo_never_reaches_anothers_work(sign_in: SignIn, home: Home, store: Store) -> None:
    submit(sign_in("ada"), home, "g1", "ada")
    assert post(sign_in("bea"), "/api/tasks/undo").status_code == 404
    assert len(history(store, "g1", "ada")) == 1


def test_a_save_in_another_tab_is_shown_and_nothing_overwritten(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    submit(client, home, "g1", "ada")
    answer = submit(client, home, "g1", "ada", version=0)
    assert answer.status_code == 409
    assert (answer.get_json()["version"], answer.get_json()["current"]["reviewer"]) == (1, "ada")
    assert len(history(store, "g1", "ada")) == 1


@pytest.mark.parametrize(
    ("panel", "field"),
    [
        ({**PANEL, "tokens": [999]}, "tokens"),
        ({**PANEL, "box": [900, 0, 950, 20]}, "box"),
        ({**PANEL, "label": " "}, "label"),
    ],
)
@pytest.mark.slow
def test_work_that_does_not_fit_the_figure_is_refused(
    sign_in: SignIn, home: Home, store: Store, panel: dict[str, object], field: str
) -> None:
    draft = a_draft(subfigures=[panel])
    answer = post(sign_in("ada"), f"/api/tasks/{key_of(home, 'g1', 'ada')}?revision=1", draft)
    assert answer.status_code == 422
    assert f"subfigures[0].{field}" in answer.get_json()["error"]
    assert not history(store, "g1", "ada")


@pytest.mark.slow
def test_opening_the_list_after_training_is_passed_releases_the_next_phase(
    home: Home, store: Store, sign_in: SignIn
) -> None:
    file = home.path / FILE_NAME
    phases = (
        '\n[[phases]]\nname = "training"\npass_mark = 0.75\nannotate_in = "panelwise"\n'
        '\n[[phases]]\nname = "after"\ntraining_phase = "training"\nannotate_in = "panelwise"\n'
    )
    file.write_text(file.read_text(encoding="utf-8") + phases, encoding="utf-8")
    with store.transaction() as tx:
        tx.tasks.add([Task("g1", "cyd", "training"), Task("g2", "cyd", "after", released=False)])
    client = sign_in("cyd")
    after = f"/tasks/{TaskKeys(home.secret()).of(Task('g2', 'cyd', 'after'))}"
    assert client.get(after).status_code == 404
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("g1"), annotator="cyd", phase="training"))
    client.get("/tasks")
    assert client.get(after).status_code == 404
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("g1")))
    client.get("/tasks")
    assert client.get(after).status_code == 200


def test_what_was_looked_at_is_recorded_and_shown_beside_the_annotators_figures(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    ada = sign_in("ada")
    shown = ada.get(f"/api/tasks/{key_of(home, 'g2', 'ada')}").get_json()
    predicted = [{key: each[key] for key in ("label", "box", "tokens")} for each in shown["candidates"]]
    submit(ada, home, "g2", "ada", subfigures=predicted, viewed=["A", "none of these"], seconds=1.5)
    submit(ada, home, "g1", "ada", viewed=["A"], seconds=9)
    first, second = history(store, "g2", "ada")[-1], history(store, "g1", "ada")[-1]
    assert (first.viewed, first.unchanged, second.viewed, second.unchanged) == (("A",), True, ("A",), False)
    with store.read() as tx:
        found = tx.statistics.attention()
    assert found == {("own", "ada"): Attention(figures=2, unchanged=1, parts=3, unseen=1, timed=2, fast=1)}
    line = "50.0% of figures unchanged, 33.3% of subfigures never looked at, 50.0% of figures in"
    assert line in sign_in("lead").get("/dashboard").text
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("g1")))
    assert line in sign_in("lead").get("/feedback?annotator=ada&phase=own").text


def test_a_prediction_that_nobody_looked_at_is_unchanged_by_all_in_gold_and_not_ticked(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    key = key_of(home, "g2", "ada")
    predicted = [
        {key: each[key] for key in ("label", "box", "tokens")}
        for each in sign_in("ada").get(f"/api/tasks/{key}").get_json()["candidates"]
    ]
    for name, viewed in (("ada", []), ("bea", ["A"])):
        submit(sign_in(name), home, "g2", name, subfigures=predicted, viewed=viewed)
    found = next(each for each in gold(store, home.campaign, GoldTally()) if each.figure.id == "g2")
    assert (found.provenance.source, found.provenance.unchanged) == (GoldSource.UNANIMOUS, True)
    page = sign_in("rev1").get("/agreed/").text
    assert re.search(r'aria-label="Adjudicate g2">', page)
    assert "unchanged by all, and not looked at in full" in page
    assert [
        "Unchanged by all" in sign_in("rev1").get(f"/?{part}").text for part in ("unchanged=yes", "q=g2", "q=g1")
    ] == [True, True, False]
    submit(sign_in("bea"), home, "g2", "bea", subfigures=predicted[::-1], viewed=["A", "B"], version=1)
    assert "Unchanged by all" not in sign_in("rev1").get("/?q=g2").text
    assert not any(each.provenance.unchanged for each in gold(store, home.campaign, GoldTally()))


def test_a_phase_may_ask_for_every_subfigure_to_be_looked_at(sign_in: SignIn, home: Home, store: Store) -> None:
    file = home.path / FILE_NAME
    text = file.read_text(encoding="utf-8").replace('"panelwise"\n', '"panelwise"\nvisit = "all"\n')
    file.write_text(text, encoding="utf-8")
    client = sign_in("ada")
    assert client.get(f"/api/tasks/{key_of(home, 'g1', 'ada')}").get_json()["visit"] == "all"
    for viewed in (None, [], ["B"]):
        answer = submit(client, home, "g1", "ada", viewed=viewed)
        assert (answer.status_code, "not looked at A" in answer.get_json()["error"]) == (422, True)
    assert not history(store, "g1", "ada")
    assert submit(client, home, "g1", "ada", viewed=["A"]).status_code == 200


def test_the_end_of_all_tasks_says_what_was_done_and_leads_to_the_comparison(sign_in: SignIn, home: Home) -> None:
    file = home.path / FILE_NAME
    file.write_text(file.read_text(encoding="utf-8") + "\n[view]\nfeedback = true\n", encoding="utf-8")
    client = sign_in("ada")
    submit(client, home, "g1", "ada")
    assert 'id="all-done"' not in client.get("/tasks").text
    submit(client, home, "g2", "ada", status="rejected", subfigures=[], note="no panels")
    submit(client, home, "g3", "ada", status="ignored", subfigures=[], note="too blurred")
    page = client.get("/tasks").text.split('id="all-done"')[1].split("</section>")[0]
    assert "Phase own: 1 done, 1 rejected, 1 left out." in page
    assert 'href="/feedback"' in page
    # What a later batch brings is said: it is not the end.
    cyd = sign_in("cyd")
    submit(cyd, home, "g1", "cyd")
    assert "1 more figure comes with a later batch" in cyd.get("/tasks").text.split('id="all-done"')[1]


def test_figures_are_called_by_their_ids_unless_the_phase_hides_them(sign_in: SignIn, home: Home) -> None:
    client, address = sign_in("ada"), f"/api/tasks/{key_of(home, 'g1', 'ada')}"
    assert client.get(address).get_json()["shown_id"] == "g1"
    assert '<span class="small muted">g1</span>' in client.get("/tasks").text
    file = home.path / FILE_NAME
    text = file.read_text(encoding="utf-8").replace('"panelwise"\n', '"panelwise"\nshow_ids = false\n')
    file.write_text(text, encoding="utf-8")
    assert client.get(address).get_json()["shown_id"] == ""
    assert ">g1<" not in client.get("/tasks").text


def test_a_lead_sees_how_many_figures_have_findings_and_which(sign_in: SignIn, home: Home, store: Store) -> None:
    lead = sign_in("lead")
    link = re.compile(r'href="/\?show=all&amp;findings=yes">(\d+) figures? with guideline findings')

    def counted_and_listed() -> tuple[int, bool]:
        count = link.search(lead.get("/dashboard").text)
        return int(count[1]) if count else 0, ">g1</a>" in lead.get("/?show=all&findings=yes").text

    before, listed = counted_and_listed()
    assert not listed
    # The caption names B and C, which have no box.
    submit(sign_in("ada"), home, "g1", "ada")
    assert counted_and_listed() == (before + 1, True)
    assert "guideline finding" in lead.get("/campaign/figures?q=g1").text


def test_work_that_was_sent_back_leads_the_list_and_a_finished_list_says_so(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    client = sign_in("ada")
    for figure in FIGURES:
        submit(client, home, figure, "ada")
    page = client.get("/tasks").text
    assert 'id="all-done"' in page
    assert ("Phase own: 3 done." in page, 'href="/feedback"' in page) == (True, False)
    with store.transaction() as tx:
        tx.sent_back.add("g3", "own", "ada", "rev1", "the box of A is too large", datetime.now(UTC))
    page = client.get("/tasks").text
    assert ("1 figure came back to you" in page, "All done" in page) == (True, False)
    assert re.findall(r">(Figure \d)</a>", page) == ["Figure 3", "Figure 1", "Figure 2"]
    assert f'href="/tasks/{key_of(home, "g3", "ada")}">Annotate the next' in page
