"""Batch and article of a figure: `batch` in its `source` or beside it, and `source.document`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from panelwise.domain import AnnotatorError, Figure, FormatError
from panelwise.files import Fields, Problems, first_name, read_lines, typed_lines

#: The key under which a record names its figure's batch. The layouts do not know it; it is copied like any other.
KEY = "batch"


class _Record(msgspec.Struct, gc=False):
    """The fields of a line of figures or annotations that name the batch."""

    figure_id: str
    source: Any = None
    batch: Any = None


def batch_of(figure: Figure) -> str:
    """The figure's batch; "" where it names none."""
    return _name(figure.source) or _name(figure.extra)


def batches_in(path: Path) -> dict[str, str]:
    """Figure -> its batch, of a file of figures or annotations in JSON lines; the first line that names one holds.

    Lines without a batch, and what is no such file, have none; their faults are told where the file is read for
    good. A pipe cannot be read twice and has none.
    """
    found: dict[str, str] = {}
    if path.is_file():
        for record in typed_lines(path, _Record):
            name = _name({KEY: record.batch}) or (_name(record.source) if isinstance(record.source, dict) else "")
            if name:
                found.setdefault(record.figure_id, name)
    return found


def articles_of_option(path: Path, problems: Problems) -> dict[str, str]:
    """Return figure -> its article: `source.document`, or MedICaT's `pdf_hash`.

    The first line that names one holds. A bad line is a problem. Raises AnnotatorError if there is no such file.
    """
    check_figures_file(path, "--articles", problems)
    found: dict[str, str] = {}
    for record in typed_lines(path, _Record):
        source = record.source if isinstance(record.source, dict) else {}
        if name := first_name(source.get("document"), source.get("pdf_hash")):
            found.setdefault(record.figure_id, name)
    return found


def check_figures_file(path: Path, option: str, problems: Problems) -> None:
    """Add a file's lines that name no figure to the problems. Raises AnnotatorError if there is no such file."""
    if not path.is_file():
        raise AnnotatorError(f"{path}: no such file; name a figures.jsonl with {option}")
    for line in read_lines(path, problems):
        try:
            Fields(line.where, line.record).text("figure_id")
        except FormatError as error:
            problems.add(error)


def _name(record: Mapping[str, Any]) -> str:
    """A batch has a name or a number; anything else names none."""
    value = record.get(KEY)
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
