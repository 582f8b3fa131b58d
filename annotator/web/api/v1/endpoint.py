"""Routes whose functions say by their types what they take and answer, to requests and to the OpenAPI document.

Lists come in pages: each says by a cursor where the next one begins, so that nothing is counted off.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

import msgspec
from flask import Blueprint, Response, request

from annotator.web import payloads
from annotator.web.app.incoming import JsonDecoder, read_draft
from panelwise.domain import InvalidAnnotation

JSON = "application/json"

_View = TypeVar("_View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The description of a route. query, body: structs, None without; answer: what `media` is written from.

    body: `bytes` for any content. keyed: it takes an Idempotency-Key. location: the address of what was made.
    """

    method: str
    text: str
    query: type[msgspec.Struct] | None
    body: Any
    answer: Any
    media: str
    code: int
    keyed: bool = False
    location: Callable[[Any], str] | None = None


class Routes:
    """The routes of a blueprint, by the endpoints that Flask knows them under."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.endpoints: dict[str, Endpoint] = {}

    def get(self, rule: str, *, media: str = JSON) -> Callable[[_View], _View]:
        """A route to read: the function's `query` is read from the address, what it returns is written."""
        return self._route(rule, "GET", media, 200)

    def post(
        self,
        rule: str,
        *,
        code: int = 201,
        location: Callable[[Any], str] | None = None,
        decoder: JsonDecoder[Any] | None = None,
    ) -> Callable[[_View], _View]:
        """A route to add something: as `get`, and the function's `body` is read from the request.

        code: 202 for what is done later. location: of the answer. decoder: of the body, None for that of its type.
        A function's `key` is the Idempotency-Key.
        """
        return self._route(rule, "POST", JSON, code, location, decoder)

    def _route(
        self,
        rule: str,
        method: str,
        media: str,
        code: int,
        location: Callable[[Any], str] | None = None,
        given: JsonDecoder[Any] | None = None,
    ) -> Callable[[_View], _View]:
        def decorate(view: _View) -> _View:
            types = get_type_hints(view)
            query, body = types.get("query"), types.get("body")
            decoder = None if body in (None, bytes) else given or msgspec.json.Decoder(body)
            keyed = "key" in types
            text = " ".join((view.__doc__ or "").split())
            self.endpoints[f"{self.blueprint.name}.{view.__name__}"] = Endpoint(
                method, text, query, body, types["return"], media, code, keyed, location
            )

            @wraps(view)
            def answer(**values: Any) -> Response:
                if query is not None:
                    values["query"] = _read_query(query)
                if decoder is not None:
                    values["body"] = read_draft(decoder)
                elif body is bytes:
                    values["body"] = request.get_data(cache=False)
                if keyed:
                    values["key"] = _read_key()
                found = view(**values)
                if isinstance(found, Response):
                    return found
                response = payloads.answer(found, code)
                if location is not None:
                    response.headers["Location"] = location(found)
                return response

            self.blueprint.add_url_rule(rule, view_func=answer, methods=[method])
            return view

        return decorate


def _read_query(kind: type[msgspec.Struct]) -> msgspec.Struct:
    """The query of the address. Raises InvalidAnnotation, which names the parameter."""
    try:
        return msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidAnnotation(payloads.error_message(error, "the query")) from None


#: The header that names an attempt, so that it can be repeated after a break; and what it may be.
KEY_HEADER, KEY_PATTERN = "Idempotency-Key", "^[!-~]{1,200}$"


def _read_key() -> str:
    """The Idempotency-Key of the request, "" without one. Raises InvalidAnnotation for one that is no key."""
    key = request.headers.get(KEY_HEADER)
    if key is not None and not re.fullmatch(KEY_PATTERN, key):
        raise InvalidAnnotation(f"{KEY_HEADER}: expected 1 to 200 visible ASCII characters, without spaces")
    return key or ""


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
    return Page(
        tuple(entry for _, entry in rows[:limit]),
        base64.urlsafe_b64encode(msgspec.json.encode(rows[limit - 1][0])).decode() if more else None,
    )


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
