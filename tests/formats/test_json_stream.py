from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.errors import FormatError
from panelwise.files import json_stream
from panelwise.files.json_stream import read_array, read_arrays, read_records
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


def pieces(content: bytes, chunk: int = 7) -> tuple[list[dict[str, Any]], list[str]]:
    """What is read of a file with that content, in chunks of so many bytes."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        file = Path(folder) / "x.json"
        file.write_bytes(content)
        records, _, problems = read(file)
    return records, problems


@pytest.mark.slow
@given(st.lists(objects, max_size=5), indents, st.integers(1, 40), st.booleans())
def test_every_element_is_read_whatever_the_chunks(
    records: list[dict[str, Any]], indent: int | None, chunk: int, escaped: bool
) -> None:
    text = json.dumps(records, indent=indent, ensure_ascii=escaped)
    assert pieces(text.encode(), chunk) == (records, [])


@given(st.lists(objects, max_size=3), st.lists(objects, max_size=3), values, indents, st.integers(1, 40))
def test_named_arrays_are_read_and_all_else_is_passed_over(
    first: list[dict[str, Any]], second: list[dict[str, Any]], other: object, indent: int | None, chunk: int
) -> None:
    whole = {"info": other, "images": first, "more": [second, other], "boxes": second, "last": other}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
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


ROWS = [{"id": number, "data": {"text": "a]}😀", "more": [{"id": 1}]}} for number in range(4)]


@pytest.mark.slow
@pytest.mark.parametrize("indent", [None, 2])
def test_of_a_file_that_is_cut_off_all_whole_elements_are_read(indent: int | None) -> None:
    whole = json.dumps(ROWS, indent=indent, ensure_ascii=False).encode()
    for cut in range(2, len(whole)):
        kept = whole[:cut]
        ends = 0
        for count in range(1, 5):
            text = json.dumps(ROWS[:count], indent=indent, ensure_ascii=False).encode().rstrip(b"]\n")
            ends += kept.startswith(text)
        records, problems = pieces(kept, 64)
        assert records == ROWS[:ends], kept
        assert len(problems) == 1, (kept, problems)
        assert "cut off" in problems[0]


@pytest.mark.parametrize("indent", [None, 2])
@given(st.data())
def test_a_byte_gone_wrong_in_an_element_costs_no_other(indent: int | None, data: st.DataObject) -> None:
    """The first tells how elements begin, so that the next is found even where brackets or quotes do not match."""
    texts = [json.dumps(row, indent=indent, ensure_ascii=False).encode() for row in ROWS]
    at = data.draw(st.integers(0, len(texts[2]) - 1))
    put = data.draw(st.sampled_from([b"", b'"', b"{", b"}", b"[", b"]", b"\\", b"\xff", b",", b"x"]))
    spoilt = texts[2][:at] + put + texts[2][at + 1 :]
    records, problems = pieces(b"[" + b",".join([texts[0], texts[1], spoilt, texts[3]]) + b"]", 50)
    kept = [record for record in records if record in (ROWS[0], ROWS[1], ROWS[3])]
    assert kept == [ROWS[0], ROWS[1], ROWS[3]]
    assert problems or len(records) == 4


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (b"7", "holds a number, not an object"),
        (b'"text, with [brackets"', "holds a text, not an object"),
        (b"null", "holds null"),
        (b"[1, [2]]", "holds a list, not an object"),
        (b"rubbish", "'rubbish' where an object should be"),
        (b'{"a": NaN}', "not valid JSON"),
        (b'{"a": "\\ud800"}', "not valid JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": 1e999}', "not valid JSON"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not valid JSON"),
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


def test_what_follows_the_end_of_the_array_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'[{"n": 1}]\n[{"n": 2}]')
    records, _, problems = read(file)
    assert records[0] == {"n": 1}
    assert problems
    assert problems[0].startswith(f"{file}:2: ")


def test_an_element_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "LONGEST_ELEMENT", 1000)
    monkeypatch.setattr(json_stream, "CHUNK", 100)
    file = tmp_path / "x.json"
    file.write_bytes(b'[{"n": 1},\n{"n": "' + b"x" * 5000)
    records, _, problems = read(file)
    assert records == [{"n": 1}]
    assert len(problems) == 1
    assert problems[0].startswith(f"{file}:2: goes on for more than")


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
    with pytest.raises(FormatError, match=complaint) as told:
        read(file)
    assert str(told.value).startswith(f"{file}: ")
    assert "\n" not in str(told.value)


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
