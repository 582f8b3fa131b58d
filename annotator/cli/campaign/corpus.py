"""`annotator corpus`: from published articles to figures for annotation."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import OutPath, progress, warn
from panelwise.runtime.plurals import counted


@click.group()
def command() -> None:
    """Build a corpus of figures from published articles."""


@command.command(epilog="Example: annotator corpus extract articles/ --out figures.jsonl")
@click.argument("articles", type=click.Path(path_type=Path))
@click.option("--out", type=OutPath(), required=True, help="File to write, in the layout of figures.jsonl.")
def extract(articles: Path, out: Path) -> int:
    """Extract figures, captions and citing sentences from ARTICLES, a file or a folder with its subfolders.

    Reads JATS and NLM XML (.xml, .nxml) and S2ORC JSON (.json). Uses all cores. Bad files are named on stderr and
    the others read; the exit status is then 1. An interrupted run is continued by the same command. Images are
    looked for beside each article and named relative to ARTICLES, the folder for `import figures --images`.
    """
    from annotator.corpus.article_files import article_names
    from annotator.corpus.extract import Tally, extract
    from panelwise.files.jsonl import Problems

    problems = Problems(report=warn)
    tally = Tally()
    total = sum(1 for _ in article_names(articles))
    for so_far in progress(extract(articles, out, problems), "extracting", total=total, unit="articles"):
        tally = so_far
    left = f"; see the {counted(problems.count, 'error')} above" if problems.count else ""
    click.echo(tally.summary() + left)
    return 1 if problems.count else 0
