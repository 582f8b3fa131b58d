"""Kept columns are the corpus, or nothing."""

from __future__ import annotations

import io
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agreement.columns.corpus import Corpus
from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from agreement.reading import cache
from agreement.reading.cache import read_columns, write_columns
from agreement.reading.decoding import decode_annotations
from agreement.reading.rows import FileRows
from agreement.reading.whole import PlainLines
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import encode_line
from panelwise.formats.annotations import annotation_record

WORK = [
    an_annotation(
        a_figure(f"f{number}", image="", document=""),
        annotator=name,
        subfigures=(a_subfigure("A", tokens=range(number)),),
    )
    for number in range(1, 5)
    for name in ("ann1", "ann2")
]
CONTENT = "c" * 64


def careful(number: int, line: bytes) -> None:
    raise AssertionError(f"line {number} is not plainly right: {line!r}")


def again(line: bytes) -> Any:
    return PlainLines().annotation(line)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(b"".join(encode_line(annotation_record(each)) for each in WORK))
    return file


def decoded(source: Path, raw: bool = False) -> Corpus:
    with source.open("rb") as file:
        return decode_annotations(file, source, careful, again, raw=raw)


def written(corpus: Corpus, content: str = CONTENT) -> bytes:
    file = io.BytesIO()
    write_columns(file, corpus, content)
    return file.getvalue()


@pytest.mark.parametrize("raw", [False, True])
def test_what_is_read_is_what_was_written(source: Path, raw: bool) -> None:
    corpus = decoded(source, raw)
    place = source.with_suffix(".cache")
    place.write_bytes(written(corpus))
    found = read_columns(place, CONTENT, source, again, raw=raw)
    assert found is not None
    for name in ("annotators", "phases", "figures"):
        assert getattr(found, name) == getattr(corpus, name)
    for name, kind in cache._COLUMNS:
        assert np.array_equal(getattr(found, name), getattr(corpus, name)), name
        assert getattr(found, name).dtype == np.dtype(kind)
        assert getattr(found, name).flags.writeable, "a compiled kernel takes no others"
    assert np.array_equal(found.text.words, corpus.text.words)
    assert (found.common is None) == (not raw)
    assert list(found.rows) == WORK
    assert mean_of_pairs(pair_scores(found)) == mean_of_pairs(pair_scores(corpus)) == 1.0


def test_another_content_version_or_way_of_reading_is_passed_over(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = source.with_suffix(".cache")
    assert read_columns(place, CONTENT, source, again, raw=False) is None
    place.write_bytes(written(decoded(source)))
    assert read_columns(place, CONTENT, source, again, raw=False) is not None
    assert read_columns(place, "d" * 64, source, again, raw=False) is None
    assert read_columns(place, CONTENT, source, again, raw=True) is None
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    assert read_columns(place, CONTENT, source, again, raw=False) is None


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_damage_of_any_kind_leaves_nothing_or_all(source: Path, data: st.DataObject) -> None:
    corpus = decoded(source)
    whole = written(corpus)
    at = data.draw(st.integers(0, len(whole) - 1))
    kind = data.draw(st.sampled_from(["cut", "flip", "added", "zeros", "empty"]))
    broken = {
        "cut": whole[:at],
        "flip": whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :],
        "added": whole + b"x",
        "zeros": whole[:at] + bytes(len(whole) - at),
        "empty": b"",
    }[kind]
    place = source.with_suffix(".cache")
    place.write_bytes(broken)
    found = read_columns(place, CONTENT, source, again, raw=False)
    # Zeros may have been there before.
    assert (found is None) == (broken != whole)


@pytest.mark.slow
def test_no_bit_of_the_header_can_be_turned(source: Path) -> None:
    whole = written(decoded(source))
    length = int.from_bytes(whole[cache._HEAD - 8 : cache._HEAD], "little")
    place = source.with_suffix(".cache")
    for at in range(cache._HEAD + length):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert read_columns(place, CONTENT, source, again, raw=False) is None, at


def forged(header: bytes, columns: bytes) -> bytes:
    """What somebody might write who knows the layout, with the checksum that belongs to it."""
    rest = len(header).to_bytes(8, "little") + header
    rest += bytes(-(cache._HEAD - 8 + len(rest)) % 64) + columns
    return cache._MAGIC + zlib.crc32(rest).to_bytes(8, "little") + rest


def parts(whole: bytes) -> tuple[dict[str, Any], bytes]:
    begin = cache._HEAD
    length = int.from_bytes(whole[begin - 8 : begin], "little")
    return msgspec.json.decode(whole[begin : begin + length]), whole[begin + length + -(begin + length) % 64 :]


