from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.runtime.parallel import batches


@given(st.lists(st.integers()), st.integers(1, 5))
def test_batches_hold_everything_in_order_and_only_the_last_is_short(items: list[int], size: int) -> None:
    found = list(batches(iter(items), size))
    assert [item for batch in found for item in batch] == items
    assert all(len(batch) == size for batch in found[:-1])
    assert all(found)


def test_no_more_is_taken_than_the_batch_at_hand_needs() -> None:
    items = iter(range(10))
    assert next(batches(items, 3)) == [0, 1, 2]
    assert next(items) == 3


def test_a_batch_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="batches of 0"):
        next(batches([1], 0))
