"""A whole campaign as MedICaT was made, through the real Label Studio: from figures and captions to gold.

Five people annotate figures, a third of them shared by three; a lead settles what differs; two reviewers write the
subcaptions of that third anew, blind. The people are simulated, everything that they work with is real.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotator.campaign.home import Home
from annotator.demo.annotators import simulate
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import label_studio
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation
from panelwise.domain.campaign import Role
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations, rebased
from tests.live.campaigns.acting import Person, run, set_in, view

pytestmark = [pytest.mark.live, pytest.mark.slow]

PEOPLE = ("ada", "ben", "cho", "dan", "eve")
REVIEWERS = ("rev1", "rev2")
SHARING = set(PEOPLE[:3])
#: Figures, and how many of them are shared (with --soak, in the default run).
WHOLE, SHORT = (60, 20), (12, 4)


@pytest.fixture(scope="module")
def figures(request: pytest.FixtureRequest) -> int:
    return (WHOLE if request.config.getoption("--soak") else SHORT)[0]


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> int:
    return (WHOLE if request.config.getoption("--soak") else SHORT)[1]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, figures: int, shared: int) -> Home:
    """The campaign with its figures, pre-labelled and dealt out; the truth is in drawn/annotations.jsonl."""
    folder = tmp_path_factory.mktemp("medicat")
    run("prelabel", "synth", "--out", folder / "drawn", "--figures", figures, "--difficulty", "easy")
    path = folder / "campaign"
    run(
        *("annotator", "init", path, "--template", "subfigures", "--labels", ",".join("ABCDEFGHIJKL")),
        *("--annotators", ",".join(PEOPLE), "--reviewers", ",".join(REVIEWERS)),
    )
    set_in(path / "campaign.toml", overlap=str(shared), figures=str(shared))
    run("annotator", "import", "figures", folder / "drawn" / "figures.jsonl", home=path)
    run("prelabel", "run", home=path)
    run("annotator", "assign", "--phase", "1", home=path)
    return Home.find(path)


def truths(home: Home, store: Store) -> dict[str, Annotation]:
    """What is right, by figure."""
    problems = Problems()
    file = home.path.parent / "drawn" / "annotations.jsonl"
    with store.read() as tx:
        found = {
            each.figure.id: rebased(each, tx.figures.get(each.figure.id))
            for each in read_annotations(file, problems)
        }
    assert problems.count == 0
    return found


def settle(lead: Person, figure: str) -> None:
    """Take what the screen proposes, as Enter does after a look at it."""
    state = lead.get(f"/api/figures/{figure}")
    chosen = [each for each in state["candidates"] if each["preselected"]] or state["candidates"]
    body = {
        "version": state["version"],
        "status": "accepted",
        "subfigures": [{key: each[key] for key in ("label", "box", "tokens")} for each in chosen],
        "seconds": 20,
    }
    lead.post(f"/api/figures/{figure}/decision?revision={state['revision']}", state["csrf"], body)


def write_blind(reviewer: Person, key: str, truth: dict[str, Annotation], slips: int) -> dict[str, Any]:
    """Write the subcaptions of a blind task as they are, the first of every few with half of a text left out."""
    state = reviewer.get(f"/api/blind/{key}")
    right = next(each for each in truth.values() if each.figure.caption.text == state["caption"]["text"])
    by_label = {each.label: sorted(each.subcaption) for each in right.subfigures}
    texts = [by_label.get(each["label"], []) for each in state["given"]]
    if state["place"] % slips == 0 and texts:
        texts[0] = texts[0][: len(texts[0]) // 2]
    body = {"version": state["version"], "status": "accepted", "texts": texts, "seconds": 30}
    saved: dict[str, Any] = reviewer.post(f"/api/blind/{key}?revision={state['revision']}", state["csrf"], body)
    return saved


def test_figures_of_five_people_become_gold(home: Home, figures: int, shared: int, tmp_path: Path) -> None:
    with home.open_store() as store:
        with store.read() as tx:
            doers = Counter(task.figure for task in tx.tasks.all(phase="1"))
            of_all = {task.annotator for task in tx.tasks.all(phase="1") if doers[task.figure] > 1}
        assert Counter(doers.values()) == {1: figures - shared, len(SHARING): shared}
        assert of_all == SHARING
        truth = truths(home, store)

        with label_studio(home.path) as studio, LabelStudioServer(studio.url, studio.token) as server:
            run("annotator", "push", home=home.path)
            with store.read() as tx:
                links = [link for name in PEOPLE for link in tx.links.all(annotator=name, phase="1")]
            for link in links:
                work = simulate(truth[link.figure_id], annotator=link.annotator, phase="1")
                server.submit(link.task_id, work, home.campaign.phase("1"))
            run("annotator", "pull", home=home.path)
            again = run("annotator", "pull", home=home.path)
        assert "0 annotations added" in again

        status = json.loads(run("annotator", "status", "--json", home=home.path))
        assert {row["annotator"]: row["open"] for row in status["annotators"]} == dict.fromkeys(PEOPLE, 0)
        first = json.loads(run("agreement", "report", "--phase", "1", "--format", "json", home=home.path))
        assert first["iaa"] > 0.8
        assert {pair["gold"] for pair in first["pairs"] if pair["counted"]} == SHARING

        with view(home, store) as enter:
            lead = enter("lea", Role.LEAD)
            for figure in truth:
                settle(lead, figure)
            run("annotator", "assign", "--phase", "2", home=home.path)
            for number, name in enumerate(REVIEWERS):
                reviewer = enter(name, Role.REVIEWER)
                blind(reviewer, truth, shared, slips=3 + number)
        second = json.loads(run("agreement", "report", "--phase", "2", "--format", "json", home=home.path))
        assert {pair["gold"] for pair in second["pairs"]} == set(REVIEWERS)
        assert 0.9 < second["iaa"] < 1.0

    gold = tmp_path / "gold.jsonl"
    run("annotator", "export", "gold", "--out", gold, home=home.path)
    records = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    assert len(records) == figures
    assert {each["provenance"]["source"] for each in records} == {"adjudicated"}
    right = home.path.parent / "drawn" / "annotations.jsonl"
    score = json.loads(run("agreement", "compare", right, gold, "--format", "json"))
    assert score["score"] > 0.9
    fresh = tmp_path / "again"
    run("annotator", "init", fresh)
    run("annotator", "import", "figures", home.path.parent / "drawn" / "figures.jsonl", home=fresh)
    run("annotator", "import", "annotations", gold, "--from", "medicat", home=fresh)
    same = json.loads(run("agreement", "compare", gold, fresh, "--format", "json"))
    assert same["score"] == 1.0


def blind(reviewer: Person, truth: dict[str, Annotation], shared: int, slips: int) -> None:
    """All of a reviewer's blind tasks, from the first of the list to handing in."""
    listed = reviewer.page("/blind")
    keys = list(dict.fromkeys(each for each in _keys(listed)))
    assert len(keys) == shared
    for key in keys:
        done = write_blind(reviewer, key, truth, slips)
    assert done["written"] == done["total"] == shared
    listed = reviewer.page("/blind")
    reviewer.submit("/blind/hand-in", listed, phase="2", done="yes")


def _keys(page: str) -> list[str]:
    return re.findall(r'href="/blind/([^"/?]+)"', page)