@pytest.mark.slow
def test_a_header_that_lies_is_passed_over(source: Path) -> None:
    header, columns = parts(written(decoded(source)))
    place = source.with_suffix(".cache")
    place.write_bytes(forged(msgspec.json.encode(header), columns))
    assert read_columns(place, CONTENT, source, again, raw=False) is not None
    shapes = header["shapes"]
    lies: list[dict[str, Any]] = [
        {"shapes": [*shapes[:at], other, *shapes[at + 1 :]]}
        for at in range(len(shapes))
        for other in ([], [-1], [10**9], [2**62, 2**62], [shapes[at][0] + 8], [1, 1, 1], ["a"])
    ]
    lies += [{"shapes": shapes[:-1]}, {"common": True}, {"shapes": []}, {"raw": 1}, {"made_by": {}}, {"more": 1}]
    lies.append({"made_by": {**header["made_by"], "panelwise": "0.0.0"}})
    for lie in lies:
        place.write_bytes(forged(msgspec.json.encode({**header, **lie}), columns))
        assert read_columns(place, CONTENT, source, again, raw=False) is None, lie
    for text in (b"", b"{", b"[" * 10**5, b"\xff"):
        place.write_bytes(forged(text, columns))
        assert read_columns(place, CONTENT, source, again, raw=False) is None, text[:9]


LIES: list[tuple[str, Any]] = [
    *[(name, number) for name in ("annotator", "phase", "figure", "content") for number in (-1, 1000)],
    *[("status", -1), ("status", 3), ("revision", 0), ("saved_at", 2**62), ("saved_at", -(2**62))],
    *[("tokens", -1), ("tokens", 2**40), ("counted", -1), ("counted", 1000), ("panel_starts", 10**6)],
    *[("panel_starts", -1), ("boxes", float("nan")), ("boxes", float("inf")), ("text.starts", 10**9)],
    *[("text.starts", -5), ("text.words", 2**63), ("common.starts", 77), ("common.words", 2**63)],
    *[("repeated_panels", -1), ("repeated_panels", 10**9), ("repeated_places", -1), ("repeated_places", 99)],
    *[("offsets", -1), ("offsets", 10**9), ("lengths", 0), ("lengths", 2**62)],
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), LIES)
@pytest.mark.parametrize("at", [0, -1])
def test_columns_that_lie_are_passed_over_and_never_reach_a_kernel(
    source: Path, name: str, number: Any, at: int
) -> None:
    corpus = decoded(source, raw=True)
    lists = {"repeated_panels": np.array([0, 1]), "repeated_places": np.array([0, 0])}
    corpus = replace(corpus, **lists)
    place = source.with_suffix(".cache")
    place.write_bytes(written(corpus))
    assert read_columns(place, CONTENT, source, again, raw=True) is not None
    of, _, part = name.partition(".")
    rows = corpus.rows
    assert isinstance(rows, FileRows)
    holder: Any = rows if hasattr(rows, name) else getattr(corpus, of) if part else corpus
    column = getattr(holder, part or of).copy()
    column.reshape(-1)[at] = number
    changed = replace(holder, **{part or of: column})
    if holder is rows:
        corpus = replace(corpus, rows=changed)
    else:
        corpus = replace(corpus, **{of: changed}) if part else changed
    place.write_bytes(written(corpus))
    assert read_columns(place, CONTENT, source, again, raw=True) is None


def test_flags_and_names_that_cannot_be_are_passed_over(source: Path) -> None:
    corpus = decoded(source)
    place = source.with_suffix(".cache")
    flags = np.full(len(corpus), 2, dtype=np.uint8).view(np.bool_)
    names = corpus.annotators[::-1]
    for change in ({"seeded": flags}, {"annotators": names}, {"boxes": corpus.boxes[:, :2]}):
        place.write_bytes(written(replace(corpus, **change)))
        assert read_columns(place, CONTENT, source, again, raw=False) is None, list(change)


def test_a_row_that_is_not_what_the_columns_say_is_refused(source: Path) -> None:
    corpus = decoded(source)
    turned = replace(corpus, figure=corpus.figure[::-1].copy())
    place = source.with_suffix(".cache")
    place.write_bytes(written(turned))
    found = read_columns(place, CONTENT, source, again, raw=False)
    assert found is not None
    with pytest.raises(FormatError, match="changed while it was being read"):
        found.rows[0]


def test_columns_of_somebody_else_are_passed_over(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = source.with_suffix(".cache")
    place.write_bytes(written(decoded(source)))
    real = os.fstat

    def of_another(number: int) -> os.stat_result:
        there = real(number)
        return os.stat_result((*there[:4], there.st_uid + 1, *there[5:10]))

    monkeypatch.setattr(os, "fstat", of_another)
    assert read_columns(place, CONTENT, source, again, raw=False) is None


def test_only_a_plain_file_is_looked_into_and_no_link(source: Path) -> None:
    place = source.with_suffix(".cache")
    true = source.with_suffix(".true")
    true.write_bytes(written(decoded(source)))
    assert read_columns(true, CONTENT, source, again, raw=False) is not None
    place.symlink_to(true)
    assert read_columns(place, CONTENT, source, again, raw=False) is None
    place.unlink()
    os.mkfifo(place)
    assert read_columns(place, CONTENT, source, again, raw=False) is None


def test_only_work_of_one_file_can_be_kept() -> None:
    with pytest.raises(ValueError, match="one file"):
        write_columns(io.BytesIO(), Corpus.of(WORK), CONTENT)
