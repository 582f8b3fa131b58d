"""A decision as a reviewer sends it, and as screens show it: on subfigures, or on figure type and pairs.

What a draft, or the view of a decision, has of items is a field of each kind (`KindSupport.sent`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from annotator.adjudication.decision_fields import DecisionBasics, DraftBasics, Panel
from annotator.adjudication.kinds.supports import ADJUDICATED, SUPPORTS, with_kinds
from panelwise.domain import LARGEST_MAX_BOXES


class SubfiguresDraft(DraftBasics, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="subfigures"):
    """A decision on a figure's subfigures."""

    subfigures: Annotated[tuple[Panel, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)]


if TYPE_CHECKING:
    _ItemsSent = DraftBasics
    _ItemsShown = DecisionBasics
    _OwnItemsShown = DecisionBasics
else:
    # A field that is not sent is unset: it says nothing, and is not stored as if it had been empty.
    _ItemsSent = with_kinds(DraftBasics, ADJUDICATED, default=UNSET)
    _ItemsShown = with_kinds(DecisionBasics, ADJUDICATED)
    _OwnItemsShown = with_kinds(DecisionBasics, SUPPORTS.values())


class ItemsDraft(_ItemsSent, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="items"):
    """A decision on a figure's type and pairs. kind: None if the type is not requested."""


if TYPE_CHECKING:
    _OwnItemsSent = ItemsDraft
else:
    _OwnItemsSent = with_kinds(ItemsDraft, SUPPORTS.values(), default=UNSET)


class OwnItemsDraft(_OwnItemsSent, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="own-items"):
    """An annotator's own work on a figure's type, pairs, or the questions of human evaluation."""


#: A reviewer's decision as it is sent, by its `type`.
Draft = SubfiguresDraft | ItemsDraft


class DraftDecoder:
    """Decodes a reviewer's decision; one without a `type` is of the type that its fields say."""

    _any: ClassVar[msgspec.json.Decoder[Draft]] = msgspec.json.Decoder(Draft)
    _subfigures = msgspec.json.Decoder(SubfiguresDraft)
    _items = msgspec.json.Decoder(ItemsDraft)

    def decode(self, data: bytes) -> Draft:
        """Return the decision. Raises msgspec.DecodeError, which names the field."""
        begun = _BEGUN.decode(data)
        if begun.type is not UNSET:
            return self._any.decode(data)
        return self._items.decode(data) if begun.subfigures is UNSET else self._subfigures.decode(data)


class _Begun(msgspec.Struct):
    """The fields by which the type of a decision is known."""

    type: msgspec.Raw | UnsetType = UNSET
    subfigures: msgspec.Raw | UnsetType = UNSET


_BEGUN = msgspec.json.Decoder(_Begun)


class SubfiguresView(DecisionBasics, frozen=True, kw_only=True):
    """A decision on subfigures. restored_from: unset for an annotator's own work."""

    subfigures: tuple[Panel, ...]
    seconds: float | None
    restored_from: int | UnsetType | None = UNSET


class ItemsView(_ItemsShown, frozen=True, kw_only=True):
    """A decision on a figure's type and pairs."""


class OwnItemsView(_OwnItemsShown, frozen=True, kw_only=True):
    """An annotator's own work on a figure's type, pairs or questions."""

    seconds: float | None


#: A reviewer's decision as a screen shows it.
DecisionView = SubfiguresView | ItemsView
