"""Figures of which types and pairs were judged: their place in the queue, settled together, their gold."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import NOON, a_decision, a_subfigure, an_annotation
from items_cases import CAMPAIGN, PAIRS, a_home, a_qa_figure, edited, judged, kinds, verdicts

from annotator.adjudication import adjudicate_many
from annotator.adjudication.history import figure_history, item_changes, item_lines
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Names
from annotator.consensus.gold_rule import GoldTally, gold, gold_of_figure
from annotator.gold.items import ItemsExported, qa_records, type_records
from annotator.queue.filter import EVERYTHING
from annotator.queue.pages import Show, queue_page
from annotator.queue.ranking import Further, score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Task
from panelwise.domain.decision import GoldSource
from panelwise.domain.figure import Figure
from panelwise.domain.items import HumanAnswer, Items

EVAL = Items(answers=(HumanAnswer("f1-q1", "0.8"),))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path / "campaign")


def submit(store: Store, figure: Figure, *annotations: Annotation) -> Figure:
    with store.transaction() as tx:
        tx.figures.add(figure)
        for annotation in annotations:
            tx.annotations.add(annotation)
    score_disagreement(store, CAMPAIGN)
    return figure


def both(figure: Figure, mine: Items, theirs: Items, phase: str = "qa") -> tuple[Annotation, Annotation]:
    return judged(figure, mine, phase=phase), judged(figure, theirs, annotator="ann2", phase=phase)


def test_the_queue_has_the_figure_on_whose_items_people_differ_most_first(store: Store) -> None:
    for name, changes in (("little", ("q1",)), ("much", ("q1", "q2", "q3")), ("none", ())):
        figure = a_qa_figure(name)
        wrong = verdicts(figure, *(edited(figure, each, answer="other") for each in changes))
        submit(store, figure, *both(figure, verdicts(figure), wrong))
    page = queue_page(store, CAMPAIGN)
    assert [row.figure_id for row in page.rows] == ["much", "little", "none"]
    assert [row.loss for row in page.rows] == [Further.ITEMS, Further.ITEMS, None]
    assert [row.annotators for row in page.rows] == [2, 2, 2]
    with store.read() as tx:
        places = tx.queue.entries(["much", "none"])
    assert places["much"].agreement == (7 - 3) / 7
    assert places["none"].agreement == 1.0


def test_a_figure_that_some_accept_and_others_reject_has_no_agreement(store: Store) -> None:
    figure = a_qa_figure()
    mine, theirs = (
        judged(figure, verdicts(figure)),
        judged(figure, Items(), annotator="ann2", status=Status.REJECTED),
    )
    submit(store, figure, mine, theirs)
    (row,) = queue_page(store, CAMPAIGN).rows
    assert (row.agreement, row.loss) == (0.0, Further.STATUS)


def test_a_rejection_is_a_disagreement_whatever_the_others_agree_on(store: Store) -> None:
    split, little, gone = a_qa_figure("split"), a_qa_figure("little"), a_qa_figure("gone")
    rejects = {"annotator": "ann3", "status": Status.REJECTED}
    submit(store, split, *both(split, verdicts(split), verdicts(split)), judged(split, Items(), **rejects))
    submit(store, little, *both(little, verdicts(little), verdicts(little, edited(little, "q1", answer="1"))))
    submit(store, gone, *(judged(gone, Items(), annotator=name, status=Status.REJECTED) for name in ("a", "b")))
    rows = queue_page(store, CAMPAIGN).rows
    assert [(row.figure_id, row.agreement, row.loss) for row in rows] == [
        ("split", 0.0, Further.STATUS),
        ("little", 6 / 7, Further.ITEMS),
        ("gone", 1.0, None),
    ]


def test_a_figure_that_somebody_leaves_out_is_no_disagreement(store: Store) -> None:
    figure = a_qa_figure()
    out = judged(figure, Items(), annotator="ann3", status=Status.IGNORED)
    submit(store, figure, *both(figure, verdicts(figure), verdicts(figure)), out)
    (row,) = queue_page(store, CAMPAIGN).rows
    assert row.agreement == 1.0


def test_of_subfigures_and_items_the_worse_gives_the_place(store: Store) -> None:
    figure = a_qa_figure()
    drawn = [
        an_annotation(figure, annotator=name, subfigures=(a_subfigure("A", tokens=(2, 3)),)) for name in ("a", "b")
    ]
    submit(store, figure, *drawn, *both(figure, kinds(True, 2), kinds(False, 1, "tree"), "types"))
    (row,) = queue_page(store, CAMPAIGN).rows
    assert (row.agreement, row.loss, row.annotators) == (0.0, Further.ITEMS, 2)


def test_human_evaluation_alone_is_nothing_to_settle_and_makes_no_gold(store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, judged(figure, EVAL, phase="eval"))
    tally = GoldTally()
    assert queue_page(store, CAMPAIGN).rows == ()
    assert list(gold(store, CAMPAIGN, tally)) == []
    assert tally.untouched == 1


def test_gold_of_items_is_unanimous_single_or_unresolved(store: Store) -> None:
    alike, alone, differ = a_qa_figure("alike"), a_qa_figure("alone"), a_qa_figure("differ")
    submit(store, alike, *both(alike, verdicts(alike), verdicts(alike)))
    submit(store, alone, judged(alone, verdicts(alone, edited(alone, "q1", answer="0.75"))))
    submit(store, differ, *both(differ, verdicts(differ), verdicts(differ, edited(differ, "q1", answer="1"))))
    tally = GoldTally()
    found = {each.figure.id: each for each in gold(store, CAMPAIGN, tally, include=tuple(GoldSource))}
    assert found["alike"].provenance.source is GoldSource.UNANIMOUS
    assert found["alone"].provenance.source is GoldSource.SINGLE
    assert found["alone"].provenance.based_on == ("ann1",)
    assert len(found["alone"].items.verdicts) == len(PAIRS)
    assert tally.unresolved == ["differ"]
    with store.read() as tx:
        assert {each: gold_of_figure(tx, CAMPAIGN, each) for each in ("alike", "alone", "differ")} == {
            **found,
            "differ": None,
        }


def test_gold_waits_for_who_was_to_judge_the_figure_too(store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, judged(figure, verdicts(figure)))
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann2", "qa")])
    tally = GoldTally()
    assert list(gold(store, CAMPAIGN, tally)) == []
    assert tally.waiting == ["f1"]
    with store.read() as tx:
        assert gold_of_figure(tx, CAMPAIGN, "f1") is None


def test_a_figure_that_all_reject_or_somebody_passes_over_has_no_gold(store: Store) -> None:
    rejected, passed = a_qa_figure("rejected"), a_qa_figure("passed")
    submit(store, rejected, *(judged(rejected, Items(), annotator=name, status=Status.REJECTED) for name in "ab"))
    submit(store, passed, judged(passed, Items(), status=Status.IGNORED))
    tally = GoldTally()
    assert list(gold(store, CAMPAIGN, tally)) == []
    assert (tally.rejected, tally.unresolved) == (["rejected"], ["passed"])


def test_a_decision_older_than_work_on_items_is_told(store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, judged(figure, verdicts(figure), minutes=5))
    with store.transaction() as tx:
        tx.decisions.add(a_decision(figure, subfigures=(), items=verdicts(figure), decided_at=NOON))
    tally = GoldTally()
    assert [each.provenance.source for each in gold(store, CAMPAIGN, tally)] == [GoldSource.ADJUDICATED]
    assert tally.changed == ["f1"]
    assert queue_page(store, CAMPAIGN, show=Show.ALL).rows[0].changed


def test_figures_on_whose_items_all_agree_are_settled_together(store: Store) -> None:
    alike, differ, once = a_qa_figure("alike"), a_qa_figure("differ"), a_qa_figure("once")
    submit(store, alike, *both(alike, verdicts(alike), verdicts(alike)))
    submit(store, differ, *both(differ, verdicts(differ), verdicts(differ, edited(differ, "q1", answer="1"))))
    submit(store, once, judged(once, verdicts(once)))
    (shown,) = adjudicate_many.preview(store, CAMPAIGN, EVERYTHING, "rev1").figures
    assert (shown.figure.id, shown.subfigures, len(shown.items.verdicts)) == ("alike", (), len(PAIRS))
    done = adjudicate_many.finish(store, CAMPAIGN, "rev1", {"alike": shown.mark})
    assert done.adjudicated == 1
    with store.read() as tx:
        decision = tx.decisions.get("alike")
    assert decision is not None
    assert decision.items == shown.items


def test_a_mark_is_another_one_where_something_else_would_be_decided(store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, *both(figure, verdicts(figure), verdicts(figure)))
    (before,) = adjudicate_many.preview(store, CAMPAIGN, EVERYTHING, "rev1").figures
    wrong = verdicts(figure, edited(figure, "q1", answer="0.7"))
    submit(store, figure, *(judged(figure, wrong, annotator=name, minutes=3) for name in ("ann1", "ann2")))
    done = adjudicate_many.finish(store, CAMPAIGN, "rev1", {"f1": before.mark})
    assert done.left == {"f1": "something else would be decided now; look at it again"}


def test_settled_pairs_are_written_with_original_verdicts_and_provenance(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    wrong = edited(figure, "q5", choices=("red", "blue", "green", "dashed"), answer="B", note="shorter")
    submit(store, figure, *both(figure, verdicts(figure, wrong), verdicts(figure)))
    with store.transaction() as tx:
        tx.decisions.add(
            a_decision(figure, subfigures=(), items=verdicts(figure, wrong), based_on=("ann1",), note="looked")
        )
    exported = ItemsExported()
    records = list(qa_records(home, store, exported))
    assert [each["instance_id"] for each in records] == [f"f1-q{n}" for n in range(1, 8)]
    fifth = records[4]
    assert fifth["answer"] == "B"
    assert fifth["answer_options"] == [{"A": "red"}, {"B": "blue"}, {"C": "green"}, {"D": "dashed"}]
    assert fifth["original"]["answer"] == "A"
    assert fifth["verdict"] == "Incorrect.Edit"
    assert fifth["note"] == "shorter"
    assert [(each["annotator"], each["verdict"]) for each in fifth["verdicts"]] == [
        ("ann1", "Incorrect.Edit"),
        ("ann2", "Correct"),
    ]
    assert fifth["provenance"]["source"] == "adjudicated"
    assert fifth["provenance"]["reviewer"] == "rev1"
    assert exported.by_source[GoldSource.ADJUDICATED] == len(PAIRS)
    assert exported.figures == 1


def test_no_login_in_an_address_is_written_with_pairs_and_types(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    told = edited(
        figure, "q5", question="See https://ada:hush@plots.example.org/f1.png", note="ftp://ada:hush@b.org"
    )
    mine = verdicts(figure, told)
    submit(store, figure, *both(figure, mine, mine))
    typed = kinds(True, 3, "https://ada:hush@types.example.org/tree")
    submit(store, figure, *both(figure, typed, typed, "types"))
    written = repr([*qa_records(home, store, ItemsExported()), *type_records(home, store, ItemsExported())])
    assert "plots.example.org/f1.png" in written
    assert "types.example.org/tree" in written
    assert "hush" not in written


def test_pseudonyms_stand_for_everyone_in_settled_pairs_and_types(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, *both(figure, verdicts(figure), verdicts(figure)))
    submit(store, figure, *both(figure, kinds(), kinds(), "types"))
    exported = ItemsExported()
    written = repr([*qa_records(home, store, exported, Names.PSEUDONYMS)])
    written += repr([*type_records(home, store, ItemsExported(), Names.PSEUDONYMS)])
    assert "ann1" not in written
    assert "ann2" not in written
    assert "p-" in written


def test_settled_types_are_written_with_what_they_came_with(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, *both(figure, kinds(True, 3, "tree"), kinds(True, 3, "tree"), "types"))
    exported = ItemsExported()
    (record,) = type_records(home, store, exported)
    assert (record["compound"], record["count"], record["types"]) == (True, 3, ["tree"])
    assert record["original"] == {"compound": True, "count": 2, "types": ["line chart"], "note": ""}
    assert [each["annotator"] for each in record["readings"]] == ["ann1", "ann2"]
    assert record["provenance"]["source"] == "unanimous"


def test_pairs_that_one_annotator_judged_are_left_out_unless_they_are_asked_for(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    whole = verdicts(figure)
    submit(store, figure, *both(figure, whole, Items(verdicts=whole.verdicts[1:])))
    exported = ItemsExported()
    assert len(list(qa_records(home, store, exported))) == len(PAIRS) - 1
    assert exported.single == ["f1"]
    assert exported.by_source == {
        GoldSource.ADJUDICATED: 0,
        GoldSource.UNANIMOUS: len(PAIRS) - 1,
        GoldSource.SINGLE: 0,
    }
    exported = ItemsExported()
    found = list(qa_records(home, store, exported, include=tuple(GoldSource)))
    assert [each["provenance"]["source"] for each in found] == ["single"] + ["unanimous"] * (len(PAIRS) - 1)
    assert (exported.single, exported.by_source[GoldSource.SINGLE]) == ([], 1)


def test_a_type_that_one_annotator_gave_is_left_out_unless_it_is_asked_for(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    submit(store, figure, judged(figure, kinds(), phase="types"))
    exported = ItemsExported()
    assert list(type_records(home, store, exported)) == []
    assert exported.single == ["f1"]
    [record] = type_records(home, store, ItemsExported(), include=tuple(GoldSource))
    assert record["provenance"]["source"] == "single"


def test_pairs_left_open_beside_settled_subfigures_are_told(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    drawn = an_annotation(figure, subfigures=(a_subfigure("A", tokens=(2,)),))
    wrong = verdicts(figure, edited(figure, "q1", answer="1"))
    submit(store, figure, drawn, *both(figure, verdicts(figure), wrong))
    exported = ItemsExported()
    assert len(list(qa_records(home, store, exported))) == len(PAIRS) - 1
    assert exported.notes == [
        "left out pairs of 1 figure on which annotators disagree: f1; adjudicate them with `annotator serve`"
    ]


def test_what_a_figure_came_with_is_read_and_what_is_none_passed_over() -> None:
    kind = a_qa_figure().imported.kind
    assert kind is not None
    assert (kind.compound, kind.count, kind.types) == (True, 2, frozenset({"line chart"}))
    odd = a_qa_figure(extra={"figure_type": "tree, graph,nan", "compound": "perhaps", "figs_numb": "many"})
    found = odd.imported.kind
    assert found is not None
    assert (found.compound, found.count, found.types) == (None, None, frozenset({"tree", "graph"}))
    none = a_qa_figure(extra={"figure_type": "nan", "compound": None, "figs_numb": None})
    assert none.imported.kind is None


def test_the_history_tells_what_a_decision_says_of_items_and_what_it_changed(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    first = a_decision(figure, subfigures=(), items=kinds(True, 2))
    changed = verdicts(figure, edited(figure, "q4", answer="Yes", note="the legend names it"))
    second = a_decision(figure, version=2, subfigures=(), items=Items(kinds(False, 1).kind, changed.verdicts))
    assert item_lines(first) == ("Type: compound, 2 subfigures, line chart",)
    assert "Pair 4: Incorrect.Edit, answer “Yes”, was “No” (note “the legend names it”)" in item_lines(second)
    lines = item_changes(first, second)
    assert lines[0] == "Type: not compound, 1 subfigure, line chart; was compound, 2 subfigures, line chart"
    assert "Pair 1: Correct" in lines
    assert "Pair 4: Incorrect.Edit, answer “Yes”, was “No”, note “the legend names it”" in lines
    back = item_changes(second, first)
    assert "Pair 4: not judged any more" in back
    submit(store, figure)
    with store.transaction() as tx:
        tx.decisions.add(first)
        tx.decisions.add(second)
    newest, oldest = figure_history(store, home, "f1").entries
    assert newest.item_changes == lines
    assert oldest.items == ("Type: compound, 2 subfigures, line chart",)
