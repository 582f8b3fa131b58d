"""Traits of annotations that columns do not store, without reading annotations that are not in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from agreement.columns.corpus import Chosen
from agreement.columns.raw import Submitted
from agreement.primitives.token_sets import Mask
from panelwise.domain import NO_ITEMS, Annotation


@runtime_checkable
class KnowsTraits(Protocol):
    """Annotations read on demand whose `traits_of` are known."""

    def traits(self) -> tuple[Mask, Mask]:
        """Return the same as `traits_of`."""
        ...


def traits_of(rows: Sequence[Submitted]) -> tuple[Mask, Mask]:
    """Return which annotations are raw values (`RawAnnotation`), and which have items (types, verdicts or
    answers), (A,) each.
    """
    if isinstance(rows, Chosen):
        raw, judged = traits_of(rows.base)
        return raw[rows.places], judged[rows.places]
    if isinstance(rows, KnowsTraits):
        return rows.traits()
    raw = np.array([not isinstance(each, Annotation) for each in rows], dtype=np.bool_)
    judged = np.array([isinstance(each, Annotation) and each.items != NO_ITEMS for each in rows], dtype=np.bool_)
    return raw, judged
