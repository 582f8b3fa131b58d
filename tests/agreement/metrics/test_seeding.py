from __future__ import annotations

import random
from typing import Any

import pytest
from agreement_builders import campaigns
from agreement_reference import pair_means
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings

from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from agreement.resampling import bootstrap
from agreement.resampling.bootstrap import intervals
from agreement.score.subfigure_f1 import Mode
from agreement.trends.seeding import Seeded, seeded_apart
from panelwise.domain.annotation import Annotation


def marked(figure: str, name: str, *tokens: int, seeded: bool = False) -> Annotation:
    return an_annotation(
        a_figure(figure),
        annotator=name,
        subfigures=(a_subfigure(tokens=tokens),),
        seeded_by="model" if seeded else None,
    )


def apart(annotations: list[Annotation], **more: Any) -> Seeded:
    options = {"resamples": 50, **more}
    count = sum(each.seeded_by is not None for each in annotations)
    return seeded_apart(pair_scores(annotations), count, len(annotations), **options)


def test_a_figure_is_seeded_for_the_pairs_of_who_began_from_a_prediction() -> None:
    found = apart(
        [
            marked("f1", "A", 4, 6, seeded=True),
            marked("f1", "B", 4, 6),
            marked("f1", "C", 4, 7),
            *(marked("f2", name, 4) for name in "ABC"),
        ]
    )
    assert (found.annotations, found.of, found.seeded.figures, found.unseeded.figures) == (1, 6, 1, 2)
    # Seeded: A with B (1) and with C (.5). Elsewhere: A with either on f2 (1), B with C on both ((.5 + 1) / 2).
    assert found.seeded.iaa == pytest.approx(0.75)
    assert found.unseeded.iaa == pytest.approx((1 + 1 + 0.75) / 3)
    pairs = {(each.gold, each.predicted): each for each in found.pairs}
    assert (pairs["A", "C"].seeded.iaa, pairs["A", "C"].seeded.figures, pairs["A", "C"].seeded.counted) == (
        0.5,
        1,
        1,
    )
    assert (pairs["A", "C"].unseeded.iaa, pairs["A", "C"].unseeded.figures) == (1, 1)
    assert (pairs["B", "C"].seeded.iaa, pairs["B", "C"].seeded.figures) == (None, 0)
    assert (pairs["B", "C"].unseeded.iaa, pairs["B", "C"].unseeded.counted) == (0.75, 2)


def test_each_part_has_its_own_interval_or_the_reason_why_not() -> None:
    found = apart(
        [
            *(marked(f"f{n}", name, 4, 6 + n, seeded=True) for n in range(1) for name in "AB"),
            *(marked(f"g{n}", name, 4, 6 if name == "A" or n else 7) for n in range(4) for name in "AB"),
        ]
    )
    assert (found.seeded.interval, found.seeded.interval_reason) == (None, "one figure alone cannot be resampled")
    assert found.unseeded.interval is not None
    assert found.unseeded.interval[0] < found.unseeded.interval[1] == 1
    assert found.pairs[0].seeded.interval is None
    assert found.pairs[0].unseeded.interval is not None


@pytest.mark.parametrize(
    ("annotations", "reason", "other"),
    [
        ([], "no figure was scored", "no figure was scored"),
        ([marked("f1", name, 4) for name in "AB"], "no scored figure began from a prediction", ""),
        ([marked("f1", name, 4, seeded=True) for name in "AB"], "", "no scored figure began from nothing"),
        (
            [marked("f1", name, seeded=True) for name in "AB"] + [marked("f2", name, 4) for name in "AB"],
            "no gold subfigure with a counted token in the figures they share",
            "",
        ),
    ],
)
def test_a_part_without_an_iaa_says_why(annotations: list[Annotation], reason: str, other: str) -> None:
    found = apart(annotations)
    assert (found.seeded.reason, found.unseeded.reason) == (reason, other)
    assert (found.seeded.iaa is None, found.unseeded.iaa is None) == (bool(reason), bool(other))


def test_the_part_of_a_pair_over_one_figure_has_no_interval_and_says_so() -> None:
    work = [marked(f"f{n}", name, 4, 6 + (n > 2), seeded=True) for n in range(6) for name in "AB"]
    work += [marked("f0", "C", 4, 6, seeded=True), *(marked(f"g{n}", name, 4) for n in range(2) for name in "AB")]
    pairs = {(each.gold, each.predicted): each for each in apart(work).pairs}
    assert (pairs["A", "C"].seeded.figures, pairs["A", "C"].seeded.interval) == (1, None)
    assert pairs["A", "C"].seeded.interval_reason == "one figure alone cannot be resampled"
    assert (pairs["A", "B"].seeded.interval is None, pairs["A", "B"].seeded.interval_reason) == (False, "")


