"""Blind phases: whose subfigures are given, what reviewers write, and when it is closed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from services.blind_work import TEXTS, given_of, key_of, written
from web.asking import ANNOTATORS
from web.blind_campaign import LEFT, RIGHT, blind_home

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.measurement.report import ReportOptions, measure
from annotator.own_tasks.allowed_fields import BlindDraft
from annotator.own_tasks.annotate import open_blind_task, own_task, submit
from annotator.own_tasks.blind_boxes import NoBoxes, describe_source, find_boxes, store_boxes
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Phase, Task
from panelwise.domain.decision import Awaits, GoldSource
from panelwise.domain.errors import Conflict, InvalidAnnotation
from panelwise.domain.items import FigureKind, Items

pytestmark = pytest.mark.usefixtures("cheap_passwords")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return blind_home(tmp_path / "campaign")


# -- whose subfigures ------------------------------------------------------------------------------------


def test_the_gold_gives_labels_and_boxes_in_the_palettes_order_and_no_token(store: Store, home: Home) -> None:
    found = given_of(store, home)
    assert found["f1"] == BlindBoxes("f1", 1, "gold", (Subfigure("A", Box(*LEFT)), Subfigure("B", Box(*RIGHT))))
    assert found["f3"] is NoBoxes.LEFT_OUT
    assert describe_source(home.campaign.phase("2")) == "from the gold"


def test_without_a_decision_the_gold_is_what_the_export_would_have(store: Store, home: Home) -> None:
    figures = ("alike", "alone", "differing", "due", "none")
    with store.transaction() as tx:
        for name in figures:
            tx.figures.add(a_figure(name))
        for name in ("alike", "alone", "due"):
            tx.annotations.add(an_annotation(a_figure(name), annotator="ann1"))
        tx.annotations.add(an_annotation(a_figure("alike"), annotator="ann2"))
        for who, tokens in (("ann1", (4,)), ("ann2", (6,))):
            drawn = (a_subfigure(tokens=tokens),)
            tx.annotations.add(an_annotation(a_figure("differing"), annotator=who, subfigures=drawn))
        tx.tasks.add([Task("due", "ann2", "1"), Task("alone", "rev1", "2")])
    found = given_of(store, home, figures)
    kinds = {name: each if isinstance(each, NoBoxes) else each.source for name, each in found.items()}
    waiting = NoBoxes.WAITING
    assert kinds == {"alike": "gold", "alone": "gold", "differing": waiting, "due": waiting, "none": waiting}
    exported = {each.figure.id for each in gold(store, home.campaign, GoldTally(), include=tuple(GoldSource))}
    assert exported & set(figures) == {"alike", "alone"}


def test_gold_that_the_export_withholds_gives_nothing(store: Store, home: Home) -> None:
    """Work that was sent back waits for its correction; a type alone says nothing of subfigures."""
    figures = ("alike", "returned", "typed")
    judged = Items(kind=FigureKind(compound=True, count=2, types=("line-chart",)))
    with store.transaction() as tx:
        for name in figures:
            tx.figures.add(a_figure(name))
        for name in ("alike", "returned"):
            for who in ("ann1", "ann2"):
                tx.annotations.add(an_annotation(a_figure(name), annotator=who))
        tx.sent_back.add("returned", "1", "ann1", "free", "the second panel", NOON + timedelta(hours=9))
        typed = an_annotation(a_figure("typed"), annotator="ann1", phase="types", subfigures=())
        tx.annotations.add(replace(typed, items=judged))
    found = given_of(store, home, figures)
    assert isinstance(found["alike"], BlindBoxes)
    assert (found["returned"], found["typed"]) == (NoBoxes.WAITING, NoBoxes.WAITING)


def test_work_with_too_many_boxes_keeps_a_figure_from_being_given(store: Store, home: Home) -> None:
    figure, few = a_figure("crowded"), replace(home.campaign, max_boxes=1)
    one, both = (a_subfigure("A"),), (a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600)))
    with store.transaction() as tx:
        tx.figures.add(figure)
        for name, drawn in (("ann1", one), ("ann2", one), ("ann3", both)):
            tx.annotations.add(an_annotation(figure, annotator=name, subfigures=drawn))
        tx.predictions.put(Prediction(figure, "classic-1", both, (1.0, 1.0)))
        blind_phase = few.phase("2")
        for given in ("gold", "prediction:classic-1"):
            phase = replace(blind_phase, given=given)
            assert find_boxes(tx, few, phase, ["crowded"]) == {"crowded": NoBoxes.WAITING}
            assert isinstance(find_boxes(tx, home.campaign, phase, ["crowded"])["crowded"], BlindBoxes) == (
                given != "gold"
            )


def test_a_decision_that_waits_for_another_reviewer_gives_nothing_yet(store: Store, home: Home) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("waits"))
        tx.figures.add(a_figure("put off"))
        tx.decisions.add(a_decision(a_figure("waits"), awaits=Awaits.SECOND))
        tx.decisions.add(a_decision(a_figure("put off"), status=Status.IGNORED, subfigures=()))
    assert set(given_of(store, home, ("waits", "put off")).values()) == {NoBoxes.WAITING}


def test_an_annotators_subfigures_are_given_without_the_name(tmp_path: Path) -> None:
    home = blind_home(tmp_path / "other", given=ANNOTATORS[0])
    with home.open_store() as store:
        found = given_of(store, home, ("f1", "plain"))
        assert isinstance(found["f1"], BlindBoxes)
        assert found["f1"].source == "annotation"
        assert [each.label for each in found["f1"].subfigures] == ["A", "B"]
        assert not any(each.subcaption for each in found["f1"].subfigures)
        with store.transaction() as tx:
            for name, status in (("bad", Status.REJECTED), ("bare", Status.ACCEPTED)):
                figure = a_figure(name)
                tx.figures.add(figure)
                tx.annotations.add(an_annotation(figure, annotator=ANNOTATORS[0], status=status, subfigures=()))
            tx.figures.add(a_figure("later"))
        found = given_of(store, home, ("bad", "bare", "later"))
        assert found == {"bad": NoBoxes.LEFT_OUT, "bare": NoBoxes.LEFT_OUT, "later": NoBoxes.WAITING}
    assert describe_source(home.campaign.phase("2")) == "drawn by one annotator"


def test_the_boxes_of_a_phase_are_those_of_its_first_annotator_who_drew_any(store: Store, home: Home) -> None:
    phases = (
        Phase("1", annotators=("zoe", "ann")),
        Phase("0"),
        Phase("2", blind=True, given="phase", figures_of="1"),
    )
    campaign = replace(home.campaign, phases=phases)
    boxes = {"zoe": LEFT, "ann": RIGHT, "late": RIGHT}
    work = [
        ("both", "ann", "1", Status.ACCEPTED),
        ("both", "zoe", "1", Status.ACCEPTED),
        ("rejected by one", "zoe", "1", Status.REJECTED),
        ("rejected by one", "ann", "1", Status.ACCEPTED),
        ("by another", "late", "1", Status.ACCEPTED),
        ("of another phase", "zoe", "0", Status.ACCEPTED),
        ("rejected", "ann", "1", Status.REJECTED),
    ]
    names = list(dict.fromkeys(name for name, *_ in work))
    with store.transaction() as tx:
        for name in names:
            tx.figures.add(a_figure(name))
        for name, who, phase, status in work:
            drawn = (a_subfigure("A", box=boxes[who]),) if status is Status.ACCEPTED else ()
            tx.annotations.add(
                an_annotation(a_figure(name), annotator=who, phase=phase, status=status, subfigures=drawn)
            )
        found = find_boxes(tx, campaign, campaign.phase("2"), names)
    drawn = {name: each.subfigures[0].box for name, each in found.items() if isinstance(each, BlindBoxes)}
    assert drawn == {"both": Box(*LEFT), "rejected by one": Box(*RIGHT), "by another": Box(*RIGHT)}
    assert found["of another phase"] is NoBoxes.WAITING
    assert found["rejected"] is NoBoxes.LEFT_OUT
    assert describe_source(campaign.phase("2")) == "drawn in phase 1"


@pytest.mark.parametrize(
    ("given", "words"),
    [("prediction", "predicted by a model"), ("prediction:classic-1", "predicted by classic-1")],
)
def test_a_models_subfigures_are_given(tmp_path: Path, given: str, words: str) -> None:
    home = blind_home(tmp_path / "other", given=given)
    with home.open_store() as store:
        found = given_of(store, home, ("f1",))["f1"]
        assert isinstance(found, BlindBoxes)
        assert found.source == "prediction:classic-1"
        assert not any(each.subcaption for each in found.subfigures)
        with store.transaction() as tx:
            tx.figures.add(a_figure("unseen"))
        assert given_of(store, home, ("unseen",)) == {"unseen": NoBoxes.WAITING}
    assert describe_source(home.campaign.phase("2")) == words


def test_every_reviewer_has_the_same_boxes_whatever_becomes_of_the_gold(store: Store, home: Home) -> None:
    _, first = open_blind_task(store, home, key_of(home, "f1"), "rev1")
    with store.transaction() as tx:
        other = a_decision(a_figure("f1", references=("See Fig 1.",)), version=2, subfigures=(a_subfigure("D"),))
        tx.decisions.add(other)
    _, second = open_blind_task(store, home, key_of(home, "f1", "rev2"), "rev2")
    assert first == second
    assert [each.label for each in second.subfigures] == ["A", "B"]
    assert store_boxes(store, home.campaign, home.campaign.phase("2"), "f1", now=NOON) == first


# -- writing ---------------------------------------------------------------------------------------------


def test_what_is_written_is_an_annotation_of_the_phase(store: Store, home: Home) -> None:
    done = written(store, home)
    assert (done.version, done.done, done.total) == (1, 1, 3)
    assert done.next_key == key_of(home, "f2")
    with store.read() as tx:
        (own,) = tx.annotations.all(phase="2")
    assert (own.annotator, own.figure.id, own.seeded_by, own.seconds) == ("rev1", "f1", "given:gold", 9.5)
    assert own.subfigures == (
        Subfigure("A", Box(*LEFT), frozenset(TEXTS[0])),
        Subfigure("B", Box(*RIGHT), frozenset(TEXTS[1])),
    )
    opened, _ = open_blind_task(store, home, key_of(home, "f1"), "rev1")
    assert (opened.own, opened.version, opened.place) == (own, 1, 1)


def test_blind_work_is_measured_as_any_phase(store: Store, home: Home) -> None:
    written(store, home, "f1", "rev1")
    written(store, home, "f1", "rev2", texts=((4, 6), (8, 10, 12, 13)))
    report = measure(store, options=ReportOptions(phase="2"))
    assert {(pair.gold, pair.predicted) for pair in report.pairs} == {("rev1", "rev2"), ("rev2", "rev1")}
    assert report.iaa is not None
    assert 0 < report.iaa < 1


def test_work_that_measures_the_gold_changes_neither_gold_nor_queue(store: Store, home: Home) -> None:
    with store.read() as tx:
        before = tx.queue.page()
    tally = GoldTally()
    exported = list(gold(store, home.campaign, tally))
    written(store, home, texts=((0,), (1,)))
    score_disagreement(store, home.campaign)
    after = GoldTally()
    assert list(gold(store, home.campaign, after)) == exported
    assert after == tally
    with store.read() as tx:
        assert [(each.figure_id, each.agreement, each.annotators, each.loss) for each in tx.queue.page()] == [
            (each.figure_id, each.agreement, each.annotators, each.loss) for each in before
        ]


def test_work_on_an_annotators_boxes_is_settled_like_any_other(tmp_path: Path) -> None:
    home = blind_home(tmp_path / "other", given=ANNOTATORS[0])
    with home.open_store() as store:
        written(store, home)
        with store.read() as tx:
            assert tx.queue.entries(["f1"])["f1"].annotators == 5  # three annotators, rev2, and rev1 now


def test_one_may_change_it_and_every_version_is_kept(store: Store, home: Home) -> None:
    written(store, home)
    done = written(store, home, version=1, texts=((4,), ()))
    assert done.version == 2
    assert (done.done, done.total) == (1, 3)
    with store.read() as tx:
        assert len(tx.annotations.history("f1", "rev1", "2")) == 2
        (own,) = tx.annotations.all(phase="2")
    assert [each.subcaption for each in own.subfigures] == [frozenset({4}), frozenset()]


def test_the_same_saved_again_is_no_new_version(store: Store, home: Home) -> None:
    written(store, home)
    assert written(store, home, version=1).version == 1


def test_another_tab_that_was_faster_is_told(store: Store, home: Home) -> None:
    written(store, home)
    with pytest.raises(Conflict, match="another tab"):
        written(store, home, version=0, texts=((), ()))
    task = own_task(store, home, key_of(home, "f1"), "rev1", blind=True)
    assert task.version == 1
    assert task.own is not None
    assert task.own.subfigures[0].subcaption == frozenset(TEXTS[0])


def test_an_unfit_figure_is_rejected_without_texts(store: Store, home: Home) -> None:
    key = key_of(home, "f1")
    open_blind_task(store, home, key, "rev1")
    with pytest.raises(InvalidAnnotation, match="for a reason"):
        submit(store, home, key, "rev1", BlindDraft(0, Status.REJECTED), revision=1)
    submit(store, home, key, "rev1", BlindDraft(0, Status.REJECTED, reason="no caption"), revision=1)
    with store.read() as tx:
        (own,) = tx.annotations.all(phase="2")
    assert (own.status, own.subfigures, own.reason) == (Status.REJECTED, (), "no caption")


@pytest.mark.parametrize(
    ("draft", "revision", "told"),
    [
        (BlindDraft(0, Status.ACCEPTED, ((1,),)), 1, "texts: 1 for 2 given subfigures"),
        (BlindDraft(0, Status.ACCEPTED, ((1,), (99,))), 1, r"texts\[1\]: token 99 of \d+ does not exist"),
        (BlindDraft(0, Status.ACCEPTED, ((-1,), ())), 1, r"texts\[0\]: token -1"),
        (BlindDraft(0, Status.IGNORED, ()), 1, "status: a figure is accepted or rejected"),
        (BlindDraft(0, Status.ACCEPTED, ((), ())), 2, "was replaced after you opened it"),
    ],
)
def test_what_does_not_fit_is_refused(
    store: Store, home: Home, draft: BlindDraft, revision: int, told: str
) -> None:
    key = key_of(home, "f1")
    open_blind_task(store, home, key, "rev1")
    with pytest.raises(InvalidAnnotation, match=told):
        submit(store, home, key, "rev1", draft, revision=revision)
    with store.read() as tx:
        assert list(tx.annotations.all(phase="2")) == []


def test_nothing_is_written_on_boxes_that_nobody_saw(store: Store, home: Home) -> None:
    draft = BlindDraft(0, Status.ACCEPTED, TEXTS)
    with pytest.raises(InvalidAnnotation, match="reload"):
        submit(store, home, key_of(home, "f1"), "rev1", draft, revision=1)


def test_a_replaced_figure_is_to_be_written_anew(store: Store, home: Home) -> None:
    written(store, home)
    revised = a_figure("f1", caption="Fig 1: (A) left. (B) right.")
    with store.transaction() as tx:
        tx.figures.replace(revised)
        tx.decisions.add(a_decision(tx.figures.get("f1"), version=2, subfigures=(a_subfigure(tokens=(4,)),)))
    opened, boxes = open_blind_task(store, home, key_of(home, "f1"), "rev1")
    assert (opened.version, opened.own, len(boxes.subfigures)) == (0, None, 1)
