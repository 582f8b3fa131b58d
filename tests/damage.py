"""Damage as files suffer it, made by hypothesis, together with what must come through all the same."""

from __future__ import annotations

import copy
import dataclasses
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st

from panelwise.domain.errors import LONGEST, AnnotatorError, one_line
from panelwise.files.jsonl import Problems

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Reader:
    """A reader under test. read: gives one result for each good record, in order.

    wrap: the file that holds the records, given their texts, which stand in it as they are; None for JSON lines.
    """

    name: str
    records: Records
    read: Callable[[Path, Problems], Iterator[Any]]
    wrap: Callable[[Sequence[str]], str] | None = None
    suffix: str = ".jsonl"

    def text(self, texts: Sequence[str]) -> str:
        return "".join(f"{text}\n" for text in texts) if self.wrap is None else self.wrap(texts)


@dataclass(frozen=True)
class Damaged:
    """content: the file's bytes, None for a folder in its place. intact: places of the records that are whole and
    must be read. whole_file: the file may be refused altogether. silent: the loss is one that nobody can see."""

    content: bytes | None
    intact: frozenset[int]
    whole_file: bool = False
    silent: bool = False
    what: str = field(default="", compare=False)


#: JSON texts to be put in a value's place; each is valid JSON or is not, as files have it.
ODD_VALUES = (
    *("null", "true", '""', "[]", "{}", "0", "-1", "0.5", "-0.0", "1e999", "-1e999", "NaN", "Infinity", "1e308"),
    *("1" + "0" * 400, "9007199254740993", '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\ufeff"', '"x"'),
    *("[[0, 1], [1]]", '[{"a": 1}]', "[null]", '[["a", "b"]]', "[[5, 2]]", "[[0, 1e9]]", "[1, 2, 3]"),
    *('"' + "x" * 20_000 + '"', "[0" + ",0" * 5000 + "]", "[" * 3000 + "]" * 3000),
    *('{"a":' * 3000 + "1" + "}" * 3000, '"2026-13-45T99:99:99Z"', '"2026-01-01"'),
)  # fmt: skip

_MARK = "\ue000odd\ue000"


def dumps(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, default=msgspec.to_builtins)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield (*path, key)
            yield from _places(entry, (*path, key))
    elif isinstance(value, list):
        for at, entry in enumerate(value[:4]):
            yield (*path, at)
            yield from _places(entry, (*path, at))


def _parent(record: Any, path: tuple[Any, ...]) -> Any:
    for step in path[:-1]:
        record = record[step]
    return record


@st.composite
def odd_record(draw: st.DrawFn, record: Mapping[str, Any]) -> str:
    """The record's text with one value or key gone wrong; still one record."""
    changed = copy.deepcopy(dict(record))
    places = list(_places(changed))
    path = draw(st.sampled_from(places))
    parent = _parent(changed, path)
    kind = draw(st.sampled_from(["odd", "odd", "odd", "gone", "renamed", "twice"]))
    if kind == "odd" or not isinstance(parent, dict):
        parent[path[-1]] = _MARK
        return dumps(changed).replace(json.dumps(_MARK, ensure_ascii=False), draw(st.sampled_from(ODD_VALUES)))
    value = parent.pop(path[-1])
    if kind == "renamed":
        parent[draw(st.sampled_from(["", "x", "figure_ID", "\u0000"]))] = value
    if kind == "twice":
        parent[path[-1]] = value
        parent[_MARK] = 1
        text = dumps(changed).replace(
            f"{dumps(_MARK)}: 1", f"{dumps(path[-1])}: {draw(st.sampled_from(ODD_VALUES))}"
        )
        return text
    return dumps(changed)


@st.composite
def broken_text(draw: st.DrawFn, text: str) -> bytes:
    """Bytes of one record cut off, with bytes changed, gone or added; no line ends come in or go."""
    raw = text.encode()
    at = draw(st.integers(1, len(raw) - 1))
    kind = draw(st.sampled_from(["cut", "flip", "gone", "added"]))
    if kind == "cut":
        return raw[:at]
    if kind == "flip":
        return raw[:at] + bytes([draw(st.integers(0, 255).filter(lambda b: b not in (10, 13)))]) + raw[at + 1 :]
    if kind == "gone":
        return raw[:at] + raw[at + draw(st.integers(1, 20)) :]
    return raw[:at] + draw(st.binary(min_size=1, max_size=8)).replace(b"\n", b"").replace(b"\r", b"") + raw[at:]


