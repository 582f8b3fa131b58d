"""The kinds of annotation on the screen of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, UnsetType

from annotator.adjudication.kinds.pairs import OWN_ANSWERS, VERDICTS
from annotator.adjudication.kinds.support import MOST_PARTS, KindSupport
from annotator.adjudication.kinds.types import FIGURE_TYPE
from panelwise.domain import Items, Kind

#: All of them, in the order of the screen.
SUPPORTS: Mapping[Kind, KindSupport] = {support.kind: support for support in (FIGURE_TYPE, VERDICTS, OWN_ANSWERS)}
#: Those that reviewers adjudicate.
ADJUDICATED = tuple(support for support in SUPPORTS.values() if support.kind.adjudicated)


def item_values(items: Items, judged: Iterable[KindSupport] = ADJUDICATED) -> dict[str, Any]:
    """Return the fields of a draft, or of the view of a decision, that hold items in plain values."""
    return {each.kind.field: each.as_field(map(each.value, each.kind.parts(items).values())) for each in judged}


def with_kinds(
    base: type[msgspec.Struct],
    supports: Iterable[KindSupport],
    *,
    entry: Callable[[KindSupport], Any] = lambda support: support.sent,
    name: Callable[[KindSupport], str] = lambda support: support.kind.field,
    default: Any = NODEFAULT,
) -> type[msgspec.Struct]:
    """Return a struct with a field for each kind, beside what `base` has. entry: the class of an item in it.

    default: of each field; UNSET for fields that people send, and may leave out.
    """
    fields = []
    for support in supports:
        held = support.field_type(entry(support))
        if name(support) not in base.__struct_fields__:
            sent = Annotated[held, Meta(max_length=MOST_PARTS)] if support.kind.on_pairs else held
            fields.append((name(support), sent | UnsetType if default is UNSET else held, default))
    return msgspec.defstruct(
        f"_{base.__name__}OfKinds", fields, bases=(base,), module=__name__, frozen=True, kw_only=True
    )
