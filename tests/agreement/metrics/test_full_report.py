from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from agreement_builders import annotations as drawn_annotations
from builders import NOON, a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.primitives.settings import Settings
from agreement.report.full_report import BY_WEEK, Course, full_report
from agreement.report.summary import Report, report_on
from agreement.score.subfigure_f1 import Mode
from agreement.trends.drift import Grouping
from agreement.trends.phases import PhaseDifference, Scope
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.caption import Caption

QUICK = Settings(resamples=20)


def marked(figure: str, name: str, phase: str, *tokens: int, minutes: float = 0) -> Annotation:
    parts = (a_subfigure(tokens=tokens),)
    return an_annotation(a_figure(figure), annotator=name, phase=phase, subfigures=parts, minutes=minutes)


def two_phases() -> list[Annotation]:
    return [
        *(marked(figure, name, "1", 4, 6) for figure in ("f1", "f2") for name in "ABC"),
        *(marked("f1", name, "2", *tokens) for name, tokens in (("A", (4, 6)), ("B", (4, 7)))),
    ]


def test_the_phase_itself_is_reported_as_ever() -> None:
    found = full_report(two_phases(), QUICK, phase="1")
    plain = report_on([each for each in two_phases() if each.phase == "1"], QUICK, phase="1")
    for field in Report.__dataclass_fields__.keys() - {
        "pairs",
        "boxes",
        "drift",
        "repeats",
        "acquainted",
        "worst",
    }:
        assert getattr(found, field) == getattr(plain, field), field
    assert [(each.gold, each.predicted, each.score) for each in found.pairs] == [
        (each.gold, each.predicted, each.score) for each in plain.pairs
    ]
    assert found.other_phase is None


def test_of_several_phases_one_must_be_chosen() -> None:
    with pytest.raises(ValueError, match="annotations of phases 1, 2; choose one"):
        full_report(two_phases(), QUICK)
    assert full_report(two_phases()[:6], QUICK).phase == "1"
    assert full_report([], QUICK).phase is None


def test_another_phase_is_set_beside_it() -> None:
    beside = full_report(two_phases(), QUICK, phase="1", against="2").other_phase
    assert beside is not None
    assert (beside.here, beside.there, beside.annotators, beside.only_here) == ("1", "2", ("A", "B"), ("C",))
    same = beside.contrasts[list(Scope).index(Scope.FIGURES_AND_ANNOTATORS)]
    assert (same.here.iaa, same.there.iaa, same.difference) == (1, 0.5, 0.5)
    nowhere = full_report(two_phases(), QUICK, phase="1", against="9").other_phase
    assert nowhere is not None
    assert nowhere.contrasts[0].reason == "phase 9: no annotations"
    nothing = full_report([], QUICK, against="9")
    assert nothing.other_phase is not None
    assert nothing.other_phase.contrasts[0].reason == "no annotations"


def test_a_figure_whose_caption_was_replaced_between_the_phases_is_no_longer_the_same() -> None:
    revised = replace(a_figure("f1"), caption=Caption.cut("one two three four five six seven eight"), revision=2)
    work = [replace(each, figure=revised) if each.phase == "2" else each for each in two_phases()]
    found = full_report(work, QUICK, phase="1", against="2")
    assert found.other_phase is not None
    assert found.other_phase.changed == ("f1",)
    reason = "no figure was scored in both phases on one caption and size"
    assert [each.reason for each in found.other_phase.contrasts[1:]] == [reason, reason]
    assert found.repeats[0].reason == "no figure that they accepted both times, with one caption and size"


#: Captions of one length, so that tokens fit all.
CAPTIONS = {letter: " ".join([letter] * 9) for letter in "xyz"}


def on(phase: str, seen: str, marks: dict[str, tuple[int, ...]], figure: str = "f1") -> list[Annotation]:
    """Work of A, B, C ... on one figure, each on the caption of this letter; "-" is one who rejected it."""
    made = []
    for name, letter in zip("ABCD", seen, strict=False):
        if letter == "-":
            made.append(an_annotation(a_figure(figure), annotator=name, phase=phase, status=Status.REJECTED))
            continue
        revised = replace(a_figure(figure), caption=Caption.cut(CAPTIONS[letter]))
        made.append(replace(marked(figure, name, phase, *marks.get(name, (4,))), figure=revised))
    return made


def beside(work: list[Annotation]) -> PhaseDifference:
    found = full_report(work, QUICK, phase="1", against="2").other_phase
    assert found is not None
    return found


