"""Alpha on tokens by columns is alpha on tokens figure by figure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.chance import token_panels
from agreement.chance.categories import category_scores, token_alpha
from agreement.chance.coefficients import fleiss_kappa, gwet_ac1, krippendorff_alpha, masi_distance
from agreement.columns.corpus import Corpus
from agreement.columns.raw import RawAnnotation
from agreement.columns.row_traits import traits_of
from agreement.consensus.candidates import merge_candidates, reading_order
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.items import FigureKind, Items


def ranks_of(group: Sequence[Annotation]) -> list[list[int]]:
    """The rank of each annotator's panels among those that merging makes of what all drew."""
    found = [[0] * len(each.subfigures) for each in group]
    candidates = merge_candidates(group, quorum=1)
    for rank, place in enumerate(reading_order([candidate.box for candidate in candidates])):
        for annotation, own in zip(group, found, strict=True):
            if annotation.annotator in candidates[place].members:
                own[candidates[place].members[annotation.annotator]] = rank
    return found


def plain_units(work: Sequence[Annotation]) -> list[list[frozenset[int]]]:
    """Every figure merged, and every content of a figure that two accepted by itself."""
    by_content: dict[object, list[Annotation]] = {}
    for each in work:
        if each.status is Status.ACCEPTED:
            figure = each.figure
            content = (figure.id, figure.width, figure.height, figure.caption.text, *figure.caption.ranges)
            by_content.setdefault(content, []).append(each)
    units = []
    for group in by_content.values():
        if len(group) < 2:
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


def assert_plain(work: list[Annotation], source: random.Random) -> None:
    units = plain_units(work)
    found = token_alpha(work)
    assert found.tokens == len(units)
    assert found.nominal == pytest.approx(krippendorff_alpha(units), abs=1e-12)
    assert found.masi == pytest.approx(krippendorff_alpha(units, masi_distance), abs=1e-12)
    assert token_alpha(source.sample(work, len(work))) == found


#: How far an edge is off, of a box of 100 by 100: near enough for most to be alike, and not for all.
_OFF = st.sampled_from([0, 0, 0, 0, 5, -5, 20, -20, 45, -30])
_CELLS = [(0, 0), (120, 0), (0, 120), (120, 120), (60, 60)]


@st.composite
def nearly_alike(draw: st.DrawFn, name: str = "f1") -> list[Annotation]:
    """One figure by two to five people who drew about the same panels, or missed some, each in their own order."""
    figure = a_figure(name, caption="one two three four five six", width=400, height=400)
    cells = draw(st.lists(st.sampled_from(_CELLS), min_size=1, max_size=4, unique=True))
    made = []
    for person in "ABCDE"[: draw(st.integers(2, 5))]:
        parts = []
        for place, (x, y) in enumerate(draw(st.permutations(cells))):
            if draw(st.integers(0, 7)) == 0:
                continue
            edges = [x + 50, y + 50, x + 150, y + 150]
            box = Box(*(edge + draw(_OFF) for edge in edges))
            tokens = draw(st.frozensets(st.integers(0, 5), max_size=3))
            parts.append(Subfigure("ABCD"[place], box, tokens))
        made.append(an_annotation(figure, annotator=person, subfigures=tuple(parts)))
    return made


@pytest.mark.slow
@given(nearly_alike(), nearly_alike("f2"), st.randoms())
@settings(max_examples=30)
def test_panels_are_those_that_merging_makes_whatever_comes_first(
    one: list[Annotation], other: list[Annotation], source: random.Random
) -> None:
    assert_plain([*one, *other], source)


def by_name(boxes: dict[str, list[tuple[float, float, float, float]]], *texts: set[int]) -> list[Annotation]:
    """Work on one figure: each annotator's boxes, all with the same texts one after the other."""
    return [
        an_annotation(
            a_figure("f1"),
            annotator=name,
            subfigures=tuple(
                Subfigure("ABC"[place], Box(*box), frozenset(texts[place])) for place, box in enumerate(own)
            ),
        )
        for name, own in boxes.items()
    ]


def test_two_that_have_half_of_a_third_each_are_not_one_panel_whatever_comes_first() -> None:
    """B and C hardly meet: merging leaves one of them a panel of its own, though all gave the same text."""
    work = by_name({"A": [(0, 0, 100, 100)], "B": [(0, 0, 100, 55)], "C": [(0, 45, 100, 100)]}, {3, 4})
    expected = pytest.approx(krippendorff_alpha(plain_units(work)))
    for order in permutations(work):
        found = token_alpha(list(order)).nominal
        assert found == expected
        assert found != 1


def ranks_found(work: list[Annotation]) -> tuple[list[list[int]], list[bool]]:
    """The ranks of each annotator's panels where they need no merging, and of which groups they are."""
    corpus = Corpus.of(work)
    rows, starts = token_panels.groups_of(corpus, traits_of(corpus.rows)[0])
    ranks, certain = token_panels._ranks_alike(corpus.take(rows), starts)
    edges = corpus.take(rows).panel_starts.tolist()
    return [ranks[begin:end].tolist() for begin, end in pairwise(edges)], certain.tolist()


