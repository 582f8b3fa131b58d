"""Lines of a file that is read in blocks of any size, with whatever between and around them."""

from __future__ import annotations

import io
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import a_figure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.columns.corpus import Corpus
from agreement.reading import records
from agreement.reading.decoding import Careful, decode_annotations
from agreement.reading.records import record_of, records_of
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import encode_line
from panelwise.formats.annotations import annotation_record

LINE = encode_line(annotation_record(an_annotation(a_figure("f1")))).rstrip(b"\n")
#: What stands in a line, and whether it is an annotation.
PIECES = [LINE, b"", b"{", b"[]", b" ", LINE + LINE, LINE.replace(b'":', b'" :'), LINE.replace(b",", b",\n", 1)]


def decoded(whole: bytes, careful: Careful = lambda number, line: None, **options: Any) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "annotations.jsonl"
        path.write_bytes(whole)
        with path.open("rb") as file:
            return decode_annotations(file, path, careful, _not_read_again, **options)


def _not_read_again(line: bytes) -> Annotation:
    raise AssertionError("no annotation is read a second time here")


@given(
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(1, 3 * len(LINE)),
    st.booleans(),
)
def test_every_line_is_decoded_or_read_with_care_and_known_by_its_place(
    pieces: list[bytes], newline: bytes, size: int, ended: bool
) -> None:
    whole = newline.join(pieces) + (newline if ended else b"")
    expected = io.BytesIO(whole).readlines()
    odd: list[tuple[int, bytes]] = []
    found = decoded(whole, lambda number, line: odd.append((number, line)), block=size)
    assert odd == [
        (number, line) for number, line in enumerate(expected, start=1) if line.strip() and record_of(line) is None
    ]
    plain = [line for line in expected if record_of(line) is not None]
    assert len(found) == len(plain)
    rows: Any = found.rows
    places = zip(rows.offsets.tolist(), rows.lengths.tolist(), strict=True)
    assert [whole[start : start + length] for start, length in places] == plain
    assert rows.checks.tolist() == [zlib.crc32(line) for line in plain]


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
        odd: list[int] = []
        read = decoded(b"\n".join(lines), lambda number, line, odd=odd: odd.append(number))
        alone = [decoded(line) for line in lines]
        assert len(read) == read.figure.size == sum(map(len, alone))
        assert [number not in odd for number in range(1, len(lines) + 1)] == list(map(len, alone))
        assert {tuple(each) for each in read.digests.tolist()} == {
            tuple(each) for corpus in alone for each in corpus.digests.tolist()
        }
    # Blanks make no difference.
    single = decoded(changed)
    spaced = changed.replace(b'"caption":', b'"caption" :')
    other = decoded(spaced)
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


@pytest.mark.parametrize("length", [0, len(LINE), 4 * len(LINE) + 100])
def test_a_file_that_becomes_longer_or_shorter_while_it_is_read_is_refused(tmp_path: Path, length: int) -> None:
    source = tmp_path / "annotations.jsonl"
    source.write_bytes(b"{}\n" + (LINE + b"\n") * 3)

    def changing(number: int, line: bytes) -> None:
        with source.open("r+b") as file:
            file.truncate(length)

    with (
        source.open("rb", buffering=0) as file,
        pytest.raises(FormatError, match="changed while it was being read"),
    ):
        decode_annotations(file, source, changing, _not_read_again, block=10)
