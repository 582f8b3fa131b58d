"""Exporting gold, against reading the same rows, decoding them, and encoding and writing the same lines.

The promise: at least half that speed, and memory that does not grow with the campaign. Half of the figures are
decided, half have one annotator's work. Rows are read through SQLAlchemy as the store does it; what SQLite's bare
driver takes is told beside, as is the same for `export annotations`.

    python benchmarks/bench_export_gold.py [FIGURES] [RUNS]
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Table, create_engine, select

from annotator.domain.adjudication import Decision
from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.caption import Caption
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.formats.jsonl import write_lines
from annotator.services.exporting_records import Exported, annotation_records, gold_records
from annotator.services.home import Home
from annotator.store import mapping
from annotator.store.tables import annotation_table, decisions, revisions

FIGURES, RUNS, BATCH = 20_000, 3, 2000
#: The export takes at most so many times as long, and its peak grows at most so much from a fifth of it on.
PROMISED, GROWTH_MB = 2.0, 24
TEXT = "cells of the left lung (A) show 3.5% more (B) than control; scale bar, 20 µm. Data are means ± s.d. n = 5"
WORDS = TEXT.split()
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def campaign(folder: Path, count: int) -> Home:
    """`count` figures of 2 to 8 subfigures, annotated once; every second one is decided."""
    home = Home.create(folder)
    chance = random.Random(0)
    with home.open_store() as store:
        for start in range(0, count, BATCH):
            figures = [_figure(chance, number) for number in range(start, min(start + BATCH, count))]
            done = [Annotation(each, "ann1", "1", Status.ACCEPTED, _parts(chance, each), NOON) for each in figures]
            settled = [
                Decision(each.figure, "rev1", 1, Status.ACCEPTED, each.subfigures, ("ann1",), NOON)
                for each in done[::2]
            ]
            with store.transaction() as tx:
                tx.add_figures(figures)
                # The store's own way in looks at each alone, which is right for people's work and slow for this.
                tx._insert_many(
                    annotation_table, [{**mapping.annotation_row(each), "origin": ""} for each in done]
                )
                tx._insert_many(decisions, [mapping.decision_row(each) for each in settled])
    return home


def _figure(chance: random.Random, number: int) -> Figure:
    caption = Caption.cut(" ".join(chance.choices(WORDS, k=chance.randint(20, 190))))
    references = tuple(" ".join(chance.choices(WORDS, k=20)) for _ in range(2))
    document = f"doi:10.1/{number // 5}"
    name = f"article-{number // 5}_fig{number % 5 + 1}"
    return Figure(
        name,
        f"images/{name}.jpg",
        1600,
        1200,
        caption,
        references,
        document,
        {"document": document},
        {},
        1,
        "0f" * 32,
    )


def _parts(chance: random.Random, figure: Figure) -> tuple[Subfigure, ...]:
    count, tokens = chance.randint(2, 8), len(figure.caption.tokens)
    width = figure.width / count
    return tuple(
        Subfigure(
            "ABCDEFGH"[place],
            Box(place * width + 0.5, 10.25, (place + 1) * width, 1100.0),
            frozenset(range(place * tokens // count, (place + 1) * tokens // count - 2)),
        )
        for place in range(count)
    )


def exported(home: Home, out: Path) -> None:
    """Our export of gold."""
    with home.open_store() as store:
        write_lines(out, gold_records(home, store, Exported()))


def exported_annotations(home: Home, out: Path) -> None:
    """Our export of annotations."""
    with home.open_store() as store:
        write_lines(out, annotation_records(home, store, Exported()))


def least(home: Home, lines: Path, out: Path, tables: tuple[Table, ...], *, bare: bool) -> float:
    """Seconds of the processor for the least there is to do: read every row of the tables and decode its payload,
    encode the records of `lines`, which are ready made, and write them.
    """
    began = time.process_time()
    store = home.path / "store.sqlite"
    if bare:
        with closing(sqlite3.connect(store)) as connection:
            for table in tables:
                place = table.columns.keys().index("payload")
                names = ", ".join(table.columns.keys())
                for row in connection.execute(f"SELECT {names} FROM {table.name}"):
                    msgspec.json.decode(row[place])
    else:
        engine = create_engine(f"sqlite:///{store}")
        with engine.connect() as reading:
            for table in tables:
                for found in reading.execute(select(table)).mappings():
                    msgspec.json.decode(found["payload"])
        engine.dispose()
    seconds = time.process_time() - began
    with lines.open("rb") as file, out.open("wb") as written:
        for batch in _batches(file):
            records = [msgspec.json.decode(line) for line in batch]
            began = time.process_time()
            for record in records:
                written.write(msgspec.json.encode(record) + b"\n")
            seconds += time.process_time() - began
    return seconds


def _batches(file: Any) -> Iterator[list[bytes]]:
    while batch := file.readlines(1 << 22):
        yield batch


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    began = time.process_time()
    work()
    return time.process_time() - began


def peak_mb(home: Path, out: Path) -> float:
    """Peak memory of a process of its own that exports the gold."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_export_and_weigh, (home, out))


def _export_and_weigh(home: Path, out: Path) -> float:
    exported(Home.find(home), out)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FIGURES
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    slow = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = campaign(folder / "small", count // 5), campaign(folder / "large", count)
        out, again = folder / "out.jsonl", folder / "again.jsonl"
        peaks = [peak_mb(home.path, out) for home in (small, large)]
        print(f"{count} figures, {runs} runs (the best of each; seconds of the processor)")
        for what, work, tables in (
            ("gold", exported, (revisions, annotation_table, decisions)),
            ("annotations", exported_annotations, (revisions, annotation_table)),
        ):
            ours: list[float] = []
            base: list[float] = []
            bare: list[float] = []
            for _ in range(runs):
                ours.append(timed(lambda work=work: work(large, out)))  # type: ignore[misc]
                base.append(least(large, out, again, tables, bare=False))
                bare.append(least(large, out, again, tables, bare=True))
            assert out.read_bytes() == again.read_bytes()
            ratio = min(ours) / min(base)
            print(
                f"  {what:12} {min(ours):.2f} s ({count / min(ours):,.0f} a second), the least there is to do "
                f"{min(base):.2f} s: ratio {ratio:.2f}, promised at most {PROMISED:g}; "
                f"to the bare driver {min(ours) / min(bare):.2f}"
            )
            if ratio > PROMISED:
                slow.append(what)
        print(f"  peak memory {peaks[0]:.0f} MB for {count // 5} figures, {peaks[1]:.0f} MB for {count}")
    if slow:
        sys.exit(f"slower than promised: {', '.join(slow)}")
    if peaks[1] - peaks[0] > GROWTH_MB:
        sys.exit(f"more memory than promised: {peaks[1] - peaks[0]:.0f} MB more for five times the figures")


if __name__ == "__main__":
    main()
