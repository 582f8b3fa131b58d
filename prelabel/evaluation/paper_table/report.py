"""The table as plain values for JSON, numbers unrounded, from 0 to 1; and as text and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from agreement.models import AveragePrecision
from agreement.primitives import MIN_IOU, Common
from agreement.report import WIDTH, boxes_record, precision_record
from agreement.resampling import Ratio
from panelwise.runtime import counted
from prelabel.effort.report import ratio_record
from prelabel.evaluation.model_lines import model_record, model_text
from prelabel.evaluation.paper_table.table import (
    PAPER_SHARES,
    WRONG_BELOW,
    BoxRow,
    Category,
    Column,
    Counts,
    Errors,
    Inputs,
    KindsRow,
    Table,
    TableRow,
)


def table_record(table: Table) -> dict[str, Any]:
    """Return the table as plain values. Scripts rely on the keys."""
    return {
        "metric": table.mode.value,
        "common": table.common.value,
        "min_iou": MIN_IOU,
        "bootstrap": table.resamples,
        "seed": table.seed,
        "columns": {column.value: _counts(each) for column, each in table.counts.items()},
        "rows": [{**_row(each), **_seen(table, each.system.version, each.system.boxes)} for each in table.rows],
        "boxes": [{**_boxes(box), **_seen(table, box.found.version)} for box in table.boxes],
        "kinds": [
            {
                "model": kind.version,
                "scores": {column.value: dict(own) for column, own in kind.scores.items()},
                "kept": {column.value: [asdict(point) for point in own] for column, own in kind.filtering.items()},
                **_seen(table, kind.version),
            }
            for kind in table.kinds
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
        "models": [model_record(about) for about in table.models],
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


def _precision(precision: AveragePrecision) -> dict[str, Any]:
    return {key: value for key, value in precision_record(precision).items() if key != "gold_without_area"}


_TITLE = "The table of MedICaT on this gold"
_PAPER = "paper: MedICaT (Subramanian et al. 2020), Table 2, on its own data: val./test"
#: Columns of a name, of a number with its interval, of a count of errors and of a share of them.
_NAME, _CELL, _NUMBER, SHARE = 29, 18, 9, 7
_SHORT = {
    Category.OTHER_PANEL: "other",
    Category.EMPTY: "empty",
    Category.MISSING: "lacks",
    Category.ANNOTATION: "annot.",
    Category.SURPLUS: "none's",
    Category.NO_BOX: "no box",
}
#: Display names of a classifier's scores.
_KIND_SCORES = {
    "compound_accuracy": "compound or not: right",
    "compound_balanced": "  mean of both kinds",
    "types_top1": "type: the likeliest",
    "types_top4": "  among the 4 likeliest",
}
_ERRORS_EXPLAINED = (
    "other: most words are another panel's; lacks: under half of its words; none's:",
    "most words are no panel's; annot.: another annotator agrees with the model.",
)


def table_text(table: Table) -> str:
    """Return the whole table as text, ending in a newline."""
    columns = tuple(table.counts)
    lines = [_TITLE, *_about(table), ""]
    titles = "".join(f"{column.shown:>{_CELL}}" for column in columns)
    lines.append(f"{'F1, percent' if table.rows else '':{_NAME}}{titles}{'paper' if table.rows else '':>11}")
    for given, rows in _parts(table):
        lines.append(f"{given.value}{_whose(rows)}")
        for row in rows:
            cells = "".join(f"{_cell(row.scores[column]):>{_CELL}}" for column in columns)
            lines.append(f"{'  ' + _name(table, row):{_NAME}}{cells}{_paper_cell(row):>11}".rstrip())
    for found in table.boxes:
        lines += ["", *_box_lines(found, columns, _mark(table, found.found.version))]
    for kinds in table.kinds:
        lines += ["", f"figure kinds, percent ({kinds.version}){_mark(table, kinds.version)}"]
        lines += [_numbers(name, cells) for name, *cells in _kind_cells(kinds, columns)]
    lines += _error_lines(table)
    lines += ["", *_versions(table), *map(model_text, table.models), *_source(table)]
    for note in table.notes:
        lines += wrap(f"note: {note}", WIDTH, subsequent_indent="  ")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def table_markdown(table: Table) -> str:
    """Return the whole table as Markdown, ending in a newline."""
    columns = tuple(table.counts)
    titles = [each.shown for each in columns]
    lines = [f"## {_TITLE}", "", *(f"{each}  " for each in _about(table)), ""]
    if table.rows:
        lines += _head(["F1, percent", "given", *titles, "paper"])
    for _, rows in _parts(table):
        for row in rows:
            cells = [_cell(row.scores[each]) for each in columns]
            lines.append(_line([_name(table, row).strip(), _inputs(row), *cells, _paper_cell(row) or "–"]))
    if table.boxes:
        lines += ["", *_head(["boxes, percent", "measure", *titles, "paper"])]
        for found in table.boxes:
            name = found.found.version + _mark(table, found.found.version)
            lines += [_line([name, *cells]) for cells in _box_cells(found, columns)]
    if table.kinds:
        lines += ["", *_head(["figure kinds, percent", "measure", *titles])]
        for kinds in table.kinds:
            name = kinds.version + _mark(table, kinds.version)
            lines += [_line([name, *cells]) for cells in _kind_cells(kinds, columns)]
    wrong = list(_wrong(table))
    if wrong:
        lines += ["", f"Gold subfigures below F1 {WRONG_BELOW:g}; one may have several faults.", ""]
        lines += _head(["wrong subcaptions", "given", "figures", "number", *map(str, _SHORT)])
        for row, column, errors in wrong:
            lines.append(_line([row.system.name, _inputs(row), column.shown, _number(errors), *_shares(errors)]))
        lines.append(_line(["paper: text+box CRF", Inputs.GOLD.value, "validation", "50", *_paper_shares()]))
    lines += [
        "",
        *(
            f"- {each}"
            for each in [*_versions(table), *map(model_text, table.models), *_source(table), *table.notes]
        ),
    ]
    return "\n".join(lines) + "\n"


def _about(table: Table) -> Iterable[str]:
    how = f"{table.resamples} draws of articles, seed {table.seed}" if table.resamples else "none"
    common = "" if table.common is Common.NONE else f"; common tokens left out: {table.common.value}"
    yield f"metric: {table.mode.value}; box match threshold: IoU >= 0.5{common}"
    yield f"intervals: 95%, {how}"
    for column, number in table.counts.items():
        yield (
            f"{column.shown}: {counted(number.figures, 'figure')} of {counted(number.documents, 'article')}, "
            f"{number.compound} compound; {counted(number.counted, 'subfigure')} of {number.subfigures} with words"
        )


def _parts(table: Table) -> Iterable[tuple[Inputs, Sequence[TableRow]]]:
    """Yield rows with equal inputs, in the paper's order; predicted boxes by their model."""
    for given in Inputs:
        rows = [row for row in table.rows if row.system.inputs is given]
        for whose in dict.fromkeys(row.system.boxes for row in rows):
            yield given, [row for row in rows if row.system.boxes == whose]