def test_what_was_scored_tells_whether_a_figure_changed_and_not_which_captions_there_were() -> None:
    """Both phases have work on x and on y, but A and B, whose work is scored, moved from the one to the other."""
    found = beside([*on("1", "xxy", {}), *on("2", "yyx", {"B": (6,)})])
    assert (found.shared, found.changed) == (1, ("f1",))
    for contrast in found.contrasts[1:]:
        assert contrast.reason == "no figure was scored in both phases on one caption and size"
        assert (contrast.difference, contrast.here.figures, contrast.there.figures) == (None, 0, 0)


def test_somebody_alone_on_another_caption_leaves_the_figure_of_the_others_the_same() -> None:
    found = beside([*on("1", "xxy", {}), *on("2", "xxx", {"B": (4, 6)})])
    assert (found.shared, found.changed) == (1, ())
    figures, same = found.contrasts[1:]
    # A against B is 1, then 2/3; with C there are three pairs, each both ways.
    assert same.difference == pytest.approx(1 - 2 / 3)
    assert (figures.here.annotators, figures.there.annotators) == (("A", "B"), ("A", "B", "C"))
    assert figures.difference == pytest.approx(1 - (2 / 3 + 1 + 2 / 3) / 3)


def test_a_figure_that_changed_for_one_pair_alone_is_left_out_for_that_pair_alone() -> None:
    # A and B stay on x; C and D were on y, which nobody is scored on any more.
    found = beside([*on("1", "xxyy", {"D": (6,)}), *on("2", "xxxx", {})])
    assert (found.shared, found.changed) == (1, ("f1",))
    figures, same = found.contrasts[1:]
    assert (figures.here.annotators, figures.there.annotators) == (("A", "B"), tuple("ABCD"))
    assert (same.here.annotators, same.there.annotators) == (("A", "B"), ("A", "B"))
    assert (figures.here.iaa, same.here.iaa) == (1, 1)


def test_two_pairs_that_exchanged_captions_share_the_figure_and_no_pair_has_it_twice() -> None:
    found = beside([*on("1", "xxyy", {"D": (6,)}), *on("2", "yyxx", {})])
    assert (found.shared, found.changed) == (1, ("f1",))
    figures, same = found.contrasts[1:]
    assert figures.difference == -0.5
    assert (same.difference, same.here.figures) == (None, 0)
    assert same.reason == "no pair of annotators was scored in both phases on one caption and size"


def test_what_was_never_scored_in_both_phases_is_not_told_as_changed() -> None:
    found = beside([*on("1", "xx", {}), *on("2", "y-", {}), *on("1", "x", {}, "f2"), *on("2", "xx", {}, "f2")])
    assert (found.shared, found.changed) == (0, ())
    assert found.contrasts[1].reason == "no figure was scored in both phases"


@pytest.mark.slow
@given(
    st.lists(st.text("xyz-", min_size=4, max_size=4), min_size=2, max_size=2),
    st.lists(st.text("xyz-", min_size=4, max_size=4), min_size=2, max_size=2),
    st.randoms(),
)
@settings(max_examples=30)
def test_a_pair_is_set_against_itself_on_equal_captions_alone(
    here: list[str], there: list[str], source: random.Random
) -> None:
    """The strictest scope by a plain loop: which pairs have which figures on one caption in both phases."""
    work = []
    for place, name in enumerate(("f1", "f2")):
        work += [*on("1", here[place], {}, name), *on("2", there[place], {}, name)]
    found = beside(source.sample(work, len(work)))
    names, figures, pairs = set(), set(), 0
    for one, other in combinations(range(4), 2):
        alike = {
            place
            for place in range(2)
            if {here[place][one], here[place][other], there[place][one], there[place][other]}
            in ({"x"}, {"y"}, {"z"})
        }
        if alike:
            names |= {"ABCD"[one], "ABCD"[other]}
            figures |= alike
            pairs += 2 * len(alike)
    for side in (found.contrasts[2].here, found.contrasts[2].there):
        assert (set(side.annotators), side.figures, side.counted) == (names, len(figures), pairs)


def test_what_an_annotator_did_in_another_phase_too_is_scored_against_themselves() -> None:
    found = full_report(two_phases(), QUICK, phase="1").repeats
    assert [(each.annotator, each.phases, each.score) for each in found] == [
        ("A", ("1", "2"), 1),
        ("B", ("1", "2"), 0.5),
        ("C", ("1", ""), None),
    ]
    assert found[2].reason == found[2].interval_reason == "no figure of theirs in another phase too"
    against = full_report(two_phases(), QUICK, phase="1", against="2").repeats
    assert (against[2].phases, against[2].reason) == (("1", "2"), "no figure of theirs in phase 2 too")
    (alone, *_) = full_report(two_phases()[:6], QUICK).repeats
    assert alone.reason == "no other phase to have done a figure twice in"


