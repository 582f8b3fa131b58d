"""What is stored of each figure in the queue, and that it is kept current."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation

from agreement.report.summary import report_on
from agreement.score.losses import Loss
from annotator.consensus import differences
from annotator.queue import ranking
from annotator.queue.ranking import (
    KINDS,
    Further,
    cut_words,
    queue_agreement,
    score_disagreement,
    score_where_needed,
)
from annotator.store.rows.records import Facet, QueueCounts, Sought
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.items import FigureKind, Items

CAMPAIGN = Campaign("c", (Phase("1"), Phase("2"), Phase("qa", TaskType.FIGURE_QA)), ("A", "B"))
LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open("sqlite://", create=True) as store:
        yield store


def submit(store: Store, *annotations: Annotation) -> None:
    with store.transaction() as tx:
        for annotation in annotations:
            tx.figures.add(annotation.figure)
            tx.annotations.add(annotation)
    score_disagreement(store, CAMPAIGN)


def two(figure: str, mine: Any, theirs: Any, **more: Any) -> list[Annotation]:
    """Two annotators' work on a figure: their subfigures."""
    return [
        an_annotation(a_figure(figure), annotator=name, subfigures=drawn, **more)
        for name, drawn in (("ann1", mine), ("ann2", theirs))
    ]


A = a_subfigure("A", box=LEFT, tokens=(4, 6, 7))
B = a_subfigure("B", box=RIGHT, tokens=(10, 12, 13))

DIFFERENCES = {
    Loss.NO_BOX: ((A, B), (A,)),
    Loss.WRONG_BOX: ((A,), (a_subfigure("A", box=(300, 0, 700, 600), tokens=(4, 6, 7)),)),
    Loss.OTHER_PANEL: (
        (A, B),
        (a_subfigure("A", box=LEFT, tokens=(10, 12, 13)), a_subfigure("B", box=RIGHT, tokens=(4, 6, 7))),
    ),
    Loss.BOUNDARY: ((A,), (a_subfigure("A", box=LEFT, tokens=(4, 6)),)),
    Further.DRAWN: ((A,), (a_subfigure("C", box=LEFT, tokens=(4, 6, 7)),)),
    Further.PUNCTUATION: ((A,), (a_subfigure("A", box=LEFT, tokens=(4, 6, 7, 8)),)),
}


@pytest.mark.parametrize("kind", DIFFERENCES, ids=str)
def test_the_greatest_cause_of_disagreement_is_stored(store: Store, kind: str) -> None:
    mine, theirs = DIFFERENCES[kind]
    submit(store, *two("f1", mine, theirs), *two("f2", (A, B), (A, B)))
    with store.read() as tx:
        entries = tx.queue.entries(["f1", "f2"])
        assert [entry.figure_id for entry in tx.queue.page(Sought(((Facet.LOSS, str(kind)),)))] == ["f1"]
        assert [entry.figure_id for entry in tx.queue.page(Sought(((Facet.AGREED, ""),)))] == ["f2"]
    assert (entries["f1"].loss, entries["f2"].loss) == (kind, None)
    assert kind in KINDS


def test_two_who_agree_on_nothing_score_near_zero_and_come_first(store: Store) -> None:
    nowhere = a_subfigure("X", box=(0, 500, 100, 600), tokens=(12, 13))
    nothing_alike = two("f9", (A, B), (nowhere,))
    almost = two("f1", (A, B), (A, a_subfigure("B", box=RIGHT, tokens=(10, 12))))
    alike = two("f2", (A, B), (A, B))
    submit(store, *alike, *almost, *nothing_alike)
    with store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page(Sought())] == ["f9", "f1", "f2"]
    # Every measure says so, that of panels below what chance would give.
    report = report_on([*nothing_alike, *two("f8", (B,), (A,))])
    assert report.iaa == pytest.approx(0.0, abs=0.01)
    assert report.macro == pytest.approx(0.0, abs=0.01)
    assert report.boxes.f1(0.5) == pytest.approx(0.0, abs=0.01)
    assert report.panels.detection is not None
    assert report.panels.detection <= 0.0
    assert (report.panels.label, report.panels.localisation) == (None, None)
    assert report.panels.label_reason
    assert report.panels.localisation_reason


