"""Kept columns are the corpus, or nothing."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agreement.columns import cache
from agreement.columns.cache import ContentHash, content_hash, read_columns, write_columns
from agreement.columns.decoding import decode_annotations
from agreement.columns.whole import PlainLines
from agreement.metrics.corpus import Corpus
from agreement.metrics.pairwise import mean_of_pairs, pair_scores
from annotator.formats.annotations import annotation_record
from annotator.formats.jsonl import encode_line

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
    if found is not None:  # A bit that says nothing, such as the padding after the header.
        assert np.array_equal(found.boxes, corpus.boxes)
        assert found.figures == corpus.figures
        assert list(found.rows) == WORK


def test_a_header_that_lies_about_its_columns_is_passed_over(source: Path) -> None:
    whole = written(decoded(source))
    begin = len(cache._MAGIC) + 8
    length = int.from_bytes(whole[len(cache._MAGIC) : begin], "little")
    header = msgspec.json.decode(whole[begin : begin + length])
    columns = whole[begin + length + -(begin + length) % 64 :]
    place = source.with_suffix(".cache")
    for change in ({"kind": "<f4"}, {"name": "other"}, {"shape": [10**9]}, {"offset": 10**12}):
        lied = msgspec.json.encode(
            {**header, "columns": [{**header["columns"][3], **change}, *header["columns"][4:]]}
        )
        start = cache._MAGIC + len(lied).to_bytes(8, "little") + lied
        place.write_bytes(start + bytes(-len(start) % 64) + columns)
        assert read_columns(place, CONTENT, source, again, raw=False) is None, change


def test_only_work_of_one_file_can_be_kept() -> None:
    with pytest.raises(ValueError, match="one file"):
        write_columns(io.BytesIO(), Corpus.of(WORK), CONTENT)


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 30))
def test_the_digest_hangs_on_the_bytes_and_not_on_how_they_come(pieces: list[bytes], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "_CHUNK", chunk)
        with ContentHash() as found:
            for piece in pieces:
                found.update(piece)
            digest = found.hexdigest()
        whole = b"".join(pieces)
        assert content_hash(io.BytesIO(whole)) == digest
        parts = [hashlib.blake2b(whole[at : at + chunk], digest_size=32) for at in range(0, len(whole), chunk)]
        expected = hashlib.blake2b(b"".join(part.digest() for part in parts), digest_size=32)
        expected.update(len(whole).to_bytes(8, "little"))
        assert digest == expected.hexdigest()
