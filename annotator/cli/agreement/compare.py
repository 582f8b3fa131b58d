"""`agreement compare`: score models or annotators against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.agreement.options import (
    SOURCE,
    articles_option,
    look_at,
    metric_options,
    output_options,
    people_options,
    settings_of,
    warn_of_superseded,
)
from annotator.cli.agreement.pages import (
    HTML,
    page_options,
    refuse_pictures,
    render_page,
    shown_worst,
    source_names,
)
from annotator.cli.commandline import exit_on, typed, warn, warned_problems, write_output

if TYPE_CHECKING:
    from panelwise.files import Problems

#: Options that answers to questions have no use for.
NOT_OF_ANSWERS = (
    *("gold_annotator", "annotators", "gold_phase", "phase", "sweep", "people", "people_phase"),
    *("images", "view", "articles", "worst", "mode", "common", "min_iou"),
)
EXAMPLES = """\b
Examples:
  agreement compare gold.jsonl predictions.jsonl --format json
  agreement compare gold.jsonl classic.jsonl trained.jsonl annotations.jsonl
  agreement compare gold.jsonl predictions.jsonl --images figures.jsonl --format html --out compared.html
  agreement compare ./campaign annotations.jsonl --annotator ann1 --annotator ann2
  agreement compare gold.jsonl predictions.jsonl --people annotations.jsonl
  agreement compare qa.jsonl system1.csv system2.csv
"""


@click.command(epilog=EXAMPLES)
@click.argument("gold", type=SOURCE)
@click.argument("predicted", metavar="PREDICTED...", nargs=-1, required=True, type=SOURCE)
@click.option(
    "--gold-annotator",
    metavar="NAME",
    help="Annotator whose work is the gold; needed if GOLD has several.",
)
@click.option(
    "--annotator",
    "annotators",
    metavar="NAME",
    multiple=True,
    help="Score only this annotator or model (repeatable).",
)
@click.option("--gold-phase", metavar="NAME", help="Phase of GOLD; needed if it has several.")
@click.option(
    "--phase",
    metavar="NAME",
    help="Phase of PREDICTED; needed if it has several.",
)
@click.option(
    "--sweep/--no-sweep",
    default=None,
    help="Scores at other box match thresholds, and average precision [default: up to 20,000 gold figures].",
)
@click.option(
    "--bert-score",
    metavar="MODEL",
    is_flag=False,
    flag_value="roberta-large",
    help="BERTScore of answers too, by this transformers model (panelwise[models]) [without MODEL: "
    "roberta-large].",
)
@articles_option
@people_options
@metric_options
@page_options
@output_options("text", "json", HTML, what="Text, unrounded JSON, or a page with the worst figures.")
def compare(
    gold: Path,
    predicted: tuple[Path, ...],
    gold_annotator: str | None,
    annotators: tuple[str, ...],
    gold_phase: str | None,
    phase: str | None,
    sweep: bool | None,
    bert_score: str | None,
    articles: Path | None,
    people: Path | None,
    people_phase: str | None,
    layout: str,
    out: Path | None,
    images: Path | None,
    view: str | None,
    worst: int,
    **options: Any,
) -> None:
    """Score each PREDICTED (models or annotators) against GOLD, and rank several over the figures all cover.

    GOLD and PREDICTED are annotations or predictions JSONL, MedICaT JSONL, a Label Studio JSON export or a
    campaign home. Figures that only one side has are left out and named.

    GOLD may also be question-answer pairs, PREDICTED a system's answers: a table of instance_id and answer_pred,
    or pairs with human_prediction.
    """
    from agreement.report import comparison_json, comparison_text
    from annotator.measurement.compare import ComparisonOptions, compare_sources
    from annotator.measurement.sources import People
    from panelwise.formats import is_pair_file

    shown = shown_worst(layout, worst)
    if people_phase is not None and people is None:
        raise click.UsageError("--people-phase needs --people")
    look_at(out, gold, *predicted, *(each for each in (people, articles) if each is not None))
    refuse_pictures(out, images)
    problems = warned_problems()
    if gold.is_file() and is_pair_file(gold):
        write_output(_answers(gold, predicted, problems, layout, bert_score, **options), out)
        exit_on(problems)
        return
    if bert_score is not None:
        raise click.UsageError("--bert-score is for answers; give question-answer pairs as GOLD")
    found = compare_sources(
        gold,
        predicted,
        problems,
        ComparisonOptions(
            gold_annotator=gold_annotator,
            gold_phase=gold_phase,
            annotators=annotators,
            phase=phase,
            settings=settings_of(options),
            worst=shown,
            curves=sweep,
            people=None if people is None else People(people, people_phase),
            articles=articles,
        ),
        warn=warn,
    )
    if layout == HTML:
        from agreement.report import comparison_html

        sources = (gold, *predicted)
        names = source_names(sources)
        page = render_page(
            lambda pictures: comparison_html(found, pictures=pictures, view=view, sources=names),
            sources,
            images=images,
            worst=worst,
        )
        write_output(page, out)
    else:
        write_output(comparison_json(found) if layout == "json" else comparison_text(found), out)
    warn_of_superseded(found.superseded)
    exit_on(problems)


def _answers(
    gold: Path,
    predicted: tuple[Path, ...],
    problems: Problems,
    layout: str,
    bert_score: str | None,
    *,
    bootstrap: int,
    seed: int,
    **_metric: Any,
) -> str:
    from agreement.report import systems_json, systems_text
    from annotator.measurement.answers import compare_answer_files

    if surplus := typed(*NOT_OF_ANSWERS):
        raise click.UsageError(f"{surplus[0]} can't be combined with question-answer pairs as GOLD")
    similarity = None
    if bert_score is not None:
        from prelabel.runs import need_models

        need_models("--bert-score")
        from prelabel.models import BertScore

        similarity = BertScore(bert_score)
    found = compare_answer_files(gold, predicted, problems, resamples=bootstrap, seed=seed, similarity=similarity)
    if layout == HTML:
        from agreement.report import systems_html

        return systems_html(found, sources=source_names((gold, *predicted)))
    return systems_json(found) if layout == "json" else systems_text(found)
