"""Times of many annotations at once."""

from __future__ import annotations

import pytest

from agreement.reading.texts import NO_TIME, moment_of, moments


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-11-21T10:00:00Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z"],
        ["2026-11-21T10:00:00Z", "2026-13-21T10:00:00Z"],
        ["0000-11-21T10:00:00Z"],
        ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.5+01:00", "yesterday", "2026-11-21T10:00:00"],
        ["2026-11-21 10:00:00Z", "2026-02-30T10:00:00Z", "2026-11-21T24:00:00Z", "２026-11-21T10:00:00Z"],
        [],
    ],
)
def test_times_read_together_are_those_read_one_by_one(texts: list[str]) -> None:
    alone = [moment_of(text) for text in texts]
    assert moments(texts).tolist() == [NO_TIME if each is None else each for each in alone]