def test_ranks_are_those_of_the_median_boxes() -> None:
    """The first annotator's own boxes would be read the other way round."""
    own = [(110.0, 0.0, 200.0, 90.0), (0.0, 52.0, 100.0, 148.0)]
    others = [(110.0, 0.0, 200.0, 110.0), (0.0, 50.0, 100.0, 150.0)]
    work = by_name({"A": own, "B": others, "C": others}, {3}, {6})
    assert reading_order([part.box for part in work[0].subfigures]) == [0, 1]
    assert ranks_found(work) == ([[1, 0]] * 3, [True])
    # Beside another figure it shows in alpha.
    second = replace(a_figure("f2"), caption=work[0].figure.caption)
    plain = [replace(each, figure=second) for each in by_name({"A": others[::-1], "B": others[:1]}, {3}, {6})]
    assert_plain([*work, *plain], random.Random(0))


@given(nearly_alike())
def test_what_is_certain_is_what_merging_says(work: list[Annotation]) -> None:
    ranks, certain = ranks_found(work)
    assert ranks == (ranks_of(work) if certain == [True] else [[0] * len(each.subfigures) for each in work])


def test_panels_that_all_drew_nearly_alike_need_no_merging() -> None:
    boxes = [(0.0, 0.0, 100.0, 100.0), (110.0, 0.0, 200.0, 100.0)]
    work = by_name(
        {name: [(x + off, y, z, w) for x, y, z, w in boxes] for off, name in enumerate("ABCDE")}, {3}, {6}
    )
    assert ranks_found(work) == ([[0, 1]] * 5, [True])
    with patch.object(token_panels, "merged", side_effect=AssertionError):
        assert token_alpha(work).nominal == 1.0


def test_panels_that_some_missed_need_no_merging() -> None:
    left, right, below = (0.0, 0.0, 100.0, 100.0), (110.0, 0.0, 200.0, 100.0), (0.0, 200.0, 100.0, 300.0)
    work = by_name({"A": [right], "B": [], "C": [below, left], "D": [left, right]}, {3}, {6})
    assert ranks_found(work) == ([[1], [], [2, 0], [0, 1]], [True])
    assert_plain(work, random.Random(0))


@pytest.mark.parametrize(
    "boxes",
    [
        # Two answers; a corner in common, so that labels tell which is read first; half of a third each.
        {"A": [(0, 0, 100, 100), (0, 0, 100, 90)], "B": [(0, 0, 100, 100), (0, 0, 100, 90)]},
        {"A": [(0, 0, 100, 100), (0, 0, 20, 20)], "B": [(0, 0, 100, 100), (0, 0, 20, 20)]},
        {"A": [(0, 0, 100, 100)], "B": [(0, 0, 100, 55)], "C": [(0, 45, 100, 100)]},
    ],
)
def test_where_merging_could_do_otherwise_it_is_asked(boxes: dict[str, list[Any]]) -> None:
    work = by_name(boxes, {3}, {6})
    assert ranks_found(work)[1] == [False]
    assert_plain(work, random.Random(0))


def captioned(work: Annotation, text: str) -> Annotation:
    return replace(work, figure=replace(work.figure, caption=Caption.cut(text)))


def test_work_on_another_caption_leaves_that_of_two_alone() -> None:
    one, two, third, fourth = (
        by_name({name: [(0, 0, 100, 100)]}, {1, place})[0] for place, name in enumerate("ABCD", start=2)
    )
    one, two = captioned(one, "w w w w w w"), captioned(two, "w w w w w w")
    alone = token_alpha([one, two])
    assert (alone.figures, alone.tokens, alone.reason) == (1, 6, "")
    # A third saw another caption: nothing changes. A fourth saw that one too: it counts by itself.
    third, fourth = captioned(third, "v v v v v v v"), captioned(fourth, "v v v v v v v")
    assert token_alpha([one, third, two]) == alone
    both = token_alpha([one, third, fourth, two])
    assert (both.figures, both.tokens) == (1, 13)
    assert_plain([one, third, fourth, two], random.Random(0))


def test_captions_without_a_counted_token_leave_nothing_to_agree_on() -> None:
    work = [captioned(each, "( ) .") for each in by_name({"A": [(0, 0, 9, 9)], "B": [(0, 0, 9, 9)]}, {1})]
    found = token_alpha(work)
    assert (found.nominal, found.masi, found.figures, found.tokens) == (None, None, 1, 0)
    assert found.reason == "no counted token in the figures that two accepted"


@given(campaigns, st.randoms())
def test_alpha_equals_the_plain_loop(work: list[Annotation], source: random.Random) -> None:
    assert_plain(work, source)


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


@pytest.mark.slow
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
