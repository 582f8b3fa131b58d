"""Processes that decode side by side may be refused, or die: what is read stays the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import active_children, util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import a_figure, an_annotation

from agreement.columns.corpus import Corpus
from agreement.reading.decoding import decode_annotations
from agreement.reading.times import NO_TIME, moment_of, moments
from panelwise.domain.annotation import Annotation
from panelwise.files.jsonl import encode_line
from panelwise.formats.annotations import annotation_record

ONE = b"".join(
    encode_line(annotation_record(an_annotation(a_figure(f"f{number}"), annotator=name)))
    for number in range(40)
    for name in ("ann1", "ann2", "ann3")
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "annotations.jsonl"
    file.write_bytes(ONE * 40)
    return file


def _not_read_again(_line: bytes) -> Annotation:
    raise AssertionError("no annotation is read a second time here")


def decoded(source: Path, processes: int, told: list[int], careful: Callable[[], None] = lambda: None) -> Corpus:
    def odd(number: int, _line: bytes) -> None:
        careful()
        told.append(number)

    with source.open("rb") as file:
        return decode_annotations(file, source, odd, _not_read_again, block=1 << 16, processes=processes)


def assert_same(one: Corpus, other: Corpus) -> None:
    assert one.figures == other.figures
    for name in ("figure", "annotator", "content", "boxes", "panel_starts"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.text.words, other.text.words)
    assert np.array_equal(one.rows.checks, other.rows.checks)


@pytest.mark.slow
def test_a_process_that_is_killed_is_not_missed(source: Path) -> None:
    source.write_bytes(b"{\n" + source.read_bytes())
    alone: list[int] = []
    expected = decoded(source, 1, alone)
    killed: list[int] = []

    def kill() -> None:
        # The first line is asked about once its block is back, so the others are being decoded.
        for child in active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)
            killed.append(child.pid)

    told: list[int] = []
    assert_same(decoded(source, 2, told, kill), expected)
    assert told == alone == [1]
    assert killed


@pytest.mark.slow
@pytest.mark.parametrize("granted", [0, 1])
def test_a_process_that_the_system_refuses_is_not_missed(
    source: Path, granted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, asked = util.spawnv_passfds, []
    decoded(source, 2, [])  # So that what helps to start processes is there.

    def refuse(*arguments: Any) -> int:
        asked.append(1)
        if len(asked) > granted:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return start(*arguments)

    monkeypatch.setattr(util, "spawnv_passfds", refuse)
    found = decoded(source, 2, [])
    monkeypatch.undo()
    assert len(asked) == granted + 1
    assert_same(found, decoded(source, 1, []))


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-11-21T10:00:00Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z"],
        ["2026-11-21T10:00:00Z", "2026-13-21T10:00:00Z"],
        ["0000-11-21T10:00:00Z"],
        ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.5+01:00", "yesterday", "2026-11-21T10:00:00"],
        ["2026-11-21 10:00:00Z", "2026-02-30T10:00:00Z", "2026-11-21T24:00:00Z", "２026-11-21T10:00:00Z"],
        [],
    ],
)
def test_times_read_together_are_those_read_one_by_one(texts: list[str]) -> None:
    alone = [moment_of(text) for text in texts]
    assert moments(texts).tolist() == [NO_TIME if each is None else each for each in alone]
