"""Export all figures as figures.jsonl or as records of MedICaT's release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.gold.records import Exported
    from annotator.store.store import Store

from annotator.gold.exports.job import NULL_REFERENCES, Export, Job, Kind, Option, Outcome, outcome_of

HELP = """Write all figures with captions, references, sources and additional keys from the import.

`annotator import figures FILE --images HOME` reads the file.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the number of figures."""
    from panelwise.files import write_lines
    from panelwise.formats import null_references

    layout = job.options["layout"]
    exported = job.exported("figures.jsonl" if layout == "jsonl" else "MedICaT's release")
    found = figure_records(job.store, exported, layout=layout)
    if job.options["null_references"]:
        found = map(null_references, found)
    count = write_lines(job.out, job.watch(found, "exporting figures"))
    return outcome_of(exported, f"wrote {counted(count, 'figure')} to {job.out}")


def figure_records(store: Store, exported: Exported, *, layout: str = "jsonl") -> Iterator[dict[str, Any]]:
    """Yield all figures by id, as figures.jsonl or, with layout "medicat", as records of MedICaT's release."""
    from annotator.gold.records import STORE_HAS_THEM
    from panelwise.formats import figure_record, release_record

    with store.read() as tx:
        for figure in tx.figures.all():
            # A figure imported from another home keeps its revision number, without the earlier revisions.
            earlier = len(tx.figures.revisions(figure.id)) - 1 if figure.revision > 1 else 0
            exported.losses.left_out("earlier captions and images", earlier, instead=STORE_HAS_THEM)
            yield figure_record(figure) if layout == "jsonl" else release_record(figure, exported.losses)


EXPORT = Export(
    "figures",
    "annotator export figures --out figures.jsonl",
    HELP,
    write,
    (
        Option(
            "--layout",
            "figures.jsonl, or records of MedICaT's release.",
            Kind.CHOICE,
            choices=("jsonl", "medicat"),
        ),
        NULL_REFERENCES,
    ),
)
