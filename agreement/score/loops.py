"""The kernel as plain loops over arrays, for numba to compile: the same sums in the same order.

Runs without numba, slowly; see `compiled`. Words are unsigned 64-bit throughout: a single signed operand would
turn them into floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agreement.columns.panels import REASONS
from agreement.primitives.iou import Boxes, Matrix, Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import LeftOut
from agreement.primitives.token_sets import WORD, Mask, Words
from agreement.score.losses import BACKGROUND_IOU, BOUNDARY_WORDS, CAUSES, Loss

_ONE, _TWO, _FOUR = np.uint64(1), np.uint64(2), np.uint64(4)
_PAIRS, _NIBBLES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_BYTES, _COUNT = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x7F)
_BYTE, _HALF, _LONG = np.uint64(8), np.uint64(16), np.uint64(32)
_NOTHING = np.uint64(0)
_NO_SUBCAPTION, _ONLY_COMMON = REASONS.index(LeftOut.NO_SUBCAPTION), REASONS.index(LeftOut.ONLY_COMMON_TOKENS)
_NO_COUNTED, _NO_AREA = REASONS.index(LeftOut.NO_COUNTED_TOKEN), REASONS.index(LeftOut.NO_AREA)
_NO_BOX, _WRONG_BOX = CAUSES.index(Loss.NO_BOX), CAUSES.index(Loss.WRONG_BOX)
_OTHER_PANEL, _BOUNDARY = CAUSES.index(Loss.OTHER_PANEL), CAUSES.index(Loss.BOUNDARY)
_MISSING, _SURPLUS = CAUSES.index(Loss.MISSING), CAUSES.index(Loss.SURPLUS)
_REPEATED = CAUSES.index(Loss.REPEATED)


def score_pairs(
    starts: Indices,
    boxes: Boxes,
    gold_words: Words,
    gold_starts: Indices,
    gold_lengths: Indices,
    other_words: Words,
    other_starts: Indices,
    other_lengths: Indices,
    left_out: Any,
    zero_if_missed: Mask,
    ones: Indices,
    others: Indices,
    groups: Indices,
    min_iou: float,
    totals: Matrix,
    counts: Any,
    unscored: Any,
    lost: Any,
    matched: Vector,
    matched_groups: Indices,
    contested: Mask,
) -> int:
    """Score K pairs of annotations; returns how many boxes were matched one to one with certainty.

    The first ten arguments are the parts of `Panels`, the next three those of a `Lineup`. Outputs, for W
    directions: totals, counts: (W, K), unscored: (W, G, reasons), lost: (W, K, causes); and matched,
    matched_groups: (M,) and contested: (K,). Without details K of lost and contested, and M, are 0.
    """
    details = len(contested) > 0
    most = 0
    for annotation in range(len(starts) - 1):
        most = max(most, starts[annotation + 1] - starts[annotation])
    widest = 0
    for panel in range(len(gold_lengths)):
        widest = max(widest, gold_starts[panel + 1] - gold_starts[panel])
    texts = np.zeros((3, widest), dtype=np.uint64)
    iou = np.zeros((most, most))
    answers, best = np.zeros((2, most), dtype=np.int64), np.zeros((2, most))
    found = 0
    for pair in range(len(ones)):
        a, b = starts[ones[pair]], starts[others[pair]]
        sizes = starts[ones[pair] + 1] - a, starts[others[pair] + 1] - b
        hold(boxes, a, sizes[0], b, sizes[1], details, iou, answers, best)
        for way in range(len(totals)):
            mine, yours = (a, b) if way == 0 else (b, a)
            total, count = 0.0, 0
            for place in range(sizes[way]):
                gold = mine + place
                match = -1
                if answers[way, place] >= 0 and best[way, place] >= min_iou:
                    match = yours + answers[way, place]
                f1 = 0.0
                if left_out[gold] >= 0:
                    if match >= 0 or not zero_if_missed[gold]:
                        unscored[way, groups[pair], left_out[gold]] += 1
                        continue
                elif match >= 0:
                    begin, there, both = gold_starts[gold], other_starts[match], 0
                    for word in range(gold_starts[gold + 1] - begin):
                        both += ones_in(gold_words[begin + word] & other_words[there + word])
                    f1 = 2 * both / (gold_lengths[gold] + other_lengths[match])
                total += f1
                count += 1
                if details and f1 < 1.0:
                    row = lost[way, pair]
                    if match < 0:
                        row[_NO_BOX if best[way, place] < BACKGROUND_IOU else _WRONG_BOX] += 1.0
                    else:
                        lose(
                            gold_words,
                            gold_starts,
                            other_words,
                            other_starts,
                            gold,
                            mine,
                            sizes[way],
                            match,
                            yours,
                            sizes[1 - way],
                            gold_lengths[gold] + other_lengths[match],
                            texts,
                            row,
                        )
            totals[way, pair] = total
            counts[way, pair] = count
        if details:
            settled = match_pair(iou, sizes[0], sizes[1], answers, matched, found)
            contested[pair] = settled < 0
            if settled > 0:
                matched_groups[found : found + settled] = groups[pair]
                found += settled
    return found


def make_ready(
    starts: Indices,
    boxes: Boxes,
    text_words: Words,
    text_starts: Indices,
    counted: Indices,
    content: Any,
    common_words: Words,
    common_starts: Indices,
    repeated_panels: Indices,
    repeated_places: Indices,
    remove: int,
    paper: bool,
    gold_words: Words,
    gold_starts: Indices,
    gold_lengths: Indices,
    other_words: Words,
    other_lengths: Indices,
    left_out: Any,
    zero_if_missed: Mask,
) -> None:
    """Fill in the parts of `Panels` from those of a `Corpus`, as `panels.prepare` does.

    common_words, common_starts: sets of common tokens if the corpus has them, else empty and computed from the
    panels. remove: 0 to remove no common token, 1 from the gold, 2 from both. other_words, other_lengths equal the
    gold's unless `remove` is 1.
    """
    widest = 0
    for panel in range(len(left_out)):
        widest = max(widest, text_starts[panel + 1] - text_starts[panel])
    for annotation in range(len(starts) - 1):
        widest = max(widest, common_starts[annotation + 1] - common_starts[annotation] if len(common_words) else 0)
    common = np.zeros(widest, dtype=np.uint64)
    end = 0
    for annotation in range(len(starts) - 1):
        first, last = starts[annotation], starts[annotation + 1]
        if first == last:
            continue
        number = counted[content[annotation]]
        width = text_starts[first + 1] - text_starts[first]
        if remove and len(common_words):
            for word in range(width):
                common[word] = common_words[common_starts[annotation] + word]
        elif remove:
            in_every(text_words, text_starts, first, last, common)
        for panel in range(first, last):
            begin = text_starts[panel]
            has_text, beyond, length, both = False, False, 0, 0
            for word in range(width):
                own = text_words[begin + word]
                has_text = has_text or own != _NOTHING
                beyond = beyond or own & ~common[word] != _NOTHING
                if word * WORD >= number:
                    continue
                if (word + 1) * WORD > number:
                    own &= (_ONE << np.uint64(number - word * WORD)) - _ONE
                kept = own & ~common[word]
                gold_words[end], length = kept, length + ones_in(kept)
                if remove == 1:
                    other_words[end], both = own, both + ones_in(own)
                end += 1
            gold_starts[panel + 1] = end
            gold_lengths[panel] = length
            if remove == 1:
                other_lengths[panel] = both
            why = -1
            if length == 0:
                why = _NO_SUBCAPTION if not has_text else _NO_COUNTED if beyond else _ONLY_COMMON
            zero_if_missed[panel] = not paper and (why == _NO_COUNTED if remove else why >= 0)
            if paper and (boxes[panel, 2] - boxes[panel, 0]) * (boxes[panel, 3] - boxes[panel, 1]) <= 0.0:
                why = _NO_AREA
            left_out[panel] = why
    if not paper:
        for each in range(len(repeated_panels)):
            panel, place = repeated_panels[each], repeated_places[each]
            word, bit = place // WORD, np.uint64(place % WORD)
            if word < gold_starts[panel + 1] - gold_starts[panel]:
                word += gold_starts[panel]
                gold_lengths[panel] += int(gold_words[word] >> bit & _ONE)
                if remove == 1:
                    other_lengths[panel] += int(other_words[word] >> bit & _ONE)


def in_every(words: Words, starts: Indices, first: int, last: int, common: Words) -> None:
    """Write into `common` the tokens of all panels with text, from `first` to `last` exclusive."""
    width = starts[first + 1] - starts[first]
    some = False
    for panel in range(first, last):
        filled = False
        for word in range(width):
            filled = filled or words[starts[panel] + word] != _NOTHING
        if filled:
            for word in range(width):
                own = words[starts[panel] + word]
                common[word] = common[word] & own if some else own
            some = True
    if not some:
        for word in range(width):
            common[word] = _NOTHING


def hold(
    boxes: Boxes, a: int, number: int, b: int, options: int, keep: bool, iou: Matrix, answers: Any, best: Matrix
) -> None:
    """Find the first best match of each of `number` boxes from `a` on among `options` boxes from `b` on, and its
    IoU.

    keep: also write all IoUs into `iou`.
    """
    for i in range(number):
        answers[0, i], best[0, i] = -1, 0.0
    for j in range(options):
        answers[1, j], best[1, j] = -1, 0.0
    for i in range(number):
        x0, y0, x1, y1 = boxes[a + i, 0], boxes[a + i, 1], boxes[a + i, 2], boxes[a + i, 3]
        area = (x1 - x0) * (y1 - y0)
        for j in range(options):
            u0, v0, u1, v1 = boxes[b + j, 0], boxes[b + j, 1], boxes[b + j, 2], boxes[b + j, 3]
            if keep:
                iou[i, j] = 0.0
            width = min(x1, u1) - max(x0, u0)
            height = min(y1, v1) - max(y0, v0)
            shared = width * height
            if not (width > 0.0 and height > 0.0 and shared > 0.0):
                continue
            overlap = shared / (area + (u1 - u0) * (v1 - v0) - shared)
            if keep:
                iou[i, j] = overlap
            if overlap > best[0, i]:
                best[0, i], answers[0, i] = overlap, j
            if overlap > best[1, j]:
                best[1, j], answers[1, j] = overlap, i


def ones_in(word: np.uint64) -> int:
    """Count the bits that are set."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _NIBBLES) + ((word >> _TWO) & _NIBBLES)
    word = (word + (word >> _FOUR)) & _BYTES
    word = word + (word >> _BYTE)
    word = word + (word >> _HALF)
    word = word + (word >> _LONG)
    return int(word & _COUNT)


