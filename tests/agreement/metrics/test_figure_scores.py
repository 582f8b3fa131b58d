from __future__ import annotations

import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given

from agreement.pairs.figure_index import macro
from agreement.pairs.figure_scores import FigureMean, figure_means, worst_first
from agreement.pairs.pairwise import figure_agreement, mean_of_pairs, pair_scores
from agreement.score.losses import Loss
from panelwise.domain.annotation import Annotation


@given(campaigns)
def test_the_figures_means_are_those_that_the_report_averages(work: list[Annotation]) -> None:
    pairs = pair_scores(work, details=True)
    found = figure_means(pairs)
    assert {each.figure for each in found} == {figure for pair in pairs for figure in pair.figures}
    scores = [each.score for each in found if each.score is not None]
    expected = macro(pairs)
    assert (sum(scores) / len(scores) if scores else None) == (
        None if expected is None else pytest.approx(expected)
    )
    for each in found:
        assert (each.lost is None) == (each.score is None or each.score == pytest.approx(1.0))


@given(campaigns)
def test_a_figures_score_is_the_iaa_over_that_figure_alone(work: list[Annotation]) -> None:
    everything = pair_scores(work, details=True)
    for each in figure_means(everything):
        alone = [annotation for annotation in work if annotation.figure.id == each.figure]
        expected = mean_of_pairs(pair_scores(alone))
        assert each.score == (None if expected is None else pytest.approx(expected))


def test_an_annotator_who_draws_more_panels_has_no_more_weight_in_a_figures_score() -> None:
    boxes = [(0, 0, 100, 100), (200, 0, 300, 100), (400, 0, 500, 100)]
    drawn = tuple(a_subfigure(label, box=box, tokens={4}) for label, box in zip("abc", boxes, strict=True))
    work = [an_annotation(annotator="A", subfigures=drawn), an_annotation(annotator="B", subfigures=drawn[:1])]
    (found,) = figure_means(pair_scores(work, details=True))
    assert figure_agreement(work) == found.score == (1 / 3 + 1) / 2
    assert (found.counted, found.lost) == (4, Loss.NO_BOX)


def test_the_worst_figure_comes_first_with_what_it_was_lost_to() -> None:
    def work(figure: str, name: str, tokens: set[int], box: tuple[int, int, int, int]) -> Annotation:
        return an_annotation(a_figure(figure), annotator=name, subfigures=(a_subfigure(box=box, tokens=tokens),))

    box, far = (0, 0, 400, 600), (500, 0, 800, 600)
    every = [
        *(work("alike", name, {3, 4}, box) for name in "AB"),
        *(work("text", name, tokens, box) for name, tokens in (("A", {3, 4, 7, 8}), ("B", {3, 4}))),
        *(work("boxes", name, {3, 4}, where) for name, where in (("A", box), ("B", far))),
    ]
    worst = worst_first(figure_means(pair_scores(every, details=True)))
    assert (worst[0].figure, worst[0].lost) == ("boxes", Loss.NO_BOX)
    assert [each.figure for each in worst] == ["boxes", "text"]
    assert [each.counted for each in worst] == [2, 2]


def test_of_equal_scores_the_larger_figure_comes_first_then_the_id() -> None:
    figures = [
        FigureMean(name, 0.5, size, Loss.MISSING) for name, size in (("c", 2), ("b", 2), ("a", 1), ("d", 4))
    ]
    assert [each.figure for each in worst_first(figures)] == ["d", "b", "c", "a"]
    assert worst_first([FigureMean("x", None, 0, None), FigureMean("y", 1.0, 3, None)]) == []


def test_means_are_a_sequence_of_the_figures_by_id() -> None:
    work = [
        an_annotation(a_figure(name), annotator=who, subfigures=(a_subfigure("a", tokens=(tokens,)),))
        for name, theirs in (("f2", 2), ("f1", 1))
        for who, tokens in (("A", 1), ("B", theirs))
    ]
    means = figure_means(pair_scores(work, details=True))
    assert [each.figure for each in means] == ["f1", "f2"]
    assert means == tuple(means)
    assert hash(means) == hash(tuple(means))
    assert means != tuple(means)[:1]
    assert means != "f1 f2"
    assert means != {*means}
    assert means[1:] == (means[1],)
    assert worst_first(means) == worst_first(list(means))
    assert worst_first(means)[0] == means[1]
