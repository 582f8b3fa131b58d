"""The OpenAPI document of the HTTP API, made from its routes, their types and the access table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Flask
from werkzeug.routing import Rule

from annotator.web.api.v1.endpoint import JSON, KEY_HEADER, KEY_PATTERN, Endpoint
from annotator.web.app.access import EVERYBODY, access
from annotator.web.payloads import PROBLEM, Problem

BINARY = "application/octet-stream"
_REF = "#/components/schemas/{name}"
#: A variable part of a route: converter and name.
_PART = re.compile(r"<(\w+):(\w+)>")
#: Converter -> what it takes.
_PARTS: dict[str, dict[str, Any]] = {
    "figure": {
        "type": "string",
        "pattern": "^[A-Za-z0-9_-]+(~[0-9A-F]{2}[A-Za-z0-9_-]*)*$",
        "description": "Id of a figure; bytes of its UTF-8 other than letters, digits, _ and - are ~ and two hex "
        "digits.",
    },
    "int": {"type": "integer", "minimum": 0},
    "string": {"type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"},
}
_KEY = {
    "name": KEY_HEADER,
    "in": "header",
    "description": "Names this attempt: sent again with the same body, it answers with the job of the first.",
    "schema": {"type": "string", "pattern": KEY_PATTERN},
}
_LOCATION = {
    "Location": {
        "description": "Address of what was made.",
        "schema": {"type": "string", "format": "uri-reference"},
    }
}
_ABOUT = {
    "title": "Panelwise",
    "version": "1",
    "description": "Read a campaign, import figures, save decisions, run jobs. A token of your account page acts "
    "with your roles.",
}


def document(app: Flask, endpoints: Mapping[str, Endpoint]) -> dict[str, Any]:
    """The document of the app's routes that are among `endpoints`."""
    kinds = [Problem, *dict.fromkeys(kind for each in endpoints.values() for kind in _kinds(each))]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    schema_of = dict(zip(kinds, schemas, strict=True))
    # The fields of a query are parameters.
    queries = {each.query for each in endpoints.values() if each.query is not None}
    fields = {query: components.pop(query.__name__)["properties"] for query in queries}
    paths: dict[str, dict[str, Any]] = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda each: (each.rule, each.endpoint)):
        endpoint = endpoints.get(rule.endpoint)
        if endpoint is not None:
            query = {} if endpoint.query is None else fields[endpoint.query]
            parameters = [*_path_parameters(rule), *_query_parameters(query), *([_KEY] if endpoint.keyed else [])]
            path = paths.setdefault(_PART.sub(r"{\2}", rule.rule), {})
            path[endpoint.method.lower()] = {
                "operationId": rule.endpoint.partition(".")[2],
                "summary": endpoint.text.partition(". ")[0].rstrip("."),
                "description": f"{endpoint.text} {_roles(rule.endpoint)}",
                "parameters": parameters,
                **_contents(endpoint, schema_of),
            }
    return {
        "openapi": "3.1.0",
        "info": _ABOUT,
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {name: _simpler(each) for name, each in sorted(components.items())},
        },
    }


def _contents(endpoint: Endpoint, schema_of: Mapping[Any, Any]) -> dict[str, Any]:
    """The bodies of requests and answers."""
    written = {"schema": schema_of[endpoint.answer]} if endpoint.media == JSON else {}
    responses = {
        str(endpoint.code): {
            "description": "Accepted, and done later." if endpoint.code == 202 else "Done.",
            **({} if endpoint.location is None else {"headers": _LOCATION}),
            "content": {endpoint.media: written},
        },
        "default": {
            "description": "An error, in one line.",
            "content": {PROBLEM: {"schema": schema_of[Problem]}},
        },
    }
    if endpoint.body is None:
        return {"responses": responses}
    binary = endpoint.body is bytes
    content = {BINARY: {"schema": {}}} if binary else {JSON: {"schema": schema_of[endpoint.body]}}
    sent = {"required": not binary, "content": content}
    return {"requestBody": sent, "responses": responses}


def _simpler(schema: Any) -> Any:
    """The schema with tuples of one type as arrays of it, of that length: many readers know no `prefixItems`."""
    if isinstance(schema, list):
        return [_simpler(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    places = schema.get("prefixItems")
    if places and all(each == places[0] for each in places):
        schema = {key: value for key, value in schema.items() if key != "prefixItems"} | {"items": places[0]}
    return {key: _simpler(value) for key, value in schema.items()}


def _kinds(endpoint: Endpoint) -> list[Any]:
    """The types that have a schema."""
    answer = [endpoint.answer] if endpoint.media == JSON else []
    return [kind for kind in (endpoint.query, endpoint.body, *answer) if kind not in (None, bytes)]


def _path_parameters(rule: Rule) -> list[dict[str, Any]]:
    parts = []
    for converter, name in _PART.findall(rule.rule):
        schema = dict(_PARTS[converter])
        about = {"description": schema.pop("description")} if "description" in schema else {}
        parts.append({"name": name, "in": "path", "required": True, **about, "schema": schema})
    return parts


def _query_parameters(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "description": schema["description"],
            "schema": {key: value for key, value in schema.items() if key != "description"},
        }
        for name, schema in fields.items()
    ]


def _roles(endpoint: str) -> str:
    """Whom a route is for, as a sentence."""
    roles = access(endpoint).roles or EVERYBODY
    return "For every role." if roles == EVERYBODY else f"For {'s and '.join(sorted(roles))}s."