def lose(
    gold_words: Words,
    gold_starts: Indices,
    other_words: Words,
    other_starts: Indices,
    gold: int,
    mine: int,
    number: int,
    match: int,
    yours: int,
    options: int,
    length: int,
    texts: Any,
    row: Vector,
) -> None:
    """Add to `row` what one gold subfigure lost within its text.

    mine, yours: first panel of each side. texts: (3, widest), work space.
    """
    width = gold_starts[gold + 1] - gold_starts[gold]
    missing, surplus, shared = texts[0, :width], texts[1, :width], texts[2, :width]
    elsewhere, distinct = 0, 0
    for word in range(width):
        ours, theirs = gold_words[gold_starts[gold] + word], other_words[other_starts[match] + word]
        ours_else, theirs_else = _NOTHING, _NOTHING
        for panel in range(mine, mine + number):
            if panel != gold:
                ours_else |= gold_words[gold_starts[panel] + word]
        for panel in range(yours, yours + options):
            if panel != match:
                theirs_else |= other_words[other_starts[panel] + word]
        shared[word] = ours & theirs
        left, more = ours & ~theirs, theirs & ~ours
        elsewhere += ones_in(left & theirs_else) + ones_in(more & ours_else)
        missing[word], surplus[word] = left & ~theirs_else, more & ~ours_else
        distinct += ones_in(ours) + ones_in(theirs)
    near, apart = near_and_apart(missing, shared)
    also_near, also_apart = near_and_apart(surplus, shared)
    if elsewhere:
        row[_OTHER_PANEL] += elsewhere / length
    if near + also_near:
        row[_BOUNDARY] += (near + also_near) / length
    if apart:
        row[_MISSING] += apart / length
    if also_apart:
        row[_SURPLUS] += also_apart / length
    if length > distinct:
        row[_REPEATED] += (length - distinct) / length