def test_who_kept_and_who_rejected_a_figure_and_what_items_say_are_causes_too(store: Store) -> None:
    kept = two("f1", (A,), (A,))[0]
    rejected = an_annotation(a_figure("f1"), annotator="ann2", status=Status.REJECTED)
    typed = two("f2", (A,), (A,))
    items = Items(FigureKind(None, 3, frozenset(), ""), (), ())
    typed[0] = an_annotation(a_figure("f2"), annotator="ann1", subfigures=(A,), items=items)
    submit(store, kept, rejected, *typed)
    with store.read() as tx:
        assert {name: entry.loss for name, entry in tx.queue.entries(["f1", "f2"]).items()} == {
            "f1": Further.STATUS,
            "f2": Further.ITEMS,
        }
        assert (Facet.AGREED, "") not in tx.queue.facet_counts()


def test_full_agreement_takes_as_many_as_the_quorum_and_may_be_to_reject(store: Store) -> None:
    rejected = [
        an_annotation(a_figure("f1"), annotator=name, status=Status.REJECTED, subfigures=())
        for name in ("ann1", "ann2")
    ]
    submit(store, *rejected, an_annotation(a_figure("f2")))
    with store.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page(Sought(((Facet.AGREED, ""),)))] == ["f1"]
    score_disagreement(store, Campaign("c", CAMPAIGN.phases, CAMPAIGN.labels, quorum=3))
    with store.read() as tx:
        assert tx.queue.page(Sought(((Facet.AGREED, ""),))) == []


def test_figures_measured_together_score_as_each_does_alone(store: Store) -> None:
    works = {
        "f1": [*two("f1", (A, B), (A,)), an_annotation(a_figure("f1"), annotator="ann3", subfigures=(B,))],
        "f2": two("f2", (A,), (a_subfigure("A", box=LEFT, tokens=(4, 6)),)),
        "f3": two("f3", (a_subfigure("A", tokens=()),), (a_subfigure("A", tokens=()),)),
        "f4": two("f4", (a_subfigure("A", tokens=()),), ()),
        "f5": [an_annotation(a_figure("f5"))],
        "f6": [
            an_annotation(a_figure("f6"), annotator="ann1", status=Status.IGNORED, subfigures=()),
            an_annotation(a_figure("f6"), annotator="ann2"),
        ],
    }
    submit(store, *(each for work in works.values() for each in work))
    with store.read() as tx:
        entries = tx.queue.entries(list(works))
    for name, work in works.items():
        judges = [each for each in work if each.status is not Status.IGNORED]
        alone = ranking.ALONE if len(judges) < 2 else queue_agreement(judges)
        assert entries[name].agreement == (None if alone is None else pytest.approx(alone)), name


def test_phases_and_annotators_are_stored_and_new_work_changes_them(store: Store) -> None:
    submit(store, *two("f1", (A, B), (A,)))
    submit(store, an_annotation(a_figure("f1"), annotator="ann3", phase="2", subfigures=(A,), minutes=1))
    submit(store, an_annotation(a_figure("f1"), annotator="ann2", subfigures=(A, B), minutes=2))
    with store.read() as tx:
        entry = tx.queue.entries(["f1"])["f1"]
        assert (entry.annotators, entry.phases, entry.loss) == (3, ("1", "2"), Loss.NO_BOX)
        assert tx.queue.counts(Facet.ANNOTATOR, "ann3") == QueueCounts(1, 0)
    submit(store, an_annotation(a_figure("f1"), annotator="ann3", phase="2", subfigures=(A, B), minutes=3))
    with store.read() as tx:
        assert tx.queue.entries(["f1"])["f1"].loss is None
        assert tx.queue.facet_counts().keys() >= {(Facet.AGREED, "")}


def test_work_in_a_phase_that_asks_for_something_else_does_not_count_but_its_phase_is_found(store: Store) -> None:
    answered = an_annotation(a_figure("f1"), annotator="ann3", phase="qa", subfigures=())
    submit(store, *two("f1", (A,), (A,)), answered)
    with store.read() as tx:
        assert tx.queue.entries(["f1"])["f1"].annotators == 2
        assert tx.queue.counts(Facet.PHASE, "qa") == QueueCounts(1, 0)


