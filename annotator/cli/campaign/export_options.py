"""What the commands of `annotator export` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import OutPath, warn
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.consensus.gold_rule import GoldTally
    from panelwise.domain.decision import GoldSource

OUT = click.option(
    "--out",
    type=OutPath(),
    required=True,
    help="The file to write; it appears whole or not at all.",
)
NAMES = click.option(
    "--names",
    type=click.Choice(["pseudonyms", "real"]),
    default="real",
    show_default=True,
    help="How people are named; pseudonyms are the same in all exports and releases.",
)
INCLUDE = click.option(
    "--include",
    type=click.Choice(["none", "single"]),
    help="What is gold beside what was adjudicated or is unanimous: nothing, or single work, which nobody has "
    "reviewed [default: what campaign.toml says under include, else none].",
)


def sources(include: str | None) -> frozenset[GoldSource] | None:
    """The sources that `--include` names; None for those of campaign.toml."""
    from panelwise.domain.decision import INCLUDE as SOURCES

    return None if include is None else SOURCES[include]


def report_status(tally: GoldTally) -> None:
    """Print how many figures of the campaign are in each state."""
    from panelwise.domain.decision import describe_states

    click.echo(f"status of {counted(tally.states.total(), 'figure')}: {describe_states(tally.states)}")


def report_gold(tally: GoldTally, *, single: bool = True) -> None:
    """Print how many figures are in each state; warn of what nobody reviewed, and of what was left out and why.

    single: whether to warn of figures that are written though nobody has reviewed them.
    """
    from annotator.consensus.outdated import listed
    from panelwise.domain.decision import GoldSource

    report_status(tally)
    unreviewed = tally.exported[GoldSource.SINGLE]
    if unreviewed and single:
        written = counted(sum(tally.exported.values()), "figure")
        warn(f"note: {unreviewed} of {written} written are single: nobody has reviewed them")
    for figures, what in (
        (
            tally.single,
            "left out {} single: nobody has reviewed them; adjudicate them with `annotator serve`, or "
            "add --include single",
        ),
        (tally.unresolved, "left out {} unresolved, adjudicate them with `annotator serve`"),
        (tally.awaiting, "left out {} awaiting another reviewer, adjudicate them with `annotator serve`"),
        (tally.waiting, "left out {} waiting for open tasks, pull them or adjudicate without"),
        (tally.revised, "left out {} revised since (caption or image replaced), have them done again"),
        (tally.rejected, "left out {} rejected"),
        (tally.changed, "{} changed since they were adjudicated, look at them again with `annotator serve`"),
    ):
        if figures:
            warn(f"{what.format(len(figures))}: {listed(figures)}")
    if tally.untouched:
        warn(f"left out {tally.untouched} untouched: nobody has annotated them")
