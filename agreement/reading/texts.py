"""The texts of many records at once: captions' tokens, which of them count or are under spans, and times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, starts_of
from panelwise.domain import MIN_TOKEN_COVER

#: (N, 2) int64, start and end of each token.
Bounds = NDArray[np.int64]
#: Owners of spans are kept apart by this many places; no span is as long.
_FAR = 1 << 33


class Characters:
    """The character classes of N texts, by code points.

    lengths, starts: (N,) and (N + 1,). Classes are those of the default tokenizer and of `str.isalnum`.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self.starts = starts_of(self.lengths)
        whole = "".join(texts)
        if whole.isascii():
            self._kinds = np.frombuffer(whole.encode().translate(_ASCII_BYTES), dtype=np.uint8)
        else:
            points = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), dtype="<u4")
            self._kinds = _ASCII[np.minimum(points, 128)]
            beyond = np.flatnonzero(points > 127)
            different, which = np.unique(points[beyond], return_inverse=True)
            self._kinds[beyond] = _kinds("".join(map(chr, different.tolist())))[which]

    @property
    def word(self) -> Mask:
        """Return which characters belong to words, over all texts."""
        return (self._kinds & _WORD) > 0

    @property
    def space(self) -> Mask:
        """Return which characters are blank, over all texts."""
        return (self._kinds & _SPACE) > 0

    def cut(self, text: int) -> Bounds:
        """Return the default tokens of one text: runs of word characters, and every other non-space character."""
        own = slice(int(self.starts[text]), int(self.starts[text + 1]))
        word, space = self.word[own], self.space[own]
        other = ~word & ~space
        begins = (word & ~np.concatenate([[False], word[:-1]])) | other
        ends = (word & ~np.concatenate([word[1:], [False]])) | other
        return np.stack([np.flatnonzero(begins), np.flatnonzero(ends) + 1], axis=1).astype(np.int64)

    def counting(self, texts: Indices, bounds: Bounds) -> Mask:
        """Return whether each token counts, (T,): all its characters are alphanumeric. texts: (T,) text of each
        token.
        """
        running = np.zeros(len(self._kinds) + 1, dtype=np.int32)
        np.cumsum((self._kinds & _ALNUM) > 0, out=running[1:])
        at = bounds + self.starts[texts][:, None]
        whole: Mask = running[at[:, 1]] - running[at[:, 0]] == bounds[:, 1] - bounds[:, 0]
        return whole


def _kinds(text: str) -> NDArray[np.uint8]:
    return np.array(
        [
            _WORD * bool(re.match(r"\w", each)) + _SPACE * bool(re.match(r"\s", each)) + _ALNUM * each.isalnum()
            for each in text
        ],
        dtype=np.uint8,
    )


_WORD, _SPACE, _ALNUM = 1, 2, 4
_ASCII = _kinds("".join(map(chr, range(129))))
_ASCII_BYTES = _ASCII.tobytes().ljust(256, b"\0")


def well_ordered(bounds: Bounds, starts: Indices, lengths: Indices) -> Mask:
    """Return whether each text's tokens ascend without overlap, are not empty and lie within the text, (N,).

    bounds: (T, 2), tokens of N texts, concatenated. starts: (N + 1,). lengths: (N,) characters.
    """
    owners = np.repeat(np.arange(len(lengths)), np.diff(starts))
    bad = (bounds[:, 0] < 0) | (bounds[:, 0] >= bounds[:, 1]) | (bounds[:, 1] > lengths[owners])
    bad[1:] |= (np.diff(owners) == 0) & (bounds[1:, 0] < bounds[:-1, 1])
    fine = np.ones(len(lengths), dtype=np.bool_)
    fine[owners[bad]] = False
    return fine