def test_nothing_is_measured_anew_where_nothing_has_come_in(store: Store) -> None:
    submit(store, *two("f1", (A,), (A,)))
    assert score_where_needed(store, CAMPAIGN) == 0
    with store.transaction() as tx:
        tx.decisions.add(a_decision())
    assert score_where_needed(store, CAMPAIGN) == 0
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann3"))
    assert score_where_needed(store, CAMPAIGN) == 1
    assert score_where_needed(store, CAMPAIGN) == 0
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", caption="Another."))
    assert score_where_needed(store, CAMPAIGN) == 1
    assert score_where_needed(store, Campaign("c", CAMPAIGN.phases, (), quorum=3)) == 1


def test_a_queue_of_an_older_program_is_measured_once(store: Store) -> None:
    submit(store, *two("f1", (A,), (A, B)))
    with store.transaction() as tx:
        tx.settings.put(ranking.SCORED, "0 of another way")
    assert score_where_needed(store, CAMPAIGN) == 1


def test_words_are_cut_alike_whatever_their_form() -> None:
    assert cut_words("Fig_1: Left-lung LUNG ﬁbrosis × 25µm 😀 (a)") == (
        *("fig", "1", "left", "lung", "fibrosis", "25μm", "a"),
    )
    assert cut_words("肺 שלום") == ("肺", "שלום")
    assert cut_words('" * ( ) -') == ()


def test_nothing_is_scored_while_others_wait_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    merge = differences.merge_candidates
    merged = []

    def while_others_write(annotations: Any, **more: Any) -> Any:
        with store.transaction() as tx:  # Raises StoreError where this thread is writing.
            tx.settings.put("written", "meanwhile")
        merged.append(annotations)
        return merge(annotations, **more)

    with Store.open(tmp_path / "store.sqlite", create=True) as store:
        submit(store, *two("f1", (A,), (A, B)))
        monkeypatch.setattr(differences, "merge_candidates", while_others_write)
        assert score_disagreement(store, CAMPAIGN) == 1
    assert merged


def test_work_that_comes_in_while_a_figure_is_scored_is_scored_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(store, *two("f1", (A,), (A,)))
    places = ranking._places
    rounds = []

    def with_a_third(*given: Any) -> Any:
        rounds.append(places(*given))
        if len(rounds) == 1:
            with store.transaction() as tx:
                tx.annotations.add(an_annotation(a_figure("f1"), annotator="ann3", subfigures=(B,)))
        return rounds[-1]

    monkeypatch.setattr(ranking, "_places", with_a_third)
    assert score_disagreement(store, CAMPAIGN, ["f1"]) == 1
    assert len(rounds) == 2
    with store.read() as tx:
        assert tx.queue.entries(["f1"])["f1"].annotators == 3


def test_work_with_too_many_boxes_does_not_count_and_its_figure_is_in_the_queue(store: Store) -> None:
    few = replace(CAMPAIGN, max_boxes=1)
    submit(store, *two("f1", (A,), (A, B)), an_annotation(a_figure("f2"), subfigures=(A, B)))
    score_disagreement(store, few)
    with store.read() as tx:
        entries = tx.queue.entries(["f1", "f2"])
    assert {name: entry.annotators for name, entry in entries.items()} == {"f1": 1, "f2": 0}
    assert score_where_needed(store, few) == 0
    assert score_where_needed(store, CAMPAIGN) == 2


def test_a_figure_is_not_agreed_on_while_one_annotation_has_too_many_boxes_to_count(store: Store) -> None:
    crowded = an_annotation(a_figure("f1"), annotator="ann3", subfigures=(A, B))
    submit(store, *two("f1", (A,), (A,)), crowded)
    score_disagreement(store, replace(CAMPAIGN, max_boxes=1))
    with store.read() as tx:
        counts = tx.queue.facet_counts()
    assert counts[Facet.STATE, "unresolved"] == QueueCounts(1, 0)
    assert (Facet.AGREED, "") not in counts
