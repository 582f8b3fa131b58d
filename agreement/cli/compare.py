"""`agreement compare`: a model's or annotators' work against gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agreement.cli.options import SOURCE, give_out, look_at, metric_options, settings_of, tell_superseded
from annotator.commandline import warn


@click.command(epilog="Example: agreement compare gold.jsonl predictions.jsonl --format json")
@click.argument("gold", type=SOURCE)
@click.argument("predicted", type=SOURCE)
@click.option(
    "--gold-annotator", metavar="NAME", help="Whose work in GOLD is the gold; needed where there are several."
)
@click.option("--annotator", metavar="NAME", help="Score this one of PREDICTED only [default: each].")
@click.option("--gold-phase", metavar="NAME", help="The phase to take from GOLD; needed where it holds several.")
@click.option("--phase", metavar="NAME", help="The phase to take from PREDICTED; needed where it holds several.")
@metric_options
def compare(
    gold: Path,
    predicted: Path,
    gold_annotator: str | None,
    annotator: str | None,
    gold_phase: str | None,
    phase: str | None,
    layout: str,
    out: Path | None,
    **options: Any,
) -> None:
    """Score PREDICTED (a model's or annotators' work) against GOLD.

    Each is annotations or predictions JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign's home; of a
    home GOLD takes the reviewers' decisions. The score is the mean over the gold subfigures that count, in the
    figures that both sides accepted. Figures that only one side has are left out and named.
    """
    from agreement.report.json import comparison_json
    from agreement.report.text import comparison_text
    from annotator.formats.jsonl import Problems
    from annotator.services.comparing import compare_sources

    look_at(out, gold, predicted)
    problems = Problems(report=warn)
    found = compare_sources(
        gold,
        predicted,
        problems,
        gold_annotator=gold_annotator,
        annotator=annotator,
        gold_phase=gold_phase,
        phase=phase,
        settings=settings_of(options),
        tell=warn,
    )
    give_out(comparison_json(found) if layout == "json" else comparison_text(found), out)
    tell_superseded(found.superseded)
    if problems.count:
        raise SystemExit(1)
