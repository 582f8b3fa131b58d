"""What has become of each figure: the same in the queue, on the dashboard, in status, export and release."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape

import pytest
from builders import a_decision, a_figure, an_annotation
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, PASSWORD, a_draft, post_login, save
from web.conftest import SignIn

from annotator.adjudication.history import reopen
from annotator.assignment.assign import assign
from annotator.assignment.reassign import withdraw
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import figure_states
from annotator.operations.store_check import repair_queue
from annotator.queue.pages import stored_states
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Task
from panelwise.domain.decision import Awaits, FigureState
from tests.cli.test_commands import annotator

ONE, TWO, _ = ANNOTATORS
ALL = (
    "1 adjudicated, 1 unanimous, 1 single, 2 unresolved, 1 awaiting, 1 waiting, 2 rejected, 1 revised, 1 untouched"
)


@pytest.fixture
def every_state(home: Home, store: Store) -> Store:
    """Of f1 (annotators differ) and f2 (they agree), and of nine more, at least one in each state."""
    names = ("adjudicated", "single", "awaiting", "put-off", "rejected", "rejected-by-all", "waiting", "revised")
    with store.transaction() as tx:
        for name in (*names, "untouched"):
            tx.figures.add(a_figure(name))
        for name in names:
            rejected = name == "rejected-by-all"
            more = {"status": Status.REJECTED, "subfigures": ()} if rejected else {}
            tx.annotations.add(an_annotation(a_figure(name), annotator=ONE, **more))
        tx.decisions.add(a_decision(a_figure("adjudicated")))
        tx.decisions.add(a_decision(a_figure("awaiting"), awaits=Awaits.SECOND))
        tx.decisions.add(a_decision(a_figure("put-off"), status=Status.IGNORED))
        tx.decisions.add(a_decision(a_figure("rejected"), status=Status.REJECTED))
        tx.tasks.add([Task("waiting", TWO, "1"), Task("untouched", TWO, "1")])
        tx.figures.replace(a_figure("revised", caption="Another."))
    score_disagreement(store, home.campaign)
    return store


def on_page(client: FlaskClient, address: str) -> str:
    """The line with the status on a page."""
    found = re.search(r'<p[^>]* id="status">(.*?)</p>', client.get(address).text)
    assert found is not None, address
    line = unescape(re.sub(r"<span.*?</span> ", "", found[1]))
    # Pages add whom a figure waits for.
    for state in FigureState:
        line = line.replace(state.phrase, state.value)
    return line


def in_output(text: str) -> str:
    """The line with the status in a command's output."""
    found = re.search(r"status of [0-9]+ figures?: (.*)", text)
    assert found is not None, text
    return found[1]


def the_five(home: Home, lead: FlaskClient, reviewer: FlaskClient, name: str) -> dict[str, str]:
    """The status as the five say it. name: of the release."""
    status = annotator("status", home=home.path)
    export = annotator("export", "gold", "--out", home.path / "gold.jsonl", home=home.path)
    release = annotator("release", name, home=home.path)
    assert (status.returncode, export.returncode, release.returncode) == (0, 0, 0), release.stderr
    counted = json.loads(annotator("status", "--json", home=home.path).stdout)["status"]
    [manifest] = (home.path / "releases").glob(f"*-{name}/manifest.json")
    assert counted == json.loads(manifest.read_text(encoding="utf-8"))["status"]
    assert list(counted) == [state.value for state in FigureState]
    return {
        "queue": on_page(reviewer, "/"),
        "dashboard": on_page(lead, "/dashboard"),
        "status": in_output(status.stdout),
        "export": in_output(export.stdout),
        "release": in_output(release.stdout),
        "status --json": ", ".join(f"{number} {state}" for state, number in counted.items() if number),
    }


@pytest.mark.slow
def test_queue_dashboard_status_export_and_release_say_the_same_of_every_state(
    home: Home, every_state: Store, sign_in: SignIn
) -> None:
    lead, reviewer = sign_in("lead"), sign_in("rev1")
    said = the_five(home, lead, reviewer, "first")
    assert said == dict.fromkeys(said, ALL)
    save(reviewer, figure="single")
    save(reviewer, figure="untouched")
    reopen(every_state, "adjudicated", "rev1", loaded=1)
    withdraw(every_state, home.campaign, "1")
    said = the_five(home, lead, reviewer, "second")
    now = "2 adjudicated, 1 unanimous, 2 single, 2 unresolved, 1 awaiting, 2 rejected, 1 revised"
    assert said == dict.fromkeys(said, now)


@pytest.mark.slow
def test_what_queue_and_dashboard_show_follows_every_change(
    home: Home, every_state: Store, client: FlaskClient
) -> None:
    campaign = home.campaign

    def check(name: str, expected: FigureState) -> None:
        with every_state.read() as tx:
            assert stored_states(tx) == {state: figure_states(tx, campaign)[state] for state in FigureState}
            assert tx.queue.states([name]).get(name, FigureState.UNTOUCHED) is expected

    check("single", FigureState.SINGLE)
    assign(every_state, [ONE, TWO], overlap=99, phase="1", campaign=campaign)
    check("single", FigureState.WAITING)
    check("adjudicated", FigureState.ADJUDICATED)
    withdraw(every_state, campaign, "1")
    check("single", FigureState.SINGLE)
    with every_state.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("single"), annotator=TWO))
    score_disagreement(every_state, campaign, ["single"])
    check("single", FigureState.UNANIMOUS)
    save(client, a_draft(status="rejected", subfigures=[]), figure="single")
    check("single", FigureState.REJECTED)
    reopen(every_state, "single", "rev1", loaded=1)
    check("single", FigureState.UNANIMOUS)
    save(client, figure="untouched")
    check("untouched", FigureState.ADJUDICATED)
    reopen(every_state, "untouched", "rev1", loaded=1)
    check("untouched", FigureState.UNTOUCHED)
    save(client, a_draft(version=2), figure="untouched")
    with every_state.transaction() as tx:
        tx.figures.replace(a_figure("untouched", caption="Another."))
    score_disagreement(every_state, campaign, ["untouched"])
    check("untouched", FigureState.REVISED)
    repair_queue(home, every_state)
    check("untouched", FigureState.REVISED)


def test_fewer_annotators_than_the_quorum_are_single_however_many_agree(home: Home, every_state: Store) -> None:
    for quorum, expected in ((1, FigureState.UNANIMOUS), (2, FigureState.UNANIMOUS), (3, FigureState.SINGLE)):
        campaign = replace(home.campaign, quorum=quorum)
        score_disagreement(every_state, campaign)
        with every_state.read() as tx:
            assert tx.queue.states(["f2"]) == {"f2": expected}
            assert tx.queue.states(["single"]) == {"single": FigureState.SINGLE}


def test_a_reviewer_who_annotates_blind_is_shown_no_state_of_what_is_hidden(
    home: Home, every_state: Store, client: FlaskClient
) -> None:
    settings = home.path / "campaign.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8")
        + '[[phases]]\nname = "2"\nblind = true\ngiven = "gold"\nreviewers = ["rev1"]\n',
        encoding="utf-8",
    )
    with every_state.transaction() as tx:
        tx.tasks.add([Task("f2", "rev1", "2"), Task("single", "rev1", "2")])
    app = create_app(Home.find(home.path), every_state)
    blind = app.test_client()
    post_login(blind, "rev1", PASSWORD)
    assert on_page(blind, "/") == "1 adjudicated, 2 unresolved, 1 awaiting, 1 waiting, 2 rejected, 1 revised"
