from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.files.json_arrays import read_array
from panelwise.files.jsonl import Problems, read_lines, repeated_key

texts = st.sampled_from(["a", "b", '":', "\\", "é😀", 'x": 1, "a'])
values = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(texts, values, max_size=4), st.booleans())
def test_no_key_is_said_to_stand_twice_that_does_not(record: dict[str, object], spread: bool) -> None:
    raw = msgspec.json.encode(record)
    raw = msgspec.json.format(raw, indent=2) if spread else raw
    assert repeated_key(raw, msgspec.json.decode(raw)) is None


@pytest.mark.parametrize(
    "raw",
    [
        b'{"k": 1, "k": 2}',
        b'{"k" : 1, "a": 3, "k" : 2}',
        b'{"k" : 1, "k": 2}',
        b'{"k": 1, "k" \t\r\n : 2}',
        b'{"a": [{"k"\t: 1, "k": 2}], "b" :"c"}',
        b'{"a": {"k": 1, "k": [2]}}',
        b'{"a": [{"b": 1}, {"k": 1, "k": 2}]}',
        b'{"a": [[{"k": 1, "k": 2}]], "long": 1' + b"0" * 300 + b"}",
        b'{"k": 1, "\\u006b": 2}',
    ],
)
def test_a_key_that_stands_twice_is_found_wherever_it_is(raw: bytes) -> None:
    assert repeated_key(raw, msgspec.json.decode(raw)) == "k"


blanks = st.text(" \t\r\n", max_size=3)


@given(
    st.lists(st.tuples(st.sampled_from("abk"), blanks, blanks), max_size=5), st.sampled_from(["", '\\" :', '":'])
)
def test_whatever_the_blanks_a_repeated_key_is_told_and_no_other(
    members: list[tuple[str, str, str]], text: str
) -> None:
    value = msgspec.json.encode(text).decode()
    listed = ",".join([f'"{key}"{before}:{after}{value}' for key, before, after in members])
    raw = f"{{{listed}}}".encode()
    keys = [key for key, _, _ in members]
    found = repeated_key(raw, msgspec.json.decode(raw))
    assert (found is None) == (len(set(keys)) == len(keys))
    assert found is None or keys.count(found) > 1


@pytest.mark.parametrize(("reader", "text"), [(read_lines, "{}\n{}\n"), (read_array, "[{},\n{}]")])
def test_readers_tell_a_repeated_key_and_keep_the_record(tmp_path: Path, reader: object, text: str) -> None:
    (tmp_path / "f").write_text(text.replace("{}", '{"a": 1}', 1).replace("{}", '{"a": 1, "a": 2}'))
    problems = Problems()
    records = [dict(line.record) for line in reader(tmp_path / "f", problems)]
    assert records == [{"a": 1}, {"a": 2}]
    assert problems.lines == [
        f'{tmp_path / "f"}:2: "a" stands twice in one object; the last one counts, remove one'
    ]
