"""`annotator status`: who has done what."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.commandline import home_option
from annotator.domain.counting import counted


@click.command(epilog="Example: annotator status --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@home_option
def command(as_json: bool, home: Path | None) -> None:
    """Show figures, tasks done and open by phase and annotator, and figures settled.

    To be redone is what was submitted before the figure's caption or image was replaced.
    """
    from annotator.services.home import Home
    from annotator.services.progress import campaign_progress

    where = Home.find(home)
    store = where.open_store()
    try:
        state = campaign_progress(store)
    finally:
        store.close()
    if as_json:
        import json

        click.echo(json.dumps(state.as_record(where.campaign.name), indent=2, ensure_ascii=False))
        return
    click.echo(f"{where.campaign.name}: {counted(state.figures, 'figure')}, {state.settled} settled by reviewers")
    for row in state.rows:
        redo = f" {row.redo:>6} to be redone" if row.redo else ""
        click.echo(f"  phase {row.phase}  {row.annotator:<20} {row.done:>6} done {row.open:>6} open{redo}")
    if state.left_behind:
        from annotator.services.revisions import listed

        click.echo(
            f"  {counted(state.left_behind, 'annotation')} of {counted(len(state.revised), 'figure')} made before "
            f"a caption or image was replaced ({listed(state.revised)}); next: annotator push, then pull"
        )
    if state.unsettled:
        click.echo(
            f"  {counted(state.unsettled, 'figure')} settled before the caption or image was replaced; "
            "next: annotator serve"
        )
    if not state.rows:
        click.echo("  nothing assigned yet; next: annotator assign --annotators a,b,c")
