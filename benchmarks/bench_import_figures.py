"""Importing figure records without images, against decoding the same file plus one bulk insert, in the same run.

The promise: at least half that speed, and memory that does not grow with the file. Processor time is compared, and
time by the clock is told beside it: the disk's waits are the same for both.

    python benchmarks/bench_import_figures.py [FIGURES] [RUNS]
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from annotator.formats.jsonl import Problems, encode_line
from annotator.services.home import Home
from annotator.services.importing import import_figures

FIGURES, RUNS = 40_000, 3
#: The import takes at most so many times as long, and its peak grows at most so much from a fifth of the file on.
PROMISED, GROWTH_MB = 2.0, 24
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


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor and by the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def peak_mb(file: Path, folder: Path) -> float:
    """Peak memory of a process of its own that imports the file."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_import_and_weigh, (folder, file))


def _import_and_weigh(folder: Path, file: Path) -> float:
    imported(Home.create(folder), file)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
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
        ours, least = [], []
        for run in range(runs):
            mine, other = (Home.create(folder / f"{name}{run}") for name in ("ours", "least"))
            ours.append(timed(partial(imported, mine, file)))
            least.append(timed(partial(decoded_and_inserted, other, file, rows)))
        ratios = [mine[0] / base[0] for mine, base in zip(ours, least, strict=True)]
        print(f"{count} figure records without images, {file.stat().st_size / 1e6:.0f} MB, {runs} runs (median)")
        for what, times in (("import", ours), ("decode and one bulk insert", least)):
            seconds = [statistics.median(column) for column in zip(*times, strict=True)]
            print(
                f"  {what:27} {seconds[0]:.2f} s of the processor, {seconds[1]:.2f} s by the clock "
                f"({count / seconds[1]:,.0f} a second)"
            )
        ratio = statistics.median(ratios)
        print(f"  ratio {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), promised at most {PROMISED:g}")
        print(f"  peak memory {small:.0f} MB for {count // 5}, {large:.0f} MB for {count}")
        if ratio > PROMISED:
            sys.exit(f"slower than promised: more than {PROMISED:g} times as long")
        if large - small > GROWTH_MB:
            sys.exit(f"more memory than promised: {large - small:.0f} MB more for five times the figures")


if __name__ == "__main__":
    main()
