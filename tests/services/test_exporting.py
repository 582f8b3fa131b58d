from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation

from annotator.consensus.differences import nothing_differs
from annotator.consensus.gold_rule import GoldTally, from_annotations, from_decision, gold
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase, Task, TaskType
from panelwise.domain.decision import REVIEWED, FigureState, Gold, GoldSource
from panelwise.domain.items import FigureKind, Items

CAMPAIGN = Campaign("c", (Phase("1"), Phase("2"), Phase("types", TaskType.FIGURE_TYPES)), ("A", "B"))
RIGHT = a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))


def exported(
    store: Store,
    *work: Annotation,
    tasks: tuple[Task, ...] = (),
    include: Collection[GoldSource] = tuple(GoldSource),
) -> tuple[list[Gold], GoldTally]:
    """What is exported of a store that holds that work and those tasks, single work too."""
    with store.transaction() as tx:
        for figure in dict.fromkeys(each.figure for each in work):
            tx.figures.add(figure)
        for each in work:
            tx.annotations.add(each)
        tx.tasks.add(tasks)
    tally = GoldTally()
    return list(gold(store, CAMPAIGN, tally, include=include)), tally


def three(**change: Any) -> list[object]:
    return [an_annotation(annotator=f"ann{n}", minutes=n, **change) for n in (1, 2, 3)]


def test_annotators_who_all_agree_make_gold_of_the_median_boxes() -> None:
    boxes = [(0, 0, 400, 600), (2, 0, 404, 600), (4, 0, 402, 600)]
    annotations = [
        an_annotation(annotator=f"ann{n}", minutes=n, subfigures=(a_subfigure("A", box=box),))
        for n, box in enumerate(boxes)
    ]
    made = from_annotations(annotations)
    assert made is not None
    assert made.provenance.source is GoldSource.UNANIMOUS
    assert made.provenance.based_on == ("ann0", "ann1", "ann2")
    assert made.subfigures[0].box.as_list() == [2, 0, 402, 600]


@pytest.mark.parametrize(
    "third",
    [
        an_annotation(annotator="ann3", subfigures=(a_subfigure("A"),)),
        an_annotation(annotator="ann3", subfigures=(a_subfigure("A"), a_subfigure("C", box=(400, 0, 800, 600)))),
        an_annotation(
            annotator="ann3",
            subfigures=(
                a_subfigure("A", tokens=[4]),
                a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)),
            ),
        ),
        an_annotation(
            annotator="ann3",
            subfigures=(a_subfigure("A"), a_subfigure("B", box=(700, 0, 800, 600), tokens=(10, 12, 13))),
        ),
        an_annotation(annotator="ann3", status=Status.REJECTED, subfigures=()),
    ],
)
def test_a_difference_in_panel_label_text_box_or_status_leaves_a_figure_unresolved(third: object) -> None:
    assert from_annotations([an_annotation(), an_annotation(annotator="ann2")]) is not None
    assert from_annotations([an_annotation(), an_annotation(annotator="ann2"), third]) is None


def test_one_annotator_alone_makes_single_gold_unless_labels_repeat() -> None:
    made = from_annotations([an_annotation()])
    assert made is not None
    assert made.provenance.source is GoldSource.SINGLE
    assert from_annotations([an_annotation(subfigures=(a_subfigure(), a_subfigure()))]) is None


def test_gold_needs_a_reviewer_or_as_many_annotators_as_the_quorum(store: Store) -> None:
    alone, pair = a_figure("alone"), a_figure("pair")
    work = [an_annotation(alone), *(an_annotation(pair, annotator=name) for name in ("ann1", "ann2"))]
    found, tally = exported(store, *work, include=REVIEWED)
    assert [each.figure.id for each in found] == ["pair"]
    assert tally.single == ["alone"]
    for quorum, written in ((1, ["pair"]), (2, ["pair"]), (3, [])):
        tally = GoldTally()
        made = list(gold(store, replace(CAMPAIGN, quorum=quorum), tally))
        assert [each.figure.id for each in made] == written
        assert tally.single == sorted({"alone", "pair"} - set(written))
        assert tally.states.total() == 2


def test_a_campaign_may_include_single_work(store: Store) -> None:
    exported(store, an_annotation())
    including = replace(CAMPAIGN, include=frozenset({GoldSource.SINGLE}))
    [made] = gold(store, including, GoldTally())
    assert made.provenance.source is GoldSource.SINGLE
    assert list(gold(store, including, GoldTally(), include=REVIEWED)) == []


def test_boxes_of_two_with_a_type_of_one_are_single(store: Store) -> None:
    kind = an_annotation(phase="types", minutes=5, subfigures=(), items=Items(kind=FigureKind(compound=True)))
    _, tally = exported(store, an_annotation(), an_annotation(annotator="ann2"), kind)
    assert tally.states == {FigureState.SINGLE: 1}


def test_a_later_phase_supersedes_an_annotators_earlier_work(store: Store) -> None:
    later = an_annotation(phase="2", minutes=5, subfigures=(a_subfigure("A", tokens=[4]),))
    [made], _ = exported(store, later, an_annotation())
    assert made.subfigures == later.subfigures


@pytest.mark.slow
def test_gold_is_of_the_annotations_that_the_reviewer_would_see(store: Store) -> None:
    kind = Items(kind=FigureKind(compound=True, count=2))
    types = an_annotation(phase="types", minutes=5, subfigures=(), items=kind)
    [made], _ = exported(store, an_annotation(), types)
    assert made.subfigures == an_annotation().subfigures
    assert made.items == kind


