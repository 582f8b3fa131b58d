"""Traits of annotations that columns do not store, without reading annotations that are not in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from agreement.columns.corpus import Chosen
from agreement.columns.raw import RawAnnotation, Submitted
from agreement.primitives.token_sets import Mask
from panelwise.domain import NO_ITEMS, Annotation, Attention, attention_of


@runtime_checkable
class KnowsTraits(Protocol):
    """Annotations read on demand whose `traits_of` are known."""

    def traits(self) -> tuple[Mask, Mask]:
        """Return the same as `traits_of`."""
        ...

    def attention(self) -> Mapping[int, Attention]:
        """Return the same as `attention_on`."""
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


def attention_on(rows: Sequence[Submitted]) -> Mapping[int, Attention]:
    """Return place -> how an annotation was made, of accepted ones that recorded what was looked at."""
    if isinstance(rows, Chosen):
        base = attention_on(rows.base)
        return {place: base[old] for place, old in enumerate(rows.places.tolist()) if old in base} if base else {}
    if isinstance(rows, KnowsTraits):
        return rows.attention()
    return attention_in_memory(rows)


def attention_in_memory(works: Sequence[Submitted]) -> dict[int, Attention]:
    """Return the same as `attention_on`, of annotations that are in memory."""
    own = [work.attention if isinstance(work, RawAnnotation) else attention_of(work) for work in works]
    return {place: attention for place, attention in enumerate(own) if attention is not None}