def _mark(table: Table, *versions: str) -> str:
    """A sign after what was scored on figures that it was trained on; a note names them."""
    return " *" if table.seen_by(*versions) else ""


def _name(table: Table, row: TableRow) -> str:
    return row.system.name + _mark(table, row.system.version, row.system.boxes)


def _whose(rows: Sequence[TableRow]) -> str:
    return f" ({rows[0].system.boxes})" if rows[0].system.boxes else ""


def _inputs(row: TableRow) -> str:
    return f"{row.system.inputs.value}{_whose([row])}"


def _cell(ratio: Ratio) -> str:
    if ratio.value is None:
        return "-"
    if ratio.interval is None:
        return f"{100 * ratio.value:.1f}"
    low, high = ratio.interval
    return f"{100 * ratio.value:.1f} ({_end(low)}-{_end(high)})"


def _end(value: float) -> str:
    """Format an end of an interval as short as possible, so that columns stay apart."""
    return "100" if value == 1.0 else f"{100 * value:.1f}"


def _paper_cell(row: TableRow) -> str:
    return "" if row.system.paper is None else "/".join(f"{100 * each:.1f}" for each in row.system.paper)


def _source(table: Table) -> Iterable[str]:
    """Cite the source of the paper's numbers, if any is shown."""
    if any(row.system.paper is not None for row in table.rows):
        yield _PAPER


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _box_cells(row: BoxRow, columns: Sequence[Column]) -> Iterable[list[str]]:
    """Yield a measure, one number per column, and the paper's."""
    precision = [row.precision[column] for column in columns]
    paper = "" if row.found.paper is None else f"-/{100 * row.found.paper:.1f}"
    yield ["COCO mAP .50:.05:.95", *(_percent(each.ap) for each in precision), paper or "-"]
    yield ["AP at IoU .50", *(_percent(each.ap50) for each in precision), "-"]
    yield ["AP at IoU .75", *(_percent(each.ap75) for each in precision), "-"]
    least = "" if row.found.alignment is None else f", score {row.found.alignment:g}"
    yield [f"F1 at IoU .50{least}", *(_percent(row.matched[column].f1(0.5)) for column in columns), "-"]


