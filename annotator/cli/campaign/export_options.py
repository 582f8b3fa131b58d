"""Gold sources and reports of `annotator export` and `annotator release`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import warn
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.consensus.gold_rule import GoldTally
    from panelwise.domain import GoldSource


def sources(include: str | None) -> frozenset[GoldSource] | None:
    """Return the gold sources of `--include`; None for those in campaign.toml."""
    from panelwise.domain import INCLUDE as SOURCES

    return None if include is None else SOURCES[include]


def report_status(tally: GoldTally) -> None:
    """Print the number of figures in each state."""
    from panelwise.domain import describe_states

    click.echo(f"status of {counted(tally.states.total(), 'figure')}: {describe_states(tally.states)}")


def report_gold(tally: GoldTally, *, single: bool = True) -> None:
    """Print the number of figures in each state; warn about unreviewed and left-out figures, with reasons.

    single: whether to warn about unreviewed figures that are written.
    """
    from annotator.consensus.outdated import listed
    from panelwise.domain import GoldSource

    report_status(tally)
    unreviewed = tally.exported[GoldSource.SINGLE]
    if unreviewed and single:
        written = counted(sum(tally.exported.values()), "figure")
        warn(f"note: {unreviewed} of {written} written are single (unreviewed)")
    for figures, what in (
        (
            tally.single,
            "left out {} single (unreviewed); adjudicate them with `annotator serve`, or add --include single",
        ),
        (tally.unresolved, "left out {} unresolved; adjudicate them with `annotator serve`"),
        (tally.awaiting, "left out {} awaiting another reviewer; adjudicate them with `annotator serve`"),
        (tally.waiting, "left out {} waiting for open tasks; pull them, or adjudicate without them"),
        (tally.revised, "left out {} outdated (caption or image replaced); have them annotated again"),
        (tally.rejected, "left out {} rejected"),
        (tally.changed, "{} changed after adjudication; review them with `annotator serve`"),
    ):
        if figures:
            warn(f"{what.format(len(figures))}: {listed(figures)}")
    if tally.untouched:
        warn(f"left out {tally.untouched} not annotated")
