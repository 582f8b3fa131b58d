"""`agreement consensus`: merge several annotators' work."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.agreement.options import SOURCE, look_at, min_iou_option, output_options, warn_of_superseded
from annotator.cli.commandline import exit_on, home_option, warn, warned_problems


@click.command(epilog="Example: agreement consensus annotations.jsonl --phase 1 --out consensus.jsonl")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1, type=SOURCE)
@click.option("--phase", help="Phase to merge; needed if there are several.")
@click.option(
    "--quorum",
    type=click.IntRange(1),
    help="Annotators who must agree on a figure, box or token [default: the campaign's, else 2].",
)
@min_iou_option("Minimum IoU of boxes that match.")
@click.option(
    "--keep-all",
    is_flag=True,
    help="Also write what is below the quorum, marked.",
)
@click.option("--annotator", "name", default="consensus", show_default=True, help="Annotator name of the result.")
@output_options(
    "annotations",
    "predictions",
    what="Annotations of the phase consensus with all votes, or predictions to use as pre-labels.",
)
@home_option
def consensus(
    sources: tuple[Path, ...],
    phase: str | None,
    quorum: int | None,
    min_iou: float,
    keep_all: bool,
    name: str,
    layout: str,
    out: Path | None,
    home: Path | None,
) -> None:
    """Merge the annotators of a phase: median boxes, and tokens that reach the quorum, as JSON lines.

    SOURCE is as in `agreement report`. Left-out figures are named on stderr.
    """
    from annotator.measurement.consensus import MergeOptions, merge_sources
    from panelwise.files import encode_line, write_lines

    look_at(out, *sources)
    problems = warned_problems()
    merging = merge_sources(
        sources,
        problems,
        home=home,
        phase=phase,
        options=MergeOptions(quorum, min_iou, name, keep_all, as_predictions=layout == "predictions"),
        warn=warn,
    )
    if out is None:
        for record in merging.records():
            click.echo(encode_line(record).decode(), nl=False)
    else:
        write_lines(out, merging.records())
    for line in merging.warnings():
        warn(line)
    warn_of_superseded(merging.superseded)
    exit_on(problems)
