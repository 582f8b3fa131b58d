from __future__ import annotations

import pytest
from agreement_builders import campaigns
from agreement_reference import pair_means
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings

from agreement.trends.repeats import self_agreement
from panelwise.domain.annotation import Annotation, Status


def by(name: str, annotations: list[Annotation]) -> list[Annotation]:
    return [each for each in annotations if each.annotator == name]


def renamed(annotations: list[Annotation], name: str) -> list[Annotation]:
    return [
        an_annotation(
            each.figure, annotator=name, status=each.status, subfigures=each.subfigures, seeded_by=each.seeded_by
        )
        for each in annotations
    ]


def test_both_directions_count_alike() -> None:
    first, second = a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12))
    one = [an_annotation(a_figure(f"f{n}"), subfigures=(first, second)) for n in range(3)]
    other = [an_annotation(a_figure(f"f{n}"), phase="2", subfigures=(first,)) for n in range(3)]
    found = self_agreement(one, other, ("1", "2"), resamples=20)
    assert (found.annotator, found.phases, found.figures, found.counted) == ("ann1", ("1", "2"), 3, 9)
    # Forth half of the gold is missing, back a surplus box costs nothing.
    assert (found.score, found.interval, found.method) == ((0.5 + 1) / 2, (0.75, 0.75), "bootstrap")
    assert (found.reason, found.interval_reason, found.seeded) == ("", "", 0)


def test_figures_with_a_prediction_behind_either_work_are_counted() -> None:
    one = [an_annotation(a_figure(f"f{n}"), seeded_by="m" if n else None) for n in range(3)]
    other = [an_annotation(a_figure(f"f{n}"), phase="2", seeded_by="m" if n == 2 else None) for n in range(3)]
    assert self_agreement(one, other, ("1", "2"), resamples=5).seeded == 2


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (an_annotation(a_figure("f2"), phase="2"), "no figure of theirs in phase 2 too"),
        (
            an_annotation(phase="2", status=Status.REJECTED),
            "no figure that they accepted both times, with one caption and size",
        ),
        (
            an_annotation(
                a_figure("f1", caption="another caption, with many more words than that in it, all of them words"),
                phase="2",
            ),
            "no figure that they accepted both times, with one caption and size",
        ),
    ],
)
def test_where_nothing_can_be_scored_the_reason_is_told(other: Annotation, reason: str) -> None:
    found = self_agreement([an_annotation()], [other], ("1", "2"), resamples=5)
    assert (found.score, found.reason, found.interval, found.interval_reason) == (None, reason, None, reason)


def test_one_figure_alone_has_a_score_but_no_interval() -> None:
    found = self_agreement([an_annotation()], [an_annotation(phase="2")], ("1", "2"))
    assert (found.score, found.interval, found.reason) == (1, None, "")
    assert found.interval_reason == "one figure alone cannot be resampled"


def test_it_takes_one_person_in_two_phases() -> None:
    for one, other in (([an_annotation()], []), ([an_annotation()], [an_annotation(annotator="ann2")])):
        with pytest.raises(ValueError, match="one annotator's work in two phases"):
            self_agreement(one, other, ("1", "2"))


@pytest.mark.slow
@given(campaigns)
@settings(max_examples=30)
def test_identical_repeats_agree_fully(annotations: list[Annotation]) -> None:
    # Of two equal boxes the first answers for both, whatever it says.
    own = [
        each
        for each in by("ann1", annotations)
        if len({part.box for part in each.subfigures}) == len(each.subfigures)
    ]
    if own:
        found = self_agreement(own, own, ("1", "2"), resamples=10)
        assert found.score == (1 if found.counted else None)
        assert found.interval in (None, (1, 1))


@pytest.mark.slow
@given(campaigns)
@settings(max_examples=30)
def test_it_is_the_mean_of_what_a_plain_loop_finds_both_ways(annotations: list[Annotation]) -> None:
    one, other = by("ann1", annotations), by("ann2", annotations)
    if one and other:
        found = self_agreement(one, renamed(other, "ann1"), ("1", "2"), resamples=5)
        means = [mean for mean in pair_means([*one, *other]).values() if mean is not None]
        assert found.score == (pytest.approx(sum(means) / len(means)) if means else None)
        assert self_agreement(renamed(other, "ann1"), one, ("2", "1"), resamples=5).score == pytest.approx(
            found.score
        )
