"""Importing figure records without images, against decoding the same file plus one bulk insert, in the same run.

The promise: at least a fifth of that speed, and memory that does not grow with the file. The bulk insert is one
`executemany` of rows that are ready made, into the same tables, through SQLAlchemy as the store does it; what
SQLite's bare driver takes for it is told beside. Processor time is compared, of each the best run.

    python benchmarks/bench_import_figures.py [FIGURES] [RUNS]
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
from sqlalchemy import create_engine

from annotator.campaign.home import Home
from annotator.cli.commandline import collect_rarely
from annotator.imports.figures import import_figures
from annotator.store.database.tables import figures
from annotator.store.database.tables import revisions as figure_revisions
from panelwise.files.jsonl import Problems, encode_line

FIGURES, RUNS = 40_000, 3
#: The import takes at most so many times as long, and its peak grows at most so much from a fifth of the file on.
PROMISED, GROWTH_MB = 5.0, 24
#: Mean and shape of the lengths of captions are those of 5,000 real ones of compound figures.
TEXT = "cells of the left lung (A) show 3.5% more (B) than control; scale bar, 20 µm. Data are means ± s.d. n = 5"
WORDS = TEXT.split()
COLUMNS = {"figures": 2, "figure_revisions": 5}


def write_figures(path: Path, count: int) -> None:
    """`count` records of captions of 20 to 190 words, two references and a source."""
    chance = random.Random(0)
    with path.open("wb") as file:
        for number in range(count):
            caption = " ".join(chance.choices(WORDS, k=chance.randint(20, 190)))
            file.write(
                encode_line(
                    {
                        "figure_id": f"article-{number // 5}_fig{number % 5 + 1}",
                        "image": f"figures/article-{number // 5}_fig{number % 5 + 1}.jpg",
                        "width": chance.randint(300, 3000),
                        "height": chance.randint(300, 3000),
                        "caption": caption,
                        "references": [" ".join(chance.choices(WORDS, k=20)) for _ in range(2)],
                        "source": {"document": f"doi:10.1/{number // 5}", "licence": "CC-BY-4.0"},
                    }
                )
            )


def imported(home: Home, file: Path) -> None:
    """Our import, into a new home."""
    problems = Problems()
    with home.open_store() as store:
        *_, tally = deque(import_figures(home, store, file, problems, without_images=True), maxlen=1)
    assert problems.count == 0, problems.lines[0]
    assert tally.added > 0


def decoded_and_inserted(home: Home, file: Path, rows: dict[str, list[tuple[object, ...]]]) -> None:
    """The least there is to do: decode every line, and insert the same rows, ready made, in one transaction."""
    with file.open("rb") as lines:
        for line in lines:
            msgspec.json.decode(line)
    with closing(sqlite3.connect(home.path / "store.sqlite")) as connection, connection:
        for table, columns in COLUMNS.items():
            marks = ",".join("?" * columns)
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])


def decoded_and_inserted_by_sqlalchemy(home: Home, file: Path, rows: dict[str, list[tuple[object, ...]]]) -> None:
    """The same through SQLAlchemy."""
    with file.open("rb") as lines:
        for line in lines:
            msgspec.json.decode(line)
    engine = create_engine(f"sqlite:///{home.path / 'store.sqlite'}")
    with engine.begin() as connection:
        for table in (figures, figure_revisions):
            names = table.columns.keys()
            connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows[table.name]])
    engine.dispose()


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    began = time.process_time()
    work()
    return time.process_time() - began


def peak_mb(file: Path, folder: Path) -> float:
    """Peak memory of a process of its own that imports the file."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_import_and_weigh, (folder, file))


def _import_and_weigh(folder: Path, file: Path) -> float:
    collect_rarely()
    imported(Home.create(folder), file)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    collect_rarely()  # as every command does
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FIGURES
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, fifth = folder / "figures.jsonl", folder / "fifth.jsonl"
        write_figures(file, count)
        write_figures(fifth, count // 5)
        small, large = peak_mb(fifth, folder / "small"), peak_mb(file, folder / "large")
        with closing(sqlite3.connect(folder / "large" / "store.sqlite")) as connection:
            rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in COLUMNS}
        work = {
            "import": lambda home: imported(home, file),
            "decode and one bulk insert": lambda home: decoded_and_inserted_by_sqlalchemy(home, file, rows),
            "  with the bare driver": lambda home: decoded_and_inserted(home, file, rows),
        }
        times: dict[str, list[float]] = {what: [] for what in work}
        for run in range(runs):
            for place, (what, do) in enumerate(work.items()):
                times[what].append(timed(partial(do, Home.create(folder / f"home{run}-{place}"))))
        print(f"{count} figure records without images, {file.stat().st_size / 1e6:.0f} MB, best of {runs} runs")
        for what, seconds in times.items():
            print(
                f"  {what:27} {min(seconds):.2f} s of the processor ({min(seconds) / count * 1e6:.0f} us a "
                f"figure), up to {max(seconds):.2f}"
            )
        best = [min(seconds) for seconds in times.values()]
        ratio = best[0] / best[1]
        print(f"  ratio {ratio:.2f}, promised at most {PROMISED:g}; to the bare driver {best[0] / best[2]:.2f}")
        print(f"  peak memory {small:.0f} MB for {count // 5}, {large:.0f} MB for {count}")
        if ratio > PROMISED:
            sys.exit(f"slower than promised: more than {PROMISED:g} times as long")
        if large - small > GROWTH_MB:
            sys.exit(f"more memory than promised: {large - small:.0f} MB more for five times the figures")


if __name__ == "__main__":
    main()
