from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product

import pytest
import torch
from torch import Tensor

from prelabel.taggers.crf import LinearChainCRF
from prelabel.taggers.decoding import BIOUL, Emissions, read_sequences, read_single_spans
from prelabel.taggers.spans import MAY_BEGIN, MAY_END, MAY_FOLLOW, OUTSIDE, TAGS

LENGTHS = [4, 1, 3, 2, 5]


def a_crf(seed: int = 0) -> LinearChainCRF:
    torch.manual_seed(seed)
    crf = LinearChainCRF(BIOUL)
    with torch.no_grad():
        for weights in crf.parameters():
            weights.normal_()
    return crf


def rows(seed: int = 0, lengths: list[int] = LENGTHS, *, longest: int = 5) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    emissions = torch.randn(len(lengths), longest, TAGS, generator=generator) * 3
    return emissions, torch.tensor(lengths)


def scorer(crf: LinearChainCRF, emissions: Tensor) -> Callable[[tuple[int, ...]], float]:
    """The score of a sequence in one row of emissions (L, K), in plain Python."""
    begin, follow, end, own = (each.detach().tolist() for each in (crf.begin, crf.follow, crf.end, emissions))

    def score(tags: tuple[int, ...]) -> float:
        total = begin[tags[0]] + end[tags[-1]] + sum(own[place][tag] for place, tag in enumerate(tags))
        return total + sum(follow[one][other] for one, other in pairwise(tags))

    return score


def legal(tags: tuple[int, ...]) -> bool:
    pairs = pairwise(tags)
    return bool(MAY_BEGIN[tags[0]] and MAY_END[tags[-1]] and all(MAY_FOLLOW[pair] for pair in pairs))


def sequences(length: int) -> list[tuple[int, ...]]:
    return list(product(range(TAGS), repeat=length))


def test_the_likelihood_is_a_sequences_share_of_all_sequences() -> None:
    crf, (emissions, lengths) = a_crf(), rows()
    generator = torch.Generator().manual_seed(1)
    tags = torch.randint(0, TAGS, emissions.shape[:2], generator=generator)
    found = crf.log_likelihood(emissions, tags, lengths)
    for row, length in enumerate(LENGTHS):
        score = scorer(crf, emissions[row])
        scores = torch.tensor([score(each) for each in sequences(length)])
        own = score(tuple(tags[row, :length].tolist()))
        assert float(found[row].detach()) == pytest.approx(own - float(scores.logsumexp(0)), abs=1e-4)


def test_the_best_sequence_is_the_best_of_all_legal_ones() -> None:
    for seed in range(8):
        crf, (emissions, lengths) = a_crf(seed), rows(seed)
        for row, path in enumerate(crf.best(emissions, lengths)):
            score = scorer(crf, emissions[row])
            expected = max(filter(legal, sequences(LENGTHS[row])), key=score)
            assert tuple(path) == expected


def test_marginals_are_shares_of_the_legal_sequences() -> None:
    crf, (emissions, lengths) = a_crf(), rows()
    found = crf.marginals(emissions, lengths)
    for row, length in enumerate(LENGTHS):
        score = scorer(crf, emissions[row])
        allowed = list(filter(legal, sequences(length)))
        chances = torch.tensor([score(each) for each in allowed]).softmax(0)
        expected = torch.zeros(emissions.shape[1], TAGS)
        for tags, chance in zip(allowed, chances, strict=True):
            for place, tag in enumerate(tags):
                expected[place, tag] += chance
        assert torch.allclose(found[row], expected, atol=1e-4)


def test_the_probability_of_legal_tags_is_their_share_of_the_legal_sequences() -> None:
    crf, (emissions, lengths) = a_crf(), rows()
    nothing = torch.full(emissions.shape[:2], OUTSIDE)
    found = crf.log_probability(emissions, nothing, lengths).exp()
    for row, length in enumerate(LENGTHS):
        score = scorer(crf, emissions[row])
        allowed = list(filter(legal, sequences(length)))
        chances = torch.tensor([score(each) for each in allowed]).softmax(0)
        assert float(found[row]) == pytest.approx(float(chances[allowed.index((OUTSIDE,) * length)]), abs=1e-5)


