"""Export gold question-answer pairs, and gold figure types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from annotator.gold.exports.job import Export, Job, Outcome, Shared
from panelwise.runtime import counted

_QA_HELP = """Write the gold question-answer pairs, a line each, with verdict, original and provenance.

Field names are SciVQA's. `annotator import figures FILE --qa QA` reads the file.
"""
_TYPES_HELP = """Write the gold figure types, a line per figure: compound or not, number of subfigures, types."""


def write_pairs(job: Job) -> Outcome:
    """Write the file and report the number of pairs."""
    from annotator.gold.items import qa_records

    return _write(job, qa_records, "pair", on_figures=True)


def write_types(job: Job) -> Outcome:
    """Write the file and report the number of figure types."""
    from annotator.gold.items import type_records

    return _write(job, type_records, "figure type", on_figures=False)


def _write(job: Job, records: Callable[..., Iterator[dict[str, Any]]], what: str, *, on_figures: bool) -> Outcome:
    from annotator.gold.items import ItemsExported
    from panelwise.files import write_lines

    exported = ItemsExported()
    found = records(job.home, job.store, exported, job.names, job.include)
    count = write_lines(job.out, job.watch(found, f"exporting {what}s"))
    figures = f" on {counted(exported.figures, 'figure')}" if on_figures else ""
    line = f"wrote {counted(count, what)}{figures} to {job.out} ({exported.parts()})"
    return Outcome([line], exported.warnings(what, count), gold=exported.tally, single=False)


_OPTIONS = (Shared.INCLUDE, Shared.NAMES)
QA = Export("qa", "qa.jsonl", "annotator export qa --out qa.jsonl", _QA_HELP, write_pairs, _OPTIONS)
TYPES = Export(
    "types", "types.jsonl", "annotator export types --out types.jsonl", _TYPES_HELP, write_types, _OPTIONS
)
