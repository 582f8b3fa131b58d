"""The table as plain values for JSON; numbers unrounded, from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from agreement.primitives import MIN_IOU
from agreement.report import Table as ReportTable
from agreement.report import boxes_record
from prelabel.evaluation.paper_table.errors import PAPER_SHARES, WRONG_BELOW, Category, Errors
from prelabel.evaluation.paper_table.table import BoxRow, Column, Table, TableRow

_COUNTS = ReportTable("figures compound articles=documents subfigures counted")
_RATIOS = ReportTable(
    "value interval articles=clusters reason", computed={"counted": lambda ratio: int(ratio.count)}
)
_PRECISION = ReportTable("ap ap50 ap75 ar figures gold predicted reason")


def table_record(table: Table) -> dict[str, Any]:
    """Return the table as plain values. Scripts rely on the keys."""
    return {
        "metric": "paper",
        "common": table.common.value,
        "min_iou": MIN_IOU,
        "bootstrap": table.resamples,
        "seed": table.seed,
        "columns": {column.value: _COUNTS.record(each) for column, each in table.counts.items()},
        "rows": [{**_row(each), **_seen(table, each.system.version, each.system.boxes)} for each in table.rows],
        "boxes": [{**_boxes(each), **_seen(table, each.found.version)} for each in table.boxes],
        "kinds": [
            {
                "model": each.version,
                "scores": {column.value: dict(own) for column, own in each.scores.items()},
                "kept": {column.value: [asdict(point) for point in own] for column, own in each.filtering.items()},
                **_seen(table, each.version),
            }
            for each in table.kinds
        ],
        "errors": {
            "below_f1": WRONG_BELOW,
            "paper": {category.value: share for category, share in PAPER_SHARES.items()},
            "rows": [
                {
                    "row": row.system.key,
                    "boxes": row.system.boxes or None,
                    "column": column.value,
                    **_errors(errors),
                }
                for row in table.rows
                for column, errors in row.errors.items()
            ],
        },
        "notes": list(table.notes),
    }


def _seen(table: Table, *versions: str) -> dict[str, Any]:
    """The figures of each column that the models were trained on, where there are any."""
    found = {column.value: number for column, number in table.seen_by(*versions).items()}
    return {"trained_on": found} if found else {}


def _row(row: TableRow) -> dict[str, Any]:
    system = row.system
    return {
        "key": system.key,
        "name": system.name.strip(),
        "given": system.inputs.value,
        "boxes": system.boxes or None,
        "model": system.version or None,
        "f1": {column.value: _RATIOS.record(ratio) for column, ratio in row.scores.items()},
        "paper": _paper(system.paper),
    }


def _paper(numbers: tuple[float, float] | None) -> Mapping[str, float] | None:
    if numbers is None:
        return None
    return {Column.VAL.value: numbers[0], Column.TEST.value: numbers[1]}


def _boxes(row: BoxRow) -> dict[str, Any]:
    return {
        "name": row.found.name,
        "model": row.found.version,
        "given_words_from_score": row.found.alignment,
        "average_precision": {column.value: _PRECISION.record(each) for column, each in row.precision.items()},
        "matched": {column.value: boxes_record(each) for column, each in row.matched.items()},
        "paper": None if row.found.paper is None else {Column.TEST.value: row.found.paper},
    }


def _errors(errors: Errors) -> dict[str, Any]:
    return {
        "wrong": len(errors.wrong),
        "counted": errors.counted,
        "judged_by_others": errors.judged,
        "number": {category.value: errors.number(category) for category in Category},
        "share": {category.value: errors.share(category) for category in Category},
        "subfigures": [
            {
                "figure_id": each.figure_id,
                "label": each.label,
                "f1": each.f1,
                "categories": [category.value for category in Category if category in each.categories],
            }
            for each in errors.wrong
        ],
    }
