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


TEXT = LINE[LINE.index(b'"caption"') : LINE.index(b'"revision"')]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TEXT, b""),
        (TEXT, TEXT + TEXT),
        (TEXT, b'"caption":"left",' + TEXT),
        (TEXT, TEXT + b'"tokens":[],'),
        (b'"height":600,' + TEXT, b'"height":' + TEXT + b"600,"),
        (b'"height":600,' + TEXT, b'"height":60' + TEXT + b"0,"),
        (b'"f1",', b'"f,' + TEXT + b'1",'),
        (b'"f1",', b'"f,' + TEXT + b'",'),
        (b'"f1",', b'"f,' + TEXT + b'"a",'),
        (b'"f1",', b'"{",'),
        (b'"ann1"', b'"a\\' + TEXT + b'b"'),
        (b'"subfigures":[{', b'"subfigures":[{' + TEXT),
        (b'{"figure_id"', b"{" + TEXT + b'"figure_id"'),
        (b'"revision"', b'1"revision"'),
        (b'"revision":1', b'"1":1'),
        (b'"revision":1,', b""),
        (b"[[0,3],", b"[[00,3],"),
        (b"[[0,3],", b"[[,3],"),
        (b"[[0,3],", b"[[0,3,"),
        (b"[[0,3],", b"[[0,3]],[["),
        (b"Fig 1: ", b"Fig ]], "),
        (b"Fig 1: ", b'Fig "'),
        (b"Fig 1: ", b"Fig \xff"),
        (b"Fig 1: ", b'","tokens":[],"caption":"'),
    ],
)
def test_a_line_with_an_odd_caption_or_odd_tokens_is_read_beside_others_as_alone(old: bytes, new: bytes) -> None:
    changed = LINE.replace(old, new, 1)
    assert old in LINE
    for lines in ([changed], [LINE, changed, LINE], [b"{}", changed], [LINE, LINE[:60], changed]):
        whole = b"\n".join(lines)
        read = read_block(io.BytesIO(whole), Range(0, len(whole), len(whole), False))
        alone = [read_block(io.BytesIO(line), Range(0, len(line), len(line), False)).corpus for line in lines]
        assert len(read.corpus) == sum(map(len, alone))
        assert [place not in read.odd for place in range(len(lines))] == list(map(len, alone))
        assert read.corpus.figure.size == len(read.plain)
        assert {tuple(each) for each in read.corpus.digests.tolist()} == {
            tuple(each) for corpus in alone for each in corpus.digests.tolist()
        }
    # Blanks make no difference.
    single = read_block(io.BytesIO(changed), Range(0, len(changed), len(changed), False)).corpus
    spaced = changed.replace(b'"caption":', b'"caption" :')
    other = read_block(io.BytesIO(spaced), Range(0, len(spaced), len(spaced), False)).corpus
    assert (len(single), record_of(changed) is None and len(single) > 0) == (len(other), False)
    assert np.array_equal(single.digests, other.digests)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"phase"', b'"phase":"1","phase"'),
        (b'"phase"', b'"phase" :null,"phase"'),
        (b'"label"', b'"label":"Z","label"'),
        (b'"status"', b'"batch":1,"status"'),
        (b'"phase":"1",', b""),
        (b'"label":"A",', b""),
        (b'"box"', b'"score":2,"\\u0062ox":[0,0,1,1],"box"'),
        (b'"status"', b'"verdicts":[],"status"'),
        (b'"width":800', b'"width":800.5'),
    ],
)
def test_a_line_with_a_repeated_unknown_or_missing_key_is_left_to_the_reader_of_records(
    old: bytes, new: bytes
) -> None:
    assert old in LINE
    assert record_of(LINE) is not None
    assert record_of(LINE.replace(old, new, 1)) is None


@pytest.mark.parametrize("window", [1, 2, 7, 1 << 16])
def test_a_repeated_key_is_found_wherever_it_is_in_many_lines(
    window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_WINDOW", window)
    again = [LINE.replace(b'"phase"', b'"phase"' + colon + b'"1","phase"') for colon in (b":", b" \t:")]
    for line in again:
        assert [each is None for each in records_of([LINE, line, LINE])] == [False, True, False]
    assert None not in records_of([LINE, LINE])


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
