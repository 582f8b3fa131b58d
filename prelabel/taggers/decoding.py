"""From emissions to subcaptions, in batches: by the CRF's best sequence or the best single span, with scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from prelabel.models.devices import CUDA, amp_of, halving
from prelabel.taggers.crf import LinearChainCRF, Rules
from prelabel.taggers.spans import BEGIN, LAST, MAY_BEGIN, MAY_END, MAY_FOLLOW, OUTSIDE, UNIT, TokenSpan, spans_of

#: What tags may stand beside each other.
BIOUL = Rules(MAY_BEGIN, MAY_FOLLOW, MAY_END)

#: Rows decoded together: a step along the tokens costs the same for one as for hundreds.
ROWS = 1024


@dataclass(frozen=True, slots=True)
class Emissions:
    """Rows of scores for tags. values: (B, L, 5); lengths: (B,), tokens of each row, from 1 to L."""

    values: Tensor
    lengths: Tensor

    @classmethod
    def joined(cls, parts: Sequence[Emissions]) -> Emissions:
        """The rows of all parts, in order, padded to the longest."""
        longest = max(part.values.shape[1] for part in parts)
        padded = [functional.pad(part.values, (0, 0, 0, longest - part.values.shape[1])) for part in parts]
        return cls(torch.cat(padded), torch.cat([part.lengths for part in parts]))


@dataclass(frozen=True, slots=True)
class Read:
    """The decoding of one row: spans in order, the score of each, and the score of no span."""

    spans: tuple[TokenSpan, ...]
    scores: tuple[float, ...]
    score: float

    @property
    def tokens(self) -> frozenset[int]:
        """Ids of the tokens in the spans."""
        return frozenset(token for start, stop in self.spans for token in range(start, stop))


def read_sequences(crf: LinearChainCRF, rows: Emissions) -> list[Read]:
    """The spans of each row's best sequence.

    A span's score is the mean probability of its tokens to lie in a span. The row's is about the F1 to be expected
    if the probabilities are right: 2 * sum(p inside) / (tokens inside + sum(p)); without a span it is the
    probability that there is none.
    """
    values, lengths = rows.values, rows.lengths
    nothing = torch.full(values.shape[:2], OUTSIDE, dtype=torch.long, device=values.device)
    inside = 1 - crf.marginals(values, lengths)[:, :, OUTSIDE].double()
    empty = crf.log_probability(values, nothing, lengths).exp().clamp(0, 1).tolist()
    found = []
    paths = crf.best(values, lengths)
    for path, chances, none in zip(paths, inside.cpu().numpy(), empty, strict=True):
        spans = tuple(spans_of(path))
        sure = chances[: len(path)]
        within = [float(sure[start:stop].sum()) for start, stop in spans]
        if spans:
            covered = sum(stop - start for start, stop in spans)
            score = min(1.0, 2 * sum(within) / (covered + float(sure.sum())))
        else:
            score = none
        means = (min(1.0, total / (stop - start)) for total, (start, stop) in zip(within, spans, strict=True))
        found.append(Read(spans, tuple(means), score))
    return found


def read_single_spans(crf: LinearChainCRF, rows: Emissions) -> list[Read]:
    """Of each row the one span with the largest sum of the probabilities to start and to end, never empty
    (appendix C); its end is not before its start. The score is half that sum."""
    chances = crf.marginals(rows.values, rows.lengths)
    begins = (chances[:, :, BEGIN] + chances[:, :, UNIT]).clamp(max=1)
    ends = (chances[:, :, LAST] + chances[:, :, UNIT]).clamp(max=1)
    outside = torch.arange(begins.shape[1], device=begins.device) >= rows.lengths.unsqueeze(1)
    # For each end the best start up to it, and then the best end.
    best, start = begins.masked_fill(outside, -1).cummax(dim=1)
    total, stop = (best + ends).masked_fill(outside, -1).max(dim=1)
    starts = start.gather(1, stop.unsqueeze(1)).squeeze(1)
    return [
        Read(((first, last + 1),), (min(1.0, both / 2),), min(1.0, both / 2))
        for first, last, both in zip(starts.tolist(), stop.tolist(), total.tolist(), strict=True)
    ]


#: Captions encoded at a time, on a GPU and on a CPU.
_BATCH_GPU, _BATCH_CPU = 64, 16

#: Digits of a stored score: more would depend on the caption's batch.
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Pace:
    """batch: captions encoded at a time, default by the device. amp: lower precision on CUDA. warn: is given a
    line where memory runs out."""

    batch: int | None = None
    amp: bool = True
    warn: Callable[[str], None] | None = None


#: Places of captions, and their rows.
_Part = tuple[Sequence[int], Emissions]


def read_in_batches(
    sizes: Sequence[int],
    rows_of: Callable[[int], int],
    encode: Callable[[Sequence[int]], Emissions],
    read: Callable[[Emissions], list[Read]],
    *,
    device: torch.device,
    pace: Pace,
) -> list[list[Read]]:
    """Apply `read` to each caption's rows; results in the order of the captions.

    sizes: word pieces of each caption, so that like goes with like. rows_of: rows of a caption, by its place.
    encode: the rows of captions by their places, which it may be asked for again in smaller batches.
    """
    found: list[list[Read]] = [[] for _ in sizes]
    with torch.inference_mode():
        waiting: list[_Part] = []
        for part in _encoded(sizes, encode, device, pace):
            waiting.append(part)
            if sum(len(rows.lengths) for _, rows in waiting) >= ROWS:
                _put(waiting, rows_of, read, found)
                waiting = []
        if waiting:
            _put(waiting, rows_of, read, found)
    return found


def _encoded(
    sizes: Sequence[int], encode: Callable[[Sequence[int]], Emissions], device: torch.device, pace: Pace
) -> Iterator[_Part]:
    batch = pace.batch or (_BATCH_GPU if device.type == CUDA else _BATCH_CPU)
    # The longest first: where memory does not suffice, it shows at once.
    order = sorted(range(len(sizes)), key=lambda place: (-sizes[place], place))
    for begin in range(0, len(order), batch):
        with amp_of(device, enabled=pace.amp):
            parts = halving(order[begin : begin + batch], lambda part: [(part, encode(part))], warn=pace.warn)
        yield from parts


def _put(
    parts: Sequence[_Part],
    rows_of: Callable[[int], int],
    read: Callable[[Emissions], list[Read]],
    found: list[list[Read]],
) -> None:
    rows = iter(read(Emissions.joined([rows for _, rows in parts])))
    for places, _ in parts:
        for place in places:
            found[place] = [next(rows) for _ in range(rows_of(place))]
