"""`annotator assign`: who does which figure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from annotator.commandline import home_option, warn
from annotator.domain.counting import counted


@click.command(epilog="Example: annotator assign --annotators ann1,ann2,ann3 --overlap 100")
@click.option("--annotators", required=True, help="Names, comma separated.")
@click.option(
    "--overlap", type=click.IntRange(min=0), default=None, help="Figures that all of them do [default: all]."
)
@click.option("--phase", default="1", show_default=True, help="The annotation round.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@home_option
def command(annotators: str, overlap: int | None, phase: str, seed: int, home: Path | None) -> None:
    """Deal the campaign's figures out to annotators: an overlap shared by all, the rest one annotator each.

    Figures dealt out before keep their annotators; figures imported since are dealt out now.
    """
    from annotator.services.assigning import assign
    from annotator.services.home import Home

    names = [name.strip() for name in annotators.split(",") if name.strip()]
    where = Home.find(home)
    store = where.open_store()
    try:
        with store.read() as tx:
            count = tx.count_figures()
        if overlap is not None and overlap > count:
            warn(f"the campaign has {counted(count, 'figure')}: all of them go to everyone")
        overlap = count if overlap is None else min(overlap, count)
        tasks = assign(store, names, overlap=overlap, phase=phase, seed=seed, campaign=where.campaign)
    finally:
        store.close()
    counts = Counter(task.annotator for task in tasks)
    for name in names:
        click.echo(f"{name}: {counted(counts[name], 'new task')} in phase {phase}")
