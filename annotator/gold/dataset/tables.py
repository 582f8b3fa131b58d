"""Write a release's tables, split keys and COCO files from its JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from annotator.gold.dataset.rows import GoldRow, annotation_row, gold_row, prediction_row
from annotator.gold.dataset.splits import split_keys
from annotator.gold.manifest import FigureEntry
from panelwise.domain import FormatError, Gold
from panelwise.files import Problems, WorkRow, can_write, write_parquet
from panelwise.formats import (
    Losses,
    image_id,
    keys_of,
    read_annotations,
    read_gold,
    read_predictions,
    write_coco,
    write_coco_raters,
)
from prelabel.training import SPLIT_KEYS, Split

#: A table of the release by file name, and its row.
TABLES: Mapping[str, type[GoldRow] | type[WorkRow]] = {
    **{f"data/gold-{split}": GoldRow for split in Split},
    "data/annotations": WorkRow,
    "data/predictions": WorkRow,
}

Entries = Mapping[str, FigureEntry]
Record = TypeVar("Record")


def write_tables(folder: Path, figures: Entries, phases: Iterable[str]) -> None:
    """Write data/, coco/ and the split keys of the release in `folder`.

    figures: figure id -> `document`, `split`, `licence` and `file` (its image in the release, or None). phases: of
    subfigures. An empty table is not written. Parquet is written if pyarrow is installed.
    """
    (folder / "data").mkdir()
    (folder / "coco").mkdir()
    with ExitStack() as stack:
        tables = {split: stack.enter_context((folder / f"data/gold-{split}.jsonl").open("wb")) for split in Split}
        keys = []
        for gold in whole(read_gold, folder / "gold.jsonl"):
            entry = figures[gold.figure.id]
            tables[entry["split"]].write(_line(_gold_row(gold, entry)))
            names = keys_of(gold.figure)
            keys.append((entry["split"], names["pdf_hash"], names["fig_key"]))
    (folder / SPLIT_KEYS).write_text(json.dumps(split_keys(keys), indent=1) + "\n", encoding="utf-8")
    works = whole(read_annotations, folder / "annotations.jsonl")
    _write(folder / "data/annotations.jsonl", (annotation_row(each, **_of(figures, each)) for each in works))
    models = whole(read_predictions, folder / "predictions.jsonl")
    _write(folder / "data/predictions.jsonl", (prediction_row(each, **_of(figures, each)) for each in models))
    for name, row in TABLES.items():
        source = folder / f"{name}.jsonl"
        if not source.stat().st_size:
            source.unlink()
        elif can_write():
            with source.open("rb") as lines:
                rows = map(msgspec.json.Decoder(row).decode, lines)
                write_parquet(folder / f"{name}.parquet", row, rows, images=folder if row is GoldRow else None)
    _write_coco(folder, figures, phases)


def whole(read: Callable[[Path, Problems], Iterator[Record]], path: Path) -> Iterator[Record]:
    """Yield the records of a file, which may be missing or empty. Raises FormatError for the first bad one."""
    if not path.exists() or not path.stat().st_size:
        return
    problems = Problems()
    for record in read(path, problems):
        if problems.lines:
            break
        yield record
    if problems.lines:
        raise FormatError(problems.lines[0])


def _write_coco(folder: Path, figures: Entries, phases: Iterable[str]) -> None:
    names: dict[str, str] = {}

    def golds() -> Iterator[Gold]:
        for gold in whole(read_gold, folder / "gold.jsonl"):
            names[gold.figure.id] = f"images/{image_id(gold.figure)}" if gold.figure.image else ""
            yield gold

    write_coco(folder / "coco/gold.json", golds(), Losses("COCO"), file_name=lambda figure: names[figure.id])
    for number, phase in enumerate(phases, start=1):
        works = (each for each in whole(read_annotations, folder / "annotations.jsonl") if each.phase == phase)
        first = next(works, None)
        if first is not None:
            path = folder / "coco" / f"annotations-{re.sub(r'[^A-Za-z0-9.-]+', '_', phase)}.json"
            if path.exists():
                path = path.with_stem(f"{path.stem}-{number}")
            write_coco_raters(path, chain([first], works), names.__getitem__)


def _gold_row(gold: Gold, entry: FigureEntry) -> GoldRow:
    return gold_row(
        gold, document=entry["document"], split=entry["split"], licence=entry["licence"], image=entry["file"]
    )


def _of(figures: Entries, work: Any) -> dict[str, str]:
    entry = figures[work.figure.id]
    return {"document": entry["document"], "split": entry["split"]}


def _write(path: Path, rows: Iterable[WorkRow]) -> None:
    with path.open("wb") as out:
        for row in rows:
            out.write(_line(row))


def _line(row: GoldRow | WorkRow) -> bytes:
    return msgspec.json.encode(row) + b"\n"
