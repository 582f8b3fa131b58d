import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.resampling import clusters
from agreement.resampling.clusters import (
    NOTHING_COUNTS,
    ONE_CLUSTER,
    Measure,
    Part,
    Ratio,
    compare_clusters,
    ratios,
)


def one(totals: list[float], counts: list[float], names: list[str], **options: object) -> Ratio:
    (found,) = ratios(np.array(totals)[:, None], np.array(counts)[:, None], names, **options)
    return found


rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abcd")).map(
        lambda row: (float(min(row[0], row[1])), float(row[1]), row[2])
    ),
    max_size=12,
)


@given(rows, st.randoms())
def test_the_order_of_the_figures_does_not_matter(rows: list[tuple[float, float, str]], random) -> None:
    turned = random.sample(rows, len(rows))
    first, second = (
        one(*(list(column) for column in zip(*each, strict=True)), resamples=50) if each else None
        for each in (rows, turned)
    )
    assert first == second


@given(rows)
def test_the_value_is_the_ratio_of_the_sums_and_lies_in_its_bounds(rows: list[tuple[float, float, str]]) -> None:
    totals, counts, names = ([row[place] for row in rows] for place in range(3))
    found = ratios(np.array(totals).reshape(-1, 1), np.array(counts).reshape(-1, 1), names, resamples=50)[0]
    assert found.value == (sum(totals) / sum(counts) if sum(counts) else None)
    assert found.clusters == len({name for name, count in zip(names, counts, strict=True) if count})
    assert (found.interval is None) == bool(found.reason)
    if found.interval is not None:
        assert 0.0 <= found.interval[0] <= found.interval[1] <= 1.0


def test_figures_of_one_article_stand_or_fall_together() -> None:
    totals, counts = [1.0] * 20 + [0.0] * 20, [1.0] * 40
    apart = one(totals, counts, [str(place) for place in range(40)])
    together = one(totals, counts, ["x"] * 20 + ["y"] * 20)
    assert apart.value == together.value == 0.5
    assert together.interval == (0.0, 1.0)
    assert apart.interval is not None
    assert apart.interval[0] > 0.3


def test_without_two_articles_there_is_no_interval_and_a_reason() -> None:
    assert one([1.0], [2.0], ["x"]) == Ratio(0.5, 1.0, 2.0, None, 1, ONE_CLUSTER)
    assert one([0.0, 0.0], [0.0, 0.0], ["x", "y"]) == Ratio(None, 0.0, 0.0, None, 0, NOTHING_COUNTS)
    assert one([1.0, 1.0], [1.0, 2.0], ["x", "y"], resamples=0).reason == "no resamples were asked for"


def test_very_many_articles_take_the_linearised_error(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    totals = rng.random((400, 1))
    names = [str(place) for place in range(400)]
    drawn = ratios(totals, np.ones((400, 1)), names, resamples=4000)[0].interval
    monkeypatch.setattr(clusters, "MAX_BOOTSTRAP_FIGURES", 100)
    linear = ratios(totals, np.ones((400, 1)), names)[0].interval
    assert drawn is not None
    assert linear is not None
    assert linear == pytest.approx(drawn, abs=0.01)


def test_kept_apart_articles_are_told_beside_the_rest() -> None:
    measure = Measure("k", "name", np.array([1.0, 0.0, 1.0]), np.ones(3))
    found = compare_clusters([measure], ["x", "y", "z"], {"y"}, resamples=100)
    assert {part: own[0].value for part, own in found.items()} == {
        Part.ALL: pytest.approx(2 / 3),
        Part.REST: 1.0,
        Part.APART: 0.0,
    }
    assert list(compare_clusters([measure], ["x", "y", "z"], resamples=100)) == [Part.ALL]
    assert list(compare_clusters([measure], ["x", "y", "z"], {"x", "y", "z"}, resamples=100)) == [
        Part.ALL,
        Part.APART,
    ]
