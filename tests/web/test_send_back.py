"""A reviewer sends an annotator's work back; the annotator corrects it on the own screen; the queue follows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders import a_figure, an_annotation
from flask.testing import FlaskClient
from items_cases import a_home, a_qa_figure, judged, verdicts
from web.asking import PASSWORD, a_draft, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people
from annotator.adjudication.messages.send_back import LONGEST_REASON, returns_of, send_back, withdraw
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.campaign import Role, Task
from panelwise.settings.campaign_toml import FILE_NAME

HISTORY = "/figures/f1/history"
REASON = 'Panel B misses "right" <b>'
PANEL = {"label": "A", "box": [0, 0, 400, 600], "tokens": [4, 6]}


@pytest.fixture
def home(home: Home) -> Home:
    """f1 and f2 are ada's and bea's in a phase that is annotated here; rev2 annotates f1 blind in another."""
    file = home.path / FILE_NAME
    phases = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
    phases += '\n[[phases]]\nname = "blind"\nblind = true\ngiven = "gold"\n'
    file.write_text(file.read_text(encoding="utf-8") + phases, encoding="utf-8")
    home = Home.find(home.path)
    with home.open_store() as store:
        for name in ("ada", "bea"):
            people.add_person(store, name, roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            tx.tasks.add([Task(figure, name, "own") for name in ("ada", "bea") for figure in ("f1", "f2")])
            tx.tasks.add([Task("f1", "rev2", "blind")])
    return home


@pytest.fixture
def ada(sign_in: SignIn, home: Home) -> FlaskClient:
    """An annotator who submitted both figures."""
    client = sign_in("ada")
    for figure in ("f1", "f2"):
        assert submit(client, home, figure).status_code == 200
    return client


def key_of(home: Home, figure: str, name: str = "ada") -> str:
    return TaskKeys(home.secret()).of(Task(figure, name, "own"))


def submit(client: FlaskClient, home: Home, figure: str, **changes: object) -> TestResponse:
    csrf = token_of(client.get("/account").text)
    draft = a_draft(**{"subfigures": [PANEL], **changes})
    address = f"/api/tasks/{key_of(home, figure)}?revision=1"
    return client.post(address, json=draft, headers={"X-CSRFToken": csrf})


def press(client: FlaskClient, action: str, figure: str = "f1", **fields: object) -> TestResponse:
    token = token_of(client.get("/account").text)
    address = f"/figures/{figure}/history/{action}"
    return client.post(address, data={"csrf_token": token, **fields}, follow_redirects=True)


def send(client: FlaskClient, home: Home, store: Store, reason: str = REASON) -> TestResponse:
    (recipient,) = returns_of(store, home, "f1").recipients
    return press(client, "send-back", annotator=f"{recipient.key} {recipient.phase}", reason=reason)


def listed(client: FlaskClient) -> bool:
    """Whether the queue has f1 among what was sent back."""
    page = client.get("/?sent_back=yes")
    return page.status_code == 200 and "Sent back to an annotator" in page.text


def awaits(client: FlaskClient) -> bool:
    """Whether the figure's screen says that it waits for an annotator to correct it."""
    return bool(client.get("/api/figures/f1").get_json()["sent_back"])


def is_open(store: Store) -> list[bool]:
    with store.read() as tx:
        return [each.open for each in tx.sent_back.on_figure("f1")]