def test_each_further_phase_has_its_own_entry() -> None:
    work = [marked("f1", "A", phase, 4) for phase in ("3", "1", "2")]
    assert [each.phases for each in full_report(work, QUICK, phase="1").repeats] == [("1", "2"), ("1", "3")]
    only = full_report(work, QUICK, phase="1", against="3").repeats
    assert [each.phases for each in only] == [("1", "3")]


def test_a_correction_is_no_repeat() -> None:
    work = [marked("f1", "A", "1", 4), marked("f1", "A", "1", 7, minutes=5), marked("f1", "B", "1", 7)]
    found = full_report(work, QUICK)
    assert found.iaa == 1
    assert found.counts.superseded == (("f1", "A"),)
    assert [each.score for each in found.repeats] == [None, None]
    work.append(marked("f1", "A", "2", 7))
    work.append(marked("f1", "A", "2", 4, minutes=-5))
    assert full_report(work, QUICK, phase="1").repeats[0].score == 1


def test_a_phase_in_which_nobody_drew_anything_is_no_second_try() -> None:
    asked_otherwise = [an_annotation(a_figure("f1"), annotator="A", phase="types", subfigures=())]
    work = [*two_phases(), *asked_otherwise]
    reason = "no second try: no annotator drew a box in phase types"
    found = full_report(work, QUICK, phase="1", against="types").repeats
    assert [(each.score, each.reason) for each in found] == [
        (None, reason),
        *[(None, "no figure of theirs in phase types too")] * 2,
    ]
    # Nor is it the other way round.
    (back,) = full_report(work, QUICK, phase="types", against="1").repeats
    assert (back.score, back.reason, back.interval_reason) == (None, reason, reason)
    every = full_report(work[:6] + asked_otherwise, QUICK, phase="1").repeats
    assert [each.reason for each in every] == [reason, *["no figure of theirs in another phase too"] * 2]
    both = full_report(
        [*asked_otherwise, replace(asked_otherwise[0], phase="again")], Settings(Mode.OFFICIAL), phase="types"
    )
    assert both.repeats[0].score == 0


def test_drift_goes_by_the_work_that_holds() -> None:
    week = 7 * 24 * 60
    work = [
        marked("f1", "A", "1", 4, minutes=week),
        an_annotation(a_figure("f1"), annotator="A", status=Status.REJECTED, minutes=2 * week),
        *(marked("f1", name, "1", 4) for name in "BC"),
    ]
    drift = full_report(work, QUICK).drift
    assert drift is not None
    assert [each.first for each in drift.periods] == [NOON]
    assert full_report(work, QUICK, course=Course(None)).drift is None
    parts = full_report(two_phases(), QUICK, phase="1", course=Course(Grouping.BATCH, batches={"f1": "b"})).drift
    assert parts is not None
    assert [(each.name, each.iaa) for each in parts.periods] == [("b", 1)]
    assert BY_WEEK.by is Grouping.WEEK


several = st.lists(
    st.tuples(drawn_annotations(), st.sampled_from("12")).map(lambda pair: replace(pair[0], phase=pair[1])),
    max_size=12,
    unique_by=lambda each: (each.figure.id, each.annotator, each.phase),
)


@pytest.mark.slow
@given(several, st.sampled_from(Mode), st.randoms())
@settings(max_examples=30)
def test_every_undefined_value_has_its_reason_and_no_order_matters(
    work: list[Annotation], mode: Mode, source: random.Random
) -> None:
    options = {"settings": Settings(mode, resamples=5), "phase": "1", "against": "2"}
    found = full_report(work, **options)
    again = full_report(source.sample(work, len(work)), **options)
    assert (found.drift, found.other_phase, found.repeats) == (again.drift, again.other_phase, again.repeats)
    assert found.seeded == again.seeded
    assert found.drift is not None
    assert found.other_phase is not None
    told = [(each.score, each.reason) for each in found.repeats] + [
        (each.interval, each.interval_reason) for each in (*found.repeats, *found.drift.periods)
    ]
    told += [(each.iaa, each.reason) for each in found.drift.periods]
    told += [(found.drift.trend.interval, found.drift.trend.reason)]
    for contrast in found.other_phase.contrasts:
        told += [(contrast.difference, contrast.reason), (contrast.interval, contrast.interval_reason)]
        told += [(side.iaa, side.reason) for side in (contrast.here, contrast.there)]
        told += [(side.interval, side.interval_reason) for side in (contrast.here, contrast.there)]
    for part in (found.seeded.seeded, found.seeded.unseeded):
        told += [(part.iaa, part.reason), (part.interval, part.interval_reason)]
    for value, reason in told:
        assert (value is None) == bool(reason), (value, reason)
