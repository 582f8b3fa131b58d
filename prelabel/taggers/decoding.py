"""From emissions to subcaptions: by the CRF's best sequence, or by the best single span; each with a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from prelabel.taggers.bioul import BEGIN, LAST, MAY_BEGIN, MAY_END, MAY_FOLLOW, OUTSIDE, UNIT, TokenSpan, spans_of
from prelabel.taggers.crf import LinearChainCRF, Rules

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
