"""`annotator assign`: assign figures to annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from annotator.cli.commandline import campaign_at, listed_names, refuse_typed, typed, warn
from annotator.cli.parameters import Option, OptionGroup, SignatureCommand, names_of
from annotator.cli.shared_options import AnySeed, HomeOption
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.assignment.assign import Assignment
    from annotator.assignment.reassign import Changed
    from annotator.store.store import Store
    from panelwise.domain import Campaign, Task


class PhaseOptions(OptionGroup):
    """Settings of the phase; None for those in campaign.toml."""

    annotators: Annotated[str | None, Option("Names, comma separated [default: campaign.toml].")]
    figures: Annotated[int | None, Option("Figures in the phase.", type=click.IntRange(min=1))]
    overlap: Annotated[
        int | None, Option("Figures that several annotators get [default: all].", type=click.IntRange(min=0))
    ]
    overlap_annotators: Annotated[str | None, Option("Their annotators, comma separated [default: all].")]
    batch: Annotated[int | None, Option("Figures per batch [default: no batches].", type=click.IntRange(min=1))]
    by_document: Annotated[
        bool | None,
        Option(
            "Assign a document's figures to one annotator, or each by itself [default: campaign.toml, else by "
            "figure].",
            "--by-document/--by-figure",
        ),
    ]

    def chosen(self) -> dict[str, Any]:
        """Return the settings that the user typed."""
        return {name: value for name, value in vars(self).items() if value is not None}


@click.command(
    epilog="Example: annotator assign --annotators ann1,ann2,ann3 --overlap 100 --dry-run", cls=SignatureCommand
)
def command(
    phase: Annotated[str | None, Option("Phase [default: the first in campaign.toml].")],
    settings: PhaseOptions,
    order: Annotated[
        Literal["random", "uncertainty"],
        Option(
            "Random figures first, or those the model is least certain about; the overlap is random.",
            default="random",
        ),
    ],
    seed: AnySeed,
    release: Annotated[bool, Option("Release the next batch to annotators.")],
    top_up: Annotated[bool, Option("Release it to those who have finished.")],
    giver: Annotated[str | None, Option("Reassign this person's open tasks.", "--from", metavar="NAME")],
    withdraw: Annotated[bool, Option("Withdraw the phase's tasks without a submission.")],
    takers: Annotated[
        str | None, Option("With --from: new annotators, comma separated [default: the others].", "--to")
    ],
    dry_run: Annotated[bool, Option("Only print what would change.")],
    home: HomeOption,
) -> None:
    """Assign a phase's figures to annotators, as set in campaign.toml; options here take precedence.

    Assigned figures keep their annotators; new ones are assigned now. --overlap also assigns figures of one
    annotator to others, or withdraws tasks without work, until N are shared. With --release, --top-up, --from or
    --withdraw no new figures are assigned.
    """
    from annotator.assignment import reassign as reassigning

    chosen = typed("release", "top_up", "giver", "withdraw")
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} can't be combined; use one of them")
    if chosen:
        refuse_typed(f"can't be combined with {chosen[0]}; leave it out", *names_of(PhaseOptions))
    if takers is not None and giver is None:
        raise click.UsageError("--to needs --from NAME, whose tasks to reassign")
    where = campaign_at(home)
    campaign = where.campaign
    name = phase or campaign.phases[0].name
    with where.open_store() as store:
        if giver is not None:
            names = listed_names(takers or "")
            _report(reassigning.reassign(store, campaign, giver, names, phase=phase, dry_run=dry_run), dry_run)
        elif release:
            _report(reassigning.release_batch(store, campaign, name, dry_run=dry_run), dry_run)
        elif top_up:
            _report(reassigning.top_up(store, campaign, name, dry_run=dry_run), dry_run)
        elif withdraw:
            _report_withdrawn(reassigning.withdraw(store, campaign, name, dry_run=dry_run), dry_run)
        else:
            _assign(store, campaign, name, seed, dry_run, settings, by_uncertainty=order == "uncertainty")


def _assign(
    store: Store,
    campaign: Campaign,
    name: str,
    seed: int,
    dry_run: bool,
    settings: PhaseOptions,
    *,
    by_uncertainty: bool,
) -> None:
    from annotator.assignment.assign import adjusted_phase, assign_phase
    from annotator.campaign.choices import check_phase_to_assign

    with store.read() as tx:
        check_phase_to_assign(tx, campaign, name)
    asked = settings.chosen()
    asked |= {key: listed_names(value) for key, value in asked.items() if key.endswith("annotators")}
    phase = adjusted_phase(campaign.phase(name), asked)
    found = assign_phase(
        store,
        campaign,
        phase,
        seed=seed,
        dry_run=dry_run,
        by_uncertainty=by_uncertainty,
        change_overlap=settings.overlap is not None,
    )
    for note in found.notes:
        warn(note)
    if dry_run:
        for line in _table(found):
            click.echo(line)
        return
    if found.enlarged:
        more = counted(found.enlarged, "figure")
        click.echo(f"overlap of phase {name}: {more} added, {len(found.shared)} in total")
    if found.withdrawn:
        fewer, tasks = len({task.figure for task in found.withdrawn}), counted(len(found.withdrawn), "task")
        click.echo(
            f"overlap of phase {name}: {counted(fewer, 'figure')} removed, {len(found.shared)} in total; "
            f"withdrew {tasks}; run `annotator push` to remove them from Label Studio"
        )
    for share in found.shares():
        click.echo(f"{share.annotator}: {counted(share.tasks, 'new task')} in phase {name}")
    later = sum(not task.released for task in found.tasks)
    if later:
        click.echo(
            f"{counted(later, 'task')} in later batches; release them with annotator assign --phase {name} "
            f"--release"
        )


def _table(found: Assignment) -> list[str]:
    """Lay out a dry run: a row for each annotator, and a total."""
    shares = found.shares()
    numbers = sorted({number for share in shares for number in share.batches})
    batched = numbers if found.phase.batch else []
    head = ["annotator", "tasks", "shared", "hours", *(f"batch {number}" for number in batched), "knows"]
    rows = [
        [
            share.annotator,
            str(share.tasks),
            str(share.shared),
            f"{share.seconds / 3600:.1f}",
            *(str(share.batches.get(number, 0)) for number in batched),
            f"{share.knows} of {share.tasks}",
        ]
        for share in shares
    ]
    total = [
        "total",
        str(sum(share.tasks for share in shares)),
        str(sum(share.shared for share in shares)),
        f"{sum(share.seconds for share in shares) / 3600:.1f}",
        *(str(sum(share.batches.get(number, 0) for share in shares)) for number in batched),
        f"{sum(share.knows for share in shares)} of {sum(share.tasks for share in shares)}",
    ]
    widths = [max(len(row[column]) for row in (head, total, *rows)) for column in range(len(head))]
    figures = len({task.figure for task in found.tasks})
    return [
        f"dry run: {counted(figures, 'figure')} to assign in phase {found.phase.name}",
        *(
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in (head, *rows, total)
        ),
    ]


def _report(changed: Changed, dry_run: bool) -> None:
    from annotator.assignment.reassign import describe

    if dry_run:
        click.echo("dry run; without --dry-run:")
    for line in describe(changed):
        click.echo(line)
    if changed.left:
        figures = ", ".join(sorted(task.figure for task in changed.left)[:8])
        giver = changed.left[0].annotator
        tasks = counted(len(changed.left), "task")
        warn(f"{tasks} not reassigned from {giver}: the others already have these figures ({figures})")
    if not changed.changes and not changed.left:
        click.echo("no changes: no annotator has finished early, or no tasks are left")


def _report_withdrawn(tasks: Sequence[Task], dry_run: bool) -> None:
    """Print a line for each annotator with withdrawn tasks."""
    if dry_run:
        click.echo("dry run; without --dry-run:")
    for (name, phase), count in sorted(Counter((task.annotator, task.phase) for task in tasks).items()):
        click.echo(f"{name}: {counted(count, 'task')} of phase {phase} withdrawn")
