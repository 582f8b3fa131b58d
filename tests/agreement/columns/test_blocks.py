"""Lines of a file that is cut into blocks anywhere, with whatever between and around them."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import a_figure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.reading import records
from agreement.reading.blocks import Block, ChangedWhileRead, Range, read_block
from agreement.reading.decoding import decode_annotations
from agreement.reading.records import record_of, records_of
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import encode_line
from panelwise.formats.annotations import annotation_record

LINE = encode_line(annotation_record(an_annotation(a_figure("f1")))).rstrip(b"\n")
#: What stands in a line, and whether it is an annotation.
PIECES = [LINE, b"", b"{", b"[]", b" ", LINE + LINE, LINE.replace(b'":', b'" :'), LINE.replace(b",", b",\n", 1)]


def blocks_of(whole: bytes, size: int) -> list[Block]:
    file, limit = io.BytesIO(whole), len(whole)
    return [
        read_block(file, Range(begin, min(begin + size, limit), limit, False)) for begin in range(0, limit, size)
    ]


@given(
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(1, 3 * len(LINE)),
    st.booleans(),
)
def test_every_line_is_in_the_block_in_which_it_begins(
    pieces: list[bytes], newline: bytes, size: int, ended: bool
) -> None:
    whole = newline.join(pieces) + (newline if ended else b"")
    expected = io.BytesIO(whole).readlines()
    found: list[tuple[int, int, int]] = []
    odd: list[bytes] = []
    plain = 0
    for block in blocks_of(whole, size):
        starts = block.offset + np.cumsum(block.lengths) - block.lengths
        found += zip(starts.tolist(), block.lengths.tolist(), block.checks.tolist(), strict=True)
        odd += block.odd.values()
        plain += len(block.plain)
        assert len(block.corpus) == len(block.plain)
        assert len(block.plain) + len(block.odd) == len(block.lengths)
    assert [whole[start : start + length] for start, length, _ in found] == expected
    assert [check for _, _, check in found] == [zlib.crc32(line) for line in expected]
    assert odd == [line for line in expected if record_of(line) is None]
    assert plain == len(expected) - len(odd)


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5),
    st.sampled_from([b"\n", b"\r\n", b" \n"]),
    st.booleans(),
)
def test_lines_at_once_are_what_they_are_one_by_one(pieces: list[bytes], newline: bytes, ended: bool) -> None:
    whole = newline.join(pieces) + (newline if ended else b"")
    lines = io.BytesIO(whole).readlines()
    lengths = np.array([len(line) for line in lines], dtype=np.int64)
    ends = np.cumsum(lengths)
    found = records_of(whole, np.frombuffer(whole, np.uint8), ends - lengths, ends)
    assert list(found) == [record_of(line) for line in lines]


def test_signs_of_keys_are_found_across_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LINE + b"\n" + LINE.replace(b'"phase"', b'"phase":"1","phase"') + b"\n"
    ends = np.array([len(LINE) + 1, len(whole)])
    for window in (1, 2, 7, 1 << 16):
        monkeypatch.setattr(records, "_WINDOW", window)
        found = records_of(whole, np.frombuffer(whole, np.uint8), np.array([0, len(LINE) + 1]), ends)
        assert [each is None for each in found] == [False, True], window


def test_a_file_that_ends_early_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChangedWhileRead):
        read_block(io.BytesIO(LINE), Range(0, len(LINE) + 1, len(LINE) + 1, False))
    with pytest.raises(ChangedWhileRead):
        read_block(io.BytesIO(LINE), Range(0, len(LINE), len(LINE) + 1, False))


@pytest.mark.parametrize(("at", "written"), [(len(LINE) - 3, b"\n"), (len(LINE), b"x")])
def test_blocks_that_differ_on_a_line_they_share_are_refused(
    tmp_path: Path, at: int, written: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "annotations.jsonl"
    source.write_bytes((LINE + b"\n") * 4)
    size = len(LINE) - 10

    def changing(file: Any, place: Range) -> Block:
        # The file is written to between the first block and the second, where the two have one line.
        if place.begin == size:
            changed = bytearray(source.read_bytes())
            changed[at : at + 1] = written
            source.write_bytes(bytes(changed))
        return read_block(file, place)

    monkeypatch.setattr("agreement.reading.decoding.read_block", changing)
    with (
        source.open("rb", buffering=0) as file,
        pytest.raises(FormatError, match="changed while it was being read"),
    ):
        decode_annotations(file, source, lambda *_: None, lambda line: an_annotation(), block=size)
