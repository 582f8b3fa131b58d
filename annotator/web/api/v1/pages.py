"""Pages of a long list: each says by a cursor where the next one begins, so that nothing is counted off."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from panelwise.domain.errors import InvalidAnnotation

_Entry = TypeVar("_Entry")

#: Entries of a page unless asked otherwise, and at most.
USUAL, MOST = 50, 200

#: A name or other text in an address; databases have no NUL.
Text = Annotated[str, msgspec.Meta(max_length=1000, pattern=r"^[^\x00]*$")]
#: The number of a row, and that of a figure's revision or decision.
Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Revision = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class Page(msgspec.Struct, Generic[_Entry], frozen=True):
    """Entries of a list in its order. next: what to send as `after` for those that follow; null at the end."""

    items: tuple[_Entry, ...]
    next: str | None


class Paged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The requested page of a list."""

    after: Annotated[
        str, msgspec.Meta(max_length=5000, description="Where the page begins: `next` of the page before.")
    ] = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST, description="Entries of the page at most.")] = USUAL


def page_of(found: Iterable[tuple[Any, _Entry]], limit: int) -> Page[_Entry]:
    """The first `limit` entries. found: each with its key, which orders the list; one more than that is read."""
    rows = list(islice(found, limit + 1))
    more = len(rows) > limit
    return Page(tuple(entry for _, entry in rows[:limit]), _cursor(rows[limit - 1][0]) if more else None)


def key_of(query: Paged, kind: Any) -> Any:
    """The key, of type `kind`, of the last entry of the page before; None for the first page.

    Raises InvalidAnnotation for a cursor that is none of this list.
    """
    if not query.after:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(query.after.encode()), type=kind)
    except (ValueError, msgspec.MsgspecError):
        raise InvalidAnnotation("after: is not from a page of this list; send its `next` unchanged") from None


def _cursor(key: Any) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode()
