"""The ready campaigns: what they hold, and that they run."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from builders import NOON, a_figure, an_annotation

from annotator.assignment.assign import assign_phase
from annotator.assignment.reassign import release_batch
from annotator.campaign.guidelines import blocks
from annotator.campaign.templates import TEMPLATES, initial_texts
from annotator.cli.campaign.init import TEMPLATE_NAMES
from annotator.dashboards.status import campaign_progress
from annotator.own_tasks.blind_boxes import find_boxes
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, TaskType
from panelwise.domain.decision import REVIEWED, GoldSource
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import QAKind
from panelwise.settings.campaign_toml import read_campaign

START = date(2026, 11, 23)


def campaign_of(name: str) -> Campaign:
    return TEMPLATES[name].campaign("lungs", ("A", "B"), start=START)


#: A pair, so that something can be asked about each figure.
ASKED = {"qa": [{"instance_id": "q", "qa_pair_type": QAKind.UNANSWERABLE.value, "question": "?", "answer": ""}]}


def with_figures(store: Store, count: int) -> None:
    """Figures of documents of one, two, or three figures."""
    with store.transaction() as tx:
        for number in range(count):
            document = f"doc{number // 6 * 3 + (0, 1, 1, 2, 2, 2)[number % 6]}"
            tx.figures.add(
                a_figure(f"f{number:03}", document=document, source={"document": document}, extra=ASKED)
            )


def test_the_command_offers_each_template() -> None:
    assert tuple(TEMPLATES) == TEMPLATE_NAMES


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("start", [None, START])
def test_a_templates_file_reads_back_as_the_campaign(name: str, start: date | None, tmp_path: Path) -> None:
    campaign = TEMPLATES[name].campaign("lungs", ("A", "B"), start=start)
    text = TEMPLATES[name].text(campaign)
    (tmp_path / "campaign.toml").write_text(text, encoding="utf-8")
    assert read_campaign(tmp_path / "campaign.toml").campaign == campaign
    assert text.startswith(f"# {TEMPLATES[name].title}.\n")
    assert all(f"# {note}\n[[phases]]" in text for note in TEMPLATES[name].notes.values())
    assert (start is None) == all(phase.deadline is None for phase in campaign.phases)


@pytest.mark.parametrize("name", ["", *TEMPLATES])
def test_gold_of_a_new_campaign_is_reviewed_unless_single_work_was_asked_for(name: str, tmp_path: Path) -> None:
    for single, sources in ((False, REVIEWED), (True, set(GoldSource))):
        text, _ = initial_texts(name, "lungs", single=single)
        (tmp_path / "campaign.toml").write_text(text, encoding="utf-8")
        assert read_campaign(tmp_path / "campaign.toml").campaign.gold_sources == sources
        assert '\n# ["single"] adds work of fewer annotators, which is not reviewed' in text


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_has_guidelines_that_say_who_may_not_do_the_work(name: str) -> None:
    text = TEMPLATES[name].guidelines()
    assert blocks(text)
    assert "anguage model" in text


@pytest.mark.slow
def test_medicats_two_phases_run(store: Store) -> None:
    campaign = campaign_of("subfigures")
    first, second = campaign.phases
    with_figures(store, 300)
    tasks = assign_phase(store, campaign, first).tasks
    times = Counter(task.figure for task in tasks)
    shared = {figure for figure, count in times.items() if count > 1}
    assert {times[figure] for figure in shared} == {3}
    assert (len(times), len(shared), len(tasks)) == (300, 100, 500)
    assert {task.annotator for task in tasks if task.figure in shared} == {"ann1", "ann2", "ann3"}
    assert Counter(task.annotator for task in tasks) == {f"ann{number}": 100 for number in range(1, 6)}
    blind = assign_phase(store, campaign, second).tasks
    assert Counter(task.annotator for task in blind) == {"rev1": 100, "rev2": 100}
    assert first.deadline == datetime(2026, 12, 21, 18, tzinfo=UTC)
    assert (first.seeded, first.overlap_seeded) == (True, False)
    # The reviewers need nothing but the work of phase 1, whoever did it.
    with store.transaction() as tx:
        for task in tasks:
            tx.annotations.add(an_annotation(tx.figures.get(task.figure), annotator=task.annotator))
        figures = sorted({task.figure for task in blind})
        given = find_boxes(tx, campaign, second, figures)
        assert all(isinstance(given[figure], BlindBoxes) for figure in figures)


@pytest.mark.slow
def test_scivqas_schedule_runs_week_by_week(store: Store) -> None:
    campaign = campaign_of("figure-qa")
    with_figures(store, 2004)
    asked = {phase.name for phase in campaign.phases if phase.asks_for_kind}
    assert asked == {"training", "train", "test"}
    documents = {f"f{number:03}": number // 6 * 3 + (0, 1, 1, 2, 2, 2)[number % 6] for number in range(2004)}
    dealt = {phase.name: assign_phase(store, campaign, phase) for phase in campaign.phases}
    figures = {name: {task.figure for task in each.tasks} for name, each in dealt.items()}
    assert {name: len(each) for name, each in figures.items()} == {
        "training": 4 * 20,
        "train": 4 * 380,
        "test": 4 * 100,
        "human-eval-training": 4 * 20,
        "human-eval": 4 * 80,
        "human-eval-rest": 4 * 20,
    }
    assert {name: each.notes for name, each in dealt.items() if each.notes} == {}
    assert {name: len(each.tasks) for name, each in dealt.items()} == {
        name: len(of) for name, of in figures.items()
    }
    assert figures["human-eval-training"] | figures["human-eval"] == figures["test"]
    assert figures["human-eval-rest"] < figures["train"]
    split = {name: {documents[figure] for figure in figures[name]} for name in ("training", "train", "test")}
    assert sum(map(len, split.values())) == len(set.union(*split.values()))
    weeks = Counter(task.batch for task in dealt["train"].tasks)
    assert weeks == dict.fromkeys(range(1, 6), 4 * 76)
    validated = {(task.figure, task.annotator) for name in ("train", "test") for task in dealt[name].tasks}
    for name in ("human-eval-training", "human-eval", "human-eval-rest"):
        assert not validated & {(task.figure, task.annotator) for task in dealt[name].tasks}
    assert {len({task.annotator for task in dealt[name].tasks}) for name in figures} == {4}
    # A week later: the first batch is done by one, late by the others, and the next one is to be released.
    with store.transaction() as tx:
        for task in dealt["train"].tasks:
            if task.annotator == "ann1" and task.released:
                done = an_annotation(tx.figures.get(task.figure), annotator="ann1", phase="train", subfigures=())
                tx.annotations.add(done)
    state = campaign_progress(store, campaign, now=datetime(2026, 12, 8, tzinfo=UTC))
    (following,) = state.following
    assert (following.phase, following.number, following.early, following.due) == ("train", 2, ("ann1",), True)
    late = {row.annotator: row.late for row in state.rows if row.phase == "train"}
    assert late["ann1"] == 0
    assert sum(late.values()) == 4 * 76 - len(
        [t for t in dealt["train"].tasks if t.batch == 1 and t.annotator == "ann1"]
    )
    release_batch(store, campaign, "train")
    assert campaign_progress(store, campaign, now=NOON).following[0].number == 3


def test_six_annotators_deal_all_3000_figures_of_scivqa() -> None:
    campaign = TEMPLATES["figure-qa"].campaign("Charts", ("A",), annotators=[f"person{n}" for n in range(6)])
    validating = [campaign.phase(name) for name in ("training", "train", "test")]
    assert sum(phase.figures or 0 for phase in validating) == 3000
    assert {phase.overlap for phase in campaign.phases} == {0}


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.slow
def test_scivqas_sizes_are_for_each_annotator(people: int, store: Store) -> None:
    names = [f"person{number}" for number in range(people)]
    campaign = TEMPLATES["figure-qa"].campaign("Charts", ("A",), annotators=names)
    train = campaign.phase("train")
    assert (train.figures, train.batch) == (380 * people, 76 * people)
    sizes = {"training": 20, "test": 100, "human-eval-training": 20, "human-eval": 80, "human-eval-rest": 20}
    assert {name: campaign.phase(name).figures for name in sizes} == {
        name: size * people for name, size in sizes.items()
    }
    with_figures(store, 400 * people)
    tasks = assign_phase(store, campaign, train).tasks
    for number in range(1, 6):
        week = Counter(task.annotator for task in tasks if task.batch == number)
        assert sum(week.values()) == 76 * people
        assert all(abs(week[name] - 76) <= 6 for name in names)


@pytest.mark.parametrize("name", ["figure-types", "human-eval"])
def test_the_other_templates_run(name: str, store: Store) -> None:
    campaign = campaign_of(name)
    with_figures(store, 150)
    for phase in campaign.phases:
        done = assign_phase(store, campaign, phase)
        assert done.notes == ()
        assert len({task.figure for task in done.tasks}) == (phase.figures or 150)
        assert phase.task_type in (TaskType.FIGURE_TYPES, TaskType.HUMAN_EVAL)


def test_people_are_those_who_were_named() -> None:
    template = TEMPLATES["subfigures"]
    campaign = template.campaign("c", ("A",), annotators=("x", "y"), reviewers=("z",))
    assert campaign.phases[0].annotators == ("x", "y")
    assert campaign.phases[0].overlap_annotators == ()
    assert campaign.annotators_of(campaign.phases[1]) == ("z",)
    with pytest.raises(InvalidAnnotation, match='annotators has "x" twice'):
        template.campaign("c", ("A",), annotators=("x", "x"))