def tokens_under(
    spans: Bounds, owners: Indices, captions: Indices, bounds: Bounds, starts: Indices, lengths: Indices
) -> tuple[Indices, Indices, Indices]:
    """Return the tokens that the spans of each of N panels cover by half or more, all spans together.

    spans: (S, 2), each within its caption. owners: (S,) panel of each, ascending. captions: (N,) of the panels.
    bounds: (T, 2), tokens of C captions; starts: (C + 1,), lengths: (C,) characters. Returns ranges of tokens,
    [first, last) each, and their panels; equal to `Caption.tokens_in`.
    """
    line = _Line(bounds, starts, lengths)
    left, right = line.left, line.right
    owners, begins, ends = _united(owners, spans + line.offsets[captions[owners]][:, None])
    first, last = line.touched(begins, ends)
    touching = first < last
    owners, begins, ends = owners[touching], begins[touching], ends[touching]
    first, last = first[touching], last[touching]
    found = []
    # Only the first and the last token under a span can be covered in part.
    partial = []
    for token in (first, last - 1):
        cover = np.minimum(right[token], ends) - np.maximum(left[token], begins)
        partial.append(cover)
        found.append(cover >= MIN_TOKEN_COVER * (right[token] - left[token]))
    low, high = first + ~found[0], last - ~found[1]
    whole = low < high
    base = starts[captions[owners]]
    result = (owners[whole], (low - base)[whole], (high - base)[whole])
    repeated = np.flatnonzero(np.diff(owners) == 0)
    if not len(repeated):
        return result
    joint = _jointly(owners, first, last - 1, partial, right - left, base)
    owner, low, high = (np.concatenate(both) for both in zip(result, joint, strict=True))
    return owner, low, high


def sharing_a_token(
    spans: Bounds, owners: Indices, captions: Indices, bounds: Bounds, starts: Indices, lengths: Indices
) -> Indices:
    """Return the panels with two spans that touch one token. Arguments as for `tokens_under`."""
    line = _Line(bounds, starts, lengths)
    order = np.lexsort((spans[:, 0], owners))
    owners, spans = owners[order], spans[order]
    at = spans + line.offsets[captions[owners]][:, None]
    first, last = line.touched(at[:, 0], at[:, 1])
    ends = np.maximum.accumulate(last + owners * _FAR)
    shared: Indices = owners[1:][first[1:] + owners[1:] * _FAR < ends[:-1]]
    return shared


class _Line:
    """The tokens of all captions on one axis, with gaps between captions, so that one search serves them all.

    offsets: (C,) start of each caption. left, right: (T,) start and end of each token.
    """

    def __init__(self, bounds: Bounds, starts: Indices, lengths: Indices) -> None:
        self.offsets = starts_of(lengths + 1)[:-1]
        whose = np.repeat(np.arange(len(lengths)), np.diff(starts))
        self.left, self.right = bounds[:, 0] + self.offsets[whose], bounds[:, 1] + self.offsets[whose]

    def touched(self, begins: Indices, ends: Indices) -> tuple[Indices, Indices]:
        """Return the first token that each span touches, and the one after the last."""
        return np.searchsorted(self.right, begins, side="right"), np.searchsorted(self.left, ends, side="left")


def _united(owners: Indices, spans: Bounds) -> tuple[Indices, Indices, Indices]:
    """Merge overlapping or touching spans of one owner: owners, begins, ends."""
    if not (np.diff(owners) == 0).any():
        return owners, spans[:, 0], spans[:, 1]
    begins, ends = spans[:, 0] + owners * _FAR, spans[:, 1] + owners * _FAR
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], np.maximum.accumulate(ends[order])
    heads = np.flatnonzero(np.concatenate([[True], begins[1:] > ends[:-1]]))
    owners = owners[order][heads]
    last = np.append(heads[1:], len(ends)) - 1
    return owners, begins[heads] - owners * _FAR, ends[last] - owners * _FAR


def _jointly(
    owners: Indices, first: Indices, last: Indices, partial: list[Indices], sizes: Indices, base: Indices
) -> tuple[Indices, Indices, Indices]:
    """Return tokens that spans of one owner cover by half only together, each a range of one."""
    # A span within one token touches it once, not at both its ends.
    apart = first < last
    owner = np.concatenate([owners, owners[apart]])
    token = np.concatenate([first, last[apart]])
    cover = np.concatenate([partial[0], partial[1][apart]])
    start = np.concatenate([base, base[apart]])
    order = np.lexsort((token, owner))
    owner, token, cover, start = owner[order], token[order], cover[order], start[order]
    heads = np.flatnonzero(np.concatenate([[True], (np.diff(owner) != 0) | (np.diff(token) != 0)]))
    together = np.add.reduceat(cover, heads)
    enough = together >= MIN_TOKEN_COVER * sizes[token[heads]]
    owner, place = owner[heads][enough], (token - start)[heads][enough]
    return owner, place, place + 1


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
