"""A linear-chain conditional random field over whole batches: likelihood, best sequences, marginals.

The likelihood ranges over all sequences, legal or not, as that of the paper's code does; best sequences and
marginals only over those that the rules allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

Mask = np.ndarray[Any, np.dtype[np.bool_]]

#: Added for what the rules forbid. Not infinite: the difference of two infinities is no number.
FORBIDDEN = -1e4


@dataclass(frozen=True, slots=True)
class Rules:
    """The allowed starts (K,), transitions (K, K) and ends (K,) of a sequence.

    Of every length at least one sequence has to be legal.
    """

    begin: Mask
    follow: Mask
    end: Mask


class EmissionLayer(nn.Linear):
    """A linear layer that stays in float32 under mixed precision: rounded emissions add up along a caption."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the scores of the tags, (..., T), in float32 for any precision of `input`."""
        with torch.autocast(input.device.type, enabled=False):
            return super().forward(input.float())


class LinearChainCRF(nn.Module):
    """Scores of tags beside each other, learnt, and what follows from them for rows of emissions.

    emissions: (B, L, K), the score of each tag at each place; lengths: (B,), from 1 to L: what lies beyond is
    padding, and may have any finite value. All is computed in float32, with any precision outside.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        count = len(rules.begin)
        self.begin = nn.Parameter(torch.empty(count).uniform_(-0.1, 0.1))
        self.follow = nn.Parameter(torch.empty(count, count).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(count).uniform_(-0.1, 0.1))
        for name in ("begin", "follow", "end"):
            allowed = torch.from_numpy(getattr(rules, name).copy())
            self.register_buffer(f"may_{name}", torch.zeros(allowed.shape).masked_fill(~allowed, FORBIDDEN), False)

    def log_likelihood(self, emissions: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """Log-probability of each sequence's tags, (B,). tags: (B, L); beyond the lengths any tag will do."""
        with torch.autocast(emissions.device.type, enabled=False):
            emissions = emissions.float()
            return self._scores(emissions, tags, lengths) - self._log_sum(emissions, lengths)

    def best(self, emissions: Tensor, lengths: Tensor) -> list[list[int]]:
        """The legal sequence of the highest score for each row, as long as the row."""
        with torch.no_grad():
            begin, follow, end = self._legal()
            emissions = emissions.float()
            scores = begin + emissions[:, 0]
            # Past the end of a row, the way back leads from each tag to itself.
            staying = torch.arange(len(begin), device=emissions.device).expand_as(scores)
            ways = []
            for place in range(1, emissions.shape[1]):
                reached, way = (scores.unsqueeze(2) + follow).max(dim=1)
                inside = (place < lengths).unsqueeze(1)
                scores = torch.where(inside, reached + emissions[:, place], scores)
                ways.append(torch.where(inside, way, staying))
            tag = (scores + end).argmax(dim=1).cpu().numpy()
            back = torch.stack(ways).cpu().numpy() if ways else np.empty((0, *scores.shape), np.int64)
            paths = np.empty((len(back) + 1, len(tag)), np.int64)
            paths[-1] = tag
            rows = np.arange(len(tag))
            for place in range(len(back) - 1, -1, -1):
                tag = back[place, rows, tag]
                paths[place] = tag
            return [path[:length] for path, length in zip(paths.T.tolist(), lengths.tolist(), strict=True)]

    def marginals(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Probability of each tag at each place among the legal sequences, (B, L, K); 0 beyond the lengths."""
        with torch.no_grad():
            begin, follow, end = self._legal()
            emissions = emissions.float()
            longest = emissions.shape[1]
            forward = [begin + emissions[:, 0]]
            for place in range(1, longest):
                reached = torch.logsumexp(forward[-1].unsqueeze(2) + follow, dim=1) + emissions[:, place]
                forward.append(torch.where((place < lengths).unsqueeze(1), reached, forward[-1]))
            ending = end.expand_as(forward[0])
            backward = [ending]
            for place in range(longest - 1, 0, -1):
                reached = torch.logsumexp((backward[-1] + emissions[:, place]).unsqueeze(1) + follow, dim=2)
                backward.append(torch.where((place < lengths).unsqueeze(1), reached, ending))
            joint = torch.stack(forward, dim=1) + torch.stack(backward[::-1], dim=1)
            inside = torch.arange(longest, device=lengths.device) < lengths.unsqueeze(1)
            return torch.softmax(joint, dim=2) * inside.unsqueeze(2)

    def log_probability(self, emissions: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """Log-probability of legal tags among the legal sequences, (B,)."""
        with torch.no_grad():
            emissions = emissions.float()
            return self._scores(emissions, tags, lengths) - self._log_sum(emissions, lengths, self._legal())

    def _legal(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.begin + self.may_begin, self.follow + self.may_follow, self.end + self.may_end

    def _scores(self, emissions: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        inside = torch.arange(tags.shape[1], device=tags.device) < lengths.unsqueeze(1)
        own = emissions.gather(2, tags.unsqueeze(2)).squeeze(2) * inside
        beside = self.follow[tags[:, :-1], tags[:, 1:]] * inside[:, 1:]
        last = tags.gather(1, (lengths - 1).unsqueeze(1)).squeeze(1)
        return self.begin[tags[:, 0]] + own.sum(1) + beside.sum(1) + self.end[last]

    def _log_sum(
        self, emissions: Tensor, lengths: Tensor, weights: tuple[Tensor, Tensor, Tensor] | None = None
    ) -> Tensor:
        """Log of the sum over all sequences."""
        begin, follow, end = weights or (self.begin, self.follow, self.end)
        sums = begin + emissions[:, 0]
        for place in range(1, emissions.shape[1]):
            reached = torch.logsumexp(sums.unsqueeze(2) + follow, dim=1) + emissions[:, place]
            sums = torch.where((place < lengths).unsqueeze(1), reached, sums)
        return torch.logsumexp(sums + end, dim=1)