def test_where_all_is_seeded_the_whole_interval_serves() -> None:
    annotations = [marked(f"f{n}", name, 4, 6 + (n > 2)) for n in range(6) for name in "AB"]
    whole = intervals(pair_scores(annotations), resamples=50)
    found = apart(annotations, whole=whole)
    assert found.unseeded.interval == whole.iaa
    assert found == apart(annotations)


@pytest.mark.slow
def test_parts_of_a_large_whole_have_linearised_intervals_near_those_of_the_bootstrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = random.Random(3)
    annotations = [
        marked(f"f{n:03}", name, *source.sample((4, 6, 7), 2), seeded=n % 3 == 0)
        for n in range(300)
        for name in "ABC"
    ]
    annotations.append(marked("alone", "D", 4))
    drawn = apart(annotations, resamples=2000)
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 250)
    found = apart(annotations, resamples=2000)
    assert found.seeded.interval == pytest.approx(drawn.seeded.interval, abs=0.02)
    assert found.unseeded.interval == pytest.approx(drawn.unseeded.interval, abs=0.02)
    for one, other in zip(found.pairs, drawn.pairs, strict=True):
        assert (one.seeded.interval is None) == ("D" in (one.gold, one.predicted))
        if one.seeded.interval is not None:
            assert one.seeded.interval == pytest.approx(other.seeded.interval, abs=0.02)
    alone = [each for each in annotations if each.seeded_by is None] + [
        marked("s", n, 4, seeded=True) for n in "AD"
    ]
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 150)
    found = apart(alone)
    assert (found.seeded.interval, found.seeded.interval_reason) == (None, "one figure alone cannot be resampled")


def test_nothing_to_count_is_0_by_the_official_code() -> None:
    annotations = [
        an_annotation(a_figure("f1"), annotator=name, subfigures=(), seeded_by="model") for name in "AB"
    ]
    found = seeded_apart(pair_scores(annotations, mode=Mode.OFFICIAL), 2, 2)
    assert (found.seeded.iaa, found.seeded.reason, found.seeded.interval_reason) == (
        0,
        "",
        "no gold subfigure with a counted token",
    )


@pytest.mark.slow
@given(campaigns)
@settings(max_examples=30)
def test_each_pair_is_what_a_plain_loop_finds_on_either_part(annotations: list[Annotation]) -> None:
    found = apart(annotations, resamples=5)
    for pair in found.pairs:
        own = [each for each in annotations if each.annotator in (pair.gold, pair.predicted)]
        seeded = {each.figure.id for each in own if each.seeded_by is not None}
        for score, kept in (
            (pair.seeded.iaa, [each for each in own if each.figure.id in seeded]),
            (pair.unseeded.iaa, [each for each in own if each.figure.id not in seeded]),
        ):
            plain = pair_means(kept).get((pair.gold, pair.predicted))
            assert score == (None if plain is None else pytest.approx(plain))
    for part in (found.seeded.reason, found.unseeded.reason):
        assert part == "" or not part.isspace()


@pytest.mark.slow
@given(campaigns)
@settings(max_examples=30)
def test_where_nothing_is_seeded_the_rest_is_the_whole(annotations: list[Annotation]) -> None:
    plain = [
        an_annotation(each.figure, annotator=each.annotator, status=each.status, subfigures=each.subfigures)
        for each in annotations
    ]
    found = apart(plain, resamples=5)
    assert found.seeded.iaa is None
    assert found.unseeded.iaa == mean_of_pairs(pair_scores(plain))


def test_the_effect_is_the_agreement_where_both_began_from_a_prediction_less_that_where_one_did() -> None:
    found = apart(
        [
            *(marked(f"f{n}", name, 4, 6, seeded=True) for n in range(3) for name in "AB"),
            *(marked(f"g{n}", "A", 4, 6, seeded=True) for n in range(4)),
            *(marked(f"g{n}", "B", 4, 6 if n else 7) for n in range(4)),
            *(marked("h0", name, 4, 6 if name == "A" else 7) for name in "AB"),
        ]
    )
    # Both: 1 throughout. One: 1, 1, 1, .5. Neither has no part in it.
    assert (found.effect.value, found.figures_both, found.figures_one) == (pytest.approx(1 - 3.5 / 4), 3, 4)
    assert found.effect.interval is not None
    assert found.effect.interval[0] <= 0.125 <= found.effect.interval[1]
    assert found.effect.method == "bootstrap"


def test_without_both_kinds_of_figures_there_is_no_effect() -> None:
    found = apart([marked("f1", name, 4, seeded=True) for name in "AB"])
    assert (found.effect.value, found.figures_both, found.figures_one) == (None, 1, 0)
    assert found.effect.reason.startswith("needs figures where both of a pair began from a prediction")
