"""Dealing a phase's figures out of a store, as campaign.toml says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from builders import a_figure, a_prediction, an_annotation

from annotator.assignment.assign import assign, assign_phase
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, Person, Phase, Role, TaskType
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import QAKind

#: A pair, so that something can be asked about each figure.
ASKED = {"qa": [{"instance_id": "q", "qa_pair_type": QAKind.UNANSWERABLE.value, "question": "?", "answer": ""}]}


def with_figures(store: Store, count: int, *, documents: int = 0) -> None:
    """Figures f00, f01, ...; documents: so many of them, each with as many figures as another."""
    with store.transaction() as tx:
        for number in range(count):
            document = f"doc{number % documents}" if documents else ""
            tx.figures.add(
                a_figure(f"f{number:02}", document=document, source={"document": document}, extra=ASKED)
            )


def figures_of(store: Store, phase: str) -> set[str]:
    with store.read() as tx:
        return {task.figure for task in tx.tasks.all(phase=phase)}


def test_assigning_again_deals_only_what_is_new(store: Store) -> None:
    with_figures(store, 6)
    assert len(assign(store, ["a", "b"], overlap=2, phase="1")) == 8
    assert assign(store, ["a", "b"], overlap=2, phase="1") == []
    with store.transaction() as tx:
        tx.figures.add(a_figure("f9"))
    (task,) = assign(store, ["a", "b"], overlap=2, phase="1")
    assert task.figure == "f9"
    with store.read() as tx:
        assert {person.name for person in tx.people.all(Role.ANNOTATOR)} == {"a", "b"}


def test_assigning_leaves_what_is_known_of_a_person(store: Store) -> None:
    known = Person("a", frozenset({Role.REVIEWER}), "a@example.org", active=False)
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.people.put(known)
    assign(store, ["a"], overlap=1, phase="1")
    with store.read() as tx:
        assert tx.people.get("a") == Person("a", known.roles | {Role.ANNOTATOR}, known.email, active=False)


def test_a_phase_that_the_campaign_lacks_gets_no_tasks(store: Store) -> None:
    campaign = Campaign("c", (Phase("1"), Phase("2")), ("A",))
    with store.transaction() as tx:
        tx.figures.add(a_figure())
    with pytest.raises(AnnotatorError, match=r'campaign\.toml: has no phase "typo"; .* one of 1, 2 with --phase'):
        assign(store, ["a"], overlap=1, phase="typo", campaign=campaign)
    with store.read() as tx:
        assert (tx.tasks.all(), tx.people.all()) == ([], [])
    assert len(assign(store, ["a"], overlap=1, phase="2", campaign=campaign)) == 1
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(phase="earlier"))
    assert len(assign(store, ["a"], overlap=1, phase="earlier", campaign=campaign)) == 1


def test_nobody_new_bears_a_control_character(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
    with pytest.raises(AnnotatorError, match="control characters"):
        assign(store, ["a\tb"], overlap=1, phase="1")


def test_a_dry_run_plans_what_is_then_done_and_records_nothing(store: Store) -> None:
    with_figures(store, 10)
    phase = Phase("1", annotators=("a", "b"), overlap=3, batch=4)
    campaign = Campaign("c", (phase,), ("A",))
    planned = assign_phase(store, campaign, phase, dry_run=True)
    with store.read() as tx:
        assert (tx.tasks.all(), tx.people.all()) == ([], [])
    done = assign_phase(store, campaign, phase)
    assert done == planned
    with store.read() as tx:
        assert tuple(tx.tasks.all()) == planned.tasks
    shares = done.shares()
    assert [(share.annotator, share.shared, sum(share.batches.values())) for share in shares] == [
        ("a", 3, shares[0].tasks),
        ("b", 3, shares[1].tasks),
    ]
    assert shares[0].seconds == sum(done.efforts[task.figure] for task in done.tasks if task.annotator == "a")


def test_work_is_dealt_by_what_is_predicted_on_a_figure(store: Store) -> None:
    """One figure of many panels weighs as much as several of one."""
    with_figures(store, 8)
    with store.transaction() as tx:
        for number in range(8):
            seed = a_prediction(a_figure(f"f{number:02}", document="", source={"document": ""}))
            one = seed.subfigures[0]
            many = tuple(replace(one, label=f"L{n}") for n in range(30 if number == 0 else 1))
            tx.predictions.put(replace(seed, subfigures=many, scores=(0.5,) * len(many)))
    phase = Phase("1", annotators=("a", "b"), overlap=0)
    done = assign_phase(store, Campaign("c", (phase,), ("A",)), phase)
    assert done.efforts["f00"] == done.efforts["f01"] + 29 * 12
    (alone,) = {task.annotator for task in done.tasks if task.figure == "f00"}
    assert Counter(task.annotator for task in done.tasks)[alone] == 1


def test_phases_that_say_how_many_figures_they_have_draw_others_than_each_other(store: Store) -> None:
    with_figures(store, 30)
    phases = (
        Phase("training", figures=4, annotators=("a", "b")),
        Phase("train", figures=15, annotators=("a", "b"), overlap=0, batch=5),
        Phase("test", figures=10, annotators=("a", "b"), overlap=0),
        Phase("again", figures_of="test", figures=6, annotators=("c",)),
        Phase("rest", figures_of="test", figures=6, annotators=("c",)),
    )
    campaign = Campaign("c", phases, ("A",))
    with pytest.raises(AnnotatorError, match=r'from phase "test", which has none yet; .* --phase test'):
        assign_phase(store, campaign, phases[3])
    notes = [assign_phase(store, campaign, phase).notes for phase in phases]
    drawn = [figures_of(store, phase.name) for phase in phases]
    assert [len(each) for each in drawn] == [4, 15, 10, 6, 4]
    assert len(drawn[0] | drawn[1] | drawn[2]) == 29
    assert drawn[3] | drawn[4] == drawn[2]
    assert notes[:4] == [()] * 4
    assert notes[4] == ("phase rest asks for 6 figures, and there are 4 for it so far",)


def test_a_phase_that_is_short_of_figures_gets_the_rest_when_they_are_imported(store: Store) -> None:
    with_figures(store, 3)
    phase = Phase("1", figures=5, annotators=("a",))
    campaign = Campaign("c", (phase,), ("A",))
    assert "there are 3 for it so far" in assign_phase(store, campaign, phase).notes[0]
    with_figures(store, 9)
    done = assign_phase(store, campaign, phase)
    assert (len(done.tasks), done.notes) == (2, ())


def test_the_figures_of_another_phase_may_be_those_that_were_only_worked_on(store: Store) -> None:
    with_figures(store, 3)
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f01", document="", source={"document": ""}), phase="1"))
    phases = (Phase("1"), Phase("2", figures_of="1", annotators=("a",)))
    done = assign_phase(store, Campaign("c", phases, ("A",)), phases[1])
    assert [task.figure for task in done.tasks] == ["f01"]


def test_a_document_is_in_one_phase_and_with_one_annotator_where_splits_matter(store: Store) -> None:
    with_figures(store, 40, documents=10)
    phases = tuple(
        Phase(name, figures=count, annotators=("a", "b"), overlap=0, by_document=True)
        for name, count in (("train", 22), ("test", 12))
    )
    campaign = Campaign("c", phases, ("A",))
    notes = [assign_phase(store, campaign, phase).notes for phase in phases]
    assert notes == [("phase train gets 20 of 22 figures: whole documents come to no other number",), ()]
    with store.read() as tx:
        tasks = tx.tasks.all()
        documents = {figure.id: figure.document for figure in tx.figures.all()}
    where = {(documents[task.figure], task.phase, task.annotator) for task in tasks}
    assert len(where) == len({document for document, _, _ in where}) == 8
    held = next(each for each in sorted(where) if each[1] == "train")
    with store.transaction() as tx:
        tx.figures.add(a_figure("new", document=held[0], source={"document": held[0]}))
    (task,) = assign_phase(store, campaign, replace(phases[0], figures=21)).tasks
    assert (documents.get(task.figure, held[0]), task.phase, task.annotator) == held


def test_an_overlap_that_is_more_than_there_is_is_told(store: Store) -> None:
    with_figures(store, 2)
    phase = Phase("1", annotators=("a", "b"), overlap=5)
    done = assign_phase(store, Campaign("c", (phase,), ("A",)), phase)
    assert (len(done.tasks), done.notes) == (
        4,
        ("an overlap of 5 is more than there is: all 2 figures are shared",),
    )


@pytest.mark.parametrize(
    ("figures", "note"),
    [
        (0, "there are no figures to assign"),
        (1, "an overlap of 5 is more than there is: the only figure is shared"),
    ],
)
def test_an_overlap_without_figures_or_of_one_is_described_as_such(store: Store, figures: int, note: str) -> None:
    with_figures(store, figures)
    phase = Phase("1", annotators=("a", "b"), overlap=5)
    assert assign_phase(store, Campaign("c", (phase,), ("A",)), phase, dry_run=True).notes == (note,)


def test_an_overlap_is_enlarged_by_what_is_missing_and_nobody_loses_a_figure(store: Store) -> None:
    with_figures(store, 9)
    phase = Phase("1", annotators=("a", "b", "c"), overlap=2, batch=3)
    campaign = Campaign("c", (phase,), ("A",))
    first = assign_phase(store, campaign, phase).tasks
    more = assign_phase(store, campaign, replace(phase, overlap=5), change_overlap=True)
    assert (more.enlarged, len(more.shared), more.notes) == (3, 5, ())
    assert len(more.tasks) == 3 * 2
    with store.read() as tx:
        tasks = tx.tasks.all(phase="1")
    assert {(task.figure, task.annotator, task.batch, task.released) for task in first} <= {
        (task.figure, task.annotator, task.batch, task.released) for task in tasks
    }
    assert sorted(Counter(task.figure for task in tasks).values()) == [1] * 4 + [3] * 5
    assert len({(task.figure, task.batch, task.released) for task in tasks}) == 9
    everything = assign_phase(store, campaign, replace(phase, overlap=300), change_overlap=True)
    assert everything.notes == ("an overlap of 300 is more than there is: all 9 figures are shared",)
    assert (everything.enlarged, len(everything.shared)) == (4, 9)
    with store.read() as tx:
        assert len(tx.tasks.all(phase="1")) == 9 * 3


def test_new_figures_come_to_the_overlap_before_those_that_one_has(store: Store) -> None:
    with_figures(store, 4)
    phase = Phase("1", annotators=("a", "b"), overlap=1)
    campaign = Campaign("c", (phase,), ("A",))
    assign_phase(store, campaign, phase)
    with store.transaction() as tx:
        tx.figures.add(a_figure("new"))
    more = assign_phase(store, campaign, replace(phase, overlap=3), change_overlap=True)
    assert (more.enlarged, len(more.shared)) == (1, 3)
    assert Counter(task.figure for task in more.tasks)["new"] == 2


def test_an_overlap_is_enlarged_by_whole_documents(store: Store) -> None:
    with_figures(store, 12, documents=3)
    phase = Phase("1", annotators=("a", "b"), overlap=0, by_document=True)
    campaign = Campaign("c", (phase,), ("A",))
    assign_phase(store, campaign, phase)
    more = assign_phase(store, campaign, replace(phase, overlap=6), change_overlap=True)
    assert more.notes == ("4 of 6 figures are shared now: whole documents come to no other number",)
    assert len(more.shared) == 4


def test_an_overlap_that_is_not_what_was_asked_for_says_what_to_do(store: Store) -> None:
    with_figures(store, 4)
    phase = Phase("1", annotators=("a", "b"), overlap=2)
    campaign = Campaign("c", (phase,), ("A",))
    assign_phase(store, campaign, phase)
    again = assign_phase(store, campaign, replace(phase, overlap=3))
    assert again.tasks == ()
    assert again.notes == (
        "2 of 3 figures are shared; to share more of those that are assigned already: "
        "annotator assign --phase 1 --overlap 3",
    )


def test_a_lower_overlap_withdraws_what_nobody_has_submitted(store: Store) -> None:
    with_figures(store, 6)
    phase = Phase("1", annotators=("a", "b", "c"), overlap=4)
    campaign = Campaign("c", (phase,), ("A",))
    first = assign_phase(store, campaign, phase)
    twice, once, *_ = sorted(first.shared)
    with store.transaction() as tx:
        for figure, name in ((twice, "a"), (twice, "b"), (once, "c")):
            tx.annotations.add(an_annotation(figure=a_figure(figure), annotator=name))
    fewer = assign_phase(store, campaign, replace(phase, overlap=1), change_overlap=True)
    assert (fewer.shared, fewer.notes, len(fewer.withdrawn)) == (frozenset({twice}), (), 3 * 2)
    with store.read() as tx:
        tasks = tx.tasks.all(phase="1")
    assert sorted(Counter(task.figure for task in tasks).values()) == [1] * 5 + [3]
    assert [task.annotator for task in tasks if task.figure == once] == ["c"]
    again = assign_phase(store, campaign, replace(phase, overlap=1), change_overlap=True)
    assert (again.tasks, again.withdrawn) == ((), ())
    none = assign_phase(store, campaign, replace(phase, overlap=0), change_overlap=True)
    assert none.withdrawn == ()
    assert none.notes[0].startswith("1 figure still shared, 0 wanted: several annotators have submitted them")


def test_the_tasks_of_a_blind_phase_go_to_its_reviewers_the_same_to_each(store: Store) -> None:
    with_figures(store, 5)
    phases = (
        Phase("1", annotators=("a",)),
        Phase("2", figures_of="1", figures=3, blind=True, given="a", reviewers=("r1", "r2")),
    )
    campaign = Campaign("c", phases, ("A",))
    for phase in phases:
        assign_phase(store, campaign, phase)
    with store.read() as tx:
        mine, theirs = ({task.figure for task in tx.tasks.all(phase="2", annotator=name)} for name in ("r1", "r2"))
        assert mine == theirs
        assert len(mine) == 3
        assert {person.name for person in tx.people.all(Role.REVIEWER)} == {"r1", "r2"}
        assert {person.name for person in tx.people.all(Role.ANNOTATOR)} == {"a"}


def test_nobody_answers_questions_that_they_validated_while_somebody_else_can(store: Store) -> None:
    with_figures(store, 12)
    phases = (
        Phase("qa", TaskType.FIGURE_QA, annotators=("a", "b"), overlap=0),
        Phase("human", TaskType.HUMAN_EVAL, annotators=("a", "b"), overlap=0, figures_of="qa"),
    )
    campaign = Campaign("c", phases, ("A",))
    first, second = (assign_phase(store, campaign, phase) for phase in phases)
    validated = {(task.figure, task.annotator) for task in first.tasks}
    assert not validated & {(task.figure, task.annotator) for task in second.tasks}
    assert second.notes == ()
    # Alone, somebody has no choice.
    alone = replace(phases[1], name="alone", annotators=("a",))
    told = assign_phase(store, replace(campaign, phases=(*phases, alone)), alone).notes
    assert told == ("12 tasks with an annotator who has the figure in another phase",)


def test_an_overlap_that_whole_documents_do_not_come_to_is_told(store: Store) -> None:
    with_figures(store, 12, documents=3)
    phase = Phase("1", annotators=("a", "b"), overlap=6, by_document=True)
    done = assign_phase(store, Campaign("c", (phase,), ("A",)), phase)
    assert done.notes == ("4 of 6 figures are shared now: whole documents come to no other number",)
    assert sum(count > 1 for count in Counter(task.figure for task in done.tasks).values()) == 4


def test_a_disabled_person_who_gets_tasks_is_told(store: Store) -> None:
    with_figures(store, 2)
    with store.transaction() as tx:
        tx.people.put(Person("a", frozenset({Role.ANNOTATOR}), active=False))
    phase = Phase("1", annotators=("a", "b"), overlap=0)
    done = assign_phase(store, Campaign("c", (phase,), ("A",)), phase)
    assert done.notes == ('"a" is disabled, and gets tasks all the same',)


def test_figures_that_nothing_can_be_asked_about_are_counted_in_a_warning(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("asked", extra=ASKED))
        for name in ("bare", "empty"):
            tx.figures.add(a_figure(name))
    for task_type, warned in (
        (TaskType.FIGURE_QA, True),
        (TaskType.HUMAN_EVAL, True),
        (TaskType.FIGURE_TYPES, False),
    ):
        phase = Phase("p", task_type, annotators=("ada",))
        notes = assign_phase(store, Campaign("", (phase,), ()), phase, dry_run=True).notes
        assert any(note.startswith("2 figures without question-answer pairs") for note in notes) is warned
