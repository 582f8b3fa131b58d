"""Export gold question-answer pairs, and gold figure types."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Outcome, Shared
from panelwise.runtime.plurals import counted

PAIRS_HELP = """Write the gold question-answer pairs, a line each, with verdict, original and provenance.

Field names are SciVQA's. `original` is the imported pair, `verdicts` has each annotator's verdict. Each pair is
gold by the rules of `annotator export gold --help`; the others are left out and counted on stderr.
`annotator import figures FILE --qa QA` reads the file.
"""

TYPES_HELP = """Write the gold figure types, a line per figure: compound or not, number of subfigures, types.

`original` is the imported type, `readings` has each annotator's. For which types are gold, see
`annotator export gold --help`; the others are left out and counted on stderr.
"""


def write_pairs(job: Job) -> Outcome:
    """Write the file and report the number of pairs."""
    return _write(job, "pair")


def write_types(job: Job) -> Outcome:
    """Write the file and report the number of figure types."""
    return _write(job, "figure type")


def _write(job: Job, noun: str) -> Outcome:
    from annotator.gold.items import ItemsExported, qa_records, type_records
    from panelwise.files.jsonl import write_lines

    exported, records = ItemsExported(), qa_records if noun == "pair" else type_records
    found = records(job.home, job.store, exported, job.names, job.include)
    count = write_lines(job.out, job.watch(found, f"exporting {noun}s"))
    figures = f" on {counted(exported.figures, 'figure')}" if noun == "pair" else ""
    line = f"wrote {counted(count, noun)}{figures} to {job.out} ({exported.parts()})"
    return Outcome([line], exported.warnings(noun, count), gold=exported.tally, single=False)


PAIRS = Export(
    "qa",
    "annotator export qa --out qa.jsonl",
    PAIRS_HELP,
    write_pairs,
    (Shared.INCLUDE, Shared.NAMES),
)
TYPES = Export(
    "types",
    "annotator export types --out types.jsonl",
    TYPES_HELP,
    write_types,
    (Shared.INCLUDE, Shared.NAMES),
)
