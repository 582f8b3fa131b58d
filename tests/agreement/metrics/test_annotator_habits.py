"""The model of annotators' habits: recovered from simulated annotators of known rates, undefined with a reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.chance.annotator_habits import Habits, annotator_habits
from agreement.chance.panel_agreement import panel_units
from agreement.chance.token_panels import MergedPanels, merge_panels
from panelwise.domain.annotation import Annotation

Box = tuple[float, float, float, float]
#: Name -> how often a panel is missed, how many boxes of a hundred are none, how much larger they are.
KNOWN = {"ann": (0.05, 0.10, 0.06), "ben": (0.20, 0.02, 0.0), "cho": (0.12, 0.25, -0.06), "dan": (0.3, 0.05, 0.02)}


def habits(*work: Annotation, articles: dict[str, str] | None = None) -> dict[str, Habits]:
    merged = merge_panels(work)
    units = panel_units(merged) if isinstance(merged, MergedPanels) else None
    return {each.annotator: each for each in annotator_habits(merged, units, articles or {})}


def simulated(figures: int, seed: int = 0) -> list[Annotation]:
    """Annotators of the known rates, each of whom does three figures of four."""
    random = np.random.default_rng(seed)
    work = []
    for number in range(figures):
        figure = a_figure(f"f{number:04}", width=2000, height=2000)
        for place, (name, (missed, extra, size)) in enumerate(KNOWN.items()):
            if number % 4 == place:
                continue
            boxes: list[Box] = []
            for panel in range(6):
                if random.random() < missed:
                    continue
                half = 60 * (1 + size) * (1 + random.normal(0, 0.02))
                x, y = 100 + 220 * (panel % 3), 100 + 220 * (panel // 3)
                boxes.append((x - half, y - half, x + half, y + half))
            # So many that their share of all boxes is the rate.
            for _ in range(random.poisson(6 * (1 - missed) * extra / (1 - extra))):
                x, y = 800 + 1100 * random.random(), 800 + 1100 * random.random()
                boxes.append((x, y, x + 12, y + 12))
            parts = [a_subfigure(f"P{at}", box=box, tokens=()) for at, box in enumerate(boxes)]
            work.append(an_annotation(figure, annotator=name, subfigures=tuple(parts)))
    return work


@pytest.mark.slow
def test_known_rates_are_recovered_within_two_hundredths() -> None:
    found = habits(*simulated(600))
    mean = np.mean([np.log1p(size) for _, _, size in KNOWN.values()])
    for name, (missed, extra, size) in KNOWN.items():
        own = found[name]
        known = {"missed": missed, "extra": extra, "size": float(np.exp(np.log1p(size) - mean) - 1)}
        for part, value in known.items():
            estimate = getattr(own, part)
            assert estimate.value == pytest.approx(value, abs=0.02), (name, part)
            low, high = estimate.interval
            # Not of use if wide, and not believed if the truth lies far outside.
            assert high - low < 0.06, (name, part)
            assert low - 0.01 < value < high + 0.01, (name, part)
            assert estimate.reason == ""


@pytest.mark.slow
def test_the_order_of_the_work_does_not_matter_and_articles_widen_the_intervals() -> None:
    work = simulated(80)
    plain, turned = habits(*work), habits(*work[::-1])
    for name, own in plain.items():
        for one, other in ((own.missed, turned[name].missed), (own.size, turned[name].size)):
            assert (one.value, *(one.interval or ())) == pytest.approx((other.value, *(other.interval or ())))
    # Each article holds the same work four times: so much less is known than of as many articles.
    again = [
        replace(each, figure=replace(each.figure, id=f"{each.figure.id}-{copy}"))
        for each in work
        for copy in range(4)
    ]
    alone = habits(*again)["ben"].missed
    by_article = habits(*again, articles={each.figure.id: each.figure.id[:5] for each in again})["ben"].missed
    assert alone.value == by_article.value == plain["ben"].missed.value
    assert alone.interval is not None
    assert by_article.interval is not None
    assert by_article.interval[1] - by_article.interval[0] > 1.5 * (alone.interval[1] - alone.interval[0])


def drawn(name: str, *boxes: Box, figure: str = "f1") -> Annotation:
    parts = tuple(a_subfigure(f"P{at}", box=box, tokens=()) for at, box in enumerate(boxes))
    return an_annotation(a_figure(figure), annotator=name, subfigures=parts)


LEFT, RIGHT = (0.0, 0.0, 100.0, 100.0), (200.0, 0.0, 300.0, 100.0)


def test_equal_work_has_neither_misses_nor_extras_and_no_certainty_beyond_what_was_seen() -> None:
    found = habits(*(drawn(who, LEFT, RIGHT, figure=name) for who in "abc" for name in ("f1", "f2")))
    for own in found.values():
        assert (own.missed.value, own.extra.value) == (0.0, 0.0)
        assert own.size.value == pytest.approx(0.0)
        # Four panels looked for: 1 - .025^(1/4).
        assert own.missed.interval == (0.0, pytest.approx(1 - 0.025**0.25))


def test_sizes_are_relative_so_that_nothing_is_added_to_all() -> None:
    random = np.random.default_rng(1)
    work = [
        drawn(
            who, *((place * 200.0, 0.0, place * 200 + side, side) for place, side in enumerate(sides)), figure=name
        )
        for name in "fgh"
        for who, sides in zip("abc", random.uniform(90, 110, (3, 4)).tolist(), strict=True)
    ]
    found = habits(*work)
    factors = [each.size.value for each in found.values()]
    assert sum(np.log1p(factors)) == pytest.approx(0.0, abs=1e-12)
    # By hand: each panel has all three annotators, so a factor is the mean of the logarithms against the panel's.
    logs = np.log([[part.box.x1 - part.box.x0 for part in each.subfigures] for each in work]).reshape(3, 3, 4)
    assert np.log1p(factors) == pytest.approx((logs - logs.mean(axis=1, keepdims=True)).mean(axis=(0, 2)))


def test_what_is_undefined_has_a_reason() -> None:
    two = habits(drawn("a", LEFT), drawn("b", LEFT, RIGHT))
    for own in two.values():
        assert (own.missed.value, own.missed.reason) == (None, "needs panels that two others drew")
        assert (own.extra.value, own.extra.reason) == (None, "needs the rates of missed panels of all others")
        assert own.size.interval is None
        assert own.size.reason == "one figure or article alone has no spread"
    apart = habits(drawn("a", LEFT), drawn("b", RIGHT), drawn("c"))
    assert apart["a"].size.reason == "no panel drawn by another one, too"
    assert apart["c"].extra.reason == "no box drawn"
    assert habits(drawn("a", LEFT)) == {}
