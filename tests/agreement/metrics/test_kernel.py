"""The kernel against the plain loop: to the last bit, on all that files may hold."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from agreement_corpora import work_on
from agreement_reference import Panel as PlainPanel
from agreement_reference import figure_f1s, figure_losses, in_every
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from agreement.columns import panels
from agreement.columns.corpus import Corpus
from agreement.columns.raw import RawAnnotation, Submitted, panels_of, subcaptions_of
from agreement.pairs.pairwise import PairScore, compare, detailed, pair_scores
from agreement.primitives.rules import Common, LeftOut, Mode
from agreement.score import scoring
from agreement.score.losses import CAUSES, Loss
from panelwise.domain.annotation import Panel, Status

#: Figures of an example: `--soak` runs 5,000 of them, 20,000 figures, each in both modes with every `--common`.
FIGURES = 4
corpora = st.builds(
    lambda seed, raw: work_on(FIGURES, random.Random(seed), raw=raw), st.integers(0, 2**32), st.booleans()
)
thresholds = st.sampled_from([0.0, 0.25, 0.5, 0.5, 0.9, 1.0])


def plain_panels(work: Submitted) -> list[PlainPanel]:
    return [(panel.box, list(panel.tokens)) for panel in panels_of(work)]


def expected(
    work: list[Submitted], pair: PairScore, mode: Mode, common: Common, min_iou: float
) -> tuple[list[float], list[int], list[dict[str, float]]]:
    """Totals, counts and losses by cause of the pair's figures, by the plain loop."""
    annotations = {(each.annotator, each.figure.id): each for each in work}
    totals, counts, losses = [], [], []
    for figure in pair.figures:
        gold, other = annotations[pair.gold, figure], annotations[pair.predicted, figure]
        gold_common, other_common = (
            in_every([((), list(tokens)) for tokens in subcaptions_of(each)], listed=True)
            for each in (gold, other)
        )
        arguments = plain_panels(gold), plain_panels(other), gold.figure.caption.words
        rules: dict[str, Any] = {
            "official": mode is Mode.OFFICIAL,
            "min_iou": min_iou,
            "gold_common": gold_common if common is not Common.NONE else None,
            "other_common": other_common if common is Common.BOTH else None,
            "as_read": common is not Common.NONE,
        }
        f1s = figure_f1s(*arguments, **rules)
        totals.append(sum((f1 for f1 in f1s if f1 is not None), 0.0))
        counts.append(sum(f1 is not None for f1 in f1s))
        losses.append({cause.value: 0.0 for cause in CAUSES} | figure_losses(*arguments, **rules))
    return totals, counts, losses


def assert_same(ones: tuple[PairScore, ...], others: tuple[PairScore, ...]) -> None:
    """To the last bit."""
    for one, other in zip(ones, others, strict=True):
        for field in ("gold", "predicted", "figures", "left_out", "passed", "score", "reason"):
            assert getattr(one, field) == getattr(other, field)
        for field in ("totals", "counts", "seeded"):
            assert_array_equal(getattr(one, field), getattr(other, field), strict=True)
        assert_array_equal(detailed(one).losses, detailed(other).losses, strict=True)
        assert_array_equal(detailed(one).detection.ious, detailed(other).detection.ious, strict=True)
        assert detailed(one).detection.gold == detailed(other).detection.gold
        assert detailed(one).detection.other == detailed(other).detection.other


def scores(work: Any, **more: Any) -> tuple[PairScore, ...]:
    return pair_scores(work, details=True, **more)


def assert_plain(work: list[Submitted], min_iou: float) -> None:
    corpus = Corpus.of(work)
    for mode in Mode:
        for common in Common:
            for pair in scores(corpus, mode=mode, common=common, min_iou=min_iou):
                totals, counts, losses = expected(work, pair, mode, common, min_iou)
                assert (pair.totals.tolist(), pair.counts.tolist()) == (totals, counts)
                for row, causes in zip(detailed(pair).losses.tolist(), losses, strict=True):
                    assert dict(zip(map(str, CAUSES), row, strict=True)) == causes


@pytest.mark.slow
@given(corpora, thresholds)
def test_every_score_and_loss_is_that_of_the_plain_loop(work: list[Submitted], min_iou: float) -> None:
    assert_plain(work, min_iou)


@pytest.mark.parametrize("raw", [False, True])
def test_the_plain_loop_agrees_on_these_figures_every_time(raw: bool) -> None:
    for seed in range(4):
        assert_plain(work_on(6, random.Random(seed), raw=raw), 0.5)


def test_without_details_the_scores_are_the_same() -> None:
    work = work_on(6, random.Random(1), raw=True)
    bare = pair_scores(work)
    assert [pair.details for pair in bare] == [None] * 6
    assert [pair.totals.tolist() for pair in bare] == [pair.totals.tolist() for pair in scores(work)]


def test_repeated_ids_of_what_does_not_count_cost_nothing() -> None:
    # The marks come after all words: their bits lie beyond those that a score looks at.
    figure = a_figure("f1", caption=" ".join([*["w"] * 5, *[","] * 70]))
    panel = Panel((0.0, 0.0, 9.0, 9.0), (0, 1, 1, 70, 70, 74, 74))
    moment = an_annotation().saved_at
    work = [RawAnnotation(figure, name, "1", Status.ACCEPTED, (panel,), (), moment) for name in "AB"]
    for common in Common:
        assert [pair.score for pair in scores(work, mode=Mode.OFFICIAL, common=common)] == [2 * 2 / 6] * 2


@pytest.mark.parametrize(("start", "cause"), [(61, Loss.BOUNDARY), (60, Loss.MISSING)])
def test_a_run_may_end_with_the_last_bit_of_a_word(start: int, cause: Loss) -> None:
    figure = a_figure("f1", caption=" ".join(["w"] * 64))
    work = [
        an_annotation(figure, annotator=name, subfigures=(a_subfigure(tokens=range(end)),))
        for name, end in (("A", 64), ("B", start))
    ]
    lost = dict(zip(CAUSES, detailed(scores(work)[0]).losses[0].tolist(), strict=True))
    assert {why for why, share in lost.items() if share} == {cause}
    assert lost[cause] == (64 - start) / (64 + start)


def test_common_tokens_of_work_without_text_are_none() -> None:
    work = [an_annotation(a_figure("f1"), annotator=name, subfigures=(a_subfigure(tokens=()),)) for name in "AB"]
    for pair in scores(work, common=Common.BOTH):
        assert pair.left_out == {LeftOut.NO_SUBCAPTION: 1}


@given(corpora)
def test_scores_hang_on_no_boundary_between_parts(work: list[Submitted]) -> None:
    whole = scores(work)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "BOXES_AT_ONCE", 3)
        patch.setattr(panels, "_AT_ONCE", 2)
        parts = scores(work)
    assert_same(whole, parts)


@given(corpora)
def test_gold_against_others_is_scored_as_among_annotators(work: list[Submitted]) -> None:
    among = {(pair.gold, pair.predicted): pair for pair in scores(work)}
    gold = [each for each in work if each.annotator == "A"]
    rest = Corpus.of([each for each in work if each.annotator != "A"])
    found = compare(gold, rest, details=True)
    assert_same(found, tuple(among[pair.gold, pair.predicted] for pair in found))


def test_a_corpus_of_nothing_has_no_pairs() -> None:
    assert scores([]) == ()
    alone = scores([an_annotation(a_figure(name), annotator=name) for name in "AB"])
    assert [(pair.score, pair.reason) for pair in alone] == [(None, "no figure in common")] * 2
    assert alone[0].totals.dtype == np.float64
