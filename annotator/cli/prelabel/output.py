"""Output options of `prelabel evaluate` and `prelabel effort`: text, JSON, or a table of figures."""

from __future__ import annotations

from collections.abc import Callable

import click

from annotator.cli.agreement.options import resample_options
from annotator.cli.commandline import AnyFunction, options
from annotator.cli.paths import OutPath

TEXT, JSON, CSV, MARKDOWN = "text", "json", "csv", "markdown"


def output_options_of(*layouts: str) -> Callable[[AnyFunction], AnyFunction]:
    """Return a decorator that adds `--worst`, `--format` with these formats, and `--out`."""
    markdown = " Markdown needs --table." if MARKDOWN in layouts else ""
    return options(
        click.option(
            "--worst",
            type=click.IntRange(0, 10_000),
            default=10,
            show_default=True,
            help="Worst figures listed.",
        ),
        click.option(
            "--format",
            "layout",
            type=click.Choice(layouts),
            default=TEXT,
            show_default=True,
            help=f"Text, unrounded JSON, or a row per figure.{markdown}",
        ),
        click.option("--out", type=OutPath(), help="Output file [default: stdout]."),
    )


output_options = output_options_of(TEXT, JSON, CSV)
#: Adds `--apart`, `--apart-least`, `--bootstrap`, `--seed`.
interval_options = options(
    click.option(
        "--apart",
        metavar="ARTICLE",
        multiple=True,
        help="Hold out this article: `source.document`, or its end (repeatable).",
    ),
    click.option(
        "--apart-least",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Hold out the N articles with the smallest SHA-256 of their names.",
    ),
    resample_options,
)
#: Adds `--gold-annotator` and `--gold-phase`.
gold_options = options(
    click.option(
        "--gold-annotator",
        metavar="NAME",
        help="Annotator whose work is the gold; needed if GOLD has several.",
    ),
    click.option("--gold-phase", metavar="NAME", help="Phase of GOLD; needed if it has several."),
)
