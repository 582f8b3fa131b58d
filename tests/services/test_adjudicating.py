from __future__ import annotations

import dataclasses
from datetime import timedelta

import msgspec
import pytest
from adjudicated import after_decision, decide, figure_state
from builders import NOON, a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import Draft, SubfiguresDraft
from annotator.adjudication.screens import draft_findings
from annotator.adjudication.standing import CHANGED
from annotator.adjudication.subfigures import subfigure_of
from annotator.campaign.home import Home
from annotator.consensus.differences import newest_of_each
from annotator.queue.pages import Show, queue_page
from annotator.queue.ranking import queue_agreement, score_disagreement
from annotator.store.queries.figures import UnknownFigure
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.errors import Conflict, InvalidAnnotation
from panelwise.domain.items import FigureKind, HumanAnswer, Items


def a_draft(**changes: object) -> Draft:
    draft = SubfiguresDraft(
        version=0, status=Status.ACCEPTED, subfigures=(Panel("A", (0.0, 0.0, 10.0, 10.0), (1,)),)
    )
    return msgspec.structs.replace(draft, **changes)


@pytest.fixture
def settled(store: Store) -> Store:
    """f1, done by three."""
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        for name in ("ann1", "ann2", "ann3"):
            tx.annotations.add(an_annotation(annotator=name))
    return store


def test_an_unknown_figure_is_told(settled: Store, home: Home) -> None:
    with pytest.raises(UnknownFigure, match='"nope" is not in this campaign'):
        figure_state(settled, home, "nope", "rev")
    with pytest.raises(UnknownFigure):
        decide(settled, home, "nope", "rev", a_draft())


def test_agreement_is_no_conflict_and_all_is_preselected(settled: Store, home: Home) -> None:
    state = figure_state(settled, home, "f1", "rev")
    assert [(each.conflict, each.preselected, each.reasons) for each in state.candidates] == [
        (False, True, ())
    ] * 2
    assert state.agreement == 1.0
    assert state.reasons == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("subfigures", "reason"),
    [
        ((a_subfigure("A"),), "one of 3 annotators has no box here"),
        (
            (a_subfigure("A"), a_subfigure("B", box=(500, 0, 800, 600), tokens=(10, 12, 13))),
            None,
        ),
        (
            (a_subfigure("A"), a_subfigure("B", box=(550, 0, 800, 600), tokens=(10, 12, 13))),
            "boxes differ (IoU 0.62)",
        ),
        ((a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600), tokens=(12,))), "text differs: 2 tokens"),
        ((a_subfigure("A"), a_subfigure("C", box=(400, 0, 800, 600), tokens=(10, 12, 13))), "labels differ: B, C"),
    ],
)
def test_what_differs_is_said(settled: Store, home: Home, subfigures: tuple, reason: str | None) -> None:
    with settled.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann3", subfigures=subfigures, minutes=1))
    second = figure_state(settled, home, "f1", "rev").candidates[1]
    assert second.label == "B"
    assert second.reasons == ((reason,) if reason else ())
    assert second.conflict is bool(reason)


def test_punctuation_alone_is_no_conflict(settled: Store, home: Home) -> None:
    with settled.transaction() as tx:
        right = a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))
        tx.annotations.add(
            an_annotation(annotator="ann3", subfigures=(a_subfigure(tokens=(3, 4, 5, 6, 7)), right), minutes=1)
        )
    assert not any(each.conflict for each in figure_state(settled, home, "f1", "rev").candidates)


def test_one_annotator_alone_is_taken_whole_and_said_to_be_alone(store: Store, home: Home) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation())
    state = figure_state(store, home, "f1", "rev")
    assert state.quorum == 1
    assert [each.tokens for each in state.candidates] == [(4, 6, 7), (10, 12, 13)]
    assert all(each.preselected and not each.conflict for each in state.candidates)
    assert state.reasons == ("only one annotator has annotated this figure",)
    assert state.agreement is None


