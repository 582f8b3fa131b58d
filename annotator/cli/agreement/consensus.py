"""`agreement consensus`: several annotators' work merged into one."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.agreement.options import SOURCE, look_at, min_iou_option, output_options, tell_superseded
from annotator.cli.commandline import home_option, warn


@click.command(epilog="Example: agreement consensus annotations.jsonl --phase 1 --out consensus.jsonl")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1, type=SOURCE)
@click.option("--phase", help="The phase to merge; needed where the sources hold several.")
@click.option(
    "--quorum",
    type=click.IntRange(1),
    help="How many annotators have to agree on a figure, a box, a token [default: the campaign's, else 2].",
)
@min_iou_option("Boxes stand for one subfigure from this IoU on.")
@click.option(
    "--keep-all",
    is_flag=True,
    help="Keep boxes with fewer supporters than the quorum and figures without a consensus, marked as such.",
)
@click.option("--annotator", "name", default="consensus", show_default=True, help="As whom the result is written.")
@output_options(
    "annotations",
    "predictions",
    what="Annotations with all votes, of the phase consensus; or predictions, to seed tasks with.",
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
    """Merge the annotators of a phase: median boxes, and the tokens that enough of them gave, as JSON lines.

    SOURCE is what `agreement report` takes; several are taken together [default: the campaign's home]. Boxes are
    matched across annotators one to one, as the adjudication screen does. The result can be compared, and as
    predictions imported and pushed; what was left out, and why, is told on stderr.
    """
    from annotator.measurement.consensus import MergeOptions, merge_sources
    from panelwise.files.jsonl import Problems, encode_line, write_lines

    look_at(out, *sources)
    problems = Problems(report=warn)
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
    tell_superseded(merging.superseded)
    if problems.count:
        raise SystemExit(1)
