from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.errors import FormatError
from panelwise.files.json_arrays import read_array, read_arrays, read_records
from panelwise.files.jsonl import Problems

scalars = st.none() | st.booleans() | st.integers(-9, 9**9) | st.text(st.characters(codec="utf-8"), max_size=8)
tricky = st.sampled_from(['"', "\\", '\\"', "[{", "}]", "😀\n", '\\\\"', '},{"id":'])
values = st.recursive(
    scalars | tricky,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | tricky, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=4) | tricky, values, max_size=4)
indents = st.sampled_from([None, 1, 2])


def read(path: Path) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    problems = Problems()
    lines = list(read_array(path, problems))
    return [dict(line.record) for line in lines], [line.where for line in lines], problems.lines


@given(st.lists(objects, max_size=5), indents, st.booleans())
def test_every_element_is_read(records: list[dict[str, Any]], indent: int | None, escaped: bool) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.json"
        file.write_text(json.dumps(records, indent=indent, ensure_ascii=escaped), encoding="utf-8")
        found, _, problems = read(file)
    assert (found, problems) == (records, [])


@given(st.lists(objects, max_size=3), st.lists(objects, max_size=3), values, indents)
def test_named_arrays_are_read_and_all_else_is_passed_over(
    first: list[dict[str, Any]], second: list[dict[str, Any]], other: object, indent: int | None
) -> None:
    whole = {"info": other, "images": first, "more": [second, other], "boxes": second, "last": other}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.json"
        file.write_text(json.dumps(whole, indent=indent))
        problems = Problems()
        found = [(array, dict(line.record)) for array, line in read_arrays(file, problems, ("images", "boxes"))]
    assert found == [("images", each) for each in first] + [("boxes", each) for each in second]
    assert problems.lines == []


def test_places_are_the_lines_where_elements_begin(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('[\n{"a": 1},\n  {"b":\n 2}\n,{"c": 3} ]\n')
    records, places, problems = read(file)
    assert (records, problems) == ([{"a": 1}, {"b": 2}, {"c": 3}], [])
    assert places == [f"{file}:2", f"{file}:3", f"{file}:5"]


def test_places_of_named_arrays_are_lines_of_the_file_in_whatever_order(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{"b": [\n{"n": 1},\n{"n": 2}],\n"a": [{"n": 3}],\n"c": {}}')
    problems = Problems()
    found = [line.where for _, line in read_arrays(file, problems, ("a", "b", "c"))]
    assert found == [f"{file}:2", f"{file}:3", f"{file}:4"]
    assert problems.lines == [f'{file}:5: "c" holds no list; left it out']


def test_a_list_that_stands_twice_is_named_and_the_last_one_read(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{"a": [{"n": 1}], "b": [], "a": [{"n": 2, "a": "a"}]}')
    problems = Problems()
    assert [line.record["n"] for _, line in read_arrays(file, problems, ("a", "b"))] == [2]
    assert problems.lines == [f'{file}: "a" stands twice in one object; the last one counts, remove one']


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (b"7", "holds a number, not an object"),
        (b'"text, with [brackets"', "holds a text, not an object"),
        (b"null", "holds null"),
        (b"[1, [2]]", "holds a list, not an object"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_what_is_no_object_costs_only_itself(tmp_path: Path, bad: bytes, complaint: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'[{"n": 1},\n' + bad + b',\n{"n": 3}]')
    records, _, problems = read(file)
    assert records == [{"n": 1}, {"n": 3}]
    assert len(problems) == 1
    assert problems[0].startswith(f"{file}:2: ")
    assert complaint in problems[0]


@pytest.mark.parametrize(
    "bad",
    [
        b"rubbish",
        b'{"a": Infinite}',
        b'{"a": 1} {"b": 2}',
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"n": 2}]\n[',
    ],
)
def test_a_broken_array_is_refused_with_the_line_and_what_to_do(tmp_path: Path, bad: bytes) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'[{"n": 1},\n' + bad + b',\n{"n": 3}]')
    with pytest.raises(FormatError, match="not valid JSON") as error:
        read(file)
    assert re.match(rf"{re.escape(str(file))}:[123]: not valid JSON \(.*\); correct it there", str(error.value))
    assert "\n" not in str(error.value)


def test_a_key_that_is_not_utf_8_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'{"a": [],\n"\x80": []}')
    with pytest.raises(
        FormatError, match=r"x\.json:1: a key on or after this line is not UTF-8; save .* as UTF-8$"
    ):
        list(read_arrays(file, Problems(), ("a",)))


ROWS = [{"id": number, "data": {"text": "a]}😀", "more": [{"id": 1}]}} for number in range(4)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.slow
def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path, indent: int | None) -> None:
    whole = json.dumps(ROWS, indent=indent, ensure_ascii=False).encode()
    file = tmp_path / "x.json"
    for cut in range(1, len(whole)):
        file.write_bytes(whole[:cut])
        with pytest.raises(FormatError, match=r"cut off: get a whole copy|not valid JSON") as error:
            read(file)
        assert str(error.value).startswith(f"{file}:{whole[:cut].count(10) + 1}: ")


@given(st.data())
def test_a_byte_gone_wrong_is_refused_or_costs_its_own_object(data: st.DataObject) -> None:
    texts = [json.dumps(row, ensure_ascii=False).encode() for row in ROWS]
    at = data.draw(st.integers(0, len(texts[2]) - 1))
    put = data.draw(st.sampled_from([b"", b'"', b"{", b"}", b"[", b"]", b"\\", b"\xff", b",", b"x"]))
    texts[2] = texts[2][:at] + put + texts[2][at + 1 :]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.json"
        file.write_bytes(b"[" + b",\n".join(texts) + b"]")
        records: list[dict[str, Any]] | None = None
        with suppress(FormatError):
            records, _, _ = read(file)
    if records is None:
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            msgspec.json.decode(b"[" + b",\n".join(texts) + b"]")
    else:
        assert [record for record in records if record in ROWS[:2] + ROWS[3:]] == ROWS[:2] + ROWS[3:]


def test_a_bom_and_crlf_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'\xef\xbb\xbf  [\r\n{"n": 1},\r\n{"n": 2}\r\n]\r\n')
    records, places, problems = read(file)
    assert (records, problems) == ([{"n": 1}, {"n": 2}], [])
    assert places[1] == f"{file}:3"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"{}", "holds an object; give a JSON array"),
        (b"7", "holds no JSON"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        ("[]".encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_that_is_no_array_is_refused_in_one_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=complaint) as error:
        read(file)
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="directory"):
        read(tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        read(tmp_path / "none.json")


def test_json_lines_and_an_array_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"n": 1}, {"n": 2}]')
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n{"n": 2}\n')
    for name in ("a.json", "a.jsonl"):
        problems = Problems()
        assert [line.record["n"] for line in read_records(tmp_path / name, problems)] == [1, 2]
        assert problems.lines == []