def test_keys_are_stable_differ_by_figure_and_need_the_secret(settled: Store, home: Home) -> None:
    with settled.transaction() as tx:
        tx.figures.add(a_figure("f2"))
        for name in ("ann1", "ann2", "ann3"):
            tx.annotations.add(an_annotation(a_figure("f2"), annotator=name))
    first = figure_state(settled, home, "f1", "rev").annotators
    assert figure_state(settled, home, "f1", "someone else").annotators == first
    assert not {each.key for each in first} & {
        each.key for each in figure_state(settled, home, "f2", "r").annotators
    }
    (home.path / "secret.key").write_bytes(b"y" * 64)
    assert not {each.key for each in first} & {
        each.key for each in figure_state(settled, home, "f1", "r").annotators
    }


@pytest.mark.slow
def test_the_order_of_annotators_is_shuffled_by_figure(store: Store, home: Home) -> None:
    firsts = set()
    with store.transaction() as tx:
        for number in range(20):
            figure = a_figure(f"g{number}")
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, annotator="ann1", subfigures=(a_subfigure("A"),)))
            tx.annotations.add(an_annotation(figure, annotator="ann2", subfigures=(a_subfigure("B"),)))
    for number in range(20):
        firsts.add(figure_state(store, home, f"g{number}", "rev").annotations[0].subfigures[0].label)
    assert firsts == {"A", "B"}


def test_a_key_stays_a_persons_own_when_another_annotator_comes(settled: Store, home: Home) -> None:
    before = {each.key for each in figure_state(settled, home, "f1", "rev").annotators}
    with settled.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann4"))
    assert before < {each.key for each in figure_state(settled, home, "f1", "rev").annotators}


def test_names_stand_nowhere_in_what_is_shown(settled: Store, home: Home) -> None:
    decide(settled, home, "f1", "rev", a_draft())
    state = figure_state(settled, home, "f1", "rev")
    assert b"ann1" not in msgspec.json.encode(state)


def test_a_decision_supersedes_and_nothing_is_lost(settled: Store, home: Home) -> None:
    key = figure_state(settled, home, "f1", "rev").annotators[0].key
    first = decide(settled, home, "f1", "rev", a_draft(based_on=(key, key)), now=NOON)
    assert (first.version, first.decided_at, len(first.based_on)) == (1, NOON, 1)
    second = decide(settled, home, "f1", "lead", a_draft(version=1, status=Status.REJECTED, subfigures=()))
    assert second.version == 2
    with settled.read() as tx:
        assert [each.reviewer for each in tx.decisions.history("f1")] == ["rev", "lead"]


def test_a_stale_version_is_a_conflict_that_names_who_was_faster(settled: Store, home: Home) -> None:
    decide(settled, home, "f1", "rev", a_draft(), now=NOON)
    with pytest.raises(Conflict, match="rev adjudicated this figure at 12:00 UTC"):
        decide(settled, home, "f1", "lead", a_draft())
    with pytest.raises(Conflict, match="adjudicated this figure"):
        decide(settled, home, "f1", "lead", a_draft(version=9))
    current = figure_state(settled, home, "f1", "lead").decision
    assert current is not None
    assert current.reviewer == "rev"


def test_unknown_keys_are_refused(settled: Store, home: Home) -> None:
    with pytest.raises(InvalidAnnotation, match=r"based_on\[0\]"):
        decide(settled, home, "f1", "rev", a_draft(based_on=("ann1",)))


corner = st.floats(-2000, 2000)


@given(corner, corner, st.floats(1, 900), st.floats(1, 900))
def test_a_kept_box_lies_in_the_image_and_near_what_was_drawn(x: float, y: float, w: float, h: float) -> None:
    figure = a_figure()
    drawn = Panel("A", (x, y, x + w, y + h))
    if x + w < 0.01 or y + h < 0.01 or x > 799.99 or y > 599.99:
        return
    box = subfigure_of(drawn, figure, 0).box
    assert box.inside(figure.width, figure.height)
    for kept, given_, limit in zip(box.as_list(), drawn.box, (800, 600, 800, 600), strict=True):
        assert kept == pytest.approx(min(max(given_, 0), limit), abs=0.0051)
        assert kept == round(kept, 2)


