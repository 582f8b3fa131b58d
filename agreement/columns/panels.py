"""The panels of annotations, prepared for scoring by one set of rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import Corpus, common_of
from agreement.primitives.iou import Boxes, box_area
from agreement.primitives.matching import Indices, ranges
from agreement.primitives.rules import Common, LeftOut, Mode
from agreement.primitives.token_sets import WORD, Mask, TokenSets, below, starts_of

#: The reasons that `Panels.left_out` numbers; -1 for None.
REASONS: tuple[LeftOut, ...] = tuple(LeftOut)
_NO_SUBCAPTION, _ONLY_COMMON, _NO_COUNTED, _NO_AREA = range(len(REASONS))

#: Annotations prepared at a time.
_AT_ONCE = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """P panels of A annotations, prepared for both roles.

    starts: (A + 1,), where each annotation's panels start. boxes: (P, 4). gold, other: P sets, the tokens of a
    panel that count in either role, without common ones; one object if the roles do not differ. gold_lengths,
    other_lengths: (P,) their sizes; in official-code repeated ids count again. left_out: (P,) int8, why a panel
    cannot be scored as gold, index in `REASONS`, -1 if it can. zero_if_missed: (P,) whether such a panel still
    scores 0 without a matching box.
    """

    starts: Indices
    boxes: Boxes
    gold: TokenSets
    other: TokenSets
    gold_lengths: Indices
    other_lengths: Indices
    left_out: NDArray[np.int8]
    zero_if_missed: Mask


def panels_of_corpus(corpus: Corpus, mode: Mode, common: Common) -> Panels:
    """Prepare all panels of a corpus by the rules of `mode`, with the common tokens of `common` removed.

    If common tokens are removed, gold subfigures without any token are dropped first, as in the authors' reader,
    so that the metric never counts them as missed.
    """
    made = _blank(corpus, common)
    # In parts, to keep temporary arrays small.
    for begin in range(0, len(corpus), _AT_ONCE):
        _fill(made, corpus, begin, min(begin + _AT_ONCE, len(corpus)), mode, common)
    return made


def _blank(corpus: Corpus, common: Common) -> Panels:
    """Allocate the panels of a corpus; if the roles do not differ, both share one array."""
    widths = -(-corpus.counted[corpus.content] // WORD)
    words, number = int((widths * corpus.panels).sum()), len(corpus.boxes)
    gold = TokenSets(np.empty(words, dtype=np.uint64), np.zeros(number + 1, dtype=np.int64))
    lengths = np.empty(number, dtype=np.int64)
    one = common is not Common.GOLD
    return Panels(
        corpus.panel_starts,
        corpus.boxes,
        gold,
        gold if one else TokenSets(np.empty_like(gold.words), gold.starts),
        lengths,
        lengths if one else np.empty_like(lengths),
        np.empty(number, dtype=np.int8),
        np.empty(number, dtype=np.bool_),
    )


def _fill(made: Panels, corpus: Corpus, begin: int, end: int, mode: Mode, common: Common) -> None:
    """Fill in the panels of the annotations `begin` to `end`, exclusive."""
    first, last = int(corpus.panel_starts[begin]), int(corpus.panel_starts[end])
    starts = corpus.panel_starts[begin : end + 1] - first
    text = corpus.text.part(first, last)
    content = corpus.content[begin:end]
    removed = None
    if common is not Common.NONE and corpus.common is not None:
        removed = corpus.common.part(begin, end)
    elif common is not Common.NONE:
        removed = common_of(text, starts, -(-corpus.tokens[content] // WORD))
    again = slice(*np.searchsorted(corpus.repeated_panels, (first, last)).tolist())
    part = prepare(
        text,
        starts,
        corpus.boxes[first:last],
        corpus.counted[content],
        removed,
        (corpus.repeated_panels[again] - first, corpus.repeated_places[again]),
        mode=mode,
        gold_only=common is Common.GOLD,
        as_read=common is not Common.NONE,
    )
    offset = made.gold.starts[first]
    made.gold.starts[first : last + 1] = part.gold.starts + offset
    words = slice(int(offset), int(offset) + len(part.gold.words))
    made.gold.words[words], made.other.words[words] = part.gold.words, part.other.words
    made.gold_lengths[first:last], made.other_lengths[first:last] = part.gold_lengths, part.other_lengths
    made.left_out[first:last], made.zero_if_missed[first:last] = part.left_out, part.zero_if_missed


def prepare(
    text: TokenSets,
    starts: Indices,
    boxes: Boxes,
    counted: Indices,
    common: TokenSets | None,
    repeated: tuple[Indices, Indices],
    *,
    mode: Mode,
    gold_only: bool,
    as_read: bool,
) -> Panels:
    """Prepare the panels of A annotations. text: P sets. starts: (A + 1,). counted: (A,) number of tokens that
    count.

    common: A sets to remove, None for none. repeated: `Corpus.repeated_panels` and `repeated_places`. gold_only:
    keep common tokens in the other side's role. as_read: see `panels_of_corpus`.
    """
    owners = np.repeat(np.arange(len(counted)), np.diff(starts))
    bare = _counted_alone(text, counted[owners])
    gold = bare if common is None else _without(bare, common, owners)
    other = bare if gold_only else gold
    again = repeated if mode is Mode.OFFICIAL else (repeated[0][:0], repeated[1][:0])
    gold_lengths = _lengths(gold, again)
    other_lengths = gold_lengths if other is gold else _lengths(other, again)
    left_out = np.full(len(boxes), -1, dtype=np.int8)
    empty = np.flatnonzero(gold_lengths == 0)
    left_out[empty] = _NO_COUNTED
    if common is not None:
        spared = _without(text.take(empty), common, owners[empty])
        left_out[empty[spared.sizes() == 0]] = _ONLY_COMMON
    left_out[empty[text.take(empty).sizes() == 0]] = _NO_SUBCAPTION
    zero_if_missed: Mask = np.zeros(len(boxes), dtype=np.bool_)
    if mode is Mode.OFFICIAL:
        # The authors' code looks at the box before it looks at the tokens.
        zero_if_missed = left_out == _NO_COUNTED if as_read else left_out >= 0
    else:
        # The paper's boxes enclose something: the readers refuse others, this keeps raw arrays to the same rule.
        left_out[box_area(boxes) <= 0.0] = _NO_AREA
    return Panels(starts, boxes, gold, other, gold_lengths, other_lengths, left_out, zero_if_missed)


def joined(one: Panels, other: Panels) -> Panels:
    """Concatenate the panels of two corpora prepared by the same rules; the annotations of `other` come second."""
    gold = _joined_sets(one.gold, other.gold)
    alike = one.other is one.gold and other.other is other.gold
    return Panels(
        np.concatenate([one.starts, one.starts[-1] + other.starts[1:]]),
        np.concatenate([one.boxes, other.boxes]),
        gold,
        gold if alike else _joined_sets(one.other, other.other),
        np.concatenate([one.gold_lengths, other.gold_lengths]),
        np.concatenate([one.other_lengths, other.other_lengths]),
        np.concatenate([one.left_out, other.left_out]),
        np.concatenate([one.zero_if_missed, other.zero_if_missed]),
    )


def _joined_sets(one: TokenSets, other: TokenSets) -> TokenSets:
    return TokenSets(
        np.concatenate([one.words, other.words]), np.concatenate([one.starts, one.starts[-1] + other.starts[1:]])
    )


def _counted_alone(text: TokenSets, counted: Indices) -> TokenSets:
    """Return the sets without tokens that do not count, narrowed accordingly. counted: (P,)."""
    widths = -(-counted // WORD)
    starts = starts_of(widths)
    words = text.words[ranges(text.starts[:-1], widths)]
    cut = np.flatnonzero(counted % WORD)
    words[starts[cut + 1] - 1] &= below(counted[cut] % WORD)
    return TokenSets(words, starts)


def _without(sets: TokenSets, common: TokenSets, owners: Indices) -> TokenSets:
    """Return the sets without the common tokens of their annotation, which may be wider. owners: (P,)."""
    return TokenSets(sets.words & ~common.words[ranges(common.starts[owners], sets.widths)], sets.starts)


def _lengths(sets: TokenSets, repeated: tuple[Indices, Indices]) -> Indices:
    """Return the size of each set, (P,); repeated tokens that the set has count again."""
    lengths = sets.sizes()
    panels, places = repeated
    if len(panels):
        word = places // WORD
        inside = word < sets.widths[panels]
        panels, places, word = panels[inside], places[inside], word[inside]
        bits = (places % WORD).astype(np.uint64)
        kept = (sets.words[sets.starts[panels] + word] >> bits & np.uint64(1)).astype(np.bool_)
        np.add.at(lengths, panels[kept], 1)
    return lengths
