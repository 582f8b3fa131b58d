"""From a caption's tokens to an encoder's word pieces and back, and windows for captions that are too long for it.

The text is cut whole, as the encoder was pre-trained on it, and pieces are held against tokens by the characters
that they stand for. NumPy only; the tokenizer is one of transformers' fast ones, which say where pieces come from.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from panelwise.domain import AnnotatorError, Caption

Ids = npt.NDArray[np.int64]

#: Tokenizers take no half of a surrogate pair, which JSON may hold; another sign of the same length stands for it.
_SURROGATES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
#: A tokenizer sets itself up as it is called, which two threads must not do at once; cutting takes no time.
_CUTTING = threading.Lock()

#: Windows overlap by this share of their size, so that the used part of each has context on both sides.
OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Pieces:
    """A caption as word pieces. ids: (P,), without special ones.

    first, stop: (T,), the pieces [first, stop) of each of the caption's tokens, never none; two tokens share a
    piece where it stands for characters of both.
    """

    ids: Ids
    first: Ids
    stop: Ids


@dataclass(frozen=True, slots=True)
class Framing:
    """The input format of an encoder: ids before and after each window, the padding's id, and the most pieces
    between the two."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    padding: int
    room: int


@dataclass(frozen=True, slots=True)
class Window:
    """Pieces [start, stop) seen together, of which the encodings of [content, content_stop) are used."""

    start: int
    stop: int
    content: int
    content_stop: int


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """Captions ready to be encoded together.

    ids, seen: (W, L), pieces of each window with its special ones, and which of them are no padding. source: (M,),
    places in the flattened (W * L) encodings; owner: (M,), ascending, the place in the flattened (C * T) tokens
    that each goes to. lengths: (C,), tokens of each caption; T is the largest.
    """

    ids: Ids
    seen: npt.NDArray[np.bool_]
    source: Ids
    owner: Ids
    lengths: Ids


def cut_pieces(tokenizer: Any, captions: Sequence[Caption]) -> list[Pieces]:
    """Each caption's pieces. tokenizer: a fast one of transformers; raises AnnotatorError, one line, for another.

    A token that the tokenizer drops (a lone combining mark, a control character) gets the unknown piece.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise AnnotatorError(
            f"{type(tokenizer).__name__} does not say where its pieces come from; "
            "take an encoder with a fast tokenizer (tokenizer.json)"
        )
    if not captions:
        return []
    texts = [_SURROGATES.sub(_REPLACEMENT, caption.text) for caption in captions]
    with _CUTTING:
        encoded = tokenizer(
            texts,
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )
    return [
        align(np.array(ids, np.int64), np.array(offsets, np.int64).reshape(-1, 2), caption, tokenizer.unk_token_id)
        for ids, offsets, caption in zip(encoded["input_ids"], encoded["offset_mapping"], captions, strict=True)
    ]


def align(ids: Ids, offsets: Ids, caption: Caption, unknown: int) -> Pieces:
    """Pieces held against the caption's tokens. offsets: (P, 2), the characters [start, end) that each stands for.

    unknown: id of the piece that stands for a token without one of its own.
    """
    tokens = np.array(caption.ranges, np.int64).reshape(-1, 2)
    # Normalising may put a mark before another: what counts is how far the pieces before and after reach.
    ends = np.maximum.accumulate(offsets[:, 1])
    starts = np.where(offsets[:, 0] < offsets[:, 1], offsets[:, 0], ends)
    starts = np.minimum.accumulate(starts[::-1])[::-1]
    first = np.searchsorted(ends, tokens[:, 0], side="right")
    stop = np.searchsorted(starts, tokens[:, 1], side="left")
    without = stop <= first
    if without.any():
        ids = np.insert(ids, first[without], unknown)
        # Each unknown piece pushes what comes after it, its own token's end included, along by one.
        pushed = np.cumsum(without)
        first = first + pushed - without
        stop = np.where(without, first + 1, stop + pushed)
    return Pieces(ids, first, stop)


def windows(count: int, room: int) -> list[Window]:
    """Windows of at most `room` pieces that together keep each of `count` pieces once, in order.

    One window where all fit. Else they overlap by about OVERLAP of the room, evenly, and between two windows each
    piece is taken from the window that has it farther from its edge.
    """
    if count <= room:
        return [Window(0, count, 0, count)] if count else []
    step = max(1, room - int(room * OVERLAP))
    number = 1 + ceil((count - room) / step)
    starts = [place * (count - room) // (number - 1) for place in range(number)]
    borders = [0, *((later + start + room) // 2 for start, later in pairwise(starts)), count]
    return [
        Window(start, start + room, kept, kept_stop)
        for start, (kept, kept_stop) in zip(starts, pairwise(borders), strict=True)
    ]


def collate(pieces: Sequence[Pieces], framing: Framing) -> PieceBatch:
    """Captions, each with at least one token, as one batch; every caption in as many windows as it needs."""
    cut = [windows(len(caption.ids), framing.room) for caption in pieces]
    every = [(place, window) for place, found in enumerate(cut) for window in found]
    before, around = len(framing.before), len(framing.before) + len(framing.after)
    longest = max(window.stop - window.start for _, window in every) + around
    most = max(len(caption.first) for caption in pieces)
    ids = np.full((len(every), longest), framing.padding, np.int64)
    seen = np.zeros((len(every), longest), bool)
    where = [np.empty(len(caption.ids), np.int64) for caption in pieces]
    for row, (place, window) in enumerate(every):
        length = window.stop - window.start
        ids[row, : length + around] = (
            *framing.before,
            *pieces[place].ids[window.start : window.stop],
            *framing.after,
        )
        seen[row, : length + around] = True
        begin = row * longest + before - window.start
        where[place][window.content : window.content_stop] = np.arange(window.content, window.content_stop) + begin
    source, owner = [], []
    for place, (each, places) in enumerate(zip(pieces, where, strict=True)):
        counts = each.stop - each.first
        own = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
        source.append(places[each.first[own] + within])
        owner.append(own + place * most)
    lengths = np.array([len(caption.first) for caption in pieces], np.int64)
    return PieceBatch(ids, seen, np.concatenate(source), np.concatenate(owner), lengths)