def test_likelihood_and_gradients_are_those_of_pytorch_crf() -> None:
    torchcrf = pytest.importorskip("torchcrf")
    crf = a_crf()
    oracle = torchcrf.CRF(TAGS, batch_first=True)
    oracle.load_state_dict({"start_transitions": crf.begin, "end_transitions": crf.end, "transitions": crf.follow})
    lengths = [40, 1, 17, 39, 2]
    emissions, sizes = rows(3, lengths, longest=40)
    tags = torch.randint(0, TAGS, emissions.shape[:2], generator=torch.Generator().manual_seed(4))
    ours, theirs = (emissions.clone().requires_grad_() for _ in range(2))
    found = crf.log_likelihood(ours, tags, sizes)
    mask = torch.arange(40) < sizes.unsqueeze(1)
    expected = oracle(theirs, tags, mask=mask, reduction="none")
    assert torch.allclose(found, expected, atol=1e-3)
    found.sum().backward()
    expected.sum().backward()
    assert torch.allclose(ours.grad, theirs.grad, atol=1e-4)
    assert torch.allclose(crf.follow.grad, oracle.transitions.grad, atol=1e-3)


def test_without_rules_the_best_sequence_is_that_of_pytorch_crf() -> None:
    torchcrf = pytest.importorskip("torchcrf")
    crf = a_crf(5)
    for name in ("may_begin", "may_follow", "may_end"):
        getattr(crf, name).zero_()
    oracle = torchcrf.CRF(TAGS, batch_first=True)
    oracle.load_state_dict({"start_transitions": crf.begin, "end_transitions": crf.end, "transitions": crf.follow})
    emissions, sizes = rows(6, [30, 1, 12], longest=30)
    mask = torch.arange(30) < sizes.unsqueeze(1)
    assert crf.best(emissions, sizes) == oracle.decode(emissions, mask=mask)


def test_what_lies_beyond_a_row_does_not_matter() -> None:
    crf, (emissions, lengths) = a_crf(), rows()
    other = emissions.clone()
    for row, length in enumerate(LENGTHS):
        other[row, length:] = 1000.0
    tags = torch.zeros(emissions.shape[:2], dtype=torch.long)
    assert crf.best(emissions, lengths) == crf.best(other, lengths)
    assert torch.equal(crf.marginals(emissions, lengths), crf.marginals(other, lengths))
    assert torch.equal(crf.log_likelihood(emissions, tags, lengths), crf.log_likelihood(other, tags, lengths))


def test_rows_decoded_together_and_alone_give_the_same() -> None:
    crf, (emissions, lengths) = a_crf(), rows(8, [30, 7, 22, 1], longest=30)
    together = crf.best(emissions, lengths)
    for row, length in enumerate(lengths.tolist()):
        assert crf.best(emissions[row : row + 1, :length], lengths[row : row + 1]) == [together[row]]


def test_a_single_span_is_the_one_with_the_largest_sum_of_its_ends() -> None:
    for seed in range(10):
        crf, (emissions, lengths) = a_crf(seed), rows(seed)
        chances = crf.marginals(emissions, lengths)
        begins, ends = chances[:, :, 1] + chances[:, :, 4], chances[:, :, 3] + chances[:, :, 4]
        for row, read in enumerate(read_single_spans(crf, Emissions(emissions, lengths))):
            sums = {
                (start, stop + 1): float(begins[row, start] + ends[row, stop])
                for start in range(LENGTHS[row])
                for stop in range(start, LENGTHS[row])
            }
            assert len(read.spans) == 1
            assert sums[read.spans[0]] == pytest.approx(max(sums.values()), abs=1e-6)
            assert read.score == pytest.approx(min(1.0, max(sums.values()) / 2), abs=1e-5)


def test_a_sure_sequence_scores_one_and_an_unsure_one_less() -> None:
    crf = a_crf()
    with torch.no_grad():
        for weights in crf.parameters():
            weights.zero_()
    sure = torch.full((1, 4, TAGS), -50.0)
    for place, tag in enumerate([0, 1, 3, 4]):
        sure[0, place, tag] = 50.0
    [read] = read_sequences(crf, Emissions(sure, torch.tensor([4])))
    assert read.spans == ((1, 3), (3, 4))
    assert read.score == pytest.approx(1.0)
    assert read.scores == pytest.approx((1.0, 1.0))
    [unsure] = read_sequences(crf, Emissions(sure * 0.01, torch.tensor([4])))
    assert unsure.score < 0.9
    nothing = torch.zeros(1, 3, TAGS)
    nothing[:, :, OUTSIDE] = 50.0
    [empty] = read_sequences(crf, Emissions(nothing, torch.tensor([3])))
    assert (empty.spans, empty.tokens) == ((), frozenset())
    assert empty.score == pytest.approx(1.0)
