"""`prelabel classify`: classify figures by type and select some of them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import click

from annotator.cli.commandline import finish, progress, typed, warn, warned_problems
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.paths import OutPath, refuse_input
from annotator.cli.prelabel.options import FOLDER, Device, ImagesOfFigures, count_lines
from panelwise.runtime import counted

EXAMPLES = """\b
Examples:
  prelabel classify figures.jsonl --classifier models/classifier --out kinds.jsonl
  prelabel classify figures.jsonl --classifier models/classifier --keep "line chart" --kept line-charts.jsonl
  prelabel classify figures.jsonl --classifier models/classifier --compound --kept compound.jsonl
"""


@click.command("classify", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    figures: Path,
    classifier: Annotated[Path, Option("Output folder of `prelabel train classifier`.", type=FOLDER)],
    images: ImagesOfFigures,
    out: Annotated[Path | None, Option("File for each figure's types, with probabilities.", type=OutPath())],
    kept: Annotated[Path | None, Option("File for the selected records.", type=OutPath())],
    keep: Annotated[
        tuple[str, ...],
        Option("Select figures with this type among the --top likeliest (repeatable).", metavar="TYPE"),
    ],
    top: Annotated[int, Option("Likeliest types that --keep considers.", type=click.IntRange(min=1), default=4)],
    compound: Annotated[
        bool | None, Option("Select compound figures, or the others.", "--compound/--not-compound")
    ],
    device: Device,
) -> None:
    """Classify each figure as compound or not and by type, and select some of them.

    To pre-label types for annotators, pass the classifier to `prelabel run`.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.classify import classify, kind_record, type_filter
    from panelwise.files import encode_line
    from panelwise.formats import figure_record, image_folder
    from panelwise.runtime import whole_file
    from prelabel.runs import open_classifier

    if out is None and kept is None:
        raise click.UsageError("no output; add --out, --kept or both")
    if typed("top") and not keep:
        raise click.UsageError("--top needs --keep TYPE")
    for path in (out, kept):
        refuse_input(path, figures)
        refuse_protected(path)
    if out is not None and out == kept:
        raise click.UsageError("--out and --kept are the same file; name two")
    model = open_classifier(classifier, device=device, warn=warn)
    wanted = type_filter(model, keep, top=top, compound=compound)
    problems = warned_problems()
    count = stayed = 0
    with ExitStack() as stack:
        # Both files appear whole at the end, or not at all, and memory does not grow.
        all_kinds, those_kept = (
            None if path is None else stack.enter_context(whole_file(path)) for path in (out, kept)
        )
        found = classify(figures, images or image_folder(figures), model, problems, types=wanted)
        for each in progress(found, "classifying", total=count_lines(figures), unit="figures"):
            count, stayed = count + 1, stayed + each.passes
            if all_kinds is not None:
                all_kinds.write(encode_line(kind_record(each, model.version)))
            if those_kept is not None and each.passes:
                those_kept.write(encode_line(figure_record(each.figure, with_secrets=True)))
    selected = f", selected {stayed}" if kept is not None else ""
    finish(f"classified {counted(count, 'figure')}{selected}", problems)