def test_the_newest_annotation_of_each_annotator_in_a_subfigure_phase_counts(settled: Store) -> None:
    campaign = Campaign("c", (Phase("1"), Phase("2"), Phase("qa", TaskType.FIGURE_QA)), ("A",))
    with settled.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1", phase="2", minutes=9, subfigures=()))
        tx.annotations.add(an_annotation(annotator="ann2", phase="qa", minutes=9, subfigures=()))
    with settled.read() as tx:
        found = newest_of_each(tx.annotations.all(figure="f1"), campaign)
    assert [(each.annotator, each.phase) for each in found] == [("ann1", "2"), ("ann2", "1"), ("ann3", "1")]


def test_the_queue_goes_from_worst_to_best_then_to_what_one_did_alone(settled: Store, home: Home) -> None:
    with settled.transaction() as tx:
        for figure_id in ("alone", "apart", "untouched"):
            tx.figures.add(a_figure(figure_id))
        tx.annotations.add(an_annotation(a_figure("alone")))
        tx.annotations.add(an_annotation(a_figure("apart")))
        tx.annotations.add(an_annotation(a_figure("apart"), annotator="ann2", subfigures=()))
    assert score_disagreement(settled, home.campaign) == 3
    page = queue_page(settled, home.campaign)
    assert page.rows[0].figure_id == "apart"
    assert page.worst == "apart"
    assert {row.figure_id for row in page.rows} == {"apart", "alone", "f1"}
    assert after_decision(settled, "apart") in {"alone", "f1"}
    decide(settled, home, "apart", "rev", a_draft())
    page = queue_page(settled, home.campaign, show=Show.ADJUDICATED)
    assert [(row.figure_id, row.reviewer, row.decided) for row in page.rows] == [("apart", "rev", Status.ACCEPTED)]
    assert (page.count(Show.OPEN), page.count(Show.ADJUDICATED), page.count(Show.ALL)) == (2, 1, 3)


def test_of_two_annotations_saved_at_one_moment_the_later_phase_counts(settled: Store, home: Home) -> None:
    with settled.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1", phase="2", subfigures=()))
    with settled.read() as tx:
        assert newest_of_each(tx.annotations.all(figure="f1"), home.campaign)[0].phase == "2"


def test_a_figure_annotated_after_its_decision_is_marked_until_it_is_settled_again(
    settled: Store, home: Home
) -> None:
    def marked() -> tuple[bool, bool]:
        [row] = queue_page(settled, home.campaign, show=Show.ADJUDICATED).rows
        return row.changed, CHANGED in figure_state(settled, home, "f1", "rev").reasons

    score_disagreement(settled, home.campaign)
    assert not queue_page(settled, home.campaign).rows[0].changed
    decide(settled, home, "f1", "rev", a_draft(), now=NOON + timedelta(minutes=1))
    assert marked() == (False, False)
    with settled.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann3", minutes=2, subfigures=()))
    assert marked() == (True, True)
    decide(settled, home, "f1", "rev", a_draft(version=1), now=NOON + timedelta(minutes=3))
    assert marked() == (False, False)


def test_the_first_decision_takes_over_the_items_on_which_the_annotations_agree(
    settled: Store, home: Home
) -> None:
    kind, other = FigureKind(compound=True, count=2), FigureKind(compound=True, count=3)
    said, never, asked = HumanAnswer("q1", "yes"), HumanAnswer("q1", "no"), HumanAnswer("q2", "42")
    with settled.transaction() as tx:
        for name, minutes, items in (
            ("ann1", 1, Items(kind=other, answers=(said,))),
            ("ann1", 2, Items(kind=kind, answers=(said, asked))),
            ("ann2", 1, Items(kind=kind, answers=(never,))),
        ):
            work = an_annotation(annotator=name, phase=f"types {minutes}", subfigures=(), minutes=minutes)
            tx.annotations.add(dataclasses.replace(work, items=items))
        passed = an_annotation(annotator="ann3", phase="types", status=Status.IGNORED, subfigures=(), minutes=9)
        tx.annotations.add(dataclasses.replace(passed, items=Items(kind=other)))
    first = decide(settled, home, "f1", "rev", a_draft())
    assert first.items == Items(kind=kind, answers=(asked,))
    with settled.transaction() as tx:
        tx.annotations.add(dataclasses.replace(work, annotator="ann4", items=Items(kind=other)))
    assert decide(settled, home, "f1", "rev", a_draft(version=1)).items == first.items


