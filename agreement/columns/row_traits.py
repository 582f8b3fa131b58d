"""What of a corpus's annotations only they themselves tell, without reading those that are not in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from agreement.columns.corpus import Chosen
from agreement.columns.raw import Submitted
from agreement.primitives.token_sets import Mask
from panelwise.domain.annotation import Annotation
from panelwise.domain.items import NO_ITEMS


@runtime_checkable
class KnowsTraits(Protocol):
    """Annotations that are read when asked for, and know what `traits_of` asks."""

    def traits(self) -> tuple[Mask, Mask]:
        """As `traits_of`."""
        ...


def traits_of(rows: Sequence[Submitted]) -> tuple[Mask, Mask]:
    """(A,) which annotations are values as listed (`RawAnnotation`), and which hold more than subfigures: types,
    verdicts or answers.
    """
    if isinstance(rows, Chosen):
        raw, judged = traits_of(rows.base)
        return raw[rows.places], judged[rows.places]
    if isinstance(rows, KnowsTraits):
        return rows.traits()
    raw = np.array([not isinstance(each, Annotation) for each in rows], dtype=np.bool_)
    judged = np.array([isinstance(each, Annotation) and each.items != NO_ITEMS for each in rows], dtype=np.bool_)
    return raw, judged
