"""An annotator's feedback: what is compared, what is held back, and that it is what `agreement compare` says."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from items_cases import a_home, a_qa_figure, edited, judged, kinds, verdicts

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import pseudonyms
from annotator.dashboards.feedback import PER_PAGE, Feedback, NoFeedback
from annotator.measurement.compare import ComparisonOptions, compare_sources
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Task
from panelwise.domain.decision import ErrorKind
from panelwise.domain.items import HumanAnswer, Items
from panelwise.files.jsonl import Problems

SHORT = a_subfigure(tokens=(4,))
FULL = a_subfigure(tokens=(4, 6, 7))


@pytest.fixture
def feedback(home: Home, store: Store) -> Feedback:
    """f1: ann1 lacks two words; f2: both as the gold; f3: not settled; f4: settled, ann1 did not do it."""
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3", "f4"):
            tx.figures.add(a_figure(name))
        for name in ("f1", "f2", "f3"):
            own = (SHORT,) if name == "f1" else (FULL,)
            tx.annotations.add(an_annotation(a_figure(name), annotator="ann1", subfigures=own))
            tx.annotations.add(an_annotation(a_figure(name), annotator="ann2", subfigures=(FULL,)))
        for name in ("f1", "f2", "f4"):
            decision = a_decision(
                a_figure(name), subfigures=(FULL,), error_kind=ErrorKind.SLIP if name == "f1" else None
            )
            tx.decisions.add(decision)
    return Feedback(lambda: home, store)


def test_what_differs_is_listed_with_how(feedback: Feedback) -> None:
    page = feedback.page("ann1")
    assert (page.compared, page.same, page.held_back) == (2, 1, 0)
    assert [each.own.figure.id for each in page.figures] == ["f1"]
    assert page.figures[0].compared.panels[0].lines == ("Missing text: “left lung”.",)
    assert page.figures[0].error_kind == "slip"
    assert sum(each.share for each in page.losses) == pytest.approx(1)


def test_the_score_is_that_of_agreement_compare(feedback: Feedback, home: Home, store: Store) -> None:
    for name in ("ann1", "ann2"):
        compared = compare_sources(home.path, [home.path], Problems(), ComparisonOptions(annotators=[name]))
        page = feedback.page(name)
        assert page.score == compared.score
        assert {each.own.figure.id: each.score for each in page.figures} == {
            each.figure: each.score for each in compared.figures if each.lost
        }


def test_whoever_differs_nowhere_is_told_so(feedback: Feedback) -> None:
    page = feedback.page("ann2")
    assert (page.score, page.same, page.figures, page.losses) == (1.0, 2, (), ())


def test_nothing_settled_is_told(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.annotations.add(an_annotation(a_figure("f1")))
    page = Feedback(lambda: home, store).page("ann1")
    assert (page.compared, page.score) == (0, None)
    assert "adjudicated yet" in page.reason


def test_a_figure_that_is_still_to_be_done_is_held_back_until_it_is(feedback: Feedback, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann1", "2"), Task("f2", "ann2", "2")])
    page = feedback.page("ann1")
    assert (page.compared, page.held_back, page.figures) == (1, 1, ())
    assert not feedback.may_see("ann1", "f1")
    with pytest.raises(NoFeedback):
        feedback.figure("ann1", "1", "f1")
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f1"), annotator="ann1", phase="2", subfigures=(FULL,)))
    assert feedback.page("ann1", "1").held_back == 0
    assert feedback.may_see("ann1", "f1")


def test_each_phase_is_apart_and_the_last_is_shown_first(feedback: Feedback, store: Store) -> None:
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f4"), annotator="ann1", phase="2", subfigures=(FULL,)))
    assert feedback.page("ann1").phases == ("1", "2")
    assert feedback.page("ann1").phase == "2"
    assert [each.own.figure.id for each in feedback.page("ann1", "1").figures] == ["f1"]
    with pytest.raises(NoFeedback):
        feedback.page("ann1", "9")


def test_a_new_decision_is_in_it_at_once(feedback: Feedback, store: Store) -> None:
    assert feedback.page("ann1").score != 1.0
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f1"), version=2, subfigures=(SHORT,)))
    assert feedback.page("ann1").score == 1.0
    assert [each.own.figure.id for each in feedback.page("ann2").figures] == ["f1"]


def test_figures_put_off_are_no_gold_and_rejected_ones_are(feedback: Feedback, store: Store) -> None:
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f1"), version=2, status=Status.IGNORED, subfigures=()))
        tx.decisions.add(a_decision(a_figure("f2"), version=2, status=Status.REJECTED, subfigures=()))
    page = feedback.page("ann1")
    assert page.compared == 1
    assert page.figures[0].compared.lines == ("The gold rejected the figure; you accepted the figure.",)


def test_an_annotator_is_found_by_name_and_by_pseudonym(feedback: Feedback, home: Home, store: Store) -> None:
    with store.read() as tx:
        key = pseudonyms(home, tx).of("ann1")
    assert feedback.annotator_of("ann1") == feedback.annotator_of(key) == "ann1"
    assert feedback.page("ann1").key == key
    with pytest.raises(NoFeedback):
        feedback.annotator_of("rev1")


def test_there_are_pages_the_nearest_where_asked_for_none(home: Home, store: Store) -> None:
    count = PER_PAGE + 3
    with store.transaction() as tx:
        for number in range(count):
            figure = a_figure(f"n{number:02}")
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, subfigures=(SHORT,)))
            tx.decisions.add(a_decision(figure, subfigures=(FULL,)))
    feedback = Feedback(lambda: home, store)
    first, last = feedback.page("ann1"), feedback.page("ann1", page=99)
    assert (first.pages, last.page) == (2, 2)
    seen = [each.own.figure.id for each in (*first.figures, *last.figures)]
    assert sorted(seen) == [f"n{number:02}" for number in range(count)]


def test_judgements_of_pairs_and_types_are_compared_without_notes(tmp_path: Path, store: Store) -> None:
    home, figure = a_home(tmp_path / "asked"), a_qa_figure()
    mine = verdicts(figure, edited(figure, "q2", answer="900", note="mine"))
    gold = verdicts(figure, edited(figure, "q1", answer="0.75", note="of somebody else"))
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(judged(figure, mine, annotator="ann1"))
        tx.annotations.add(judged(figure, kinds(True, 2), annotator="ann1", phase="types"))
        items = Items(kinds(True, 2).kind, gold.verdicts)
        tx.decisions.add(a_decision(figure, subfigures=(FULL,), items=items))
    feedback = Feedback(lambda: home, store)
    page = feedback.page("ann1", "qa")
    assert (page.phases, page.drawn, page.score) == (("types", "qa"), False, None)
    assert (page.compared, page.same, page.judged, page.alike) == (1, 0, 7, 5)
    assert page.figures[0].compared.lines == (
        "Pair 1: the gold says Incorrect.Edit, answer “0.75”, was “0.8”; you said Correct.",
        "Pair 2: the gold says Correct; you said Incorrect.Edit, answer “900”, was “1000”.",
    )
    types = feedback.page("ann1", "types")
    assert (types.same, types.judged, types.alike, types.figures) == (1, 1, 1, ())


def test_a_rejection_of_asked_pairs_is_compared_too(tmp_path: Path, store: Store) -> None:
    home, figure = a_home(tmp_path / "asked"), a_qa_figure()
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(judged(figure, Items(), annotator="ann1", status=Status.REJECTED))
        tx.decisions.add(a_decision(figure, subfigures=(FULL,), items=verdicts(figure)))
    (shown,) = Feedback(lambda: home, store).page("ann1").figures
    assert (shown.compared.lines, shown.compared.panels) == (
        ("The gold accepted the figure; you rejected the figure.",),
        (),
    )


def test_answers_of_human_evaluation_are_not_compared(tmp_path: Path, store: Store) -> None:
    home, figure = a_home(tmp_path / "asked"), a_qa_figure()
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(
            judged(figure, Items(answers=(HumanAnswer("f1-q1", "1"),)), annotator="ann1", phase="eval")
        )
        tx.decisions.add(a_decision(figure, subfigures=(), items=verdicts(figure)))
    page = Feedback(lambda: home, store).page("ann1")
    assert (page.compared, page.phases) == (0, ())
