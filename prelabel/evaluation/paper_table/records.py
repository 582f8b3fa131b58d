"""The table as plain values for JSON; numbers unrounded, from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from agreement.models import AveragePrecision
from agreement.primitives import MIN_IOU
from agreement.report import boxes_record, precision_record
from agreement.resampling import Ratio
from prelabel.effort.records import ratio_record
from prelabel.evaluation.paper_table.errors import PAPER_SHARES, WRONG_BELOW, Category, Errors
from prelabel.evaluation.paper_table.table import BoxRow, Column, Counts, Table, TableRow


def table_record(table: Table) -> dict[str, Any]:
    """Return the table as plain values. Scripts rely on the keys."""
    return {
        "metric": "paper",
        "common": table.common.value,
        "min_iou": MIN_IOU,
        "bootstrap": table.resamples,
        "seed": table.seed,
        "columns": {column.value: _counts(each) for column, each in table.counts.items()},
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
        "f1": {column.value: _ratio(ratio) for column, ratio in row.scores.items()},
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
        "average_precision": {column.value: _precision(each) for column, each in row.precision.items()},
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


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "figures": counts.figures,
        "compound": counts.compound,
        "articles": counts.documents,
        "subfigures": counts.subfigures,
        "counted": counts.counted,
    }


def _ratio(ratio: Ratio) -> dict[str, Any]:
    record = ratio_record(ratio)
    return {**record, "counted": int(record.pop("of"))}


def _precision(found: AveragePrecision) -> dict[str, Any]:
    return {key: value for key, value in precision_record(found).items() if key != "gold_without_area"}
