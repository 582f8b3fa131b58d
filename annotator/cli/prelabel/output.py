"""Output options of `prelabel evaluate` and `prelabel effort`: text, JSON, or a table of figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agreement.primitives.rules import RESAMPLES
from annotator.cli.commandline import OutPath

if TYPE_CHECKING:
    from annotator.prelabels.evaluate import Apart

Function = TypeVar("Function", bound=Callable[..., Any])
TEXT, JSON, CSV, MARKDOWN = "text", "json", "csv", "markdown"


def output_options(function: Function) -> Function:
    """Add `--format`, `--out`, `--worst`."""
    return output_options_of(TEXT, JSON, CSV)(function)


def output_options_of(*layouts: str) -> Callable[[Function], Function]:
    """Add the same options with other formats."""
    return lambda function: _with_output(function, layouts)


def _with_output(function: Function, layouts: Sequence[str]) -> Function:
    markdown = " Markdown needs --table." if MARKDOWN in layouts else ""
    for option in reversed(
        (
            click.option(
                "--worst",
                type=click.IntRange(0, 10_000),
                default=10,
                show_default=True,
                help="Number of worst figures listed in the text.",
            ),
            click.option(
                "--format",
                "layout",
                type=click.Choice(layouts),
                default=TEXT,
                show_default=True,
                help=f"Text to read, unrounded JSON for scripts, or a table with a row per figure.{markdown}",
            ),
            click.option("--out", type=OutPath(), help="Output file [default: stdout]."),
        )
    ):
        function = option(function)
    return function


def interval_options(function: Function) -> Function:
    """Add `--apart`, `--apart-least`, `--bootstrap`, `--seed`."""
    for option in reversed(
        (
            click.option(
                "--apart",
                metavar="ARTICLE",
                multiple=True,
                help="Hold out this article: its `source.document`, or the end of it (repeatable).",
            ),
            click.option(
                "--apart-least",
                type=click.IntRange(0),
                default=0,
                show_default=True,
                help="Hold out this many gold articles: those with the smallest SHA-256 of their names.",
            ),
            click.option(
                "--bootstrap",
                type=click.IntRange(0, 1_000_000),
                default=RESAMPLES,
                show_default=True,
                help="Resamples of articles for the 95 % confidence intervals; 0 for none.",
            ),
            click.option(
                "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the resamples."
            ),
        )
    ):
        function = option(function)
    return function


def apart_of(names: Sequence[str], least: int) -> Apart:
    """Return the held-out articles of `--apart` and `--apart-least`."""
    from annotator.prelabels.evaluate import Apart

    return Apart(tuple(names), least)


def json_text(record: Mapping[str, Any]) -> str:
    """Format the record as JSON, with a final newline and the keys in their order."""
    from agreement.report.json.parts import json_text as made

    return made(dict(record))


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Format a table for spreadsheets; lines end in CRLF (RFC 4180), an undefined number is an empty cell."""
    from panelwise.files.csv_safe import as_text

    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        cells = (row[column] for column in columns)
        writer.writerow([as_text(cell) if isinstance(cell, str) else cell for cell in cells])
    return out.getvalue()
