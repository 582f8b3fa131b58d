from __future__ import annotations

import re
from pathlib import Path

import pytest

from panelwise.domain.errors import FormatError
from panelwise.files.json_arrays import read_array
from panelwise.files.jsonl import OFFICE_FILE, Fields, Problems, read_lines, write_lines


def read(path: Path) -> tuple[list[dict[str, object]], list[str]]:
    problems = Problems()
    return [dict(line.record) for line in read_lines(path, problems)], problems.lines


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (b'{"a": 1, "b', "cut off"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[1, 2]", "holds a list, not an object"),
        (b"null", "holds null"),
        (b'{"a": NaN', "holds NaN"),
        (b'{"a": [1, -Infinity', "holds Infinity, which is no number in JSON; give a number"),
        (b'{"a": "\\ud800"}', "holds half a character"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"a": 1e999}', "not valid JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path, bad: bytes, complaint: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"n": 1}\n' + bad + b'\n{"n": 3}\n')
    records, problems = read(file)
    assert records == [{"n": 1}, {"n": 3}]
    assert len(problems) == 1
    assert problems[0].startswith(f"{file}:2: ")
    assert complaint in problems[0]


def test_nan_as_pandas_writes_it_is_null_with_a_note_and_in_a_text_it_stays(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"a": NaN, "b": [1, NaN ,NaN], "c": "x: NaN, \\"y\\": NaN"}\n{"c": ": NaN,"}\n')
    problems = Problems()
    first, second = (line.record for line in read_lines(file, problems))
    assert first == {"a": None, "b": [1, None, None], "c": 'x: NaN, "y": NaN'}
    assert second == {"c": ": NaN,"}
    assert problems.lines == []
    assert problems.notes == [f"{file}:1: holds NaN, which is no number in JSON; read as null"]


def test_infinity_as_python_writes_it_is_a_text_with_a_note_and_costs_no_line(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(
        b'{"a": Infinity, "b": [1, -Infinity ,NaN], "c": "x: Infinity, \\"y\\""}\n{"c": "-Infinity,"}\n'
    )
    problems = Problems()
    first, second = (line.record for line in read_lines(file, problems))
    assert first == {"a": "Infinity", "b": [1, "-Infinity", None], "c": 'x: Infinity, "y"'}
    assert second == {"c": "-Infinity,"}
    assert problems.lines == []
    assert [note.removeprefix(f"{file}:1: holds ").split(",")[0] for note in problems.notes] == [
        "-Infinity",
        "Infinity",
        "NaN",
    ]


def test_null_among_texts_is_no_text_in_data_and_refused_in_settings() -> None:
    record = {"references": ["one", None, "two"]}
    assert Fields("x:1", record).texts("references") == ("one", "two")
    with pytest.raises(FormatError, match=r'"references\[1\]" holds null, not a text'):
        Fields("x:1", record, exact=True).texts("references")


def test_blank_lines_a_bom_crlf_and_a_missing_last_newline_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"n": 1}\r\n\r\n  \n{"n": 2}')
    assert read(file) == ([{"n": 1}, {"n": 2}], [])


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    for content in (b"", b"\n \n"):
        (tmp_path / "x.jsonl").write_bytes(content)
        records, told = read(tmp_path / "x.jsonl")
        assert records == []
        assert told == [f"{tmp_path / 'x.jsonl'}: is empty; give one JSON object a line"]


