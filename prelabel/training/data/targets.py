"""Training targets of taggers: subcaptions as the authors' readers return them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agreement.primitives import Common, common_tokens
from prelabel.training.data.examples import Example


def learning_targets(examples: Iterable[Example], common: Common) -> Iterator[Example]:
    """The figures with those boxes only that have a subcaption left; figures without any are left out.

    common: GOLD removes the tokens that all subcaptions of a figure share, and with them the one subcaption of a
    figure that has no other, as the readers of MedICaT's code do; NONE keeps them.
    """
    for example in examples:
        texted = [each for each in example.subfigures if each.subcaption]
        shared = common_tokens(each.subcaption for each in texted) if common is Common.GOLD else frozenset[int]()
        targets = tuple(
            replace(each, subcaption=each.subcaption - shared) for each in texted if each.subcaption - shared
        )
        if targets:
            yield replace(example, subfigures=targets)
