"""Times of many annotations at once, as microseconds since 1970."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np

from agreement.primitives.matching import Indices

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Stands for a time that is none; no time is as early.
NO_TIME = np.iinfo(np.int64).min
#: The usual form of a time, 2026-11-21T10:00:00Z: its length, its marks and where these and its digits stand.
_TIME, _MARKED = 20, np.frombuffer(b"--T::Z", dtype=np.uint8)
_MARKS = [4, 7, 10, 13, 16, 19]
_DIGITS = [place for place in range(_TIME) if place not in _MARKS]


def moments(texts: Sequence[str]) -> Indices:
    """Return microseconds since 1970, (N,); `NO_TIME` for a text that is no time with a zone."""
    whole = "".join(texts)
    if whole.isascii() and len(whole) == _TIME * len(texts) and all(map(_TIME.__eq__, map(len, texts))):
        points = np.frombuffer(whole.encode(), dtype=np.uint8).reshape(-1, _TIME)
        digits = points[:, _DIGITS]
        plain = (points[:, _MARKS] == _MARKED).all() and ((digits >= ord("0")) & (digits <= ord("9"))).all()
        # There is no year 0.
        if plain and (digits[:, :4] > ord("0")).any(axis=1).all():
            with suppress(ValueError):
                known = np.ascontiguousarray(points[:, :-1]).view(f"S{_TIME - 1}").ravel()
                return known.astype("datetime64[us]").astype(np.int64)
    found = map(moment_of, texts)
    return np.array([NO_TIME if each is None else each for each in found], dtype=np.int64)


def moment_of(text: str) -> int | None:
    """Return microseconds since 1970; None for a text that is no time with a zone."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            return None
        since = (moment if moment.tzinfo is UTC else moment.astimezone(UTC)) - _EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    except (ValueError, OverflowError):
        return None
