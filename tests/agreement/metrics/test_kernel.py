"""The kernels against the plain loop and against each other: to the last bit, on all that files may hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement_corpora import work_on
from agreement_reference import figure_f1s, in_every
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from agreement.columns import panels
from agreement.columns.corpus import Corpus
from agreement.columns.raw import RawAnnotation, Submitted, panels_of, subcaptions_of
from agreement.pairs import pairwise
from agreement.pairs.pairwise import PairScore, compare, detailed, pair_scores
from agreement.primitives.rules import Common, LeftOut, Mode, Panel
from agreement.score import compiled, scoring
from agreement.score.compiled import KERNEL, Loops, loops_for
from agreement.score.losses import CAUSES, Loss
from panelwise.domain.annotation import Status
from panelwise.domain.errors import AnnotatorError

#: Figures of an example: `--soak` runs 5,000 of them, 20,000 figures, each in both modes with every `--common`.
FIGURES = 4
corpora = st.builds(
    lambda seed, raw: work_on(FIGURES, random.Random(seed), raw=raw), st.integers(0, 2**32), st.booleans()
)
thresholds = st.sampled_from([0.0, 0.25, 0.5, 0.5, 0.9, 1.0])


def expected(
    work: list[Submitted], pair: PairScore, mode: Mode, common: Common, min_iou: float
) -> tuple[list[float], list[int]]:
    """Totals and counts of the pair's figures, by the plain loop."""
    found = {(each.annotator, each.figure.id): each for each in work}
    totals, counts = [], []
    for figure in pair.figures:
        gold, other = found[pair.gold, figure], found[pair.predicted, figure]
        gold_common, other_common = (
            in_every([((), list(tokens)) for tokens in subcaptions_of(each)], listed=True)
            for each in (gold, other)
        )
        f1s = figure_f1s(
            *([(panel.box, list(panel.tokens)) for panel in panels_of(each)] for each in (gold, other)),
            gold.figure.caption.words,
            official=mode is Mode.OFFICIAL,
            min_iou=min_iou,
            gold_common=gold_common if common is not Common.NONE else None,
            other_common=other_common if common is Common.BOTH else None,
            as_read=common is not Common.NONE,
        )
        totals.append(sum((f1 for f1 in f1s if f1 is not None), 0.0))
        counts.append(sum(f1 is not None for f1 in f1s))
    return totals, counts


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