def _box_lines(row: BoxRow, columns: Sequence[Column], mark: str) -> Iterable[str]:
    yield f"boxes, percent ({row.found.version}){mark}"
    for name, *cells, paper in _box_cells(row, columns):
        yield f"{_numbers(name, cells)}{'' if paper == '-' else paper:>11}"
    for reason in dict.fromkeys(each.reason for each in row.precision.values() if each.reason):
        yield f"  (average precision: {reason})"


def _kind_cells(row: KindsRow, columns: Sequence[Column]) -> Iterable[list[str]]:
    """Yield a measure, and one number per column; then the shares selected at top 1, 2, ..."""
    for key, name in _KIND_SCORES.items():
        scores = [row.scores[column].get(key) for column in columns]
        if any(score is not None for score in scores):
            yield [name, *map(_percent, scores)]
    for points in zip(*(row.filtering.get(column, ()) for column in columns), strict=True):
        yield [
            f"kept at top {points[0].top}: P / R",
            *(f"{_percent(point.precision)} / {_percent(point.recall)}" for point in points),
        ]


def _numbers(name: str, cells: Iterable[str]) -> str:
    return f"{'  ' + name:{_NAME}}" + "".join(f"{cell:>{_CELL}}" for cell in cells)


def _wrong(table: Table) -> Iterable[tuple[TableRow, Column, Errors]]:
    """Yield the rows that have errors, comparable ones together."""
    for _, rows in _parts(table):
        for column in table.counts:
            for row in rows:
                if column in row.errors and row.errors[column].wrong:
                    yield row, column, row.errors[column]


def _error_lines(table: Table) -> Iterable[str]:
    wrong = list(_wrong(table))
    if not wrong:
        return
    yield ""
    yield f"gold subfigures below F1 {WRONG_BELOW:g}, and why; one may have several faults"
    yield f"{'':{_NAME}}{'wrong':>{_NUMBER}}" + "".join(f"{short:>{SHARE}}" for short in _SHORT.values())
    before = ""
    for row, column, errors in wrong:
        part = f"{_inputs(row)}, {column.shown}"
        if part != before:
            yield part
            before = part
        shares = "".join(f"{share:>{SHARE}}" for share in _shares(errors))
        yield f"{'  ' + row.system.name.strip():{_NAME}}{_number(errors):>{_NUMBER}}{shares}"
    shares = "".join(f"{share:>{SHARE}}" for share in _paper_shares())
    yield f"paper, {Inputs.GOLD.value}, validation"
    yield f"{'  text+box CRF':{_NAME}}{'50':>{_NUMBER}}{shares}"
    yield from _ERRORS_EXPLAINED


def _number(errors: Errors) -> str:
    return f"{len(errors.wrong)}/{errors.counted}"


def _shares(errors: Errors) -> list[str]:
    shares = [errors.share(category) for category in _SHORT]
    return ["-" if share is None else f"{100 * share:.0f}%" for share in shares]


def _paper_shares() -> list[str]:
    return [f"{100 * PAPER_SHARES[each]:.0f}%" if each in PAPER_SHARES else "-" for each in _SHORT]


def _versions(table: Table) -> Iterable[str]:
    for row in table.rows:
        if row.system.version and row.system.inputs is Inputs.GOLD:
            yield f"{row.system.name}: {row.system.version}"


def _head(titles: Sequence[str]) -> list[str]:
    return [_line(titles), "|" + "|".join([" --- ", *([" ---: "] * (len(titles) - 1))]) + "|"]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
