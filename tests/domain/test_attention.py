"""How annotators worked: counts add up, and a share of nothing is undefined."""

from __future__ import annotations

from dataclasses import replace

from builders import a_figure, a_subfigure, an_annotation

from panelwise.domain.annotation import Status
from panelwise.domain.attention import Attention, attention_of, by_annotator, part_names
from panelwise.domain.items import NO_ITEMS, FigureKind, HumanAnswer, Items, QAVerdict, Verdict


def test_shares_are_of_what_was_recorded() -> None:
    looked = Attention.of_figure(3, 1, unchanged=True, seconds=2.5)
    untimed = Attention.of_figure(1, 1, unchanged=False, seconds=None)
    both = looked + untimed
    assert both == Attention(figures=2, unchanged=1, parts=4, unseen=2, timed=1, fast=1)
    assert (both.unchanged_share, both.unseen_share, both.fast_share) == (0.5, 0.5, 1.0)
    assert untimed.fast_share is None


def test_a_figure_done_in_exactly_the_floor_is_not_fast() -> None:
    assert Attention.of_figure(2, 2, unchanged=False, seconds=2.0).fast == 0
    assert Attention.of_figure(2, 2, unchanged=False, seconds=1.999).fast == 1


def test_an_accepted_figure_without_parts_has_no_share_of_parts() -> None:
    nothing = Attention.of_figure(0, 0, unchanged=False, seconds=0.1)
    assert (nothing.unseen_share, nothing.fast_share) == (None, 0.0)


def test_counts_are_summed_by_phase_and_annotator() -> None:
    one = Attention.of_figure(1, 0, unchanged=True, seconds=5.0)
    work = [(("1", "ann", "f1", 1), one), (("1", "ann", "f2", 1), one), (("2", "ann", "f1", 1), one)]
    assert by_annotator(work) == {("1", "ann"): one + one, ("2", "ann"): one}


def test_work_that_was_not_accepted_or_recorded_nothing_has_no_attention() -> None:
    looked = replace(an_annotation(a_figure(), subfigures=(a_subfigure("A"),)), viewed=("A", "gone"), seconds=0.5)
    assert attention_of(looked) == Attention.of_figure(1, 1, unchanged=False, seconds=0.5)
    assert attention_of(replace(looked, viewed=None)) is None
    assert attention_of(replace(looked, status=Status.IGNORED)) is None


def test_the_figures_type_and_items_are_parts_and_a_repeated_label_is_one() -> None:
    kind = FigureKind(compound=False, count=1, types=frozenset(), note="")
    items = Items(kind, (QAVerdict("q1", Verdict.CORRECT, None, ""),), (HumanAnswer("q2", "yes", ""),))
    assert part_names((a_subfigure("A"), a_subfigure("A")), items) == ("A", "", "q1", "q2")
    assert part_names((), NO_ITEMS) == ()
