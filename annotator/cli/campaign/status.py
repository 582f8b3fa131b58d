"""`annotator status`: show progress, late work and the next step."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import campaign_at
from annotator.cli.parameters import SignatureCommand
from annotator.cli.shared_options import HomeOption, Json
from panelwise.domain import one_line
from panelwise.runtime import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.assignment.schedule import BatchState, NextBatch
    from annotator.dashboards.status import CampaignProgress, ProgressRow
    from panelwise.domain import Campaign


@click.command(epilog="Example: annotator status --json", cls=SignatureCommand)
def command(as_json: Json, home: HomeOption) -> None:
    """Show the number of figures in each state, and tasks done, open and late by phase, annotator and batch.

    Late: open past the deadline; later: in a batch not released yet; to be redone: outdated.
    """
    from annotator.dashboards.status import campaign_progress
    from annotator.own_tasks.blind_progress import blind_rows, waiting_lines
    from panelwise.domain import describe_states

    where = campaign_at(home)
    with where.open_store(reading=True) as store:
        state = campaign_progress(store, where.campaign)
        blind = blind_rows(store, where.campaign)
    if as_json:
        import json

        record = state.as_record(where.campaign.name) | {"blind": [asdict(row) for row in blind]}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    figures = counted(state.figures, "figure")
    click.echo(
        f"{where.campaign.name}: status of {figures}: {describe_states(state.states, answered=state.answered)}"
    )
    for line in (
        *_people(state),
        *waiting_lines(blind),
        *_qualifications(state),
        *_batches(state, where.campaign),
        *_revised(state),
        *_partly_read(state),
        *_withdrawn(state),
        *_next(state),
    ):
        click.echo(f"  {line}")


def _people(state: CampaignProgress) -> Iterator[str]:
    """Yield a line for each annotator and phase; columns without a value are omitted."""
    wide = max((len(row.phase) for row in state.rows), default=0)
    late = any(row.late for row in state.rows)
    later = any(row.later for row in state.rows)
    for row in state.rows:
        line = f"phase {row.phase:<{wide}}  {one_line(row.annotator):<20} {row.done:>6} done {row.open:>6} open"
        line += f" {row.late:>6} late" if late else ""
        line += f" {row.later:>6} later" if later else ""
        line += f" {row.redo:>6} to be redone" if row.redo else ""
        yield line + "".join(f"  {part}" for part in _aside(row))


def _aside(row: ProgressRow) -> Iterator[str]:
    """Yield the progress of blind work, the median time and the number of findings."""
    if row.blind is not None:
        yield f"{row.blind.handed_in} handed in"
        if row.blind.seen:
            yield f"{counted(row.blind.seen, 'figure')} seen before"
    if row.seconds is not None:
        yield f"median {_spent(row.seconds)}"
    found = [counted(number, severity) for severity, number in row.findings.items() if number]
    if found:
        yield f"findings: {', '.join(found)}"


def _spent(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def _qualifications(state: CampaignProgress) -> Iterator[str]:
    """Yield a line for each annotator who is measured against gold."""
    for each in state.qualifications:
        line = f"phase {each.phase}  {one_line(each.annotator):<20} "
        line += f"{each.compared} of {each.tasks} compared with gold"
        if each.score is not None:
            line += f", mean F1 {each.score:.3f}"
        if each.pass_mark is not None:
            state_of = "passed" if each.passed else "below it" if each.below else "not yet passed"
            line += f", pass mark {each.pass_mark:g}: {state_of}"
        if each.partly_read:
            line += f"; {counted(each.partly_read, 'figure')} left out, read in part"
        yield line


def _batches(state: CampaignProgress, campaign: Campaign) -> Iterator[str]:
    """Yield a line for each batch of a phase with several, and for each deadline."""
    several = {each.phase for each in state.batches if each.number > 1}
    shown = [each for each in state.batches if each.phase in several or each.deadline is not None]
    names = {id(each): _name(each, several) for each in shown}
    wide = max(map(len, names.values()), default=0)
    for each in shown:
        line = f"{names[id(each)]:<{wide}}  {each.done:>6} of {each.tasks} done"
        line += f", {each.late} late" if each.late else ""
        line += f", {each.later} not released" if each.later else ""
        yield line + (f"; due {each.deadline:%Y-%m-%d %H:%M} UTC" if each.deadline is not None else "")


def _name(each: BatchState, several: set[str]) -> str:
    return f"phase {each.phase} batch {each.number}" if each.phase in several else f"phase {each.phase}"


def _revised(state: CampaignProgress) -> Iterator[str]:
    if state.left_behind:
        from annotator.consensus.outdated import listed

        yield (
            f"{counted(state.left_behind, 'annotation')} of {counted(len(state.revised), 'figure')} outdated: "
            f"caption or image replaced ({listed(state.revised)}); to have them redone, run annotator push"
        )
    if state.unsettled:
        yield (
            f"{counted(state.unsettled, 'figure')} with an outdated decision (caption or image replaced); "
            "to adjudicate them again, run annotator serve"
        )


def _partly_read(state: CampaignProgress) -> Iterator[str]:
    if state.partly_read:
        yield (
            f"{counted(state.partly_read, 'figure')} with work that was read in part: no gold without a reviewer; "
            'adjudicate them (queue, main disagreement "read in part"), or import the work whole'
        )


def _withdrawn(state: CampaignProgress) -> Iterator[str]:
    if state.withdrawn:
        from annotator.consensus.outdated import listed

        yield f"{counted(len(state.withdrawn), 'figure')} withdrawn, and not counted: {listed(state.withdrawn)}"


def _next(state: CampaignProgress) -> Iterator[str]:
    """Yield the next steps for batches and findings."""
    for each in state.following:
        yield from _release(each)
    if not state.rows:
        yield "nothing assigned yet"
    elif any(sum(row.findings.values()) for row in state.rows):
        yield "to list the findings, run annotator check"


def _release(each: NextBatch) -> Iterator[str]:
    option = f"annotator assign --phase {each.phase}"
    when = "is due for release" if each.due else "is next"
    yield f"batch {each.number} of phase {each.phase} {when} ({counted(each.tasks, 'task')}): {option} --release"
    if each.early and not each.due:
        yield f"{', '.join(each.early)} finished early: {option} --top-up"
