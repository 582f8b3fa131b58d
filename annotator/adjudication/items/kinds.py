"""The kinds of annotation on the screen of items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotator.adjudication.items.pairs import OWN_ANSWERS, VERDICTS
from annotator.adjudication.items.support import KindSupport
from annotator.adjudication.items.types import FIGURE_TYPE
from panelwise.domain import Items, Kind

#: All of them, in the order of the screen.
SUPPORTS: Mapping[Kind, KindSupport] = {support.kind: support for support in (FIGURE_TYPE, VERDICTS, OWN_ANSWERS)}
#: Those that reviewers adjudicate.
ADJUDICATED = tuple(support for support in SUPPORTS.values() if support.kind.adjudicated)


def item_values(items: Items, judged: Iterable[KindSupport] = ADJUDICATED) -> dict[str, Any]:
    """Return the fields of a draft, or of the view of a decision, that hold items in plain values."""
    return {each.kind.field: each.as_field(map(each.value, each.kind.parts(items).values())) for each in judged}
