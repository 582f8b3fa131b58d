"""Routes whose functions say by their types what they take and answer, to requests and to the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, get_type_hints

import msgspec
from flask import Blueprint, Response, request

from annotator.web import payloads
from annotator.web.app.incoming import read_draft
from panelwise.domain.errors import InvalidAnnotation

JSON = "application/json"

_View = TypeVar("_View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The description of a route. query, body: structs, None without; answer: what `media` is written from."""

    text: str
    query: type[msgspec.Struct] | None
    body: type[msgspec.Struct] | None
    answer: Any
    media: str
    code: int


class Routes:
    """The routes of a blueprint, by the endpoints that Flask knows them under."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.endpoints: dict[str, Endpoint] = {}

    def get(self, rule: str, *, media: str = JSON) -> Callable[[_View], _View]:
        """A route to read: the function's `query` is read from the address, what it returns is written."""
        return self._route(rule, "GET", media, 200)

    def post(self, rule: str) -> Callable[[_View], _View]:
        """A route to add something: as `get`, and the function's `body` is read from the request."""
        return self._route(rule, "POST", JSON, 201)

    def _route(self, rule: str, method: str, media: str, code: int) -> Callable[[_View], _View]:
        def decorate(view: _View) -> _View:
            types = get_type_hints(view)
            query, body = types.get("query"), types.get("body")
            decoder = None if body is None else msgspec.json.Decoder(body)
            text = " ".join((view.__doc__ or "").split())
            self.endpoints[f"{self.blueprint.name}.{view.__name__}"] = Endpoint(
                text, query, body, types["return"], media, code
            )

            @wraps(view)
            def answer(**values: Any) -> Response:
                if query is not None:
                    values["query"] = _read_query(query)
                if decoder is not None:
                    values["body"] = read_draft(decoder)
                found = view(**values)
                return found if isinstance(found, Response) else payloads.answer(found, code)

            self.blueprint.add_url_rule(rule, view_func=answer, methods=[method])
            return view

        return decorate


def _read_query(kind: type[msgspec.Struct]) -> msgspec.Struct:
    """The query of the address. Raises InvalidAnnotation, which names the parameter."""
    try:
        return msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidAnnotation(payloads.error_message(error, "the query")) from None