def test_scores_follow_new_annotations(settled: Store, home: Home) -> None:
    score_disagreement(settled, home.campaign)
    with settled.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann3", subfigures=(a_subfigure(tokens=(9,)),), minutes=1))
    assert score_disagreement(settled, home.campaign, ["f1"]) == 1
    agreement = queue_page(settled, home.campaign).rows[0].agreement
    assert agreement is not None
    assert agreement < 1


def test_annotators_who_agree_that_there_is_no_text_agree() -> None:
    bare = (a_subfigure(tokens=()),)
    assert queue_agreement([an_annotation(annotator=name, subfigures=bare) for name in ("a", "b")]) == 1.0
    moved = an_annotation(annotator="b", subfigures=(a_subfigure(box=(0, 0, 200, 600), tokens=()),))
    assert queue_agreement([an_annotation(annotator="a", subfigures=bare), moved]) in (None, 0.0)
    assert queue_agreement([an_annotation()]) is None


def test_a_decision_made_now_is_in_utc(settled: Store, home: Home) -> None:
    assert decide(settled, home, "f1", "rev", a_draft()).decided_at.utcoffset() == timedelta(0)


def palette_of(store: Store, home: Home, *labels: str) -> dict[str, str]:
    figure = a_figure("p" + "".join(labels))
    parts = tuple(a_subfigure(label, box=(0, n * 10, 10, n * 10 + 9)) for n, label in enumerate(labels))
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, subfigures=parts))
    return {each.label: each.color for each in figure_state(store, home, figure.id, "rev").palette}


def test_the_palette_follows_the_case_in_which_a_figure_is_labelled(store: Store, home: Home) -> None:
    large, small = palette_of(store, home, "A", "B"), palette_of(store, home, "a", "b")
    assert list(large) == list(home.campaign.labels)
    assert list(small) == [label.lower() for label in large]
    assert list(small.values()) == list(large.values())


def test_other_labels_follow_the_campaigns_own(store: Store, home: Home) -> None:
    mixed = palette_of(store, home, "A", "b", "i")
    assert list(mixed) == [*home.campaign.labels, "b", "i"]
    assert mixed["b"] == mixed["B"]
    odd = palette_of(store, home, "left", "right")
    assert list(odd) == [*home.campaign.labels, "left", "right"]
    assert len(set(odd.values())) == len(odd)


def with_one_box(home: Home) -> Home:
    campaign = dataclasses.replace(home.campaign, max_boxes=1)
    return Home(home.path, dataclasses.replace(home.settings, campaign=campaign))


def test_a_decision_has_no_more_boxes_than_the_campaign_allows(settled: Store, home: Home) -> None:
    few = Home(
        home.path, dataclasses.replace(home.settings, campaign=dataclasses.replace(home.campaign, max_boxes=1))
    )
    draft = a_draft(subfigures=a_draft().subfigures * 2)
    for save in (
        lambda: decide(settled, few, "f1", "rev", draft),
        lambda: draft_findings(settled, few, "f1", draft),
    ):
        with pytest.raises(InvalidAnnotation, match="subfigures: 2 boxes, more than the 1 that max_boxes"):
            save()


def test_the_screen_says_that_work_with_too_many_boxes_is_left_out(settled: Store, home: Home) -> None:
    few = Home(
        home.path, dataclasses.replace(home.settings, campaign=dataclasses.replace(home.campaign, max_boxes=1))
    )
    state = figure_state(settled, few, "f1", "rev")
    said = "an annotation is left out: it has 2 boxes, more than the 1 that max_boxes in campaign.toml allows"
    assert state.reasons.count(said) == 3
    assert state.annotations == ()
