"""`prelabel classify`: which kind each figure of a file is, and those of a kind that is wanted."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from annotator.cli.commandline import OutPath, progress, refuse_input, typed, warn
from annotator.cli.prelabel.options import FILE, FOLDER, count_lines, finish
from panelwise.runtime.plurals import counted

EXAMPLES = """\b
Examples:
  prelabel classify figures.jsonl --classifier models/classifier --out kinds.jsonl
  prelabel classify figures.jsonl --classifier models/classifier --keep "line chart" --kept line-charts.jsonl
  prelabel classify figures.jsonl --classifier models/classifier --compound --kept compound.jsonl
"""


@click.command("classify", epilog=EXAMPLES)
@click.argument("figures", type=FILE)
@click.option(
    "--classifier", type=FOLDER, required=True, help="The folder that `prelabel train classifier` wrote."
)
@click.option("--images", type=FOLDER, help="Folder that image paths start from [default: that of FIGURES].")
@click.option("--out", type=OutPath(), help="Where to write what each figure is, with probabilities.")
@click.option("--kept", type=OutPath(), help="Where to write the records of the figures that are kept.")
@click.option(
    "--keep",
    metavar="TYPE",
    multiple=True,
    help="Keep a figure if this type is among its --top likeliest; may be given again.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="How many of the likeliest types --keep looks at.",
)
@click.option("--compound/--not-compound", default=None, help="Keep compound figures only, or the others only.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or cuda:1.")
def command(
    figures: Path,
    classifier: Path,
    images: Path | None,
    out: Path | None,
    kept: Path | None,
    keep: tuple[str, ...],
    top: int,
    compound: bool | None,
    device: str,
) -> None:
    """Say of each figure whether it is compound and of which type, and keep those that are wanted.

    The filter is the one by which MedICaT found its medical figures: a figure stays if the type is among the four
    likeliest. With --kept, the records of those that stay are written as figures.jsonl, with image paths as they
    are in FIGURES. To fill the kinds in for annotators, give the classifier to `prelabel run`.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.classify import classify, kind_record, type_filter
    from panelwise.files.jsonl import Problems, encode_line
    from panelwise.formats.figures import figure_record
    from panelwise.runtime.atomic_write import whole_file
    from prelabel.runs.opening import open_classifier

    if out is None and kept is None:
        raise click.UsageError("nothing to write: give --out, --kept or both")
    if typed("top") and not keep:
        raise click.UsageError("--top goes with --keep; name a type")
    for path in (out, kept):
        refuse_input(path, figures)
        refuse_protected(path)
    if out is not None and out == kept:
        raise click.UsageError("--out and --kept are one file; name two")
    model = open_classifier(classifier, device=device, warn=warn)
    wanted = type_filter(model, keep, top=top, compound=compound)
    problems = Problems(report=warn)
    count = stayed = 0
    with ExitStack() as stack:
        # Both files appear whole at the end, or not at all, and memory does not grow.
        all_kinds, those_kept = (
            None if path is None else stack.enter_context(whole_file(path)) for path in (out, kept)
        )
        found = classify(figures, images or figures.parent, model, problems, types=wanted)
        for each in progress(found, "classifying", total=count_lines(figures), unit="figures"):
            count, stayed = count + 1, stayed + each.passes
            if all_kinds is not None:
                all_kinds.write(encode_line(kind_record(each, model.version)))
            if those_kept is not None and each.passes:
                those_kept.write(encode_line(figure_record(each.figure)))
    told = f", kept {stayed}" if kept is not None else ""
    finish(f"classified {counted(count, 'figure')}{told}", problems)