def by(loops: Loops | None, work: Any, **more: Any) -> tuple[PairScore, ...]:
    """The scores as these loops make them, by NumPy if None."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "loops_for", lambda _annotations: loops)
        return pair_scores(work, details=True, **more)


@pytest.mark.slow
@given(corpora, thresholds)
def test_every_score_is_that_of_the_plain_loop(work: list[Submitted], min_iou: float) -> None:
    corpus = Corpus.of(work)
    for mode in Mode:
        for common in Common:
            for pair in pair_scores(corpus, mode=mode, common=common, min_iou=min_iou):
                found = pair.totals.tolist(), pair.counts.tolist()
                assert found == expected(work, pair, mode, common, min_iou)


def kernels_agree(work: list[Submitted], min_iou: float, loops: Loops) -> None:
    corpus = Corpus.of(work)
    for mode in Mode:
        for common in Common:
            more = {"mode": mode, "common": common, "min_iou": min_iou}
            assert_same(by(None, corpus, **more), by(loops, corpus, **more))


@settings(max_examples=12)
@given(corpora, thresholds)
def test_the_loops_say_what_numpy_says_to_the_last_bit(work: list[Submitted], min_iou: float) -> None:
    kernels_agree(work, min_iou, Loops())


@pytest.mark.slow
@pytest.mark.parametrize("raw", [False, True])
def test_the_loops_say_so_on_these_figures_every_time(raw: bool) -> None:
    for seed in range(12):
        kernels_agree(work_on(6, random.Random(seed), raw=raw), 0.5, Loops())


def test_without_details_the_scores_are_the_same() -> None:
    work = work_on(6, random.Random(1), raw=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "loops_for", lambda _annotations: Loops())
        bare = pair_scores(work)
    assert [pair.details for pair in bare] == [None] * 6
    assert [pair.totals.tolist() for pair in bare] == [pair.totals.tolist() for pair in by(Loops(), work)]


@pytest.mark.parametrize("loops", [None, Loops()])
def test_repeated_ids_of_what_does_not_count_cost_nothing(loops: Loops | None) -> None:
    # The marks come after all words: their bits lie beyond those that a score looks at.
    figure = a_figure("f1", caption=" ".join([*["w"] * 5, *[","] * 70]))
    panel = Panel((0.0, 0.0, 9.0, 9.0), (0, 1, 1, 70, 70, 74, 74))
    moment = an_annotation().saved_at
    work = [RawAnnotation(figure, name, "1", Status.ACCEPTED, (panel,), (), moment) for name in "AB"]
    for common in Common:
        assert [pair.score for pair in by(loops, work, mode=Mode.OFFICIAL, common=common)] == [2 * 2 / 6] * 2


@pytest.mark.parametrize("loops", [None, Loops()])
@pytest.mark.parametrize(("start", "cause"), [(61, Loss.BOUNDARY), (60, Loss.MISSING)])
def test_a_run_may_end_with_the_last_bit_of_a_word(loops: Loops | None, start: int, cause: Loss) -> None:
    figure = a_figure("f1", caption=" ".join(["w"] * 64))
    work = [
        an_annotation(figure, annotator=name, subfigures=(a_subfigure(tokens=range(end)),))
        for name, end in (("A", 64), ("B", start))
    ]
    lost = dict(zip(CAUSES, detailed(by(loops, work)[0]).losses[0].tolist(), strict=True))
    assert {why for why, share in lost.items() if share} == {cause}
    assert lost[cause] == (64 - start) / (64 + start)


def test_common_tokens_of_work_without_text_are_none() -> None:
    work = [an_annotation(a_figure("f1"), annotator=name, subfigures=(a_subfigure(tokens=()),)) for name in "AB"]
    for loops in (None, Loops()):
        for pair in by(loops, work, common=Common.BOTH):
            assert pair.left_out == {LeftOut.NO_SUBCAPTION: 1}


@pytest.mark.slow
@given(corpora, thresholds)
def test_what_numba_makes_of_the_loops_says_the_same(work: list[Submitted], min_iou: float) -> None:
    pytest.importorskip("numba", reason="numba is not installed; install panelwise[fast]")
    kernels_agree(work, min_iou, compiled.compiled())


@given(corpora)
def test_scores_hang_on_no_boundary_between_parts(work: list[Submitted]) -> None:
    whole = by(None, work)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "BOXES_AT_ONCE", 3)
        patch.setattr(panels, "_AT_ONCE", 2)
        parts = by(None, work)
    assert_same(whole, parts)


@given(corpora)
def test_gold_against_others_is_scored_as_among_annotators(work: list[Submitted]) -> None:
    among = {(pair.gold, pair.predicted): pair for pair in by(None, work)}
    gold = [each for each in work if each.annotator == "A"]
    rest = Corpus.of([each for each in work if each.annotator != "A"])
    for loops in (None, Loops()):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pairwise, "loops_for", lambda _annotations, made=loops: made)
            found = compare(gold, rest, details=True)
        assert_same(found, tuple(among[pair.gold, pair.predicted] for pair in found))


# ---- which kernel -------------------------------------------------------------------------------


@given(corpora, thresholds, st.integers(1, 4))
def test_threads_side_by_side_say_the_same_to_the_last_bit(
    work: list[Submitted], min_iou: float, a_thread: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "PAIRS_A_THREAD", a_thread)
        patch.setattr(compiled, "cores", lambda: 3)
        kernels_agree(work, min_iou, Loops())
        alone = pair_scores(work, min_iou=min_iou)
        patch.setattr(pairwise, "loops_for", lambda _annotations: Loops())
        for one, other in zip(alone, pair_scores(work, min_iou=min_iou), strict=True):
            assert_array_equal(one.totals, other.totals)
            assert one.details is other.details is None


def test_where_the_system_grants_no_thread_one_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(compiled, "PAIRS_A_THREAD", 1)
    monkeypatch.setattr(compiled, "cores", lambda: 2)
    monkeypatch.setattr(compiled.ThreadPoolExecutor, "submit", refuse)
    work = [an_annotation(a_figure(name), annotator=who) for name in ("f1", "f2") for who in ("A", "B")]
    kernels_agree(work, 0.5, Loops())


def test_numba_is_for_large_corpora_only(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Loops()
    monkeypatch.delenv(KERNEL, raising=False)
    monkeypatch.setattr(compiled, "compiled", lambda: made)
    assert loops_for(compiled.COMPILED_FROM - 1) is None
    assert loops_for(compiled.COMPILED_FROM) is made


@pytest.mark.parametrize(("wish", "found"), [("numpy", False), ("numba", True)])
def test_the_environment_says_which_kernel_to_take(
    monkeypatch: pytest.MonkeyPatch, wish: str, found: bool
) -> None:
    monkeypatch.setattr(compiled, "compiled", Loops)
    monkeypatch.setenv(KERNEL, wish)
    assert [loops_for(number) is not None for number in (1, 10**9)] == [found, found]


def test_without_numba_numpy_does_it_and_who_asks_for_numba_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Loops:
        raise ImportError

    monkeypatch.setattr(compiled, "compiled", missing)
    monkeypatch.delenv(KERNEL, raising=False)
    assert loops_for(10**9) is None
    monkeypatch.setenv(KERNEL, "numba")
    with pytest.raises(AnnotatorError, match=r"numba is missing; install panelwise\[fast\]"):
        loops_for(1)


def test_the_loops_are_compiled_once_with_all_that_they_call(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def njit(**_options: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        return lambda function: seen.append(function.__name__) or function

    monkeypatch.setitem(__import__("sys").modules, "numba", type("numba", (), {"njit": staticmethod(njit)}))
    extending = type("extending", (), {"register_jitable": staticmethod(lambda each: seen.append(each.__name__))})
    monkeypatch.setitem(__import__("sys").modules, "numba.extending", extending)
    monkeypatch.setattr(compiled, "_register", compiled._register.__wrapped__)
    made = compiled.compiled.__wrapped__()
    assert seen[-4:] == ["make_ready"] * 2 + ["score_pairs"] * 2
    assert {"hold", "ones_in", "lose", "in_every"} < set(seen)
    assert callable(made.make_ready)


def _njit(error: Exception | None) -> Callable[..., Any]:
    """A numba that can keep nothing: told when a function is marked, or when it is first called."""

    def njit(*, cache: bool, **_options: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
            if cache and isinstance(error, RuntimeError):
                raise error

            def run(*arguments: object) -> object:
                if cache and error is not None:
                    raise error
                return function(*arguments), cache

            return run

        return wrap

    return njit


@pytest.mark.parametrize("error", [None, OSError(28, "No space left on device")])
def test_loops_that_cannot_be_written_to_disk_are_compiled_for_this_run(error: Exception | None) -> None:
    assert compiled._compiled(max, _njit(error), True)(1, 2) == (2, error is None)


def test_where_numba_can_keep_nothing_numpy_does_it_unless_numba_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    njit = _njit(RuntimeError("cannot cache function 'make_ready': no locator available"))
    monkeypatch.setitem(__import__("sys").modules, "numba", type("numba", (), {"njit": staticmethod(njit)}))
    monkeypatch.setattr(compiled, "_register", lambda: None)
    monkeypatch.setattr(compiled, "compiled", compiled.compiled.__wrapped__)
    assert loops_for(10**9) is None
    monkeypatch.setenv(KERNEL, "numba")
    assert loops_for(1) is not None


def test_a_corpus_of_nothing_has_no_pairs_by_any_kernel() -> None:
    assert by(None, []) == by(Loops(), []) == ()
    alone = by(Loops(), [an_annotation(a_figure(name), annotator=name) for name in "AB"])
    assert [(pair.score, pair.reason) for pair in alone] == [(None, "no figure in common")] * 2
    assert alone[0].totals.dtype == np.float64