def test_annotators_who_swapped_two_labels_are_not_unanimous() -> None:
    same = (4, 6, 7)
    straight = (a_subfigure("A", tokens=same), a_subfigure("B", box=(400, 0, 800, 600), tokens=same))
    swapped = (a_subfigure("B", tokens=same), a_subfigure("A", box=(400, 0, 800, 600), tokens=same))
    both = [an_annotation(annotator=name, subfigures=each) for name, each in (("a", straight), ("b", swapped))]
    assert from_annotations(both) is None


@pytest.mark.parametrize("left", [100, 140, 150])
def test_boxes_too_far_apart_for_the_screen_are_too_far_apart_for_gold(left: int) -> None:
    moved = an_annotation(annotator="b", subfigures=(a_subfigure(box=(left, 0, 400, 600)), RIGHT))
    both = [an_annotation(), moved]
    assert (from_annotations(both) is not None) is nothing_differs(both) is (left == 100)


def test_punctuation_that_the_screen_lets_pass_keeps_a_figure_from_being_unanimous() -> None:
    dotted = an_annotation(annotator="b", subfigures=(a_subfigure(tokens=(3, 4, 5, 6, 7)), RIGHT))
    assert nothing_differs([an_annotation(), dotted])
    assert from_annotations([an_annotation(), dotted]) is None


def test_labels_given_twice_never_make_unanimous_gold() -> None:
    twice = (a_subfigure("A"), a_subfigure("A", box=(400, 0, 800, 600)))
    assert from_annotations([an_annotation(annotator=name, subfigures=twice) for name in "ab"]) is None


def test_work_beside_that_of_one_who_passed_the_figure_over_is_not_resolved(store: Store) -> None:
    passed = an_annotation(annotator="ann2", status=Status.IGNORED, subfigures=())
    made, tally = exported(store, an_annotation(), passed)
    assert made == []
    assert tally.unresolved == ["f1"]


@pytest.mark.parametrize("names", [("ann1",), ("ann1", "ann2")])
def test_a_figure_waits_until_everyone_it_was_assigned_to_has_submitted(
    store: Store, names: tuple[str, ...]
) -> None:
    tasks = tuple(Task("f1", name, "1") for name in (*names, "late"))
    made, tally = exported(store, *(an_annotation(annotator=name) for name in names), tasks=tasks)
    assert made == []
    assert (tally.waiting, tally.unresolved) == (["f1"], [])
    [made_now], tally = exported(store, an_annotation(annotator="late"))
    assert made_now.provenance.source is GoldSource.UNANIMOUS
    assert tally.waiting == []


def test_a_figure_waits_for_its_second_phase_but_not_for_one_without_subfigures(store: Store) -> None:
    tasks = (Task("f1", "ann1", "1"), Task("f1", "ann1", "types"))
    assert len(exported(store, an_annotation(), tasks=tasks)[0]) == 1
    assert exported(store, tasks=(Task("f1", "ann1", "2"),))[1].waiting == ["f1"]


def test_a_decision_that_is_older_than_an_annotation_holds_and_is_named(store: Store) -> None:
    exported(store, an_annotation())
    with store.transaction() as tx:
        tx.decisions.add(a_decision(decided_at=NOON + timedelta(minutes=1)))
    made, tally = exported(store)
    assert (len(made), tally.changed) == (1, [])
    made, tally = exported(store, an_annotation(annotator="ann2", minutes=2))
    assert made[0].provenance.source is GoldSource.ADJUDICATED
    assert tally.changed == ["f1"]


def test_a_figure_passed_over_by_all_is_not_resolved() -> None:
    assert from_annotations([an_annotation(status=Status.IGNORED, subfigures=())]) is None


def test_every_figure_is_exported_or_counted(store: Store) -> None:
    figures = {
        name: a_figure(name) for name in ("adjudicated", "single", "unanimous", "open", "rejected", "bare", "off")
    }
    with store.transaction() as tx:
        for figure in figures.values():
            tx.figures.add(figure)
        tx.annotations.add(an_annotation(figures["single"]))
        for name in ("ann1", "ann2"):
            tx.annotations.add(an_annotation(figures["unanimous"], annotator=name))
            tx.annotations.add(
                an_annotation(figures["rejected"], annotator=name, status=Status.REJECTED, subfigures=())
            )
            tx.annotations.add(
                an_annotation(
                    figures["open"],
                    annotator=name,
                    subfigures=(a_subfigure(tokens=[len(name + name[-1]), int(name[-1])]),),
                )
            )
        tx.annotations.add(an_annotation(figures["adjudicated"]))
        decision = a_decision(figures["adjudicated"], subfigures=(a_subfigure("Z"),), note="seen")
        tx.decisions.add(decision)
        tx.decisions.add(a_decision(figures["off"], status=Status.IGNORED, subfigures=()))
    tally = GoldTally()
    records = {each.figure.id: each for each in gold(store, CAMPAIGN, tally, include=tuple(GoldSource))}
    assert set(records) == {"adjudicated", "single", "unanimous"}
    assert records["adjudicated"].subfigures == decision.subfigures
    assert records["adjudicated"].provenance.note == "seen"
    assert tally.exported == dict.fromkeys(GoldSource, 1)
    assert sorted(tally.unresolved) == ["off", "open"]
    assert tally.rejected == ["rejected"]
    assert tally.untouched == 1


def test_three_annotators_of_one_mind_are_exported_whatever_their_order() -> None:
    annotations = three()
    first = from_annotations(annotations)
    assert first == from_annotations(annotations[::-1])
    assert first is not None
    assert replace(first) == first


def test_whose_work_a_decision_rests_on_is_told_in_one_order() -> None:
    for names in (("ann2", "ann1"), ("ann1", "ann2")):
        assert from_decision(a_decision(based_on=names)).provenance.based_on == ("ann1", "ann2")
