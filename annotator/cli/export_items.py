"""`annotator export`: qa and types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.export_options import NAMES, OUT
from annotator.commandline import home_option, progress, warn
from annotator.domain.counting import counted

if TYPE_CHECKING:
    from annotator.services.exporting_items import ItemsExported
    from annotator.services.home import Home
    from annotator.services.pseudonyms import Names
    from annotator.store.store import Store


@click.command(epilog="Example: annotator export qa --out qa.jsonl")
@OUT
@NAMES
@home_option
def qa(out: Path, names: str, home: Path | None) -> None:
    """Write the settled question-answer pairs, a line each, with verdict, original and provenance.

    Field names are SciVQA's; `original` is the pair as it came, `verdicts` what each annotator said of it. Pairs
    of figures without gold are left out, and that is told on stderr. `annotator import figures FILE --qa QA` reads
    it again.
    """
    from annotator.services.exporting_items import qa_records

    _export(qa_records, "pair", out, names, home)


@click.command(epilog="Example: annotator export types --out types.jsonl")
@OUT
@NAMES
@home_option
def types(out: Path, names: str, home: Path | None) -> None:
    """Write the settled figure types, a line a figure: compound or not, number of subfigures, types.

    `original` is what the figure came with, `readings` what each annotator said. Figures without gold are left
    out, and that is told on stderr.
    """
    from annotator.services.exporting_items import type_records

    _export(type_records, "figure type", out, names, home)


def _export(
    records: Callable[[Home, Store, ItemsExported, Names], Iterator[dict[str, Any]]],
    what: str,
    out: Path,
    names: str,
    home: Path | None,
) -> None:
    from annotator.cli.export import tell_left_out
    from annotator.formats.jsonl import write_lines
    from annotator.services.exporting_items import ItemsExported
    from annotator.services.home import Home
    from annotator.services.kept_files import refuse_kept
    from annotator.services.pseudonyms import Names

    where = Home.find(home)
    refuse_kept(out, where)
    exported = ItemsExported()
    store = where.open_store()
    try:
        found = records(where, store, exported, Names(names))
        count = write_lines(out, progress(found, f"exporting {what}s"))
    finally:
        store.close()
    parts = ", ".join(f"{number} {source.value}" for source, number in exported.by_source.items())
    on = "" if what == "figure type" else f" on {counted(exported.figures, 'figure')}"
    click.echo(f"wrote {counted(count, what)}{on} to {out} ({parts})")
    for line in exported.told:
        warn(f"note: {line}")
    tell_left_out(exported.tally)


COMMANDS = (qa, types)
