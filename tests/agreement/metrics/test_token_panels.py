"""Alpha on tokens by columns is alpha on tokens figure by figure."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, an_annotation
from hypothesis import given

from agreement.metrics import token_panels
from agreement.metrics.categorical import fleiss_kappa, gwet_ac1, krippendorff_alpha, masi_distance
from agreement.metrics.categories import category_scores, token_alpha
from agreement.metrics.consensus import merge_candidates, reading_order
from agreement.metrics.corpus import Corpus
from agreement.metrics.iou import as_boxes, box_iou
from agreement.metrics.raw import RawAnnotation
from agreement.metrics.row_traits import traits_of
from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.geometry import Box
from annotator.domain.qa import FigureKind, Items


def ranks_of(group: Sequence[Annotation]) -> list[list[int]]:
    """The rank of each annotator's panels: those of the first where all drew the same, else of what is merged."""
    first, *rest = (as_boxes([part.box.as_list() for part in each.subfigures]) for each in group)
    ranks = [0] * len(first)
    for rank, place in enumerate(reading_order([part.box for part in group[0].subfigures])):
        ranks[place] = rank
    found = [ranks]
    for boxes in rest:
        answers = box_iou(boxes, first) >= 0.5
        if len(boxes) != len(first) or (answers.sum(axis=0) != 1).any() or (answers.sum(axis=1) != 1).any():
            break
        found.append([ranks[place] for place in answers.argmax(axis=1).tolist()] if len(boxes) else [])
    else:
        return found
    found = [[0] * len(each.subfigures) for each in group]
    candidates = merge_candidates(group, quorum=1)
    for rank, place in enumerate(reading_order([candidate.box for candidate in candidates])):
        for annotation, own in zip(group, found, strict=True):
            if annotation.annotator in candidates[place].members:
                own[candidates[place].members[annotation.annotator]] = rank
    return found


def plain_units(work: Sequence[Annotation]) -> list[list[frozenset[int]]]:
    by_figure: dict[str, list[Annotation]] = {}
    for each in work:
        if each.status is Status.ACCEPTED:
            by_figure.setdefault(each.figure.id, []).append(each)
    units = []
    for group in by_figure.values():
        sizes = {(each.figure.width, each.figure.height, each.figure.caption.text) for each in group}
        if len(group) < 2 or len(sizes) > 1:
            continue
        ranks = ranks_of(group)
        for token in group[0].figure.caption.counted:
            units.append(
                [
                    frozenset(
                        rank for part, rank in zip(each.subfigures, own, strict=True) if token in part.subcaption
                    )
                    for each, own in zip(group, ranks, strict=True)
                ]
            )
    return units


@given(campaigns)
def test_alpha_equals_the_plain_loop(work: list[Annotation]) -> None:
    units = plain_units(work)
    found = token_alpha(work)
    assert found.tokens == len(units)
    assert found.nominal == pytest.approx(krippendorff_alpha(units), abs=1e-12)
    assert found.masi == pytest.approx(krippendorff_alpha(units, masi_distance), abs=1e-12)


@given(campaigns)
def test_figures_of_very_many_panels_come_out_the_same(work: list[Annotation]) -> None:
    with patch.object(token_panels, "_BITS", 0):
        assert token_alpha(work) == token_alpha(list(work))


def test_seventy_panels_are_told_apart() -> None:
    words = " ".join(f"w{number}" for number in range(70))
    figure = a_figure("f1", caption=words, width=7100, height=100)
    parts = tuple(
        Subfigure(f"p{number}", Box(100 * number, 0, 100 * number + 90, 90), frozenset({number}))
        for number in range(70)
    )
    same = [an_annotation(figure, annotator=name, subfigures=parts) for name in ("A", "B")]
    swapped = (*parts[:68], Subfigure("x", parts[68].box, frozenset({69})), Subfigure("y", parts[69].box))
    assert token_alpha(same).nominal == 1.0
    other = token_alpha([same[0], an_annotation(figure, annotator="B", subfigures=swapped)])
    assert other.nominal is not None
    assert other.nominal < 1.0


def test_many_different_sets_are_counted_one_by_one() -> None:
    units = np.array([[2**40 + each, each, 1, 1, 1, 1, 1] for each in range(800)])
    different = token_panels._different(units)
    assert len(different) == 800
    assert {tuple(sorted(values)) for values, _ in different} == {tuple(sorted(each)) for each in units.tolist()}


@given(campaigns)
def test_units_and_their_counts_give_what_the_units_give(work: list[Annotation]) -> None:
    units = [tuple(unit) for unit in plain_units(work)]
    counts = {unit: units.count(unit) for unit in units}
    assert fleiss_kappa(counts) == pytest.approx(fleiss_kappa(units), abs=1e-12)
    assert gwet_ac1(counts) == pytest.approx(gwet_ac1(units), abs=1e-12)
    assert krippendorff_alpha(counts) == pytest.approx(krippendorff_alpha(units), abs=1e-12)


def test_traits_are_told_of_annotations_at_hand() -> None:
    figure = a_figure("f1")
    judged = an_annotation(figure, annotator="B", items=Items(FigureKind(compound=True)))
    raw = RawAnnotation(figure, "C", "1", Status.ACCEPTED, (), (), judged.saved_at)
    corpus = Corpus.of([an_annotation(figure, annotator="A"), judged, raw])
    assert [each.tolist() for each in traits_of(corpus.rows)] == [[False, False, True], [False, True, False]]
    assert [each.tolist() for each in traits_of(corpus.take(np.array([2, 1])).rows)] == [
        [True, False],
        [False, True],
    ]
    assert [each.name for each in category_scores(corpus)] == ["accept or reject", "compound or not"]
