"""A number of a report is finite, or says why it is undefined."""

from __future__ import annotations

import math

import pytest

from agreement.resampling.estimate import Estimate


def test_a_defined_value_has_no_reason_of_its_own_and_its_interval_may_have_one() -> None:
    alone = Estimate(0.5, "one figure alone cannot be resampled")
    assert (alone.why, alone.interval_reason) == ("", "one figure alone cannot be resampled")
    both = Estimate(0.5, interval=(0.4, 0.6), method="bootstrap")
    assert (both.why, both.interval_reason) == ("", "")


def test_an_undefined_value_has_one_reason_for_itself_and_its_interval() -> None:
    undefined = Estimate(None, "no figure in common")
    assert undefined.why == undefined.interval_reason == "no figure in common"


def test_a_number_alone_asks_for_no_interval() -> None:
    assert Estimate.alone(0.5, "nothing counts") == Estimate(0.5)
    assert Estimate.alone(None, "nothing counts") == Estimate(None, "nothing counts")


def test_an_undefined_value_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="without a reason"):
        Estimate(None)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_refused_as_value_and_as_end_of_an_interval(number: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        Estimate(number)
    with pytest.raises(ValueError, match="not finite"):
        Estimate(0.5, interval=(0.0, number))