def test_the_annotator_finds_the_reason_and_what_they_hand_in_ends_it(
    client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    assert not awaits(client)
    page = send(client, home, store)
    assert "to be corrected" in page.text
    assert awaits(client)
    # What is read on the page: the tokens of its forms are random, and may hold any three letters.
    assert "ada" not in re.sub(r"<[^>]*>", " ", page.text).casefold()
    assert listed(client)
    tasks = ada.get("/tasks").text
    assert "1 of 2 done" in tasks
    assert "Panel B misses &#34;right&#34; &lt;b&gt;" in tasks
    address = f"/api/tasks/{key_of(home, 'f1')}"
    state = ada.get(address).get_json()
    assert state["reasons"] == [f"To correct: {REASON}"]
    assert (state["decision"], state["starts_from"]["subfigures"][0]["tokens"]) == (None, [4, 6])
    corrected = {**PANEL, "tokens": [4, 6, 7]}
    assert submit(ada, home, "f1", version=1, subfigures=[corrected]).status_code == 200
    assert ada.get(address).get_json()["reasons"] == []
    assert "2 of 2 done" in ada.get("/tasks").text
    assert not listed(client)
    assert not awaits(client)
    assert '<span class="mark ok">corrected</span>' in client.get(HISTORY).text


def test_undoing_the_correction_leaves_it_to_be_corrected(
    client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    send(client, home, store)
    submit(ada, home, "f1", version=1, subfigures=[{**PANEL, "tokens": [4]}])
    assert is_open(store) == [False]
    token = token_of(ada.get("/account").text)
    assert ada.post("/tasks/undo", data={"csrf_token": token}).status_code == 303
    assert is_open(store) == [True]
    assert listed(client)
    # What was taken back is gone on from; what was sent back counts until then.
    state = ada.get(f"/api/tasks/{key_of(home, 'f1')}").get_json()
    assert (state["decision"], state["starts_from"]["subfigures"][0]["tokens"]) == (None, [4])
    with store.read() as tx:
        assert tx.annotations.history("f1", "ada", "own")[-1].subfigures[0].subcaption == {4, 6}
    assert submit(ada, home, "f1", version=state["version"]).status_code == 200
    assert ada.get(f"/api/tasks/{key_of(home, 'f1')}").get_json()["starts_from"] is None


def test_an_annotator_may_hand_the_same_work_in_again(
    client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    send(client, home, store)
    assert submit(ada, home, "f1", version=1).get_json()["version"] == 1
    assert is_open(store) == [False]
    assert "handed in unchanged" in client.get(HISTORY).text
    assert not listed(client)


def test_a_reviewer_withdraws_it(client: FlaskClient, ada: FlaskClient, home: Home, store: Store) -> None:
    send(client, home, store)
    assert "withdrawn by rev1" in press(client, "withdraw", number=1).text
    assert not listed(client)
    assert "2 of 2 done" in ada.get("/tasks").text
    assert "Not withdrawn" in press(client, "withdraw", number=1).text


@pytest.mark.slow
def test_only_work_that_is_there_goes_back_once_and_with_a_reason(
    client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    (recipient,) = returns_of(store, home, "f1").recipients
    wanted = f"{recipient.key} {recipient.phase}"
    for reason in ("", "  ", "x" * (LONGEST_REASON + 1)):
        assert (
            "give a reason of 1 to 2,000 characters"
            in press(client, "send-back", annotator=wanted, reason=reason).text
        )
    for nobody in ("", "ada own", f"{recipient.key} 1", f"{recipient.key} blind"):
        assert "no work of this annotator" in press(client, "send-back", annotator=nobody, reason=REASON).text
    assert is_open(store) == []
    assert "to be corrected" in press(client, "send-back", annotator=wanted, reason=REASON).text
    assert "no work of this annotator" in press(client, "send-back", annotator=wanted, reason=REASON).text
    assert is_open(store) == [True]


@pytest.mark.slow
def test_who_annotates_the_figure_blind_neither_sends_it_back_nor_reads_why(
    sign_in: SignIn, client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    send(client, home, store)
    blind = sign_in("rev2")
    for action, fields in (("send-back", {"annotator": "x own", "reason": "x"}), ("withdraw", {"number": 1})):
        answer = press(blind, action, **fields)
        assert answer.status_code == 403
        assert "Panel B misses" not in answer.text
    assert blind.get(HISTORY).status_code == 403
    assert not listed(blind)
    assert is_open(store) == [True]


def test_other_annotators_do_not_read_the_reason(
    sign_in: SignIn, client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    send(client, home, store)
    other = sign_in("bea")
    assert "Panel B misses" not in other.get("/tasks").text
    assert other.get(f"/api/tasks/{key_of(home, 'f1')}").status_code == 404
    assert other.get(f"/api/tasks/{key_of(home, 'f1', 'bea')}").get_json()["reasons"] == []
    assert press(other, "send-back", annotator="x own", reason="x").status_code == 403


def test_a_renamed_annotator_is_still_to_correct_it(
    client: FlaskClient, ada: FlaskClient, home: Home, store: Store
) -> None:
    send(client, home, store)
    with store.transaction() as tx:
        tx.names.rename("ada", "p-one")
    with store.read() as tx:
        assert [each.figure_id for each in tx.sent_back.open_for("p-one")] == ["f1"]


def test_work_that_was_sent_back_makes_no_gold_until_it_is_corrected(
    client: FlaskClient, home: Home, store: Store
) -> None:
    figure = a_figure("f3")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.tasks.add([Task("f3", name, "own") for name in ("ada", "bea")])
        for name in ("ada", "bea"):
            tx.annotations.add(an_annotation(figure, annotator=name, phase="own"))
    score_disagreement(store, home.campaign)

    def written() -> tuple[bool, bool, bool]:
        """Whether f3 is gold, waits by the rule of gold, and waits in the queue."""
        tally = GoldTally()
        ids = [each.figure.id for each in gold(store, home.campaign, tally)]
        return "f3" in ids, "f3" in tally.waiting, "/figures/f3" in client.get("/?state=waiting&decided=all").text

    assert written() == (True, False, False)
    recipient = returns_of(store, home, "f3").recipients[0]
    send_back(store, home, "f3", "rev1", recipient.key, "own", REASON)
    assert written() == (False, True, True)
    withdraw(store, home, "f3", "rev1", 1)
    assert written() == (True, False, False)


def test_what_is_judged_of_types_and_pairs_is_sent_back_too(tmp_path: Path) -> None:
    home, figure = a_home(tmp_path / "items"), a_qa_figure()
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.annotations.add(judged(figure, verdicts(figure), annotator="Zed", phase="qa"))
            tx.tasks.add([Task(figure.id, "Zed", "qa")])
        (recipient,) = returns_of(store, home, figure.id).recipients
        assert (recipient.called, recipient.phase) == ("Annotator 1", "qa")
        send_back(store, home, figure.id, "rev1", recipient.key, "qa", REASON)
        with store.read() as tx:
            assert [each.reason for each in tx.sent_back.open_for("Zed")] == [REASON]
