"""Blind annotation at the server: what it tells, to whom, and that nothing else tells more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import an_annotation
from flask import Flask
from flask.testing import FlaskClient
from web.asking import token_of, without_token
from web.blind_campaign import BLIND, PARTS_OF_WORK, PEOPLE, SECRET_TEXTS, SECRETS, blind_home
from web.conftest import CHEAP, SignIn
from web.test_routes import address_of, routes

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.queue.presence import look_at
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.app.access import ROUTES, Blindfold, access, may_open
from panelwise.domain.campaign import Role, Task

#: Every key that may stand in the JSON of the screen, at whatever depth.
KEYS = {
    *("key", "phase", "place", "total", "written", "image_url", "width", "height", "revision", "caption"),
    *(
        "references",
        "reference_panels",
        "given",
        "source",
        "version",
        "own",
        "told",
        "reviewer",
        "next_url",
        "csrf",
    ),
    *("text", "tokens", "id", "start", "end", "space", "newline", "gap", "label", "box", "color"),
    *("status", "texts", "reason", "saved_at"),
}
TEXTS = [[4, 6], [10, 12]]
TITLE = "You annotate this blind"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_hasher", CHEAP)
        return blind_home(tmp_path_factory.mktemp("blind") / "campaign").path


def key_of(home: Home, figure: str, who: str = "rev1") -> str:
    return TaskKeys(home.secret()).of(Task(figure, who, "2"))


def keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_in(each)


def write(client: FlaskClient, key: str, *, revision: int = 1, **changes: Any) -> Any:
    csrf = client.get(f"/api/blind/{key}").get_json()["csrf"]
    draft = {"version": 0, "status": "accepted", "texts": TEXTS, "seconds": 3.5, **changes}
    return client.post(f"/api/blind/{key}?revision={revision}", json=draft, headers={"X-CSRFToken": csrf})


def hand_in(client: FlaskClient, **changes: str) -> Any:
    form = {"csrf_token": token_of(client.get("/blind").text), "phase": "2", "done": "yes", **changes}
    return client.post("/blind/hand-in", data=form)


# -- what the blind screen tells -------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["rev1", "rev2", "boss"])
def test_the_screen_tells_what_is_listed_and_nothing_else(sign_in: SignIn, home: Home, who: str) -> None:
    client, key = sign_in(who), key_of(home, "f1", who)
    fresh = client.get(f"/api/blind/{key}")
    assert set(keys_in(fresh.get_json())) == KEYS - {"status", "texts", "saved_at", "reason"}
    assert [each["label"] for each in fresh.get_json()["given"]] == ["A", "B"]
    assert fresh.get_json()["own"] is None
    assert write(client, key).status_code == 200
    again = client.get(f"/api/blind/{key}").get_json()
    assert set(keys_in(again)) == KEYS
    assert again["own"]["texts"] == TEXTS


def test_no_answer_of_the_blind_pages_holds_anything_of_others(sign_in: SignIn, home: Home) -> None:
    key = key_of(home, "f1", "rev2")
    other = sign_in("rev2")
    assert write(other, key, texts=[[0, 1, 2], [3]]).status_code == 200
    client, key = sign_in("rev1"), key_of(home, "f1")
    answers = [client.get(f"/blind{part}").text for part in ("", f"/{key}")]
    answers += [client.get(f"/api/blind/{key}").text, write(client, key).text]
    answers += [write(client, key, version=0).text, write(client, key, texts=[[99], []]).text]
    for answer in answers:
        assert [secret for secret in (*SECRETS, *PARTS_OF_WORK) if secret in answer] == []
        for tokens in (*SECRET_TEXTS, (0, 1, 2)):
            assert json.dumps(list(tokens), separators=(",", ":")) not in answer
        assert "f1" not in re.sub(r"[0-9a-f]{8,}", "", answer)  # nor the figure's id


def test_the_colours_are_those_of_the_labels(sign_in: SignIn, home: Home) -> None:
    given = sign_in("rev1").get(f"/api/blind/{key_of(home, 'f1')}").get_json()["given"]
    assert [each["color"] for each in given] == ["#0072B2", "#E69F00"]


def test_the_images_come_by_key_alone(sign_in: SignIn, home: Home) -> None:
    client = sign_in("rev1")
    for part in ("image", "thumbnail"):
        answer = client.get(f"/blind/{key_of(home, 'f1')}/{part}")
        assert (answer.status_code, answer.mimetype[:5]) == (200, "image")
        assert "f1" not in answer.headers.get("Content-Disposition", "")
        assert client.get(f"/blind/{key_of(home, 'f1', 'rev2')}/{part}").status_code == 404


def test_nobody_gets_at_anothers_task(sign_in: SignIn, home: Home) -> None:
    for who in ("rev1", "free", "boss"):
        client = sign_in(who)
        key = key_of(home, "f1", "rev2")
        assert client.get(f"/blind/{key}").status_code == 404
        assert client.get(f"/api/blind/{key}").status_code == 404
        csrf = token_of(client.get("/blind").text)
        answer = client.post(
            f"/api/blind/{key}?revision=1",
            json={"version": 0, "status": "accepted", "texts": TEXTS},
            headers={"X-CSRFToken": csrf},
        )
        assert answer.status_code == 404


# -- writing and handing in ------------------------------------------------------------------------------


def test_what_is_written_is_kept_and_leads_on(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("rev1")
    answer = write(client, key_of(home, "f1"))
    assert answer.get_json() == {
        "version": 1,
        "written": 1,
        "total": 3,
        "next_url": f"/blind/{key_of(home, 'f2')}",
    }
    with store.read() as tx:
        (own,) = tx.annotations.all(phase="2")
    assert [sorted(each.subcaption) for each in own.subfigures] == TEXTS


def test_another_tab_that_was_faster_gets_an_answer_with_ones_own_work(sign_in: SignIn, home: Home) -> None:
    client, key = sign_in("rev1"), key_of(home, "f1")
    write(client, key)
    late = write(client, key, texts=[[], []])
    assert late.status_code == 409
    assert (late.get_json()["version"], late.get_json()["current"]["texts"]) == (1, TEXTS)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"texts": [[1]]}, "texts: 1 for 2 given subfigures; reload the page"),
        ({"texts": [[99], []]}, "texts[0]: token 99 of 26 does not exist; reload the page"),
        ({"boxes": [[0, 0, 1, 1]]}, "the decision: Object contains unknown field boxes"),
        ({"status": "maybe"}, "status: invalid enum value 'maybe'"),
        ({"revision": 7}, "the caption or image was replaced after you opened it; reload the page"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_one_line(
    sign_in: SignIn, home: Home, store: Store, changes: dict[str, Any], told: str
) -> None:
    answer = write(sign_in("rev1"), key_of(home, "f1"), **changes)
    assert (answer.status_code, answer.get_json()) == (422, {"error": told})
    with store.read() as tx:
        assert list(tx.annotations.all(phase="2")) == []


def test_only_json_in_utf_8_with_a_seal_is_accepted(sign_in: SignIn, home: Home) -> None:
    client, key = sign_in("rev1"), key_of(home, "f1")
    csrf = client.get(f"/api/blind/{key}").get_json()["csrf"]
    address = f"/api/blind/{key}?revision=1"
    assert client.post(address, json={"version": 0, "status": "accepted", "texts": TEXTS}).status_code == 400
    assert client.post(address, data="{}", headers={"X-CSRFToken": csrf}).status_code == 415
    headers = {"X-CSRFToken": csrf, "Content-Type": "application/json"}
    assert client.post(address, data=b'{"status": "\xff"}', headers=headers).status_code == 400
    assert client.post("/blind/hand-in", data={"phase": "2", "done": "yes"}).status_code == 400


def test_handing_in_asks_for_a_word_and_opens_the_figure(sign_in: SignIn, home: Home) -> None:
    client = sign_in("rev1")
    write(client, key_of(home, "f1"))
    assert client.get("/figures/f1").status_code == 403
    hand_in(client, done="")
    assert "Not handed in" in client.get("/blind").text
    assert client.get("/figures/f1").status_code == 403
    assert hand_in(client).status_code == 303
    page = client.get("/blind").text
    assert "1 figure is handed in and now open to you in the queue." in page
    assert client.get("/figures/f1").status_code == client.get("/api/figures/f1").status_code == 200
    assert client.get("/figures/f2").status_code == 403
    assert client.get(f"/blind/{key_of(home, 'f1')}").status_code == 404
    assert hand_in(client, phase="1").status_code == 404


def test_the_list_says_what_is_to_do_and_whom_it_tells_apart(sign_in: SignIn, home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("plain", "rev2", "2", batch=2, released=False)])
    page = sign_in("rev2").get("/blind").text
    assert "Subfigures from the gold, the same for every reviewer." in page
    assert "for every reviewer. 1 more figure comes with a later batch." in page
    assert "You annotated it before" in page
    assert "no subfigures to describe" in page
    assert f"/blind/{key_of(home, 'f1', 'rev2')}" in page
    assert "No blind figures" in sign_in("free").get("/blind").text


# -- the blindfold over everything else ------------------------------------------------------------------


def blindfolded(client: FlaskClient, address: str, method: str = "GET", **form: str) -> bool:
    """Whether the request is refused for being about what is annotated blind."""
    token = token_of(client.get("/blind").text)
    answer = client.open(address, method=method, data={"csrf_token": token, **form} if method == "POST" else None)
    return answer.status_code == 403 and ("annotate blind" in answer.text or TITLE in answer.text)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["rev1", "rev2", "boss"])
def test_every_route_is_refused_by_its_rule(app: Flask, sign_in: SignIn, who: str) -> None:
    """Route x role x blind: what would show work is refused to whoever annotates blind, and to nobody else."""
    client = sign_in(who)
    person = people.Person(who, frozenset(PEOPLE[who]))
    asked = 0
    for endpoint, address, method in routes(app):
        if endpoint in ("login.sign_out", "login.submit") or not may_open(person, endpoint):
            continue
        rule = access(endpoint).blindfold
        hidden = address.replace("a/b", "f1")
        by_form = rule is Blindfold.BY_FIGURE and hidden == address_of_plain(hidden)
        form = {"figure": "mark f1"} if by_form else {}
        refused = rule in (Blindfold.CLOSED, Blindfold.BY_FIGURE)
        assert blindfolded(client, hidden, method, **form) is refused, (endpoint, method)
        if rule is Blindfold.BY_FIGURE and not form:
            assert not blindfolded(client, address_of_plain(hidden), method), endpoint
        asked += 1
    assert asked > 20


def address_of_plain(address: str) -> str:
    return re.sub(r"\bf1\b", "plain", address)


@pytest.mark.slow
def test_nothing_is_refused_to_whoever_annotates_nothing_blind(app: Flask, sign_in: SignIn) -> None:
    client = sign_in("free")
    person = people.Person("free", frozenset(PEOPLE["free"]))
    for endpoint, address, method in routes(app):
        if not endpoint.startswith("login.") and may_open(person, endpoint):
            assert not blindfolded(client, address.replace("a/b", "f1"), method, figure="mark f1"), endpoint


def test_every_route_has_a_rule_and_a_new_one_is_closed(app: Flask) -> None:
    assert {endpoint for endpoint, _, _ in routes(app)} <= set(ROUTES)
    assert access("a.new.route").blindfold is Blindfold.CLOSED
    assert address_of("/figures/<figure:figure_id>") == "/figures/f1"


@pytest.mark.slow
@pytest.mark.parametrize("who", ["rev1", "boss"])
def test_no_page_of_a_blind_session_has_work_on_its_figures(app: Flask, sign_in: SignIn, who: str) -> None:
    """All that a blind reviewer can ask for, read through: ids of the figures, notes, boxes, tokens, names."""
    client = sign_in(who)
    with_work = {"queue.show", "bulk.show", "history.flagged"}
    for endpoint, address, method in routes(app):
        if method != "GET" or endpoint in ("static", "login.sign_in", "figure.loose"):
            continue
        for place in (address, address + "?show=all&status=accepted", address + "?q=left"):
            text = "" if endpoint.startswith("image") or endpoint == "v1.image" else client.get(place).text
            assert "Verdigris" not in text, place
            assert "Cerulean" not in text, place
            for box in ("17.75", "33.25"):
                assert box not in text or "plain" in text, place
            if endpoint in with_work:
                assert re.findall(r">\s*(f[123])\s*<", text) == [], place


@pytest.mark.parametrize(
    "query", ["", "?show=all", "?show=settled", "?q=lung", "?loss=boundary of the text&show=all"]
)
@pytest.mark.slow
def test_the_queue_and_its_numbers_leave_them_out(sign_in: SignIn, query: str) -> None:
    blind, free = sign_in("rev1").get(f"/{query}").text, sign_in("free").get(f"/{query}").text
    assert re.findall(r"/figures/(f\d)\b", blind) == []
    assert "Figures that you annotate blind are not shown" in blind
    assert "left out" not in free
    if query == "?show=all":
        assert {*re.findall(r"/figures/(\w+)\"", free)} >= {*BLIND, "plain"}
        assert "0 of 1 adjudicated" in blind
        assert "3 of 4 adjudicated" in free


def test_a_filter_that_only_hidden_figures_meet_is_unknown(sign_in: SignIn) -> None:
    assert sign_in("free").get("/?reviewer=free&show=all").status_code == 200
    assert sign_in("rev1").get("/?reviewer=free&show=all").status_code == 404


def test_the_next_figure_is_never_a_hidden_one(sign_in: SignIn, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("plain", "rev1", "2")])
    assert "/figures/" not in sign_in("rev1").get("/").text


def test_slices_of_the_matrix_are_closed_on_every_page(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    for address in ("/?gold=a&predicted=b&phase=1", "/figures/plain?gold=a", "/api/figures/plain?predicted=b"):
        assert client.get(address).status_code == 403


def test_flags_leave_them_out(sign_in: SignIn) -> None:
    assert "Cerulean question" in sign_in("free").get("/flags").text
    assert "Cerulean question" not in sign_in("rev1").get("/flags").text


def test_a_lead_who_annotates_blind_sees_the_dashboard_without_the_agreement(sign_in: SignIn) -> None:
    page = sign_in("boss").get("/dashboard").text
    assert "Progress by phase and annotator" in page
    assert "Agreement and the status of figures are hidden until" in page
    assert 'id="status"' not in page
    assert "matrix-title" not in page


def test_a_change_of_tasks_by_a_blind_lead_leaves_those_on_hidden_figures(sign_in: SignIn, store: Store) -> None:
    """Which of them would change says which are done."""
    lead = sign_in("boss")
    with store.transaction() as tx:
        tx.tasks.add([Task(figure, "ann", "1") for figure in ("f1", "f2", "plain")])

    def change(**form: str) -> str:
        token = token_of(lead.get("/blind").text)
        answer = lead.post("/campaign/assignment/change", data={"csrf_token": token, "phase": "1", **form})
        assert answer.status_code == 302
        return lead.get("/campaign/assignment").text

    def there() -> set[tuple[str, str]]:
        with store.read() as tx:
            return {(task.figure, task.annotator) for task in tx.tasks.all(phase="1")}

    shown = change(what="reassign", name="ann", to="rev1")
    assert "rev1: 1 task of phase 1 taken over from ann. Tasks on figures that you annotate blind stay" in shown
    assert there() == {("f1", "ann"), ("f2", "ann"), ("plain", "rev1")}
    for form in ({"what": "reassign", "name": "ann", "to": "rev1"}, {"what": "reassign", "name": "Kim", "to": ""}):
        shown = change(**form)
        assert "has no open task of phase 1, besides those on figures that you annotate blind" in shown
    assert "1 task withdrawn. Tasks on figures that you annotate blind stay" in change(what="withdraw")
    shown = change(what="withdraw")
    assert "has no task that nothing was submitted for, besides those on figures that you annotate blind" in shown
    assert there() == {("f1", "ann"), ("f2", "ann")}
    with store.transaction() as tx:
        tx.tasks.remove([Task(figure, "boss", "2") for figure in BLIND])
    assert "2 tasks withdrawn." in change(what="withdraw")


def test_hidden_figures_cannot_be_settled_together_or_decided(sign_in: SignIn, store: Store) -> None:
    client = sign_in("rev1")
    assert blindfolded(client, "/agreed/", "POST", figure="mark f1")
    assert blindfolded(client, "/figures/f1/history/reopen", "POST", loaded="1")
    with store.read() as tx:
        assert [len(tx.decisions.history(name)) for name in BLIND] == [1, 1, 1]


def test_the_header_leads_to_the_blind_figures_of_whoever_has_some(sign_in: SignIn) -> None:
    assert 'href="/blind"' in sign_in("rev1").get("/").text
    assert 'href="/blind"' not in sign_in("free").get("/").text
    assert PEOPLE["free"] == (Role.REVIEWER,)


def test_a_refusal_says_what_to_do(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    page = client.get("/figures/f1").text
    assert TITLE in page
    assert "Write yours and hand it in under Blind, then it is open to you." in page
    assert 'href="/blind"' in page
    assert client.get("/api/figures/f1").get_json() == {
        "error": "this is a figure that you annotate blind; write yours and hand it in under Blind, "
        "then it is open to you"
    }


def annotator_choices(page: str) -> dict[str, str]:
    """The annotators that the queue can be filtered by, by their keys, as it names them."""
    return dict(re.findall(r'<option value="([^"]+)"[^>]*>(Annotator \d+) \(', page))


@pytest.mark.parametrize("name", ["Aaron-Q", "Mona-Q", "Zoe-Q", "Ben-Q", "Kim-Q", "Uma-Q"])
def test_the_numbers_of_annotators_stay_when_somebody_begins_on_a_hidden_figure(
    sign_in: SignIn, home: Home, store: Store, name: str
) -> None:
    blind, free = sign_in("rev1"), sign_in("free")
    before = annotator_choices(blind.get("/").text)
    everybody = len(annotator_choices(free.get("/?show=all").text))
    assert before
    with store.transaction() as tx:
        figure = tx.figures.existing("f3")
        tx.annotations.add(an_annotation(figure, annotator=name, phase="1"))
    score_disagreement(store, home.campaign)
    assert annotator_choices(blind.get("/").text) == before
    assert len(annotator_choices(free.get("/?show=all").text)) == everybody + 1


def test_a_blind_lead_learns_of_nobody_who_has_a_hidden_figure_open(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    """Who has another figure open is shown."""
    lead = sign_in("boss")
    before = without_token(lead.get("/campaign/people").text)
    look_at(store, "f2", "free")
    assert without_token(lead.get("/campaign/people").text) == before
    look_at(store, "plain", "free")
    assert without_token(lead.get("/campaign/people").text) != before
    with store.transaction() as tx:
        tx.tasks.remove([Task(figure, "boss", "2") for figure in BLIND])
    look_at(store, "f2", "free")
    assert "f2" in lead.get("/campaign/people").text


def test_a_blind_lead_does_not_learn_from_the_tasks_who_has_submitted_a_hidden_figure(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    """Of their own tasks, and of figures that are not hidden, they do."""
    lead = sign_in("boss")
    with store.transaction() as tx:
        plain, f2 = tx.figures.existing("plain"), tx.figures.existing("f2")
        tx.tasks.add([Task("f2", "ann", "1"), Task("plain", "ann", "1")])

    def submitted() -> dict[tuple[str, str], bool | None]:
        listed = lead.get("/api/v1/tasks").get_json()["items"]
        return {(task["figure_id"], task["annotator"]): task["submitted"] for task in listed}

    before = submitted()
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(f2, annotator="ann", phase="1"))
        tx.annotations.add(an_annotation(f2, annotator="rev1", phase="2"))
        tx.annotations.add(an_annotation(plain, annotator="ann", phase="1"))
    after = submitted()
    assert {key for key in before if before[key] != after[key]} == {("plain", "ann")}
    assert after["f2", "ann"] is None
    assert after["f2", "rev1"] is None
    assert after["f2", "boss"] is False
    with store.transaction() as tx:
        tx.tasks.remove([Task(figure, "boss", "2") for figure in BLIND])
    assert submitted()["f2", "ann"] is True


@pytest.mark.parametrize("query", ["annotator=Zoe", "phase=pilot", "phase=other"])
@pytest.mark.parametrize("kind", ["annotations", "tasks"])
def test_names_that_only_work_on_hidden_figures_has_are_not_in_the_campaign_of_a_blind_lead(
    sign_in: SignIn, store: Store, kind: str, query: str
) -> None:
    lead, address = sign_in("boss"), f"/api/v1/{kind}?{query}"

    def answer() -> tuple[int, Any]:
        got = lead.get(address)
        return got.status_code, got.get_json()

    before = answer()
    assert before[0] == 404
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.existing("f2"), annotator="Zoe", phase="pilot"))
    assert answer() == before
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.existing("plain"), annotator="Zoe", phase="pilot"))
    assert answer()[0] == (404 if "other" in query else 200)
    assert lead.get(f"/api/v1/{kind}?annotator=ann&phase=1").status_code == 200


def test_a_phase_that_only_work_on_hidden_figures_has_cannot_be_assigned_by_a_blind_lead(
    sign_in: SignIn, store: Store
) -> None:
    lead = sign_in("boss")

    def answer() -> str:
        return without_token(lead.get("/campaign/assignment?phase=pilot").text)

    before = answer()
    assert "has no phase &#34;pilot&#34;" in before
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.existing("f2"), annotator="ann", phase="pilot"))
    assert answer() == before
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.existing("plain"), annotator="ann", phase="pilot"))
    assert "has no phase" not in answer()


def test_the_operators_totals_are_closed_to_the_session_of_a_blind_annotator(sign_in: SignIn) -> None:
    assert blindfolded(sign_in("boss"), "/metrics")
    assert "panelwise_queue_figures" in sign_in("free").get("/metrics").text
