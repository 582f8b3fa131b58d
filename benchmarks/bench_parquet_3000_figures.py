"""Annotations of 3,000 figures by three annotators as Parquet and as JSON lines: out from objects, in to columns.

The promise: Parquet is read no slower than JSON lines. Writing is measured only: making rows of objects
takes half of what JSON lines take in all. Ratios are of processor's time, in one process, each step in turn; both
files hold the same work.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))

import corpora

from agreement.score.subfigure_f1 import Mode
from annotator.gold.dataset.rows import annotation_row
from annotator.measurement.columns import read_sources
from panelwise.files.jsonl import Problems, write_lines
from panelwise.files.parquet import WorkRow, write_parquet
from panelwise.formats.annotations import annotation_record

FIGURES, RUNS = 3000, 7
PROMISED = 1.0


def used(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    began = time.process_time()
    work()
    return time.process_time() - began


def read(file: Path) -> int:
    """Number of annotations."""
    [found] = read_sources([file], Problems(), lambda home, store: iter(()), Mode.PAPER, None)
    return len(found)


def main() -> None:
    work = list(corpora.annotated(FIGURES))
    with tempfile.TemporaryDirectory() as folder:
        lines, table = Path(folder) / "work.jsonl", Path(folder) / "work.parquet"
        steps: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "out": (
                lambda: write_lines(lines, map(annotation_record, work)),
                lambda: write_parquet(table, WorkRow, map(annotation_row, work)),
            ),
            "in": (lambda: read(lines), lambda: read(table)),
        }
        ratios = {}
        for name, (slow, fast) in steps.items():
            slow(), fast()
            times = [(used(slow), used(fast)) for _ in range(RUNS)]
            ratios[name] = statistics.median(one / other for one, other in times)
            one, other = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"{name:4} JSON lines {one:.3f} s, Parquet {other:.3f} s, ratio {ratios[name]:.1f}")
        assert read(lines) == read(table) == len(work)
        print(f"{lines.stat().st_size / 1e6:.1f} MB and {table.stat().st_size / 1e6:.1f} MB")
    if ratios["in"] < PROMISED:
        sys.exit(f"not as promised ({PROMISED:g} times): in")


if __name__ == "__main__":
    main()
