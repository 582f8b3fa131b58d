"""Dawid and Skene's model (1979): how often each annotator's judgement is right, by what all others judged.

Equal to crowd-kit's (start from the shares of votes, same end), which needs transformers and nltk for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from agreement.chance.coefficients import Unit, judgements_made
from agreement.primitives.iou import Vector
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask

#: Most iterations, and the gain in likelihood per judgement below which they end.
_ITERATIONS, _GAIN = 100, 1e-5
_LEAST = float(np.float_power(10, -10))
_NEEDS_THREE = "needs a unit that three judged"
_ONE_VERDICT = "all gave one verdict throughout"


@dataclass(frozen=True, slots=True)
class Reliability:
    """One annotator. accuracy: probability that a judgement is right; None if undefined, and `reason` says why."""

    annotator: str
    units: int
    accuracy: float | None
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """U units, N annotators, K labels. truth: (U, K) probabilities. priors: (K,). errors: (N, K, K) probability
    that an annotator gives a label (second) where another one (third) is true.
    """

    truth: Vector
    priors: Vector
    errors: Vector


def dawid_skene(unit: Indices, annotator: Indices, label: Indices, times: Vector | None = None) -> DawidSkene:
    """Fit the model to J judgements. unit, annotator, label: (J,), numbers from 0 on, each of which occurs.

    times: (U,) how often each unit occurs, judged alike; by default once.
    """
    units, people, labels = (int(each.max()) + 1 for each in (unit, annotator, label))
    times = np.ones(units) if times is None else times
    weights = (times / times.sum())[:, None]
    truth = np.zeros((units, labels))
    np.add.at(truth, (unit, label), 1.0)
    truth /= truth.sum(axis=1, keepdims=True)
    given = np.zeros((people, labels, 1), dtype=np.bool_)
    given[annotator, label] = True
    best = -np.inf
    priors, errors = (truth * weights).sum(axis=0), _errors(truth, times, unit, annotator, label, given)
    for _ in range(_ITERATIONS):
        likelihood = np.tile(np.log(np.maximum(priors, _LEAST)), (units, 1))
        np.add.at(likelihood, unit, np.log(errors)[annotator, label])
        truth = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        truth /= truth.sum(axis=1, keepdims=True)
        priors, errors = (truth * weights).sum(axis=0), _errors(truth, times, unit, annotator, label, given)
        expected = np.log(errors)[annotator, label] + np.log(np.maximum(priors, _LEAST))
        entropy = -(np.log(np.maximum(truth, _LEAST)) * np.maximum(truth, _LEAST)).sum(axis=1)
        fit = ((truth[unit] * expected).sum(axis=1) * times[unit]).sum() + (entropy * times).sum()
        found = float(fit / times[unit].sum())
        if found - best < _GAIN:
            break
        best = found
    return DawidSkene(truth, priors, np.where(given, errors, 0.0))


def _errors(
    truth: Vector, times: Vector, unit: Indices, annotator: Indices, label: Indices, given: Mask
) -> Vector:
    """given: (N, K, 1) labels that an annotator gave at all; the others are no part of their shares."""
    errors: Vector = np.zeros((given.shape[0], given.shape[1], truth.shape[1]))
    np.add.at(errors, (annotator, label), truth[unit] * times[unit, None])
    errors = np.where(given, np.maximum(errors, _LEAST), 0.0)
    return np.where(given, errors / errors.sum(axis=1, keepdims=True), 1.0)


def reliabilities(judged: Mapping[Unit, Mapping[str, Hashable]]) -> tuple[Reliability, ...]:
    """Return the reliability of each annotator, by name. judged: unit -> annotator -> judgement.

    Missing judgements count as not given.
    """
    judged = judgements_made(judged)
    units = Counter(name for unit in judged.values() for name in unit)
    # Of thousands of units, few are judged differently.
    alike = Counter(frozenset(unit.items()) for unit in judged.values())
    values = {value for unit in alike for _, value in unit}
    reason = "" if any(len(unit) > 2 for unit in alike) else _NEEDS_THREE
    names = sorted(units)
    if reason or len(values) < 2:
        return tuple(Reliability(name, units[name], None, reason or _ONE_VERDICT) for name in names)
    places = {value: place for place, value in enumerate(sorted(values, key=str))}
    patterns = sorted(
        (sorted((names.index(name), places[value]) for name, value in unit), times)
        for unit, times in alike.items()
        if unit
    )
    rows = [(number, *each) for number, (pattern, _) in enumerate(patterns) for each in pattern]
    place, annotator, label = np.array(rows, dtype=np.int64).T
    model = dawid_skene(place, annotator, label, np.array([float(times) for _, times in patterns]))
    right = np.einsum("nkk,k->n", model.errors, model.priors)
    return tuple(
        Reliability(name, units[name], float(each), "") for name, each in zip(names, right.tolist(), strict=True)
    )
