"""Whatever is done to a campaign in whatever order: nothing is orphaned, and nothing that was kept is lost."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from adjudicated import decide
from builders import an_annotation
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from PIL import Image

from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import SubfiguresDraft
from annotator.adjudication.history import reopen, restore
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, figure_states, gold, gold_of_figure
from annotator.imports.figures import import_figures
from annotator.imports.replace import revise_figures
from annotator.label_studio.payload.figures import annotation_payload
from annotator.operations.backup import back_up
from annotator.operations.restore import restore as restore_backup
from annotator.operations.store_check import check_campaign
from annotator.queue.pages import stored_states
from annotator.queue.ranking import refresh_waiting, score_disagreement
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.push import push
from label_config import names
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.decision import Decision, FigureState, GoldSource, Reopening
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from tests.label_studio.fake import FakeServer

pytestmark = pytest.mark.slow

FIGURES = ("f1", "f2", "f3")
ANNOTATORS = ("ann1", "ann2")
REVIEWERS = ("rev1", "rev2")
CAPTIONS = ("Fig 1: (A) left lung. (B) right lung.", "Fig 1: (A) left lung, seen anew.", "(A) heart.")

figures, captions = st.sampled_from(FIGURES), st.sampled_from(CAPTIONS)
reviewers, annotators = st.sampled_from(REVIEWERS), st.sampled_from(ANNOTATORS)
tokens = st.frozensets(st.integers(0, 4), max_size=3)


class AnyOrder(RuleBasedStateMachine):
    """A campaign, a server in memory, and what is known to have been kept."""

    template: Path

    def __init__(self) -> None:
        super().__init__()
        self.scratch = Path(tempfile.mkdtemp(prefix="pw-any-"))
        shutil.copytree(self.template, self.scratch / "home-0")
        self.server = FakeServer()
        self.homes = 0
        self.store: Store | None = None
        self._open(self.scratch / "home-0")
        #: What was in the store when it was last looked at: no entry of these may ever go or change.
        self.histories: dict[str, list[Decision | Reopening]] = {}
        self.work: dict[tuple[str, str], list[Annotation]] = {}
        self.revisions: dict[str, list[Figure]] = {}

    def teardown(self) -> None:
        assert self.store is not None
        self.store.close()
        shutil.rmtree(self.scratch)

    def _open(self, folder: Path) -> None:
        if self.store is not None:
            self.store.close()
        self.home = Home.find(folder)
        self.store = self.home.open_store()

    def _ids(self) -> list[str]:
        with self.store.read() as tx:
            return [each.id for each in tx.figures.all()]

    # what may be done

    @rule(given=st.dictionaries(figures, captions, min_size=1), revise=st.booleans())
    def import_records(self, given: dict[str, str], revise: bool) -> None:
        file = self.home.path.parent / "figures.jsonl"
        records = [
            {"figure_id": name, "image": f"{name}-{len(text) % 2}.png", "caption": text}
            for name, text in given.items()
        ]
        file.write_text("".join(json.dumps(each) + "\n" for each in records))
        problems = Problems()
        bring = revise_figures if revise else import_figures
        list(bring(self.home, self.store, file, problems, images=self.template.parent / "pictures"))
        # Without revising, what differs is refused, and told.
        assert all("--revise" in line for line in problems.lines)
        with self.store.transaction() as tx:
            tasks = [Task(name, who, "1") for name in self._ids() for who in ANNOTATORS]
            tx.tasks.add(tasks)
            refresh_waiting(tx, self.home.campaign, tasks)

    @precondition(lambda self: self._ids())
    @rule()
    def push_tasks(self) -> None:
        assert [line for step in push(self.home, self.store, self.server) for line in step.problems] == []

    @precondition(lambda self: self.server.projects())
    @rule(who=annotators, chosen=st.integers(0, 5), words=tokens, again=st.booleans())
    def submit(self, who: str, chosen: int, words: frozenset[int], again: bool) -> None:
        """An annotator submits work on a task as it was pushed, or changes what they submitted."""
        for project in self.server.projects():
            tasks = list(self.server.tasks(project.id))
            if who not in project.title or not tasks:
                continue
            task = tasks[chosen % len(tasks)]
            figure = self._shown(task)
            count = len(figure.caption.tokens)
            drawn = Subfigure("A", Box(0, 0, 30 + chosen, 40), frozenset(each for each in words if each < count))
            payload = annotation_payload(an_annotation(figure, annotator=who, subfigures=(drawn,)))
            if again and task["annotations"]:
                self.server.edit_annotation(task["id"], task["annotations"][0]["id"], result=payload["result"])
            elif not task["annotations"]:
                self.server.add_annotation(task["id"], payload)

    def _shown(self, task: dict[str, Any]) -> Figure:
        name, revision = names.figure_of_source(task["data"][names.DATA_SOURCE])
        with self.store.read() as tx:
            return tx.figures.get(name, revision=revision)

    @precondition(lambda self: self.server.projects())
    @rule(whole=st.booleans())
    def pull_work(self, whole: bool) -> None:
        list(pull(self.home, self.store, self.server, whole=whole))
        score_disagreement(self.store, self.home.campaign)

    @precondition(lambda self: self._ids())
    @rule(reviewer=reviewers, chosen=st.integers(0, 5), status=st.sampled_from(Status), late=st.booleans())
    def settle(self, reviewer: str, chosen: int, status: Status, late: bool) -> None:
        name = self._chosen(chosen)
        version = self._last(name)
        parts = (Panel("A", (0, 0, 30, 40 - chosen), (0,)),)
        draft = SubfiguresDraft(
            version=max(0, version - late), status=status, subfigures=parts, note=f"{version + 1}"
        )
        self._say(late and version > 0, lambda: decide(self.store, self.home, name, reviewer, draft))

    @precondition(lambda self: self._ids())
    @rule(reviewer=reviewers, chosen=st.integers(0, 5))
    def open_again(self, reviewer: str, chosen: int) -> None:
        name = self._chosen(chosen)
        with self.store.read() as tx:
            is_open = tx.decisions.get(name) is None
        self._say(is_open, lambda: reopen(self.store, name, reviewer, loaded=self._last(name)))

    @precondition(lambda self: any(self.histories.values()))
    @rule(reviewer=reviewers, chosen=st.integers(0, 5), back=st.integers(0, 9))
    def bring_back(self, reviewer: str, chosen: int, back: int) -> None:
        settled = sorted(name for name, entries in self.histories.items() if entries)
        name = settled[chosen % len(settled)]
        last = self._last(name)
        version = 1 + back % last
        try:
            restore(self.store, self.home, name, reviewer, version, loaded=last)
        except AnnotatorError:
            assert self._last(name) == last
        else:
            assert self._last(name) == last + 1

    @rule()
    def back_up_and_go_on_with_what_was_restored(self) -> None:
        self.homes += 1
        file, folder = self.scratch / f"{self.homes}.zip", self.scratch / f"home-{self.homes}"
        *_, done = back_up(self.home, file, secret=True)
        assert done.problems == []
        list(restore_backup(file, folder))
        self._open(folder)

    @rule()
    def export(self) -> None:
        """Gold is made of the decisions that hold, and of nothing else where there is one."""
        found = {each.figure.id: each for each in gold(self.store, self.home.campaign, GoldTally())}
        with self.store.read() as tx:
            for name in (each.id for each in tx.figures.all()):
                held = tx.decisions.get(name)
                if held is not None and held.status is Status.ACCEPTED:
                    assert found[name].subfigures == held.subfigures
                    assert found[name].figure == tx.figures.get(name)
                elif held is not None:
                    assert name not in found
                else:
                    assert name not in found or found[name].provenance.source is not GoldSource.ADJUDICATED

    @rule()
    def ask_for_the_gold_of_one_figure(self) -> None:
        """A figure's own gold is that of the whole campaign's, of whichever source."""
        campaign = self.home.campaign
        every = {
            each.figure.id: each for each in gold(self.store, campaign, GoldTally(), include=tuple(GoldSource))
        }
        with self.store.read() as tx:
            for name in (each.id for each in tx.figures.all()):
                assert gold_of_figure(tx, campaign, name) == every.get(name)

    # what always holds

    @invariant()
    def nothing_is_orphaned(self) -> None:
        assert [str(each) for each in check_campaign(self.home, hashes=True)] == []

    @invariant()
    def the_queue_shows_the_states_that_export_and_release_find(self) -> None:
        with self.store.read() as tx:
            found = figure_states(tx, self.home.campaign)
            assert stored_states(tx) == {state: found[state] for state in FigureState}
            assert found.total() == tx.figures.count()

    @invariant()
    def nothing_that_was_kept_is_lost(self) -> None:
        with self.store.read() as tx:
            ids = [each.id for each in tx.figures.all()]
            assert set(self.revisions) <= set(ids)
            for name in ids:
                revisions = tx.figures.revisions(name)
                before = self.revisions.get(name, [])
                assert [each.caption for each in revisions[: len(before)]] == [each.caption for each in before]
                self.revisions[name] = revisions
                history = tx.decisions.history(name)
                assert history[: len(self.histories.get(name, []))] == self.histories.get(name, [])
                self.histories[name] = history
                for who in ANNOTATORS:
                    work = tx.annotations.history(name, who, "1")
                    assert all(each in work for each in self.work.get((name, who), []))
                    self.work[name, who] = work

    # how it is done

    def _chosen(self, number: int) -> str:
        ids = self._ids()
        return ids[number % len(ids)]

    def _last(self, name: str) -> int:
        with self.store.read() as tx:
            return tx.decisions.last_version(name)

    def _say(self, refused: bool, act: Any) -> None:
        """Do it; it is refused, in one line, exactly where it should be."""
        if not refused:
            act()
            return
        with pytest.raises(AnnotatorError):
            act()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with people and nothing else, and pictures to import."""
    folder = tmp_path_factory.mktemp("any-order")
    (folder / "pictures").mkdir()
    for name in FIGURES:
        for way, colour in enumerate(("white", "black")):
            Image.new("RGB", (64, 48), colour).save(folder / "pictures" / f"{name}-{way}.png")
    home = Home.create(folder / "home")
    with home.open_store() as store, store.transaction() as tx:
        for name in ANNOTATORS:
            tx.people.put(Person(name, frozenset({Role.ANNOTATOR})))
        for name in REVIEWERS:
            tx.people.put(Person(name, frozenset({Role.REVIEWER})))
    return home.path


def test_any_order_leaves_no_orphan_and_loses_no_revision(template: Path) -> None:
    AnyOrder.template = template
    usual = settings.default
    assert usual is not None
    run_state_machine_as_test(
        AnyOrder,
        settings=settings(
            usual,
            max_examples=max(4, usual.max_examples // 10),
            stateful_step_count=20,
            suppress_health_check=list(HealthCheck),
        ),
    )
