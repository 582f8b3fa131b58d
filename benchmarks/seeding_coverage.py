"""Simulate campaigns of known effects of pre-labels; print how often the report's 95 % CI covers the effect.

python benchmarks/seeding_coverage.py [--campaigns 200] [--figures 80] [--unseeded 0.3] [--resamples 1000]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from agreement.pairs.pairwise import pair_scores
from agreement.trends.seeding import seeded_apart
from panelwise.domain import Annotation
from panelwise_simulator.captioned import captioned_figures
from panelwise_simulator.noise import Noise, noisy

#: How often an annotator who begins from a pre-label submits it as it is, in place of work of their own.
FOLLOWED = (0.0, 0.35, 0.6)
#: The share of panels whose texts an annotator confuses.
CONFUSED = 0.3


def campaign(truth: Sequence[Annotation], followed: float, unseeded: float, seed: int) -> Iterator[Annotation]:
    """Yield the work of two annotators on each figure, which begins without a pre-label for one at most."""
    rng = np.random.default_rng(seed)
    for work in truth:
        without = rng.choice(3, p=(unseeded, unseeded, 1 - 2 * unseeded))
        for place, name in enumerate(("ann", "ben")):
            seeded = without != place
            own = noisy(work, Noise.SWAPPED, CONFUSED, annotator=name, seed=2 * seed + place)
            done = replace(work, annotator=name) if seeded and rng.random() < followed else own
            yield replace(done, seeded_by="model" if seeded else None)


def main() -> None:
    """Print a line for each effect."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--figures", type=int, default=80)
    parser.add_argument("--unseeded", type=float, default=0.3)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    pool = list(captioned_figures(2000, seed=11))
    print("| followed | effect | mean estimate | covered | mean width |")
    print("|---:|---:|---:|---:|---:|")
    for followed in FOLLOWED:
        effects, ends = [], []
        whole = list(campaign(pool, followed, options.unseeded, 999_999))
        repeated = [whole, *(list(campaign(pool, followed, options.unseeded, 900_000 + n)) for n in range(4))]
        known = float(np.mean([_effect(work, 1)[0] for work in repeated]))
        for seed in range(options.campaigns):
            chosen = np.random.default_rng([seed, 5]).choice(len(pool), options.figures, replace=False)
            work = campaign([pool[place] for place in chosen], followed, options.unseeded, seed)
            effect, interval = _effect(list(work), options.resamples)
            effects.append(effect)
            ends.append(interval)
        low, high = np.array(ends).T
        covered = float(((low <= known) & (known <= high)).mean())
        print(
            f"| {followed:g} | {known:+.3f} | {np.mean(effects):+.3f} | {100 * covered:.1f} % | "
            f"{np.mean(high - low):.3f} |",
            flush=True,
        )


def _effect(work: Sequence[Annotation], resamples: int) -> tuple[float, tuple[float, float]]:
    found = seeded_apart(pair_scores(work), 0, 0, resamples=resamples).effect
    assert found.value is not None
    return found.value, found.interval or (found.value, found.value)


if __name__ == "__main__":
    main()
