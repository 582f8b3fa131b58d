"""A table of a release that pandas wrote again, with floats for integers and NaN, is read as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations


def test_floats_for_integers_and_nan_mean_what_they_were(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    part = {"label": "A", "box": [0.0, 0.0, 400.0, 600.0], "subcaption": [0.0, 1.0]}
    row = {
        **{"figure_id": "f1", "annotator": "a", "phase": "1", "status": "accepted", "caption": "A left"},
        **{"width": 800.0, "height": 600.0, "revision": 1.0, "tokens": [[0.0, 1.0], [2.0, 6.0]]},
        **{"subfigures": [part], "saved_at": "2026-11-21T10:00:00Z", "seconds": float("nan")},
    }
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "a.parquet")
    problems = Problems()
    (found,) = read_annotations(tmp_path / "a.parquet", problems)
    assert problems.lines == []
    assert (found.figure.width, found.seconds, found.subfigures[0].subcaption) == (800, None, {0, 1})
