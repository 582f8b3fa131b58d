"""Exporting gold, against a plain loop over the same rows that writes the same lines, and against the bare ends.

The promise: at least half the speed of a loop that reads the rows in one query, decodes them, makes the very same
records of plain lists and objects, and encodes and writes them; and memory that does not grow with the campaign.
Told beside: the two ends alone, reading and decoding rows, then encoding and writing records that are ready made.

Half of the figures are decided, half have one annotator's work. All goes through SQLAlchemy as the store does it.
The same is told for `export annotations`, of which nothing is promised.

    python benchmarks/bench_export_gold.py [FIGURES] [RUNS]
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Select, Table, create_engine, select

from annotator.campaign.home import Home
from annotator.cli.commandline import collect_rarely
from annotator.gold.records import Exported, annotation_records, gold_records
from annotator.store.database.tables import annotation_table, decisions, revisions
from annotator.store.database.values import Row
from annotator.store.rows import mapping
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.decision import Decision, GoldSource
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import write_lines

FIGURES, RUNS, BATCH = 20_000, 3, 2000
#: The export takes at most so many times as long, and its peak grows at most so much from a fifth of it on.
PROMISED, GROWTH_MB = 2.0, 24
TEXT = "cells of the left lung (A) show 3.5% more (B) than control; scale bar, 20 µm. Data are means ± s.d. n = 5"
WORDS = TEXT.split()
_OF_FIGURE = [revisions.c.figure_id, revisions.c.revision, revisions.c.payload.label("figure")]
_OF_WORK = [annotation_table.c[name] for name in ("annotator", "phase", "status", "saved_at")]
WORK_ROWS = (
    select(*_OF_FIGURE, *_OF_WORK, annotation_table.c.payload.label("work"))
    .join(annotation_table, annotation_table.c.figure_id == revisions.c.figure_id)
    .order_by(revisions.c.figure_id)
)
GOLD_ROWS = WORK_ROWS.add_columns(
    decisions.c.reviewer, decisions.c.decided_at, decisions.c.payload.label("decision")
).join(decisions, decisions.c.figure_id == revisions.c.figure_id, isouter=True)
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
                tx.figures.add_many(figures)
                # The store's own way in looks at each alone, which is right for people's work and slow for this.
                tx.figures._insert_many(
                    annotation_table, [{**mapping.annotation_row(each), "origin": ""} for each in done]
                )
                tx.figures._insert_many(decisions, [mapping.decision_row(each) for each in settled])
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
        write_lines(out, gold_records(home, store, Exported(), include=frozenset(GoldSource)))


def exported_annotations(home: Home, out: Path) -> None:
    """Our export of annotations."""
    with home.open_store() as store:
        write_lines(out, annotation_records(home, store, Exported()))


def plain(home: Home, out: Path, make: Callable[[Any], dict[str, Any]], rows: Select[Any]) -> None:
    """Export as a simple script would that trusts the tables."""
    engine = create_engine(f"sqlite:///{home.path / 'store.sqlite'}")
    with engine.connect() as reading, out.open("wb") as file:
        for row in reading.execution_options(yield_per=256).execute(rows).mappings():
            file.write(msgspec.json.encode(make(row)) + b"\n")
    engine.dispose()


def plain_gold(row: Row) -> dict[str, Any]:
    """A gold line out of the rows of a figure, its only annotation and, if there is one, its decision."""
    figure = msgspec.json.decode(row["figure"])
    decided = row["decision"] is not None
    work = msgspec.json.decode(row["decision"] if decided else row["work"])
    text, key = figure["caption"], row["figure_id"].replace("_", "-")
    after = text + "."
    boxes = [
        {"label": label, "type": "rect", "points": [[x0, y0], [x0, y1], [x1, y1], [x1, y0]]}
        for label, (x0, y0, x1, y1), _ in work["subfigures"]
    ]
    return {
        "pdf_hash": hashlib.sha1((figure["document"] or row["figure_id"]).encode()).hexdigest(),
        "fig_key": key,
        "fig_uri": key + ".jpg",
        "figure_id": row["figure_id"],
        "width": figure["width"],
        "height": figure["height"],
        "text": text,
        "tokens": [
            {"text": text[start:end], "start": start, "end": end, "id": place, "ws": after[end].isspace()}
            for place, (start, end) in enumerate(figure["tokens"])
        ],
        "spans": boxes,
        "subfigures": boxes,
        "subcaptions": {label: tokens for label, _, tokens in work["subfigures"] if tokens},
        "answer": "accept",
        "image": figure["image"],
        "references": figure["references"],
        "source": figure["source"],
        "revision": row["revision"],
        "image_sha256": figure["image_sha256"],
        "provenance": {
            "source": "adjudicated" if decided else "single",
            "reviewer": row["reviewer"] or "",
            "based_on": work["based_on"] if decided else [row["annotator"]],
            "decided_at": short_time(row["decided_at"] or row["saved_at"]),
            "note": work["note"] if decided else "",
            "error_kind": None,
            "guideline_flag": None,
        },
    }


def plain_annotation(row: Row) -> dict[str, Any]:
    """A line of annotations out of the rows of a figure and an annotation."""
    figure, work = msgspec.json.decode(row["figure"]), msgspec.json.decode(row["work"])
    ranges = figure["tokens"]
    return {
        "figure_id": row["figure_id"],
        "annotator": row["annotator"],
        "phase": row["phase"],
        "status": row["status"],
        "width": figure["width"],
        "height": figure["height"],
        "caption": figure["caption"],
        "tokens": ranges,
        "revision": row["revision"],
        "subfigures": [
            {"label": label, "box": box, "subcaption": runs(ranges, tokens)}
            for label, box, tokens in work["subfigures"]
        ],
        "saved_at": short_time(row["saved_at"]),
    }


def runs(ranges: list[list[int]], tokens: list[int]) -> list[list[int]]:
    """Spans of the runs of consecutive tokens."""
    spans: list[list[int]] = []
    last = -2
    for token in tokens:
        if token == last + 1:
            spans[-1][1] = ranges[token][1]
        else:
            spans.append(list(ranges[token]))
        last = token
    return spans


def short_time(text: str) -> str:
    """The time without the fraction of a second, which these have not."""
    return f"{text[:19]}Z"


def least(home: Home, lines: Path, out: Path, tables: tuple[Table, ...]) -> float:
    """Seconds of the processor for the two ends alone: read every row of the tables and decode its payload, encode
    the records of `lines`, which are ready made, and write them.
    """
    began = time.process_time()
    engine = create_engine(f"sqlite:///{home.path / 'store.sqlite'}")
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
    collect_rarely()
    exported(Home.find(home), out)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    collect_rarely()  # as every command does
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FIGURES
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    slow = ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = campaign(folder / "small", count // 5), campaign(folder / "large", count)
        out, again = folder / "out.jsonl", folder / "again.jsonl"
        peaks = [peak_mb(home.path, out) for home in (small, large)]
        print(f"{count} figures, {runs} runs (the best of each; seconds of the processor)")
        for what, work, make, rows, tables in (
            ("gold", exported, plain_gold, GOLD_ROWS, (revisions, annotation_table, decisions)),
            ("annotations", exported_annotations, plain_annotation, WORK_ROWS, (revisions, annotation_table)),
        ):
            ours: list[float] = []
            base: list[float] = []
            ends: list[float] = []
            for _ in range(runs):
                ours.append(timed(partial(work, large, out)))
                base.append(timed(partial(plain, large, again, make, rows)))
                assert out.read_bytes() == again.read_bytes()
                ends.append(least(large, out, again, tables))
            ratio = min(ours) / min(base)
            speed = f"{min(ours):.2f} s ({count / min(ours):,.0f} a second)"
            print(
                f"  {what:12} {speed}, a plain loop {min(base):.2f} s: ratio {ratio:.2f}; "
                f"the ends alone {min(ends):.2f} s: ratio {min(ours) / min(ends):.2f}"
            )
            if what == "gold" and ratio > PROMISED:
                slow = f"slower than promised: gold takes more than {PROMISED:g} times as long"
        print(f"  peak memory {peaks[0]:.0f} MB for {count // 5} figures, {peaks[1]:.0f} MB for {count}")
    if slow:
        sys.exit(slow)
    if peaks[1] - peaks[0] > GROWTH_MB:
        sys.exit(f"more memory than promised: {peaks[1] - peaks[0]:.0f} MB more for five times the figures")


if __name__ == "__main__":
    main()
