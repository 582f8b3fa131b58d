from __future__ import annotations

from math import isclose

from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.columns.corpus import Corpus
from agreement.columns.raw import RawAnnotation, Submitted
from agreement.pairs.figure_scores import figure_means
from agreement.pairs.pairwise import compare, pair_scores
from agreement.pairs.worst import WorstFigure, outcomes, worst_figures
from agreement.primitives.settings import Settings
from agreement.report.summary import report_on
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import Common, LeftOut, Mode, Panel
from panelwise.domain.annotation import Annotation, Status, Subfigure

PLAIN = {"min_iou": 0.5, "mode": Mode.PAPER, "common": Common.NONE}
LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)


def worst_of(work: list[Annotation], number: int = 20) -> tuple[WorstFigure, ...]:
    pairs = pair_scores(work, details=True)
    return worst_figures(work, work, pairs, figure_means(pairs), number=number, **PLAIN)


def work(figure: str, name: str, *subfigures: Subfigure) -> Annotation:
    return an_annotation(a_figure(figure), annotator=name, subfigures=subfigures)


@given(campaigns, st.sampled_from(Mode), st.sampled_from(Common))
def test_outcomes_add_up_to_the_pairs_score_and_its_losses(
    annotations: list[Annotation], mode: Mode, common: Common
) -> None:
    report = report_on(annotations, Settings(mode=mode, common=common, resamples=0), worst=20)
    scores = {(pair.gold, pair.predicted): pair for pair in report.pairs}
    for worst in report.worst:
        pair = scores[worst.gold, worst.predicted]
        place = pair.figures.index(worst.figure.id)
        f1s = [each.f1 for each in worst.outcomes if each.f1 is not None]
        assert isclose(sum(f1s), float(pair.totals[place]), abs_tol=1e-9)
        assert len(f1s) == pair.counts[place]
        assert isclose(worst.score, sum(f1s) / len(f1s), abs_tol=1e-9)
        for each in worst.outcomes:
            assert (each.f1 is None) == (each.left_out is not None)
            assert isclose(sum(each.lost.values()), 0.0 if each.f1 is None else 1.0 - each.f1, abs_tol=1e-9)


@given(campaigns)
def test_the_pair_shown_is_the_lowest_that_scored_the_figure(annotations: list[Annotation]) -> None:
    report = report_on(annotations, Settings(resamples=0), worst=20)
    for worst in report.worst:
        means = [
            total / count
            for pair in report.pairs
            for figure, total, count in zip(pair.figures, pair.totals, pair.counts, strict=True)
            if figure == worst.figure.id and count
        ]
        assert isclose(worst.score, min(means), abs_tol=1e-12)
        assert worst.alone == (len(means) == 1)


@given(campaigns)
def test_a_corpus_gives_what_its_rows_give(annotations: list[Annotation]) -> None:
    pairs = pair_scores(annotations, details=True)
    means = figure_means(pairs)
    corpus = Corpus.of(annotations)
    assert worst_figures(corpus, corpus, pairs, means, **PLAIN) == worst_figures(
        annotations, annotations, pairs, means, **PLAIN
    )


def test_only_so_many_are_shown_worst_first_and_none_where_nothing_is_missing() -> None:
    same = a_subfigure("A", box=LEFT, tokens=(4, 6))
    half = a_subfigure("A", box=LEFT, tokens=(4,))
    off = a_subfigure("A", box=RIGHT, tokens=(4, 6))
    annotations = [work(name, "ann1", same) for name in ("f1", "f2", "f3")]
    annotations += [work("f1", "ann2", half), work("f2", "ann2", off), work("f3", "ann2", same)]
    assert [each.figure.id for each in worst_of(annotations)] == ["f2", "f1"]
    assert [each.figure.id for each in worst_of(annotations, 1)] == ["f2"]
    assert worst_of(annotations, 0) == ()
    assert worst_of([annotations[2], annotations[5]]) == ()


def test_an_outcome_tells_the_nearest_box_and_why_it_does_not_answer() -> None:
    gold = work("f1", "a", a_subfigure("A", box=LEFT, tokens=(4,)), a_subfigure("B", box=RIGHT, tokens=()))
    other = work("f1", "b", a_subfigure("x", box=(0, 0, 100, 600), tokens=(4,)))
    near, empty = outcomes(gold, other, **PLAIN)
    assert (near.nearest, near.answers, near.iou, near.f1) == (0, False, 0.25, 0.0)
    assert near.lost == {Loss.WRONG_BOX: 1.0}
    assert (empty.nearest, empty.answers, empty.f1, empty.left_out) == (None, False, None, LeftOut.NO_SUBCAPTION)
    assert empty.lost == {}


def test_two_works_of_one_name_are_told_apart_by_their_side() -> None:
    gold = [work("f1", "me", a_subfigure("A", box=LEFT, tokens=(4, 6)))]
    mine = [work("f1", "me", a_subfigure("A", box=LEFT, tokens=(4,)))]
    pairs = compare(gold, mine, details=True)
    (found,) = worst_figures(gold, mine, pairs, figure_means(pairs), **PLAIN)
    assert (found.drawn[0].tokens, found.answers[0].tokens) == (frozenset({4, 6}), frozenset({4}))
    assert found.alone


def test_raw_work_has_panels_without_labels() -> None:
    labelled = work("f1", "ann1", a_subfigure("A", box=LEFT, tokens=(4, 6)))
    raw = RawAnnotation(
        labelled.figure,
        "ann2",
        "1",
        Status.ACCEPTED,
        (Panel((0.0, 0.0, 400.0, 600.0), [4, 4]),),
        ([4, 4],),
        labelled.saved_at,
    )
    both: list[Submitted] = [labelled, raw]
    pairs = pair_scores(both, mode=Mode.OFFICIAL, common=Common.NONE, details=True)
    (found,) = worst_figures(
        both, both, pairs, figure_means(pairs), min_iou=0.5, mode=Mode.OFFICIAL, common=Common.NONE
    )
    names = {found.gold: found.drawn[0].label, found.predicted: found.answers[0].label}
    assert names == {"ann1": "A", "ann2": ""}
