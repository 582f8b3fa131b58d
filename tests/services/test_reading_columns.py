"""However a file is read, into objects or into columns, one gets the same, word for word."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from builders import CAPTION, a_figure, an_annotation
from damage import Reader, damaged, dumps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agreement.columns.corpus import Corpus
from agreement.primitives.settings import Settings
from agreement.reading.joining import joined
from agreement.report.json.report import report_json
from agreement.score.subfigure_f1 import Mode
from annotator.campaign.home import Home
from annotator.measurement import columns as reading_columns
from annotator.measurement.columns import read_sources
from annotator.measurement.report import ReportOptions, measure_sources
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import FigureKind, Items
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import annotation_record

NEVER = 1 << 60
FIGURES = [a_figure("f1"), a_figure("f2", caption="(a) Lung, 3.5% (b) 肺 heart"), a_figure("f3", caption="")]
WORK = [
    an_annotation(
        figure,
        annotator=name,
        minutes=minutes,
        subfigures=() if not figure.caption.text else None,
        status=Status.ACCEPTED if minutes < 7 else Status.REJECTED,
        seeded_by="model-1" if minutes == 4 else None,
        items=Items(FigureKind(True, 2, frozenset({"tree"}))) if minutes == 5 else Items(),
    )
    for minutes, (figure, name) in enumerate(
        (figure, name) for figure in FIGURES for name in ("ann1", "ann2", "ann3")
    )
]
RECORDS: list[dict[str, Any]] = [annotation_record(each) for each in WORK]
QUICK = Settings(resamples=20)


def _nobody(home: Home, store: Store) -> Iterator[Annotation]:
    raise AssertionError("no home is read")


def read(path: Path, mode: Mode, columns_from: int) -> tuple[Corpus | None, list[str], str]:
    """What is read, what is told, and why the file is refused, "" where it is not."""
    problems = Problems()
    with patch.object(reading_columns, "COLUMNS_FROM", columns_from):
        try:
            [found] = read_sources([path], problems, _nobody, mode, None)
            return found, problems.lines, ""
        except AnnotatorError as error:
            return None, problems.lines, str(error)


def assert_alike(one: Corpus, other: Corpus) -> None:
    for name in ("annotators", "phases", "figures"):
        table, same = getattr(one, name), getattr(other, name)
        column = name.removesuffix("s")
        assert [table[place] for place in getattr(one, column)] == [
            same[place] for place in getattr(other, column)
        ]
    for name in ("revision", "status", "seeded", "saved_at", "panel_starts", "boxes", "repeated_panels"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("digests", "tokens", "counted"):
        assert np.array_equal(getattr(one, name)[one.content], getattr(other, name)[other.content]), name
    assert np.array_equal(one.repeated_places, other.repeated_places)
    assert np.array_equal(one.text.words, other.text.words)
    assert np.array_equal(one.text.starts, other.text.starts)
    assert not len(one) or (one.common is None) == (other.common is None)
    if one.common is not None and other.common is not None:
        assert np.array_equal(one.common.words, other.common.words)
        assert np.array_equal(one.common.starts, other.common.starts)
    assert list(one.rows) == list(other.rows)


def assert_read_alike(content: bytes, folder: Path, mode: Mode) -> None:
    file = folder / "annotations.jsonl"
    file.write_bytes(content)
    (slow, told, refused), (fast, also_told, also_refused) = (read(file, mode, size) for size in (NEVER, 0))
    assert (also_told, also_refused) == (told, refused)
    assert (fast is None) == (slow is None)
    if fast is not None and slow is not None:
        assert_alike(fast, slow)


def lines(records: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(f"{dumps(record)}\n" for record in records).encode()


def reader(records: Sequence[Mapping[str, Any]]) -> Reader:
    return Reader("annotations", records, lambda path, problems: iter(()))


@pytest.mark.parametrize("mode", list(Mode))
def test_good_work_is_read_alike_and_without_the_careful_reader(tmp_path: Path, mode: Mode) -> None:
    assert_read_alike(lines(RECORDS), tmp_path, mode)
    plain = [record for record in RECORDS if "kind" not in record]
    (tmp_path / "plain.jsonl").write_bytes(lines(plain))
    with patch.object(reading_columns, "work_line", side_effect=AssertionError("read with care")):
        corpus, told, _ = read(tmp_path / "plain.jsonl", mode, 0)
    assert corpus is not None
    assert (len(corpus), told) == (len(plain), [])


@given(damaged(reader(RECORDS[:5])), st.sampled_from(Mode))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_whatever_befalls_a_file_both_ways_tell_the_same(case: Any, mode: Mode) -> None:
    if case.content is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        assert_read_alike(case.content, Path(folder), mode)


_numbers = st.sampled_from(
    [-1, 0, 0.0, 1, 2, 5, 12, 40, 799.5, 800, 800.5, 800.75, 601, 1e300, 10**400, 2**31, 2**63]
)
_spans = st.lists(st.tuples(st.integers(-1, 75), st.integers(-1, 75)).map(list), max_size=3)


@st.composite
def odd(draw: st.DrawFn) -> dict[str, Any]:
    """A record of which values may be anything near the edge of what is right."""
    record = json.loads(dumps(draw(st.sampled_from(RECORDS[:4]))))
    record["width"], record["height"] = draw(_numbers), draw(st.sampled_from([600, 600.0, 600.5, True]))
    if draw(st.booleans()):
        record["width"] = 800
    record["subfigures"] = [
        {
            "label": draw(st.sampled_from(["A", "", "é"])),
            "box": [draw(_numbers) for _ in range(draw(st.sampled_from([4, 4, 4, 3])))],
            "subcaption": draw(_spans),
        }
        if draw(st.booleans())
        else {"label": "B", "box": [0, 0.5, 9, 9], "subcaption": draw(_spans)}
        for _ in range(draw(st.integers(0, 2)))
    ]
    for key, values in {
        "tokens": [None, [], [[0, 3], [3, 5]], [[0, 3], [2, 5]], [[0, 3], [4, 99]], [[1, 1]], [[2, 4.0]]],
        "caption": [None, CAPTION, "short", 'a "quoted": word', "\ud800"],
        "revision": [None, 0, 1, 2, 2.0, "2"],
        "phase": [1, True, "", "2", None, 1.5],
        "saved_at": [
            "2026-11-21",
            "2026-11-21T10:00:00",
            "2026-W47-6T10:00:00+01:00",
            "0001-01-01T00:00:00+14:00",
        ],
        "seeded_by": [None, "", "m", 3],
        "guideline": [None, "", "2", 3],
        "seconds": [None, 0, -1, 1e300, 10**400, "x"],
        "kind": [None, {}, {"compound": True}],
        "verdicts": [None, [], [{"instance_id": "q", "verdict": "Correct"}]],
        "status": ["accepted", "ignored", "done"],
        "batch": ["b1", 3, None, {"a": 1}],
        "extra": [1, {"a": 1}],
    }.items():
        if draw(st.integers(0, 5)) == 0:
            record[key] = draw(st.sampled_from(values))
    return record


@given(st.lists(odd(), min_size=1, max_size=3), st.sampled_from(Mode))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_values_at_the_edge_are_taken_or_refused_alike(records: list[dict[str, Any]], mode: Mode) -> None:
    text = "".join(json.dumps(record) + "\n" for record in [*RECORDS[:1], *records])
    with tempfile.TemporaryDirectory() as folder:
        assert_read_alike(text.encode(), Path(folder), mode)


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n", b"\n\n  \n"])
def test_lines_end_as_they_like(tmp_path: Path, ending: bytes) -> None:
    content = lines(RECORDS).replace(b"\n", ending or b"\n")
    assert_read_alike(content if ending else content.removesuffix(b"\n"), tmp_path, Mode.PAPER)
    assert_read_alike(b"\xef\xbb\xbf" + content, tmp_path, Mode.PAPER)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b" \t\n"])
def test_files_without_a_line_are_told_alike(tmp_path: Path, content: bytes) -> None:
    assert_read_alike(content, tmp_path, Mode.PAPER)


def test_blocks_are_joined_without_a_seam(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(lines([*RECORDS, *RECORDS[::-1]]))
    slow, _, _ = read(file, Mode.PAPER, NEVER)
    defaults = {"raw": False, "block": 100}
    with patch.object(reading_columns.decode_annotations, "__kwdefaults__", defaults):
        fast, _, _ = read(file, Mode.PAPER, 0)
    assert fast is not None
    assert slow is not None
    assert_alike(fast, slow)


@given(st.lists(st.sampled_from(range(len(RECORDS))), min_size=1, max_size=14), st.sampled_from(Mode), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_reports_are_the_same_byte_for_byte(chosen: list[int], mode: Mode, data: st.DataObject) -> None:
    records = [json.loads(dumps(RECORDS[place])) for place in chosen]
    for record in records:
        record["revision"] = data.draw(st.sampled_from([1, 1, 2]))
    if data.draw(st.booleans()):
        records[0]["width"] = data.draw(st.sampled_from([801, "x"]))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "annotations.jsonl"
        file.write_bytes(lines(records))
        for size in (NEVER, 0):
            problems, told = Problems(), []
            with patch.object(reading_columns, "COLUMNS_FROM", size):
                report = measure_sources(
                    [file],
                    problems,
                    options=ReportOptions(settings=replace(QUICK, mode=mode), worst=3),
                    warn=told.append,
                )
            found.append((report_json(report), report.worst, problems.lines, told))
    assert found[0] == found[1]


def test_sources_of_several_kinds_are_taken_together(tmp_path: Path) -> None:
    large, small = tmp_path / "large.jsonl", tmp_path / "small.jsonl"
    large.write_bytes(lines(RECORDS))
    small.write_bytes(lines([annotation_record(an_annotation(a_figure("f1"), annotator="ann4"))]))
    with patch.object(reading_columns, "COLUMNS_FROM", large.stat().st_size):
        mixed = joined(read_sources([large, small], Problems(), _nobody, Mode.PAPER, None))
    apart = joined(read_sources([large, small], Problems(), _nobody, Mode.PAPER, None))
    assert_alike(mixed, apart)
    assert Counter(mixed.annotators)["ann4"] == 1


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"f1"', b'"f9"'), (b'"label": "A"', b'"label": "X"'), (b"ann1", b"ann9"), (b"2026-11-21", b"2026-11-22")],
)
def test_rows_of_a_file_rewritten_meanwhile_are_told_and_never_taken(
    tmp_path: Path, mode: Mode, old: bytes, new: bytes
) -> None:
    file = tmp_path / "annotations.jsonl"
    content = lines(RECORDS).replace(b'"label":"', b'"label": "')
    file.write_bytes(content)
    corpus, _, _ = read(file, mode, 0)
    assert corpus is not None
    row = corpus.rows[0]
    changed = content.replace(old, new)
    assert (len(changed), changed == content) == (len(content), False)
    file.write_bytes(changed)
    with pytest.raises(AnnotatorError, match="changed while it was being read; run the command again"):
        corpus.rows[0]
    file.write_bytes(content)
    assert corpus.rows[0] == corpus.rows[-len(corpus)] == row
    with pytest.raises(IndexError):
        corpus.rows[len(corpus)]


def test_a_file_that_is_no_longer_there_or_whole_is_told(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(lines(RECORDS))
    corpus, _, _ = read(file, Mode.PAPER, 0)
    assert corpus is not None
    file.write_bytes(b"x" * 100)
    with pytest.raises(AnnotatorError, match="changed while it was being read"):
        corpus.rows[1]
    file.unlink()
    with pytest.raises(AnnotatorError, match="it was there before"):
        corpus.rows[1]
    file.mkdir()
    with pytest.raises(AnnotatorError, match="Is a directory"):
        corpus.rows[1]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_key_that_stands_twice_is_told_whatever_the_blanks(tmp_path: Path, mode: Mode) -> None:
    twice = b'"status" : "accepted", "status": "rejected"'
    content = lines(RECORDS).replace(b'"status":"accepted"', twice, 1).replace(b'"status": "accepted"', twice, 1)
    assert twice in content
    assert_read_alike(content, tmp_path, mode)
    _, told, _ = read(tmp_path / "annotations.jsonl", mode, 0)
    assert told == [
        f'{tmp_path / "annotations.jsonl"}:1: "status" stands twice in one object; the last one counts, remove one'
    ]


def test_the_setting_of_the_cache_that_is_gone_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(lines(RECORDS))
    left = file.with_name("annotations.jsonl.panelwise-cache")
    left.write_bytes(b"of an earlier version")
    told: list[str] = []
    measure_sources([file], Problems(), options=ReportOptions(settings=QUICK), warn=told.append)
    assert told == []
    monkeypatch.setenv("PANELWISE_COLUMNS", "off")
    measure_sources([file], Problems(), options=ReportOptions(settings=QUICK), warn=told.append)
    assert told == ["PANELWISE_COLUMNS has no effect: columns of annotation files are no longer cached; unset it"]
    assert left.read_bytes() == b"of an earlier version"


def test_problems_of_several_blocks_are_reported_in_the_order_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    first, last = ([{**each, "phase": phase} for each in RECORDS] for phase in ("first", "last"))
    file.write_bytes(lines(first[:4]) + b"{\n" + lines(RECORDS) + b"[]\n" + lines(last[::-1]))
    slow, told, _ = read(file, Mode.PAPER, NEVER)
    defaults = {"raw": False, "block": 3000}
    with patch.object(reading_columns.decode_annotations, "__kwdefaults__", defaults):
        fast, also_told, _ = read(file, Mode.PAPER, 0)
    assert also_told == told
    assert len(told) == 2
    assert fast is not None
    assert slow is not None
    assert_alike(fast, slow)
