"""Label Studio killed, and the way to it cut, amid pushes and pulls: nothing is lost, nothing is there twice."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from builders import a_figure, an_annotation
from conftest import missing
from reliability.cutting import Cable

from annotator.campaign.home import Home
from annotator.label_studio import listing
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.store import Store
from annotator.sync import pull_tasks, push_tasks
from annotator.sync.pull import pull
from annotator.sync.push import push
from label_config import names
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError
from tests.live.label_studio.own_studio import OwnStudio

pytestmark = [pytest.mark.slow, pytest.mark.live]

#: (with --soak, in the default run).
KILLS, CUTS = (8, 1), (40, 4)
#: Tasks that each round adds, and how many are handed over at once.
EACH, STEP = 12, 4
WORK = annotation_payload(an_annotation())


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnStudio]:
    own = OwnStudio(tmp_path_factory.mktemp("faults"))
    try:
        assert own.running.started_here
    except SyncError as error:
        missing(f"no Label Studio: {error}", "see what it says of its environment")
    yield own
    own.stop()


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_tasks, "BATCH", STEP)
    monkeypatch.setattr(pull_tasks, "BATCH", STEP)
    monkeypatch.setattr(listing, "PAGE", STEP)


class Rounds:
    """Each adds tasks, pushes, submits and pulls them, with a fault in between, and once more without."""

    def __init__(self, home: Home, store: Store) -> None:
        self._home, self._store = home, store
        self.figures: set[str] = set()
        self.told = 0

    def begin(self, number: int) -> None:
        """New figures for the annotator."""
        new = [a_figure(f"r{number:03}-{place:02}") for place in range(EACH)]
        with self._store.transaction() as tx:
            tx.figures.add_many(new)
            tx.tasks.add([Task(figure.id, "ann1", "1") for figure in new])
        self.figures |= {figure.id for figure in new}

    def hand_over(self, server: LabelStudioServer) -> int:
        """Push; the project's id."""
        [step] = push(self._home, self._store, server)
        return step.project_id

    def fetch(self, server: LabelStudioServer) -> None:
        """Pull all that was submitted."""
        [step] = pull(self._home, self._store, server)
        assert step.problems == []

    def through(self, fault: Callable[[], object], work: Callable[[LabelStudioServer], object], url: str) -> None:
        """Do `work` while the fault comes; what fails is told as one SyncError."""
        fault()
        with suppress(SyncError), LabelStudioServer(url, self.token) as server:
            work(server)
            return
        self.told += 1

    token = ""

    def submit(self, server: LabelStudioServer, project: int) -> None:
        """Submit whatever is open."""
        for task in list(server.tasks(project)):
            if not task["annotations"]:
                server.add_annotation(task["id"], WORK)

    def check(self, server: LabelStudioServer, project: int) -> None:
        """Each figure has one task there and one annotation here."""
        there = Counter(task["data"][names.DATA_SOURCE] for task in server.tasks(project))
        assert there == Counter(self.figures)
        with self._store.read() as tx:
            here = Counter(each.figure.id for each in tx.annotations.all(annotator="ann1"))
        assert here == Counter(self.figures)


@pytest.fixture
def rounds(tmp_path: Path) -> Iterator[Rounds]:
    home = Home.create(tmp_path / "home", labels=("A", "B", "C"))
    with home.open_store() as store:
        yield Rounds(home, store)


def test_a_way_that_is_cut_costs_nothing(
    studio: OwnStudio, rounds: Rounds, request: pytest.FixtureRequest
) -> None:
    cuts = CUTS[0 if request.config.getoption("--soak") else 1]
    chance = random.Random(5)
    rounds.token = studio.running.token
    cable = Cable(httpx.URL(studio.running.url).port or 80)
    by_cable = f"http://127.0.0.1:{cable.port}"
    try:
        for number in range(cuts // 2):
            rounds.begin(number)
            rounds.through(lambda: cable.cut_after(chance.randrange(9000)), rounds.hand_over, by_cable)
            cable.mend()
            with studio.server() as server:
                project = rounds.hand_over(server)
                rounds.submit(server, project)
            rounds.through(lambda: cable.cut_after(chance.randrange(9000)), rounds.fetch, by_cable)
            cable.mend()
            with studio.server() as server:
                rounds.fetch(server)
                rounds.check(server, project)
    finally:
        cable.close()
    assert rounds.told >= cuts // 3


def test_a_label_studio_that_is_killed_costs_nothing(
    studio: OwnStudio, rounds: Rounds, request: pytest.FixtureRequest
) -> None:
    kills = KILLS[0 if request.config.getoption("--soak") else 1]
    chance = random.Random(6)
    for number in range(kills):
        rounds.begin(number)
        rounds.token = studio.running.token
        killing = threading.Timer(chance.uniform(0.05, 0.8), studio.kill)
        if number % 2:
            with studio.server() as server:
                rounds.submit(server, rounds.hand_over(server))
            rounds.through(killing.start, rounds.fetch, studio.running.url)
        else:
            rounds.through(killing.start, rounds.hand_over, studio.running.url)
        killing.join()
        studio.stop()
        with studio.server() as server:
            project = rounds.hand_over(server)
            rounds.submit(server, project)
            rounds.fetch(server)
            rounds.check(server, project)
