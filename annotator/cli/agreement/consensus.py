"""`agreement consensus`: merge several annotators' work."""

from __future__ import annotations

from typing import Annotated, Literal

import click

from annotator.cli.agreement.options import MinIou, Sources, look_at, warn_of_superseded
from annotator.cli.commandline import exit_on, warn, warned_problems
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption, OutText


@click.command(
    epilog="Example: agreement consensus annotations.jsonl --phase 1 --out consensus.jsonl", cls=SignatureCommand
)
def consensus(
    sources: Sources,
    phase: Annotated[str | None, Option("Phase to merge; needed if there are several.")],
    quorum: Annotated[
        int | None,
        Option(
            "Annotators who must agree on a figure, box or token [default: the campaign's, else 2].",
            type=click.IntRange(1),
        ),
    ],
    min_iou: MinIou,
    keep_all: Annotated[bool, Option("Also write what is below the quorum, marked.")],
    name: Annotated[str, Option("Annotator name of the result.", "--annotator", default="consensus")],
    layout: Annotated[
        Literal["annotations", "predictions"],
        Option(
            "Annotations of the phase consensus with all votes, or predictions to use as pre-labels.",
            "--format",
            default="annotations",
        ),
    ],
    out: OutText,
    home: HomeOption,
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
