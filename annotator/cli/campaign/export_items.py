"""`annotator export`: qa and types."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.campaign.export_options import INCLUDE, NAMES, OUT, listed, report_gold, sources
from annotator.cli.commandline import home_option, progress, warn
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.items import ItemsExported
    from annotator.store.store import Store
    from panelwise.domain.decision import GoldSource


@click.command(epilog="Example: annotator export qa --out qa.jsonl")
@OUT
@INCLUDE
@NAMES
@home_option
def qa(out: Path, include: str | None, names: str, home: Path | None) -> None:
    """Write the question-answer pairs that are gold, a line each, with verdict, original and provenance.

    Field names are SciVQA's; `original` is the pair as it came, `verdicts` what each annotator said of it. Which
    pairs are gold is decided pair by pair, as in `annotator export gold --help`; the others are left out and
    counted on stderr. `annotator import figures FILE --qa QA` reads the file again.
    """
    from annotator.gold.items import qa_records

    _export(qa_records, "pair", out, include, names, home)


@click.command(epilog="Example: annotator export types --out types.jsonl")
@OUT
@INCLUDE
@NAMES
@home_option
def types(out: Path, include: str | None, names: str, home: Path | None) -> None:
    """Write the figure types that are gold, a line a figure: compound or not, number of subfigures, types.

    `original` is what the figure came with, `readings` what each annotator said. Which
    types are gold: see `annotator export gold --help`; the others are left out and counted on stderr.
    """
    from annotator.gold.items import type_records

    _export(type_records, "figure type", out, include, names, home)


def _export(
    records: Callable[
        [Home, Store, ItemsExported, Names, Collection[GoldSource] | None], Iterator[dict[str, Any]]
    ],
    what: str,
    out: Path,
    include: str | None,
    names: str,
    home: Path | None,
) -> None:
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.items import ItemsExported
    from panelwise.domain.decision import GoldSource
    from panelwise.files.jsonl import write_lines

    where = Home.find(home)
    refuse_kept(out, where)
    exported = ItemsExported()
    store = where.open_store()
    try:
        found = records(where, store, exported, Names(names), sources(include))
        count = write_lines(out, progress(found, f"exporting {what}s"))
    finally:
        store.close()
    parts = ", ".join(f"{number} {source.value}" for source, number in exported.by_source.items())
    on = "" if what == "figure type" else f" on {counted(exported.figures, 'figure')}"
    click.echo(f"wrote {counted(count, what)}{on} to {out} ({parts})")
    for line in exported.told:
        warn(f"note: {line}")
    unreviewed = exported.by_source[GoldSource.SINGLE]
    if unreviewed:
        warn(f"note: {unreviewed} of {counted(count, what)} written are single: nobody has reviewed them")
    if exported.single:
        figures = list(dict.fromkeys(exported.single))
        warn(
            f"left out {counted(len(exported.single), what)} single, of {counted(len(figures), 'figure')}: "
            "nobody has reviewed them; adjudicate them with `annotator serve`, or add --include single: "
            f"{listed(figures)}"
        )
    report_gold(exported.tally, single=False)


COMMANDS = (qa, types)
