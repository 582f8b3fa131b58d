from __future__ import annotations

from dataclasses import replace

import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings

from agreement.pairs.pairwise import Passed, pair_scores
from agreement.primitives.settings import Settings
from agreement.report.summary import report_on
from agreement.score.subfigure_f1 import Common, LeftOut, Mode
from panelwise.domain.annotation import Annotation, Status

QUICK = Settings(resamples=20)


def with_tokens(figure: str, name: str, *tokens: int) -> Annotation:
    return an_annotation(a_figure(figure), annotator=name, subfigures=(a_subfigure(tokens=tokens),))


def test_the_settings_say_which_common_tokens_went() -> None:
    assert Settings().common_used is Common.NONE
    assert Settings(mode=Mode.OFFICIAL).common_used is Common.GOLD
    assert Settings(mode=Mode.OFFICIAL, common=Common.BOTH).common_used is Common.BOTH


def test_how_exactly_one_draws_is_the_median_overlap_of_boxes_that_match() -> None:
    def drawn(name: str, *widths: int) -> list[Annotation]:
        return [
            an_annotation(a_figure(f"f{place}"), annotator=name, subfigures=(a_subfigure(box=(0, 0, width, 100)),))
            for place, width in enumerate(widths)
        ]

    work = [*drawn("A", 100, 100, 100, 100), *drawn("B", 100, 80, 60, 40), *drawn("C", 100, 100)]
    people = {person.name: person.median_iou for person in report_on(work, QUICK).annotators}
    # 1, 0.8 and 0.6 with B, who has no match of 0.4; 1 and 1 with C.
    assert people["A"].value == 1.0
    assert people["B"].value == pytest.approx(0.8)
    alone = report_on(drawn("A", 100) + drawn("B", 40), QUICK).annotators
    assert [person.median_iou.value for person in alone] == [None, None]
    assert alone[0].median_iou.why == "no box matches another one's from IoU 0.5 on"


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ([], "no annotations"),
        ([an_annotation()], "one annotator only (ann1); agreement needs two"),
        ([an_annotation(), an_annotation(a_figure("f2"), annotator="ann2")], "no figure in common"),
        (
            [with_tokens("f1", "A"), with_tokens("f1", "B")],
            "no gold subfigure with a counted token in the figures they share",
        ),
    ],
)
def test_an_undefined_iaa_has_its_reason(annotations: list[Annotation], reason: str) -> None:
    found = report_on(annotations, QUICK)
    assert (found.iaa, found.reason) == (None, reason)
    assert found.pooled is None
    assert found.macro is None


def test_each_annotator_is_judged_as_gold_as_predictor_and_by_their_absence() -> None:
    surplus = (a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12)))
    annotations = [
        an_annotation(annotator="A", subfigures=surplus[:1]),
        an_annotation(annotator="B", subfigures=surplus),
        an_annotation(annotator="C", subfigures=surplus[:1]),
    ]
    people = {person.name: person for person in report_on(annotations, QUICK).annotators}
    assert (people["B"].as_gold, people["B"].as_predicted, people["B"].without) == (0.5, 1, 1)
    assert (people["A"].as_gold, people["A"].as_predicted, people["A"].without) == (1, 0.75, 0.75)
    assert (people["B"].figures, people["B"].accepted, people["B"].subfigures) == (1, 1, 2)


def test_counts_tell_what_was_scored_and_what_was_left_out() -> None:
    annotations = [
        *(an_annotation(a_figure("f1"), annotator=name) for name in "AB"),
        *(with_tokens("f2", name) for name in "AB"),
        an_annotation(a_figure("f3"), annotator="A"),
        an_annotation(a_figure("f4"), annotator="A"),
        an_annotation(a_figure("f4"), annotator="B", status=Status.REJECTED, minutes=3),
        an_annotation(a_figure("f4"), annotator="B", minutes=1),
    ]
    counts = report_on(annotations, QUICK).counts
    assert (counts.annotations, counts.figures, counts.shared, counts.scored) == (7, 4, 3, 2)
    assert counts.subfigures == 2 + 2 + 1 + 1 + 2 + 2
    assert counts.left_out == {LeftOut.NO_SUBCAPTION: 2}
    assert counts.passed == {Passed.REJECTED: ("f4",)}
    assert counts.superseded == (("f4", "B"),)


def test_agreement_is_split_by_what_began_from_a_prediction() -> None:
    annotations = [
        with_tokens("f1", "A", 4),
        with_tokens("f1", "B", 4),
        with_tokens("f2", "A", 4),
        with_tokens("f2", "B", 6),
    ]
    annotations[1] = replace(annotations[1], seeded_by="model")
    seeded = report_on(annotations, QUICK).seeded
    assert (seeded.annotations, seeded.of, seeded.seeded.figures, seeded.unseeded.figures) == (1, 4, 1, 1)
    assert (seeded.seeded.iaa, seeded.unseeded.iaa) == (1, 0)
    assert report_on(annotations[2:], QUICK).seeded.seeded.iaa is None


def test_accepting_and_rejecting_is_scored_apart() -> None:
    verdicts = {"A": "aarri", "B": "araaa"}
    statuses = {"a": Status.ACCEPTED, "r": Status.REJECTED, "i": Status.IGNORED}
    annotations = [
        an_annotation(a_figure(f"f{n}"), annotator=name, status=statuses[verdict])
        for name, given_ in verdicts.items()
        for n, verdict in enumerate(given_)
    ]
    (found,) = report_on(annotations, QUICK).statuses
    assert (found.annotators, found.units, found.observed) == (("A", "B"), 4, 0.25)
    assert found.kappa == pytest.approx(-0.5)
    assert found.reason == ""


def test_an_undefined_kappa_has_its_reason() -> None:
    same = [an_annotation(annotator=name) for name in "AB"]
    apart = an_annotation(a_figure("f2"), annotator="C")
    reasons = [each.reason for each in report_on([*same, apart], QUICK).statuses]
    assert reasons == ["both gave one verdict throughout", "no figure in common", "no figure in common"]


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns)
def test_a_report_says_what_the_pairs_say(annotations: list[Annotation]) -> None:
    found = report_on(annotations, QUICK)
    assert [pair.score for pair in found.pairs] == [pair.score for pair in pair_scores(annotations)]
    assert (found.iaa is None) == bool(found.reason)
    assert found.counts.scored <= found.counts.shared <= found.counts.figures