@st.composite
def damaged(draw: st.DrawFn, reader: Reader) -> Damaged:
    texts = [dumps(record) for record in reader.records]
    every = frozenset(range(len(texts)))
    kind = draw(st.sampled_from([*["value"] * 6, *["bytes"] * 3, "cut", "form", "form"]))
    place = draw(st.integers(0, len(texts) - 1))
    if kind == "value":
        texts[place] = draw(odd_record(reader.records[place]))
        return Damaged(
            reader.text(texts).encode("utf-8", "surrogatepass"), every - {place}, what=texts[place][:300]
        )
    if kind == "bytes" and reader.wrap is None:
        lines = [text.encode() for text in texts]
        lines[place] = draw(broken_text(texts[place]))
        # A byte-order mark or gzip's magic at the very start speaks of the whole file.
        return Damaged(
            b"".join(line + b"\n" for line in lines), every - {place}, place == 0, what=str(lines[place][:300])
        )
    whole = reader.text(texts)
    if kind in ("bytes", "cut"):
        raw = whole.encode()
        at = draw(st.integers(0, len(raw)))
        kept = raw[:at]
        ends = [position for position in _ends(raw, [text.encode() for text in texts]) if position <= at]
        # Lines that are gone as a whole leave no trace.
        between = reader.wrap is None and at in {*ends, *(end + 1 for end in ends)}
        return Damaged(kept, frozenset(range(len(ends))), True, between, what=f"cut at {at}")
    form = draw(
        st.sampled_from(["bom", "crlf", "gzip", "utf16", "empty", "blank", "folder", "nul", "latin1", "blanks"])
    )
    raw = whole.encode()
    if form == "bom":
        return Damaged(b"\xef\xbb\xbf" + raw, every, what=form)
    if form == "crlf":
        return Damaged(raw.replace(b"\n", b"\r\n"), every, what=form)
    if form == "gzip":
        return Damaged(gzip.compress(raw), frozenset(), True, what=form)
    if form == "utf16":
        return Damaged(whole.encode("utf-16"), frozenset(), True, what=form)
    if form == "empty":
        return Damaged(b"", frozenset(), True, what=form)
    if form == "blank":
        return Damaged(b" \n\n\t\n", frozenset(), True, what=form)
    if form == "nul":
        return Damaged(raw + b"\0" * 50, every, True, what=form)
    if form == "latin1":
        return Damaged(whole.encode("latin-1", "replace"), frozenset(), True, what=form)
    if form == "blanks" and reader.wrap is None:
        return Damaged(raw.replace(b"\n", b"\n\n  \n"), every, what=form)
    return Damaged(None, frozenset(), True, what="folder")


def _ends(raw: bytes, texts: Sequence[bytes]) -> list[int]:
    """Where each record's text ends in the file; they stand in it as they are."""
    ends, at = [], 0
    for text in texts:
        at = raw.index(text, at) + len(text)
        ends.append(at)
    return ends


def check(reader: Reader, case: Damaged, folder: Path) -> None:
    """Read the damaged file. Fails on a traceback, on a bad message, and where a good record is lost."""
    good = folder / f"good{reader.suffix}"
    expected = list(
        reader.read(_written(good, reader.text([dumps(each) for each in reader.records]).encode()), Problems())
    )
    assert len(expected) == len(reader.records), "the sample itself must be read whole"
    file = folder / f"file{reader.suffix}"
    if file.is_dir():
        file.rmdir()
    if case.content is None:
        file.unlink(missing_ok=True)
        file.mkdir()
    else:
        _written(file, case.content)
    problems = Problems()
    found: list[Any] = []
    refused = ""
    try:
        for result in reader.read(file, problems):
            found.append(result)
    except AnnotatorError as error:
        refused = one_line(error)
    # A broken array is refused as a whole; of JSON lines the good ones are read.
    broken = reader.wrap is not None and case.content is not None and not _is_json(case.content)
    assert case.whole_file or broken or not refused, f"{case.what}: the whole file was refused: {refused}"
    for message in [*problems.lines, *([refused] if refused else [])]:
        assert str(file) in message, message
        assert "\n" not in message
        assert "Traceback" not in message
        assert len(message) <= LONGEST
    same = [_placeless(each) for each in found]
    for place in () if broken and refused else case.intact:
        assert _placeless(expected[place]) in same, (
            f"{case.what}: record {place} was lost; {problems.lines} {refused}"
        )
    if len(found) < len(reader.records) and not case.silent:
        assert problems.count or problems.notes or refused, f"{case.what}: nothing was told"


def _is_json(content: bytes) -> bool:
    try:
        msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _placeless(result: Any) -> Any:
    """The result without the file's name in it."""
    where = getattr(result, "where", None)
    if where is None:
        return result
    return (dataclasses.replace if dataclasses.is_dataclass(result) else msgspec.structs.replace)(result, where="")
