"""Which bodies of annotators' calls are read at all: what others might read otherwise is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.label_studio.isolation.bodies import BadBody, fields_of
from annotator.label_studio.isolation.rules import ANNOTATOR_CALLS, CHANGE_PARAMETERS

JSON = "application/json"
#: What decides in Label Studio whose an annotation is, where it is, and what it counts for.
DECIDING = {"task", "completed_by", "user", "updated_by", "ground_truth", "import_id", "last_created_by"}


def read(
    body: bytes,
    content_type: str = JSON,
    parameters: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    method: str = "PATCH",
) -> dict[str, object]:
    return fields_of(method, headers or {}, content_type, parameters or {}, body)


@pytest.mark.parametrize("charset", [{}, {"charset": "utf-8"}, {"charset": "UTF-8"}, {"charset": "utf8"}])
def test_a_json_object_in_utf_8_is_read(charset: dict[str, str]) -> None:
    assert read('{"result": [{"é": null}], "project": 3}'.encode(), parameters=charset) == {
        "result": [{"é": None}],
        "project": 3,
    }


@pytest.mark.parametrize("content_type", ["", JSON, "application/x-www-form-urlencoded", "*/*"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
def test_an_empty_body_has_no_fields_of_any_type(content_type: str, method: str) -> None:
    assert read(b"", content_type, method=method) == {}


@pytest.mark.parametrize(
    "content_type",
    [
        *("", "*/*", "application/*", "text/json", "application/jsonp", "application/vnd.api+json"),
        *(f"{JSON}, {JSON}", "application/x-www-form-urlencoded", "multipart/form-data"),
    ],
)
def test_another_type_is_refused(content_type: str) -> None:
    with pytest.raises(BadBody, match="as application/json in UTF-8"):
        read(b'{"task": 1}', content_type)


@pytest.mark.parametrize(
    "parameters", [{"charset": "utf-16"}, {"charset": ""}, {"charset": "utf-8-sig"}, {"boundary": "x"}, {"q": "1"}]
)
def test_another_encoding_or_parameter_is_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(BadBody, match="in UTF-8"):
        read(b"{}", parameters=parameters)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[]", "send a JSON object"),
        (b"null", "send a JSON object"),
        (b"1", "send a JSON object"),
        (b" ", "a valid JSON object"),
        (b'{"task": 1', "a valid JSON object"),
        (b'\xef\xbb\xbf{"task": 1}', "a valid JSON object"),
        ('{"task": 1}'.encode("utf-16"), "a valid JSON object"),
        (b'{"a": "\xff"}', "a valid JSON object"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a valid JSON object"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not too deeply nested"),
        (b'{"task": 1, "task": 2}', "each key of a JSON object once"),
        (b'{"task": 1, "t\\u0061sk": 2}', "each key of a JSON object once"),
        (b'{"data": {"a": [{"b": 1, "b": 2}]}}', "each key of a JSON object once"),
        (b'{"lead_time": NaN}', "without NaN"),
        (b'{"lead_time": -Infinity}', "without -Infinity"),
    ],
)
def test_what_readers_understand_differently_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(BadBody, match=why):
        read(body)


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Transfer-Encoding": "chunked"}, "in one piece"),
        ({"Content-Encoding": "gzip"}, "uncompressed"),
        ({"Content-Encoding": "identity, gzip"}, "uncompressed"),
        ({"X-HTTP-Method-Override": "DELETE"}, "without the header X-HTTP-Method-Override"),
        ({"X-HTTP-Method": "PUT"}, "without the header X-HTTP-Method"),
        ({"X-Method-Override": "PUT"}, "without the header X-Method-Override"),
    ],
)
def test_what_changes_the_meaning_of_a_call_on_its_way_is_refused(headers: dict[str, str], why: str) -> None:
    for body in (b"", b"{}", gzip.compress(b"{}")):
        with pytest.raises(BadBody, match=why):
            read(body, headers=headers)
    assert read(b"{}", headers={"Content-Encoding": " Identity "}) == {}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_question_has_no_body(method: str) -> None:
    with pytest.raises(BadBody, match=f"send {method} without a body"):
        read(b'{"project": 1}', method=method)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_as_an_object_or_refused(body: bytes) -> None:
    try:
        found = read(body)
    except BadBody:
        return
    assert found == ({} if not body else json.loads(body))


def test_no_call_sets_whose_an_annotation_is() -> None:
    for route, call in ANNOTATOR_CALLS.items():
        assert not DECIDING & {*call.content, *call.own}, route
        assert not call.content & call.own, route
        if call.methods <= {"GET"}:
            assert not call.content | call.own, route
    assert not {"_method", "format", "query", "view", "expand", "enforce_csrf_checks"} & CHANGE_PARAMETERS
