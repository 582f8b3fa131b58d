"""`agreement compare`: score models or annotators against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.agreement.options import (
    Articles,
    GoldAnnotator,
    GoldPhase,
    MetricOptions,
    PeopleOptions,
    ResampleOptions,
    look_at,
    warn_of_superseded,
)
from annotator.cli.agreement.pages import (
    HTML,
    PageOptions,
    refuse_pictures,
    render_page,
    shown_worst,
    source_names,
)
from annotator.cli.commandline import exit_on, refuse_typed, warn, warned_problems, write_output
from annotator.cli.layouts import PredictionOptions
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.shared_options import OutText

if TYPE_CHECKING:
    from panelwise.files import Problems

#: Options that answers to questions have no use for.
NOT_OF_ANSWERS = (
    *("gold_annotator", "annotators", "gold_phase", "phase", "sweep", "people", "people_phase"),
    *("images", "view", "articles", "min_score", "coco", "worst", "mode", "common", "min_iou"),
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


@click.command(epilog=EXAMPLES, cls=SignatureCommand)
def compare(
    gold: Path,
    predicted: Annotated[tuple[Path, ...], Argument(metavar="PREDICTED...", required=True)],
    gold_annotator: GoldAnnotator,
    annotators: Annotated[
        tuple[str, ...], Option("Score only this annotator or model (repeatable).", "--annotator", metavar="NAME")
    ],
    gold_phase: GoldPhase,
    phase: Annotated[str | None, Option("Phase of PREDICTED; needed if it has several.", metavar="NAME")],
    sweep: Annotated[
        bool | None,
        Option(
            "Scores at other box match thresholds, and average precision [default: up to 20,000 gold figures].",
            "--sweep/--no-sweep",
        ),
    ],
    bert_score: Annotated[
        str | None,
        Option(
            "BERTScore of answers too, by this transformers model (panelwise[models]) [without MODEL: "
            "roberta-large].",
            metavar="MODEL",
            is_flag=False,
            flag_value="roberta-large",
        ),
    ],
    reader: PredictionOptions,
    articles: Articles,
    people: PeopleOptions,
    metric: MetricOptions,
    page: PageOptions,
    layout: Annotated[
        Literal["text", "json", "html"],
        Option("Text, unrounded JSON, or a page with the worst figures.", "--format", default="text"),
    ],
    out: OutText,
) -> None:
    """Score each PREDICTED (models or annotators) against GOLD, and rank several over the figures all cover.

    GOLD and PREDICTED are annotations or predictions JSONL, MedICaT JSONL, a Label Studio JSON export or a
    campaign home. Figures that only one side has are left out and named.

    GOLD may also be question-answer pairs, PREDICTED a system's answers: a table of instance_id and answer_pred,
    or pairs with human_prediction.
    """
    from agreement.report import comparison_json, comparison_text
    from annotator.measurement.compare import ComparisonOptions, compare_sources
    from panelwise.formats import is_pair_file

    shown = shown_worst(layout, page.worst)
    compared_with = people.chosen()
    look_at(out, gold, *predicted, *(each for each in (people.people, articles) if each is not None))
    refuse_pictures(out, page.images)
    problems = warned_problems()
    if gold.is_file() and is_pair_file(gold):
        write_output(_answers(gold, predicted, problems, layout, bert_score, metric.resampling), out)
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
            settings=metric.settings(),
            worst=shown,
            curves=sweep,
            people=compared_with,
            articles=articles,
            reading=reader.reading(gold=gold),
        ),
        warn=warn,
    )
    if layout == HTML:
        from agreement.report import comparison_html

        sources = (gold, *predicted)
        names = source_names(sources)
        text = render_page(
            lambda pictures: comparison_html(found, pictures=pictures, view=page.view, sources=names),
            sources,
            images=page.images,
            worst=page.worst,
        )
        write_output(text, out)
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
    resampling: ResampleOptions,
) -> str:
    from agreement.report import systems_json, systems_text
    from annotator.measurement.answers import compare_answer_files

    refuse_typed("can't be combined with question-answer pairs as GOLD", *NOT_OF_ANSWERS)
    similarity = None
    if bert_score is not None:
        from prelabel.runs import need_models

        need_models("--bert-score")
        from prelabel.models import BertScore

        similarity = BertScore(bert_score)
    found = compare_answer_files(
        *(gold, predicted, problems),
        resamples=resampling.bootstrap,
        seed=resampling.seed,
        similarity=similarity,
    )
    if layout == HTML:
        from agreement.report import systems_html

        return systems_html(found, sources=source_names((gold, *predicted)))
    return systems_json(found) if layout == "json" else systems_text(found)
