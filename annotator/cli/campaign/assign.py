"""`annotator assign`: who does which figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commandline import home_option, warn
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.assignment.assign import Assignment
    from annotator.assignment.reassign import Changed
    from annotator.store.store import Store
    from panelwise.domain.campaign import Campaign, Phase, Task


def _named(given: str | None) -> tuple[str, ...] | None:
    """The names of a list with commas; None where the option was not given."""
    return None if given is None else tuple(name.strip() for name in given.split(",") if name.strip())


@click.command(epilog="Example: annotator assign --annotators ann1,ann2,ann3 --overlap 100 --dry-run")
@click.option("--phase", default=None, help="The annotation round [default: the first of campaign.toml].")
@click.option("--annotators", default=None, help="Names, comma separated [default: those of campaign.toml].")
@click.option("--figures", type=click.IntRange(min=1), default=None, help="Figures that the phase draws.")
@click.option(
    "--overlap", type=click.IntRange(min=0), default=None, help="Figures that several do [default: all figures]."
)
@click.option("--overlap-annotators", default=None, help="Who shares the overlap [default: all annotators].")
@click.option(
    "--batch", type=click.IntRange(min=1), default=None, help="Figures to a batch [default: no batches]."
)
@click.option(
    "--by-document/--by-figure",
    default=None,
    help="Keep a document's figures with one annotator [default: as campaign.toml says, else by figure].",
)
@click.option(
    "--order",
    type=click.Choice(["random", "uncertainty"]),
    default="random",
    show_default=True,
    help="What is dealt out first: whatever the draw gives, or what the model is least sure of.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@click.option("--release", is_flag=True, help="Let the next batch be worked on.")
@click.option("--top-up", is_flag=True, help="Give whoever has finished the next batch.")
@click.option("--from", "giver", default=None, metavar="NAME", help="Give this person's open tasks to others.")
@click.option("--withdraw", is_flag=True, help="Take back the phase's tasks that nothing was submitted for.")
@click.option("--to", "takers", default=None, help="Who takes them, comma separated [default: the others].")
@click.option("--dry-run", is_flag=True, help="Print what would be done, and change nothing.")
@home_option
def command(
    phase: str | None,
    order: str,
    seed: int,
    release: bool,
    top_up: bool,
    giver: str | None,
    withdraw: bool,
    takers: str | None,
    dry_run: bool,
    home: Path | None,
    **settings: Any,
) -> None:
    """Deal a phase's figures out to annotators, as campaign.toml says; what is given here goes before it.

    Figures dealt out before keep their annotators; figures imported since are dealt out now. With --overlap also
    figures that one annotator has are given to the others, until as many are shared as it says; where more are,
    tasks that nothing was submitted for are withdrawn. With --order uncertainty the figures that a phase draws,
    and its first batches, are those that the latest predictions are least sure of; the overlap stays a random
    draw. With --release, --top-up, --from or --withdraw nothing new is dealt out.
    """
    from annotator.assignment import reassign as reassigning
    from annotator.campaign.home import Home

    chosen = [option for option, given in _modes(release, top_up, giver, withdraw).items() if given]
    asked = [f"--{name.replace('_', '-')}" for name, value in settings.items() if value is not None]
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} do different things; give one of them")
    if chosen and asked:
        raise click.UsageError(f"{asked[0]} is for dealing figures out; leave it out with {chosen[0]}")
    if takers is not None and giver is None:
        raise click.UsageError("--to needs --from, which says whose tasks they are")
    where = Home.find(home)
    campaign = where.campaign
    name = phase or campaign.phases[0].name
    store = where.open_store()
    try:
        if giver is not None:
            names = _named(takers) or ()
            _tell(reassigning.reassign(store, campaign, giver, names, phase=phase, dry_run=dry_run), dry_run)
        elif release:
            _tell(reassigning.release_batch(store, name, dry_run=dry_run), dry_run)
        elif top_up:
            _tell(reassigning.top_up(store, campaign, name, dry_run=dry_run), dry_run)
        elif withdraw:
            _tell_withdrawn(reassigning.withdraw(store, campaign, name, dry_run=dry_run), dry_run)
        else:
            _deal(store, campaign, name, seed, dry_run, settings, by_uncertainty=order == "uncertainty")
    finally:
        store.close()


def _modes(release: bool, top_up: bool, giver: str | None, withdraw: bool) -> dict[str, bool]:
    return {"--release": release, "--top-up": top_up, "--from": giver is not None, "--withdraw": withdraw}


def _deal(
    store: Store,
    campaign: Campaign,
    name: str,
    seed: int,
    dry_run: bool,
    settings: dict[str, Any],
    *,
    by_uncertainty: bool,
) -> None:
    from annotator.assignment.assign import assign_phase
    from annotator.campaign.choices import check_phase_to_assign

    with store.read() as tx:
        check_phase_to_assign(tx, campaign, name)
    phase = _wanted(campaign.phase(name), settings)
    found = assign_phase(
        store,
        campaign,
        phase,
        seed=seed,
        dry_run=dry_run,
        by_uncertainty=by_uncertainty,
        change_overlap=settings["overlap"] is not None,
    )
    for note in found.notes:
        warn(note)
    if dry_run:
        for line in _table(found):
            click.echo(line)
        return
    if found.enlarged:
        more = counted(found.enlarged, "figure")
        click.echo(f"overlap of phase {name}: {more} more, {len(found.shared)} in all")
    if found.withdrawn:
        fewer, tasks = len({task.figure for task in found.withdrawn}), counted(len(found.withdrawn), "task")
        click.echo(
            f"overlap of phase {name}: {counted(fewer, 'figure')} fewer, {len(found.shared)} in all; "
            f"withdrew {tasks}; annotator push takes them out of Label Studio"
        )
    for share in found.shares():
        click.echo(f"{share.annotator}: {counted(share.tasks, 'new task')} in phase {name}")
    later = sum(not task.released for task in found.tasks)
    if later:
        click.echo(f"{counted(later, 'task')} of later batches wait for annotator assign --phase {name} --release")


def _wanted(phase: Phase, settings: dict[str, Any]) -> Phase:
    """The phase with what was given on the command line. Raises InvalidAnnotation where that cannot be."""
    asked: dict[str, Any] = {
        key: _named(value) if key.endswith("annotators") else value
        for key, value in settings.items()
        if value is not None
    }
    if "annotators" in asked and "overlap_annotators" not in asked:
        # Those of campaign.toml share the overlap as far as they are among the people named now.
        sharing = tuple(name for name in phase.overlap_annotators if name in asked["annotators"])
        asked["overlap_annotators"] = sharing if len(sharing) > 1 else ()
    return replace(phase, **asked)


def _table(found: Assignment) -> list[str]:
    """What a dry run prints: a row for each annotator, and one for all of them."""
    shares = found.shares()
    numbers = sorted({number for share in shares for number in share.batches})
    batched = numbers if found.phase.batch else []
    head = ["annotator", "tasks", "shared", "hours", *(f"batch {number}" for number in batched)]
    rows = [
        [
            share.annotator,
            str(share.tasks),
            str(share.shared),
            f"{share.seconds / 3600:.1f}",
            *(str(share.batches.get(number, 0)) for number in batched),
        ]
        for share in shares
    ]
    total = [
        "together",
        str(sum(share.tasks for share in shares)),
        str(sum(share.shared for share in shares)),
        f"{sum(share.seconds for share in shares) / 3600:.1f}",
        *(str(sum(share.batches.get(number, 0) for share in shares)) for number in batched),
    ]
    widths = [max(len(row[column]) for row in (head, total, *rows)) for column in range(len(head))]
    figures = len({task.figure for task in found.tasks})
    return [
        f"phase {found.phase.name}: {counted(figures, 'figure')} to deal out; nothing is changed",
        *(
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in (head, *rows, total)
        ),
    ]


def _tell(changed: Changed, dry_run: bool) -> None:
    from annotator.assignment.reassign import describe

    if dry_run:
        click.echo("nothing is changed; without --dry-run:")
    for line in describe(changed):
        click.echo(line)
    if changed.left:
        figures = ", ".join(sorted(task.figure for task in changed.left)[:8])
        giver = changed.left[0].annotator
        tasks = counted(len(changed.left), "task")
        warn(f"{tasks} left with {giver}: the others have these figures too ({figures})")
    if not changed.changes and not changed.left:
        click.echo("nobody has finished early, or nothing is left to give")


def _tell_withdrawn(tasks: Sequence[Task], dry_run: bool) -> None:
    """A line for each annotator whose tasks are taken back."""
    if dry_run:
        click.echo("nothing is changed; without --dry-run:")
    for (name, phase), count in sorted(Counter((task.annotator, task.phase) for task in tasks).items()):
        click.echo(f"{name}: {counted(count, 'task')} of phase {phase} taken back")
