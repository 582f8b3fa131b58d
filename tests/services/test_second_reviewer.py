"""Whose word a figure waits for: a second reviewer's, then that of a third who was not involved."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from adjudicated import decide, figure_state
from builders import a_decision, a_figure, a_subfigure, an_annotation

from annotator.adjudication.collision import collision
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import SubfiguresDraft
from annotator.adjudication.second_review import may_speak, refusal, waits_for, words
from annotator.adjudication.standing import standing
from annotator.adjudication.state import FigureState
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Awaits
from panelwise.domain.errors import InvalidAnnotation

LEFT = Panel("A", (0.0, 0.0, 400.0, 600.0), (4, 6))
WIDER = Panel("A", (0.0, 0.0, 400.0, 600.0), (4, 6, 7))


class Table:
    """Reviewers at one figure, f1, which ann1 and ann2 annotated. Each call is a decision, over the last one."""

    def __init__(self, store: Store, home: Home) -> None:
        self.store, self.home = store, home

    def decide(self, reviewer: str, *parts: Panel, **more: object) -> Awaits | None:
        with self.store.read() as tx:
            version = tx.decisions.last_version("f1")
        draft = msgspec.structs.replace(
            SubfiguresDraft(version=version, status=Status.ACCEPTED, subfigures=parts or (LEFT,)), **more
        )
        return decide(self.store, self.home, "f1", reviewer, draft).awaits

    def state(self, reviewer: str) -> FigureState:
        return figure_state(self.store, self.home, "f1", reviewer)

    def is_open(self) -> bool:
        with self.store.read() as tx:
            return tx.queue.counts().decided == 0

    def gold(self) -> tuple[list[str], list[str]]:
        tally = GoldTally()
        found = [each.provenance.reviewer for each in gold(self.store, self.home.campaign, tally)]
        return found, tally.awaiting


@pytest.fixture
def table(store: Store, home: Home) -> Table:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        for name, tokens in (("ann1", (4, 6)), ("ann2", (4, 6, 7))):
            tx.annotations.add(an_annotation(annotator=name, subfigures=(a_subfigure(tokens=tokens),)))
    score_disagreement(store, home.campaign)
    return Table(store, home)


def test_without_a_second_reviewer_asked_for_one_settles(table: Table) -> None:
    assert table.decide("rev1") is None
    assert not table.is_open()
    assert table.state("rev2").review.told == ""
    assert table.decide("rev2", WIDER) is None


def test_a_second_who_agrees_settles_it(table: Table) -> None:
    assert table.decide("rev1", second=True) is Awaits.SECOND
    assert table.is_open()
    assert table.gold() == ([], ["f1"])
    mine, other = table.state("rev1").review, table.state("rev2").review
    assert (mine.needs, mine.may, mine.told) == (
        Awaits.SECOND, False, "You adjudicated this figure; it waits for a second reviewer.",
    )  # fmt: skip
    assert (other.needs, other.may) == (Awaits.SECOND, True)
    assert "rev1 adjudicated this figure" in other.told
    assert table.decide("rev2") is None
    assert not table.is_open()
    assert table.gold() == (["rev2"], [])


def test_the_first_may_change_their_mind_and_ask_no_longer(table: Table) -> None:
    table.decide("rev1", second=True)
    assert table.decide("rev1", WIDER, second=True) is Awaits.SECOND
    assert table.decide("rev1", WIDER) is None
    assert not table.is_open()


def test_a_second_who_differs_makes_a_tie_that_a_third_breaks(table: Table) -> None:
    table.decide("rev1", second=True)
    assert table.decide("rev2", WIDER) is Awaits.TIE_BREAK
    assert table.is_open()
    assert [table.state(name).review.may for name in ("rev1", "rev2", "rev3", "ann1")] == [
        False, False, True, False,
    ]  # fmt: skip
    assert "rev1 and rev2 adjudicated this figure differently" in table.state("rev3").review.told
    assert table.decide("rev3", replace_label(LEFT, "B")) is None
    assert not table.is_open()
    assert table.gold() == (["rev3"], [])


@pytest.mark.parametrize(("who", "did"), [("rev1", "adjudicated"), ("rev2", "adjudicated"), ("ann1", "annotated")])
def test_nobody_involved_breaks_the_tie(table: Table, who: str, did: str) -> None:
    table.decide("rev1", second=True)
    table.decide("rev2", WIDER)
    with pytest.raises(InvalidAnnotation, match=f'differ on figure "f1" and you {did} it yourself'):
        table.decide(who, replace_label(LEFT, "B"))
    assert table.is_open()


@pytest.mark.parametrize(("who", "theirs"), [("rev1", WIDER), ("rev2", LEFT)])
def test_one_of_the_two_may_give_in(table: Table, who: str, theirs: Panel) -> None:
    table.decide("rev1", second=True)
    table.decide("rev2", WIDER)
    assert table.decide(who, theirs) is None
    assert not table.is_open()


def test_whoever_breaks_the_tie_sees_both_decisions_and_can_adopt_from_them(table: Table) -> None:
    table.decide("rev1", second=True)
    table.decide("rev2", WIDER)
    shown = table.state("rev3")
    assert [voice.name for voice in shown.annotators] == ["Reviewer 1", "Reviewer 2"]
    assert shown.decision is None
    assert shown.version == 2
    (candidate,) = shown.candidates
    assert candidate.conflict
    assert sorted(map(len, candidate.votes.values())) == [1, 2, 2]
    assert {panel.tokens for opinion in shown.annotations for panel in opinion.subfigures} == {(4, 6), (4, 6, 7)}
    keys = [voice.key for voice in shown.annotators]
    table.decide("rev3", WIDER, based_on=(keys[0], keys[1]))
    with table.store.read() as tx:
        held = tx.decisions.get("f1")
    assert held is not None
    assert sorted(held.based_on) == ["rev1", "rev2"]


def test_a_reviewer_who_annotated_the_figure_has_another_key_as_reviewer(table: Table) -> None:
    before = {voice.key for voice in table.state("x").annotators}
    table.decide("ann1", second=True)
    table.decide("rev2", WIDER)
    assert not before & {voice.key for voice in table.state("rev3").annotators}


def test_the_campaign_may_want_a_second_reviewer_always(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = replace(table.home.campaign, second_reviewer=True)
    monkeypatch.setattr(type(table.home), "campaign", campaign, raising=False)
    assert table.decide("rev1", status=Status.IGNORED) is None
    assert table.decide("rev1") is Awaits.SECOND
    assert table.decide("rev1") is Awaits.SECOND
    assert table.decide("rev2") is None
    assert table.decide("rev3", WIDER) is Awaits.SECOND


def test_a_second_who_puts_it_off_leaves_it_waiting_for_a_second(table: Table) -> None:
    table.decide("rev1", second=True)
    assert table.decide("rev2", status=Status.IGNORED, subfigures=(), note="later") is Awaits.SECOND
    assert table.is_open()
    assert table.gold() == ([], ["f1"])
    other = table.state("rev3")
    assert other.review.told.startswith("rev1 adjudicated this figure and it waits for a second reviewer.")
    assert other.decision is not None  # the one to confirm, not the one that puts it off
    assert (other.decision.reviewer, other.decision.status, other.version) == ("rev1", Status.ACCEPTED, 2)
    assert table.state("rev2").review.may  # who put it off may still decide
    assert table.decide("rev2") is None
    assert table.gold() == (["rev2"], [])


def test_a_second_who_differs_after_another_put_it_off_makes_a_tie(table: Table) -> None:
    table.decide("rev1", second=True)
    table.decide("rev2", status=Status.IGNORED, subfigures=())
    assert table.decide("rev3", WIDER) is Awaits.TIE_BREAK
    assert "rev1 and rev3 adjudicated this figure differently" in table.state("rev2").review.told


@pytest.mark.parametrize("who", ["rev1", "rev3", "ann1"])
def test_putting_a_tie_off_does_not_break_it(table: Table, who: str) -> None:
    table.decide("rev1", second=True)
    table.decide("rev2", WIDER)
    assert table.decide(who, status=Status.IGNORED, subfigures=()) is Awaits.TIE_BREAK
    assert table.is_open()
    shown = table.state("rev3")
    assert (shown.review.may, len(shown.annotators), shown.decision) == (True, 2, None)
    assert table.decide("rev3") is None
    assert table.gold() == (["rev3"], [])


def test_a_first_who_puts_it_off_and_asks_for_a_second_needs_no_third(table: Table) -> None:
    assert table.decide("rev1", status=Status.IGNORED, subfigures=(), second=True) is Awaits.SECOND
    assert table.is_open()
    assert table.decide("rev2") is None
    assert table.gold() == (["rev2"], [])


def test_a_first_who_puts_off_what_they_had_settled_ends_the_round(table: Table) -> None:
    table.decide("rev1", second=True)
    assert table.decide("rev1", status=Status.IGNORED, subfigures=()) is None
    assert table.decide("rev2") is None


def test_a_first_who_takes_back_a_decision_nobody_answered_leaves_nothing_to_confirm(table: Table) -> None:
    table.decide("rev1", second=True)
    assert table.decide("rev1", status=Status.IGNORED, subfigures=(), second=True) is Awaits.SECOND
    with table.store.read() as tx:
        now = standing(tx.decisions.history("f1"), 1)
    assert now is not None
    assert now.status is Status.IGNORED
    assert table.decide("rev2") is None
    assert table.gold() == (["rev2"], [])


def test_a_save_that_crosses_with_somebody_who_puts_it_off_is_compared_with_the_decision(table: Table) -> None:
    table.decide("rev1", second=True)
    table.decide("rev2", status=Status.IGNORED, subfigures=())
    late = collision(
        table.store, table.home, "f1", SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=(WIDER,))
    )
    assert (late.version, late.current and late.current.version) == (2, 1)


def test_boxes_may_differ_as_far_as_the_screen_calls_them_alike() -> None:
    one = a_decision(subfigures=(a_subfigure(box=(0, 0, 100, 100)),))
    assert one.agrees_with(a_decision(subfigures=(a_subfigure(box=(0, 0, 100, 80)),)))
    assert not one.agrees_with(a_decision(subfigures=(a_subfigure(box=(0, 0, 100, 70)),)))
    assert not one.agrees_with(a_decision(subfigures=(a_subfigure("B", box=(0, 0, 100, 100)),)))
    assert not one.agrees_with(a_decision(subfigures=()))
    assert not one.agrees_with(a_decision(status=Status.REJECTED))
    assert a_decision(status=Status.REJECTED).agrees_with(a_decision(status=Status.REJECTED, subfigures=()))


def test_a_new_round_begins_after_what_was_settled() -> None:
    first = a_decision(awaits=Awaits.SECOND)
    settled = a_decision(version=2, reviewer="rev2")
    third = a_decision(version=3, reviewer="rev3", awaits=Awaits.SECOND)
    assert words([first], 1) == {"rev1": first}
    assert words([first, settled], 1) == {}
    assert words([first, settled, third], 1) == {"rev3": third}
    assert words([first], 2) == {}
    assert waits_for({}) is None
    assert may_speak({"rev3": third}, (), "rev1")
    assert refusal({}, (), "rev1") == ""


def replace_label(part: Panel, label: str) -> Panel:
    return msgspec.structs.replace(part, label=label)
