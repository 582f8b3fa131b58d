"""Agreement on boxes with their text: by hand, against a loop, by the caption of another figure, with reasons."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given

from agreement.chance import joint_panels
from agreement.chance.joint_panels import JointAgreement, joint_agreement
from agreement.chance.token_panels import merge_panels
from agreement.primitives.iou import aligned_giou, as_boxes
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.figure import Figure

WORDS = "one two three four five six seven eight nine ten"
ONE = a_figure("f1", caption=WORDS, width=400, height=100)
OTHER = a_figure("f2", caption="a b c d e", width=100, height=200)
LEFT, RIGHT = (0, 0, 200, 100), (200, 0, 400, 100)


def panel(box: Sequence[float], *tokens: int, label: str = "A") -> Subfigure:
    return a_subfigure(label, box=tuple(box), tokens=tokens)


def by(name: str, figure: Figure, *panels: Subfigure) -> Annotation:
    return an_annotation(figure, annotator=name, subfigures=panels)


def joint(*work: Annotation, seed: int = 0) -> JointAgreement:
    return joint_agreement(merge_panels(work), {}, resamples=50, seed=seed)


def alike(figure: Figure, one: Subfigure, theirs: Figure, other: Subfigure) -> float:
    """Likeness of two panels in plain words: a token is a step of its caption."""
    sides = [
        (each.box.x0 / on.width, each.box.y0 / on.height, each.box.x1 / on.width, each.box.y1 / on.height)
        for on, each in ((figure, one), (theirs, other))
    ]
    near = max(0.0, float(aligned_giou(as_boxes(sides[:1]), as_boxes(sides[1:]))[0]))
    counted = [sorted(on.caption.counted) for on in (figure, theirs)]
    steps = [
        [(at / len(words), (at + 1) / len(words)) for at, token in enumerate(words) if token in each.subcaption]
        for words, each in zip(counted, (one, other), strict=True)
    ]
    length = sum(end - begin for part in steps for begin, end in part)
    shared = sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in steps[0] for b in steps[1])
    return near * (2 * shared / length if length else 1.0)


def distance(one: Annotation, other: Annotation) -> float:
    ours, theirs = one.subfigures, other.subfigures
    if not (ours or theirs):
        return 0.0
    few, many = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    on, off = (one.figure, other.figure) if few is ours else (other.figure, one.figure)
    best = max(
        sum(alike(on, a, off, b) for a, b in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )
    return 1 - 2 * best / (len(ours) + len(theirs))


def test_equal_work_on_unequal_figures_is_full_agreement_and_apart() -> None:
    first, second = panel(LEFT, 0, 1, 2), panel((0, 100, 100, 200), 4)
    found = joint(
        *(by(name, figure, part) for name in ("ann", "ben") for figure, part in ((ONE, first), (OTHER, second)))
    )
    assert (found.alpha.value, found.separation.value, found.observed, found.expected) == (1.0, 1.0, 0.0, 1.0)
    assert found.alpha.interval == (1.0, 1.0)
    assert (found.figures, found.pairs) == (2, 2)
    # A figure of one panel says nothing on which panel is which.
    assert (found.within.value, found.within.reason) == (None, "no figure with two panels")


def test_a_distance_by_hand() -> None:
    """Boxes alike by .8, words by 2/3; the second panel only one has: 1 - 2 · .8 · 2/3 / 3."""
    ann = by("ann", ONE, panel(LEFT, 0, 1), panel(RIGHT, 5, 6, label="B"))
    ben = by("ben", ONE, panel((0, 0, 160, 100), 0))
    elsewhere = [by(name, OTHER, panel((0, 0, 100, 100), 0)) for name in ("ann", "ben")]
    found = joint(ann, ben, *elsewhere)
    assert found.observed == pytest.approx((1 - 2 * 0.8 * (2 / 3) / 3) / 2)
    # On the unit square the upper half shares half of ann's left half and .4 / .9 of ben's, by GIoU 1/3 - 1/4 of
    # the hull; a word of OTHER is as long as two of ONE.
    expected = np.mean([distance(one, other) for one in (ann, ben) for other in elsewhere])
    assert found.expected == pytest.approx(expected)
    assert found.alpha.value == pytest.approx(1 - found.observed / expected)


def test_chance_within_figures_is_that_of_panels_matched_at_random() -> None:
    """Two panels each; of two matches one is right: chance is a distance of 1/2."""
    ann = by("ann", ONE, panel(LEFT, 0, 1), panel(RIGHT, 5, 6, label="B"))
    swapped = by("ben", ONE, panel(LEFT, 5, 6), panel(RIGHT, 0, 1, label="B"))
    assert joint(ann, by("ben", ONE, *ann.subfigures)).within.value == 1.0
    # Text of another panel on each: whichever way they are matched the distance is 1.
    found = joint(ann, swapped)
    assert (found.observed, found.within.value) == (1.0, 0.0)
    assert found.alpha.reason == "chance is known from different figures, and there is one only"
    assert found.separation.value is None
    three = joint(ann, by("ben", ONE, *ann.subfigures), by("cho", ONE, *swapped.subfigures))
    # Pairs: 0, 1, 1 against chance of 1/2, 1, 1.
    assert three.within.value == pytest.approx(1 - (2 / 3) / (5 / 6))


def test_panels_that_do_not_differ_have_no_chance_to_be_confused() -> None:
    twice = (panel(LEFT, 0), panel(LEFT, 0, label="B"))
    found = joint(by("ann", ONE, *twice), by("ben", ONE, *twice))
    assert (found.within.value, found.within.reason) == (None, "panels of a figure do not differ")


def test_figures_that_are_all_alike_have_no_chance_either() -> None:
    work = [
        by(name, a_figure(id, caption=WORDS), panel(LEFT, 0)) for id in ("f1", "f2") for name in ("ann", "ben")
    ]
    found = joint(*work)
    assert (found.alpha.value, found.alpha.reason) == (None, "all figures have the same panels and text")
    assert (found.observed, found.expected) == (0.0, 0.0)


def test_two_who_draw_nothing_agree_and_panels_without_words_are_alike() -> None:
    bare = [by(name, a_figure("f3", caption=""), panel(LEFT)) for name in ("ann", "ben")]
    nothing = [by(name, OTHER) for name in ("ann", "ben")]
    found = joint(*bare, *nothing)
    assert (found.observed, found.expected, found.alpha.value) == (0.0, 1.0, 1.0)
    spoken = joint(by("ann", ONE, panel(LEFT)), by("ben", ONE, panel(LEFT, 0)))
    assert spoken.observed == 1.0


def test_nothing_that_two_accepted_has_its_reason() -> None:
    found = joint(
        by("ann", ONE, panel(LEFT, 0)), an_annotation(ONE, annotator="ben", status=Status.REJECTED, subfigures=())
    )
    for number in (found.alpha, found.within, found.separation):
        assert (number.value, number.reason) == (None, "no figure that two accepted in the same version")
    assert (found.observed, found.expected, found.figures, found.pairs) == (None, None, 0, 0)


def test_intervals_are_of_articles() -> None:
    work = [
        by(
            name,
            a_figure(f"f{number}", caption=WORDS),
            panel(LEFT, *range(number + (name == "ben") * (number % 3))),
        )
        for number in range(1, 9)
        for name in ("ann", "ben")
    ]
    merged = merge_panels(work)
    alone = joint_agreement(merged, {}, resamples=200)
    shared = joint_agreement(merged, {f"f{number}": "article" for number in range(1, 9)}, resamples=200)
    assert alone.alpha.interval is not None
    assert alone.alpha.interval[0] < (alone.alpha.value or 0) < alone.alpha.interval[1]
    assert alone.alpha.method == "bootstrap"
    assert shared.alpha.value == pytest.approx(alone.alpha.value)
    assert (shared.alpha.interval, shared.alpha.reason) == (None, "one article alone cannot be resampled")


@given(campaigns)
def test_it_is_what_a_plain_loop_gives_in_any_order(work: list[Annotation]) -> None:
    found = joint(*work)
    shuffled = list(work)
    random.Random(7).shuffle(shuffled)
    assert joint(*shuffled) == found
    versions: dict[object, list[Annotation]] = {}
    for each in work:
        if each.status is Status.ACCEPTED:
            versions.setdefault((each.figure.id, each.figure.width), []).append(each)
    groups = [own for own in versions.values() if len(own) > 1]
    weights = [
        (len(own), np.mean([distance(one, other) for one, other in combinations(own, 2)])) for own in groups
    ]
    if not groups:
        assert found.observed is None
        return
    observed = sum(size * mean for size, mean in weights) / sum(size for size, _ in weights)
    assert found.observed == pytest.approx(observed)
    every = [each for own in groups for each in own]
    apart = {
        id(one): [distance(one, other) for other in every if other.figure.id != one.figure.id] for one in every
    }
    if all(apart.values()):
        expected = np.mean([np.mean(own) for own in apart.values()])
        assert found.expected == pytest.approx(expected)
        if expected:
            assert found.alpha.value == pytest.approx(1 - observed / expected)


def test_pairs_of_many_figures_are_drawn_by_seed_as_many_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = [a_figure(f"f{number:02}", caption=WORDS) for number in range(30)]
    work = [
        by(name, figure, panel((10 * number, 0, 10 * number + 200, 300), *range(number % 9)))
        for number, figure in enumerate(figures)
        for name in ("ann", "ben", "cho")
    ]
    whole = joint(*work)
    monkeypatch.setattr(joint_panels, "MOST_EXPECTED", 600)
    monkeypatch.setattr(joint_panels, "_AT_ONCE", 7)
    some, again, other = joint(*work), joint(*work), joint(*work, seed=1)
    assert some == again
    assert some.expected != other.expected
    assert (some.observed, some.alpha.value) == (whole.observed, 1.0)
    assert some.expected == pytest.approx(whole.expected, abs=0.05)