def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(b"\x1f\x8b\x08\x00")
    for path, complaint in (
        (tmp_path / "no", "no such file"),
        (tmp_path, "directory"),
        (tmp_path / "x.gz", "gzip"),
    ):
        with pytest.raises(FormatError, match=complaint) as told:
            read(path)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xd8\xff\xe0\x10JFIF\n{}\n", "is no text file (JPEG); give a file of JSON"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is no text file (PNG); give a file of JSON"),
        (b"PK\3\4\0\0\n", "is no text file (a ZIP archive); give a file of JSON"),
        (b"PK\3\4" + bytes(26) + b"[Content_Types].xml", OFFICE_FILE),
        (b"PK\3\4" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", OFFICE_FILE),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), OFFICE_FILE),
        (b"SQLite format 3\0\x10", "is no text file; give a file of JSON"),
        (b"<!DOCTYPE html>\n<html>", "is a web page; give a file of JSON"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError) as refused:
        read(tmp_path / "x")
    assert str(refused.value) == f"{tmp_path / 'x'}: {told}"


def test_zeros_among_good_lines_cost_only_their_own(tmp_path: Path) -> None:
    zeros = b"\0" * 30
    for content in (zeros + b'\n{"n": 1}\n', b'{"n": 1}\n' + zeros, b'{"m": "' + zeros + b'\n{"n": 1}'):
        (tmp_path / "x.jsonl").write_bytes(content)
        records, told = read(tmp_path / "x.jsonl")
        assert (records, len(told)) == ([{"n": 1}], 1)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "x.jsonl"
    assert write_lines(file, [{"a": "é"}, {"b": 1.5}]) == 2
    before = file.read_bytes()
    assert before == '{"a":"é"}\n{"b":1.5}\n'.encode()

    def broken() -> object:
        yield {"a": 2}
        raise FormatError("no more")

    with pytest.raises(FormatError, match="no more"):
        write_lines(file, broken())
    assert file.read_bytes() == before
    assert [each.name for each in file.parent.iterdir()] == ["x.jsonl"]


def test_an_error_while_reading_names_the_file() -> None:
    unreadable = Path("/proc/self/mem")  # opens, and has an I/O error at its start
    if not unreadable.exists():
        pytest.skip("this system has no file that opens and can't be read")
    with pytest.raises(OSError, match="Input/output error") as caught:
        read(unreadable)
    assert caught.value.filename == str(unreadable)


def test_problems_are_counted_beyond_those_kept() -> None:
    told: list[str] = []
    problems = Problems(report=told.append)
    for number in range(Problems.MOST_LINES + 5):
        problems.add(f"line\n{number}")
    assert problems.count == len(told) == Problems.MOST_LINES + 5
    assert len(problems.lines) == Problems.MOST_LINES
    assert told[0] == "line 0"


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda f: f.text("none"), '"none" is missing'),
        (lambda f: f.text("empty"), '"empty" is empty'),
        (lambda f: f.text("n"), "holds a number, not a text"),
        (lambda f: f.optional_text("list"), "holds a list, not a text"),
        (lambda f: f.size("half"), "not a whole number"),
        (lambda f: f.size("zero"), "not a whole number from 1 up"),
        (lambda f: f.size("flag"), "holds true or false"),
        (lambda f: f.size("huge"), "out of range"),
        (lambda f: f.size("large"), "more than can be; give the true number"),
        (lambda f: f.optional_number("text"), "holds a text, not a number"),
        (lambda f: f.required_list("none"), '"none" is missing'),
        (lambda f: f.texts("list"), r'"list\[0\]" holds a number'),
        (lambda f: f.numbers("list", 4), "not a list of 4 numbers"),
        (lambda f: f.numbers("bools", 1), "not a list of 1 numbers"),
        (lambda f: f.ranges("list"), r'"list\[0\]" is not a pair'),
        (lambda f: f.mapping("list"), "not an object"),
        (lambda f: list(f.objects("list")), r'"list\[0\]" holds a number, not an object'),
        (lambda f: next(f.objects("objects")).text("x"), r'"objects\[0\].x" is missing'),
    ],
)
def test_a_wrong_field_is_named_with_its_place(call: object, complaint: str) -> None:
    record = {
        **{
            "empty": "",
            "n": 1,
            "large": 2**31,
            "half": 1.5,
            "zero": 0,
            "flag": True,
            "huge": 10**400,
            "text": "a",
        },
        **{"list": [1, 2], "bools": [True], "objects": [{"y": 1}]},
    }
    with pytest.raises(FormatError, match=complaint) as told:
        call(Fields("f.jsonl:7", record))
    assert str(told.value).startswith("f.jsonl:7: ")


def test_missing_optional_fields_have_plain_defaults() -> None:
    fields = Fields("f:1", {"null": None})
    assert fields.optional_text("null") == ""
    assert fields.size("x") is None
    assert fields.optional_number("x") is None
    assert fields.texts("null") == ()
    assert fields.ranges("x") == []
    assert fields.mapping("x") == {}


def test_a_byte_that_is_no_text_is_named_by_its_place_in_the_line_and_in_an_array_in_the_file(
    tmp_path: Path,
) -> None:
    line = '{"figure_id": "f1", "caption": "größe"}\n'.encode("cp1252")
    path = tmp_path / "f.jsonl"
    path.write_bytes(b'{"a": 1}\n' + line)
    problems = Problems()
    assert [each.record for each in read_lines(path, problems)] == [{"a": 1}]
    place = line.index(b"\xf6")
    assert problems.lines == [f"{path}:2: not UTF-8 (byte {place}); save the file as UTF-8"]
    array = tmp_path / "f.json"
    array.write_bytes(b'[{"a": 1},\n' + line.strip() + b"]")
    problems = Problems()
    assert [each.record for each in read_array(array, problems)] == [{"a": 1}]
    assert problems.lines == [
        f"{array}:2: not UTF-8 (byte {array.read_bytes().index(0xF6)}); save the file as UTF-8"
    ]


@pytest.mark.parametrize("half", ["\\ud83d", "\\uD83D x", "\\ud83d\\ud83d\\ude00"])
def test_half_a_character_is_called_so(tmp_path: Path, half: str) -> None:
    path, array = tmp_path / "f.jsonl", tmp_path / "f.json"
    said = f"1: holds half a character ({half[:6]} alone), which is no text; write the character whole"
    path.write_text(f'{{"caption": "{half}"}}\n{{"caption": "\\ud83d\\ude00"}}\n')
    assert read(path) == ([{"caption": "\U0001f600"}], [f"{path}:{said}"])
    array.write_text(f'[{{"caption": "{half}"}},\n{{"caption": "\\ud83d\\ude00"}}]')
    with pytest.raises(FormatError, match=re.escape(f"{array}:{said} (nothing of a broken array is read")):
        list(read_array(array, Problems()))