def near_and_apart(words: Words, shared: Words) -> tuple[int, int]:
    """Count the tokens in short runs that touch a shared token, and all others."""
    near, apart = 0, 0
    run, touches, before = 0, False, False
    for word in range(len(words)):
        if not run and words[word] == _NOTHING:
            before = shared[word] >> np.uint64(WORD - 1) != _NOTHING
            continue
        for place in range(WORD):
            bit = np.uint64(place)
            given = shared[word] >> bit & _ONE != _NOTHING
            if words[word] >> bit & _ONE != _NOTHING:
                if not run:
                    touches = before
                run += 1
            elif run:
                if run <= BOUNDARY_WORDS and (touches or given):
                    near += run
                else:
                    apart += run
                run = 0
            before = given
    if run:
        if run <= BOUNDARY_WORDS and touches:
            near += run
        else:
            apart += run
    return near, apart


def match_pair(iou: Matrix, number: int, options: int, answers: Any, matched: Vector, found: int) -> int:
    """Write the IoUs of the one-to-one matches from `found` on; returns their number, -1 if they are not certain.

    See `detection.match_mutual_best`.
    """
    for i in range(number):
        for j in range(options):
            if iou[i, j] <= 0.0 or (answers[0, i] == j and answers[1, j] == i):
                continue
            price = 0.0
            if answers[1, answers[0, i]] == i:
                price += iou[i, answers[0, i]] / 2
            if answers[0, answers[1, j]] == j:
                price += iou[answers[1, j], j] / 2
            if iou[i, j] >= price:
                return -1
    settled = 0
    for i in range(number):
        if answers[0, i] >= 0 and answers[1, answers[0, i]] == i:
            matched[found + settled] = iou[i, answers[0, i]]
            settled += 1
    return settled
